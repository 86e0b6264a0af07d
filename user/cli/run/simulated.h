/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes of a simulation besides the times of messages: report, expectations.
 */
#ifndef WEFT_SIMULATED_H
#define WEFT_SIMULATED_H

#include "scenario/scenario.h"
#include "sim/sim.h"

/**
 * struct simulated - a simulation that has ended
 */
struct simulated {
	/** @topology: its topology, as the user wrote it */
	const char *topology;
	/** @scenario: the scenario; NULL: none */
	const struct weft_scenario *scenario;
	/** @objects: its objects */
	struct weft_sim_objects objects;
	/** @ended: end of the last message, ps; of the run if some have not ended */
	uint64_t ended;
	/** @unfinished: messages that have not ended */
	unsigned int unfinished;
	/** @results: results of the expectations */
	struct weft_results results;
};

int simulated_check(const struct weft_scenario *s, struct weft_err *err);
int simulated_judge(struct simulated *s, const struct weft_plan *plan,
		    const char *report, struct weft_err *err);
int simulated_save(const struct simulated *s, const char *junit, struct weft_err *err);

#endif
