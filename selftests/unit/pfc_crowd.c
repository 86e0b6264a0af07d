// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thousand senders into one port: no loss with the headroom of E1, a loss
 * with less.
 */
#include <stdlib.h>

#include "fixed.h"
#include "ktap.h"
#include "pfcnet.h"

#define CROWD	1000

/**
 * struct crowd - a thousand senders, one receiver, one switch
 */
struct crowd {
	/** @net: the network; the nodes are not in its table */
	struct net *net;
	/** @sw: the switch; the last port is the receiver's */
	struct fab_switch *sw;
	/** @node: the senders, and the receiver at the end */
	struct net_node node[CROWD + 1];
	/** @mem: their memory */
	void *mem[CROWD + 1];
	/** @events: events that were executed, each with a check after it */
	u64 events;
};

/* Packets of a length that makes E1 small: two come after the decision. */
#define CROWD_LEN	1400U
#define CROWD_RATE	(100 * GBPS)
#define CROWD_PROP	(10 * NS)
#define CROWD_REACT	(200 * NS)

static fab_time crowd_slot(void)
{
	return fab_serialise(CROWD_LEN + 24, CROWD_RATE);
}

static void crowd_join(struct crowd *c, u32 id)
{
	struct fab_endpoint_params p = {
		.port = pfcnet_port(1, CROWD_REACT),
	};
	struct net_node *node = &c->node[id];

	p.port.queue_limit = CROWD_LEN;
	node->net = c->net;
	c->mem[id] = calloc(1, fab_endpoint_mem(&p));
	fab_endpoint_init(&c->net->fab, &node->ep, id, &p, c->mem[id]);
	net_join(c->net, &node->ep.port, &c->sw->port[id], CROWD_RATE,
		 CROWD_PROP);
}

static struct crowd *crowd_new(u32 headroom)
{
	struct fab_switch_params p = pfcnet_switch(CROWD + 1, 1, CROWD_LEN,
						   headroom);
	struct crowd *c = calloc(1, sizeof(*c));
	u32 i;

	/* A fifo per port, not one per pair of ports: all of them are walked. */
	p.arbiter = FAB_ARBITER_FIFO;
	p.port.react = CROWD_REACT;
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

/* The ends of E1: C (2p + react) + 84 bytes, and two packets more. */
static u32 crowd_lower(void)
{
	return (2 * CROWD_PROP + CROWD_REACT) * (CROWD_RATE / GBPS) / 8 / NS +
	       FAB_PFC_WIRE;
}

/* When the last of the senders has obeyed its first pause. */
static fab_time crowd_stopped(void)
{
	return 3 * crowd_slot() + 2 * CROWD_PROP + CROWD_REACT +
	       fab_serialise(FAB_PFC_WIRE, CROWD_RATE);
}

/*
 * All begin at once and fill up their accounts at once, which is when headroom
 * is needed: invariants are checked after each event until the last one has
 * stopped, a walk over all ports and packets each time. The thousand packets
 * that pass per round of turns then are alike, and a check after every 97th
 * event is enough to see each kind of them.
 */
TEST(thousand_to_one)
{
	struct crowd *c = crowd_new(crowd_lower() + 2 * CROWD_LEN);
	u32 i, full = 0, resumed = 0;

	crowd_pump(c, CROWD_LEN);
	crowd_run(c, crowd_stopped(), 1);
	EXPECT(c->events > 7 * CROWD);
	/* X / L packets and two more; but for whose first one was out by then. */
	for (i = 0; i < CROWD; i++) {
		EXPECT(c->node[i].ep.port.cls[0].c.rx_pause >= 1);
		EXPECT(c->sw->port[i].cls[0].c.buffer_peak <= 3 * CROWD_LEN);
		full += c->sw->port[i].cls[0].c.buffer_peak == 3 * CROWD_LEN;
	}
	EXPECT(full >= CROWD - 2);
	crowd_run(c, 5000 * crowd_slot(), 97);
	for (i = 0; i < CROWD; i++)
		resumed += c->node[i].ep.port.cls[0].c.rx_pause > 2;
	EXPECT(resumed > CROWD / 2);
	EXPECT_EQ(c->net->fab.c.packets_dropped, 0);
	/* The first one is in after two slots and wires, then one per slot. */
	EXPECT_EQ(c->node[CROWD].rx, 5000 - 2);
	crowd_free(c);
}

/* With headroom below the lower end, less a packet: there is a loss. */
TEST(thousand_to_one_without_headroom)
{
	struct crowd *c = crowd_new(crowd_lower() - CROWD_LEN - 1);

	crowd_pump(c, CROWD_LEN);
	while (!c->net->fab.c.packets_dropped &&
	       c->net->fab.now < crowd_stopped())
		crowd_run(c, c->net->fab.now + crowd_slot() / 4, 1);
	EXPECT(c->net->drops[FAB_DROP_HEADROOM] >= 1);
	crowd_run(c, crowd_stopped(), 97);
	EXPECT_EQ(c->net->drops[FAB_DROP_HEADROOM],
		  c->net->fab.c.packets_dropped);
	crowd_free(c);
}
