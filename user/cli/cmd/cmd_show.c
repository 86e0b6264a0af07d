// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft show: the objects of a lab.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "print/print_objects.h"

static int show_labs(bool json)
{
	struct weft_names names;
	struct weft_err err;
	json_t *all = json_array();
	int ret = 0;

	if (weft_lab_names(&names, &err))
		ret = cli_fail(&err);
	for (size_t i = 0; !ret && i < names.n; i++) {
		struct weft_lab lab;

		if (weft_lab_open(&lab, names.name[i], &err))
			ret = cli_fail(&err);
		else
			json_array_append(all, lab.state);
		weft_lab_close(&lab);
	}
	weft_names_free(&names);
	if (!ret && json)
		return cli_json(all);
	if (!ret)
		labs_print(all);
	json_decref(all);
	return ret ? ret : cli_done();
}

static int show_objects(const struct command *cmd, const char *what,
			const char *lab_name, bool json, bool all)
{
	struct weft_lab lab;
	struct weft_err err;
	json_t *objects;

	if (!objects_known(what))
		return cli_usage(cmd, "\"%s\": expected labs, nodes, settings, fabric, switches, links, ports, classes, nics, verbs, routes or aggregators",
				 what);
	if (cli_lab(&lab, lab_name, &err))
		return cli_fail(&err);
	objects = objects_read(&lab, what, &err);
	weft_lab_close(&lab);
	if (!objects)
		return cli_fail(&err);
	if (json)
		return cli_json(objects);
	objects_print(what, objects, all);
	json_decref(objects);
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *lab = NULL;
	bool json = false, verbose = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_TEXT("lab", &lab),
		CLI_FLAG("verbose", &verbose), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (argc - optind > 1)
		return cli_usage(cmd, "expected one kind of object");
	if (optind == argc || !strcmp(argv[optind], "labs"))
		return lab ? cli_usage(cmd, "--lab goes with one of the other kinds") :
			     show_labs(json);
	return show_objects(cmd, argv[optind], lab, json, verbose);
}

const struct command cmd_show = {
	.name = "show",
	.run = run,
	.summary = "what a lab consists of",
	.usage =
"usage: weft show [KIND] [OPTION]...\n"
"\n"
"KIND: labs (default), nodes, settings, fabric, switches, links, ports, classes,\n"
"nics, verbs, routes, aggregators. Ports and classes have counters: packets sent,\n"
"how long the far end held packets back, pauses sent and received, marks,\n"
"replays, drops. verbs are the NICs' RDMA devices: requests, retransmissions,\n"
"congestion notifications. aggregators reduce in switches (weft run --net sharp).\n"
"\n"
"  -v, --verbose  all rows: also what is without traffic, what is alike but for\n"
"                 its name, and settings that all nodes have for each of them\n"
"  -j, --json     as JSON, with more than the table shows; keys never change\n"
"  -p, --pretty   JSON with indents\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n",
};
