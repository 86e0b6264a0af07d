/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where to look when something does not come in time.
 */
#ifndef WEFT_EXPECT_SUSPECT_H
#define WEFT_EXPECT_SUSPECT_H

#include <stdint.h>

#include "facts/port_view.h"

/**
 * struct weft_suspect - a port that may be why
 */
struct weft_suspect {
	/** @port: the port, empty where there is none */
	char port[WEFT_PORT_NAME];
	/** @queued: bytes queued at it; 0: nothing is anywhere, but it lost */
	uint64_t queued;
};

void weft_suspect_find(struct weft_suspect *s, const struct weft_facts *facts,
		       uint64_t since);

#endif
