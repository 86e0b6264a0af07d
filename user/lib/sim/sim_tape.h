/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tape with the counters of all objects of a simulation, see sim_objects.c.
 */
#ifndef WEFT_SIM_TAPE_H
#define WEFT_SIM_TAPE_H

#include "sim/sim_run.h"

/**
 * struct weft_sim_tape - counters of all objects, one behind the other
 * @sim: the simulation
 * @word: the counters; NULL while they are counted
 * @n: how many there are
 * @at: how many have been written or read
 */
struct weft_sim_tape {
	struct weft_sim *sim;
	u64 *word;
	size_t n;
	size_t at;
};

/* sim_objects.c */
void *weft_sim_tape_cut(struct weft_sim_tape *t, size_t bytes);
struct weft_sim *weft_sim_tape_owner(const struct weft_sim_tape *t,
				     const struct fab_port *port);
bool weft_sim_tape_is_here(const struct weft_sim_tape *t, const struct weft_sim *cell);
void weft_sim_set_counters(struct weft_counters *c, const char *const *name,
			   const u64 *value, size_t n);

/* sim_played.c */
u32 weft_sim_triggers(const struct weft_sim *sim);
void weft_sim_write_played(struct weft_sim_tape *t);
int weft_sim_read_played(struct weft_sim_tape *t, struct weft_sim_objects *o,
			 struct weft_err *err);

#endif
