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
 * struct weft_fault - a fault; Documentation/model/faults.rst has its law
 */
struct weft_fault {
	/** @has: bit per attribute that is there, WEFT_HAS(WEFT_A_FAULT_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @link: the link, for a kind of links */
	uint32_t link;
	/** @sw: the switch, for a kind of switches */
	uint32_t sw;
	/** @direction: enum weft_direction; both wires when it is not there */
	uint32_t direction;
	/** @kind: enum weft_fault_kind */
	uint32_t kind;
	/** @rate: the wire carries, or a host takes, at most that, bit/s */
	uint64_t rate;
	/** @lanes: at most so many of its lanes work */
	uint32_t lanes;
	/** @delay: packets arrive so much later, ps */
	uint64_t delay;
	/** @jitter: and up to this, ps */
	uint64_t jitter;
	/** @probability: that a packet is hit, 1e-9 */
	uint32_t probability;
	/** @burst: mean length of a burst of losses, frames */
	uint32_t burst;
	/** @bits_per_error: mean distance of bit errors */
	uint64_t bits_per_error;
	/** @classes: bit per class that is paused or marked */
	uint32_t classes;
	/** @kmin: bytes up to which nothing is marked */
	uint32_t kmin;
	/** @kmax: bytes above which everything is marked; 0: nothing is */
	uint32_t kmax;
	/** @pmax: probability at @kmax, ppm */
	uint32_t pmax;
	/** @dst: NICs that the packets are for; not there: all */
	struct weft_list dst;
	/** @flows: share of the flows, 1e-9 */
	uint32_t flows;
	/** @port: port of the switch that they leave through */
	uint32_t port;
	/** @size: bytes that the shared buffer holds */
	uint64_t size;
	/** @start: fabric time when it begins, ps */
	uint64_t start;
	/** @trigger: number of the trigger that it begins by */
	uint32_t trigger;
	/** @after: the same from the moment of that trigger, or from now on, ps */
	uint64_t after;
	/** @duration: how long it acts, ps; 0: until it is removed */
	uint64_t duration;
	/** @period: from one beginning to the next, ps */
	uint64_t period;
	/** @count: how many times */
	uint32_t count;
	/** @seed: of its randomness */
	uint64_t seed;
	/** @state: enum weft_fault_state */
	uint32_t state;
	/** @next: when it begins or ends next, ps */
	uint64_t next;
	/** @counters: what it did */
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

/* fault_parse.c: as people write them */
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

/* fault_text.c: as people read them */
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
