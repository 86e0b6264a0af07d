// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scenarios that weftd plays.
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
 * scenario_is_remote() - is that asked of weftd?
 * @what: what is to be done
 * @words: how many words are behind it
 *
 * Return: whether it is, and can be.
 */
bool scenario_is_remote(const char *what, int words)
{
	if (!strcmp(what, "start"))
		return words == 2;
	return words == 1 && (!strcmp(what, "stop") || !strcmp(what, "status"));
}

/* weftd has a working directory of its own. */
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

static int ask(char **word, json_t **reply, struct weft_err *err)
{
	json_t *request = json_object();
	char path[PATH_MAX];
	char what[32];

	snprintf(what, sizeof(what), "scenario-%s", word[0]);
	json_object_set_new(request, "do", json_string(what));
	json_object_set_new(request, "lab", json_string(word[1]));
	if (word[2]) {
		if (full_path(word[2], path, err)) {
			json_decref(request);
			return err->code;
		}
		json_object_set_new(request, "file", json_string(path));
	}
	return weft_control_call(request, reply, err);
}

static const char *time_of(json_t *o, const char *key, char text[32])
{
	json_int_t ps = json_integer_value(json_object_get(o, key));

	return weft_format_time(text, 32, (uint64_t)ps);
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
 * scenario_remote() - have weftd do something about a scenario
 * @word: what, the lab, and the file to play; ends with NULL
 * @json: print JSON
 *
 * Return: exit code.
 */
int scenario_remote(char **word, bool json)
{
	struct weft_err err;
	json_t *reply;
	int code, ret;

	if (ask(word, &reply, &err))
		return cli_fail(&err);
	code = exit_code(reply);
	if (!json)
		print_state(reply);
	ret = json ? cli_json(json_incref(reply)) : cli_done();
	json_decref(reply);
	return ret ? ret : code;
}
