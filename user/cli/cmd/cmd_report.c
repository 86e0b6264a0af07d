// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft report: what happened in a lab, and whether the numbers are faithful.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"
#include "print/print_report.h"
#include "report/record.h"
#include "view/page.h"

/**
 * struct options - the command line
 * @lab: the lab, NULL for the only one
 * @json: print JSON
 * @verbose: print all rows
 * @out: file for JSON, or NULL
 * @html: file for a page, or NULL
 * @from: recording to make the page from, NULL: the lab
 */
struct options {
	const char *lab;
	bool json;
	bool verbose;
	const char *out;
	const char *html;
	const char *from;
};

static int report(const struct options *o)
{
	struct weft_lab lab;
	struct weft_err err;
	json_t *r;
	int ret = 0;

	if (cli_lab(&lab, o->lab, &err))
		return cli_fail(&err);
	r = report_of(&lab, &err);
	weft_lab_close(&lab);
	if (!r || (o->out && save_report(o->out, r, &err)))
		ret = cli_fail(&err);
	else if (o->json && !o->out)
		return cli_json(r);
	else if (!o->json)
		print_report(stdout, r, o->verbose);
	json_decref(r);
	return ret ? ret : cli_done();
}

static json_t *run_of_lab(const char *name, struct weft_err *err)
{
	struct weft_record rec;
	json_t *run = NULL;
	struct weft_lab lab;

	if (cli_lab(&lab, name, err))
		return NULL;
	if (!weft_record_whole(&rec, &lab, err))
		run = weft_record_json(&rec, err);
	weft_record_close(&rec);
	weft_lab_close(&lab);
	return run;
}

static int write_page(const char *path, const char *html, struct weft_err *err)
{
	FILE *f = fopen(path, "we");

	if (!f) {
		weft_err_sys(err, errno, "%s", path);
		err->kind = WEFT_ERR_USAGE;
		return err->code;
	}
	fputs(html, f);
	if (ferror(f) | fclose(f))
		return weft_err_sys(err, errno, "write %s", path);
	return 0;
}

static int page(const struct options *o)
{
	struct weft_err err;
	char *html = NULL;
	int ret = 0;
	json_t *run;

	run = o->from ? weft_run_load(o->from, &err) :
			run_of_lab(o->lab, &err);
	if (!run || weft_page_html(run, &html, &err) ||
	    write_page(o->html, html, &err))
		ret = cli_fail(&err);
	free(html);
	json_decref(run);
	return ret ? ret : cli_done();
}

static int check(const struct command *cmd, const struct options *o)
{
	if (o->from && !o->html)
		return cli_usage(cmd, "--from needs --html");
	if (o->from && o->lab)
		return cli_usage(cmd, "expected --lab or --from, not both");
	if (o->html && (o->json || o->out || o->verbose))
		return cli_usage(cmd, "--html excludes --json, --output and --verbose");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { 0 };
	const struct cli_option opt[] = {
		CLI_FLAG("json", &o.json), CLI_TEXT("output", &o.out),
		CLI_TEXT("html", &o.html), CLI_TEXT("from", &o.from),
		CLI_TEXT("lab", &o.lab), CLI_FLAG("verbose", &o.verbose), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	ret = cli_no_words(cmd, argc, argv);
	if (!ret)
		ret = check(cmd, &o);
	if (ret)
		return ret;
	return o.html ? page(&o) : report(&o);
}

const struct command cmd_report = {
	.name = "report",
	.run = run,
	.summary = "what happened in a lab, and whether to believe it",
	.usage =
"usage: weft report [OPTION]...\n"
"\n"
"Print the report of a lab in fabric time: links, NICs, latency, lateness and\n"
"the verdict. Documentation/report.rst explains each number.\n"
"\n"
"  -v, --verbose      also wires and NICs that are idle or alike\n"
"  -j, --json         as JSON, with all; keys never change\n"
"  -p, --pretty       JSON with indents\n"
"  -o, --output FILE  write JSON to FILE (with --json: and print nothing)\n"
"      --html FILE    write a page to FILE instead, which needs no other file\n"
"                     and no network: the topology, plots, a time line with the\n"
"                     faults\n"
"      --from FILE    with --html: show the recording in FILE, made by `weft run\n"
"                     --record` or `weft record`; without it, sums of the lab\n"
"  -l, --lab LAB      the lab (default: $WEFT_LAB, or the only one)\n",
};
