// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the fields that each packet uses are: in how many lines of a cache.
 */
#include "core/fabric.h"
#include "core/sim/mem.h"
#include "ktap.h"

#ifndef sizeof_field
#define sizeof_field(type, field)	sizeof(((type *)0)->field)
#endif

/* The lines that hold @field of struct @type, if that begins one: first and last. */
#define FIRST(type, field)	(offsetof(type, field) / FAB_LINE)
#define LAST(type, field)	((offsetof(type, field) + sizeof_field(type, field) - 1) / FAB_LINE)
#define EXPECT_LINE(type, field, line) do {			\
	EXPECT_EQ(FIRST(type, field), line);			\
	EXPECT_EQ(LAST(type, field), line);			\
} while (0)

TEST(lines_of_a_port)
{
	EXPECT_EQ(sizeof(struct fab_port), 16 * FAB_LINE);
	/* The port itself. */
	EXPECT_LINE(struct fab_port, sw, 0);
	EXPECT_LINE(struct fab_port, special, 0);
	/* Its queues, and what an arriving packet compares of the wire. */
	EXPECT_LINE(struct fab_port, busy_until, 1);
	EXPECT_LINE(struct fab_port, over, 1);
	EXPECT_LINE(struct fab_port, wire.pace, 1);
	EXPECT_LINE(struct fab_port, wire.up, 1);
	/* The wire: its event, and what a transmission needs. */
	EXPECT_LINE(struct fab_port, wire.arrival, 2);
	EXPECT_LINE(struct fab_port, wire.in_flight, 3);
	EXPECT_LINE(struct fab_port, wire.rx_latency, 3);
	EXPECT_LINE(struct fab_port, wire.pace_far, 2);
	EXPECT_LINE(struct fab_port, wire.p.min_frame, 3);
	/* The next transmission, and the counters of all. */
	EXPECT_LINE(struct fab_port, kick, 5);
	EXPECT_LINE(struct fab_port, c.tx_packets, 6);
	EXPECT_LINE(struct fab_port, c.queue_peak, 6);
}

TEST(lines_of_a_class)
{
	EXPECT_EQ(sizeof(struct fab_class), 4 * FAB_LINE);
	EXPECT_LINE(struct fab_class, fifo, 0);
	EXPECT_LINE(struct fab_class, one_active, 0);
	EXPECT_LINE(struct fab_class, account, 1);
}

TEST(lines_of_a_switch)
{
	EXPECT_LINE(struct fab_switch, route.block, 0);
	EXPECT_LINE(struct fab_switch, route.select, 0);
	EXPECT_LINE(struct fab_switch, buffer.used, 2);
	EXPECT_LINE(struct fab_switch, buffer.p.accounts, 2);
	EXPECT_LINE(struct fab_switch, faults.detours, 10);
	EXPECT_LINE(struct fab_switch, arn, 10);
	EXPECT_LINE(struct fab_switch, p.forward, 10);
}
