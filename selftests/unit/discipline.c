// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hooks of flow control, tested with one that has tokens: a packet needs one to be
 * sent, and a timer brings new ones. Also the properties in a discipline's table, which
 * the rest of the model uses.
 */
#include "core/flow/discipline.h"
#include "ktap.h"
#include "net.h"

/**
 * struct tokens - state of one port
 */
struct tokens {
	u32 left;
	u32 sent;
	u32 received;
	u32 refused;
	u32 released;
	bool broken;
};

static struct tokens *tokens(const struct fab_port *port)
{
	return port->flow_state;
}

static void tokens_init(struct fab *fab, struct fab_port *port)
{
	tokens(port)->left = 2;
}

static bool tokens_may_send(const struct fab_port *port, const struct fab_pkt *pkt)
{
	return tokens(port)->left > 0;
}

static void tokens_on_send(struct fab *fab, struct fab_port *port,
			   struct fab_pkt *pkt)
{
	tokens(port)->left--;
	tokens(port)->sent++;
	if (!fab_event_pending(&port->flow_timer))
		fab_event_schedule(&fab->events, &port->flow_timer,
				   fab->now + 10 * US);
}

static void tokens_on_receive(struct fab *fab, struct fab_port *port,
			      struct fab_pkt *pkt, enum fab_drop verdict)
{
	if (verdict == FAB_DROP_COUNT)
		tokens(port)->received++;
	else
		tokens(port)->refused++;
}

static void tokens_on_release(struct fab *fab, struct fab_port *port,
			      const struct fab_pkt *pkt)
{
	tokens(port)->released++;
}

static void tokens_on_timer(struct fab *fab, struct fab_port *port)
{
	tokens(port)->left = 2;
	fab_port_kick(fab, port, fab->now);
}

static const char *tokens_check(const struct fab_port *port)
{
	return tokens(port)->broken ? "tokens: broken" : NULL;
}

static const struct fab_flow_control token_flow = {
	.state_size = sizeof(struct tokens),
	.init = tokens_init,
	.may_send = tokens_may_send,
	.on_send = tokens_on_send,
	.on_receive = tokens_on_receive,
	.on_release = tokens_on_release,
	.on_timer = tokens_on_timer,
	.check = tokens_check,
};

static const struct fab_discipline token_discipline = {
	.name = "tokens",
	.framing = &fab_frames,
	.flow = &token_flow,
};

static struct net *token_net(u64 buffer)
{
	struct fab_endpoint_params ep = { .port = net_port(1, 65536) };
	struct fab_switch_params p = net_switch_params(2);
	struct net *net = net_new(1);
	u32 i;

	ep.port.disc = &token_discipline;
	p.port.disc = &token_discipline;
	p.buffer.total = buffer;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, 0);
	net_route(net->sw[0], 1, 1);
	return net;
}

TEST(find)
{
	EXPECT(fab_discipline_find("drop-tail") == &fab_drop_tail);
	EXPECT(!fab_discipline_find("no-such"));
}

/* Two packets per 10 us: ten take four waits for the timer. */
TEST(may_send_and_timer)
{
	struct net *net = token_net(1 << 20);
	struct fab_switch *sw = net->sw[0];
	u32 i;

	for (i = 0; i < 10; i++)
		EXPECT_EQ(net_send(net, 0, 1, 1000), 0);
	net_run(net, 9 * US);
	EXPECT_EQ(net->node[1]->rx, 2);
	EXPECT_EQ(net->node[0]->ep.port.cls[0].packets, 8);
	net_run(net, 39 * US);
	EXPECT_EQ(net->node[1]->rx, 8);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 10);
	EXPECT_EQ(tokens(&net->node[0]->ep.port)->sent, 10);
	EXPECT_EQ(tokens(&sw->port[0])->received, 10);
	EXPECT_EQ(tokens(&sw->port[0])->released, 10);
	EXPECT_EQ(tokens(&sw->port[0])->refused, 0);
	EXPECT_EQ(tokens(&sw->port[1])->sent, 10);
	net_free(net);
}

TEST(verdict)
{
	struct net *net = token_net(999);

	net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(tokens(&net->sw[0]->port[0])->received, 0);
	EXPECT_EQ(tokens(&net->sw[0]->port[0])->refused, 1);
	EXPECT_EQ(tokens(&net->sw[0]->port[0])->released, 0);
	net_free(net);
}

TEST(check)
{
	struct net *net = token_net(1 << 20);

	EXPECT_NULL_STR(fab_check(&net->fab));
	tokens(&net->sw[0]->port[1])->broken = true;
	EXPECT(fab_check(&net->fab));
	tokens(&net->sw[0]->port[1])->broken = false;
	net_free(net);
}

/* A pending timer goes with its port. */
TEST(timer_is_cancelled)
{
	struct net *net = token_net(1 << 20);

	net_send(net, 0, 1, 1000);
	net_run(net, US);
	EXPECT(fab_event_pending(&net->node[0]->ep.port.flow_timer));
	EXPECT(fab_event_pending(&net->sw[0]->port[1].flow_timer));
	net_free(net);
}

/*
 * Faults use the properties of a discipline, not its name: this one has credits and no
 * pauses, and then the other way round.
 */
TEST(faults_ask_the_table)
{
	struct fab_flow_control flow = token_flow;
	const struct fab_discipline toy = {
		.name = "toy", .framing = &fab_frames, .flow = &flow,
	};
	struct fab_port_params p = { .disc = &toy };
	struct fab_endpoint ep = { .port.ep = &ep, .port.p = &p };

	flow.credits = true;
	EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_CREDIT_LOSS));
	EXPECT(!fab_fault_suits(&ep.port, FAB_FAULT_DUPLICATE));
	EXPECT(!fab_fault_suits(&ep.port, FAB_FAULT_REORDER));
	EXPECT(!fab_fault_suits(&ep.port, FAB_FAULT_PAUSE_STORM));
	flow.credits = false;
	flow.pauses = FAB_PAUSES_CLASS;
	EXPECT(!fab_fault_suits(&ep.port, FAB_FAULT_CREDIT_LOSS));
	EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_DUPLICATE));
	EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_REORDER));
	EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_PAUSE_STORM));
	flow.pauses = FAB_PAUSES_LINK;
	EXPECT(fab_fault_suits(&ep.port, FAB_FAULT_PAUSE_STORM));
}

static u32 seen[2];

static void see(struct fab_port *port, const struct fab_pkt *pkt,
		enum fab_trace what)
{
	seen[what]++;
}

TEST(trace)
{
	struct net *net = token_net(1 << 20);
	struct fab_host_ops ops = *net->fab.host;

	ops.trace = see;
	net->fab.host = &ops;
	net_send(net, 0, 1, 1000);
	net_drain(net);
	EXPECT_EQ(seen[FAB_TRACE_ENQUEUE], 2);
	EXPECT_EQ(seen[FAB_TRACE_TRANSMIT], 2);
	net_free(net);
}
