// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Watch a lab, and set new routes when they are due. The event loop is in the
 * callers, a command and the daemon. The timer is a timerfd, since time-outs of
 * poll() and epoll_wait() may be late by a thousandth, or by milliseconds.
 */
#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "lab/lab_routes.h"

#define NS_PER_S	1000000000ULL

static int feed(struct weft_routes_watch *w, struct weft_err *err)
{
	uint64_t now;
	int ret = weft_lab_routes_now(&w->routes, &now, err);

	if (!ret)
		weft_converge_feed(&w->converge, now);
	return ret;
}

/* Events were lost: read the state of all links. */
static int look(struct weft_routes_watch *w, struct weft_err *err)
{
	bool news = false;
	int ret = weft_lab_routes_look(&w->routes, &news, err);

	return !ret && news ? feed(w, err) : ret;
}

/* If the routes do not fit the links, links changed while nobody watched. */
static int catch_up(struct weft_routes_watch *w, struct weft_err *err)
{
	struct weft_reroute re = { 0 };
	bool news;
	int ret = weft_lab_routes_look(&w->routes, &news, err);

	if (!ret)
		ret = weft_lab_routes_find(&w->routes, &re, err);
	if (!ret && re.ops.n)
		ret = feed(w, err);
	weft_reroute_free(&re);
	return ret;
}

/**
 * weft_routes_watch_open() - start to watch a lab
 * @w: result, to be closed by weft_routes_watch_close() even after an error
 * @lab: the lab, up; must outlive @w
 * @wait: time from the first change to the new routes, ps of fabric time
 * @err: error
 *
 * If the routes do not fit the present links, the links count as changed at
 * this moment.
 *
 * Return: 0 or negative errno.
 */
int weft_routes_watch_open(struct weft_routes_watch *w, const struct weft_lab *lab,
			   uint64_t wait, struct weft_err *err)
{
	int ret;

	*w = (struct weft_routes_watch) { .converge = { .wait = wait } };
	w->timer = timerfd_create(CLOCK_MONOTONIC,
				  TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->timer < 0)
		return weft_err_sys(err, errno, "timer");
	ret = weft_lab_routes_open(&w->routes, lab, err);
	if (!ret)
		ret = weft_events_open(&w->events, lab, err);
	return ret ? ret : catch_up(w, err);
}

static int take_event(void *ctx, const struct weft_event *ev)
{
	struct weft_routes_watch *w = ctx;

	if (ev->kind == WEFT_EVENT_LOST)
		return look(w, &w->err);
	if (ev->kind == WEFT_EVENT_FABRIC && ev->gone)
		w->gone = true;
	if (ev->kind != WEFT_EVENT_LINK ||
	    !weft_lab_routes_see(&w->routes, &ev->link, ev->gone))
		return 0;
	return feed(w, &w->err);
}

static int read_events(struct weft_routes_watch *w, struct weft_err *err)
{
	int ret;

	w->err = (struct weft_err) { 0 };
	ret = weft_events_read(&w->events, take_event, w, err);
	if (ret && w->err.code)
		*err = w->err;
	return ret;
}

/* Set new routes if they are due. */
static int act(struct weft_routes_watch *w, uint64_t now, json_t **done,
	       struct weft_err *err)
{
	uint64_t since = w->converge.since;
	struct weft_reroute re;
	int ret;

	if (!weft_converge_due(&w->converge, now))
		return 0;
	ret = weft_lab_routes_run(&w->routes, &re, since, err);
	if (!ret && re.ops.n)
		*done = weft_reroute_json(&w->routes, &re, since);
	weft_reroute_free(&re);
	return ret;
}

/* Set the timer to the deadline, or disarm it, which also clears an expiry. */
static int set_timer(struct weft_routes_watch *w, uint64_t now, struct weft_err *err)
{
	uint64_t deadline = weft_converge_deadline(&w->converge), ns = 0;
	struct itimerspec t = { 0 };

	if (deadline != WEFT_NO_DEADLINE)
		ns = deadline <= now ? 1 :
		     (deadline - now + WEFT_PS_PER_NS - 1) / WEFT_PS_PER_NS *
		     w->routes.dilation;
	t.it_value.tv_sec = (time_t)(ns / NS_PER_S);
	t.it_value.tv_nsec = (long)(ns % NS_PER_S);
	if (timerfd_settime(w->timer, 0, &t, NULL))
		return weft_err_sys(err, errno, "timer");
	return 0;
}

static int step(struct weft_routes_watch *w, json_t **done, struct weft_err *err)
{
	struct weft_err why;
	uint64_t now;
	int ret, failed;

	ret = read_events(w, err);
	if (ret || w->gone)
		return ret;
	ret = weft_lab_routes_now(&w->routes, &now, err);
	if (ret)
		return ret;
	failed = act(w, now, done, err);
	ret = set_timer(w, now, &why);
	if (ret && !failed)
		*err = why;
	return failed ? failed : ret;
}

/**
 * weft_routes_watch_step() - handle events and the timer
 * @w: the watch; @w->gone is set when the fabric was removed
 * @done: result: the change of routes, a new reference; NULL for none
 * @err: error
 *
 * It must be called once after weft_routes_watch_open(), and whenever
 * weft_events_fd(&w->events) or @w->timer is readable.
 *
 * Return: 0 or negative errno; after an error the watch continues.
 */
int weft_routes_watch_step(struct weft_routes_watch *w, json_t **done, struct weft_err *err)
{
	struct weft_err ignored;
	uint64_t now, ends;
	int ret;

	*done = NULL;
	/* Clear the expiry of the timer before anything can fail. */
	if (read(w->timer, &ends, sizeof(ends)) < 0 && errno != EAGAIN)
		return weft_err_sys(err, errno, "timer");
	ret = step(w, done, err);
	/* When a fabric is removed, its links are removed first. */
	if (ret && weft_lab_routes_now(&w->routes, &now, &ignored) == -ENOENT)
		w->gone = true;
	return w->gone ? 0 : ret;
}

/**
 * weft_routes_watch_close() - end a watch
 * @w: the watch
 */
void weft_routes_watch_close(struct weft_routes_watch *w)
{
	if (w->timer >= 0)
		close(w->timer);
	weft_events_close(&w->events);
	weft_lab_routes_close(&w->routes);
}
