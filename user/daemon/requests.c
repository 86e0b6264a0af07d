// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests to the daemon.
 */
#include "requests.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "facts/facts.h"
#include "services.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION "unknown"
#endif

/**
 * struct request - a kind of request
 * @what: its name
 * @answer: handles the request and adds to @reply
 */
struct request {
	const char *what;
	int (*answer)(struct daemon *d, json_t *request, json_t *reply,
		      struct weft_err *err);
};

/* Add the fabric time, or an error: the lab may go down in the meantime. */
static void set_time(const struct weft_lab *lab, json_t *o)
{
	struct weft_fabric f = { 0 };
	struct weft_err err;
	struct weft_nl nl;

	if (!weft_lab_nl(lab, &nl, &err)) {
		if (!weft_fabric_find(&nl, lab->name, &f, &err))
			json_object_set_new(o, "time_ps", json_integer(
				(json_int_t)(f.now - weft_lab_since(lab))));
		weft_nl_close(&nl);
	}
	if (!json_object_get(o, "time_ps"))
		json_object_set_new(o, "error", json_string(err.msg));
	weft_fabric_free(&f);
}

static json_t *lab_json(struct daemon_lab *l)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string(l->lab.name));
	json_object_set_new(o, "up", json_true());
	json_object_set(o, "topology",
			json_object_get(l->lab.state, "topology"));
	json_object_set(o, "clock", json_object_get(l->lab.state, "clock"));
	set_time(&l->lab, o);
	labs_status(l, o);
	return o;
}

/**
 * labs_json() - represent all labs as JSON
 * @d: the daemon
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *labs_json(const struct daemon *d)
{
	json_t *all = json_array();

	/* The list has the newest lab first, the answer the oldest. */
	for (struct daemon_lab *l = d->labs; l; l = l->next)
		json_array_insert_new(all, 0, lab_json(l));
	return all;
}

static int answer_labs(struct daemon *d, json_t *request, json_t *reply,
		       struct weft_err *err)
{
	(void)request;
	(void)err;
	json_object_set_new(reply, "labs", labs_json(d));
	return 0;
}

static int answer_status(struct daemon *d, json_t *request, json_t *reply,
			 struct weft_err *err)
{
	json_object_set_new(reply, "running", json_true());
	json_object_set_new(reply, "pid", json_integer(getpid()));
	json_object_set_new(reply, "weftd_version", json_string(WEFT_VERSION));
	json_object_set_new(reply, "started", json_integer(d->started));
	json_object_set_new(reply, "http_port", json_integer(http_port(d)));
	return answer_labs(d, request, reply, err);
}

static int answer_shutdown(struct daemon *d, json_t *request, json_t *reply,
			   struct weft_err *err)
{
	(void)request;
	(void)err;
	d->ending = true;
	json_object_set_new(reply, "pid", json_integer(getpid()));
	return 0;
}

static const struct request requests[] = {
	{ "labs", answer_labs },
	{ "record-start", record_start },
	{ "record-stop", record_stop },
	{ "scenario-start", scenario_start },
	{ "scenario-status", scenario_status },
	{ "scenario-stop", scenario_stop },
	{ "shutdown", answer_shutdown },
	{ "status", answer_status },
};

static int no_such(const char *what, struct weft_err *err)
{
	char list[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? ", " : "", requests[i].what);
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "do: \"%.40s\": expected one of %s", what, list);
}

static int answer(struct daemon *d, json_t *request, json_t *reply,
		  struct weft_err *err)
{
	const char *what = json_string_value(json_object_get(request, "do"));

	if (!what)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "expected a JSON object with \"do\"");
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (!strcmp(requests[i].what, what))
			return requests[i].answer(d, request, reply, err);
	return no_such(what, err);
}

/**
 * request_lab() - find the lab of a request
 * @d: the daemon
 * @request: the request, with "lab"
 * @lab: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int request_lab(const struct daemon *d, const json_t *request,
		struct daemon_lab **lab, struct weft_err *err)
{
	const char *name = json_string_value(json_object_get(request, "lab"));

	if (!name)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "expected \"lab\" with the name of a lab");
	*lab = labs_find(d, name);
	if (!*lab)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "weftd knows no lab \"%.40s\" that is up",
				    name);
	return 0;
}

/**
 * request_answer() - answer a request
 * @d: the daemon
 * @line: the request, without the newline
 * @len: bytes of @line
 *
 * Return: the reply, a new reference; NULL if there is no memory.
 */
json_t *request_answer(struct daemon *d, const char *line, size_t len)
{
	json_t *request, *reply = json_object();
	struct weft_err err;
	json_error_t why;
	int ret;

	request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
	ret = answer(d, request, reply, &err);
	json_decref(request);
	if (!ret)
		return reply;
	json_decref(reply);
	return json_pack("{s:s, s:i}", "error", err.msg, "kind",
			 (int)err.kind);
}
