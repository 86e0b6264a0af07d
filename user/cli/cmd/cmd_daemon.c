// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft daemon: start, stop and ask weftd.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "run/daemon_start.h"
#include "service/control.h"

static const char *text_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "-";
}

static void print_status(json_t *s)
{
	json_int_t port = json_integer_value(json_object_get(s, "http_port"));
	char text[32];
	json_t *lab;
	size_t i;

	printf("weftd %s, pid %" JSON_INTEGER_FORMAT "\n", text_of(s, "weftd_version"),
	       json_integer_value(json_object_get(s, "pid")));
	if (port)
		printf("http://127.0.0.1:%" JSON_INTEGER_FORMAT "/\n", port);
	json_array_foreach(json_object_get(s, "labs"), i, lab) {
		json_t *now = json_object_get(lab, "time_ps");

		weft_format_time(text, sizeof(text),
				 (uint64_t)json_integer_value(now));
		printf("lab %s: clock %s, %s\n", text_of(lab, "name"),
		       text_of(lab, "clock"),
		       now ? text : text_of(lab, "error"));
	}
}

static int status(bool json)
{
	struct weft_err err;
	json_t *reply;

	if (weft_control_call(json_pack("{s:s}", "do", "status"), &reply,
			      &err)) {
		if (err.code != -ENOENT || !json)
			return cli_fail(&err);
		cli_json(json_pack("{s:b}", "running", 0));
		return EXIT_OTHER;
	}
	if (json)
		return cli_json(reply);
	print_status(reply);
	json_decref(reply);
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *http = NULL, *sample = NULL, *what;
	bool json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_TEXT("http", &http),
		CLI_TEXT("sample", &sample), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	what = argc - optind == 1 ? argv[optind] : "";
	if ((http || sample) && strcmp(what, "start"))
		return cli_usage(cmd, "--http and --sample need start");
	if (!strcmp(what, "status"))
		return status(json);
	if (json)
		return cli_usage(cmd, "--json needs status");
	if (!strcmp(what, "start"))
		return daemon_start(http, sample);
	if (!strcmp(what, "stop"))
		return daemon_stop();
	return cli_usage(cmd, "expected start, stop or status");
}

const struct command cmd_daemon = {
	.name = "daemon",
	.run = run,
	.summary = "start, stop and query the daemon",
	.usage =
"usage: weft daemon start|stop|status [OPTION]...\n"
"\n"
"weftd knows all labs that are up, and new ones as they appear. No lab needs it,\n"
"and it may be killed and started again. `start` returns when it answers; its\n"
"messages are in /run/weft/weftd.log. `status` fails if no weftd runs.\n"
"\n"
"      --http PORT    serve metrics and the web page on 127.0.0.1:PORT; 0: any\n"
"                     free port, off: none (default 9468)\n"
"      --sample TIME  fabric time between samples of a recording (default 1ms)\n"
"  -j, --json         with status: as JSON; keys never change\n"
"  -p, --pretty       JSON with indents\n",
};
