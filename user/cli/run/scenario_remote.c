// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scenarios played by weftd.
 */
#include "run/scenario_remote.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "run/play.h"
#include "service/control.h"

/**
 * scenario_is_remote() - is this a command for weftd?
 * @what: the command
 * @words: number of its arguments
 *
 * Return: true if it is one, with the right number of arguments.
 */
bool scenario_is_remote(const char *what, int words)
{
	if (!strcmp(what, "start"))
		return words == 1;
	return !words && (!strcmp(what, "stop") || !strcmp(what, "status"));
}

/* weftd has another working directory, so the path must be absolute. */
static int full_path(const char *name, char path[PATH_MAX],
		     struct weft_err *err)
{
	char file[PATH_MAX];

	if (play_file(name, file, err))
		return err->code;
	if (realpath(file, path))
		return 0;
	return weft_err_sys(err, errno, "%s", file);
}

static int ask(const char *what, const char *lab_name, const char *file,
	       json_t **reply, struct weft_err *err)
{
	char path[PATH_MAX], text[32];
	struct weft_lab lab;
	json_t *request;
	int ret;

	ret = cli_lab(&lab, lab_name, err);
	if (!ret && file)
		ret = full_path(file, path, err);
	if (ret) {
		weft_lab_close(&lab);
		return ret;
	}
	snprintf(text, sizeof(text), "scenario-%s", what);
	request = json_pack("{s:s, s:s}", "do", text, "lab", lab.name);
	if (file)
		json_object_set_new(request, "file", json_string(path));
	weft_lab_close(&lab);
	return weft_control_call(request, reply, err);
}

static const char *time_of(json_t *o, const char *key, char text[32])
{
	json_t *ps = json_object_get(o, key);

	if (!json_is_integer(ps))
		return "-";
	return weft_format_time(text, 32, (uint64_t)json_integer_value(ps));
}

static void print_state(json_t *o)
{
	const char *state = json_string_value(json_object_get(o, "state"));
	const char *name = json_string_value(json_object_get(o, "scenario"));
	const char *why = json_string_value(json_object_get(o, "failure"));
	char begin[32], end[32];
	json_t *r;
	size_t i;

	printf("scenario %s: %s, from %s to %s%s%s\n", name ? name : "-",
	       state ? state : "-", time_of(o, "begin_ps", begin),
	       time_of(o, "end_ps", end), why ? ": " : "", why ? why : "");
	json_array_foreach(json_object_get(o, "results"), i, r) {
		json_t *what = json_object_get(r, "expectation");
		json_t *outcome = json_object_get(r, "outcome");

		printf("%-7s %s\n", json_string_value(outcome),
		       json_string_value(what));
	}
}

static int exit_code(json_t *o)
{
	json_t *r;
	size_t i;

	if (json_object_get(o, "failure"))
		return EXIT_OTHER;
	json_array_foreach(json_object_get(o, "results"), i, r) {
		json_t *outcome = json_object_get(r, "outcome");

		if (!strcmp(json_string_value(outcome), "failed"))
			return EXIT_UNMET;
	}
	return 0;
}

/**
 * scenario_remote() - send a command about a scenario to weftd, and print the reply
 * @what: start, status or stop
 * @lab: the lab; NULL: $WEFT_LAB, or the only lab
 * @file: with start: the file to play; else NULL
 * @json: print JSON
 *
 * Return: exit code.
 */
int scenario_remote(const char *what, const char *lab, const char *file,
		    bool json)
{
	struct weft_err err;
	json_t *reply;
	int code, ret;

	if (ask(what, lab, file, &reply, &err))
		return cli_fail(&err);
	code = exit_code(reply);
	if (!json)
		print_state(reply);
	ret = json ? cli_json(json_incref(reply)) : cli_done();
	json_decref(reply);
	return ret ? ret : code;
}
