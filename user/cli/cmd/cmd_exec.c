// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft exec: run a program in a node.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "run/node_exec.h"

static int exec_in(const char *lab_name, const struct node_exec_options *how,
		   const char *node, char **argv)
{
	struct weft_lab lab;
	struct weft_err err;
	int ret = EXIT_RUN_FAILED;

	if (cli_lab(&lab, lab_name, &err))
		cli_fail(&err);
	else
		ret = node_exec(&lab, node, how, argv);
	weft_lab_close(&lab);
	return ret;
}

/* COMMAND, after NODE and "--"; NULL with an error printed. */
static char **command_of(const struct command *cmd, int argc, char **argv)
{
	char **word = argv + optind;

	if (optind == argc) {
		cli_usage(cmd, "expected NODE -- COMMAND");
		return NULL;
	}
	word++;
	if (*word && !strcmp(*word, "--"))
		word++;
	if (*word)
		return word;
	cli_usage(cmd, "expected a COMMAND after %s", argv[optind]);
	return NULL;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct node_exec_options how = { 0 };
	const char *lab = NULL, *ppn = NULL;
	const struct cli_option opt[] = {
		CLI_TEXT("lab", &lab), CLI_TEXT("ppn", &ppn),
		CLI_TEXT("net", &how.net), CLI_END,
	};
	unsigned long long slots = 1;
	char **command;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret ? EXIT_RUN_FAILED : 0;
	if (ppn && cli_number(cmd, "--ppn", ppn, 1, 4096, &slots))
		return EXIT_RUN_FAILED;
	how.slots = (unsigned int)slots;
	command = command_of(cmd, argc, argv);
	return command ? exec_in(lab, &how, argv[optind], command) :
			 EXIT_RUN_FAILED;
}

const struct command cmd_exec = {
	.name = "exec",
	.run = run,
	.summary = "run a program in a node",
	.options_first = true,
	.usage =
"usage: weft exec [OPTION]... NODE -- COMMAND [ARG]...\n"
"\n"
"Run COMMAND in NODE: with its network, host name, /etc/hosts and /dev/shm. The\n"
"exit code is COMMAND's; 125 weft failed, 126 it cannot be run, 127 it is not\n"
"found. mpirun finds the nodes by itself.\n"
"\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n"
"      --ppn N    ranks that mpirun may put on each node (default 1)\n"
"      --net NET  tcp or verbs: the transport that MPI, UCX, libfabric and NCCL\n"
"                 are set to use; efa: libfabric, and MPI by it; or, inside\n"
"                 `weft run --net sharp`, sharp, and nvls inside\n"
"                 `weft run --net nvls`\n"
"                 (default: $WEFT_NET, or tcp)\n",
};
