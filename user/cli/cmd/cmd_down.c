// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft down: remove labs.
 */
#include <getopt.h>
#include <errno.h>
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

static int down_named(const char *name)
{
	struct weft_err err;

	return take_down(name, &err) ? cli_fail(&err) : cli_done();
}

/* Not an error with --all. */
static int say_no_lab(bool all)
{
	struct weft_err err;

	if (all) {
		puts("no lab is up");
		return cli_done();
	}
	weft_err_set(&err, WEFT_ERR_USAGE, -ENOENT, "no lab is up");
	return cli_fail(&err);
}

static int down_all(const struct command *cmd, bool all)
{
	struct weft_names names;
	struct weft_err err;
	int ret = 0;

	if (weft_lab_names(&names, &err))
		return cli_fail(&err);
	if (names.n > 1 && !all)
		ret = cli_usage(cmd, "%zu labs are up: name one with --lab, or --all",
				names.n);
	else if (!names.n)
		ret = say_no_lab(all);
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
		return name ? down_named(name) : say_no_lab(all);
	if (weft_lab_lock(&lock, &err))
		return cli_fail(&err);
	ret = name ? down_named(name) : down_all(cmd, all);
	close(lock);
	return ret ? ret : cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *lab = NULL;
	bool all = false;
	const struct cli_option opt[] = {
		CLI_FLAG("all", &all), CLI_TEXT("lab", &lab),
		CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (cli_no_words(cmd, argc, argv))
		return EXIT_USAGE;
	if (all && lab)
		return cli_usage(cmd, "expected --lab or --all, not both");
	if (!all && !lab)
		lab = getenv("WEFT_LAB");
	return run_locked(cmd, lab, all);
}

const struct command cmd_down = {
	.name = "down",
	.run = run,
	.summary = "remove a lab",
	.usage =
"usage: weft down [OPTION]...\n"
"\n"
"Remove a lab: its fabric, its nodes, and the processes in them. This also\n"
"removes what a killed `weft up` left behind.\n"
"\n"
"  -a, --all      all labs; none is no error\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n",
};
