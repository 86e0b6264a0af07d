/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, declared once: netlink, ethtool, JSON, the simulator and the tests
 * take names and order from here.
 */
#ifndef FAB_COUNTERS_H
#define FAB_COUNTERS_H

#include "core/types.h"

/* Per port: X(name, text) */
#define FAB_PORT_COUNTERS(X)						\
	X(tx_packets,	"frames sent")					\
	X(tx_bytes,	"bytes sent, FCS and slot excluded")		\
	X(tx_wire_bytes, "bytes sent, per-packet overhead included")	\
	X(tx_busy_ps,	"time that the outgoing wire was busy")		\
	X(rx_packets,	"frames received intact")			\
	X(rx_bytes,	"bytes received intact, FCS and slot excluded")	\
	X(queue,	"bytes queued for the wire now")		\
	X(queue_peak,	"most bytes ever queued for the wire")		\
	X(tx_wait_ps,	"time that packets waited while the wire was idle") \
	X(tx_control,	"control frames sent")				\
	X(rx_control,	"control frames received")			\
	X(lost_control,	"control frames lost to bit errors")		\
	X(tx_replays,	"frames sent once more after an error")		\
	X(rx_replays,	"frames that arrived with an error, to be replayed") \
	X(naks,		"replays asked for")

/**
 * struct fab_port_counters - see FAB_PORT_COUNTERS and FAB_DROPS
 * @X: a member per row of FAB_PORT_COUNTERS
 */
struct fab_port_counters {
#define X(name, text) u64 name;
	FAB_PORT_COUNTERS(X)
#undef X
	/** @drops: frames lost at this port, by reason */
	u64 drops[FAB_DROP_COUNT];
};

/* Per class of a port: X(name, text) */
#define FAB_CLASS_COUNTERS(X)						\
	X(tx_packets,	"frames sent")					\
	X(tx_bytes,	"bytes sent, FCS and slot excluded")		\
	X(rx_packets,	"frames received intact")			\
	X(rx_bytes,	"bytes received intact, FCS and slot excluded")	\
	X(wait_ps,	"time that the far end held packets back")	\
	X(tx_pause,	"pauses and resumes sent")			\
	X(rx_pause,	"pauses and resumes received")			\
	X(marked,	"frames marked with congestion")		\
	X(trimmed,	"frames cut down to their header")		\
	X(watchdogs,	"storms that the watchdog found")		\
	X(buffer_peak,	"most bytes ever held in the receive buffer")	\
	X(dropped,	"frames lost at this port, for any reason")	\
	X(first_drop_ps, "when the first of them was lost")		\
	X(first_watchdog_ps, "when the watchdog found its first storm")	\
	X(held_since_ps, "since when the far end holds packets back, 0: it does not")

/**
 * struct fab_class_counters - see FAB_CLASS_COUNTERS
 * @X: a member per row of it
 */
struct fab_class_counters {
#define X(name, text) u64 name;
	FAB_CLASS_COUNTERS(X)
#undef X
};

/* Receive side of an endpoint: X(name, text) */
#define FAB_MODERATION_COUNTERS(X)					\
	X(rx_interrupts, "interrupts that told the host of frames")	\
	X(rx_interrupts_once, "of these at once, as nothing was held")	\
	X(rx_interrupts_frames, "as rx-frames were held")		\
	X(rx_interrupts_usecs, "as one was held for rx-usecs")		\
	X(rx_interrupts_gap, "adaptive, as the stream had a gap")	\
	X(rx_moderated,	"frames for the host, held back or not")

/**
 * struct fab_moderation_counters - see FAB_MODERATION_COUNTERS
 * @X: a member per row of it
 */
struct fab_moderation_counters {
#define X(name, text) u64 name;
	FAB_MODERATION_COUNTERS(X)
#undef X
};

/* Per fabric: X(name, text) */
#define FAB_COUNTERS(X)							\
	X(packets_in,	"packets handed in by hosts")			\
	X(packets_cloned, "copies made by replication")			\
	X(packets_delivered, "packets given to hosts")			\
	X(packets_dropped, "packets given back undelivered")		\
	X(events,	"events executed")				\
	X(hops,		"transmissions begun, at endpoints and switches")

/**
 * struct fab_counters - see FAB_COUNTERS
 * @X: a member per row of FAB_COUNTERS
 */
struct fab_counters {
#define X(name, text) u64 name;
	FAB_COUNTERS(X)
#undef X
};

#endif
