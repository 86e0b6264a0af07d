/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Background traffic: packets that the fabric makes and consumes by itself.
 */
#ifndef WEFT_TRAFFIC_H
#define WEFT_TRAFFIC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "nl.h"
#include "stats.h"

struct weft_facts;

#define WEFT_TRAFFIC_MESSAGES_MAX	2000	/* of a trace, per source */
#define WEFT_TRAFFIC_DSTS_MAX		1024	/* of a generator */

/**
 * enum weft_traffic_key - what may be said of traffic
 * @WEFT_TRAFFIC_FROM: who sends
 * @WEFT_TRAFFIC_TO: who receives
 * @WEFT_TRAFFIC_FILE: messages of a trace
 * @WEFT_TRAFFIC_SL: service level or priority
 * @WEFT_TRAFFIC_SIZE: bytes of a frame
 * @WEFT_TRAFFIC_RATE: on the wire
 * @WEFT_TRAFFIC_DEPTH: packets that wait at the NIC at most
 * @WEFT_TRAFFIC_WINDOW: packets in the fabric at most
 * @WEFT_TRAFFIC_ON: how long it sends
 * @WEFT_TRAFFIC_OFF: and then rests
 * @WEFT_TRAFFIC_TIMES: whether these are drawn
 * @WEFT_TRAFFIC_ORDER: whether destinations are drawn
 * @WEFT_TRAFFIC_START: when it begins
 * @WEFT_TRAFFIC_DURATION: how long it is offered
 * @WEFT_TRAFFIC_BYTES: how much is
 * @WEFT_TRAFFIC_SEED: of its randomness
 * @WEFT_TRAFFIC_KEYS: how many keys there are
 */
enum weft_traffic_key {
	WEFT_TRAFFIC_FROM,
	WEFT_TRAFFIC_TO,
	WEFT_TRAFFIC_FILE,
	WEFT_TRAFFIC_SL,
	WEFT_TRAFFIC_SIZE,
	WEFT_TRAFFIC_RATE,
	WEFT_TRAFFIC_DEPTH,
	WEFT_TRAFFIC_WINDOW,
	WEFT_TRAFFIC_ON,
	WEFT_TRAFFIC_OFF,
	WEFT_TRAFFIC_TIMES,
	WEFT_TRAFFIC_ORDER,
	WEFT_TRAFFIC_START,
	WEFT_TRAFFIC_DURATION,
	WEFT_TRAFFIC_BYTES,
	WEFT_TRAFFIC_SEED,
	WEFT_TRAFFIC_KEYS
};

/**
 * struct weft_traffic_plan - a pattern of traffic, as people ask for it
 *
 * Documentation/traffic.rst says what each key means.
 */
struct weft_traffic_plan {
	/** @pattern: index of weft_traffic_pattern_words */
	uint32_t pattern;
	/** @has: bit per enum weft_traffic_key that was said */
	uint32_t has;
	/** @relative: start counts from now on */
	bool relative;
	/** @text: FROM, TO and FILE as written, borrowed */
	const char *text[WEFT_TRAFFIC_FILE + 1];
	/** @value: of the other keys; times in ps, rates in bit/s */
	uint64_t value[WEFT_TRAFFIC_KEYS];
};

extern const char *const weft_traffic_pattern_words[];

/* traffic_parse.c: as people write it */
int weft_traffic_parse_pattern(struct weft_traffic_plan *plan,
			       const char *text, struct weft_err *err);
int weft_traffic_parse_word(struct weft_traffic_plan *plan, const char *word,
			    struct weft_err *err);
int weft_traffic_complete(const struct weft_traffic_plan *plan,
			  struct weft_err *err);

#endif
