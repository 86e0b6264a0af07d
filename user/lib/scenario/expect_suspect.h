/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the port to look at when something is late.
 */
#ifndef WEFT_EXPECT_SUSPECT_H
#define WEFT_EXPECT_SUSPECT_H

#include <stdint.h>

#include "facts/port_view.h"

/**
 * struct weft_suspect - a port that may be the cause
 */
struct weft_suspect {
	/** @port: the port, empty if there is none */
	char port[WEFT_PORT_NAME];
	/** @queued: bytes queued at it; 0: no port has any queued, and this one lost packets */
	uint64_t queued;
};

void weft_suspect_find(struct weft_suspect *s, const struct weft_facts *facts,
		       uint64_t since);

#endif
