/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wires that wait for each other.
 */
#ifndef WEFT_EXPECT_RING_H
#define WEFT_EXPECT_RING_H

#include <stdbool.h>

#include "facts/port_view.h"

/* Shorter waits come and go under load. */
#define WEFT_RING_WAIT_PS	1000000000ULL	/* 1 ms */

/**
 * struct weft_ring - wires that wait for each other
 */
struct weft_ring {
	/** @wires: how many, 0: none do */
	unsigned int wires;
	/** @names: ports that send on them, as many as have room */
	char names[256];
	/** @port: the one that was held back first */
	char port[WEFT_PORT_NAME];
	/** @since: when that was, fabric time */
	uint64_t since;
};

bool weft_ring_find(struct weft_ring *ring, const struct weft_facts *facts);

#endif
