// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thousand senders into one port: creation and run of such a network.
 */
#include "crowd.h"

#include <stdlib.h>

#include "ktap.h"

/**
 * crowd_new() - create a network of a switch, with a route to the receiver
 * @p: parameters of the switch, with CROWD + 1 ports
 *
 * Return: the network; after all have joined, crowd_free() frees it.
 */
struct crowd *crowd_new(const struct fab_switch_params *p)
{
	struct crowd *c = calloc(1, sizeof(*c));

	c->step = getenv("WEFT_SOAK") ? 1 : CROWD_STEP;
	c->net = net_new(1);
	c->sw = net_switch_add(c->net, 0, p);
	net_route(c->sw, CROWD, CROWD);
	return c;
}

/**
 * crowd_join() - create a sender or the receiver
 * @c: the crowd
 * @id: its number, from 0; the last one is the receiver
 * @p: its parameters
 *
 * Return: its port, to be joined to the switch's of the same number.
 */
struct fab_port *crowd_join(struct crowd *c, u32 id,
			    const struct fab_endpoint_params *p)
{
	struct net_node *node = &c->node[id];

	node->net = c->net;
	c->mem[id] = calloc(1, fab_endpoint_mem(p));
	node->p = *p;
	fab_endpoint_init(&c->net->fab, &node->ep, id, &node->p, c->mem[id]);
	return &node->ep.port;
}

/**
 * crowd_pump() - let all senders send from now on
 * @c: the crowd
 * @len: bytes of a packet; 0: stop
 */
void crowd_pump(struct crowd *c, u32 len)
{
	struct fab_pkt pkt = { .len = len, .dst = CROWD, .segs = 1 };
	u32 i;

	for (i = 0; i < CROWD; i++) {
		c->node[i].pump[0] = pkt;
		while (len && !fab_endpoint_stop(&c->node[i].ep, 0))
			net_give(&c->node[i], &pkt);
	}
}

static void check(struct crowd *c)
{
	c->checks++;
	EXPECT_NULL_STR(fab_check(&c->net->fab));
}

/**
 * crowd_run() - run event by event, and check all invariants after each CROWD_STEP-th
 * event, or after each one if WEFT_SOAK is set
 * @c: the crowd
 * @until: when to stop
 *
 * A check of a thousand ports costs a thousand times as much as an event. A few checks
 * find the same errors: accounts are only added to and subtracted from, so a wrong one
 * stays wrong, and a packet that finds no room is counted as lost for good. Errors that
 * heal with the next event are left to the small networks, which are checked after each
 * instant. The step is prime, so that checks follow events of all kinds.
 */
void crowd_run(struct crowd *c, fab_time until)
{
	struct fab *fab = &c->net->fab;

	while (fab_event_next(&fab->events) <= until) {
		fab_run(fab, fab_event_next(&fab->events), 1);
		if (!(++c->events % c->step))
			check(c);
	}
	fab_run(fab, until, FAB_NO_BUDGET);
	check(c);
}

/**
 * crowd_free() - remove all nodes and free the network
 * @c: the crowd
 *
 * Its checks took two thirds of the time of all unit tests when each event had one.
 */
void crowd_free(struct crowd *c)
{
	u32 i;

	EXPECT(getenv("WEFT_SOAK") || c->checks * 20 < c->events);
	crowd_pump(c, 0);
	for (i = 0; i <= CROWD; i++) {
		fab_endpoint_remove(&c->net->fab, &c->node[i].ep);
		free(c->mem[i]);
	}
	net_free(c->net);
	free(c);
}
