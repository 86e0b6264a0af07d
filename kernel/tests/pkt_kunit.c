// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: socket buffers as packets of the model.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/net_namespace.h>

#include "netdev/pkt.h"

#define PKT_TCP_HEADERS	(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct tcphdr))
#define PKT_UDP_HEADERS	(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr))

static const siphash_key_t pkt_key = { .key = { 1, 2 } };

static void pkt_put_eth(struct sk_buff *skb)
{
	struct ethhdr *eth = skb_put_zero(skb, sizeof(*eth));

	skb_reset_mac_header(skb);
	eth->h_proto = htons(ETH_P_IP);
	eth->h_source[5] = 1;
	eth->h_dest[5] = 2;
	skb->protocol = eth->h_proto;
	skb->dev = init_net.loopback_dev;
	skb_set_network_header(skb, ETH_HLEN);
}

static void pkt_put_ip(struct sk_buff *skb, u8 proto, u8 tos)
{
	struct iphdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 4;
	ip->ihl = 5;
	ip->tos = tos;
	ip->protocol = proto;
	ip->saddr = htonl(0x0a000001);
	ip->daddr = htonl(0x0a000002);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(*ip));
}

static void pkt_put_tcp(struct sk_buff *skb, u16 port)
{
	struct tcphdr *th = skb_put_zero(skb, sizeof(*th));

	th->doff = sizeof(*th) / 4;
	th->source = htons(port);
	th->dest = htons(80);
}

static struct sk_buff *pkt_tcp(struct kunit *test, u16 port, u8 tos,
			       u32 payload)
{
	struct sk_buff *skb = alloc_skb(PKT_TCP_HEADERS + payload, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	pkt_put_eth(skb);
	pkt_put_ip(skb, IPPROTO_TCP, tos);
	pkt_put_tcp(skb, port);
	skb_put_zero(skb, payload);
	return skb;
}

static struct sk_buff *pkt_udp(struct kunit *test, u32 payload)
{
	struct sk_buff *skb = alloc_skb(PKT_UDP_HEADERS + payload, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	pkt_put_eth(skb);
	pkt_put_ip(skb, IPPROTO_UDP, 0);
	skb_put_zero(skb, sizeof(struct udphdr) + payload);
	return skb;
}

static void pkt_gso(struct sk_buff *skb, unsigned int type, u16 size, u16 segs)
{
	skb_shinfo(skb)->gso_type = type;
	skb_shinfo(skb)->gso_size = size;
	skb_shinfo(skb)->gso_segs = segs;
}

static void pkt_layout(struct kunit *test)
{
	struct sk_buff *skb = pkt_tcp(test, 1, 0, 0);

	KUNIT_EXPECT_LE(test, sizeof(struct fab_pkt), sizeof(skb->cb));
	KUNIT_EXPECT_PTR_EQ(test, weft_pkt_skb(weft_pkt_of(skb)), skb);
	kfree_skb(skb);
}

static void pkt_len_plain(struct kunit *test)
{
	struct sk_buff *skb = pkt_tcp(test, 1, 0, 1000);
	u16 segs;

	KUNIT_EXPECT_EQ(test, weft_pkt_len(skb, &segs), PKT_TCP_HEADERS + 1000);
	KUNIT_EXPECT_EQ(test, segs, 1);
	kfree_skb(skb);
}

/* 10000 bytes in frames of 1448: six full ones and one of 1312. */
static void pkt_len_gso_tcp(struct kunit *test)
{
	struct sk_buff *skb = pkt_tcp(test, 1, 0, 10000);
	u16 segs;

	pkt_gso(skb, SKB_GSO_TCPV4, 1448, 7);
	KUNIT_EXPECT_EQ(test, weft_pkt_len(skb, &segs),
			10000 + 7 * PKT_TCP_HEADERS);
	KUNIT_EXPECT_EQ(test, segs, 7);
	kfree_skb(skb);
}

/* A super-packet from a user has no number of frames. */
static void pkt_len_gso_dodgy(struct kunit *test)
{
	struct sk_buff *skb = pkt_tcp(test, 1, 0, 2896);
	u16 segs;

	pkt_gso(skb, SKB_GSO_TCPV4 | SKB_GSO_DODGY, 1448, 0);
	KUNIT_EXPECT_EQ(test, weft_pkt_len(skb, &segs),
			2896 + 2 * PKT_TCP_HEADERS);
	KUNIT_EXPECT_EQ(test, segs, 2);
	kfree_skb(skb);
}

static void pkt_len_gso_udp(struct kunit *test)
{
	struct sk_buff *skb = pkt_udp(test, 3001);
	u16 segs;

	pkt_gso(skb, SKB_GSO_UDP_L4, 1000, 4);
	KUNIT_EXPECT_EQ(test, weft_pkt_len(skb, &segs),
			3001 + 4 * PKT_UDP_HEADERS);
	KUNIT_EXPECT_EQ(test, segs, 4);
	kfree_skb(skb);
}

static void pkt_flow(struct kunit *test)
{
	static const siphash_key_t other = { .key = { 3, 4 } };
	struct sk_buff *a = pkt_tcp(test, 1000, 0, 10);
	struct sk_buff *b = pkt_tcp(test, 1000, 0, 5000);
	struct sk_buff *c = pkt_tcp(test, 1001, 0, 10);

	KUNIT_EXPECT_EQ(test, weft_pkt_flow_hash(a, &pkt_key),
			weft_pkt_flow_hash(b, &pkt_key));
	KUNIT_EXPECT_NE(test, weft_pkt_flow_hash(a, &pkt_key),
			weft_pkt_flow_hash(c, &pkt_key));
	KUNIT_EXPECT_NE(test, weft_pkt_flow_hash(a, &pkt_key),
			weft_pkt_flow_hash(a, &other));
	kfree_skb(c);
	kfree_skb(b);
	kfree_skb(a);
}

static void pkt_ecn(struct kunit *test)
{
	static const u8 flags[] = { 0, FAB_PKT_ECT, FAB_PKT_ECT,
				    FAB_PKT_ECT | FAB_PKT_CE };
	struct fab_pkt pkt;
	struct sk_buff *skb;
	u8 tos;

	for (tos = 0; tos < ARRAY_SIZE(flags); tos++) {
		skb = pkt_tcp(test, 1, tos, 0);
		weft_pkt_fill(&pkt, skb);
		KUNIT_EXPECT_EQ(test, pkt.flags, flags[tos]);
		kfree_skb(skb);
	}
}

static struct kunit_case pkt_cases[] = {
	KUNIT_CASE(pkt_layout),
	KUNIT_CASE(pkt_len_plain),
	KUNIT_CASE(pkt_len_gso_tcp),
	KUNIT_CASE(pkt_len_gso_dodgy),
	KUNIT_CASE(pkt_len_gso_udp),
	KUNIT_CASE(pkt_flow),
	KUNIT_CASE(pkt_ecn),
	{}
};

static struct kunit_suite pkt_suite = {
	.name = "weft_pkt",
	.test_cases = pkt_cases,
};

kunit_test_suite(pkt_suite);
