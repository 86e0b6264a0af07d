// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks of the model (struct fab_host_ops).
 *
 * All of them run under the lock of the fabric, with softirqs off. The timer, a
 * transmit or a change of the configuration caused them.
 */
#include "fabric/host.h"

#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "fabric/agent.h"
#include "fabric/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/fault.h"
#include "fabric/hwpkt.h"
#include "fabric/limit.h"
#include "fabric/phase.h"
#include "fabric/switch.h"
#include "fabric/trigger.h"
#include "group/aggregator.h"
#include "netdev/nic.h"
#include "netdev/pkt.h"
#include "observe/capture.h"
#include "observe/trace.h"
#include "observe/trail.h"

/*
 * The nearest reasons of the kernel. A module out of the tree cannot add reasons,
 * because the numbers of subsystems are compiled in. The tracepoint weft_drop has
 * the exact reason.
 */
static const enum skb_drop_reason host_reason[] = {
	[FAB_DROP_QUEUE_FULL] = SKB_DROP_REASON_FULL_RING,
	[FAB_DROP_PORT_LIMIT] = SKB_DROP_REASON_FULL_RING,
	[FAB_DROP_BUFFER_FULL] = SKB_DROP_REASON_FULL_RING,
	[FAB_DROP_NO_ROUTE] = SKB_DROP_REASON_NOT_SPECIFIED,
	[FAB_DROP_LINK_DOWN] = SKB_DROP_REASON_DEV_READY,
	[FAB_DROP_BIT_ERROR] = SKB_DROP_REASON_NOT_SPECIFIED,
	[FAB_DROP_HOP_LIMIT] = SKB_DROP_REASON_NOT_SPECIFIED,
	[FAB_DROP_NO_MEMORY] = SKB_DROP_REASON_NOMEM,
	[FAB_DROP_HEADROOM] = SKB_DROP_REASON_FULL_RING,
	[FAB_DROP_RX_FULL] = SKB_DROP_REASON_FULL_RING,
	[FAB_DROP_HOQ_LIFE] = SKB_DROP_REASON_QDISC_DROP,
	[FAB_DROP_SWITCH_LIFE] = SKB_DROP_REASON_QDISC_DROP,
	[FAB_DROP_VL_STALL] = SKB_DROP_REASON_QDISC_DROP,
	[FAB_DROP_SL_DROP] = SKB_DROP_REASON_QDISC_DROP,
	[FAB_DROP_TOO_LONG] = SKB_DROP_REASON_PKT_TOO_BIG,
	[FAB_DROP_WATCHDOG] = SKB_DROP_REASON_QDISC_DROP,
	[FAB_DROP_FAULT] = SKB_DROP_REASON_NOT_SPECIFIED,
	[FAB_DROP_TEARDOWN] = SKB_DROP_REASON_DEV_READY,
	[FAB_DROP_INACTIVE] = SKB_DROP_REASON_DEV_READY,
};

static noinline void host_trail(struct weft_fabric *f, const struct fab_port *port,
				const struct fab_pkt *pkt, enum weft_step what,
				enum fab_drop why)
{
	const struct weft_trail_step step = {
		.what = what, .port = port, .pkt = pkt, .why = why,
	};

	weft_trail_tell(f, &step);
}

static struct weft_endpoint *host_endpoint(const struct fab_endpoint *ep)
{
	return container_of((void *)ep, struct weft_endpoint, ep);
}

/**
 * weft_host_fabric() - the fabric that a port belongs to
 * @port: the port
 *
 * Context: any.
 * Return: the fabric.
 */
struct weft_fabric *weft_host_fabric(const struct fab_port *port)
{
	if (port->ep)
		return host_endpoint(port->ep)->fabric;
	return container_of((void *)port->sw, struct weft_switch, sw)->fabric;
}

/* Bytes that are charged to users for a packet on its way. */
static u32 host_mem(const struct fab_pkt *pkt)
{
	return pkt->flags & FAB_PKT_HW ? weft_hwpkt_of(pkt)->mem :
					 weft_pkt_skb(pkt)->truesize;
}

/* The same for a copy of it. */
static u32 host_copy_mem(const struct fab_pkt *pkt)
{
	return pkt->flags & FAB_PKT_HW ?
	       weft_hwpkt_mem(weft_hwpkt_of(pkt)) : host_mem(pkt);
}

/* A trimmed packet has lost its payload. Who cannot use its header has it dropped. */
static void host_deliver_hwpkt(struct weft_endpoint *wep,
			       struct weft_hwpkt *c)
{
	weft_limit_give(wep->fabric->limited, 0, c->mem);
	if (unlikely(c->pkt.flags & FAB_PKT_TRIMMED && !c->ops->trimmed))
		c->ops->drop(c, FAB_DROP_QUEUE_FULL);
	else if (unlikely(!wep->client && !c->ops->bare))
		c->ops->drop(c, FAB_DROP_TEARDOWN);
	else
		c->ops->deliver(wep, c);
}

/* The packet may be gone when it is in the NIC's queue: read what is needed before. */
static noinline void host_deliver_skb(struct weft_endpoint *wep, struct fab_pkt *pkt)
{
	fab_time gap = fab_moderation_gap(&wep->ep, pkt);
	struct weft_fabric *f = wep->fabric;
	u32 frames = pkt->segs;
	int err;

	weft_limit_give(f->limited, 0, weft_pkt_skb(pkt)->truesize);
	err = weft_nic_receive(wep->nic, weft_pkt_skb(pkt));
	if (!err)
		fab_moderation_frames(&f->fab, &wep->ep, frames, gap);
	else if (err == -ENOBUFS)
		f->host_drops[WEFT_HOST_DROP_RX_BACKLOG]++;
}

static bool host_interrupt(struct fab_endpoint *ep)
{
	return weft_nic_interrupt(host_endpoint(ep)->nic);
}

static void host_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	struct weft_endpoint *wep = host_endpoint(ep);

	trace_weft_deliver(&ep->port, pkt, FAB_DROP_COUNT);
	if (weft_trail_any())
		host_trail(wep->fabric, &ep->port, pkt, WEFT_STEP_DELIVER,
			   FAB_DROP_COUNT);
	if (pkt->flags & FAB_PKT_HW)
		host_deliver_hwpkt(wep, weft_hwpkt_of(pkt));
	else
		host_deliver_skb(wep, pkt);
}

/*
 * A link that goes loses thousands of packets at once. Those that no socket owns any
 * more are freed without the lock, and are charged to their user until then.
 */
static bool host_buries(const struct fab_pkt *pkt, enum fab_drop why)
{
	return !(pkt->flags & FAB_PKT_HW) && !weft_pkt_skb(pkt)->destructor &&
	       (why == FAB_DROP_TEARDOWN || why == FAB_DROP_LINK_DOWN);
}

static void host_bury(struct weft_fabric *f, struct sk_buff *skb)
{
	if (!f->dead)
		queue_work(system_unbound_wq, &f->bury);
	skb->next = f->dead;
	f->dead = skb;
}

/**
 * weft_host_bury() - free the packets that were lost with a link
 * @work: weft_fabric.bury
 *
 * Context: process, may sleep.
 */
void weft_host_bury(struct work_struct *work)
{
	struct weft_fabric *f = container_of(work, struct weft_fabric, bury);
	u64 begin = 0;
	struct sk_buff *skb, *next;

	spin_lock_bh(&f->lock);
	next = f->dead;
	f->dead = NULL;
	spin_unlock_bh(&f->lock);
	while ((skb = next)) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		weft_limit_give(f->limited, 0, skb->truesize);
		kfree_skb_reason(skb, SKB_DROP_REASON_DEV_READY);
		weft_limit_rest(f->limited, &begin);
	}
}

static void host_drop(struct fab *fab, struct fab_port *port,
		      struct fab_pkt *pkt, enum fab_drop why)
{
	struct weft_fabric *f = container_of(fab, struct weft_fabric, fab);

	BUILD_BUG_ON(ARRAY_SIZE(host_reason) != FAB_DROP_COUNT);
	if (port)
		trace_weft_drop(port, pkt, why);
	if (weft_trail_any())
		host_trail(f, port, pkt, WEFT_STEP_DROP, why);
	if (unlikely(fab_dst_reduces(pkt->dst)))
		weft_aggregator_lost(f, pkt);
	if (host_buries(pkt, why)) {
		host_bury(f, weft_pkt_skb(pkt));
		return;
	}
	weft_limit_give(f->limited, 0, host_mem(pkt));
	if (pkt->flags & FAB_PKT_HW)
		weft_hwpkt_of(pkt)->ops->drop(weft_hwpkt_of(pkt), why);
	else
		kfree_skb_reason(weft_pkt_skb(pkt), host_reason[why]);
}

static struct fab_pkt *host_copy(const struct fab_pkt *pkt)
{
	struct weft_hwpkt *c;
	struct sk_buff *skb;

	if (pkt->flags & FAB_PKT_HW) {
		c = weft_hwpkt_of(pkt);
		c = c->ops->clone(c);
		if (!c)
			return NULL;
		c->mem = host_copy_mem(pkt);
		return &c->pkt;
	}
	skb = skb_clone(weft_pkt_skb(pkt), GFP_ATOMIC);
	return skb ? weft_pkt_of(skb) : NULL;
}

static void host_trail_copy(struct weft_fabric *f, const struct fab_pkt *pkt,
			    const struct fab_pkt *copy)
{
	const struct weft_trail_step step = {
		.what = WEFT_STEP_COPY, .pkt = copy, .parent = pkt,
	};

	weft_trail_tell(f, &step);
}

static struct fab_pkt *host_clone(struct fab *fab, const struct fab_pkt *pkt)
{
	struct weft_fabric *f = container_of(fab, struct weft_fabric, fab);
	u32 mem = host_copy_mem(pkt);
	struct fab_pkt *copy;

	if (weft_limit_take(f->limited, 0, mem, NULL)) {
		f->host_drops[WEFT_HOST_DROP_LIMIT]++;
		return NULL;
	}
	copy = host_copy(pkt);
	if (!copy) {
		weft_limit_give(f->limited, 0, mem);
		f->host_drops[WEFT_HOST_DROP_NO_MEMORY]++;
	} else if (weft_trail_any()) {
		host_trail_copy(f, pkt, copy);
	}
	return copy;
}

/* Only packets of the verbs know what to do at a switch. */
static int host_punt(struct fab *fab, struct fab_switch *sw, u32 in,
		     struct fab_pkt *pkt)
{
	struct weft_hwpkt *c;

	if (!(pkt->flags & FAB_PKT_HW))
		return -EOPNOTSUPP;
	c = weft_hwpkt_of(pkt);
	if (!c->ops->punt)
		return -EOPNOTSUPP;
	return c->ops->punt(container_of(sw, struct weft_switch, sw), in, c);
}

static u32 host_flow_hash(const struct fab *fab, const struct fab_pkt *pkt)
{
	const struct weft_fabric *f = container_of(fab, struct weft_fabric, fab);

	return pkt->flags & FAB_PKT_HW ? pkt->flow_hash :
	       weft_pkt_flow_hash(weft_pkt_skb(pkt), &f->flow_key);
}

static void host_tx_wake(struct fab_endpoint *ep, u8 cls)
{
	struct weft_client *client = host_endpoint(ep)->client;

	if (client)
		client->ops->wake(client, cls);
	/* The netdev has no queue of a VL for management. */
	if (cls < ep->p->port.classes)
		netif_wake_subqueue(host_endpoint(ep)->nic->dev, cls);
}

/*
 * A packet that starts on the wire has left the host: its socket may send the next
 * one, as after the transmit completion of hardware. If the socket owned it for the
 * whole way, TCP small queues would limit the throughput of long or dilated paths.
 */
static noinline void host_sent(struct fab_port *port, const struct fab_pkt *pkt)
{
	if (pkt->flags & FAB_PKT_HW)
		weft_hwpkt_of(pkt)->ops->sent(host_endpoint(port->ep),
					      weft_hwpkt_of(pkt));
	else
		skb_orphan(weft_pkt_skb(pkt));
}

/* Does anybody look at packets? All of these are static branches. */
static bool host_watched(void)
{
	return weft_trail_any() || weft_capture_any() ||
	       trace_weft_enqueue_enabled() || trace_weft_transmit_enabled() ||
	       trace_weft_mark_enabled() || trace_weft_trim_enabled() ||
	       trace_weft_replay_enabled();
}

static void host_watch(struct fab_port *port, const struct fab_pkt *pkt,
		       enum fab_trace what)
{
	if (weft_trail_any())
		host_trail(weft_host_fabric(port), port, pkt,
			   (enum weft_step)what, FAB_DROP_COUNT);
	switch (what) {
	case FAB_TRACE_ENQUEUE:
		trace_weft_enqueue(port, pkt, FAB_DROP_COUNT);
		return;
	case FAB_TRACE_MARK:
		trace_weft_mark(port, pkt, FAB_DROP_COUNT);
		return;
	case FAB_TRACE_TRIM:
		trace_weft_trim(port, pkt, FAB_DROP_COUNT);
		return;
	case FAB_TRACE_TRANSMIT:
		trace_weft_transmit(port, pkt, FAB_DROP_COUNT);
		break;
	case FAB_TRACE_REPLAY:
		trace_weft_replay(port, pkt, FAB_DROP_COUNT);
		break;
	}
	if (weft_capture_any())
		weft_capture_pkt(port, pkt);
}

/* The end of host_trace(): apart, so that packets at which nobody looks cost less. */
static noinline void host_trace_watched(struct fab_port *port, const struct fab_pkt *pkt,
					enum fab_trace what)
{
	host_watch(port, pkt, what);
	if (what == FAB_TRACE_TRANSMIT && port->ep)
		host_sent(port, pkt);
}

static void host_trace(struct fab_port *port, const struct fab_pkt *pkt,
		       enum fab_trace what)
{
	if (host_watched())
		host_trace_watched(port, pkt, what);
	else if (what == FAB_TRACE_TRANSMIT && port->ep)
		host_sent(port, pkt);
}

static void host_trail_class(const struct fab_port *port, u8 cls,
			     enum weft_step what)
{
	const struct weft_trail_step step = {
		.what = what, .port = port, .cls = cls,
	};

	if (weft_trail_any())
		weft_trail_tell(weft_host_fabric(port), &step);
}

static void host_notice(struct fab_port *port, u8 cls, enum fab_notice what)
{
	switch (what) {
	case FAB_NOTICE_PAUSED:
		trace_weft_pause(port, cls);
		break;
	case FAB_NOTICE_RESUMED:
		trace_weft_resume(port, cls);
		break;
	case FAB_NOTICE_STALLED:
		trace_weft_stall(port, cls);
		host_trail_class(port, cls, WEFT_STEP_STALL);
		break;
	case FAB_NOTICE_UNSTALLED:
		trace_weft_unstall(port, cls);
		host_trail_class(port, cls, WEFT_STEP_UNSTALL);
		break;
	case FAB_NOTICE_WATCHDOG:
		trace_weft_watchdog(port, cls);
		break;
	case FAB_NOTICE_RESTORED:
		trace_weft_restore(port, cls);
		break;
	}
}

static void host_link(struct fab_port *port)
{
	weft_agent_link(port);
	weft_fault_carrier(weft_host_fabric(port));
}

static void host_control(struct fab_port *port, const struct fab_control *c)
{
	trace_weft_control(port, c);
	if (weft_capture_any())
		weft_capture_control(port, c);
}

const struct fab_host_ops weft_host_ops = {
	.deliver = host_deliver,
	.drop = host_drop,
	.clone = host_clone,
	.flow_hash = host_flow_hash,
	.punt = host_punt,
	.aggregation = weft_aggregator_fault,
	.reducible = weft_aggregator_takes,
	.reduce = weft_aggregator_reduce,
	.tx_wake = host_tx_wake,
	.interrupt = host_interrupt,
	.trace = host_trace,
	.notice = host_notice,
	.link = host_link,
	.phase = weft_phase_found,
	.trigger = weft_trigger_met,
	.control = host_control,
};
