/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Background traffic: packets that the fabric makes at an endpoint by itself.
 */
#ifndef FAB_TRAFFIC_H
#define FAB_TRAFFIC_H

#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/sim/moment.h"

#define FAB_TRAFFIC_LEN_MAX	65535U		/* bytes of a frame */
#define FAB_TRAFFIC_DEPTH_MAX	1024U		/* packets */
#define FAB_TRAFFIC_START_MAX	BIT_ULL(63)	/* ps */

/**
 * struct fab_traffic_message - an entry of a trace
 */
struct fab_traffic_message {
	/** @at: when it is offered, ps behind the start; in ascending order */
	fab_time at;
	/** @dst: endpoint id of the destination */
	u32 dst;
	/** @bytes: how much, not 0 */
	u32 bytes;
};

/**
 * struct fab_traffic_params - what a generator sends, and when
 *
 * With @messages it sends those. Otherwise frames of @len bytes go to each of
 * @dst: one after the other at @rate_bps, or without a rate as fast as the
 * NIC takes them.
 */
struct fab_traffic_params {
	/** @moment: what @start counts from; NULL: the time 0 of the fabric */
	struct fab_moment *moment;
	/**
	 * @start: when it begins; a time that is over: at once. Of a generator
	 * that is there, fabric time as soon as its moment came
	 */
	fab_time start;
	/** @duration: how long it offers packets, ps; 0: without end */
	fab_time duration;
	/** @bytes: how much it offers; 0: without end */
	u64 bytes;
	/** @rate_bps: rate on the wire of its NIC, overhead included; 0: none */
	u64 rate_bps;
	/** @on: it offers packets for so long, ps; 0: always */
	fab_time on;
	/** @off: and then none for so long, ps */
	fab_time off;
	/** @drawn_times: these are means of exponential distributions */
	bool drawn_times;
	/** @drawn_dsts: each packet's destination is drawn; otherwise in turn */
	bool drawn_dsts;
	/** @len: bytes of a frame, headers included, FCS and slot excluded */
	u32 len;
	/** @depth: packets of it that wait at the NIC at most */
	u32 depth;
	/** @cls: class at the NIC */
	u8 cls;
	/** @sl: service level */
	u8 sl;
	/** @flags: FAB_PKT_* of its packets */
	u8 flags;
	/** @seed: of its randomness */
	u64 seed;
	/** @dsts: entries of @dst */
	u32 dsts;
	/** @dst: endpoint ids; in use as long as the generator is */
	const u32 *dst;
	/** @messages: entries of @message */
	u32 messages;
	/** @message: what is sent instead; in use as long as the generator is */
	const struct fab_traffic_message *message;
};

/* Of a generator: X(name, text) */
#define FAB_TRAFFIC_COUNTERS(X)						\
	X(offered_packets, "packets that were due")			\
	X(offered_bytes, "bytes of these")				\
	X(sent_packets,	"packets that the NIC took")			\
	X(sent_bytes,	"bytes of these")				\
	X(delivered_packets, "packets that arrived")			\
	X(delivered_bytes, "bytes of these")				\
	X(lost_packets,	"packets that were lost")			\
	X(marked_packets, "packets that arrived with a congestion mark")	\
	X(latency_sum_ps, "time from the NIC's hand to delivery, all together") \
	X(latency_min_ps, "the shortest")				\
	X(latency_max_ps, "the longest")

/**
 * struct fab_traffic_counters - see FAB_TRAFFIC_COUNTERS
 * @X: a member per row of it
 */
struct fab_traffic_counters {
#define X(name, text) u64 name;
	FAB_TRAFFIC_COUNTERS(X)
#undef X
};

/**
 * enum fab_traffic_state - where a generator is in its time
 * @FAB_TRAFFIC_WAITING: not begun, or between two windows
 * @FAB_TRAFFIC_ACTIVE: it offers packets
 * @FAB_TRAFFIC_OVER: it offers no more
 */
enum fab_traffic_state {
	FAB_TRAFFIC_WAITING,
	FAB_TRAFFIC_ACTIVE,
	FAB_TRAFFIC_OVER,
};

/**
 * struct fab_traffic - a generator
 */
struct fab_traffic {
	/** @next: the fabric's next */
	struct fab_traffic *next;
	/** @at: what points to it in the fabric's list */
	struct fab_traffic **at;
	/** @ep_next: the endpoint's next */
	struct fab_traffic *ep_next;
	/** @ep_at: what points to it in the endpoint's list */
	struct fab_traffic **ep_at;
	/** @ep: the endpoint that sends; NULL: removed */
	struct fab_endpoint *ep;
	/** @p: parameters */
	struct fab_traffic_params p;
	/** @waiter: waits for its moment */
	struct fab_waiter waiter;
	/** @due: fires when a packet is due, a window begins or ends */
	struct fab_event due;
	/** @go: fires when what was held back may go on */
	struct fab_event go;
	/** @on: in a window */
	bool on;
	/** @over: it offers no more */
	bool over;
	/** @resting: until @go, as what it sends is lost at once */
	bool resting;
	/** @next_at: when the next packet or message is due */
	fab_time next_at;
	/** @edge: when the window begins or ends */
	fab_time edge;
	/** @stop: when it is over */
	fab_time stop;
	/** @rest: what @next_at lacks of the exact time, in 1 / rate_bps ps */
	u64 rest;
	/** @times: generator of windows */
	u64 times;
	/** @dsts: generator of destinations */
	u64 dsts;
	/** @turn: destination whose turn it is */
	u32 turn;
	/** @heard: messages offered */
	u32 heard;
	/** @said: message that is being sent */
	u32 said;
	/** @left: bytes of it that are to be sent */
	u32 left;
	/** @free: packets that it may use; the host's to fill */
	struct fab_fifo free;
	/** @inside: packets in the fabric */
	u32 inside;
	/** @waiting: of these, packets at the NIC */
	u32 waiting;
	/** @c: counters */
	struct fab_traffic_counters c;
};

int fab_traffic_params_check(const struct fab_traffic_params *p, u32 classes);
void fab_traffic_add(struct fab *fab, struct fab_endpoint *ep,
		     struct fab_traffic *t,
		     const struct fab_traffic_params *p);
void fab_traffic_remove(struct fab *fab, struct fab_traffic *t);
enum fab_traffic_state fab_traffic_state(const struct fab_traffic *t);

/* for the host: what became of a packet */
void fab_traffic_sent(struct fab *fab, struct fab_traffic *t);
void fab_traffic_delivered(struct fab *fab, struct fab_traffic *t,
			   struct fab_pkt *pkt);
void fab_traffic_lost(struct fab *fab, struct fab_traffic *t,
		      struct fab_pkt *pkt, bool waited);

/* for the endpoint and its link */
void fab_traffic_room(struct fab *fab, struct fab_endpoint *ep, u8 cls);
void fab_traffic_kick(struct fab *fab, struct fab_endpoint *ep);
const char *fab_traffic_check(const struct fab *fab, u64 *events);

#endif
