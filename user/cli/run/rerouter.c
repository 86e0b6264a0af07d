// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Having the routes of a lab follow its links, for as long as `weft run` lasts or
 * somebody looks on.
 */
#include "run/rerouter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lab/lab_routes.h"
#include "run/companion.h"

/* Until something happens; true when it is a signal. */
static bool wait_for(const struct weft_routes_watch *w, int signals)
{
	struct pollfd fd[3] = {
		{ .fd = weft_events_fd(&w->events), .events = POLLIN },
		{ .fd = w->timer, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	return poll(fd, 3, -1) > 0 && fd[2].revents;
}

/* An error is told, and the next change is followed all the same. */
static void follow(struct weft_routes_watch *w, int signals, rerouter_fn tell)
{
	struct weft_err err;
	json_t *done;

	do {
		if (weft_routes_watch_step(w, &done, &err))
			fprintf(stderr, "warning: new routes: %s\n", err.msg);
		if (done && tell)
			tell(done);
		json_decref(done);
	} while (!w->gone && !wait_for(w, signals));
}

static int open_signals(struct weft_err *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? weft_err_sys(err, errno, "signals") : fd;
}

/* It is ready when nothing can be missed any more; -1: nobody waits for that. */
static int run(const struct weft_lab *lab, uint64_t wait, int signals,
	       int ready, rerouter_fn tell, struct weft_err *err)
{
	struct weft_routes_watch w;
	int ret;

	ret = weft_routes_watch_open(&w, lab, wait, err);
	if (!ret)
		ret = companion_ready(ready, err);
	if (!ret)
		follow(&w, signals, tell);
	weft_routes_watch_close(&w);
	return ret;
}

/**
 * rerouter_run() - follow until a signal comes or the lab goes
 * @lab: the lab, up
 * @wait: from the first change to the new routes, ps of fabric time
 * @tell: told about new routes, or NULL
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int rerouter_run(const struct weft_lab *lab, uint64_t wait, rerouter_fn tell,
		 struct weft_err *err)
{
	int signals = open_signals(err), ret;

	if (signals < 0)
		return err->code;
	ret = run(lab, wait, signals, -1, tell, err);
	close(signals);
	return ret;
}

/**
 * struct task - what the child of rerouter_start() follows
 * @lab: the lab, up
 * @wait: from the first change to the new routes, ps of fabric time
 */
struct task {
	const struct weft_lab *lab;
	uint64_t wait;
};

/* The terminal's signals are for the program. */
static int follow_beside(const void *ctx, int ready, struct weft_err *err)
{
	const struct task *t = ctx;
	int signals;

	setpgid(0, 0);
	signals = open_signals(err);
	return signals < 0 ? err->code :
			     run(t->lab, t->wait, signals, ready, NULL, err);
}

/**
 * rerouter_start() - have a child follow, if the topology says so
 * @lab: the lab, up
 * @pid: result, for rerouter_stop(); 0 for none
 * @err: error
 *
 * Return: 0 when no change can be missed any more, or negative errno.
 */
int rerouter_start(const struct weft_lab *lab, pid_t *pid, struct weft_err *err)
{
	struct task task = { .lab = lab };

	*pid = 0;
	if (!weft_lab_converges(lab, &task.wait))
		return 0;
	return companion_start(follow_beside, &task,
			       "the links could not be watched", pid, err);
}

/**
 * rerouter_stop() - have the child end
 * @pid: of rerouter_start(); 0 for none
 */
void rerouter_stop(pid_t pid)
{
	companion_stop(pid);
}
