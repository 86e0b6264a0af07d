/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routes of a lab that is up follow its links.
 */
#ifndef WEFT_ROUTER_H
#define WEFT_ROUTER_H

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
 * struct weft_router - a lab, seen as its plan
 */
struct weft_router {
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

int weft_router_open(struct weft_router *r, const struct weft_lab *lab,
		     struct weft_err *err);
int weft_router_now(struct weft_router *r, uint64_t *now, struct weft_err *err);
int weft_router_look(struct weft_router *r, bool *news, struct weft_err *err);
bool weft_router_see(struct weft_router *r, const struct weft_link *link,
		     bool gone);
int weft_router_find(struct weft_router *r, struct weft_reroute *re,
		     struct weft_err *err);
int weft_router_run(struct weft_router *r, struct weft_reroute *re,
		    uint64_t since, struct weft_err *err);
void weft_reroute_free(struct weft_reroute *re);
void weft_router_close(struct weft_router *r);

/* router_json.c */
json_t *weft_reroute_json(const struct weft_router *r,
			  const struct weft_reroute *re, uint64_t since);
json_t *weft_reroute_changes(const struct weft_router *r,
			     const struct weft_reroute *re);
json_t *weft_reroutes_load(const struct weft_lab *lab);

/**
 * struct weft_watch - new routes when it is time for them
 */
struct weft_watch {
	/** @router: the lab */
	struct weft_router router;
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

/* watch.c */
int weft_watch_open(struct weft_watch *w, const struct weft_lab *lab,
		    uint64_t wait, struct weft_err *err);
int weft_watch_step(struct weft_watch *w, json_t **done, struct weft_err *err);
void weft_watch_close(struct weft_watch *w);

#endif
