// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by all commands: output, errors, choice of the lab.
 */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/units.h"
#include "netlink/json.h"

/* Errors name this command. They are JSON if its output is JSON. */
static const struct command *current;
static bool wants_json, wants_indent;

/**
 * cli_command() - set the command that errors name
 * @cmd: the command
 */
void cli_command(const struct command *cmd)
{
	current = cmd;
}

/**
 * cli_as_json() - print errors as JSON from now on
 * @indent: also indent all JSON
 */
void cli_as_json(bool indent)
{
	wants_json = true;
	wants_indent |= indent;
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

/* Print an error of the current command, as text or as JSON. Return: @code. */
static int tell(const char *text, int code)
{
	json_t *o = NULL;
	char *json = NULL;

	if (wants_json) {
		o = json_pack("{s:{s:s, s:s, s:i}}", "error", "command",
			      current ? current->name : "", "message", text,
			      "exit_code", code);
		json = weft_json_text(o, cli_json_flags());
	}
	if (json)
		fprintf(stderr, "%s\n", json);
	else
		fprintf(stderr, "weft%s%s: %s\n", current ? " " : "",
			current ? current->name : "", text);
	free(json);
	json_decref(o);
	return code;
}

/**
 * cli_usage() - report an error of the command line
 * @cmd: the command
 * @fmt: what is wrong
 *
 * Return: exit code.
 */
int cli_usage(const struct command *cmd, const char *fmt, ...)
{
	char what[1024], text[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "%s; see weft %s --help", what, cmd->name);
	return tell(text, EXIT_USAGE);
}

/**
 * cli_fail() - print an error
 * @err: the error
 *
 * Return: exit code.
 */
int cli_fail(const struct weft_err *err)
{
	return tell(err->msg, err->kind ? (int)err->kind : EXIT_OTHER);
}

/**
 * cli_done() - end with success, unless the output could not be written
 *
 * Return: exit code.
 */
int cli_done(void)
{
	struct weft_err err;

	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	weft_err_sys(&err, errno, "output");
	return cli_fail(&err);
}

/**
 * cli_json_flags() - format of printed JSON
 *
 * Return: flags of json_dumps(): one line per value, or indented with --pretty.
 */
size_t cli_json_flags(void)
{
	return wants_indent ? JSON_INDENT(2) : 0;
}

/**
 * cli_json() - print a JSON value; an object gets the version of Weft's JSON
 * @value: the value, its reference is given away; NULL counts as "no memory"
 *
 * Return: exit code.
 */
int cli_json(json_t *value)
{
	struct weft_err err;
	int ret;

	if (json_is_object(value))
		json_object_set_new(value, "version",
				    json_integer(WEFT_JSON_VERSION));
	ret = cli_put_json(value, cli_json_flags() | JSON_REAL_PRECISION(6), &err);

	json_decref(value);
	return ret ? cli_fail(&err) : cli_done();
}

/**
 * cli_put_json() - print a JSON value and a newline
 * @value: the value; NULL counts as "no memory"
 * @flags: flags of json_dumps()
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
 * cli_lab() - open the lab of a command
 * @lab: result, to be closed by weft_lab_close()
 * @name: name from the command line; NULL: $WEFT_LAB, or the only lab
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
			   "lab \"%s\" is not complete: `weft down --lab %s` cleans up",
			   lab->name, lab->name);
	weft_lab_close(lab);
	return ret;
}

/**
 * cli_plan() - find, read and plan a topology
 * @topology: topology from the command line
 * @design: result, to be freed by weft_share_design_free() even after an error
 * @plan: result, to be freed by weft_plan_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int cli_plan(const struct weft_share_choice *topology,
	     struct weft_share_design *design, struct weft_plan *plan,
	     struct weft_err *err)
{
	int ret = weft_share_design(topology, design, err);

	*plan = (struct weft_plan) { 0 };
	return ret ? ret : weft_plan_make(plan, &design->topo, err);
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
 * cli_duration() - parse an option that is a duration
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
 * cli_clock_ms() - the kernel's monotonic clock
 *
 * Return: ms.
 */
uint64_t cli_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
