// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft report: what happened in a lab, and whether to believe it.
 */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"
#include "print_report.h"

static int report(const char *lab_name, bool json, const char *out)
{
	struct weft_lab lab;
	struct weft_err err;
	json_t *r;
	int ret = 0;

	if (cli_lab(&lab, lab_name, &err))
		return cli_fail(&err);
	r = report_of(&lab, &err);
	weft_lab_close(&lab);
	if (!r || (out && save_report(out, r, &err)))
		ret = cli_fail(&err);
	else if (json && !out)
		return cli_json(r);
	else if (!json)
		print_report(stdout, r);
	json_decref(r);
	return ret ? ret : cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *lab = NULL, *out = NULL;
	bool json = false;
	const struct cli_option opt[] = {
		{ "json", &json, NULL }, { "out", NULL, &out },
		{ "lab", NULL, &lab }, { NULL, NULL, NULL },
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (argc - optind > 1 || (lab && optind < argc))
		return cli_usage(cmd, "expected one LAB");
	return report(optind < argc ? argv[optind] : lab, json, out);
}

const struct command cmd_report = {
	.name = "report",
	.run = run,
	.summary = "what happened in a lab, and whether to believe it",
	.usage =
"usage: weft report [LAB] [OPTION]...\n"
"\n"
"Print the report of a lab in fabric time: links, NICs, latency, lateness and\n"
"the verdict. Documentation/report.rst explains each number.\n"
"\n"
"  --json      as JSON; keys never change\n"
"  --out FILE  write JSON to FILE (with --json: and nothing else)\n"
"  --lab LAB   the same as LAB\n",
};
