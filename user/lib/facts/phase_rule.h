/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule by which traffic of a lab makes phases, as people write it.
 */
#ifndef WEFT_PHASE_RULE_H
#define WEFT_PHASE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"

#define WEFT_PHASE_PORTS_MAX	64

/**
 * struct weft_phase_words - the rule, as the user wrote it; 0: the default of the lab
 */
struct weft_phase_words {
	/** @none: traffic makes no phases */
	bool none;
	/** @above: rate above which a phase starts, bit/s */
	uint64_t above;
	/** @least: least bytes of a phase */
	uint64_t least;
	/** @quiet: time below the rate that ends a phase, ps */
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
