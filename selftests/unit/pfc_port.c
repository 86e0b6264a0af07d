// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pauses that a port sends and obeys: refreshes, separate classes, lost frames, links
 * that flap, parameters that change, broken invariants.
 */
#include "core/sim/fixed.h"
#include "ktap.h"
#include "pfcnet.h"

#define LEN	1000
#define RATE	(100 * GBPS)
#define SLOT	((LEN + 24) * 80ULL)
#define FRAME	(FAB_PFC_WIRE * 80ULL)
#define PROP	(10 * NS)

/* Host 0 sends, host 1 stops classes; a pause lasts 100 quanta, 512 ns. */
#define PAUSE	(100 * 5120ULL)

static struct net *pair(const struct fab_discipline *disc, u32 classes,
			u64 xoff)
{
	struct fab_endpoint_params p = pfcnet_host(classes, xoff, 1 << 20);
	struct net *net = net_new(1);
	u32 i;

	p.port.disc = disc;
	p.port.flow.pfc.quanta = 100;
	for (i = 0; i < classes; i++) {
		p.buffer.cls[i].xon = LEN;
		p.port.sched.weight[i] = 1;
	}
	for (i = 0; i < 2; i++)
		net_node_add(net, i, &p);
	net_join(net, &net->node[0]->ep.port, &net->node[1]->ep.port, RATE,
		 PROP);
	pfcnet_log(net);
	return net;
}

static struct fab_port *sender(struct net *net)
{
	return &net->node[0]->ep.port;
}

static struct fab_port *receiver(struct net *net)
{
	return &net->node[1]->ep.port;
}

static void stop(struct net *net, u16 classes)
{
	struct fab_receive_params rx = { .stopped = classes };

	fab_receive_set(&net->fab, &net->node[1]->ep, &rx);
}

/*
 * The host takes no packets; the x-th arrives at x slots and p. Then a frame is sent,
 * and another one every half pause; the sender is paused all the time. When the host
 * takes all packets, XON is sent, and takes effect a frame and p later.
 */
static void refresh(u32 x, u32 n)
{
	struct net *net = pair(&fab_pfc, 1, x * LEN);
	fab_time over = x * SLOT + PROP, end = over + n * PAUSE / 2;

	stop(net, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, end - 1);
	EXPECT_EQ(receiver(net)->cls[0].c.tx_pause, n);
	net_run(net, end + 100 * NS);
	EXPECT_EQ(receiver(net)->cls[0].c.tx_pause, n + 1);
	EXPECT_EQ(receiver(net)->c.tx_control, n + 1);
	EXPECT_EQ(sender(net)->cls[0].c.rx_pause, n + 1);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 0),
		  over + FRAME + PROP);
	EXPECT_EQ(pfcnet_notes(sender(net), 0, FAB_NOTICE_RESUMED), 0);
	stop(net, 0);
	net_run(net, end + 200 * NS);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_RESUMED, 0),
		  end + 100 * NS + FRAME + PROP);
	EXPECT_EQ(sender(net)->cls[0].c.rx_pause, n + 2);
	net_pump(net, 0, 1, 0, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, net->sent);
	net_free(net);
}

TEST(refresh)
{
	refresh(3, 1);
	refresh(5, 4);
	refresh(20, 100);
}

/* A threshold that rises: XON is sent instead of the next refresh. */
TEST(refresh_looks_again)
{
	struct net *net = pair(&fab_pfc, 1, 3 * LEN);
	struct fab_account_params more = {
		.threshold = 300 * LEN, .headroom = 1 << 20,
	};
	fab_time over = 3 * SLOT + PROP;

	/* Three and no more: not in the headroom. */
	stop(net, 1);
	net_send(net, 0, 1, LEN);
	net_send(net, 0, 1, LEN);
	net_send(net, 0, 1, LEN);
	net_run(net, over + PAUSE / 4);
	EXPECT_EQ(fab_buffer_limit(&net->node[1]->ep.rx.buffer, receiver(net),
				   0, &more), 0);
	net_run(net, over + PAUSE);
	EXPECT_EQ(receiver(net)->c.tx_control, 2);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_RESUMED, 0),
		  over + PAUSE / 2 + FRAME + PROP);
	net_free(net);
}

static struct fab_control last;

static void see(struct fab_port *port, const struct fab_control *c)
{
	last = *c;
}

static void watch_control(struct net *net)
{
	static struct fab_host_ops ops;

	ops = *net->fab.host;
	ops.control = see;
	net->fab.host = &ops;
}

/* Class 1 stops; class 0 has the wire for itself, a packet per slot. */
TEST(classes_are_separate)
{
	struct net *net = pair(&fab_pfc, 2, 5 * LEN);

	watch_control(net);
	stop(net, 2);
	net_pump(net, 0, 1, LEN, 0);
	net_pump(net, 0, 1, LEN, 1);
	net_run(net, 30 * SLOT);
	EXPECT_EQ(last.type, FAB_CONTROL_PFC);
	EXPECT_EQ(last.pause.enable, 2);
	EXPECT_EQ(last.pause.quanta[0], 0);
	EXPECT_EQ(last.pause.quanta[1], 100);
	EXPECT_EQ(receiver(net)->cls[0].c.tx_pause, 0);
	memset(net->node[1]->rx_cls, 0, sizeof(net->node[1]->rx_cls));
	net_run(net, 130 * SLOT);
	EXPECT_EQ(net->node[1]->rx_cls[0], 100 * LEN);
	EXPECT_EQ(net->node[1]->rx_cls[1], 0);
	stop(net, 0);
	net_run(net, 131 * SLOT);
	EXPECT_EQ(last.pause.enable, 2);
	EXPECT_EQ(last.pause.quanta[1], 0);
	net_free(net);
}

/* With "pause" one class stops all, and all resume when each may. */
TEST(pause_stops_all)
{
	struct net *net = pair(&fab_pause, 2, 5 * LEN);
	u32 i;

	watch_control(net);
	stop(net, 2);
	net_pump(net, 0, 1, LEN, 0);
	net_pump(net, 0, 1, LEN, 1);
	net_run(net, 30 * SLOT);
	EXPECT_EQ(last.type, FAB_CONTROL_PAUSE);
	EXPECT_EQ(last.pause.quanta[0], 100);
	net->node[1]->rx = 0;
	net_run(net, 130 * SLOT);
	EXPECT_EQ(net->node[1]->rx, 0);
	EXPECT_EQ(sender(net)->blocked, 3);
	/* Refreshes are frames for all classes, too: one each half pause. */
	EXPECT_EQ(receiver(net)->cls[0].c.tx_pause,
		  receiver(net)->c.tx_control);
	EXPECT_EQ(receiver(net)->cls[1].c.tx_pause,
		  receiver(net)->c.tx_control);
	stop(net, 0);
	net_run(net, 130 * SLOT + FRAME + PROP);
	EXPECT_EQ(last.pause.quanta[0], 0);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(pfcnet_notes(sender(net), i, FAB_NOTICE_RESUMED), 1);
	net_run(net, 230 * SLOT + FRAME + PROP);
	EXPECT(net->node[1]->rx >= 99);
	net_free(net);
}

/* A class that is not lossless neither sends nor obeys pauses; it loses packets. */
TEST(lossy_class)
{
	struct net *net = pair(&fab_pfc, 2, 5 * LEN);
	struct fab_pfc_params p = receiver(net)->p->flow.pfc;

	p.enable = 1;
	EXPECT_EQ(fab_pfc_set(&net->fab, sender(net), &p), 0);
	EXPECT_EQ(fab_pfc_set(&net->fab, receiver(net), &p), 0);
	stop(net, 2);
	net_pump(net, 0, 1, LEN, 1);
	net_run(net, 10 * SLOT);
	pfcnet_hold(net, sender(net), 1, U16_MAX);
	net_run(net, 105 * SLOT + PROP);
	EXPECT_EQ(net->drops[FAB_DROP_RX_FULL], 100);
	EXPECT_EQ(receiver(net)->c.tx_control, 0);
	EXPECT_EQ(sender(net)->cls[1].c.rx_pause, 0);
	net_free(net);
}

static void errors_set(struct net *net, struct fab_port *port, u64 distance)
{
	struct fab_wire_params w = port->wire.p;

	w.bits_per_error = distance;
	fab_link_set(&net->fab, port, &w);
}

/*
 * Lost frames: after the last frame that arrived the sender waits for the whole pause,
 * no longer. The next refresh that arrives stops it again.
 */
TEST(lost_refresh)
{
	struct net *net = pair(&fab_pfc, 1, 3 * LEN);
	fab_time acts = 3 * SLOT + PROP + FRAME + PROP;

	stop(net, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, acts);
	errors_set(net, receiver(net), 1);
	net_run(net, acts + PAUSE);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 0), acts);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_RESUMED, 0),
		  acts + PAUSE);
	EXPECT_EQ(receiver(net)->c.lost_control, 2);
	errors_set(net, receiver(net), 0);
	/* Sent every half pause from the first on: the third is next. */
	net_run(net, acts + 2 * PAUSE);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 1),
		  acts + 3 * PAUSE / 2);
	net_free(net);
}

/* XON is lost: the pause expires. */
TEST(lost_resume)
{
	struct net *net = pair(&fab_pfc, 1, 3 * LEN);
	fab_time acts = 3 * SLOT + PROP + FRAME + PROP;

	stop(net, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, acts + PAUSE / 4);
	errors_set(net, receiver(net), 1);
	stop(net, 0);
	net_run(net, acts + PAUSE);
	EXPECT_EQ(receiver(net)->cls[0].c.tx_pause, 2);
	EXPECT_EQ(receiver(net)->c.lost_control, 1);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_RESUMED, 0),
		  acts + PAUSE);
	net_free(net);
}

/* Over and under again while the wire is busy: no frame is sent. */
TEST(nothing_to_say)
{
	struct net *net = pair(&fab_pfc, 1, 3 * LEN);

	net_send(net, 1, 0, 50000);
	stop(net, 1);
	net_run(net, 10 * NS);
	net_send(net, 0, 1, LEN);
	net_send(net, 0, 1, LEN);
	net_send(net, 0, 1, LEN);
	net_run(net, 10 * SLOT);
	EXPECT(fab_buffer_over(&net->node[1]->ep.rx.buffer,
			       &receiver(net)->cls[0].account));
	stop(net, 0);
	net_drain(net);
	EXPECT_EQ(receiver(net)->c.tx_control, 0);
	EXPECT_EQ(net->node[1]->rx, 3);
	net_free(net);
}

/* The link flaps: pauses are reset, and sent again if they are still needed. */
static void flap(bool at_sender)
{
	struct net *net = pair(&fab_pfc, 1, 3 * LEN);
	struct fab_port *port = at_sender ? sender(net) : receiver(net);

	stop(net, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 30 * SLOT);
	EXPECT(sender(net)->blocked);
	fab_link_up(&net->fab, port, false);
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_RESUMED, 0), 30 * SLOT);
	net_run(net, 31 * SLOT);
	fab_link_up(&net->fab, port, true);
	EXPECT_NULL_STR(fab_check(&net->fab));
	/* What was queued on the wire that went down is lost. */
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 60 * SLOT);
	/* It is said at once, also while only the sender's wire is down. */
	if (at_sender)
		EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 1),
			  30 * SLOT + FRAME + PROP);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 1 + at_sender),
		  31 * SLOT + FRAME + PROP);
	EXPECT_EQ(net->node[1]->rx, 0);
	stop(net, 0);
	net_run(net, 100 * SLOT);
	EXPECT(net->node[1]->rx > 10);
	EXPECT_EQ(net->drops[FAB_DROP_HEADROOM], 0);
	net_free(net);
}

TEST(link_flaps)
{
	flap(true);
	flap(false);
}

/* Parameters that change: a class that becomes lossy resumes. */
TEST(set_enable)
{
	struct net *net = pair(&fab_pfc, 2, 3 * LEN);
	struct fab_pfc_params p = receiver(net)->p->flow.pfc;

	stop(net, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 20 * SLOT);
	p.enable = 2;
	EXPECT_EQ(fab_pfc_set(&net->fab, receiver(net), &p), 0);
	EXPECT_EQ(receiver(net)->lossless, 2);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_run(net, 20 * SLOT + FRAME + PROP);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_RESUMED, 0),
		  20 * SLOT + FRAME + PROP);
	net_run(net, 40 * SLOT);
	EXPECT(net->drops[FAB_DROP_RX_FULL] > 10);
	/* And back: it is over, and says so. */
	p.enable = 3;
	EXPECT_EQ(fab_pfc_set(&net->fab, receiver(net), &p), 0);
	net_run(net, 40 * SLOT + FRAME + PROP);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 1),
		  40 * SLOT + FRAME + PROP);
	/* The sender's own parameters: it no longer obeys. */
	p.enable = 2;
	EXPECT_EQ(fab_pfc_set(&net->fab, sender(net), &p), 0);
	EXPECT_EQ(sender(net)->lossless, 2);
	EXPECT_EQ(pfcnet_notes(sender(net), 0, FAB_NOTICE_RESUMED), 2);
	net_free(net);
}

TEST(params_refused)
{
	struct fab_port_params good = pfcnet_port(8, 0), p;
	struct net *net = pair(&fab_pfc, 2, LEN);
	struct fab_pfc_params set = sender(net)->p->flow.pfc;

	EXPECT_EQ(fab_port_params_check(&good), 0);
#define REFUSE(field, value) do {					\
		p = good;						\
		p.flow.pfc.poll = MS;					\
		p.flow.pfc.detect = MS;					\
		p.flow.pfc.restore = MS;				\
		p.flow.pfc.action = FAB_WATCHDOG_DROP;			\
		EXPECT_EQ(fab_port_params_check(&p), 0);		\
		p.field = (value);					\
		EXPECT(fab_port_params_check(&p) == -EINVAL);		\
	} while (0)
	REFUSE(classes, 9);
	REFUSE(classes, 7);
	REFUSE(flow.pfc.quanta, 0);
	REFUSE(flow.pfc.quanta, FAB_PFC_QUANTA_MIN - 1);
	REFUSE(flow.pfc.action, __FAB_WATCHDOG_MAX);
	REFUSE(flow.pfc.poll, 0);
	REFUSE(flow.pfc.poll, FAB_DELAY_MAX + 1);
	REFUSE(flow.pfc.detect, 0);
	REFUSE(flow.pfc.detect, FAB_DELAY_MAX + 1);
	REFUSE(flow.pfc.restore, 0);
	REFUSE(flow.pfc.restore, FAB_DELAY_MAX + 1);
#undef REFUSE
	/* "pause" knows no classes, so that it has any number. */
	p = good;
	p.disc = &fab_pause;
	p.classes = FAB_CLASSES_MAX;
	EXPECT_EQ(fab_port_params_check(&p), 0);
	set.enable = 4;
	EXPECT(fab_pfc_set(&net->fab, sender(net), &set) == -EINVAL);
	net_free(net);
}

TEST(set_refused)
{
	struct fab_switch_params p = pfcnet_switch(2, 1, 1 << 20, 1 << 20);
	struct fab_pfc_params set = p.port.flow.pfc;
	struct net *net = pair(&fab_drop_tail, 1, 0);

	EXPECT(fab_pfc_set(&net->fab, sender(net), &set) == -EOPNOTSUPP);
	net_free(net);
	net = net_new(1);
	p.port.queue_limit = LEN;
	net_switch_add(net, 0, &p);
	net->sw[0]->port[0].cls[0].bytes = LEN + 1;
	set.enable = 0;
	EXPECT(fab_pfc_set(&net->fab, net->sw[0]->port, &set) == -EBUSY);
	net->sw[0]->port[0].cls[0].bytes = LEN;
	EXPECT_EQ(fab_pfc_set(&net->fab, net->sw[0]->port, &set), 0);
	net->sw[0]->port[0].cls[0].bytes = 0;
	net_free(net);
}

/*
 * A packet that is too large for any room is lost, and counted. If bytes are held that
 * will be released, the sender is stopped until then.
 */
TEST(no_room_for_a_packet)
{
	struct net *net = pair(&fab_pfc, 1, LEN / 2);
	struct fab_account_params none = { .threshold = LEN + LEN / 2 };

	fab_buffer_limit(&net->node[1]->ep.rx.buffer, NULL, 0, &none);
	stop(net, 1);
	net_send(net, 0, 1, 2 * LEN);
	net_run(net, 10 * SLOT);
	EXPECT_EQ(net->drops[FAB_DROP_HEADROOM], 1);
	EXPECT_EQ(receiver(net)->c.tx_control, 0);
	net_send(net, 0, 1, LEN);
	net_send(net, 0, 1, LEN);
	net_run(net, 20 * SLOT);
	EXPECT_EQ(net->drops[FAB_DROP_HEADROOM], 2);
	EXPECT_EQ(receiver(net)->c.drops[FAB_DROP_HEADROOM], 2);
	EXPECT_EQ(pfcnet_notes(sender(net), 0, FAB_NOTICE_PAUSED), 1);
	stop(net, 0);
	net_drain(net);
	EXPECT_EQ(net->node[1]->rx, 1);
	net_free(net);
}

/* The copies that a switch makes take room too, and can put the class over. */
TEST(copies_count)
{
	static const u16 flood[] = { 0, 1, 2, 3 };
	struct fab_switch_params p = pfcnet_switch(4, 1, 3 * LEN, 10 * LEN);
	struct fab_endpoint_params ep = { .port = pfcnet_port(1, 0) };
	struct fab_pkt pkt = { .len = LEN, .segs = 1 };
	struct net *net = net_new(1);
	u32 i;

	net_switch_add(net, 0, &p);
	for (i = 0; i < 4; i++)
		net_join(net, &net_node_add(net, i, &ep)->ep.port,
			 &net->sw[0]->port[i], RATE, PROP);
	for (i = 1; i < 4; i++)
		pfcnet_hold(net, &net->sw[0]->port[i], 0, U16_MAX);
	pfcnet_log(net);
	EXPECT_EQ(fab_route_flood_set(&net->sw[0]->route, flood, 4), 0);
	pkt.flags = FAB_PKT_MULTICAST;
	net_give(net->node[0], &pkt);
	net_run(net, 10 * SLOT);
	EXPECT_EQ(net->sw[0]->port[0].held, 3 * LEN);
	EXPECT_EQ(pfcnet_at(sender(net), 0, FAB_NOTICE_PAUSED, 0),
		  SLOT + PROP + FRAME + PROP);
	net_drain(net);
	EXPECT_EQ(pfcnet_notes(sender(net), 0, FAB_NOTICE_RESUMED), 1);
	EXPECT_EQ(net->fab.c.packets_delivered, 3);
	net_free(net);
}

TEST(invariants)
{
	struct net *net = pair(&fab_pfc, 2, 3 * LEN);
	struct fab_port *port = receiver(net);
	fab_time at;

	stop(net, 1);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 30 * SLOT);
	EXPECT(port->cls[0].account.headroom);
	PFCNET_BREAK(port->lossless, 2, "pfc: a lossy class is paused");
	PFCNET_BREAK(sender(net)->lossless, 2, "pfc: a lossy class is paused");
	PFCNET_BREAK(port->cls[1].account.headroom, 1,
		     "pfc: in the headroom, and the far end may send");
	PFCNET_BREAK(port->cls[0].account, (struct fab_account) {},
		     "pfc: the far end is stopped for an empty buffer");
	at = port->flow_timer.at;
	fab_event_cancel(&net->fab.events, &port->flow_timer);
	pfcnet_wrong(__LINE__, __FILE__, fab_check(&net->fab),
		     "pfc: the timer is not at the next deadline");
	fab_event_schedule(&net->fab.events, &port->flow_timer, at - 1);
	pfcnet_wrong(__LINE__, __FILE__, fab_check(&net->fab),
		     "pfc: the timer is not at the next deadline");
	fab_event_cancel(&net->fab.events, &port->flow_timer);
	fab_event_schedule(&net->fab.events, &port->flow_timer, at);
	EXPECT_NULL_STR(fab_check(&net->fab));
	net_free(net);
}

/* Packets are over, and nobody is told. */
TEST(silence_is_noticed)
{
	struct net *net = pair(&fab_pfc, 1, 3 * LEN);
	fab_time at;

	net_send(net, 1, 0, 50000);
	stop(net, 1);
	net_run(net, 10 * NS);
	net_pump(net, 0, 1, LEN, 0);
	net_run(net, 10 * SLOT);
	EXPECT(receiver(net)->urgent & FAB_URGENT_CONTROL);
	at = receiver(net)->kick.at;
	fab_event_cancel(&net->fab.events, &receiver(net)->kick);
	receiver(net)->urgent = 0;
	pfcnet_wrong(__LINE__, __FILE__, fab_check(&net->fab),
		     "pfc: something to say, and it is not said");
	receiver(net)->urgent = FAB_URGENT_CONTROL;
	fab_event_schedule(&net->fab.events, &receiver(net)->kick, at);
	net_free(net);
}
