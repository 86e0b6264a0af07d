// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: priorities and classes of packets, ECN marks and trimming.
 */
#include <kunit/test.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "core/node/switch.h"
#include "netdev/nic.h"
#include "netdev/pkt.h"
#include "netlink/nl_priv.h"

#define QOS_PAYLOAD	1000
#define QOS_EF		(46 << 2)	/* some DSCP, as a DS field */

static struct sk_buff *qos_skb(struct kunit *test, u16 proto, u32 hdr)
{
	struct sk_buff *skb = alloc_skb(ETH_HLEN + hdr + QOS_PAYLOAD,
					GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_HLEN + hdr + QOS_PAYLOAD);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb->protocol = htons(proto);
	return skb;
}

static struct sk_buff *qos_ipv4(struct kunit *test, u8 tos)
{
	struct sk_buff *skb = qos_skb(test, ETH_P_IP, sizeof(struct iphdr));
	struct iphdr *ip = ip_hdr(skb);

	ip->version = 4;
	ip->ihl = 5;
	ip->tos = tos;
	ip_send_check(ip);
	return skb;
}

static struct sk_buff *qos_ipv6(struct kunit *test, u8 tos)
{
	struct sk_buff *skb = qos_skb(test, ETH_P_IPV6, sizeof(struct ipv6hdr));

	ip6_flow_hdr(ipv6_hdr(skb), tos, htonl(0xabcde));
	return skb;
}

/* Apply the fabric's changes to a packet: its flags, its length, its frames. */
static int qos_apply(struct sk_buff *skb, u8 flags, u32 len, u16 segs)
{
	struct fab_pkt *pkt = weft_pkt_of(skb);

	memset(pkt, 0, sizeof(*pkt));
	pkt->flags = flags;
	pkt->len = len;
	pkt->segs = segs;
	return weft_pkt_apply(skb);
}

/* Not-ECT stays; ECT(1), ECT(0) and CE become CE; the DSCP stays. */
static u8 qos_marked(u8 tos)
{
	return INET_ECN_is_not_ect(tos) ? tos : tos | INET_ECN_CE;
}

static void qos_mark_ipv4(struct kunit *test)
{
	struct sk_buff *skb;
	u8 tos;

	for (tos = QOS_EF; tos < QOS_EF + 4; tos++) {
		skb = qos_ipv4(test, tos);
		KUNIT_EXPECT_EQ(test, qos_apply(skb, FAB_PKT_CE, skb->len, 1), 0);
		KUNIT_EXPECT_EQ(test, ip_hdr(skb)->tos, qos_marked(tos));
		KUNIT_EXPECT_TRUE(test, !ip_fast_csum(ip_hdr(skb), 5));
		kfree_skb(skb);
	}
}

static void qos_mark_ipv6(struct kunit *test)
{
	struct sk_buff *skb;
	u8 tos;

	for (tos = QOS_EF; tos < QOS_EF + 4; tos++) {
		skb = qos_ipv6(test, tos);
		KUNIT_EXPECT_EQ(test, qos_apply(skb, FAB_PKT_CE, skb->len, 1), 0);
		KUNIT_EXPECT_EQ(test, ipv6_get_dsfield(ipv6_hdr(skb)),
				qos_marked(tos));
		KUNIT_EXPECT_EQ(test, ntohl(ip6_flowlabel(ipv6_hdr(skb))),
				0xabcde);
		kfree_skb(skb);
	}
}

static void qos_mark_none(struct kunit *test)
{
	struct sk_buff *skb = qos_ipv4(test, INET_ECN_ECT_0);

	KUNIT_EXPECT_EQ(test, qos_apply(skb, FAB_PKT_ECT, skb->len, 1), 0);
	KUNIT_EXPECT_EQ(test, ip_hdr(skb)->tos, INET_ECN_ECT_0);
	kfree_skb(skb);
}

/* InfiniBand marks all packets; an ARP packet has no field for a mark and stays. */
static void qos_mark_arp(struct kunit *test)
{
	struct sk_buff *skb = qos_skb(test, ETH_P_ARP, 28);

	KUNIT_EXPECT_EQ(test, qos_apply(skb, FAB_PKT_CE, skb->len, 1), 0);
	KUNIT_EXPECT_EQ(test, skb->len, ETH_HLEN + 28 + QOS_PAYLOAD);
	kfree_skb(skb);
}

/* The socket's copy for a retransmission is not marked. */
static void qos_mark_clone(struct kunit *test)
{
	struct sk_buff *skb = qos_ipv4(test, INET_ECN_ECT_0);
	struct sk_buff *clone = skb_clone(skb, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, clone);
	KUNIT_EXPECT_EQ(test, qos_apply(clone, FAB_PKT_CE, clone->len, 1), 0);
	KUNIT_EXPECT_EQ(test, ip_hdr(clone)->tos, INET_ECN_CE);
	KUNIT_EXPECT_EQ(test, ip_hdr(skb)->tos, INET_ECN_ECT_0);
	kfree_skb(clone);
	kfree_skb(skb);
}

static void qos_trim(struct kunit *test)
{
	struct sk_buff *skb = qos_ipv4(test, INET_ECN_ECT_0);

	skb->ip_summed = CHECKSUM_PARTIAL;
	KUNIT_EXPECT_EQ(test, qos_apply(skb, FAB_PKT_TRIMMED | FAB_PKT_CE, 64,
					1), 0);
	KUNIT_EXPECT_EQ(test, skb->len, 64);
	KUNIT_EXPECT_TRUE(test, skb->ip_summed == CHECKSUM_NONE);
	KUNIT_EXPECT_EQ(test, ip_hdr(skb)->tos, INET_ECN_CE);
	kfree_skb(skb);
}

/* Of a train of five the header of the first remains. */
static void qos_trim_train(struct kunit *test)
{
	struct sk_buff *skb = qos_ipv4(test, 0), *clone;

	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	skb_shinfo(skb)->gso_size = QOS_PAYLOAD / 5;
	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	KUNIT_EXPECT_EQ(test, qos_apply(clone, FAB_PKT_TRIMMED, 5 * 64, 5), 0);
	KUNIT_EXPECT_EQ(test, clone->len, 64);
	KUNIT_EXPECT_FALSE(test, skb_is_gso(clone));
	KUNIT_EXPECT_TRUE(test, skb_is_gso(skb));
	kfree_skb(clone);
	kfree_skb(skb);
}

static void qos_prio_expect(struct kunit *test, struct sk_buff *skb, u32 prio,
			    u8 expected)
{
	const struct weft_nic *nic = test->priv;

	skb->priority = prio;
	KUNIT_EXPECT_EQ(test, weft_nic_prio(nic, skb), expected);
}

static void qos_prio(struct kunit *test)
{
	struct sk_buff *skb = qos_ipv4(test, QOS_EF | INET_ECN_ECT_0);
	struct sk_buff *skb6 = qos_ipv6(test, QOS_EF);
	struct sk_buff *arp = qos_skb(test, ETH_P_ARP, 28);
	struct weft_nic *nic;

	nic = kunit_kzalloc(test, sizeof(*nic), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, nic);
	test->priv = nic;
	weft_nic_set_dscp(nic, QOS_EF >> 2, 5);
	qos_prio_expect(test, skb, 3, 3);
	qos_prio_expect(test, skb, 10, 2);
	weft_nic_set_trust(nic, true);
	qos_prio_expect(test, skb, 3, 5);
	qos_prio_expect(test, skb6, 3, 5);
	qos_prio_expect(test, arp, 3, 3);
	weft_nic_set_trust(nic, false);
	qos_prio_expect(test, skb6, 3, 3);
	kfree_skb(arp);
	kfree_skb(skb6);
	kfree_skb(skb);
}

static int qos_vl_get(const u8 *table, u32 classes, u8 *vl)
{
	struct {
		struct nlattr nla;
		u8 table[FAB_CLASSES_MAX];
	} attr = { .nla.nla_len = sizeof(attr) };

	memcpy(attr.table, table, sizeof(attr.table));
	return weft_nl_get_vl(&attr.nla, classes, vl, NULL);
}

/* Entries are existing classes or 15; a table with another one changes nothing. */
static void qos_vl(struct kunit *test)
{
	u8 table[FAB_CLASSES_MAX] = { 3, 15, 2, 1 };
	u8 vl[FAB_CLASSES_MAX] = { 9 };

	KUNIT_EXPECT_EQ(test, weft_nl_get_vl(NULL, 4, vl, NULL), 0);
	KUNIT_EXPECT_EQ(test, vl[0], 9);
	KUNIT_EXPECT_EQ(test, qos_vl_get(table, 3, vl), -EINVAL);
	KUNIT_EXPECT_EQ(test, vl[0], 9);
	KUNIT_EXPECT_EQ(test, qos_vl_get(table, 4, vl), 0);
	KUNIT_EXPECT_EQ(test, memcmp(vl, table, sizeof(vl)), 0);
}

static void qos_class(struct kunit *test)
{
	struct {
		struct nlattr nla;
		u32 value;
	} attr = { .nla.nla_len = sizeof(attr), .value = 3 };
	struct nlattr *tb[] = { NULL, &attr.nla };
	u16 seen = 0;
	u32 cls = 0;

	KUNIT_EXPECT_EQ(test, weft_nl_get_class(tb, 0, 4, &seen, &cls, NULL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, weft_nl_get_class(tb, 1, 3, &seen, &cls, NULL),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, weft_nl_get_class(tb, 1, 4, &seen, &cls, NULL), 0);
	KUNIT_EXPECT_EQ(test, cls, 3);
	KUNIT_EXPECT_EQ(test, seen, BIT(3));
	KUNIT_EXPECT_EQ(test, weft_nl_get_class(tb, 1, 4, &seen, &cls, NULL),
			-EINVAL);
}

static struct kunit_case qos_cases[] = {
	KUNIT_CASE(qos_mark_ipv4),
	KUNIT_CASE(qos_mark_ipv6),
	KUNIT_CASE(qos_mark_none),
	KUNIT_CASE(qos_mark_arp),
	KUNIT_CASE(qos_mark_clone),
	KUNIT_CASE(qos_trim),
	KUNIT_CASE(qos_trim_train),
	KUNIT_CASE(qos_prio),
	KUNIT_CASE(qos_vl),
	KUNIT_CASE(qos_class),
	{}
};

static struct kunit_suite qos_suite = {
	.name = "weft_qos",
	.test_cases = qos_cases,
};

kunit_test_suite(qos_suite);
