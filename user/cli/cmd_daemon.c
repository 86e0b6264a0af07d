// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft daemon: start, stop and ask weftd.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "control.h"
#include "share.h"
#include "units.h"

#define POLL_US		10000
#define POLLS		3000

static int ask(const char *what, json_t **reply, struct weft_err *err)
{
	return weft_control_call(json_pack("{s:s}", "do", what), reply, err);
}

static int find_daemon(char path[PATH_MAX], struct weft_err *err)
{
	static const char *const places[] = { "weftd", "../sbin/weftd", NULL };

	return weft_part_find("weftd", "WEFT_DAEMON", places, path, err);
}

/* In the child: its own session, nothing of the caller's but the options. */
static void become_daemon(const char *path, char **argv)
{
	int null = open("/dev/null", O_RDWR), log;

	/* It may be that there was no lab yet. */
	mkdir(WEFT_RUN_DIR, 0755);
	log = open(WEFT_CONTROL_LOG, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND,
		   0600);
	if (setsid() < 0 || chdir("/") || null < 0 || log < 0 ||
	    dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(EXIT_OTHER);
	closefrom(3);
	execv(path, argv);
	fprintf(stderr, "error: %s: %s\n", path, strerror(errno));
	_exit(EXIT_OTHER);
}

/* What a daemon that ended has told last. */
static int tell_end(int status)
{
	char line[1200], last[1200] = "error: weftd ended at once\n";
	FILE *f = fopen(WEFT_CONTROL_LOG, "re");

	while (f && fgets(line, sizeof(line), f))
		memcpy(last, line, sizeof(last));
	if (f)
		fclose(f);
	fputs(last, stderr);
	return WIFEXITED(status) && WEXITSTATUS(status) ?
	       WEXITSTATUS(status) : EXIT_OTHER;
}

static int await_answer(pid_t child)
{
	struct weft_err err;
	json_t *reply;
	int status;

	for (unsigned int i = 0; i < POLLS; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return tell_end(status);
		if (!ask("status", &reply, &err)) {
			json_decref(reply);
			return 0;
		}
		if (err.code != -ENOENT)
			return cli_fail(&err);
		usleep(POLL_US);
	}
	fputs("error: weftd does not answer; " WEFT_CONTROL_LOG
	      " has what it said\n", stderr);
	return EXIT_OTHER;
}

static int start(char **argv)
{
	char path[PATH_MAX];
	struct weft_err err;
	json_t *reply;
	pid_t child;

	if (!ask("status", &reply, &err)) {
		fprintf(stderr, "error: weftd runs already (pid %" JSON_INTEGER_FORMAT "): `weft daemon stop` ends it\n",
			json_integer_value(json_object_get(reply, "pid")));
		json_decref(reply);
		return EXIT_USAGE;
	}
	if (err.code != -ENOENT || find_daemon(path, &err))
		return cli_fail(&err);
	child = fork();
	if (child < 0) {
		weft_err_sys(&err, errno, "fork");
		return cli_fail(&err);
	}
	if (!child)
		become_daemon(path, argv);
	return await_answer(child);
}

static int stop(void)
{
	struct weft_err err;
	json_t *reply;

	if (ask("shutdown", &reply, &err)) {
		if (err.code != -ENOENT)
			return cli_fail(&err);
		puts("nothing to do: weftd does not run");
		return cli_done();
	}
	json_decref(reply);
	for (unsigned int i = 0; i < POLLS; i++) {
		if (access(WEFT_CONTROL_LOCK, F_OK) && errno == ENOENT)
			return cli_done();
		usleep(POLL_US);
	}
	fputs("error: weftd does not end\n", stderr);
	return EXIT_OTHER;
}

/* "weftd" and the options that go to it, as they are. */
static void fill_words(char **words, const char *const *options)
{
	*words++ = (char *)"weftd";
	for (; options[0]; options += 2) {
		if (!options[1])
			continue;
		*words++ = (char *)options[0];
		*words++ = (char *)options[1];
	}
	*words = NULL;
}

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

	printf("weftd %s, pid %" JSON_INTEGER_FORMAT "\n", text_of(s, "version"),
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

	if (ask("status", &reply, &err)) {
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
		{ "json", &json, NULL }, { "http", NULL, &http },
		{ "sample", NULL, &sample }, { NULL, NULL, NULL },
	};
	char *words[6];
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	what = argc - optind == 1 ? argv[optind] : "";
	if (!strcmp(what, "status"))
		return status(json);
	if (json)
		return cli_usage(cmd, "--json: only status has something to tell");
	if (!strcmp(what, "start")) {
		fill_words(words, (const char *const[]) {
				"--http", http, "--sample", sample, NULL });
		return start(words);
	}
	if (http || sample)
		return cli_usage(cmd, "--http and --sample go with start");
	if (!strcmp(what, "stop"))
		return stop();
	return cli_usage(cmd, "expected start, stop or status");
}

const struct command cmd_daemon = {
	.name = "daemon",
	.run = run,
	.summary = "start, stop and ask the daemon",
	.usage =
"usage: weft daemon start|stop|status [OPTION]...\n"
"\n"
"weftd knows all labs that are up and those that come. No lab needs it, and it\n"
"may be killed: start it anew. start returns when it answers; what it says is in\n"
"/run/weft/weftd.log. status fails where no weftd runs.\n"
"\n"
"  --http PORT    serve metrics and the web page on 127.0.0.1:PORT; 0: any port\n"
"                 that is free, off: on none (9468)\n"
"  --sample TIME  fabric time from one sample of a recording to the next (1ms)\n"
"  --json         with status: as JSON; keys never change\n",
};
