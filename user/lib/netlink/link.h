/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links and their two wires.
 */
#ifndef WEFT_LINK_H
#define WEFT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"
#include "netlink/nl.h"
#include "netlink/stats.h"

/** enum weft_wire_has - fields of struct weft_wire that are set */
enum weft_wire_has {
	WEFT_WIRE_HAS_DIRECTION = 1,
	WEFT_WIRE_HAS_RATE = 2,
	WEFT_WIRE_HAS_PROPAGATION = 4,
	WEFT_WIRE_HAS_OVERHEAD = 8,
	WEFT_WIRE_HAS_MIN_FRAME = 16,
	WEFT_WIRE_HAS_BITS_PER_ERROR = 32,
	WEFT_WIRE_HAS_UP = 64,
	WEFT_WIRE_HAS_PAYLOAD = 128,
	WEFT_WIRE_HAS_UNIT = 256,
	WEFT_WIRE_HAS_LANES = 512,
	WEFT_WIRE_HAS_LANES_UP = 1024,
};

/**
 * struct weft_wire - one direction of a link
 */
struct weft_wire {
	/** @has: bits of enum weft_wire_has; without the direction it stands for both wires */
	uint32_t has;
	/** @direction: enum weft_direction */
	uint32_t direction;
	/** @rate: bits per second */
	uint64_t rate;
	/** @propagation: propagation delay, ps */
	uint64_t propagation;
	/** @overhead: bytes added on the wire to each frame; with @payload, to each packet */
	uint32_t overhead;
	/** @min_frame: shorter frames are padded to this, bytes */
	uint32_t min_frame;
	/** @bits_per_error: mean distance between bit errors, bits; 0: no bit errors */
	uint64_t bits_per_error;
	/** @up: administrative state: 1 up, 0 down */
	uint32_t up;
	/** @payload: frames are sent as packets of at most that many bytes; 0: as a whole */
	uint32_t payload;
	/** @unit: with @payload: packets are padded to a multiple of this, bytes */
	uint32_t unit;
	/** @lanes: number of lanes; @rate is the sum of their rates */
	uint32_t lanes;
	/** @lanes_up: number of lanes that work */
	uint32_t lanes_up;
	/** @counters: counters of the port that sends on this wire */
	struct weft_counters counters;
	/** @drops: frames lost at that port, by reason */
	struct weft_counters drops;
	/** @cls: counters of its classes; to be freed */
	struct weft_class_states cls;
};

/**
 * struct weft_end - one end of a link
 */
struct weft_end {
	/** @is_nic: it is a NIC, not a port of a switch */
	bool is_nic;
	/** @id: number of the switch, or endpoint id of the NIC */
	uint32_t id;
	/** @port: port of the switch */
	uint32_t port;
};

/**
 * struct weft_link - a link
 */
struct weft_link {
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @name: a label */
	char name[WEFT_NAME_SIZE];
	/** @end: its ends */
	struct weft_end end[2];
	/** @wires: entries of @wire */
	unsigned int wires;
	/** @wire: its wires */
	struct weft_wire wire[2];
};

uint64_t weft_wire_bytes(const struct weft_wire *w, uint64_t len);
uint64_t weft_wire_rate(const struct weft_wire *w);

int weft_link_new(struct weft_nl *nl, struct weft_link *link,
		  struct weft_err *err);
int weft_link_set(struct weft_nl *nl, const struct weft_link *link,
		  struct weft_err *err);
int weft_link_del(struct weft_nl *nl, uint32_t fabric, uint32_t id,
		  struct weft_err *err);
int weft_link_parse(struct nlmsghdr *hdr, struct weft_link *link,
		    struct weft_err *err);
int weft_link_list(struct weft_nl *nl, uint32_t fabric, struct weft_link **list,
		   unsigned int *n, struct weft_err *err);
void weft_link_list_free(struct weft_link *list, unsigned int n);

#endif
