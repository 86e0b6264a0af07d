/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When traffic of a lab makes a phase, as people write it.
 */
#ifndef WEFT_PHASE_RULE_H
#define WEFT_PHASE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"

#define WEFT_PHASE_PORTS_MAX	64

/**
 * struct weft_phase_words - what the user said; what is 0 follows from the lab
 */
struct weft_phase_words {
	/** @none: traffic makes no phases */
	bool none;
	/** @above: rate, bit/s */
	uint64_t above;
	/** @least: bytes */
	uint64_t least;
	/** @quiet: ps */
	uint64_t quiet;
	/** @ports: entries of @port; 0: all NICs */
	unsigned int ports;
	/** @port: names of NICs, within the text that was parsed */
	const char *port[WEFT_PHASE_PORTS_MAX];
};

int weft_phase_words_parse(struct weft_phase_words *w, char *text,
			   struct weft_err *err);
int weft_phases_watch(const struct weft_lab *lab,
		      const struct weft_phase_words *w, struct weft_err *err);

#endif
