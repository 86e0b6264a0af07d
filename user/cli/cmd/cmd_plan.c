// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft plan: what a topology comes to.
 */
#include <getopt.h>

#include "bring_up.h"
#include "cli.h"
#include "print/print_plan.h"

static int run(const struct command *cmd, int argc, char **argv)
{
	bool check = false, json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("check", &check), CLI_FLAG("json", &json),
		CLI_END,
	};
	struct bring_up up = { 0 };
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (argc == optind)
		return cli_usage(cmd, "expected TOPOLOGY");
	cli_topology(&up.topology, argc, argv);
	return print_plan(&up, check, json);
}

const struct command cmd_plan = {
	.name = "plan",
	.run = run,
	.summary = "what `weft up` would do, and whether it is possible",
	.usage =
"usage: weft plan TOPOLOGY [KEY=VALUE]... [OPTION]...\n"
"\n"
"Print what `weft up` would do for TOPOLOGY (a file, or a name from `weft\n"
"topologies`), in order. It needs neither root nor the module. A topology that\n"
"cannot be brought up is refused with exit code 1 and the reason: the place in\n"
"the file, the arithmetic, or the ports of lossless classes that may wait for\n"
"each other in a circle.\n"
"\n"
"      --check   print only that it can be brought up, whether lossless classes\n"
"                lose nothing and cannot deadlock, and notes\n"
"  -j, --json    as JSON\n"
"  -p, --pretty  JSON with indents\n",
};
