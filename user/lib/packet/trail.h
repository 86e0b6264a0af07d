/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trails: the steps of packets through a fabric, as the kernel reports them.
 */
#ifndef WEFT_TRAIL_H
#define WEFT_TRAIL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/weft.h>

#include "base/err.h"
#include "lab/events.h"
#include "lab/lab.h"
#include "netlink/nl.h"

/**
 * struct weft_place - a port of a fabric
 */
struct weft_place {
	/**
	 * @known: the port is known; otherwise the other members are not valid
	 */
	bool known;
	/** @is_nic: it is a NIC */
	bool is_nic;
	/** @sw: id of the switch; not for a NIC */
	uint32_t sw;
	/** @port: port of the switch, or endpoint id of the NIC */
	uint32_t port;
};

/**
 * struct weft_step - an event of a packet, or of a class
 */
struct weft_step {
	/** @what: kind of event, enum weft_trail_what */
	uint32_t what;
	/** @time: when, ps of fabric time */
	uint64_t time;
	/**
	 * @id: id of the packet, unique while it is in the fabric; 0: event of
	 * a class
	 */
	uint64_t id;
	/** @parent: copy: id of the original */
	uint64_t parent;
	/** @place: where */
	struct weft_place place;
	/** @ready: enqueue: earliest time to send it, ps */
	uint64_t ready;
	/** @until: transmit: when its last bit is sent, ps */
	uint64_t until;
	/** @queued: enqueue: bytes in the queues of the port, with this packet */
	uint64_t queued;
	/** @length: bytes of all its frames, without FCS */
	uint32_t length;
	/** @segments: number of frames that it represents */
	uint32_t segments;
	/** @cls: class on the wire of this port */
	uint32_t cls;
	/** @sl: service level or priority */
	uint32_t sl;
	/** @dst: endpoint id of the destination; not with WEFT_FRAME_MULTICAST */
	uint32_t dst;
	/** @flags: WEFT_FRAME_* */
	uint32_t flags;
	/** @reason: drop: why */
	const char *reason;
	/** @data: enqueue at a NIC: its first bytes; valid until the callback returns */
	const uint8_t *data;
	/** @len: bytes of @data */
	size_t len;
};

/**
 * typedef weft_trail_fn - handles a step
 * @s: the step
 * @ctx: context of the trail
 * @err: to be set on error
 *
 * Return: 0 to go on, negative errno to end.
 */
typedef int (*weft_trail_fn)(const struct weft_step *s, void *ctx,
			    struct weft_err *err);

/**
 * struct weft_trail - a fabric whose packets are followed
 */
struct weft_trail {
	/** @nl: socket that receives the steps */
	struct weft_nl nl;
	/** @events: events, such as the removal of the fabric */
	struct weft_events events;
	/** @fn: called for each step */
	weft_trail_fn fn;
	/** @ctx: for @fn */
	void *ctx;
	/**
	 * @lost: steps lost because the socket's buffer was full, by the last
	 * message
	 */
	uint64_t lost;
	/** @gone: the fabric is gone */
	bool gone;
};

int weft_trail_open(struct weft_trail *t, const struct weft_lab *lab,
		    struct weft_err *err);
int weft_trail_wait(struct weft_trail *t, int timeout_ms, const sigset_t *mask,
		    struct weft_err *err);
uint64_t weft_trail_lost(const struct weft_trail *t);
void weft_trail_close(struct weft_trail *t);

#endif
