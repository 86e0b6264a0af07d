// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a NIC without a fabric: its receive queue, and addresses of its neighbours.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "netdev/nic.h"
#include "netdev/nic_neigh.h"

static int nic_test_init(struct kunit *test)
{
	struct net_device *dev;

	dev = alloc_netdev(sizeof(struct weft_nic), "weftkunit%d",
			   NET_NAME_ENUM, weft_nic_setup);
	KUNIT_ASSERT_NOT_NULL(test, dev);
	if (register_netdev(dev)) {
		free_netdev(dev);
		return -ENODEV;
	}
	test->priv = dev;
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, dev_open(dev, NULL), 0);
	rtnl_unlock();
	return 0;
}

static void nic_test_exit(struct kunit *test)
{
	/* The netdev frees itself. */
	if (test->priv)
		unregister_netdev(test->priv);
}

static int nic_feed(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(ETH_ZLEN, GFP_ATOMIC);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, ETH_ZLEN);
	return weft_nic_receive(netdev_priv(test->priv), skb);
}

/*
 * If NAPI is slower than arrivals, packets that it has taken and not yet delivered
 * count for the limit too: each delivered packet makes room for one.
 */
static void nic_backlog_is_bounded(struct kunit *test)
{
	struct weft_nic *nic = netdev_priv(test->priv);
	int i, round;

	local_bh_disable();
	for (i = 0; i < WEFT_NIC_BACKLOG; i++)
		if (nic_feed(test))
			break;
	KUNIT_EXPECT_EQ(test, i, WEFT_NIC_BACKLOG);
	KUNIT_EXPECT_EQ(test, nic_feed(test), -ENOBUFS);
	for (round = 0; round < 3; round++) {
		KUNIT_EXPECT_EQ(test, nic->napi.poll(&nic->napi, 1), 1);
		KUNIT_EXPECT_EQ(test, nic_feed(test), 0);
		KUNIT_EXPECT_EQ(test, nic_feed(test), -ENOBUFS);
	}
	local_bh_enable();
}

static void nic_neigh_ipv4(struct kunit *test)
{
	static const u8 ip[4] = { 10, 1, 2, 255 }, want[ETH_ALEN] = { 2, 0x42, 10, 1, 2, 255 };
	u8 mac[ETH_ALEN];

	KUNIT_EXPECT_TRUE(test, weft_nic_neigh_mac4(0x0242, ip, mac));
	KUNIT_EXPECT_EQ(test, memcmp(mac, want, ETH_ALEN), 0);
	KUNIT_EXPECT_FALSE(test, weft_nic_neigh_mac4(0, ip, mac));
}

/* The example of RFC 4291, appendix A, is 34-56-78-9A-BC-DE. */
static void nic_neigh_ipv6(struct kunit *test)
{
	static const u8 want[ETH_ALEN] = { 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde };
	u8 ip[16] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x36, 0x56, 0x78, 0xff, 0xfe, 0x9a, 0xbc, 0xde,
	};
	u8 mac[ETH_ALEN];
	int i;

	KUNIT_EXPECT_TRUE(test, weft_nic_neigh_mac6(ip, mac));
	KUNIT_EXPECT_EQ(test, memcmp(mac, want, ETH_ALEN), 0);
	/* all of fe80::/64, and ff:fe in the middle, are needed */
	for (i = 0; i < ARRAY_SIZE(ip); i++) {
		ip[i] ^= 1;
		KUNIT_EXPECT_EQ(test, weft_nic_neigh_mac6(ip, mac),
				(i >= 8 && i < 11) || i > 12);
		ip[i] ^= 1;
	}
}

static struct kunit_case nic_cases[] = {
	KUNIT_CASE(nic_backlog_is_bounded),
	KUNIT_CASE(nic_neigh_ipv4),
	KUNIT_CASE(nic_neigh_ipv6),
	{}
};

static struct kunit_suite nic_suite = {
	.name = "weft_nic",
	.init = nic_test_init,
	.exit = nic_test_exit,
	.test_cases = nic_cases,
};

kunit_test_suite(nic_suite);
