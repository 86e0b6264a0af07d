// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft plan: the plan of a topology.
 */
#include <getopt.h>

#include "bring_up.h"
#include "cli.h"
#include "print/print_parts.h"
#include "print/print_plan.h"
#include "sim/sim.h"

static int run(const struct command *cmd, int argc, char **argv)
{
	bool check = false, json = false;
	const char *parts = NULL;
	unsigned long long n;
	struct bring_up up = { 0 };
	const struct cli_option opt[] = {
		CLI_FLAG("check", &check), CLI_FLAG("json", &json),
		CLI_FLAG("verbose", &up.verbose), CLI_TEXT("parts", &parts), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (argc == optind)
		return cli_usage(cmd, "expected TOPOLOGY");
	if (parts && check)
		return cli_usage(cmd, "--parts: expected no --check");
	if (parts && cli_number(cmd, "--parts", parts, 1, WEFT_SIM_PARTS_MAX, &n))
		return EXIT_USAGE;
	cli_topology(&up.topology, argc, argv);
	if (parts)
		return print_parts(&up.topology, (uint32_t)n, json);
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
"topologies`), in order. Of nodes, switches and links that follow each other and\n"
"are alike, the first is printed. It needs neither root nor the module. A\n"
"topology that cannot be brought up is refused with exit code 1 and the reason:\n"
"the place in the file, the arithmetic, or the ports of lossless classes that\n"
"may wait for each other in a circle.\n"
"\n"
"      --check    print only that it can be brought up, whether lossless classes\n"
"                 lose nothing and cannot deadlock, and notes\n"
"      --parts N  print only where `weft simulate --parts N` would cut the fabric\n"
"  -v, --verbose  print all nodes, switches, links, routes, classes and paths\n"
"  -j, --json     as JSON, with all\n"
"  -p, --pretty   JSON with indents\n",
};
