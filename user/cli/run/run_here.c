// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft run, in the running kernel.
 */
#include "run/run_here.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "facts/killed.h"
#include "facts/phase_rule.h"
#include "print/print_report.h"
#include "run/module.h"
#include "run/node_exec.h"
#include "run/play.h"
#include "run/recorder.h"
#include "run/reducer.h"
#include "run/rerouter.h"
#include "run/web.h"

/*
 * The terminal sends SIGINT and SIGQUIT to the program as well: these are blocked so that
 * weft can clean up. The others are passed on.
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

static int next_signal(struct play *play, const sigset_t *set)
{
	return play->on ? play_wait_job(play, set) : sigwaitinfo(set, NULL);
}

static int wait_for(pid_t child, const sigset_t *set, struct play *play)
{
	int status, sig;
	pid_t pid;

	for (;;) {
		pid = waitpid(child, &status, WNOHANG);
		if (pid == child)
			return exit_code(status);
		if (pid < 0)
			return EXIT_RUN_FAILED;
		sig = next_signal(play, set);
		if (sig == SIGTERM || sig == SIGHUP)
			kill(child, sig);
	}
}

static const char *first_node(const struct weft_lab *lab)
{
	json_t *node = json_array_get(json_object_get(lab->state, "nodes"), 0);

	return json_string_value(json_object_get(node, "name"));
}

/* The program behind mpirun: mpirun -np N COMMAND... */
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
	const struct node_exec_options how = { .slots = o->ppn, .net = o->net };
	char **command = o->mpi ? mpi_command(o, lab) : o->command;

	if (!command)
		return EXIT_RUN_FAILED;
	return node_exec(lab, first_node(lab), &how, command);
}

static int run_program(const struct run_options *o, const struct weft_lab *lab,
		       struct play *play)
{
	sigset_t set, before;
	struct weft_err err;
	pid_t child;
	int code;

	fflush(NULL);
	hold_signals(&set, &before);
	child = fork();
	if (child < 0) {
		weft_err_sys(&err, errno, "fork");
		cli_fail(&err);
		return EXIT_RUN_FAILED;
	}
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		exit(run_child(o, lab));
	}
	code = wait_for(child, &set, play);
	if (play->on)
		play_ended(play);
	return code;
}

static int give_report(const struct run_options *o, const struct weft_lab *lab,
		       const struct play *play, struct weft_err *err)
{
	json_t *report = report_of(lab, err);
	int ret = 0;

	if (!report)
		return err->code;
	if (play->on)
		json_object_set_new(report, "expectations",
				    weft_results_json(&play->results));
	if (o->report)
		ret = save_report(o->report, report, err);
	if (!ret && !o->quiet) {
		print_report(stdout, report, o->up.verbose);
		fflush(stdout);
	}
	json_decref(report);
	return ret;
}

/* Printed without a report, too: nothing else says why the program was killed. */
static void tell_killed(const struct weft_lab *lab)
{
	char text[WEFT_KILLED_TEXT];
	struct weft_killed killed;
	struct weft_err err;

	weft_killed_read(&killed, lab);
	if (!killed.n)
		return;
	weft_killed_text(&killed, text, sizeof(text));
	weft_err_set(&err, WEFT_ERR_OTHER, -ENOMEM, "%s", text);
	cli_fail(&err);
}

/*
 * A machine of the run's own ends with it. To remove a lab of 1,000 nodes takes a minute
 * there: as each NIC goes, the kernel looks at the neighbours of all.
 */
static int take_away(const struct run_options *o, struct weft_lab *lab, struct weft_err *err)
{
	int lock, ret;

	if (o->inside) {
		weft_lab_end(lab);
		return 0;
	}
	ret = weft_lab_lock(&lock, err);
	if (ret)
		return ret;
	ret = weft_lab_down(lab, err);
	close(lock);
	return ret;
}

static int failed(const struct weft_err *err)
{
	cli_fail(err);
	return EXIT_RUN_FAILED;
}

/* With --net sharp or nvls, processes ask for trees of switches meanwhile. */
static int run_reduced(const struct run_options *o, const struct weft_lab *lab,
		       struct play *play)
{
	struct weft_err err;
	pid_t reducer;
	int code;

	if (reducer_start(lab, o->net, &reducer, &err))
		return failed(&err);
	code = run_program(o, lab, play);
	if (reducer_stop(reducer) && !code)
		code = EXIT_RUN_FAILED;
	return code;
}

/* The recording starts before the program and ends after it. */
static int run_recorded(const struct run_options *o,
			const struct weft_lab *lab, struct play *play,
			int *code)
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
	*code = run_reduced(o, lab, play);
	return recorder_stop(recorder);
}

static int give_results(const struct run_options *o, const struct play *play,
			struct weft_err *err)
{
	if (!play->on)
		return 0;
	if (!o->quiet || weft_results_failed(&play->results))
		print_results(stderr, &play->results, play->player.start);
	return o->junit ? play_save(play, o->junit, err) : 0;
}

static int exit_code_of(const struct play *play, int code, bool all_well)
{
	if (play->killed)
		return EXIT_UNMET;
	if (code)
		return code;
	if (!all_well || play->failed)
		return EXIT_RUN_FAILED;
	return weft_results_failed(&play->results) ? EXIT_UNMET : 0;
}

/* Run the program with its scenario, then print the results. */
static int run_all(const struct run_options *o, const struct weft_lab *lab,
		   struct play *play)
{
	struct weft_err err;
	bool all_well;
	int code;

	if (o->scenario && play_start(play, lab, &err))
		return failed(&err);
	all_well = !run_recorded(o, lab, play, &code);
	tell_killed(lab);
	if ((play->on && play_judge(play, &code, &err)) ||
	    give_report(o, lab, play, &err) || give_results(o, play, &err)) {
		failed(&err);
		all_well = false;
	}
	return exit_code_of(play, code, all_well);
}

/* Meanwhile routes follow links, if the topology asks for it. */
static int run_watched(const struct run_options *o, const struct weft_lab *lab,
		       struct play *play)
{
	struct weft_err err;
	pid_t rerouter;
	int code;

	if (rerouter_start(lab, &rerouter, &err))
		return failed(&err);
	code = run_all(o, lab, play);
	rerouter_stop(rerouter);
	return code;
}

/* The web page is served before the program starts, and until it has ended. */
static int run_shown(const struct run_options *o, const struct weft_lab *lab,
		     struct play *play)
{
	bool ours = false;
	int code;

	if (o->web && web_start(o->web, o->interval, &ours)) {
		web_stop(ours);
		return EXIT_RUN_FAILED;
	}
	code = run_watched(o, lab, play);
	web_stop(ours);
	return code;
}

static int prepare(const struct run_options *o, struct play *play,
		   struct weft_lab *lab, struct weft_err *err)
{
	if (o->scenario && play_read(play, o->scenario, &o->up.topology, err))
		return err->code;
	if (o->inside && module_load(err))
		return err->code;
	return bring_up(&o->up, lab, err);
}

/**
 * run_here() - bring up a lab, run the program and take the lab down, in this kernel
 * @o: options of the user
 *
 * Return: exit code of the program, or of weft.
 */
int run_here(const struct run_options *o)
{
	struct play play = { 0 };
	struct weft_lab lab;
	struct weft_err err;
	int code;

	if (prepare(o, &play, &lab, &err)) {
		play_free(&play);
		return failed(&err);
	}
	if (weft_phases_watch(&lab, &o->phase_words, &err))
		code = failed(&err);
	else
		code = run_shown(o, &lab, &play);
	play_free(&play);
	if (take_away(o, &lab, &err)) {
		failed(&err);
		code = code ? code : EXIT_RUN_FAILED;
	}
	weft_lab_close(&lab);
	return code;
}
