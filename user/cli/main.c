// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft: the command line.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION "unknown"
#endif

static const struct command *const commands[] = {
	&cmd_run, &cmd_plan, &cmd_up, &cmd_down, &cmd_exec, &cmd_rsh,
	&cmd_show, &cmd_set, &cmd_fault, &cmd_traffic, &cmd_events, &cmd_reroute,
	&cmd_report, &cmd_record, &cmd_capture, &cmd_top, &cmd_trace,
	&cmd_bound, &cmd_headroom,
	&cmd_draw, &cmd_doctor, &cmd_profiles, &cmd_topologies,
	&cmd_topology, &cmd_scenario, &cmd_assert, &cmd_daemon, &cmd_web,
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void print_usage(FILE *f)
{
	fputs("usage: weft COMMAND [OPTION]... [ARG]...\n"
	      "\n"
	      "Emulates the network of an AI cluster between network namespaces.\n"
	      "\n", f);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-11s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\n"
	      "`weft COMMAND --help` says more. Exit code: 1 the command line or a file is\n"
	      "wrong, 2 the kernel refused, 3 an expectation was not met, 4 anything else.\n",
	      f);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return cli_done();
	}
	if (!strcmp(argv[1], "--version")) {
		puts("weft " WEFT_VERSION);
		return cli_done();
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i]->name))
			return commands[i]->run(commands[i], argc - 1,
						argv + 1);
	fprintf(stderr, "error: there is no command \"%s\"; see weft --help\n",
		argv[1]);
	return EXIT_USAGE;
}
