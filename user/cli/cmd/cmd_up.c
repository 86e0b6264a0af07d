// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft up: bring a topology up.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "bring_up.h"
#include "cli.h"
#include "lab/lab_netns.h"
#include "lab/lab_verbs.h"
#include "print/print_plan.h"

/**
 * struct options - the command line
 */
struct options {
	struct bring_up up;
	bool dry_run;
	bool json;
};

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o, int *code)
{
	const struct cli_option opt[] = {
		CLI_TEXT("clock", &o->up.clock), CLI_TEXT("name", &o->up.name),
		CLI_TEXT("seed", &o->up.seed), CLI_FLAG("dry-run", &o->dry_run),
		CLI_FLAG("json", &o->json), CLI_FLAG("verbose", &o->up.verbose),
		CLI_END,
	};

	if (!cli_options(cmd, argc, argv, opt, code))
		return -1;
	if (argc == optind)
		*code = cli_usage(cmd, "expected TOPOLOGY");
	else if (o->json && !o->dry_run)
		*code = cli_usage(cmd, "--json needs --dry-run");
	else
		cli_topology(&o->up.topology, argc, argv);
	return o->up.topology.name ? 0 : -1;
}

/* Note a lab that differs from its plan; `weft doctor` says more. */
static void note_devices(const struct weft_lab *lab)
{
	if (weft_lab_lacks_devices(lab))
		puts("note: without RDMA devices: the module weft_rdma is not loaded");
	else if (weft_lab_shares_devices(lab))
		puts("note: each node sees the RDMA devices of all: namespaces of the RDMA core are shared");
}

/* Names in /run/netns are global: another lab or program may have the plain names. */
static void note_names(const struct weft_lab *lab)
{
	if (weft_lab_netns_qualified(lab))
		printf("note: \"ip netns\" has its nodes as %s.NODE: plain names are taken\n",
		       lab->name);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { 0 };
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (parse(cmd, argc, argv, &o, &ret))
		return ret;
	if (o.dry_run)
		return print_plan(&o.up, false, o.json);
	if (bring_up(&o.up, &lab, &err))
		return cli_fail(&err);
	printf("lab %s is up: %zu nodes\n", lab.name,
	       json_array_size(json_object_get(lab.state, "nodes")));
	note_names(&lab);
	note_devices(&lab);
	weft_lab_close(&lab);
	return cli_done();
}

const struct command cmd_up = {
	.name = "up",
	.run = run,
	.summary = "bring a topology up in the running kernel",
	.usage =
"usage: weft up TOPOLOGY [KEY=VALUE]... [OPTION]...\n"
"\n"
"Bring TOPOLOGY (a file, or a name from `weft topologies`) up in the running\n"
"kernel, which must have the module. If that fails, everything is undone.\n"
"\n"
"      --clock real|real/K|real/auto\n"
"                   the kernel's clock, fabric time K times slower; auto: K at\n"
"                   which the machine keeps up with all links at full load\n"
"                   (default: the topology's, or real/auto)\n"
"      --name LAB   name of the lab (default: the topology's); a topology can be\n"
"                   up several times\n"
"      --seed N     seed of all randomness (default: the topology's, or 1)\n"
"  -n, --dry-run    print what would be done, in order\n"
"  -j, --json       with --dry-run: as JSON\n"
"  -p, --pretty     JSON with indents\n"
"  -v, --verbose    print each step; with --dry-run also what is alike\n",
};
