/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Basic types of the model: time, limits, classes, reasons for a drop.
 */
#ifndef FAB_TYPES_H
#define FAB_TYPES_H

#include "core/core_internal.h"

/**
 * typedef fab_time - fabric time in picoseconds since the fabric was created
 *
 * 64 bits hold 213 days, of which the last 13 are never reached (FAB_TIME_END). A
 * picosecond grid is needed because 64 bytes at 800 Gb/s last 640 ps.
 */
typedef u64 fab_time;

#define FAB_NEVER		U64_MAX		/* "no event is due" */
/*
 * The last instant: later events never happen. The rest of the range is larger than
 * anything that is ever added to a time (the longest: 2 MiB at FAB_RATE_MIN, 4.7
 * hours; a random time, 44 times FAB_DELAY_MAX), so no sum overflows.
 */
#define FAB_TIME_END		(FAB_NEVER - BIT_ULL(60))
#define FAB_PS_PER_NS		1000ULL
#define FAB_PS_PER_S		1000000000000ULL
#define FAB_DELAY_MAX		(1000 * FAB_PS_PER_S) /* any single latency */

#define FAB_CLASSES_MAX		16		/* IB has VL0-15 */
#define FAB_VL_MGMT		15U		/* IB: subnet management, without flow control */
#define FAB_PORTS_MAX		1024		/* ports of one switch */
#define FAB_HOPS_MAX		64		/* a packet older than this loops */
#define FAB_NO_DST		U32_MAX
#define FAB_DST_NEXT		(U32_MAX - 1)	/* the next device, whatever it is */

struct fab;
struct fab_control;
struct fab_cut;
struct fab_endpoint;
struct fab_phase;
struct fab_pkt;
struct fab_port;
struct fab_port_params;
struct fab_reduce;
struct fab_switch;
struct fab_traffic;
struct fab_trigger;

/* Why the model dropped a packet: X(NAME, name, text) */
#define FAB_DROPS(X)							\
	X(QUEUE_FULL,	queue_full,	"class queue of the egress port full") \
	X(PORT_LIMIT,	port_limit,	"ingress port's share of the buffer full") \
	X(BUFFER_FULL,	buffer_full,	"shared buffer of the switch full") \
	X(NO_ROUTE,	no_route,	"no route to the destination")	\
	X(LINK_DOWN,	link_down,	"link down")			\
	X(BIT_ERROR,	bit_error,	"bit error on the wire")	\
	X(HOP_LIMIT,	hop_limit,	"forwarding loop")		\
	X(NO_MEMORY,	no_memory,	"no memory for a copy")		\
	X(HEADROOM,	headroom_full,	"lossless class beyond its headroom") \
	X(RX_FULL,	rx_full,	"receive buffer of the NIC full") \
	X(HOQ_LIFE,	hoq_life,	"head-of-queue lifetime over")	\
	X(SWITCH_LIFE,	switch_life,	"lifetime in the switch over")	\
	X(VL_STALL,	vl_stall,	"virtual lane stalled")		\
	X(SL_DROP,	sl_drop,	"service level maps to no virtual lane") \
	X(TOO_LONG,	too_long,	"longer than the virtual lane has room") \
	X(WATCHDOG,	watchdog,	"PFC watchdog drops the class")	\
	X(FAULT,	fault,		"lost to an injected fault")	\
	X(TEARDOWN,	teardown,	"object removed under traffic")	\
	X(INACTIVE,	inactive,	"the port is not active")

/**
 * enum fab_drop - why a packet was dropped
 * @FAB_DROPS: a value per row of it
 */
enum fab_drop {
#define X(NAME, name, text) FAB_DROP_##NAME,
	FAB_DROPS(X)
#undef X
	__FAB_DROP_MAX
};

#define FAB_DROP_COUNT		__FAB_DROP_MAX

/**
 * enum fab_trace - what happened to a packet, for the host's tracing hook
 * @FAB_TRACE_ENQUEUE: it joined a queue of a class at an egress port
 * @FAB_TRACE_TRANSMIT: it started on the wire
 * @FAB_TRACE_MARK: it was marked (ECN CE, IB FECN)
 * @FAB_TRACE_TRIM: it was trimmed to its header
 * @FAB_TRACE_REPLAY: it starts on the wire again
 */
enum fab_trace {
	FAB_TRACE_ENQUEUE,
	FAB_TRACE_TRANSMIT,
	FAB_TRACE_MARK,
	FAB_TRACE_TRIM,
	FAB_TRACE_REPLAY,
};

/**
 * enum fab_notice - what happened to a class of a port, for the same hook
 * @FAB_NOTICE_PAUSED: a pause frame of the peer stops it
 * @FAB_NOTICE_RESUMED: the pause is over
 * @FAB_NOTICE_STALLED: it has a packet, but no credit for it
 * @FAB_NOTICE_UNSTALLED: it sends again
 * @FAB_NOTICE_WATCHDOG: the watchdog found a storm and took over
 * @FAB_NOTICE_RESTORED: the watchdog found the storm over
 */
enum fab_notice {
	FAB_NOTICE_PAUSED,
	FAB_NOTICE_RESUMED,
	FAB_NOTICE_STALLED,
	FAB_NOTICE_UNSTALLED,
	FAB_NOTICE_WATCHDOG,
	FAB_NOTICE_RESTORED,
};

#endif
