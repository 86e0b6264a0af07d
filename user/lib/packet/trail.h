/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of packets through a fabric, as the kernel tells them.
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
	/** @known: it happened somewhere: only then the others count */
	bool known;
	/** @is_nic: a NIC */
	bool is_nic;
	/** @sw: the switch, where it is none */
	uint32_t sw;
	/** @port: port of the switch, or endpoint id of the NIC */
	uint32_t port;
};

/**
 * struct weft_step - something that happened to a packet, or to a class
 */
struct weft_step {
	/** @what: enum weft_trail_what */
	uint32_t what;
	/** @time: when, ps of fabric time */
	uint64_t time;
	/** @id: the packet, as long as it is in the fabric; 0: a class */
	uint64_t id;
	/** @parent: copy: the packet that it is a copy of */
	uint64_t parent;
	/** @place: where */
	struct weft_place place;
	/** @ready: enqueue: when it may be sent at the earliest, ps */
	uint64_t ready;
	/** @until: transmit: when its last bit is sent, ps */
	uint64_t until;
	/** @queued: enqueue: bytes in the queues of the port, its own included */
	uint64_t queued;
	/** @length: bytes of all its frames, without FCS */
	uint32_t length;
	/** @segments: frames that it stands for */
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
	/** @len: how many */
	size_t len;
};

/**
 * typedef weft_trail_fn - takes one step
 * @s: the step
 * @ctx: as given
 * @err: to be filled on error
 *
 * Return: 0 to go on, negative errno to end.
 */
typedef int (*weft_trail_fn)(const struct weft_step *s, void *ctx,
			    struct weft_err *err);

/**
 * struct weft_trail - a fabric that is followed
 */
struct weft_trail {
	/** @nl: socket that the steps come to */
	struct weft_nl nl;
	/** @events: tells of the end of the fabric */
	struct weft_events events;
	/** @fn: takes the steps */
	weft_trail_fn fn;
	/** @ctx: for @fn */
	void *ctx;
	/** @lost: steps that found no room in the socket, as far as is known */
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
