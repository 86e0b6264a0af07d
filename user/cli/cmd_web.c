// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft web: where the web page is.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "control.h"
#include "guard.h"

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

static int find_page(char *url, size_t len, struct weft_err *err)
{
	char token[WEFT_TOKEN_LEN + 1];
	json_int_t port;
	json_t *status;

	if (weft_control_call(json_pack("{s:s}", "do", "status"), &status, err))
		return err->code;
	port = json_integer_value(json_object_get(status, "http_port"));
	json_decref(status);
	if (!port)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "weftd was started with --http off");
	if (read_token(token, err))
		return err->code;
	snprintf(url, len, "http://127.0.0.1:%" JSON_INTEGER_FORMAT "/?token=%s",
		 port, token);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	const struct cli_option opt[] = {
		{ "json", &json, NULL }, { NULL, NULL, NULL },
	};
	struct weft_err err;
	char url[128];
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (optind < argc)
		return cli_usage(cmd, "expected no arguments");
	if (find_page(url, sizeof(url), &err))
		return cli_fail(&err);
	if (json)
		return cli_json(json_pack("{s:s}", "url", url));
	puts(url);
	return cli_done();
}

const struct command cmd_web = {
	.name = "web",
	.run = run,
	.summary = "the address of the web page",
	.usage =
"usage: weft web [--json]\n"
"\n"
"Print the address of weftd's web page, with the token that lets a browser in.\n"
"Whoever knows the address can see all labs until /run/weft/http.token is removed\n"
"and weftd is started anew.\n"
"\n"
"  --json  as JSON; keys never change\n",
};
