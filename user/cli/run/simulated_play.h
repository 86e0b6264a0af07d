/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time line of a scenario, for a simulation.
 */
#ifndef WEFT_SIMULATED_PLAY_H
#define WEFT_SIMULATED_PLAY_H

#include "scenario/scenario.h"
#include "sim/sim.h"

/**
 * struct simulated_play - what a simulation plays
 */
struct simulated_play {
	/** @faults: entries of @fault */
	unsigned int faults;
	/** @fault: the faults */
	struct weft_sim_fault *fault;
	/** @traffics: entries of @traffic */
	unsigned int traffics;
	/** @traffic: the background traffic */
	struct weft_sim_traffic *traffic;
	/** @freezes: entries of @freeze */
	unsigned int freezes;
	/** @freeze: when nodes are frozen, by node, then by time */
	struct weft_sim_freeze *freeze;
};

int simulated_play_take(struct simulated_play *p, struct weft_scenario *s,
			const struct weft_plan *plan, uint64_t seed, struct weft_err *err);
void simulated_play_free(struct simulated_play *p);

#endif
