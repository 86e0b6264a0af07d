/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways of single packets through a fabric, put together from their steps.
 */
#ifndef WEFT_JOURNEY_H
#define WEFT_JOURNEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "packet/trail.h"

#define WEFT_JOURNEY_DATA	128
#define WEFT_JOURNEY_HOPS	66	/* the model drops what passes 64 switches */

/**
 * enum weft_fate - what became of a packet
 * @WEFT_FATE_UNDER_WAY: nothing yet
 * @WEFT_FATE_DELIVERED: a NIC gave it to its host
 * @WEFT_FATE_LOST: it was dropped
 */
enum weft_fate {
	WEFT_FATE_UNDER_WAY,
	WEFT_FATE_DELIVERED,
	WEFT_FATE_LOST,
};

/**
 * struct weft_hop - a packet at a port, and on the wire behind it
 *
 * All times are ps of fabric time.
 */
struct weft_hop {
	/** @place: the port */
	struct weft_place place;
	/** @joined: when it joined a queue of the port */
	uint64_t joined;
	/** @ready: when it could be sent at the earliest */
	uint64_t ready;
	/** @held: how long of its waiting the far end held the class back, ps */
	uint64_t held;
	/** @queued: bytes in the queues of the port when it joined */
	uint64_t queued;
	/** @is_sent: its first bit was sent; the times below count only then */
	bool is_sent;
	/** @sent: when its first bit was */
	uint64_t sent;
	/** @until: when its last bit was */
	uint64_t until;
	/** @has_arrived: the far end has it */
	bool has_arrived;
	/** @arrived: when the far end acted on it */
	uint64_t arrived;
	/** @replays: how many times it was sent again */
	unsigned int replays;
	/** @cls: class on the wire */
	uint32_t cls;
	/** @marked: it was marked with congestion here */
	bool marked;
	/** @trimmed: it was cut down to its header here */
	bool trimmed;
};

/**
 * struct weft_journey - the way of a packet
 */
struct weft_journey {
	/** @id: the kernel's name for it */
	uint64_t id;
	/** @number: of all that set out, from 1 on */
	uint64_t number;
	/** @copy_of: number of the packet that it is a copy of, 0 for none */
	uint64_t copy_of;
	/** @is_new: it is a copy, and nothing happened to it yet */
	bool is_new;
	/** @born: when its host handed it in, ps */
	uint64_t born;
	/** @source: NIC that it set out from */
	struct weft_place source;
	/** @length: bytes of all its frames when it set out */
	uint32_t length;
	/** @segments: frames that it stands for */
	uint32_t segments;
	/** @sl: service level or priority */
	uint32_t sl;
	/** @dst: endpoint id of the destination; not with WEFT_FRAME_MULTICAST */
	uint32_t dst;
	/** @flags: WEFT_FRAME_*, as of its last step */
	uint32_t flags;
	/** @marks: marks that it got before it joined the next queue */
	bool marks;
	/** @trims: the same of being cut down */
	bool trims;
	/** @hops: entries of @hop */
	unsigned int hops;
	/** @hop: the ports that it went through */
	struct weft_hop *hop;
	/** @fate: what became of it */
	enum weft_fate fate;
	/** @end: when, ps */
	uint64_t end;
	/** @where: port that delivered or lost it */
	struct weft_place where;
	/** @reason: why it was lost */
	char reason[32];
	/** @data: its first bytes */
	uint8_t data[WEFT_JOURNEY_DATA];
	/** @len: how many */
	size_t len;
};

/**
 * struct weft_journeys - the packets that are under way
 */
struct weft_journeys {
	/** @wanted: is a packet that sets out to be followed? NULL: all are */
	bool (*wanted)(const struct weft_journey *j, void *ctx);
	/** @done: takes each that has come to an end; 0 or negative errno */
	int (*done)(const struct weft_journey *j, void *ctx,
		    struct weft_err *err);
	/** @ctx: for both */
	void *ctx;
	/** @born: packets that were followed so far */
	uint64_t born;
	/** @under_way: by id, a tree of search.h */
	void *under_way;
	/** @stalls: classes that are held back, another such tree */
	void *stalls;
};

void weft_journeys_init(struct weft_journeys *js);
int weft_journeys_step(struct weft_journeys *js, const struct weft_step *s,
		       struct weft_err *err);
int weft_journeys_rest(struct weft_journeys *js, struct weft_err *err);
void weft_journeys_free(struct weft_journeys *js);
bool weft_place_equal(const struct weft_place *a, const struct weft_place *b);

#endif
