/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches.
 */
#ifndef WEFT_SWITCH_H
#define WEFT_SWITCH_H

#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"
#include "netlink/nl.h"
#include "netlink/port_params.h"

/** enum weft_switch_has - fields of struct weft_switch that are set */
enum weft_switch_has {
	WEFT_SWITCH_HAS_LATENCY = 1,
	WEFT_SWITCH_HAS_FORWARD = 2,
	WEFT_SWITCH_HAS_ARBITER = 4,
	WEFT_SWITCH_HAS_SELECT = 8,
	WEFT_SWITCH_HAS_BUFFER = 16,
	WEFT_SWITCH_HAS_BUFFER_PER_PORT = 32,
	WEFT_SWITCH_HAS_SL2VL = 64,
	WEFT_SWITCH_HAS_VL = 128,
	WEFT_SWITCH_HAS_LMC = 256,
	WEFT_SWITCH_HAS_FLOWLETS = 512,
	WEFT_SWITCH_HAS_FLOWLET_GAP = 1024,
	WEFT_SWITCH_HAS_QUANTUM = 2048,
	WEFT_SWITCH_HAS_SMA_LATENCY = 4096,
	WEFT_SWITCH_HAS_REDUCE_LATENCY = 8192,
	WEFT_SWITCH_HAS_ARN_HOLD = 16384,
	WEFT_SWITCH_HAS_ARN_QUEUE = 32768,
};

/**
 * struct weft_switch - a switch
 */
struct weft_switch {
	/** @has: bits of enum weft_switch_has, for weft_switch_new() */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @name: a label */
	char name[WEFT_NAME_SIZE];
	/** @ports: number of ports */
	uint32_t ports;
	/** @latency: pipeline latency, ps */
	uint64_t latency;
	/** @forward: enum weft_forward */
	uint32_t forward;
	/** @arbiter: enum weft_arbiter */
	uint32_t arbiter;
	/** @select: enum weft_select */
	uint32_t select;
	/** @buffer: size of the shared buffer, bytes */
	uint64_t buffer;
	/** @buffer_per_port: bytes that one ingress port may hold */
	uint64_t buffer_per_port;
	/** @classes: limits of the classes of each ingress port */
	struct weft_buffer classes;
	/** @sl2vl: enum weft_sl2vl */
	uint32_t sl2vl;
	/** @vl: class on the next wire of each service level; with sl2vl "class", of each class */
	uint8_t vl[WEFT_CLASSES_MAX];
	/** @lmc: a destination has 2^lmc LIDs */
	uint32_t lmc;
	/** @flowlets: entries of the flowlet table */
	uint32_t flowlets;
	/** @flowlet_gap: after a longer gap, packets of a flow may take another port, ps */
	uint64_t flowlet_gap;
	/** @quantum: adaptive and flowlet selection compare queues in units of this, bytes */
	uint32_t quantum;
	/** @sma_latency: time of its subnet management agent for one MAD, ps */
	uint64_t sma_latency;
	/** @arn_hold: how long a notice of the next switch holds, ps; 0: no notices */
	uint64_t arn_hold;
	/** @arn_queue: bytes of a class's queue from which on it tells */
	uint32_t arn_queue;
	/** @reduce_slots: chunks of a group that it reduces at a time; in plans; 0: default */
	uint32_t reduce_slots;
	/** @reduce_latency: from the last packet of a chunk to its result, ps; in plans */
	uint64_t reduce_latency;
	/** @reduce_groups: groups that it reduces for; in plans; 0: default */
	uint32_t reduce_groups;
	/** @reduce_streams: of these, how many may have streaming trees; in plans; 0: all */
	uint32_t reduce_streams;
	/** @reduce_small: bytes of a chunk of the others; in plans; 0: default */
	uint32_t reduce_small;
	/** @port: parameters of each of its ports */
	struct weft_port_params port;
	/** @buffer_used: bytes in the shared buffer */
	uint64_t buffer_used;
	/** @buffer_peak: most bytes that were in it at a time */
	uint64_t buffer_peak;
	/** @reduced: chunks that its aggregation nodes have reduced */
	uint64_t reduced;
	/** @arn_sent: notices that it has sent */
	uint64_t arn_sent;
	/** @arn_heard: notices that have come to it */
	uint64_t arn_heard;
};

int weft_switch_new(struct weft_nl *nl, struct weft_switch *sw,
		    struct weft_err *err);
int weft_switch_del(struct weft_nl *nl, uint32_t fabric, uint32_t id,
		    struct weft_err *err);
int weft_switch_set_vl(struct weft_nl *nl, const struct weft_switch *sw,
		       const uint32_t *in_port, const uint32_t *out_port,
		       struct weft_err *err);
int weft_switch_list(struct weft_nl *nl, uint32_t fabric,
		     struct weft_switch **list, unsigned int *n,
		     struct weft_err *err);
const struct weft_switch *weft_switch_find(const struct weft_switch *list, unsigned int n,
					   uint32_t id);

#endif
