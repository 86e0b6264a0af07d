// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of background traffic of a test host.
 */
#include "gen.h"

#include <stdlib.h>

#include "ktap.h"

static const struct fab_host_ops *plain;
static struct fab_host_ops ops;

static struct gen_pkt *gen_pkt(const struct fab_pkt *pkt)
{
	return container_of((void *)pkt, struct gen_pkt, p);
}

static void gen_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	struct net_node *node = container_of(ep, struct net_node, ep);

	if (!(pkt->flags & FAB_PKT_HW)) {
		plain->deliver(ep, pkt);
		return;
	}
	EXPECT_EQ(pkt->dst, ep->id);
	EXPECT(!gen_pkt(pkt)->waits);
	gen_pkt(pkt)->waits = true;
	node->net->digest = fab_mix(node->net->digest ^ node->net->fab.now) +
			    pkt->dst;
	fab_traffic_delivered(&node->net->fab, &gen_pkt(pkt)->of->t, pkt);
}

static void gen_drop(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, enum fab_drop why)
{
	struct gen_pkt *gp = gen_pkt(pkt);
	bool waits;

	if (!(pkt->flags & FAB_PKT_HW)) {
		plain->drop(fab, port, pkt, why);
		return;
	}
	waits = gp->waits;
	gp->waits = true;
	fab_traffic_lost(fab, &gp->of->t, pkt, waits);
}

static void gen_log(struct gen *g, const struct fab_pkt *pkt)
{
	if (g->n == LOG)
		return;
	g->at[g->n] = pkt->born;
	g->dst[g->n] = pkt->dst;
	g->len[g->n++] = pkt->len;
}

static void gen_trace(struct fab_port *port, const struct fab_pkt *pkt,
		      enum fab_trace what)
{
	struct gen_pkt *gp = gen_pkt(pkt);

	if (!(pkt->flags & FAB_PKT_HW) || !port->ep)
		return;
	if (what == FAB_TRACE_ENQUEUE) {
		gen_log(gp->of, pkt);
	} else if (what == FAB_TRACE_TRANSMIT) {
		gp->waits = false;
		fab_traffic_sent(&container_of(port->ep, struct net_node,
					       ep)->net->fab, &gp->of->t);
	}
}

/* Install the hooks for generators in a network. */
struct net *with_gens(struct net *net)
{
	plain = net->fab.host;
	ops = *plain;
	ops.deliver = gen_deliver;
	ops.drop = gen_drop;
	ops.trace = gen_trace;
	net->fab.host = &ops;
	return net;
}

struct gen *gen_new(struct net *net, u32 src,
		    const struct fab_traffic_params *p, u32 pool)
{
	struct gen *g = calloc(1, sizeof(*g));
	u32 i;

	if (!g)
		abort();
	EXPECT_EQ(fab_traffic_params_check(p, net->node[src]->ep.port.p->classes),
		  0);
	for (i = 0; i < pool; i++) {
		g->pkt[i].of = g;
		g->pkt[i].waits = true;
		fab_fifo_push(&g->t.free, &g->pkt[i].p);
	}
	fab_traffic_add(&net->fab, &net->node[src]->ep, &g->t, p);
	EXPECT_NULL_STR(fab_check(&net->fab));
	return g;
}

/* Check that all packets of a generator have returned, and free it. */
void gen_free(struct net *net, struct gen *g)
{
	if (g->t.ep)
		fab_traffic_remove(&net->fab, &g->t);
	net_run(net, net->fab.now + 1 * MS);
	EXPECT_EQ(g->t.inside, 0);
	EXPECT_EQ(g->t.c.sent_packets,
		  g->t.c.delivered_packets + g->t.c.lost_packets);
	free(g);
}
