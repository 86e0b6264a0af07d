/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results as JUnit XML.
 */
#ifndef WEFT_JUNIT_H
#define WEFT_JUNIT_H

#include "base/err.h"
#include "scenario/expect.h"

/**
 * struct weft_junit - description of the run
 */
struct weft_junit {
	/** @scenario: name of the scenario */
	const char *scenario;
	/** @topology: topology of the lab */
	const char *topology;
	/** @clock: name of its clock */
	const char *clock;
	/** @seed: its seed */
	uint64_t seed;
	/** @begun: start, fabric time; times in the file count from here */
	uint64_t begun;
	/** @ended: fabric time of the end */
	uint64_t ended;
};

int weft_junit_text(const struct weft_junit *j,
		    const struct weft_results *results, char **text,
		    struct weft_err *err);

#endif
