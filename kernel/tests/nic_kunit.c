// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the receive queue of a NIC, without a fabric.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "netdev/nic.h"

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

static struct kunit_case nic_cases[] = {
	KUNIT_CASE(nic_backlog_is_bounded),
	{}
};

static struct kunit_suite nic_suite = {
	.name = "weft_nic",
	.init = nic_test_init,
	.exit = nic_test_exit,
	.test_cases = nic_cases,
};

kunit_test_suite(nic_suite);
