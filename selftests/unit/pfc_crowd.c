// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thousand senders into one port: no loss with the headroom of E1, a loss
 * with less.
 */
#include "core/sim/fixed.h"
#include "crowd.h"
#include "ktap.h"
#include "pfcnet.h"

/* Packets of a length that makes E1 small: two come after the decision. */
#define CROWD_LEN	1400U
#define CROWD_RATE	(100 * GBPS)
#define CROWD_PROP	(10 * NS)
#define CROWD_REACT	(200 * NS)

static fab_time crowd_slot(void)
{
	return fab_serialise(CROWD_LEN + 24, CROWD_RATE);
}

static struct crowd *pfc_crowd(u32 headroom)
{
	struct fab_switch_params p = pfcnet_switch(CROWD + 1, 1, CROWD_LEN,
						   headroom);
	struct fab_endpoint_params ep = {
		.port = pfcnet_port(1, CROWD_REACT),
	};
	struct crowd *c;
	u32 i;

	/* A fifo per port, not one per pair of ports: a check visits all of them. */
	p.arbiter = FAB_ARBITER_FIFO;
	p.port.react = CROWD_REACT;
	p.dsts = CROWD + 1;
	p.groups = 1;
	ep.port.queue_limit = CROWD_LEN;
	c = crowd_new(&p);
	for (i = 0; i <= CROWD; i++)
		net_join(c->net, crowd_join(c, i, &ep), &c->sw->port[i],
			 CROWD_RATE, CROWD_PROP);
	return c;
}

/* The ends of E1: C (2p + react) + 84 bytes, and two packets more. */
static u32 crowd_lower(void)
{
	return (2 * CROWD_PROP + CROWD_REACT) * (CROWD_RATE / GBPS) / 8 / NS +
	       FAB_PFC_WIRE;
}

/* Time at which the first pause of the last sender has taken effect. */
static fab_time crowd_stopped(void)
{
	return 3 * crowd_slot() + 2 * CROWD_PROP + CROWD_REACT +
	       fab_serialise(FAB_PFC_WIRE, CROWD_RATE);
}

/*
 * All begin at once and fill their accounts at once, which needs headroom. Then they
 * are served round robin for three rounds. crowd_run() checks the invariants; the
 * maximum that a port held is kept over all events.
 */
TEST(thousand_to_one)
{
	struct crowd *c = pfc_crowd(crowd_lower() + 2 * CROWD_LEN);
	u32 i, full = 0, resumed = 0;

	crowd_pump(c, CROWD_LEN);
	crowd_run(c, crowd_stopped());
	EXPECT(c->events > 7 * CROWD);
	/* X / L packets and two more; but for whose first one was out by then. */
	for (i = 0; i < CROWD; i++) {
		EXPECT(c->node[i].ep.port.cls[0].c.rx_pause >= 1);
		EXPECT(c->sw->port[i].cls[0].account.peak <= 3 * CROWD_LEN);
		full += c->sw->port[i].cls[0].account.peak == 3 * CROWD_LEN;
	}
	EXPECT(full >= CROWD - 2);
	crowd_run(c, 3000 * crowd_slot());
	for (i = 0; i < CROWD; i++)
		resumed += c->node[i].ep.port.cls[0].c.rx_pause > 2;
	EXPECT(resumed > CROWD / 2);
	EXPECT_EQ(c->net->fab.c.packets_dropped, 0);
	/* The first one is in after two slots and wires, then one per slot. */
	EXPECT_EQ(c->node[CROWD].rx, 3000 - 2);
	crowd_free(c);
}

/* With headroom below the lower end, less a packet: there is a loss. */
TEST(thousand_to_one_without_headroom)
{
	struct crowd *c = pfc_crowd(crowd_lower() - CROWD_LEN - 1);

	crowd_pump(c, CROWD_LEN);
	while (!c->net->fab.c.packets_dropped &&
	       c->net->fab.now < crowd_stopped())
		crowd_run(c, c->net->fab.now + crowd_slot() / 4);
	EXPECT(c->net->drops[FAB_DROP_HEADROOM] >= 1);
	crowd_run(c, crowd_stopped());
	EXPECT_EQ(c->net->drops[FAB_DROP_HEADROOM],
		  c->net->fab.c.packets_dropped);
	crowd_free(c);
}
