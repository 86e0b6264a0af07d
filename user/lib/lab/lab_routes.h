/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routes of a lab that is up, recomputed when its links change.
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
	/** @dilation: time dilation of the fabric */
	uint32_t dilation;
	/** @topo: its topology */
	struct weft_topo topo;
	/** @plan: plan of @topo */
	struct weft_plan plan;
	/** @sw: the kernel's number of each planned switch */
	uint32_t *sw;
	/**
	 * @planned: planned switch of each of the kernel's numbers, or UINT32_MAX
	 */
	uint32_t *planned;
	/** @numbers: entries of @planned */
	uint32_t numbers;
	/** @first: index in @at of the first port of each planned switch */
	unsigned int *first;
	/** @at: planned link of each port of the switches, then of each NIC */
	unsigned int *at;
	/** @down: whether each planned link is down, by the last known state */
	bool *down;
};

/**
 * struct weft_reroute - new routes, and the changes to them
 */
struct weft_reroute {
	/** @now: fabric time of the new routes, ps */
	uint64_t now;
	/** @tables: the new tables */
	struct weft_tables tables;
	/** @ops: the changes, in order */
	struct weft_route_ops ops;
};

int weft_lab_routes_match(struct weft_lab_routes *r, const struct weft_lab *lab,
			  struct weft_err *err);
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
 * struct weft_routes_watch - watch of a lab that sets new routes when they are due
 */
struct weft_routes_watch {
	/** @routes: the routes of the lab */
	struct weft_lab_routes routes;
	/** @events: events of its fabric */
	struct weft_events events;
	/** @converge: time at which new routes are due */
	struct weft_converge converge;
	/** @timer: a timerfd that expires when new routes are due */
	int timer;
	/** @gone: the fabric was removed: there are no more events */
	bool gone;
	/** @err: error of the handling of an event */
	struct weft_err err;
};

/* lab_routes_watch.c */
int weft_routes_watch_open(struct weft_routes_watch *w, const struct weft_lab *lab,
			   uint64_t wait, struct weft_err *err);
int weft_routes_watch_step(struct weft_routes_watch *w, json_t **done, struct weft_err *err);
void weft_routes_watch_close(struct weft_routes_watch *w);

#endif
