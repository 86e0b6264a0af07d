// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Swift: window, cuts and pace by the laws of its algorithm.
 */
#include <math.h>

#include "core/cc/swift.h"
#include "ktap.h"
#include "net.h"

#define ONE	((double)FAB_SWIFT_PACKET)
#define BASE	(10 * US)
#define PACKET	(100 * NS)

/* base * (1 / sqrt(w) - 1 / sqrt(100)) / (1 / sqrt(0.1) - 1 / sqrt(100)) more, 0 to the base. */
static double target(double window)
{
	double w = fmin(fmax(window, 0.1), 100);

	return BASE * (1 + (1 / sqrt(w) - 0.1) / (1 / sqrt(0.1) - 0.1));
}

static struct fab_swift begun(double window)
{
	struct fab_swift s;

	fab_swift_init(&s, BASE, PACKET);
	s.cwnd = (u64)(window * ONE);
	return s;
}

/* It begins with what the wire sends in the target, and a packet more. */
TEST(swift_begin)
{
	struct fab_swift s = { 0 };

	EXPECT(fab_swift_fits(&s, 1000000));
	fab_swift_init(&s, BASE, PACKET);
	EXPECT_EQ(s.cwnd, 101 * FAB_SWIFT_PACKET);
	EXPECT(fab_swift_fits(&s, 100));
	EXPECT(!fab_swift_fits(&s, 101));
	fab_swift_init(&s, FAB_DELAY_MAX, 1);
	EXPECT_EQ(s.cwnd, FAB_SWIFT_PACKET << 22);
	s = begun(0.5);
	EXPECT(fab_swift_fits(&s, 0));
	EXPECT(!fab_swift_fits(&s, 1));
}

/* Below the target: a packet more for each window acknowledged, or for each packet below one. */
TEST(swift_grows)
{
	struct fab_swift s = begun(200);
	double law = 200;
	u32 i;

	for (i = 0; i < 1000; i++) {
		EXPECT(!fab_swift_acked(&s, i, BASE, 1));
		law += 1 / law;
	}
	EXPECT(fabs(s.cwnd / ONE - law) < 0.02);
	EXPECT_EQ(s.rtt, BASE);
	s = begun(0.25);
	EXPECT(!fab_swift_acked(&s, 0, 1, 2));
	EXPECT_EQ(s.cwnd, FAB_SWIFT_PACKET * 9 / 4);
}

/* Above the target it shrinks by 0.8 of the excess, at most to a half, once in a round trip. */
TEST(swift_cuts)
{
	struct fab_swift s = begun(200);
	fab_time delay = BASE * 5 / 4, now = 1 * US;

	EXPECT(fab_swift_acked(&s, now, delay, 1));
	/* the excess is a fifth of the delay */
	EXPECT(fabs(s.cwnd / ONE - 200 * (1 - 0.8 / 5)) < 0.001);
	EXPECT(!fab_swift_acked(&s, now + delay - 1, delay, 1));
	EXPECT(fab_swift_acked(&s, now + delay, delay, 1));
	EXPECT(fabs(s.cwnd / ONE - 200 * 0.84 * 0.84) < 0.001);
	s = begun(200);
	EXPECT(fab_swift_acked(&s, 0, 100 * BASE, 1));
	EXPECT_EQ(s.cwnd, 100 * FAB_SWIFT_PACKET);
	s = begun(64);
	EXPECT(fab_swift_lost(&s, 0));
	EXPECT_EQ(s.cwnd, 32 * FAB_SWIFT_PACKET);
	EXPECT(!fab_swift_lost(&s, BASE / 2 - 1));
	EXPECT(fab_swift_lost(&s, BASE / 2));
	EXPECT_EQ(s.cwnd, 16 * FAB_SWIFT_PACKET);
}

/* Small windows have a higher target, up to twice the base for a tenth of a packet. */
TEST(swift_target)
{
	static const double window[] = { 0.02, 0.1, 0.5, 1, 3, 10, 50, 99, 100, 300 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(window); i++) {
		struct fab_swift below = begun(window[i]), above = below;
		double law = target(window[i]);

		/* roots of windows have 8 bits behind the point */
		EXPECT(!fab_swift_acked(&below, 0, (fab_time)(law * 0.98), 1));
		EXPECT(fab_swift_acked(&above, 0, (fab_time)(law * 1.02), 1));
	}
}

/* Below a packet: one in each round trip by the window. The least window is a thousandth. */
TEST(swift_pace)
{
	struct fab_swift s = begun(1);
	u32 i;

	EXPECT_EQ(fab_swift_pace(&s, 7), 7);
	s = begun(0.25);
	EXPECT_EQ(fab_swift_pace(&s, 7), 7 + 4 * BASE / 2);
	for (i = 0; i < 100; i++)
		fab_swift_lost(&s, i * BASE);
	EXPECT_EQ(s.cwnd, FAB_SWIFT_PACKET / 1000);
}
