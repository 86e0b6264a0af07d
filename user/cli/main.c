// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft: the command line.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "complete.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION "unknown"
#endif

static const struct command *const commands[] = {
	&cmd_run, &cmd_plan, &cmd_up, &cmd_down, &cmd_exec, &cmd_rsh,
	&cmd_show, &cmd_set, &cmd_fault, &cmd_traffic, &cmd_send, &cmd_events, &cmd_reroute,
	&cmd_report, &cmd_record, &cmd_mark, &cmd_capture, &cmd_top, &cmd_trace,
	&cmd_bound, &cmd_simulate, &cmd_headroom,
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
	      "`weft help COMMAND` has the options of a command, `man weft-COMMAND` its manual,\n"
	      "`weft version` the version. Exit code: 1 the command line or a file is wrong,\n"
	      "2 the kernel refused, 4 anything else, 123 an expectation was not met; weft run\n"
	      "and weft exec have others.\n",
	      f);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	fprintf(stderr, "weft: there is no command \"%s\"; see weft --help\n", name);
	return EXIT_USAGE;
}

/* "weft help COMMAND" is "weft COMMAND --help". */
static int help(const char *name)
{
	const struct command *cmd;

	if (!name) {
		print_usage(stdout);
		return cli_done();
	}
	cmd = find(name);
	return cmd ? cli_help(cmd) : unknown(name);
}

/*
 * "weft complete WORD..." is for the completion of shells, see complete.c. The last word
 * is being typed.
 */
static int complete(int n, char **word)
{
	const struct command *cmd = n > 1 ? find(word[0]) : NULL;

	if (cmd) {
		complete_begin(n, word);
		return cmd->run(cmd, n, word);
	}
	if (n > 2 || (n == 2 && strcmp(word[0], "help")))
		return 0;
	for (size_t i = 0; i < COMMANDS; i++)
		complete_offer(commands[i]->name, commands[i]->summary);
	if (n < 2) {
		complete_offer("help", "what a command does");
		complete_offer("version", "the version");
		complete_offer("--help", "this list");
		complete_offer("--version", "the version");
	}
	return cli_done();
}

static bool is_one_of(const char *word, const char *letter, const char *option,
		      const char *command)
{
	return !strcmp(word, letter) || !strcmp(word, option) ||
	       !strcmp(word, command);
}

int main(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (is_one_of(argv[1], "-h", "--help", "help"))
		return help(argv[2]);
	if (is_one_of(argv[1], "-V", "--version", "version")) {
		puts("weft " WEFT_VERSION);
		return cli_done();
	}
	if (!strcmp(argv[1], "complete"))
		return complete(argc - 2, argv + 2);
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	cli_command(cmd);
	return cmd->run(cmd, argc - 1, argv + 1);
}
