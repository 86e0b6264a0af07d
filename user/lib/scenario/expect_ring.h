/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wires that wait for each other.
 */
#ifndef WEFT_EXPECT_RING_H
#define WEFT_EXPECT_RING_H

#include <stdbool.h>

#include "facts/port_view.h"

/* Shorter waits are normal under load. */
#define WEFT_RING_WAIT_PS	1000000000ULL	/* 1 ms */

/**
 * struct weft_ring - wires that wait for each other
 */
struct weft_ring {
	/** @wires: number of wires, 0 for none */
	unsigned int wires;
	/** @names: ports that send on them, as many as fit */
	char names[256];
	/** @port: the port that was held back first */
	char port[WEFT_PORT_NAME];
	/** @since: since when it is held back, fabric time */
	uint64_t since;
};

bool weft_ring_find(struct weft_ring *ring, const struct weft_facts *facts);

#endif
