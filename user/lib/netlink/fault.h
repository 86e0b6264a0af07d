/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of links and switches.
 */
#ifndef WEFT_FAULT_H
#define WEFT_FAULT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/nl.h"
#include "netlink/nl_fields.h"
#include "netlink/stats.h"

struct weft_at;
struct weft_facts;

/**
 * struct weft_fault - a fault; Documentation/model/faults.rst defines each kind
 */
struct weft_fault {
	/** @has: bit per attribute that is set, WEFT_HAS(WEFT_A_FAULT_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @link: the link, if it is a fault of a link */
	uint32_t link;
	/** @sw: the switch, if it is a fault of a switch */
	uint32_t sw;
	/** @direction: enum weft_direction; not set: both directions */
	uint32_t direction;
	/** @kind: enum weft_fault_kind */
	uint32_t kind;
	/** @rate: highest rate of the wire, or at which a host takes packets, bit/s */
	uint64_t rate;
	/** @lanes: most lanes that work */
	uint32_t lanes;
	/** @delay: added to the arrival of packets, ps */
	uint64_t delay;
	/** @jitter: largest random delay on top of @delay, ps */
	uint64_t jitter;
	/** @probability: of a packet being affected, in units of 1e-9 */
	uint32_t probability;
	/** @burst: mean length of a burst of losses, frames */
	uint32_t burst;
	/** @bits_per_error: mean distance between bit errors, bits */
	uint64_t bits_per_error;
	/** @classes: bit per class that is paused or marked */
	uint32_t classes;
	/** @kmin: bytes up to which nothing is marked */
	uint32_t kmin;
	/** @kmax: bytes above which everything is marked; 0: no marking */
	uint32_t kmax;
	/** @pmax: probability at @kmax, ppm */
	uint32_t pmax;
	/** @dst: endpoint ids of the affected destinations; not set: all */
	struct weft_list dst;
	/** @flows: share of the flows that are affected, in units of 1e-9 */
	uint32_t flows;
	/** @port: egress port of the switch */
	uint32_t port;
	/** @size: size of the shared buffer, bytes */
	uint64_t size;
	/** @start: fabric time of its begin, ps */
	uint64_t start;
	/** @trigger: number of the trigger by which it begins */
	uint32_t trigger;
	/** @after: begin relative to the moment of that trigger, or to now, ps */
	uint64_t after;
	/** @duration: how long it acts, ps; 0: until it is removed */
	uint64_t duration;
	/** @period: from one begin to the next, ps */
	uint64_t period;
	/** @count: number of times that it acts */
	uint32_t count;
	/** @seed: seed of its random numbers */
	uint64_t seed;
	/** @state: enum weft_fault_state */
	uint32_t state;
	/** @next: fabric time of its next begin or end, ps */
	uint64_t next;
	/** @counters: its effects */
	struct weft_counters counters;
};

int weft_fault_new(struct weft_nl *nl, struct weft_fault *fault,
		   struct weft_err *err);
int weft_fault_del(struct weft_nl *nl, struct weft_fault *fault,
		   struct weft_err *err);
int weft_fault_get(struct weft_nl *nl, struct weft_fault *fault,
		   struct weft_err *err);
int weft_fault_list(struct weft_nl *nl, uint32_t fabric,
		    struct weft_fault **list, unsigned int *n,
		    struct weft_err *err);

bool weft_fault_of_switch(const struct weft_fault *fault);

/* fault_parse.c: from text that users write */
int weft_fault_parse_kind(struct weft_fault *fault, const char *text,
			  struct weft_err *err);
int weft_fault_parse_place(struct weft_fault *fault, const char *text,
			   const struct weft_facts *facts,
			   struct weft_err *err);
int weft_fault_parse_word(struct weft_fault *fault, const char *word,
			  const struct weft_facts *facts,
			  struct weft_err *err);
int weft_fault_by(struct weft_fault *fault, const struct weft_at *at,
		  struct weft_err *err);
int weft_fault_complete(const struct weft_fault *fault, const char *kind,
			struct weft_err *err);
int weft_fault_check(const struct weft_fault *fault, struct weft_err *err);

/* fault_text.c: to text and JSON */
json_t *weft_faults_json(const struct weft_facts *facts);
json_t *weft_fault_json(const struct weft_facts *facts,
			const struct weft_fault *fault);
const char *weft_fault_effect(const struct weft_fault *fault,
			      const struct weft_facts *facts, char *buf,
			      size_t len);
const char *weft_fault_when(const struct weft_fault *fault,
			    const struct weft_facts *facts, char *buf,
			    size_t len);

#endif
