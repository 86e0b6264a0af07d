// SPDX-License-Identifier: GPL-2.0
/*
 * Socket buffers as packets of the model.
 */
#include "netdev/pkt.h"

#include <kunit/visibility.h>
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/flow_dissector.h>
#include <net/inet_ecn.h>

/**
 * struct pkt_flow - input of the flow hash; no padding
 */
struct pkt_flow {
	/** @src: IP or MAC address, zero-padded */
	struct in6_addr src;
	/** @dst: destination address, the same way */
	struct in6_addr dst;
	/** @ports: both ports of the transport */
	__be32 ports;
	/** @proto: protocol number of the transport */
	u32 proto;
};

/* Headers that each frame of a super-packet carries. */
static u32 pkt_header_len(const struct sk_buff *skb)
{
	unsigned int at = skb_transport_offset(skb);
	struct udphdr _uh;
	struct tcphdr _th;
	const struct tcphdr *th;

	if (skb->encapsulation)
		at = skb_inner_transport_offset(skb);
	if (!skb_is_gso_tcp(skb))
		return at + sizeof(_uh);
	th = skb_header_pointer(skb, at, sizeof(_th), &_th);
	return at + (th ? __tcp_hdrlen(th) : sizeof(_th));
}

/**
 * weft_pkt_gso_len() - length of all frames of a super-packet
 * @skb: as for weft_pkt_len(), which calls this
 * @segs: set to the number of frames
 *
 * Context: any.
 * Return: bytes, headers included, FCS excluded.
 */
u32 weft_pkt_gso_len(const struct sk_buff *skb, u16 *segs)
{
	u32 hdr = pkt_header_len(skb), n;

	*segs = 1;
	if (skb->len <= hdr)
		return skb->len;
	/* gso_segs is 0 if user space made the super-packet: count */
	n = DIV_ROUND_UP(skb->len - hdr, skb_shinfo(skb)->gso_size);
	*segs = min_t(u32, n, U16_MAX);
	return skb->len + (*segs - 1) * hdr;
}
EXPORT_SYMBOL_IF_KUNIT(weft_pkt_gso_len);

static void pkt_flow_addrs(struct pkt_flow *flow, const struct flow_keys *keys)
{
	switch (keys->control.addr_type) {
	case FLOW_DISSECTOR_KEY_IPV4_ADDRS:
		flow->src.s6_addr32[3] = keys->addrs.v4addrs.src;
		flow->dst.s6_addr32[3] = keys->addrs.v4addrs.dst;
		break;
	case FLOW_DISSECTOR_KEY_IPV6_ADDRS:
		flow->src = keys->addrs.v6addrs.src;
		flow->dst = keys->addrs.v6addrs.dst;
		break;
	}
}

static void pkt_flow_macs(struct pkt_flow *flow, const struct ethhdr *eth)
{
	ether_addr_copy((u8 *)&flow->src, eth->h_source);
	ether_addr_copy((u8 *)&flow->dst, eth->h_dest);
}

/**
 * weft_pkt_flow_hash() - hash of the flow that a packet belongs to
 * @skb: the packet as it was sent, Ethernet header at its data
 * @key: the fabric's key
 *
 * The hash is that of addresses, protocol and ports, or of the MAC addresses if the
 * packet is not IP. Unlike the kernel's own hash it depends only on these and the
 * fabric's seed, so that a run is repeatable.
 *
 * Context: any.
 * Return: the hash.
 */
u32 weft_pkt_flow_hash(const struct sk_buff *skb, const siphash_key_t *key)
{
	struct pkt_flow flow = {};
	struct flow_keys keys;

	BUILD_BUG_ON(sizeof(flow) != 40);
	memset(&keys, 0, sizeof(keys));
	/* in the fabric a packet has no netdev, so its namespace is not known */
	if (__skb_flow_dissect(&init_net, skb, &flow_keys_dissector, &keys, NULL, 0, 0, 0, 0))
		pkt_flow_addrs(&flow, &keys);
	if (keys.control.addr_type) {
		flow.ports = keys.ports.ports;
		flow.proto = keys.basic.ip_proto;
	} else {
		pkt_flow_macs(&flow, (const struct ethhdr *)skb->data);
	}
	return siphash(&flow, sizeof(flow), key);
}
EXPORT_SYMBOL_IF_KUNIT(weft_pkt_flow_hash);

/* As skb_get_dsfield(), with less work for the usual packet. */
static int pkt_dsfield(struct sk_buff *skb)
{
	if (likely(skb->protocol == htons(ETH_P_IP) &&
		   skb_network_offset(skb) + sizeof(struct iphdr) <= skb_headlen(skb)))
		return ip_hdr(skb)->tos;
	return skb_get_dsfield(skb);
}

static u8 pkt_ecn_flags(struct sk_buff *skb)
{
	int ds = pkt_dsfield(skb);

	/* INET_ECN_is_capable() does not know code point 01. */
	if (likely(ds < 0 || INET_ECN_is_not_ect(ds)))
		return 0;
	return INET_ECN_is_ce(ds) ? FAB_PKT_ECT | FAB_PKT_CE : FAB_PKT_ECT;
}

/**
 * weft_pkt_fill() - describe a socket buffer to the model
 * @pkt: its handle; destination, class and flow hash are left 0
 * @skb: the packet, Ethernet header at its data
 *
 * Context: any.
 */
void weft_pkt_fill(struct fab_pkt *pkt, struct sk_buff *skb)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->len = weft_pkt_len(skb, &pkt->segs);
	pkt->flags = pkt_ecn_flags(skb);
}
EXPORT_SYMBOL_IF_KUNIT(weft_pkt_fill);

/* Set CE (congestion experienced), if the packet is ECN-capable. */
static int pkt_mark(struct sk_buff *skb)
{
	unsigned int len = skb_network_offset(skb);
	int ds = skb_get_dsfield(skb), err;

	if (ds < 0 || INET_ECN_is_not_ect(ds) || INET_ECN_is_ce(ds))
		return 0;
	len += skb_protocol(skb, true) == htons(ETH_P_IP) ?
	       sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	err = skb_ensure_writable(skb, len);
	if (!err)
		INET_ECN_set_ce(skb);
	return err;
}

/*
 * Trim the packet to a header; a train to that of its first frame. The checksum of
 * the lost payload is not known any more.
 */
static int pkt_trim(struct sk_buff *skb, u32 len)
{
	if (skb_is_gso(skb)) {
		if (skb_unclone(skb, GFP_ATOMIC))
			return -ENOMEM;
		skb_gso_reset(skb);
	}
	skb->ip_summed = CHECKSUM_NONE;
	return pskb_trim(skb, len);
}

/**
 * weft_pkt_change() - change a packet that was marked or trimmed
 * @skb: as for weft_pkt_apply(), which calls this
 *
 * Context: any.
 * Return: 0, or -ENOMEM.
 */
int weft_pkt_change(struct sk_buff *skb)
{
	const struct fab_pkt *pkt = weft_pkt_of(skb);
	int err = 0;

	if (pkt->flags & FAB_PKT_CE)
		err = pkt_mark(skb);
	if (pkt->flags & FAB_PKT_TRIMMED && !err)
		err = pkt_trim(skb, pkt->len / pkt->segs);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(weft_pkt_change);
