// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft down: take labs away.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int take_down(const char *name, struct weft_err *err)
{
	struct weft_lab lab;
	int ret;

	ret = weft_lab_open(&lab, name, err);
	if (!ret)
		ret = weft_lab_down(&lab, err);
	weft_lab_close(&lab);
	if (!ret)
		printf("lab %s is down\n", name);
	return ret;
}

static int say_no_lab(void)
{
	puts("nothing to do: no such lab is up");
	return cli_done();
}

static int down_named(const char *name)
{
	struct weft_err err;

	if (!take_down(name, &err))
		return cli_done();
	return err.code == -ENOENT ? say_no_lab() : cli_fail(&err);
}

static int down_all(const struct command *cmd, bool all)
{
	struct weft_names names;
	struct weft_err err;
	int ret = 0;

	if (weft_lab_names(&names, &err))
		return cli_fail(&err);
	if (names.n > 1 && !all)
		ret = cli_usage(cmd, "%zu labs are up: name one, or --all",
				names.n);
	else if (!names.n)
		ret = say_no_lab();
	for (size_t i = 0; !ret && i < names.n; i++)
		if (take_down(names.name[i], &err))
			ret = cli_fail(&err);
	weft_names_free(&names);
	return ret;
}

static int run_locked(const struct command *cmd, const char *name, bool all)
{
	struct weft_err err;
	int lock, ret;

	if (access(WEFT_RUN_DIR, F_OK))
		return say_no_lab();
	if (weft_lab_lock(&lock, &err))
		return cli_fail(&err);
	ret = name ? down_named(name) : down_all(cmd, all);
	close(lock);
	return ret ? ret : cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool all = false;
	int c;

	while ((c = getopt_long(argc, argv, "ah", longopts, NULL)) != -1) {
		if (c == 'h')
			return cli_help(cmd);
		if (c != 'a')
			return EXIT_USAGE;
		all = true;
	}
	if (argc - optind > !all)
		return cli_usage(cmd, "expected one LAB, or --all");
	return run_locked(cmd, optind < argc ? argv[optind] : NULL, all);
}

const struct command cmd_down = {
	.name = "down",
	.run = run,
	.summary = "take a lab away",
	.usage =
"usage: weft down [LAB]\n"
"       weft down --all\n"
"\n"
"Take a lab away: its fabric, its nodes, and the processes in them. What a\n"
"killed `weft up` left behind goes, too. Without LAB: the only one.\n"
"\n"
"  -a, --all  all labs\n",
};
