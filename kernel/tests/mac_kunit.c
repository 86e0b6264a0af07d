// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the table of MAC addresses.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>

#include "fabric/mac.h"

#define MAC_ENTRIES	300

static int mac_init(struct kunit *test)
{
	struct weft_mac_table *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, weft_mac_init(t, MAC_ENTRIES / 4), 0);
	test->priv = t;
	return 0;
}

static void mac_exit(struct kunit *test)
{
	weft_mac_free(test->priv);
}

static void mac_address(u8 *addr, u32 n)
{
	u64_to_ether_addr(0x020000000000ULL + n, addr);
}

static void mac_fill(struct kunit *test, struct weft_mac_entry *e)
{
	u8 addr[ETH_ALEN];
	u32 i;

	for (i = 0; i < MAC_ENTRIES; i++) {
		mac_address(addr, i);
		KUNIT_EXPECT_EQ(test, weft_mac_add(test->priv, &e[i], addr), 0);
	}
}

static struct weft_mac_entry *mac_entries(struct kunit *test)
{
	struct weft_mac_entry *e;

	e = kunit_kcalloc(test, MAC_ENTRIES, sizeof(*e), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e);
	return e;
}

static void mac_find(struct kunit *test)
{
	struct weft_mac_entry *e = mac_entries(test);
	u8 addr[ETH_ALEN];
	u32 i;

	mac_fill(test, e);
	for (i = 0; i < MAC_ENTRIES; i++) {
		mac_address(addr, i);
		KUNIT_EXPECT_PTR_EQ(test, weft_mac_find(test->priv, addr),
				    &e[i]);
	}
	mac_address(addr, MAC_ENTRIES);
	KUNIT_EXPECT_NULL(test, weft_mac_find(test->priv, addr));
}

static void mac_del(struct kunit *test)
{
	struct weft_mac_entry *e = mac_entries(test);
	u32 i;

	mac_fill(test, e);
	for (i = 0; i < MAC_ENTRIES; i += 2)
		weft_mac_del(&e[i]);
	for (i = 0; i < MAC_ENTRIES; i++)
		KUNIT_EXPECT_PTR_EQ(test, weft_mac_find(test->priv, e[i].addr),
				    i % 2 ? &e[i] : NULL);
	weft_mac_del(&e[0]);
}

static void mac_duplicate(struct kunit *test)
{
	struct weft_mac_entry *e = mac_entries(test);
	u8 addr[ETH_ALEN];

	mac_address(addr, 1);
	KUNIT_EXPECT_EQ(test, weft_mac_add(test->priv, &e[0], addr), 0);
	KUNIT_EXPECT_EQ(test, weft_mac_add(test->priv, &e[0], addr), 0);
	KUNIT_EXPECT_EQ(test, weft_mac_add(test->priv, &e[1], addr), -EEXIST);
	KUNIT_EXPECT_PTR_EQ(test, weft_mac_find(test->priv, addr), &e[0]);
}

static void mac_change(struct kunit *test)
{
	struct weft_mac_entry *e = mac_entries(test);
	u8 old[ETH_ALEN], new[ETH_ALEN];

	mac_address(old, 1);
	mac_address(new, 2);
	KUNIT_EXPECT_EQ(test, weft_mac_add(test->priv, &e[0], old), 0);
	KUNIT_EXPECT_EQ(test, weft_mac_add(test->priv, &e[0], new), 0);
	KUNIT_EXPECT_NULL(test, weft_mac_find(test->priv, old));
	KUNIT_EXPECT_PTR_EQ(test, weft_mac_find(test->priv, new), &e[0]);
}

static struct kunit_case mac_cases[] = {
	KUNIT_CASE(mac_find),
	KUNIT_CASE(mac_del),
	KUNIT_CASE(mac_duplicate),
	KUNIT_CASE(mac_change),
	{}
};

static struct kunit_suite mac_suite = {
	.name = "weft_mac",
	.init = mac_init,
	.exit = mac_exit,
	.test_cases = mac_cases,
};

kunit_test_suite(mac_suite);
