/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topologies from strings, for the tests.
 */
#ifndef LOAD_H
#define LOAD_H

#include "plan/plan.h"
#include "workload/workload.h"
#include "topology/topo.h"

/**
 * struct mistake - a bad topology
 */
struct mistake {
	/** @what: what is wrong with it */
	const char *what;
	/** @text: the file */
	const char *text;
	/** @msg: the answer */
	const char *msg;
};

int load_topo(struct weft_topo *topo, const char *text, size_t len,
	      struct weft_err *err);
int load_profile(void *ctx, const char *name, char **file, char **text,
		 size_t *len, struct weft_err *err);
struct weft_topo topo_of(const char *text);
struct weft_plan plan_of(const char *text);
const struct weft_route *find_route(const struct weft_plan *p, uint32_t sw,
				    uint32_t nic);
void expect_mistakes(const struct mistake *m, size_t n);
int load_plan(struct weft_plan *plan, const char *text, struct weft_err *err);
int load_work(struct weft_work *w, const char *file, const char *text,
	      const struct weft_plan *plan, struct weft_err *err);
void add_message(struct weft_work *w, uint32_t from, uint32_t to, uint64_t bytes,
		 uint64_t at);
uint64_t last_end(const struct weft_work *w);
void expect_starts(const struct weft_work *w);
int load_plan_len(struct weft_plan *plan, const char *text, size_t len,
		  struct weft_err *err);

#endif
