// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service that recomputes routes when links go down or come up.
 *
 * It runs for labs whose topology sets a convergence time. A daemon that starts
 * later reads the state of the links itself: changes without a daemon count as
 * changes at that moment.
 */
#include <stdlib.h>

#include "lab/lab_routes.h"
#include "services.h"

/**
 * struct lab_reroute - state of the service for a lab
 */
struct lab_reroute {
	/** @lab: the lab */
	struct daemon_lab *lab;
	/** @watch: decides when routes are recomputed */
	struct weft_routes_watch watch;
	/** @heard: an event of the kernel arrived */
	struct event *heard;
	/** @due: the timer of @watch expired */
	struct event *due;
	/** @times: number of times that routes were recomputed */
	json_int_t times;
};

static void free_events(struct lab_reroute *g)
{
	if (g->heard)
		event_free(g->heard);
	if (g->due)
		event_free(g->due);
	g->heard = NULL;
	g->due = NULL;
}

static void step(struct lab_reroute *g)
{
	const char *name = g->lab->lab.name;
	struct weft_err err;
	json_t *done;

	if (weft_routes_watch_step(&g->watch, &done, &err))
		log_line("lab %s: new routes: %s", name, err.msg);
	if (done) {
		g->times++;
		log_line("lab %s: new routes, %zu links are down", name,
			 json_array_size(json_object_get(done, "links_down")));
	}
	json_decref(done);
	if (g->watch.gone)
		free_events(g);
}

static void on_event(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	step(ctx);
}

static struct event *wait_for(struct lab_reroute *g, int fd)
{
	struct event *e = event_new(g->lab->daemon->base, fd,
				    EV_READ | EV_PERSIST, on_event, g);

	if (e && !event_add(e, NULL))
		return e;
	if (e)
		event_free(e);
	return NULL;
}

static void forget(struct daemon_lab *l)
{
	struct lab_reroute *g = l->service[SERVICE_CONVERGE];

	if (!g)
		return;
	free_events(g);
	weft_routes_watch_close(&g->watch);
	free(g);
	l->service[SERVICE_CONVERGE] = NULL;
}

static int open_reroute(struct lab_reroute *g, uint64_t wait,
			struct weft_err *err)
{
	int ret = weft_routes_watch_open(&g->watch, &g->lab->lab, wait, err);

	if (ret)
		return ret;
	g->heard = wait_for(g, weft_events_fd(&g->watch.events));
	g->due = wait_for(g, g->watch.timer);
	if (!g->heard || !g->due)
		return weft_err_nomem(err);
	step(g);
	return 0;
}

static int begin(struct daemon_lab *l, struct weft_err *err)
{
	struct lab_reroute *g;
	uint64_t wait;

	if (!weft_lab_converges(&l->lab, &wait))
		return 0;
	g = calloc(1, sizeof(*g));
	if (!g)
		return weft_err_nomem(err);
	g->lab = l;
	l->service[SERVICE_CONVERGE] = g;
	if (open_reroute(g, wait, err)) {
		forget(l);
		return err->code;
	}
	return 0;
}

static void tell(struct daemon_lab *l, json_t *o)
{
	const struct lab_reroute *g = l->service[SERVICE_CONVERGE];

	json_object_set_new(o, "converges", json_boolean(g));
	if (g)
		json_object_set_new(o, "reroutes", json_integer(g->times));
}

const struct lab_service service_converge = {
	.name = "routes",
	.begin = begin,
	.end = forget,
	.status = tell,
};
