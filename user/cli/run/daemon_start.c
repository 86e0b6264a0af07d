// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starting and ending weftd.
 */
#include "run/daemon_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "service/control.h"
#include "topology/share.h"

#define POLL_US		10000
#define POLLS		3000
#define WORDS		6

static int ask(const char *what, json_t **reply, struct weft_err *err)
{
	return weft_control_call(json_pack("{s:s}", "do", what), reply, err);
}

static int find_daemon(char path[PATH_MAX], struct weft_err *err)
{
	static const char *const places[] = { "weftd", "../sbin/weftd", NULL };

	return weft_part_find("weftd", "WEFT_DAEMON", places, path, err);
}

/* In the child: a session of its own, and nothing of the caller's but the options. */
static void become_daemon(const char *path, char **argv)
{
	int null = open("/dev/null", O_RDWR), log;
	struct weft_err err;

	/* Before the first lab there is no such directory. */
	mkdir(WEFT_RUN_DIR, 0755);
	log = open(WEFT_CONTROL_LOG, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND,
		   0600);
	if (setsid() < 0 || chdir("/") || null < 0 || log < 0 ||
	    dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(EXIT_OTHER);
	closefrom(3);
	execv(path, argv);
	weft_err_sys(&err, errno, "%s", path);
	_exit(cli_fail(&err));
}

/* Print the last line of the log of a daemon that ended. Return: exit code. */
static int tell_end(int status)
{
	char line[1200], last[1200] = "weftd: ended at once\n";
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
	weft_err_set(&err, WEFT_ERR_OTHER, -ETIMEDOUT,
		     "weftd does not answer: see " WEFT_CONTROL_LOG);
	return cli_fail(&err);
}

/* The command line of weftd: its options are passed on as they are. */
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

/**
 * daemon_start() - start weftd, and wait until it answers
 * @http: its --http, or NULL
 * @sample: its --sample, or NULL
 *
 * Return: 0, or an exit code with the error printed.
 */
int daemon_start(const char *http, const char *sample)
{
	char *argv[WORDS];
	char path[PATH_MAX];
	struct weft_err err;
	json_t *reply;
	pid_t child;

	if (!ask("status", &reply, &err)) {
		weft_err_set(&err, WEFT_ERR_USAGE, -EEXIST,
			     "weftd runs already (pid %" JSON_INTEGER_FORMAT "): `weft daemon stop` ends it",
			     json_integer_value(json_object_get(reply, "pid")));
		json_decref(reply);
		return cli_fail(&err);
	}
	if (err.code != -ENOENT || find_daemon(path, &err))
		return cli_fail(&err);
	fill_words(argv, (const char *const[]) {
			"--http", http, "--sample", sample, NULL });
	child = fork();
	if (child < 0) {
		weft_err_sys(&err, errno, "fork");
		return cli_fail(&err);
	}
	if (!child)
		become_daemon(path, argv);
	return await_answer(child);
}

/**
 * daemon_stop() - end weftd, and wait until it has ended
 *
 * Return: 0, also if none runs, or an exit code with the error printed.
 */
int daemon_stop(void)
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
	weft_err_set(&err, WEFT_ERR_OTHER, -ETIMEDOUT, "weftd does not end");
	return cli_fail(&err);
}
