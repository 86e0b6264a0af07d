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

#include "base/err.h"
#include "netlink/nl.h"
#include "netlink/stats.h"

struct weft_at;
struct weft_facts;
struct weft_nic;

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
	/** @relative: start counts from now on, or from the moment of the trigger */
	bool relative;
	/** @triggered: it begins by a trigger */
	bool triggered;
	/** @trigger: number of that */
	uint32_t trigger;
	/** @text: FROM, TO and FILE as written, borrowed */
	const char *text[WEFT_TRAFFIC_FILE + 1];
	/** @value: of the other keys; times in ps, rates in bit/s */
	uint64_t value[WEFT_TRAFFIC_KEYS];
};

/**
 * struct weft_traffic_message - an entry of a trace, as the kernel takes it
 */
struct weft_traffic_message {
	/** @at: when it is offered, ps behind the start */
	uint64_t at;
	/** @dst: endpoint id */
	uint32_t dst;
	/** @bytes: how much */
	uint32_t bytes;
};

/**
 * struct weft_traffic - a generator at a NIC
 */
struct weft_traffic {
	/** @has: bit per attribute that is there, WEFT_HAS(WEFT_A_TRAFFIC_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @group: that of its pattern; without one the kernel gives a new one */
	uint32_t group;
	/** @pattern: index of weft_traffic_pattern_words */
	uint32_t pattern;
	/** @nic: endpoint id of the NIC that sends */
	uint32_t nic;
	/** @sl: service level or priority */
	uint32_t sl;
	/** @size: bytes of a frame */
	uint32_t size;
	/** @rate: on the wire, bit/s */
	uint64_t rate;
	/** @depth: packets that wait at the NIC at most */
	uint32_t depth;
	/** @window: packets in the fabric at most */
	uint32_t window;
	/** @on: how long it offers packets, ps */
	uint64_t on;
	/** @off: and then none, ps */
	uint64_t off;
	/** @drawn_times: these are means */
	uint32_t drawn_times;
	/** @drawn_dsts: destinations are drawn */
	uint32_t drawn_dsts;
	/** @start: fabric time when it begins, ps */
	uint64_t start;
	/** @trigger: number of the trigger that it begins by */
	uint32_t trigger;
	/** @after: the same from the moment of that trigger, or from now on, ps */
	uint64_t after;
	/** @duration: how long it offers packets, ps */
	uint64_t duration;
	/** @bytes: how much it offers */
	uint64_t bytes;
	/** @seed: of its randomness */
	uint64_t seed;
	/** @messages: entries of a trace */
	uint32_t messages;
	/** @state: enum weft_traffic_state */
	uint32_t state;
	/** @inside: packets in the fabric */
	uint32_t inside;
	/** @dsts: entries of @dst */
	unsigned int dsts;
	/** @dst: endpoint ids of the destinations */
	uint32_t *dst;
	/** @message: entries of a trace, @messages; only when it is added */
	struct weft_traffic_message *message;
	/** @counters: what it did */
	struct weft_counters counters;
};

extern const char *const weft_traffic_pattern_words[];

/* traffic.c */
int weft_traffic_new(struct weft_nl *nl, struct weft_traffic *t,
		     struct weft_err *err);
int weft_traffic_get(struct weft_nl *nl, struct weft_traffic *t,
		     struct weft_err *err);
int weft_traffic_del(struct weft_nl *nl, struct weft_traffic *t,
		     struct weft_err *err);
int weft_traffic_list(struct weft_nl *nl, uint32_t fabric,
		      struct weft_traffic **list, unsigned int *n,
		      struct weft_err *err);
void weft_traffic_list_free(struct weft_traffic *list, unsigned int n);

/* traffic_start.c: a pattern is a group of generators */
int weft_traffic_start(struct weft_nl *nl, const struct weft_traffic_plan *plan,
		       const struct weft_facts *facts, uint32_t *group,
		       struct weft_err *err);
int weft_traffic_stop(struct weft_nl *nl, uint32_t fabric, uint32_t group,
		      struct weft_traffic **list, unsigned int *n,
		      struct weft_err *err);

/* traffic_pattern.c: who sends to whom */
int weft_traffic_resolve(const struct weft_traffic_plan *plan,
			 const struct weft_facts *facts,
			 struct weft_traffic **list, unsigned int *n,
			 struct weft_err *err);
const struct weft_nic *weft_traffic_nic(const struct weft_facts *facts,
					const char *name, unsigned int *found);

/* traffic_file.c: messages from a file */
int weft_traffic_read(const char *path, const struct weft_facts *facts,
		      struct weft_traffic **list, unsigned int *n,
		      struct weft_err *err);

/* traffic_text.c: as people read it */
json_t *weft_traffic_json(const struct weft_facts *facts,
			  const struct weft_traffic *list, unsigned int n);

/* traffic_parse.c: as people write it */
int weft_traffic_parse_pattern(struct weft_traffic_plan *plan,
			       const char *text, struct weft_err *err);
int weft_traffic_parse_word(struct weft_traffic_plan *plan, const char *word,
			    struct weft_err *err);
int weft_traffic_by(struct weft_traffic_plan *plan, const struct weft_at *at,
		    struct weft_err *err);
int weft_traffic_complete(const struct weft_traffic_plan *plan,
			  struct weft_err *err);

#endif
