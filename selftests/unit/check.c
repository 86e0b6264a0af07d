// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The invariants: each is broken on purpose, and fab_check() must detect it.
 */
#include "core/sim/bitset.h"
#include "ktap.h"
#include "net.h"

/* Hosts 0 and 1 at a switch with virtual output queues; all queues in use. */
static struct net *busy(void)
{
	struct fab_switch_params p = net_switch_params(3);
	struct fab_wire_params slow = net_wire(GBPS, 100 * NS);
	struct net *net = net_new(1);
	u32 i;

	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 3; i++) {
		net_join(net, &net_host(net, i)->ep.port,
			 &net->sw[0]->port[i], 100 * GBPS, US);
		net_route(net->sw[0], i, i);
	}
	fab_link_set(&net->fab, &net->sw[0]->port[2], &slow);
	net_pump(net, 0, 2, 1000, 0);
	net_pump(net, 1, 2, 1001, 0);
	net_run(net, 20 * US);
	EXPECT(net->sw[0]->buffer.used > 50000);
	return net;
}

/* Break a value, expect the message @want, restore the value. */
#define BREAK(lvalue, value, want) do {					\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		EXPECT_NULL_STR(fab_check(&net->fab));			\
		(lvalue) = (value);					\
		expect_wrong(__LINE__, fab_check(&net->fab), want);	\
		(lvalue) = kept_;					\
		EXPECT_NULL_STR(fab_check(&net->fab));			\
	} while (0)

static void expect_wrong(int line, const char *got, const char *want)
{
	if (!got || strcmp(got, want))
		ktap_fail(__FILE__, line, "said \"%s\", want \"%s\"",
			  got ? got : "nothing", want);
}

TEST(ports)
{
	struct net *net = busy();
	struct fab_port *port = &net->sw[0]->port[2];
	struct fab_class *c = port->cls;
	struct fab_pkt *pkt = c->fifo[0].head;
	fab_time at;

	BREAK(pkt->cls, 1, "port: packet in the queue of another class");
	BREAK(pkt->ingress, 3, "port: packet from a port that does not exist");
	BREAK(pkt->ingress, 1,
	      "port: packet in the queue of another ingress port");
	BREAK(c->active[0], 1, "port: active bit and queue disagree");
	BREAK(c->packets, c->packets + 1,
	      "port: class accounts and queues disagree");
	BREAK(c->bytes, c->bytes - 1,
	      "port: class accounts and queues disagree");
	BREAK(port->ready, 0, "port: ready bit and queues disagree");
	BREAK(port->p->queue_limit, 100, "port: class queue above its limit");
	BREAK(port->queued, 7,
	      "port: sum of the classes is not what is queued");
	BREAK(port->busy_until, port->kick.at + 1,
	      "port: about to send while the wire is busy");
	at = port->kick.at;
	fab_event_cancel(&net->fab.events, &port->kick);
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "port: has something to send, but will not");
	fab_event_schedule(&net->fab.events, &port->kick, at);
	net_free(net);
}

TEST(kick_without_packets)
{
	struct net *net = busy();
	struct fab_port *port = &net->sw[0]->port[0];

	fab_event_schedule(&net->fab.events, &port->kick, 30 * US);
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "port: about to send, but has nothing to send");
	fab_event_cancel(&net->fab.events, &port->kick);
	net_free(net);
}

TEST(wires)
{
	struct net *net = busy();
	struct fab_port *port = &net->node[0]->ep.port;
	struct fab_pkt *pkt = port->wire.in_flight.head;

	fab_event_cancel(&net->fab.events, &port->wire.arrival);
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "wire: arrival and packets in flight disagree");
	fab_event_schedule(&net->fab.events, &port->wire.arrival, pkt->at);
	BREAK(pkt->at, pkt->at + 1,
	      "wire: arrival is not that of the oldest packet");
	BREAK(pkt->next->at, pkt->at - 1, "wire: a packet overtakes another");
	BREAK(pkt->next->next, pkt->next->next->next,
	      "fabric: a packet was lost or came from nowhere");
	net_free(net);
}

TEST(links)
{
	struct net *net = busy();
	struct fab_port *port = &net->sw[0]->port[2];

	BREAK(port->peer->peer, &net->sw[0]->port[1],
	      "link: the peer of the peer is another port");
	BREAK(port->wire.up, false, "link: packets wait for a wire that is down");
	net_free(net);
}

TEST(flight_on_a_dead_wire)
{
	struct net *net = net_new(1);

	net_join(net, &net_host(net, 0)->ep.port, &net_host(net, 1)->ep.port,
		 GBPS, US);
	net_send(net, 0, 1, 100);
	net_run(net, 100);
	BREAK(net->node[0]->ep.port.wire.up, false,
	      "link: packets in flight on a wire that is down");
	net_free(net);
}

TEST(buffers)
{
	struct net *net = busy();
	struct fab_switch *sw = net->sw[0];
	u64 held = sw->port[0].held;

	BREAK(sw->buffer.p.per_port, 10,
	      "buffer: a port holds more than its share");
	BREAK(sw->buffer.limit, 10, "buffer: more used than there is");
	BREAK(sw->buffer.used, 10,
	      "buffer: what the ports hold is not what is used");
	BREAK(sw->port[1].held, 0,
	      "buffer: what the ports hold is not what is used");
	sw->buffer.used += 5;
	sw->port[0].held += 5;
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "buffer: what is queued is not what is used");
	sw->buffer.used -= 5;
	sw->port[0].held = sw->port[1].held;
	sw->port[1].held = held;
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "buffer: accounted at the wrong port");
	sw->port[1].held = sw->port[0].held;
	sw->port[0].held = held;
	net_free(net);
}

TEST(endpoints)
{
	struct net *net = busy();

	BREAK(net->node[2]->ep.stopped, 1,
	      "endpoint: a class with room was not woken");
	net_free(net);
}

TEST(totals)
{
	struct net *net = busy();
	struct fab *fab = &net->fab;

	BREAK(fab->now, fab_event_next(&fab->events) + 1,
	      "events: one is overdue");
	BREAK(fab->c.packets_in, 1,
	      "fabric: a packet was lost or came from nowhere");
	BREAK(fab->endpoints, NULL,
	      "events: pending ones and those of the objects differ");
	net_free(net);
}

static void nothing(struct fab *fab, struct fab_event *ev)
{
}

TEST(guests)
{
	struct net *net = busy();
	struct fab_event_queue kept;
	struct fab_event ev;

	kept = net->fab.events;
	fab_event_init(&ev, nothing);
	fab_event_schedule(&net->fab.events, &ev, 40 * US);
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "events: pending ones and those of the objects differ");
	net->fab.guests = 1;
	EXPECT_NULL_STR(fab_check(&net->fab));
	fab_event_cancel(&net->fab.events, &ev);
	/* events of objects that are not in the queue are noticed still */
	memset(&net->fab.events, 0, sizeof(net->fab.events));
	fab_event_queue_init(&net->fab.events, 1);
	expect_wrong(__LINE__, fab_check(&net->fab),
		     "events: pending ones and those of the objects differ");
	net->fab.events = kept;
	net_free(net);
}

TEST(event_queue)
{
	struct net *net = net_new(1);
	struct fab_event_queue *q = &net->fab.events;
	struct fab_event ev[5], *top;
	u32 i;

	for (i = 0; i < 5; i++)
		fab_event_init(&ev[i], nothing);
	/* Three of the present 256 ps, of which two are sorted and one is late, and one far off. */
	for (i = 0; i < 3; i++)
		fab_event_schedule(q, &ev[i], 1000);
	top = fab_event_pop(q, 1000);
	fab_event_schedule(q, top, 1000);
	fab_event_schedule(q, &ev[3], 100000);
	fab_event_schedule(q, &ev[4], 100000000);
#define WRONG(lvalue, value, want) do {					\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		(lvalue) = (value);					\
		expect_wrong(__LINE__, fab_check(&net->fab), want);	\
		(lvalue) = kept_;					\
	} while (0)
	WRONG(q->levels, 0, "events: bit and level disagree");
	WRONG(q->words, ~q->words, "events: bit and slot disagree");
	WRONG(q->ticks[100000 / 256 / 64 % 32], 0, "events: bit and slot disagree");
	WRONG(ev[3].at, 100, "events: one lies in the wrong slot");
	WRONG(ev[4].at, 100, "events: one lies in the wrong slot");
	WRONG(ev[3].prev, &ev[0],
	      "events: the first of a slot has one before it");
	WRONG(top->at, 100000, "events: one lies in the wrong slot");
	WRONG(top->prev, &ev[3], "events: the first of the heap has one before it");
	WRONG(q->now->at, 100000, "events: one lies in the wrong slot");
	WRONG(q->now->key, U64_MAX - 1, "events: list out of order");
	for (i = 0; i < 5; i++)
		fab_event_cancel(q, &ev[i]);
	/* Two in one list: the first must be the earliest. */
	fab_event_schedule(q, &ev[0], 100000);
	fab_event_schedule(q, &ev[1], 100001);
	WRONG(ev[1].at, 99999,
	      "events: one is before the bound of its slot");
	fab_event_cancel(q, &ev[0]);
	fab_event_cancel(q, &ev[1]);
#undef WRONG
	net_free(net);
}
