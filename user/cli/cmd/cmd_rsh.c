// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft rsh: start a command on a node, as rsh and ssh do.
 *
 * Launchers of MPI call "AGENT [OPTION]... HOST WORD...": the words are joined by blanks
 * and given to a shell on HOST. The options are those of ssh. They describe the
 * connection, so they are ignored here.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "complete.h"
#include "run/node_exec.h"

/* Options of ssh that take a value. */
#define WITH_VALUE	"BbcDEeFIiJLlmOopQRSWw"

static int skip_options(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		i += strchr(WITH_VALUE, argv[i][1]) && !argv[i][2] ? 2 : 1;
	}
	return i;
}

static char *join(int n, char **words)
{
	size_t len = 1;
	char *text;

	for (int i = 0; i < n; i++)
		len += strlen(words[i]) + 1;
	text = calloc(1, len);
	for (int i = 0; text && i < n; i++) {
		strcat(text, words[i]);
		if (i + 1 < n)
			strcat(text, " ");
	}
	return text;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct cli_option none[] = { CLI_END };
	const struct node_exec_options how = { .slots = 1 };
	char *words[4] = { "sh", "-c" };
	struct weft_lab lab;
	struct weft_err err;
	int host, ret;

	if (complete_asked())
		return complete_line(cmd, none);
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return cli_help(cmd);
	host = skip_options(argc, argv);
	if (host + 1 >= argc)
		return cli_usage(cmd, "expected HOST COMMAND");
	words[2] = join(argc - host - 1, argv + host + 1);
	if (!words[2] || cli_lab(&lab, NULL, &err)) {
		ret = words[2] ? cli_fail(&err) : EXIT_OTHER;
	} else {
		ret = node_exec(&lab, argv[host], &how, words);
		weft_lab_close(&lab);
	}
	free(words[2]);
	return ret;
}

const struct command cmd_rsh = {
	.name = "rsh",
	.run = run,
	.summary = "start a command on a node, for launchers of MPI",
	.options_first = true,
	.usage =
"usage: weft rsh [OPTION]... HOST WORD...\n"
"\n"
"Join the words by blanks and give them to a shell in node HOST, as rsh and ssh\n"
"do. Options of ssh are accepted and ignored. The lab is $WEFT_LAB, or the only\n"
"one. For Open MPI: mpirun --mca plm_rsh_agent \"weft rsh\".\n",
};
