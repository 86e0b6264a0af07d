/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Convergence: when routes are recomputed after links went down or came up.
 */
#ifndef WEFT_CONVERGE_H
#define WEFT_CONVERGE_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_NO_DEADLINE	UINT64_MAX

/**
 * struct weft_converge - state of the convergence of a network
 *
 * The first change of a link begins a wait; new routes at its end take account
 * of all changes until then. All times are ps of fabric time.
 */
struct weft_converge {
	/** @wait: from the first change to the new routes */
	uint64_t wait;
	/** @pending: there was a change */
	bool pending;
	/** @since: time of the first change */
	uint64_t since;
};

void weft_converge_feed(struct weft_converge *c, uint64_t now);
uint64_t weft_converge_deadline(const struct weft_converge *c);
bool weft_converge_due(struct weft_converge *c, uint64_t now);

#endif
