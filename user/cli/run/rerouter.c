// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps the routes of a lab up to date with its links, during `weft run` or during
 * `weft reroute --watch`.
 */
#include "run/rerouter.h"

#include <poll.h>
#include <unistd.h>

#include "lab/lab_routes.h"
#include "run/companion.h"

/* Wait for an event, the timer or a signal. Return: true for a signal. */
static bool wait_for(const struct weft_routes_watch *w, int signals)
{
	struct pollfd fd[3] = {
		{ .fd = weft_events_fd(&w->events), .events = POLLIN },
		{ .fd = w->timer, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	return poll(fd, 3, -1) > 0 && fd[2].revents;
}

/* An error is printed, and later changes are followed all the same. */
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

/* Tell the parent on @ready once no change can be missed; -1 if no parent waits. */
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
 * rerouter_run() - follow the links until a signal comes or the lab is removed
 * @lab: the lab, up
 * @wait: time from the first change to the new routes, ps of fabric time
 * @tell: called with new routes, or NULL
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int rerouter_run(const struct weft_lab *lab, uint64_t wait, rerouter_fn tell,
		 struct weft_err *err)
{
	int signals = companion_signals(err), ret;

	if (signals < 0)
		return err->code;
	ret = run(lab, wait, signals, -1, tell, err);
	close(signals);
	return ret;
}

/**
 * struct task - the work of the child of rerouter_start()
 * @lab: the lab, up
 * @wait: time from the first change to the new routes, ps of fabric time
 */
struct task {
	const struct weft_lab *lab;
	uint64_t wait;
};

/* Signals of the terminal are for the program. */
static int follow_beside(const void *ctx, int ready, struct weft_err *err)
{
	const struct task *t = ctx;
	int signals;

	setpgid(0, 0);
	signals = companion_signals(err);
	return signals < 0 ? err->code :
			     run(t->lab, t->wait, signals, ready, NULL, err);
}

/**
 * rerouter_start() - start a child that follows the links, if the topology asks for it
 * @lab: the lab, up
 * @pid: result, for rerouter_stop(); 0 for none
 * @err: error
 *
 * Return: 0 once no change can be missed, or negative errno.
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
 * rerouter_stop() - end the child
 * @pid: of rerouter_start(); 0 for none
 */
void rerouter_stop(pid_t pid)
{
	companion_stop(pid);
}
