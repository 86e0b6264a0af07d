/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SRD, a scalable reliable datagram: both ends of what one NIC sends to another.
 *
 * DOC: theory of operation
 *
 * All queue pairs of a NIC share one sender for each NIC that they send to. It numbers
 * packets (PSN) and sprays them over paths, which differ in what switches hash. Each packet
 * is acknowledged, and nothing waits for the one before. srd_path.c has the paths: a window
 * of Swift each, delay and loss; srd_tx.c the packets that are on their way; srd_rx.c what
 * the receiver knows.
 *
 * Nothing here has events or memory of its own. The owner sends what it is told to, calls
 * fab_srd_check() at fab_srd_due(), and knows what packets carry.
 *
 * Source: Shalev et al., A Cloud-Optimized Transport Protocol for Elastic and Scalable HPC,
 * IEEE Micro 40(6), 2020: reliable, out of order, sprayed by an entropy that the sender
 * chooses, paths that are avoided when their round trip grows, contexts per pair of NICs.
 * Its algorithms are not published; those here are Weft's.
 */
#ifndef FAB_SRD_H
#define FAB_SRD_H

#include "core/cc/swift.h"
#include "core/types.h"

#define FAB_SRD_WINDOW		512	/* PSNs, a power of two; 91 us of 8928 bytes at 400 Gb/s */
#define FAB_SRD_PATHS		64	/* of a sender at most */
#define FAB_SRD_TRIES		10	/* of a packet, until its receiver counts as gone */
#define FAB_SRD_SACK		64	/* PSNs that an acknowledgement tells of */

/**
 * struct fab_srd_params - parameters of senders
 */
struct fab_srd_params {
	/** @paths: paths in use, 1 to FAB_SRD_PATHS */
	u32 paths;
	/** @target: delay that the windows aim at, ps */
	fab_time target;
	/** @reorder: how late a packet may be, behind one of the same path, ps */
	fab_time reorder;
	/** @timeout: after which a packet is lost in any case; doubles at each try, ps */
	fab_time timeout;
};

/**
 * struct fab_srd_path - a path of a sender
 */
struct fab_srd_path {
	/** @cc: the window of the sender, if all paths were like this one */
	struct fab_swift cc;
	/** @delay: smoothed time to the acknowledgement, ps; 0: none yet */
	fab_time delay;
	/** @front: when the latest packet that has arrived was sent */
	fab_time front;
	/** @front_delay: its delay, ps */
	fab_time front_delay;
	/** @not_before: pace: no packet is sent before */
	fab_time not_before;
	/** @probe_at: with @failed: when a probe is sent */
	fab_time probe_at;
	/** @flight: packets on their way */
	u32 flight;
	/** @next: number that the next packet gets on this path */
	u32 next;
	/** @low: the first of these that has not arrived, unless it is lost */
	u32 low;
	/** @loss: estimate: share of packets that are lost, 1/65536 */
	u32 loss;
	/** @failed: how many timeouts in a row; 0: the path is in use */
	u32 failed;
};

/**
 * enum fab_srd_state - state of a PSN at the sender
 * @FAB_SRD_DONE: its packet has arrived, or is given up
 * @FAB_SRD_WAITS: it was given to the NIC and is not on the wire yet
 * @FAB_SRD_FLIES: it is on its way
 * @FAB_SRD_LOST: it has to be sent again
 */
enum fab_srd_state {
	FAB_SRD_DONE,
	FAB_SRD_WAITS,
	FAB_SRD_FLIES,
	FAB_SRD_LOST,
};

/**
 * struct fab_srd_slot - a packet that is not acknowledged
 */
struct fab_srd_slot {
	/** @job: what it belongs to: the owner's */
	void *job;
	/** @sent: when its first bit was on the wire */
	fab_time sent;
	/** @offset: of its payload: the owner's */
	u32 offset;
	/** @number: its number on its path */
	u32 number;
	/** @len: bytes of payload: the owner's */
	u16 len;
	/** @path: index of its path */
	u8 path;
	/** @state: enum fab_srd_state */
	u8 state:4;
	/** @tries: how often it was sent */
	u8 tries:4;
};

/**
 * struct fab_srd_tx - a sender
 */
struct fab_srd_tx {
	/** @p: parameters */
	struct fab_srd_params p;
	/** @next: PSN of the next new packet */
	u32 next;
	/** @una: the oldest PSN that is not done */
	u32 una;
	/** @lost: PSNs in state LOST */
	u32 lost;
	/** @flight: packets on their way, on all paths */
	u32 flight;
	/** @window: sum of the windows of all paths */
	u64 window;
	/** @front: when the latest packet that has arrived was sent */
	fab_time front;
	/** @slowest: smoothed delay of the slowest path, ps; at most too long */
	fab_time slowest;
	/** @turn: path that was used last */
	u32 turn;
	/** @due: when fab_srd_check() has to be called; FAB_NEVER: not at all */
	fab_time due;
	/** @path: the paths */
	struct fab_srd_path path[FAB_SRD_PATHS];
	/** @slot: by PSN modulo FAB_SRD_WINDOW */
	struct fab_srd_slot slot[FAB_SRD_WINDOW];
};

/**
 * enum fab_srd_verdict - what a receiver says of a packet
 * @FAB_SRD_NEW: it was not seen before
 * @FAB_SRD_SEEN: it was, and was taken, or its sender has given it up
 * @FAB_SRD_REFUSED: it was, and was refused: for the same reason again
 * @FAB_SRD_BEYOND: it is beyond the window
 */
enum fab_srd_verdict {
	FAB_SRD_NEW,
	FAB_SRD_SEEN,
	FAB_SRD_REFUSED,
	FAB_SRD_BEYOND,
};

/**
 * struct fab_srd_rx - a receiver
 */
struct fab_srd_rx {
	/** @epsn: all packets before were taken, or given up */
	u32 epsn;
	/** @what: by PSN modulo FAB_SRD_WINDOW: 0: not here; 1: taken; else why it is refused */
	u8 what[FAB_SRD_WINDOW];
};

#define FAB_SRD_TAKEN	1	/* of fab_srd_rx.what */

static inline struct fab_srd_slot *fab_srd_slot(struct fab_srd_tx *tx, u32 psn)
{
	return &tx->slot[psn & (FAB_SRD_WINDOW - 1)];
}

/**
 * fab_srd_has_room() - may a new packet be added?
 * @tx: the sender
 *
 * Return: true if there is a PSN for it.
 */
static inline bool fab_srd_has_room(const struct fab_srd_tx *tx)
{
	return tx->next - tx->una < FAB_SRD_WINDOW;
}

/**
 * fab_srd_due() - when fab_srd_check() has to be called
 * @tx: the sender
 *
 * Return: fabric time, FAB_NEVER for not at all. It may be later after fab_srd_sent() and
 * fab_srd_acked() than before.
 */
static inline fab_time fab_srd_due(const struct fab_srd_tx *tx)
{
	return tx->due;
}

/* srd_tx.c */
void fab_srd_tx_init(struct fab_srd_tx *tx, const struct fab_srd_params *p, fab_time packet);
u32 fab_srd_add(struct fab_srd_tx *tx, void *job, u32 offset, u32 len);
bool fab_srd_lost_psn(struct fab_srd_tx *tx, u32 *psn);
void fab_srd_start(struct fab_srd_tx *tx, u32 psn, u32 path, fab_time now);
void fab_srd_sent(struct fab_srd_tx *tx, u32 psn, fab_time now);
bool fab_srd_acked(struct fab_srd_tx *tx, u32 psn, u32 path, fab_time sent, fab_time now);
bool fab_srd_done(struct fab_srd_tx *tx, u32 psn);
bool fab_srd_gone(struct fab_srd_tx *tx, u32 *psn);
u32 fab_srd_check(struct fab_srd_tx *tx, fab_time now);

/* srd_path.c */
void fab_srd_path_init(struct fab_srd_path *path, const struct fab_srd_params *p,
		       fab_time packet);
int fab_srd_pick(struct fab_srd_tx *tx, fab_time now, fab_time *when);
fab_time fab_srd_pace(const struct fab_srd_tx *tx, const struct fab_srd_path *path, fab_time now);
int fab_srd_probe(struct fab_srd_tx *tx, fab_time now);
void fab_srd_path_alive(struct fab_srd_path *path);
void fab_srd_path_arrived(struct fab_srd_tx *tx, struct fab_srd_path *path, fab_time sent,
			  fab_time now);
void fab_srd_path_lost(struct fab_srd_tx *tx, struct fab_srd_path *path, fab_time now,
		       bool timeout);

/* srd_rx.c */
void fab_srd_rx_init(struct fab_srd_rx *rx, u32 una);
enum fab_srd_verdict fab_srd_rx_look(struct fab_srd_rx *rx, u32 psn, u32 una, u8 *why);
void fab_srd_rx_set(struct fab_srd_rx *rx, u32 psn, u8 what);
u64 fab_srd_rx_bits(const struct fab_srd_rx *rx, u32 psn, u32 *first);

#endif
