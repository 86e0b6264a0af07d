// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft run, in the running kernel.
 */
#include "run_here.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "inside.h"
#include "module.h"
#include "print_report.h"
#include "recorder.h"

/*
 * The terminal sends SIGINT and SIGQUIT to the program as well, so these are only
 * kept from ending weft before it has cleaned up. Others are passed on.
 */
static void hold_signals(sigset_t *set, sigset_t *before)
{
	static const int signals[] = {
		SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD,
	};

	sigemptyset(set);
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(set, signals[i]);
	sigprocmask(SIG_BLOCK, set, before);
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static int wait_for(pid_t child, const sigset_t *set)
{
	int status, sig;
	pid_t pid;

	for (;;) {
		pid = waitpid(child, &status, WNOHANG);
		if (pid == child)
			return exit_code(status);
		if (pid < 0)
			return EXIT_RUN_FAILED;
		sig = sigwaitinfo(set, NULL);
		if (sig == SIGTERM || sig == SIGHUP)
			kill(child, sig);
	}
}

static const char *first_node(const struct weft_lab *lab)
{
	json_t *node = json_array_get(json_object_get(lab->state, "nodes"), 0);

	return json_string_value(json_object_get(node, "name"));
}

/* mpirun -np N COMMAND... */
static char **mpi_command(const struct run_options *o,
			  const struct weft_lab *lab)
{
	size_t nodes = json_array_size(json_object_get(lab->state, "nodes"));
	size_t n = 0;
	static char np[16];
	char **words;

	while (o->command[n])
		n++;
	words = calloc(n + 4, sizeof(*words));
	if (!words)
		return NULL;
	snprintf(np, sizeof(np), "%zu", o->np ? o->np : nodes * o->ppn);
	words[0] = (char *)"mpirun";
	words[1] = (char *)"-np";
	words[2] = np;
	memcpy(words + 3, o->command, n * sizeof(*words));
	return words;
}

static int run_child(const struct run_options *o, const struct weft_lab *lab)
{
	const struct inside_how how = { .slots = o->ppn, .net = o->net };
	char **command = o->mpi ? mpi_command(o, lab) : o->command;

	if (!command)
		return EXIT_RUN_FAILED;
	return inside_exec(lab, first_node(lab), &how, command);
}

static int run_program(const struct run_options *o, const struct weft_lab *lab)
{
	sigset_t set, before;
	pid_t child;

	fflush(NULL);
	hold_signals(&set, &before);
	child = fork();
	if (child < 0) {
		fprintf(stderr, "error: fork: %s\n", strerror(errno));
		return EXIT_RUN_FAILED;
	}
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		exit(run_child(o, lab));
	}
	return wait_for(child, &set);
}

static int give_report(const struct run_options *o, const struct weft_lab *lab,
		       struct weft_err *err)
{
	json_t *report = report_of(lab, err);
	int ret = 0;

	if (!report)
		return err->code;
	if (o->report)
		ret = save_report(o->report, report, err);
	if (!ret && !o->quiet) {
		print_report(stdout, report);
		fflush(stdout);
	}
	json_decref(report);
	return ret;
}

static int take_away(struct weft_lab *lab, struct weft_err *err)
{
	int lock, ret;

	ret = weft_lab_lock(&lock, err);
	if (ret)
		return ret;
	ret = weft_lab_down(lab, err);
	close(lock);
	return ret;
}

static int failed(const struct weft_err *err)
{
	int code = cli_fail(err);

	return code == EXIT_USAGE ? EXIT_USAGE : EXIT_RUN_FAILED;
}

/* The recording begins before the program and ends after it. */
static int run_recorded(const struct run_options *o,
			const struct weft_lab *lab, int *code)
{
	const struct recorder_options how = {
		.file = o->record, .interval = o->interval,
	};
	struct weft_err err;
	pid_t recorder = 0;

	if (o->record && recorder_start(&how, lab, &recorder, &err)) {
		*code = failed(&err);
		return -1;
	}
	*code = run_program(o, lab);
	return recorder_stop(recorder);
}

/**
 * run_here() - do it all in the running kernel
 * @o: what the user said
 *
 * Return: exit code of the program, or of weft.
 */
int run_here(const struct run_options *o)
{
	struct weft_lab lab;
	struct weft_err err;
	int code, ret;

	if ((o->inside && module_load(&err)) || bring_up(&o->up, &lab, &err))
		return failed(&err);
	ret = run_recorded(o, &lab, &code);
	if (give_report(o, &lab, &err)) {
		failed(&err);
		ret = err.code;
	}
	if (take_away(&lab, &err)) {
		failed(&err);
		ret = err.code;
	}
	weft_lab_close(&lab);
	return code ? code : ret ? EXIT_RUN_FAILED : 0;
}
