/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket buffers as packets of the model.
 */
#ifndef WEFT_PKT_H
#define WEFT_PKT_H

#include <linux/build_bug.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>

#include "core/pkt.h"

/**
 * weft_pkt_of() - the model's handle of a socket buffer
 * @skb: the socket buffer, not shared
 *
 * Context: any.
 * Return: the handle, in the control block.
 */
static inline struct fab_pkt *weft_pkt_of(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct fab_pkt) > sizeof_field(struct sk_buff, cb));
	return (struct fab_pkt *)skb->cb;
}

/**
 * weft_pkt_skb() - the socket buffer that a handle belongs to
 * @pkt: the handle
 *
 * Context: any.
 * Return: the socket buffer.
 */
static inline struct sk_buff *weft_pkt_skb(const struct fab_pkt *pkt)
{
	return container_of((void *)pkt, struct sk_buff, cb);
}

u32 weft_pkt_gso_len(const struct sk_buff *skb, u16 *segs);
u32 weft_pkt_flow_hash(const struct sk_buff *skb, const siphash_key_t *key);
void weft_pkt_fill(struct fab_pkt *pkt, struct sk_buff *skb);
int weft_pkt_change(struct sk_buff *skb);

/**
 * weft_pkt_len() - length of all frames of a packet
 * @skb: the packet, Ethernet header at its data
 * @segs: set to the number of frames
 *
 * A super-packet counts with all its frames.
 *
 * Context: any.
 * Return: bytes, headers included, FCS excluded.
 */
static inline u32 weft_pkt_len(const struct sk_buff *skb, u16 *segs)
{
	if (unlikely(skb_is_gso(skb)))
		return weft_pkt_gso_len(skb, segs);
	*segs = 1;
	return skb->len;
}

/**
 * weft_pkt_apply() - apply the fabric's changes of the handle to the packet
 * @skb: the packet as it was sent, Ethernet header at its data
 *
 * Congestion marks go into the IP header if it is ECN-capable. A trimmed packet
 * becomes as short as it was on the last wire.
 *
 * Context: any.
 * Return: 0, or -ENOMEM.
 */
static inline int weft_pkt_apply(struct sk_buff *skb)
{
	if (likely(!(weft_pkt_of(skb)->flags & (FAB_PKT_CE | FAB_PKT_TRIMMED))))
		return 0;
	return weft_pkt_change(skb);
}

#endif
