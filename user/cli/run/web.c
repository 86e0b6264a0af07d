// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weftd's web page: its address, and serving it for the duration of a run.
 */
#include "run/web.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "run/daemon_start.h"
#include "service/control.h"
#include "service/web_access.h"

static int read_token(char token[WEFT_TOKEN_LEN + 1], struct weft_err *err)
{
	FILE *f = fopen(WEFT_CONTROL_TOKEN, "re");
	size_t n = 0;

	if (!f)
		return weft_err_sys(err, errno, "%s", WEFT_CONTROL_TOKEN);
	n = fread(token, 1, WEFT_TOKEN_LEN, f);
	fclose(f);
	token[n] = '\0';
	return 0;
}

/* Ask weftd for the port of its page; 0 if it serves none. */
static int ask_port(json_int_t *port, struct weft_err *err)
{
	json_t *status;

	if (weft_control_call(json_pack("{s:s}", "do", "status"), &status, err))
		return err->code;
	*port = json_integer_value(json_object_get(status, "http_port"));
	json_decref(status);
	return 0;
}

/**
 * web_address() - find the address of the page, with the token
 * @url: result
 * @err: error: no weftd, or one that serves no page
 *
 * Return: 0 or negative errno.
 */
int web_address(char url[WEB_ADDRESS_LEN], struct weft_err *err)
{
	char token[WEFT_TOKEN_LEN + 1];
	json_int_t port = 0;

	if (ask_port(&port, err))
		return err->code;
	if (!port)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "weftd was started with --http off: start it again with --http PORT");
	if (read_token(token, err))
		return err->code;
	snprintf(url, WEB_ADDRESS_LEN,
		 "http://127.0.0.1:%" JSON_INTEGER_FORMAT "/#token=%s", port,
		 token);
	return 0;
}

/* A weftd that runs already is used if it serves on this port. */
static int start(unsigned int port, uint64_t sample, bool *ours)
{
	char http[16], time[32];
	struct weft_err err;
	json_int_t there = 0;

	if (!ask_port(&there, &err)) {
		if (there == port)
			return 0;
		weft_err_set(&err, WEFT_ERR_USAGE, -EEXIST,
			     "--web %u: weftd runs already, on port %lld: `weft daemon stop` ends it",
			     port, (long long)there);
		return cli_fail(&err);
	}
	snprintf(http, sizeof(http), "%u", port);
	snprintf(time, sizeof(time), "%" PRIu64 "ps", sample);
	*ours = !daemon_start(http, sample ? time : NULL);
	return *ours ? 0 : EXIT_OTHER;
}

/**
 * web_start() - serve the page, and print its address
 * @port: port on the loopback
 * @sample: ps of fabric time between samples, 0: weftd's default
 * @ours: result for web_stop(): a weftd was started for the page
 *
 * Return: 0, or an exit code with the error printed.
 */
int web_start(unsigned int port, uint64_t sample, bool *ours)
{
	char url[WEB_ADDRESS_LEN];
	struct weft_err err;
	int code;

	*ours = false;
	code = start(port, sample, ours);
	if (code)
		return code;
	if (web_address(url, &err))
		return cli_fail(&err);
	fprintf(stderr, "web page: %s\n", url);
	return 0;
}

/**
 * web_stop() - end the weftd that web_start() started, if any
 * @ours: of web_start()
 */
void web_stop(bool ours)
{
	if (ours)
		daemon_stop();
}
