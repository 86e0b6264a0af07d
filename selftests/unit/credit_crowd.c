// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thousand senders into one port under credits: nothing is lost.
 */
#include <stdlib.h>

#include "ib.h"
#include "ktap.h"

#define CROWD	1000U
#define PAYLOAD	4096U

/**
 * struct crowd - a thousand senders, one receiver, one switch
 */
struct crowd {
	/** @net: the network; the nodes are not in its table */
	struct net *net;
	/** @sw: the switch; the last port is the receiver's */
	struct fab_switch *sw;
	/** @ib: the links */
	struct ib ib;
	/** @node: the senders, and the receiver at the end */
	struct net_node node[CROWD + 1];
	/** @mem: their memory */
	void *mem[CROWD + 1];
	/** @events: events that were executed */
	u64 events;
};

static void crowd_join(struct crowd *c, u32 id)
{
	struct fab_endpoint_params p = { .port = ib_port(&c->ib) };
	struct net_node *node = &c->node[id];

	node->net = c->net;
	c->mem[id] = calloc(1, fab_endpoint_mem(&p));
	fab_endpoint_init(&c->net->fab, &node->ep, id, &p, c->mem[id]);
	ib_join(c->net, &c->ib, &node->ep.port, &c->sw->port[id]);
}

static struct crowd *crowd_new(u64 bps, u32 packets)
{
	struct fab_switch_params p = net_switch_params(CROWD + 1);
	struct crowd *c = calloc(1, sizeof(*c));
	u32 i;

	c->ib.bps = bps;
	c->ib.propagation = 50 * NS;
	c->ib.blocks = packets * 65;
	c->ib.ring = 2 * PAYLOAD;
	c->ib.period = 1000 * MS;
	p.port = ib_port(&c->ib);
	p.latency = 100 * NS;
	p.dsts = CROWD + 1;
	p.groups = 1;
	c->net = net_new(1);
	c->sw = net_switch_add(c->net, 0, &p);
	for (i = 0; i <= CROWD; i++)
		crowd_join(c, i);
	net_route(c->sw, CROWD, CROWD);
	return c;
}

static void crowd_pump(struct crowd *c, u32 len)
{
	struct fab_pkt pkt = { .len = len, .dst = CROWD, .segs = 1 };
	u32 i;

	for (i = 0; i < CROWD; i++) {
		c->node[i].pump[0] = pkt;
		while (len && !fab_endpoint_stop(&c->node[i].ep, 0))
			net_give(&c->node[i], &pkt);
	}
}

/* Event by event, all invariants after every n-th. */
static void crowd_run(struct crowd *c, fab_time until, u32 nth)
{
	struct fab *fab = &c->net->fab;

	while (fab_event_next(&fab->events) <= until) {
		fab_run(fab, fab_event_next(&fab->events), 1);
		if (++c->events % nth == 0)
			EXPECT_NULL_STR(fab_check(fab));
	}
	fab_run(fab, until, FAB_NO_BUDGET);
}

static void crowd_free(struct crowd *c)
{
	u32 i;

	crowd_pump(c, 0);
	for (i = 0; i <= CROWD; i++) {
		fab_endpoint_remove(&c->net->fab, &c->node[i].ep);
		free(c->mem[i]);
	}
	net_free(c->net);
	free(c);
}

/*
 * All begin at once and fill their buffers at the switch. Invariants are checked
 * after every event until the last buffer is full, a walk over all ports, queues
 * and wires each time; after that a packet leaves and one comes per packet time,
 * over and over, and a check after every 97th event sees each kind of them. That
 * the sender's credit, what is on the wire and what is held never exceed the
 * buffer is one of the invariants, so no event could have led to a loss.
 */
static void crowd_try(u64 bps, u32 packets)
{
	struct crowd *c = crowd_new(bps, packets);
	fab_time t = ib_time(&c->ib, PAYLOAD + IB_HEADER);
	u64 before;
	u32 i;

	crowd_run(c, 10 * US, 97);
	crowd_pump(c, PAYLOAD);
	crowd_run(c, 10 * US + (packets + 1) * t + US, 1);
	for (i = 0; i < CROWD; i++)
		EXPECT(ib_state(&c->sw->port[i])->vl[0].used >=
		       (packets - 1) * 65);
	crowd_run(c, c->net->fab.now + 1000 * t, 97);
	before = c->node[CROWD].rx;
	crowd_run(c, c->net->fab.now + 3000 * t, 97);
	EXPECT_NEAR(c->node[CROWD].rx - before, 3000, 1);
	EXPECT_EQ(c->net->fab.c.packets_dropped, 0);
	/* 4000 packets and a few: four rounds, and what each has at the switch. */
	for (i = 0; i < CROWD; i++)
		EXPECT_NEAR(c->node[i].ep.port.c.tx_packets, packets + 4.5, 0.5);
	crowd_free(c);
}

TEST(thousand_to_one_credit)
{
	crowd_try(400 * GBPS, 3);
	crowd_try(100 * GBPS, 2);
	crowd_try(8 * GBPS, 4);
}
