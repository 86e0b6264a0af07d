/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet as the model sees it: a handle without payload.
 */
#ifndef FAB_PKT_H
#define FAB_PKT_H

#include "core/types.h"

/* fab_pkt.flags */
#define FAB_PKT_MULTICAST	BIT(0)	/* replicated by the switches */
#define FAB_PKT_ECT		BIT(1)	/* transport understands congestion marks */
#define FAB_PKT_CE		BIT(2)	/* congestion experienced (ECN CE, IB FECN) */
#define FAB_PKT_CORRUPT		BIT(3)	/* a bit error hit it: dropped where the CRC is checked */
#define FAB_PKT_TRIMMED		BIT(4)	/* trimmed to its header by a switch */
#define FAB_PKT_COPY		BIT(5)	/* replicated by this switch: holds no credits */
#define FAB_PKT_HW		BIT(6)	/* made by a NIC's hardware, not by a network stack */
#define FAB_PKT_LATE		BIT(7)	/* held back by a fault: others may overtake it */

/**
 * struct fab_pkt - handle of one packet, or of one train of packets
 *
 * It fits skb->cb (48 bytes). The host sets length, flow hash, destination, segments,
 * class, service level and flags, and clears the others, before it hands the packet
 * in. It gets the packet back by exactly one of the callbacks deliver and drop. While
 * the packet is in the fabric every field belongs to the model.
 */
struct fab_pkt {
	/** @next: successor in the one queue that holds the packet */
	struct fab_pkt *next;
	/** @at: when the packet may move on: arrival on a wire, eligibility in a queue */
	fab_time at;
	/** @born: when the host handed it in, for the latency histogram */
	fab_time born;
	/** @len: bytes of all frames of the train, headers included, FCS and slot excluded */
	u32 len;
	/** @flow_hash: hash of the flow's addresses; 0: not known yet, fab_set_flow_hash() */
	u32 flow_hash;
	/**
	 * @dst: destination: id of an endpoint, number of a switch (fab_switch_params.dst),
	 * FAB_DST_NEXT or FAB_NO_DST. With FAB_PKT_MULTICAST: the group, or FAB_NO_DST
	 * for all; used by switches with multicast groups
	 */
	u32 dst;
	/** @segs: frames in the train, 1 for a plain packet */
	u16 segs;
	/** @ingress: port of the switch that holds it, where its buffer is accounted */
	u16 ingress;
	/** @cls: class on the present wire */
	u8 cls;
	/** @cls_in: class at @ingress, where its buffer is accounted */
	u8 cls_in;
	/** @sl: service level (IB SL, Ethernet priority), constant end to end */
	u8 sl;
	/** @flags: FAB_PKT_* */
	u8 flags;
	/** @hops: switches passed */
	u8 hops;
	/** @phased: phases count it (phase.h) */
	bool phased;
	/** @again: the first of those that a link sends once more (retry.c) */
	bool again;
	/** @roomless: made by this switch, which holds it in other memory than the ports' */
	bool roomless;
};

/**
 * fab_pkt_frame() - bytes of one frame of a packet
 * @pkt: the packet; frames of a train are taken to be of equal length
 *
 * Return: bytes, rounded up.
 */
static inline u32 fab_pkt_frame(const struct fab_pkt *pkt)
{
	return pkt->segs > 1 ? DIV_ROUND_UP(pkt->len, pkt->segs) : pkt->len;
}

/**
 * struct fab_fifo - queue of packets, linked through fab_pkt.next
 */
struct fab_fifo {
	/** @head: oldest packet, NULL when empty */
	struct fab_pkt *head;
	/** @tail: newest packet, undefined when empty */
	struct fab_pkt *tail;
};

static inline void fab_fifo_push(struct fab_fifo *q, struct fab_pkt *pkt)
{
	pkt->next = NULL;
	if (q->head)
		q->tail->next = pkt;
	else
		q->head = pkt;
	q->tail = pkt;
}

static inline struct fab_pkt *fab_fifo_pop(struct fab_fifo *q)
{
	struct fab_pkt *pkt = q->head;

	if (pkt)
		q->head = pkt->next;
	return pkt;
}

/* Move all of @more behind @q. */
static inline void fab_fifo_join(struct fab_fifo *q, struct fab_fifo *more)
{
	if (!more->head)
		return;
	if (q->head)
		q->tail->next = more->head;
	else
		q->head = more->head;
	q->tail = more->tail;
	more->head = NULL;
}

#endif
