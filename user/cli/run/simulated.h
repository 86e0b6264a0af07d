/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes of a simulation besides the times of messages: report, expectations.
 */
#ifndef WEFT_SIMULATED_H
#define WEFT_SIMULATED_H

#include "report/record.h"
#include "scenario/scenario.h"
#include "sim/sim.h"

/**
 * struct simulated_files - where the results go; NULL: not wanted
 */
struct simulated_files {
	/** @report: the report, as JSON */
	const char *report;
	/** @record: the recording */
	const char *record;
	/** @junit: the results of the expectations, as JUnit XML */
	const char *junit;
	/** @cdf: the distributions of times, as SVG */
	const char *cdf;
};

/**
 * struct simulated - a simulation, and what was seen of it
 */
struct simulated {
	/** @topology: its topology, as the user wrote it */
	const char *topology;
	/** @scenario: the scenario; NULL: none */
	const struct weft_scenario *scenario;
	/** @plan: its plan */
	const struct weft_plan *plan;
	/** @interval: with a recording: first interval between samples, ps */
	uint64_t interval;
	/** @drawing: with a recording: the drawing of the topology */
	json_t *drawing;
	/** @recording: @record is open */
	bool recording;
	/** @record: the recording */
	struct weft_record record;
	/** @objects: its objects */
	struct weft_sim_objects objects;
	/** @ended: end of the last message, ps; of the run if some have not ended */
	uint64_t ended;
	/** @unfinished: messages that have not ended */
	unsigned int unfinished;
	/** @report: its report */
	json_t *report;
	/** @results: results of the expectations */
	struct weft_results results;
};

int simulated_check(const struct weft_scenario *s, struct weft_err *err);
int simulated_try(const struct simulated_files *files, struct weft_err *err);
int simulated_draw(struct simulated *s, const struct weft_topo *topo, struct weft_err *err);
uint64_t simulated_sample(void *ctx, struct weft_sim_objects *o);
int simulated_judge(struct simulated *s, struct weft_err *err);
int simulated_save(struct simulated *s, const struct simulated_files *files,
		   struct weft_err *err);
void simulated_free(struct simulated *s);

#endif
