/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journeys: paths of single packets through a fabric, assembled from their steps.
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
 * enum weft_fate - fate of a packet
 * @WEFT_FATE_UNDER_WAY: it is in the fabric
 * @WEFT_FATE_DELIVERED: a NIC delivered it to its host
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
	/**
	 * @held: part of its wait during which the far end held the class back,
	 * ps
	 */
	uint64_t held;
	/** @queued: bytes in the queues of the port when it joined */
	uint64_t queued;
	/**
	 * @is_sent: its first bit was sent; the members below are valid only then
	 */
	bool is_sent;
	/** @sent: when its first bit was sent */
	uint64_t sent;
	/** @until: when its last bit was sent */
	uint64_t until;
	/** @has_arrived: the far end has received it */
	bool has_arrived;
	/** @arrived: when the far end processed it */
	uint64_t arrived;
	/** @replays: how many times it was sent again */
	unsigned int replays;
	/** @cls: class on the wire */
	uint32_t cls;
	/** @marked: it got a congestion mark here */
	bool marked;
	/** @trimmed: it was cut down to its header here */
	bool trimmed;
};

/**
 * struct weft_journey - the journey of a packet
 */
struct weft_journey {
	/** @id: the kernel's id of the packet */
	uint64_t id;
	/** @number: its number among the packets that are followed, from 1 on */
	uint64_t number;
	/** @copy_of: number of the original if it is a copy, otherwise 0 */
	uint64_t copy_of;
	/** @is_new: it is a copy without a step of its own so far */
	bool is_new;
	/** @born: when its host passed it to the NIC, ps */
	uint64_t born;
	/** @source: the NIC that sent it */
	struct weft_place source;
	/** @length: bytes of all its frames at the source */
	uint32_t length;
	/** @segments: number of frames that it represents */
	uint32_t segments;
	/** @sl: service level or priority */
	uint32_t sl;
	/** @dst: endpoint id of the destination; not with WEFT_FRAME_MULTICAST */
	uint32_t dst;
	/** @flags: WEFT_FRAME_* after its last step */
	uint32_t flags;
	/** @marks: it got a congestion mark that no hop has recorded yet */
	bool marks;
	/** @trims: it was trimmed, and no hop has recorded that yet */
	bool trims;
	/** @hops: entries of @hop */
	unsigned int hops;
	/** @hop: the ports on its path */
	struct weft_hop *hop;
	/** @fate: its fate */
	enum weft_fate fate;
	/** @end: when it was delivered or lost, ps */
	uint64_t end;
	/** @where: the port that delivered or lost it */
	struct weft_place where;
	/** @reason: why it was lost */
	char reason[32];
	/** @data: its first bytes */
	uint8_t data[WEFT_JOURNEY_DATA];
	/** @len: bytes of @data */
	size_t len;
};

/**
 * struct weft_journeys - the packets in a fabric
 */
struct weft_journeys {
	/** @wanted: returns whether to follow a new packet; NULL: follow all */
	bool (*wanted)(const struct weft_journey *j, void *ctx);
	/**
	 * @done: called for each packet that was delivered or lost; 0 or
	 * negative errno
	 */
	int (*done)(const struct weft_journey *j, void *ctx,
		    struct weft_err *err);
	/** @ctx: context of @wanted and @done */
	void *ctx;
	/** @born: number of packets followed so far */
	uint64_t born;
	/** @under_way: packets by id, a tree of search.h */
	void *under_way;
	/** @stalls: times when classes were held back, another such tree */
	void *stalls;
};

void weft_journeys_init(struct weft_journeys *js);
int weft_journeys_step(struct weft_journeys *js, const struct weft_step *s,
		       struct weft_err *err);
int weft_journeys_rest(struct weft_journeys *js, struct weft_err *err);
void weft_journeys_free(struct weft_journeys *js);
bool weft_place_equal(const struct weft_place *a, const struct weft_place *b);

#endif
