/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupt moderation: a NIC holds back interrupts for received frames.
 */
#ifndef WEFT_MODERATION_H
#define WEFT_MODERATION_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/nl_fields.h"
#include "netlink/stats.h"

struct nl_msg;
struct nlattr;

/**
 * struct weft_moderation - parameters and counters of interrupt moderation
 */
struct weft_moderation {
	/** @has: bits of WEFT_A_MODERATION_* */
	uint32_t has;
	/** @rx_usecs: longest time that a frame is held back, us; 0: no moderation */
	uint32_t rx_usecs;
	/** @rx_frames: number of frames held back that end it; 0: no limit */
	uint32_t rx_frames;
	/** @adaptive_rx: hold back frames of a stream only */
	uint32_t adaptive_rx;
	/** @counters: interrupts by reason */
	struct weft_counters counters;
};

void weft_moderation_put(struct nl_msg *msg, int type,
			 const struct weft_moderation *m);
int weft_moderation_parse(struct weft_moderation *m, struct nlattr *nest,
			  struct weft_err *err);
json_t *weft_moderation_json(const struct weft_moderation *m);

#endif
