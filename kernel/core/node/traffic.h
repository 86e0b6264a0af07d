/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Background traffic: packets that the fabric generates at an endpoint.
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
	/** @at: when it is offered, ps after the start; in ascending order */
	fab_time at;
	/** @dst: endpoint id of the destination */
	u32 dst;
	/** @bytes: length, not 0 */
	u32 bytes;
};

/**
 * struct fab_traffic_params - parameters of a generator
 *
 * With @messages it sends those. Otherwise it sends frames of @len bytes to the
 * destinations @dst, at @rate_bps, or without a rate as fast as the NIC takes them.
 */
struct fab_traffic_params {
	/** @moment: moment from which @start counts; NULL: the time 0 of the fabric */
	struct fab_moment *moment;
	/**
	 * @start: when it begins, ps after @moment; in the past: at once. Once the
	 * moment of an added generator has come, this is fabric time.
	 */
	fab_time start;
	/** @duration: time during which it offers packets, ps; 0: no limit */
	fab_time duration;
	/** @bytes: bytes that it offers in total; 0: no limit */
	u64 bytes;
	/** @rate_bps: bits per second on the wire of its NIC, overhead included; 0: none */
	u64 rate_bps;
	/** @on: length of a window in which it offers packets, ps; 0: always */
	fab_time on;
	/** @off: length of the pause after a window, ps */
	fab_time off;
	/** @drawn_times: @on and @off are means of exponential distributions */
	bool drawn_times;
	/** @drawn_dsts: each packet's destination is drawn; otherwise round robin */
	bool drawn_dsts;
	/** @len: bytes of a frame with headers, without FCS, preamble and gap */
	u32 len;
	/** @depth: maximum number of its packets that wait at the NIC */
	u32 depth;
	/** @cls: class at the NIC */
	u8 cls;
	/** @sl: service level */
	u8 sl;
	/** @flags: FAB_PKT_* of its packets */
	u8 flags;
	/** @seed: seed of its random numbers */
	u64 seed;
	/** @name: name of its events, see fab_event_name(); 0: none */
	u64 name;
	/** @dsts: entries of @dst */
	u32 dsts;
	/** @dst: endpoint ids; must live as long as the generator */
	const u32 *dst;
	/** @messages: entries of @message */
	u32 messages;
	/** @message: messages to send; must live as long as the generator */
	const struct fab_traffic_message *message;
};

/* Counters of a generator: X(name, text) */
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
 * enum fab_traffic_state - state of a generator
 * @FAB_TRAFFIC_WAITING: it has not begun, or is between two windows
 * @FAB_TRAFFIC_ACTIVE: it offers packets
 * @FAB_TRAFFIC_OVER: it offers no more packets
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
	/** @due: fires when a packet is due, or a window begins or ends */
	struct fab_event due;
	/** @go: fires when offered packets that wait may be handed to the NIC */
	struct fab_event go;
	/** @on: in a window */
	bool on;
	/** @over: it offers no more packets */
	bool over;
	/** @resting: it sends nothing until @go, as a packet was lost at once */
	bool resting;
	/** @next_at: when the next packet or message is due */
	fab_time next_at;
	/** @edge: when the window begins or ends */
	fab_time edge;
	/** @stop: when it is over */
	fab_time stop;
	/** @rest: difference of @next_at to the exact time, in units of 1 / rate_bps ps */
	u64 rest;
	/** @times: random state of windows */
	u64 times;
	/** @dsts: random state of destinations */
	u64 dsts;
	/** @turn: destination of the next packet, without @p.drawn_dsts */
	u32 turn;
	/** @heard: messages offered */
	u32 heard;
	/** @said: message that is being sent */
	u32 said;
	/** @left: bytes of it that remain to be sent */
	u32 left;
	/** @free: packets that it may use; the host fills it */
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

/* for the host: reports on a packet */
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
