// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the commands share: output, errors, choice of the lab.
 */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/units.h"
#include "topology/share.h"

#define OPTIONS_MAX	16

/* getopt_long() answers with the place of an option in the command's list. */
static void fill_longopts(struct option *o, const struct cli_option *opt)
{
	int i;

	for (i = 0; i < OPTIONS_MAX && opt[i].name; i++)
		o[i] = (struct option) {
			opt[i].name,
			opt[i].flag ? no_argument : required_argument, NULL, i
		};
	o[i++] = (struct option) { "help", no_argument, NULL, 'h' };
	o[i] = (struct option) { NULL, 0, NULL, 0 };
}

/**
 * cli_options() - read the options of a command
 * @cmd: the command
 * @argc: as run() got it
 * @argv: as run() got it; optind is the first argument that is no option
 * @opt: the options beside --help, up to OPTIONS_MAX; ends with a NULL name
 * @code: exit code, where there is no more to do
 *
 * Return: true to go on.
 */
bool cli_options(const struct command *cmd, int argc, char **argv,
		 const struct cli_option *opt, int *code)
{
	struct option longopts[OPTIONS_MAX + 2];
	int c;

	fill_longopts(longopts, opt);
	while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
		if (c == 'h' || c == '?') {
			*code = c == 'h' ? cli_help(cmd) : EXIT_USAGE;
			return false;
		}
		if (opt[c].flag)
			*opt[c].flag = true;
		else
			*opt[c].text = optarg;
	}
	return true;
}

/**
 * cli_help() - print the help of a command
 * @cmd: the command
 *
 * Return: exit code.
 */
int cli_help(const struct command *cmd)
{
	fputs(cmd->usage, stdout);
	return cli_done();
}

/**
 * cli_usage() - complain about the command line
 * @cmd: the command
 * @fmt: what is wrong
 *
 * Return: exit code.
 */
int cli_usage(const struct command *cmd, const char *fmt, ...)
{
	va_list ap;

	fputs("error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see weft %s --help\n", cmd->name);
	return EXIT_USAGE;
}

/**
 * cli_fail() - print an error
 * @err: the error
 *
 * Return: exit code.
 */
int cli_fail(const struct weft_err *err)
{
	fprintf(stderr, "error: %s\n", err->msg);
	return err->kind ? (int)err->kind : EXIT_OTHER;
}

/**
 * cli_done() - end with success, unless the output could not be written
 *
 * Return: exit code.
 */
int cli_done(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	fprintf(stderr, "error: output: %s\n", strerror(errno));
	return EXIT_OTHER;
}

/**
 * cli_json() - print a JSON value
 * @value: the value, its reference is given away; NULL counts as "no memory"
 *
 * Return: exit code.
 */
int cli_json(json_t *value)
{
	struct weft_err err;
	int ret = cli_put_json(value, JSON_INDENT(2) | JSON_REAL_PRECISION(6), &err);

	json_decref(value);
	return ret ? cli_fail(&err) : cli_done();
}

/**
 * cli_put_json() - print a JSON value and the end of a line
 * @value: the value; NULL counts as "no memory"
 * @flags: how, of json_dumps()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int cli_put_json(const json_t *value, size_t flags, struct weft_err *err)
{
	char *text = weft_json_text(value, flags);

	if (!text)
		return weft_err_nomem(err);
	puts(text);
	free(text);
	return 0;
}

static int only_lab(struct weft_lab *lab, struct weft_err *err)
{
	struct weft_names names;
	int ret;

	ret = weft_lab_names(&names, err);
	if (!ret && names.n == 1)
		ret = weft_lab_open(lab, names.name[0], err);
	else if (!ret && !names.n)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				   "no lab is up: `weft up TOPOLOGY` brings one up");
	else if (!ret)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				   "%zu labs are up: name one with --lab",
				   names.n);
	weft_names_free(&names);
	return ret;
}

/**
 * cli_lab() - open the lab that is meant
 * @lab: result, to be closed by weft_lab_close()
 * @name: as the user said; NULL: $WEFT_LAB, or the only one
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int cli_lab(struct weft_lab *lab, const char *name, struct weft_err *err)
{
	int ret;

	*lab = (struct weft_lab) { 0 };
	if (!name)
		name = getenv("WEFT_LAB");
	ret = name ? weft_lab_open(lab, name, err) : only_lab(lab, err);
	if (ret || weft_lab_is_up(lab))
		return ret;
	ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			   "lab \"%s\" is not complete: `weft down %s` cleans up",
			   lab->name, lab->name);
	weft_lab_close(lab);
	return ret;
}

/**
 * cli_plan() - find, read and plan a topology
 * @name: as the user said
 * @plan: result, to be freed by weft_plan_free() even after an error
 * @path: result: the file; PATH_MAX bytes
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int cli_plan(const char *name, struct weft_plan *plan, char *path,
	     struct weft_err *err)
{
	struct weft_topo topo;
	int ret;

	*plan = (struct weft_plan) { 0 };
	ret = weft_share_topology(name, path, err);
	if (ret)
		return ret;
	ret = weft_share_topo(path, &topo, err);
	if (!ret)
		ret = weft_plan_make(plan, &topo, err);
	weft_topo_free(&topo);
	return ret;
}

/**
 * cli_on_virtual_clock() - does the running kernel have the virtual clock?
 *
 * Return: true inside the virtual machine.
 */
bool cli_on_virtual_clock(void)
{
	char line[4096] = "";
	FILE *f = fopen("/proc/cmdline", "re");

	if (f && !fgets(line, sizeof(line), f))
		*line = '\0';
	if (f)
		fclose(f);
	return strstr(line, "time-travel=inf-cpu");
}

/**
 * cli_number() - parse the number of an option
 * @cmd: the command
 * @option: name of the option
 * @text: the number
 * @lo: least value allowed
 * @hi: largest value allowed
 * @value: result
 *
 * Return: 0 or exit code.
 */
int cli_number(const struct command *cmd, const char *option, const char *text,
	       unsigned long long lo, unsigned long long hi,
	       unsigned long long *value)
{
	struct weft_err err;
	uint64_t v;

	if (weft_parse_number(text, &v, &err) || v < lo || v > hi)
		return cli_usage(cmd, "%s %s: expected %llu to %llu", option,
				 text, lo, hi);
	*value = v;
	return 0;
}

/**
 * cli_duration() - parse the option that says how long something lasts
 * @cmd: the command
 * @option: name of the option
 * @text: the time
 * @duration: result, ps, above 0
 *
 * Return: 0 or exit code.
 */
int cli_duration(const struct command *cmd, const char *option,
		 const char *text, uint64_t *duration)
{
	struct weft_err err;

	if (!weft_parse_time(text, duration, &err) && *duration)
		return 0;
	return cli_usage(cmd, "%s %s: expected a time such as 10ms", option,
			 text);
}

/**
 * cli_clock_ms() - the clock of the kernel, which never goes back
 *
 * Return: ms.
 */
uint64_t cli_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
