// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft topology: print the file of a topology.
 */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"
#include "import.h"
#include "netlink/json.h"
#include "topology/share.h"

static int print_design(const struct weft_share_design *d, bool json)
{
	if (json)
		return cli_json(weft_topo_json(&d->topo));
	fputs(d->text, stdout);
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *import = NULL;
	bool json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_TEXT("import", &import),
		CLI_END,
	};
	struct weft_share_choice choice;
	struct weft_share_design design;
	struct weft_err err;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (import && (optind < argc || json))
		return cli_usage(cmd, "--import excludes all other options and arguments");
	if (import)
		return import_print(import);
	if (optind == argc)
		return cli_usage(cmd, "expected NAME");
	cli_topology(&choice, argc, argv);
	if (weft_share_design(&choice, &design, &err))
		ret = cli_fail(&err);
	else
		ret = print_design(&design, json);
	weft_share_design_free(&design);
	return ret;
}

const struct command cmd_topology = {
	.name = "topology",
	.run = run,
	.summary = "print a topology's file, or make one",
	.usage =
"usage: weft topology NAME [KEY=VALUE]... [OPTION]...\n"
"       weft topology --import FILE\n"
"\n"
"Print the file of a topology, with the nodes, switches and links of its\n"
"generator. NAME is a file, a name from `weft topologies`, or a kind of\n"
"generator. KEY=VALUE sets a key of the generator or of the file, such as\n"
"hosts=16, name=mine, profile=ethernet-800g or uplink.rate=200Gbps.\n"
"\n"
"  -j, --json         nodes, switches and links as JSON\n"
"  -p, --pretty       JSON with indents\n"
"      --import FILE  print as a topology what ibnetdiscover wrote about an\n"
"                     InfiniBand network; - for standard input\n"
"\n"
"Generators; keys in brackets may be left out:\n"
"\n"
"  single-switch   hosts\n"
"  fat-tree        leaves, spines, hosts-per-leaf, [uplinks-per-spine] or\n"
"                  [oversubscription]; or k, three tiers of switches of k ports\n"
"  rail-optimized  hosts, spines, [gpus], [node=host|gpu], [rails],\n"
"                  [hosts-per-su], [uplinks-per-spine] or [oversubscription]\n"
"  nvl72           [racks], [gpus], [rails]; with rails: spines,\n"
"                  [racks-per-su], [uplinks-per-spine] or [oversubscription]\n"
"  torus           size, such as 4x4x4\n"
"  dragonfly       p, a, h, [arrangement=absolute|relative]\n",
};
