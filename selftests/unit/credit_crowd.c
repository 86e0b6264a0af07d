// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thousand senders into one port under credits: nothing is lost.
 */
#include "crowd.h"
#include "ib.h"
#include "ktap.h"

#define PAYLOAD	4096U

static struct crowd *credit_crowd(const struct ib *ib)
{
	struct fab_switch_params p = net_switch_params(CROWD + 1);
	struct fab_endpoint_params ep = { .port = ib_port(ib) };
	struct crowd *c;
	u32 i;

	p.port = ib_port(ib);
	p.latency = 100 * NS;
	p.dsts = CROWD + 1;
	p.groups = 1;
	c = crowd_new(&p);
	for (i = 0; i <= CROWD; i++)
		ib_join(c->net, ib, crowd_join(c, i, &ep), &c->sw->port[i]);
	return c;
}

/*
 * All begin at once and fill their buffers at the switch. After that one packet leaves
 * and one arrives per packet time, for two rounds. crowd_run() checks the invariants.
 * One of them is that the sender's credit, blocks on the wire and blocks held together
 * do not exceed the buffer. No packet is dropped, so no event in between led to a loss.
 */
static void crowd_try(u64 bps, u32 packets)
{
	const struct ib ib = {
		.bps = bps,
		.propagation = 50 * NS,
		.blocks = packets * 65,
		.ring = 2 * PAYLOAD,
		.period = 1000 * MS,
	};
	struct crowd *c = credit_crowd(&ib);
	fab_time t = ib_time(&ib, PAYLOAD + IB_HEADER);
	u64 before;
	u32 i;

	crowd_run(c, 10 * US);
	crowd_pump(c, PAYLOAD);
	crowd_run(c, 10 * US + (packets + 1) * t + US);
	for (i = 0; i < CROWD; i++)
		EXPECT(ib_state(&c->sw->port[i])->vl[0].used >=
		       (packets - 1) * 65);
	crowd_run(c, c->net->fab.now + 1000 * t);
	before = c->node[CROWD].rx;
	crowd_run(c, c->net->fab.now + 1000 * t);
	EXPECT_NEAR(c->node[CROWD].rx - before, 1000, 1);
	EXPECT_EQ(c->net->fab.c.packets_dropped, 0);
	/* 2000 packets and a few: two rounds, and what each has at the switch. */
	for (i = 0; i < CROWD; i++)
		EXPECT_NEAR(c->node[i].ep.port.c.tx_packets, packets + 2.5, 0.5);
	crowd_free(c);
}

TEST(thousand_to_one_credit)
{
	crowd_try(400 * GBPS, 3);
	crowd_try(100 * GBPS, 2);
	crowd_try(8 * GBPS, 4);
}
