// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft draw: a topology as a picture.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "cli.h"
#include "draw/draw.h"
#include "topology/share.h"

/**
 * struct options - the command line
 * @topology: the topology
 * @out: file to write, NULL for standard output
 * @json: print coordinates in place of a picture
 */
struct options {
	struct weft_share_choice topology;
	const char *out;
	bool json;
};

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o, int *code)
{
	const struct cli_option opt[] = {
		CLI_TEXT("output", &o->out), CLI_FLAG("json", &o->json),
		CLI_END,
	};

	if (!cli_options(cmd, argc, argv, opt, code))
		return -1;
	if (argc == optind) {
		*code = cli_usage(cmd, "expected TOPOLOGY");
		return -1;
	}
	cli_topology(&o->topology, argc, argv);
	return 0;
}

static int write_file(const char *path, const char *text, struct weft_err *err)
{
	FILE *f = fopen(path, "we");
	bool good;

	if (!f) {
		weft_err_sys(err, errno, "%s", path);
		err->kind = WEFT_ERR_USAGE;
		return err->code;
	}
	good = fputs(text, f) != EOF;
	if (!fclose(f) && good)
		return 0;
	return weft_err_sys(err, errno, "%s", path);
}

/* The text of the picture, NULL with an error. */
static char *text_of(const struct weft_draw *d, bool json, struct weft_err *err)
{
	char *text = NULL;
	json_t *o;

	if (!json) {
		weft_draw_svg(d, &text, err);
		return text;
	}
	o = weft_draw_json(d);
	text = weft_json_text(o, cli_json_flags() | JSON_REAL_PRECISION(8));
	json_decref(o);
	if (!text)
		weft_err_nomem(err);
	return text;
}

static int print(const struct options *o, const struct weft_draw *d)
{
	struct weft_err err;
	char *text = text_of(d, o->json, &err);
	int ret = 0;

	if (!text || (o->out && write_file(o->out, text, &err)))
		ret = cli_fail(&err);
	else if (!o->out)
		printf("%s%s", text, o->json ? "\n" : "");
	free(text);
	return ret ? ret : cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct weft_share_design design;
	struct weft_draw d = { 0 };
	struct options o = { 0 };
	struct weft_err err;
	int ret;

	if (parse(cmd, argc, argv, &o, &ret))
		return ret;
	if (weft_share_design(&o.topology, &design, &err) ||
	    weft_draw_make(&d, &design.topo, &err))
		ret = cli_fail(&err);
	else
		ret = print(&o, &d);
	weft_draw_free(&d);
	weft_share_design_free(&design);
	return ret;
}

const struct command cmd_draw = {
	.name = "draw",
	.run = run,
	.summary = "draw a topology as a picture",
	.usage =
"usage: weft draw TOPOLOGY [KEY=VALUE]... [OPTION]...\n"
"\n"
"Draw a topology as SVG; TOPOLOGY and keys are as for `weft topology`. Nodes are\n"
"below, switches above them by their distance, and a fabric inside the hosts is\n"
"below the nodes. A torus is drawn by its coordinates, other switches of one rank\n"
"on a circle. The width of a line shows its rate.\n"
"\n"
"  -o, --output FILE  write to FILE instead of standard output\n"
"  -j, --json         coordinates as JSON; keys never change\n"
"  -p, --pretty       JSON with indents\n",
};
