// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PFC watchdog: the conditions of a storm, its detection, the action, and the end of
 * the storm (E7).
 */
#include "core/sim/fixed.h"
#include "ktap.h"
#include "pfcnet.h"

#define LEN	1000
#define RATE	(100 * GBPS)
#define SLOT	((LEN + 24) * 80ULL)

/**
 * struct dog - a watchdog
 */
struct dog {
	enum fab_watchdog_action action;
	fab_time poll;
	fab_time detect;
	fab_time restore;
};

static const struct dog dogs[] = {
	{ FAB_WATCHDOG_DROP, US, 3 * US, 5 * US },
	{ FAB_WATCHDOG_DROP, 2 * US, 5 * US, 20 * US },
	{ FAB_WATCHDOG_DROP, 10 * US, 10 * US, 3 * US },
	{ FAB_WATCHDOG_FORWARD, US, 3 * US, 5 * US },
	{ FAB_WATCHDOG_FORWARD, 2 * US, 5 * US, 20 * US },
	{ FAB_WATCHDOG_FORWARD, 10 * US, 10 * US, 3 * US },
};

static void dog_set(struct fab_switch_params *p, const struct dog *d)
{
	p->port.flow.pfc.action = d->action;
	p->port.flow.pfc.poll = d->poll;
	p->port.flow.pfc.detect = d->detect;
	p->port.flow.pfc.restore = d->restore;
}

/* Time from the first pause to the detection: whole polls, at least detect. */
static fab_time dog_finds(const struct dog *d)
{
	return DIV_ROUND_UP(d->detect, d->poll) * d->poll;
}

/* Hosts 0 and 1 at a switch with two classes, 1 before 0. */
static struct net *kennel(const struct dog *d, u64 xoff)
{
	struct fab_endpoint_params ep = { .port = pfcnet_port(2, 0) };
	struct fab_switch_params p = pfcnet_switch(2, 2, xoff, 1 << 20);
	struct net *net = net_new(1);
	u32 i;

	dog_set(&p, d);
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], RATE, 10 * NS);
		net_route(net->sw[0], i, i);
	}
	pfcnet_log(net);
	return net;
}

static struct fab_port *egress(struct net *net)
{
	return &net->sw[0]->port[1];
}

/* Pause class 0 of the egress again and again from @from on, the last time at @to. */
static void storm(struct net *net, fab_time from, fab_time to)
{
	fab_time at;

	for (at = from; at < to; at += 400 * NS) {
		net_run(net, at);
		pfcnet_hold(net, egress(net), 0, 100);
	}
	net_run(net, to);
	pfcnet_hold(net, egress(net), 0, 100);
}

/*
 * A class with packets is paused from t on by pauses that overlap. The polls are at
 * t + poll, t + 2 poll, ..., and each finds the class stuck. So the storm is detected at
 * t + ceil(detect / poll) poll; it ends restore after the last pause. Both exactly.
 */
static void storm_found(const struct dog *d)
{
	fab_time from = 2 * US + 333, found = from + dog_finds(d);
	fab_time to = found + 7 * US, over = to + d->restore;
	struct net *net = kennel(d, 10 * LEN);

	net_pump(net, 0, 1, LEN, 0);
	storm(net, from, to);
	net_run(net, over + 20 * US);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_PAUSED, 0), from);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_WATCHDOG, 0), found);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_RESTORED, 0), over);
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_WATCHDOG), 1);
	EXPECT_EQ(egress(net)->cls[0].c.watchdogs, 1);
	EXPECT_EQ(egress(net)->cls[0].c.first_watchdog_ps, found);
	EXPECT_EQ(egress(net)->cls[1].c.watchdogs, 0);
	EXPECT_EQ(egress(net)->cls[1].c.first_watchdog_ps, 0);
	EXPECT_EQ(egress(net)->cls[0].c.held_since_ps, 0);
	EXPECT_EQ(egress(net)->cls[0].c.first_drop_ps,
		  d->action == FAB_WATCHDOG_DROP ? found : 0);
	EXPECT_EQ(!!net->drops[FAB_DROP_WATCHDOG],
		  d->action == FAB_WATCHDOG_DROP);
	EXPECT_EQ(net->drops[FAB_DROP_WATCHDOG], net->fab.c.packets_dropped);
	EXPECT_EQ(egress(net)->cls[0].c.dropped, net->drops[FAB_DROP_WATCHDOG]);
	EXPECT_EQ(egress(net)->cls[1].c.dropped, 0);
	EXPECT_EQ(egress(net)->dropping, 0);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	net_free(net);
}

TEST(storm_is_found_and_over)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dogs); i++)
		storm_found(&dogs[i]);
}

/*
 * Packets of class 0 in a storm are dropped, first all that wait and then one per slot;
 * or they are sent, one per slot. The sender resumes as soon as its account is under.
 */
static void storm_action(const struct dog *d)
{
	bool drop = d->action == FAB_WATCHDOG_DROP;
	fab_time found = US + dog_finds(d);
	struct net *net = kennel(d, 10 * LEN);
	u64 waiting;

	net_pump(net, 0, 1, LEN, 0);
	storm(net, US, found - 1);
	waiting = egress(net)->cls[0].packets;
	EXPECT(waiting >= 10);
	net_run(net, found);
	pfcnet_hold(net, egress(net), 0, U16_MAX);
	EXPECT_EQ(net->drops[FAB_DROP_WATCHDOG], drop ? waiting : 0);
	EXPECT_EQ(egress(net)->dropping, drop);
	/* By then it is under, and XON has arrived. */
	net_run(net, found + 2 * US);
	waiting = net->drops[FAB_DROP_WATCHDOG];
	net->node[1]->rx = 0;
	net_run(net, found + 2 * US + 10 * SLOT);
	EXPECT_EQ(net->drops[FAB_DROP_WATCHDOG] - waiting, drop ? 10 : 0);
	EXPECT_EQ(net->node[1]->rx, drop ? 0 : 10);
	net_free(net);
}

TEST(storm_action)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dogs); i++)
		storm_action(&dogs[i]);
}

/* After the storm the class obeys pauses again, and loses nothing. */
static void obeys_again(const struct dog *d)
{
	fab_time to = US + dog_finds(d) + US, over = to + d->restore;
	struct net *net = kennel(d, 10 * LEN);
	u64 lost;

	net_pump(net, 0, 1, LEN, 0);
	storm(net, US, to);
	net_run(net, over + 10 * US);
	lost = net->fab.c.packets_dropped;
	net->node[1]->rx = 0;
	net_run(net, net->fab.now + 100 * SLOT);
	EXPECT_EQ(net->node[1]->rx, 100);
	pfcnet_hold(net, egress(net), 0, 100);
	net_run(net, net->fab.now + 2 * SLOT);
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_PAUSED), 2);
	net->node[1]->rx = 0;
	net_run(net, net->fab.now + 4 * SLOT);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(net->fab.c.packets_dropped, lost);
	net_free(net);
}

TEST(obeys_again)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dogs); i++)
		obeys_again(&dogs[i]);
}

/*
 * No packet waits: pauses alone are no storm. The last one ends at 30.512 us, and the
 * last poll is the one after that; then the timer is off.
 */
TEST(nothing_waits)
{
	struct net *net = kennel(&dogs[0], 10 * LEN);

	EXPECT_EQ(fab_event_next(&net->fab.events), FAB_NEVER);
	storm(net, US, 30 * US);
	EXPECT(fab_event_pending(&egress(net)->flow_timer));
	net_drain(net);
	EXPECT_EQ(net->fab.now, 31 * US);
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_WATCHDOG), 0);
	net_free(net);
}

/* Paused and resumed in time: the count is reset. */
TEST(resumed_in_time)
{
	struct net *net = kennel(&dogs[1], 10 * LEN);
	u32 i;

	net_pump(net, 0, 1, LEN, 0);
	for (i = 1; i < 20; i++) {
		/* Up to 4.9 us of 5, then time for a packet. */
		storm(net, i * 10 * US, i * 10 * US + 4900 * NS);
		pfcnet_hold(net, egress(net), 0, 0);
	}
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_WATCHDOG), 0);
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_RESUMED), 19);
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
	net_free(net);
}

/*
 * A class that sends nothing because another one goes first is only stuck if it was also
 * paused for more than 99 % of the time between two polls, which are 10 us apart. Here
 * it was, except for @gap from @phase after each poll. Returns the time at which the
 * storm was detected.
 */
static fab_time starved(fab_time phase, fab_time gap)
{
	struct dog d = { FAB_WATCHDOG_DROP, 10 * US, 30 * US, US };
	struct net *net = kennel(&d, 1 << 20);
	fab_time at;

	pfcnet_hold(net, egress(net), 0, U16_MAX);
	net_send(net, 0, 1, LEN);
	net_run(net, US);
	/* A queue of class 1, so that it always has a packet. */
	pfcnet_hold(net, egress(net), 1, U16_MAX);
	net_pump(net, 0, 1, LEN, 1);
	net_run(net, 5 * US);
	pfcnet_hold(net, egress(net), 1, 0);
	for (at = phase; at < 90 * US; at += 10 * US) {
		if (at < 6 * US)
			continue;
		net_run(net, at);
		pfcnet_hold(net, egress(net), 0, 0);
		net_run(net, at + gap);
		pfcnet_hold(net, egress(net), 0, U16_MAX);
	}
	EXPECT_EQ(net->node[1]->rx_cls[0], 0);
	at = pfcnet_at(egress(net), 0, FAB_NOTICE_WATCHDOG, 0);
	net_free(net);
	return at;
}

/* The third poll is at 30 us. A gap may include a poll, with 30 ns on either side. */
TEST(most_of_the_time)
{
	EXPECT_EQ(starved(5 * US, 0), 30 * US);
	EXPECT_EQ(starved(5 * US, 50 * NS), 30 * US);
	EXPECT_EQ(starved(5 * US, 99 * NS), 30 * US);
	EXPECT_EQ(starved(5 * US, 100 * NS), FAB_NEVER);
	EXPECT_EQ(starved(5 * US, 200 * NS), FAB_NEVER);
	EXPECT_EQ(starved(10 * US - 30 * NS, 60 * NS), 30 * US);
}

/* The defaults of SONiC, with a real storm: a host that takes no packets. */
static void real_storm(fab_time ms, u16 quanta)
{
	struct dog d = { FAB_WATCHDOG_DROP, ms * MS, ms * MS, ms * MS };
	struct fab_endpoint_params ep = pfcnet_host(1, 2 * LEN, 10 * LEN);
	struct fab_switch_params p = pfcnet_switch(2, 1, 10 * LEN, 1 << 20);
	struct fab_receive_params rx = {};
	fab_time frame = fab_serialise(FAB_PFC_WIRE, RATE), paused, resumed;
	struct net *net = net_new(1);
	u32 i;

	dog_set(&p, &d);
	ep.port.flow.pfc.quanta = quanta;
	ep.rx.stopped = 1;
	net_switch_add(net, 0, &p);
	for (i = 0; i < 2; i++) {
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], RATE, 10 * NS);
		net_route(net->sw[0], i, i);
	}
	pfcnet_log(net);
	for (i = 0; i < 8; i++)
		net_send(net, 0, 1, LEN);
	/* The second packet has come: two wires and a slot after the first. */
	paused = 3 * SLOT + 20 * NS + frame + 10 * NS;
	net_run(net, paused + 5 * ms * MS / 2);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_PAUSED, 0), paused);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_WATCHDOG, 0),
		  paused + ms * MS);
	/* Three were through: two, and one while the pause came. */
	EXPECT_EQ(net->drops[FAB_DROP_WATCHDOG], 8 - 3);
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_RESTORED), 0);
	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
	resumed = net->fab.now + frame + 10 * NS;
	net_drain(net);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_RESUMED, 0), resumed);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_RESTORED, 0),
		  resumed + ms * MS);
	EXPECT_EQ(net->node[1]->rx, 3);
	net_free(net);
}

TEST(defaults_of_sonic)
{
	real_storm(200, U16_MAX);
	real_storm(100, 40000);
	real_storm(20, 5000);
}

/*
 * One pause that is longer than all of the watchdog's times: the storm ends restore
 * after its detection. The class is still paused, so the next storm is detected after
 * detect.
 */
static void found_again(const struct dog *d)
{
	struct net *net = kennel(d, 10 * LEN);
	fab_time at = US;
	u32 i;

	net_pump(net, 0, 1, LEN, 0);
	net_run(net, at);
	pfcnet_hold(net, egress(net), 0, U16_MAX);
	net_run(net, 200 * US);
	for (i = 0; i < 3; i++) {
		at += dog_finds(d);
		EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_WATCHDOG, i),
			  at);
		at += d->restore;
		EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_RESTORED, i),
			  at);
	}
	net_free(net);
}

TEST(found_again)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dogs); i++)
		found_again(&dogs[i]);
}

/* A storm ends with the link, and with a change of the parameters. */
static void storm_cut(void (*cut)(struct net *net))
{
	struct net *net = kennel(&dogs[0], 10 * LEN);

	net_pump(net, 0, 1, LEN, 0);
	storm(net, US, 5 * US);
	EXPECT_EQ(egress(net)->dropping, 1);
	cut(net);
	EXPECT_EQ(egress(net)->dropping, 0);
	EXPECT_EQ(pfcnet_at(egress(net), 0, FAB_NOTICE_RESTORED, 0), 5 * US);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_run(net, 50 * US);
	EXPECT_EQ(pfcnet_notes(egress(net), 0, FAB_NOTICE_WATCHDOG), 1);
	EXPECT(net->node[1]->rx > 100);
	net_free(net);
}

static void cut_link(struct net *net)
{
	fab_link_up(&net->fab, egress(net), false);
	fab_link_up(&net->fab, egress(net), true);
}

static void cut_params(struct net *net)
{
	struct fab_pfc_params p = egress(net)->p->flow.pfc;

	p.action = FAB_WATCHDOG_OFF;
	EXPECT_EQ(fab_pfc_set(&net->fab, egress(net), &p), 0);
}

TEST(storm_is_cut)
{
	storm_cut(cut_link);
	storm_cut(cut_params);
}

TEST(invariant)
{
	struct net *net = kennel(&dogs[3], 10 * LEN);

	net_pump(net, 0, 1, LEN, 0);
	storm(net, US, US + dog_finds(&dogs[3]) + 1);
	EXPECT(egress(net)->ready);
	PFCNET_BREAK(egress(net)->dropping, 1,
		     "pfc: packets wait in a class that is dropped");
	net_free(net);
}

/* E7: the ring of pfc_fabric.c that deadlocks, with a watchdog. */
static struct net *ring(u32 n, u32 h, const struct dog *d)
{
	struct fab_switch_params p = pfcnet_switch(3, 1, 20 * LEN, 10 * LEN);
	struct fab_endpoint_params ep = { .port = pfcnet_port(1, 0) };
	struct net *net = net_new(n + h);
	u32 i, dst;

	dog_set(&p, d);
	for (i = 0; i < n; i++)
		net_switch_add(net, i, &p);
	for (i = 0; i < n; i++) {
		net_join(net, &net->sw[i]->port[1],
			 &net->sw[(i + 1) % n]->port[2], RATE, 10 * NS);
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[i]->port[0], RATE, 10 * NS);
		for (dst = 0; dst < n; dst++)
			net_route(net->sw[i], dst, dst == i ? 0 : 1);
	}
	pfcnet_log(net);
	for (i = 0; i < n; i++)
		net_pump(net, i, (i + h) % n, LEN, 0);
	net->no_check = true;
	return net;
}

/* Time at which the first storm was detected. @where: set to its switch. */
static fab_time ring_found(struct net *net, u32 n, u32 *where)
{
	fab_time first = FAB_NEVER, at;
	u32 i;

	for (i = 0; i < n; i++) {
		at = pfcnet_at(&net->sw[i]->port[1], 0, FAB_NOTICE_WATCHDOG, 0);
		if (at < first) {
			first = at;
			*where = i;
		}
	}
	return first;
}

static u64 delivered(const struct net *net, u32 n)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum += net->node[i]->rx;
	return sum;
}

/*
 * The deadlock begins when the last port of the ring is paused for good. From then on
 * each port is stuck. Polls are poll apart and at any phase. So the first storm is
 * detected after detect, rounded up to whole polls, and at most one poll more. Then
 * packets move within one poll, and only the watchdog drops any.
 */
static void ring_breaks(u32 n, u32 h, const struct dog *d)
{
	struct net *net = ring(n, h, d);
	fab_time found, paused, last = 0, first = FAB_NEVER;
	u32 i, k, where = 0;
	u64 before;

	while (!delivered(net, n) || ring_found(net, n, &where) == FAB_NEVER)
		net_run(net, net->fab.now + SLOT / 4);
	found = ring_found(net, n, &where);
	for (i = 0; i < n; i++) {
		for (k = 0; pfcnet_at(&net->sw[i]->port[1], 0,
				      FAB_NOTICE_PAUSED, k) < found; k++)
			;
		paused = pfcnet_at(&net->sw[i]->port[1], 0, FAB_NOTICE_PAUSED,
				   k - 1);
		last = max(last, paused);
		first = min(first, paused);
	}
	EXPECT(found >= first + dog_finds(d) - d->poll / 100);
	EXPECT(found <= last + dog_finds(d) + d->poll);
	pfcnet_log_end();
	before = delivered(net, n);
	net_run(net, found + d->poll);
	/* Those of the port in the storm, all of which may be dropped. */
	EXPECT(delivered(net, n) + net->drops[FAB_DROP_WATCHDOG] > before);
	before = delivered(net, n);
	net_run(net, found + 20 * dog_finds(d));
	EXPECT(delivered(net, n) > before + 100);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->fab.c.packets_dropped, net->drops[FAB_DROP_WATCHDOG]);
	EXPECT_EQ(!!net->drops[FAB_DROP_WATCHDOG],
		  d->action == FAB_WATCHDOG_DROP);
	net_free(net);
}

TEST(ring_breaks)
{
	static const struct dog slow[] = {
		{ FAB_WATCHDOG_DROP, 20 * US, 100 * US, 100 * US },
		{ FAB_WATCHDOG_DROP, 50 * US, 50 * US, 200 * US },
		{ FAB_WATCHDOG_DROP, 10 * US, 35 * US, 30 * US },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(slow); i++) {
		ring_breaks(4, 3, &slow[i]);
		ring_breaks(5, 3, &slow[i]);
	}
}
