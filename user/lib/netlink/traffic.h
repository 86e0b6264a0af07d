/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Background traffic: packets that the fabric itself generates and consumes.
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

#define WEFT_TRAFFIC_MESSAGES_MAX	2000	/* messages of a trace, per source */
#define WEFT_TRAFFIC_DSTS_MAX		1024	/* destinations of a generator */

/**
 * enum weft_traffic_key - keys of a pattern of traffic
 * @WEFT_TRAFFIC_FROM: nodes or NICs that send
 * @WEFT_TRAFFIC_TO: nodes or NICs that receive
 * @WEFT_TRAFFIC_FILE: file with the messages of a trace
 * @WEFT_TRAFFIC_SL: service level or priority
 * @WEFT_TRAFFIC_SIZE: bytes of a frame
 * @WEFT_TRAFFIC_RATE: rate on the wire
 * @WEFT_TRAFFIC_DEPTH: most packets that wait at the NIC
 * @WEFT_TRAFFIC_WINDOW: most packets in the fabric
 * @WEFT_TRAFFIC_ON: time for which packets are offered
 * @WEFT_TRAFFIC_OFF: time for which none are offered afterwards
 * @WEFT_TRAFFIC_TIMES: whether these times are fixed or random
 * @WEFT_TRAFFIC_ORDER: whether destinations are taken in turn or at random
 * @WEFT_TRAFFIC_START: time of its begin
 * @WEFT_TRAFFIC_DURATION: time from its begin to its end
 * @WEFT_TRAFFIC_BYTES: amount that is offered
 * @WEFT_TRAFFIC_SEED: seed of its random numbers
 * @WEFT_TRAFFIC_KEYS: number of keys
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
 * struct weft_traffic_plan - a pattern of traffic, as users write it
 *
 * Documentation/traffic.rst describes each key.
 */
struct weft_traffic_plan {
	/** @pattern: index of weft_traffic_pattern_words */
	uint32_t pattern;
	/** @has: bit per enum weft_traffic_key that is set */
	uint32_t has;
	/** @relative: the start is relative to now, or to the moment of the trigger */
	bool relative;
	/** @triggered: it begins by a trigger */
	bool triggered;
	/** @trigger: number of the trigger */
	uint32_t trigger;
	/** @text: text of FROM, TO and FILE; belongs to the caller */
	const char *text[WEFT_TRAFFIC_FILE + 1];
	/** @value: values of the other keys; times in ps, rates in bit/s */
	uint64_t value[WEFT_TRAFFIC_KEYS];
};

/**
 * struct weft_traffic_message - an entry of a trace, in the kernel's layout
 */
struct weft_traffic_message {
	/** @at: time when it is offered, ps after the start */
	uint64_t at;
	/** @dst: endpoint id */
	uint32_t dst;
	/** @bytes: size of the message, bytes */
	uint32_t bytes;
};

/**
 * struct weft_traffic - a generator at a NIC
 */
struct weft_traffic {
	/** @has: bit per attribute that is set, WEFT_HAS(WEFT_A_TRAFFIC_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @group: group of its pattern; if not set, the kernel assigns a new one */
	uint32_t group;
	/** @pattern: index of weft_traffic_pattern_words */
	uint32_t pattern;
	/** @nic: endpoint id of the NIC that sends */
	uint32_t nic;
	/** @sl: service level or priority */
	uint32_t sl;
	/** @size: bytes of a frame */
	uint32_t size;
	/** @rate: rate on the wire, bit/s */
	uint64_t rate;
	/** @depth: most packets that wait at the NIC */
	uint32_t depth;
	/** @window: most packets in the fabric */
	uint32_t window;
	/** @on: time for which it offers packets, ps */
	uint64_t on;
	/** @off: time for which it offers none afterwards, ps */
	uint64_t off;
	/** @drawn_times: the times are random, @on and @off their means */
	uint32_t drawn_times;
	/** @drawn_dsts: each destination is random */
	uint32_t drawn_dsts;
	/** @start: fabric time of its begin, ps */
	uint64_t start;
	/** @trigger: number of the trigger by which it begins */
	uint32_t trigger;
	/** @after: begin relative to the moment of that trigger, or to now, ps */
	uint64_t after;
	/** @duration: time from begin to end, ps */
	uint64_t duration;
	/** @bytes: bytes that it offers */
	uint64_t bytes;
	/** @seed: seed of its random numbers */
	uint64_t seed;
	/** @messages: number of entries of a trace */
	uint32_t messages;
	/** @state: enum weft_traffic_state */
	uint32_t state;
	/** @inside: number of its packets in the fabric */
	uint32_t inside;
	/** @dsts: entries of @dst */
	unsigned int dsts;
	/** @dst: endpoint ids of the destinations */
	uint32_t *dst;
	/** @message: entries of a trace; for weft_traffic_new() only */
	struct weft_traffic_message *message;
	/** @counters: its counters */
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

/* traffic_pattern.c: sources and destinations */
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

/* traffic_text.c: to JSON */
json_t *weft_traffic_json(const struct weft_facts *facts,
			  const struct weft_traffic *list, unsigned int n);

/* traffic_parse.c: from text that users write */
int weft_traffic_parse_pattern(struct weft_traffic_plan *plan,
			       const char *text, struct weft_err *err);
int weft_traffic_parse_word(struct weft_traffic_plan *plan, const char *word,
			    struct weft_err *err);
int weft_traffic_by(struct weft_traffic_plan *plan, const struct weft_at *at,
		    struct weft_err *err);
int weft_traffic_complete(const struct weft_traffic_plan *plan,
			  struct weft_err *err);

#endif
