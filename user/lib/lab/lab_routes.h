/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routes of a lab that is up, which follow its links.
 */
#ifndef WEFT_LAB_ROUTES_H
#define WEFT_LAB_ROUTES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/converge.h"
#include "lab/events.h"
#include "lab/lab.h"
#include "plan/plan.h"
#include "plan/reroute.h"

/**
 * struct weft_lab_routes - the routes of a lab, and its plan
 */
struct weft_lab_routes {
	/** @lab: the lab, borrowed */
	const struct weft_lab *lab;
	/** @nl: socket to its fabric */
	struct weft_nl nl;
	/** @fabric: its number */
	uint32_t fabric;
	/** @dilation: fabric time runs so many times slower */
	uint32_t dilation;
	/** @topo: its topology */
	struct weft_topo topo;
	/** @plan: the plan of that */
	struct weft_plan plan;
	/** @sw: the kernel's numbers of the planned switches */
	uint32_t *sw;
	/** @planned: of the kernel's numbers, the planned switch or UINT32_MAX */
	uint32_t *planned;
	/** @numbers: entries of @planned */
	uint32_t numbers;
	/** @first: of each planned switch, its first entry in @at */
	unsigned int *first;
	/** @at: link at each port of the switches; then at each NIC */
	unsigned int *at;
	/** @down: of each planned link, whether it is down, as last seen */
	bool *down;
};

/**
 * struct weft_reroute - what new routes are, and how to get there
 */
struct weft_reroute {
	/** @now: fabric time, ps */
	uint64_t now;
	/** @tables: the new ones */
	struct weft_tables tables;
	/** @ops: the changes */
	struct weft_route_ops ops;
};

int weft_lab_routes_open(struct weft_lab_routes *r, const struct weft_lab *lab,
			 struct weft_err *err);
int weft_lab_routes_now(struct weft_lab_routes *r, uint64_t *now, struct weft_err *err);
int weft_lab_routes_look(struct weft_lab_routes *r, bool *news, struct weft_err *err);
bool weft_lab_routes_see(struct weft_lab_routes *r, const struct weft_link *link,
			 bool gone);
int weft_lab_routes_find(struct weft_lab_routes *r, struct weft_reroute *re,
			 struct weft_err *err);
int weft_lab_routes_run(struct weft_lab_routes *r, struct weft_reroute *re,
			uint64_t since, struct weft_err *err);
void weft_reroute_free(struct weft_reroute *re);
void weft_lab_routes_close(struct weft_lab_routes *r);

/* lab_routes_json.c */
json_t *weft_reroute_json(const struct weft_lab_routes *r,
			  const struct weft_reroute *re, uint64_t since);
json_t *weft_reroute_changes(const struct weft_lab_routes *r,
			     const struct weft_reroute *re);
json_t *weft_reroutes_load(const struct weft_lab *lab);

/**
 * struct weft_routes_watch - sets new routes when they are due
 */
struct weft_routes_watch {
	/** @routes: the routes of the lab */
	struct weft_lab_routes routes;
	/** @events: its events */
	struct weft_events events;
	/** @converge: what is to be done, and when */
	struct weft_converge converge;
	/** @timer: a timerfd that ends when it is time */
	int timer;
	/** @gone: the fabric was removed: nothing more comes */
	bool gone;
	/** @err: why an event could not be followed */
	struct weft_err err;
};

/* lab_routes_watch.c */
int weft_routes_watch_open(struct weft_routes_watch *w, const struct weft_lab *lab,
			   uint64_t wait, struct weft_err *err);
int weft_routes_watch_step(struct weft_routes_watch *w, json_t **done, struct weft_err *err);
void weft_routes_watch_close(struct weft_routes_watch *w);

#endif
