// SPDX-License-Identifier: GPL-2.0
/*
 * Background traffic: generators at NICs, and the packets that they use.
 *
 * A generator is removed with its NIC or on request, at any time, while its packets
 * are somewhere in the fabric. They return at the latest when the fabric is destroyed,
 * because each object that is removed returns its packets. So the generator leaves the
 * model and the fabric's list at once, and its last packet frees it.
 */
#include "fabric/traffic.h"

#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "core/sim/rng.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "fabric/trigger.h"
#include "netlink/nl.h"

/* EtherType "local experimental 1" (IEEE 802), for captures */
#define TRAFFIC_ETHERTYPE	0x88b5

static struct weft_traffic_pkt *traffic_pkt(const struct weft_hwpkt *c)
{
	return container_of((void *)c, struct weft_traffic_pkt, hw);
}

/* Free a removed generator after its last packet has returned. */
static void traffic_settle(struct weft_traffic *tr)
{
	if (tr->gone && !tr->t.inside && !tr->copies)
		kvfree_rcu(tr, rcu);
}

/* A copy by a fault returned: it is not counted. */
static void traffic_copy_back(struct weft_traffic_pkt *p)
{
	struct weft_traffic *tr = p->of;

	kfree(p);
	tr->copies--;
	traffic_settle(tr);
}

/* A packet that arrives at the wrong NIC counts as lost. */
static void traffic_on_deliver(struct weft_endpoint *wep,
			       struct weft_hwpkt *c)
{
	struct weft_traffic_pkt *p = traffic_pkt(c);
	struct weft_traffic *tr = p->of;

	if (p->copy) {
		traffic_copy_back(p);
		return;
	}
	p->waits = true;
	if (unlikely(c->pkt.dst != wep->ep.id))
		fab_traffic_lost(&tr->fabric->fab, &tr->t, &c->pkt, false);
	else
		fab_traffic_delivered(&tr->fabric->fab, &tr->t, &c->pkt);
	traffic_settle(tr);
}

static void traffic_on_drop(struct weft_hwpkt *c, enum fab_drop why)
{
	struct weft_traffic_pkt *p = traffic_pkt(c);
	struct weft_traffic *tr = p->of;
	bool waits = p->waits;

	if (p->copy) {
		traffic_copy_back(p);
		return;
	}
	p->waits = true;
	fab_traffic_lost(&tr->fabric->fab, &tr->t, &c->pkt, waits);
	traffic_settle(tr);
}

static struct weft_hwpkt *traffic_on_clone(const struct weft_hwpkt *c)
{
	struct weft_traffic_pkt *p;

	p = kmemdup(traffic_pkt(c), sizeof(*p), GFP_ATOMIC | __GFP_NOWARN);
	if (!p)
		return NULL;
	p->copy = true;
	p->of->copies++;
	return &p->hw;
}

static void traffic_on_sent(struct weft_endpoint *wep, struct weft_hwpkt *c)
{
	struct weft_traffic_pkt *p = traffic_pkt(c);

	if (!p->waits)
		return;
	p->waits = false;
	fab_traffic_sent(&p->of->fabric->fab, &p->of->t);
}

static u32 traffic_length(const struct weft_hwpkt *c)
{
	return c->pkt.len;
}

static void traffic_frame(const struct weft_hwpkt *c, void *buf, u32 len)
{
	struct ethhdr *eth = buf;

	memset(buf, 0, len);
	if (len >= sizeof(*eth))
		eth->h_proto = htons(TRAFFIC_ETHERTYPE);
}

static const struct weft_hwpkt_ops traffic_ops = {
	.deliver = traffic_on_deliver,
	.drop = traffic_on_drop,
	.clone = traffic_on_clone,
	.sent = traffic_on_sent,
	.length = traffic_length,
	.frame = traffic_frame,
	.bare = true,
};

/**
 * weft_traffic_prepare() - prepare a fabric for generators
 * @f: the fabric, being created
 *
 * Context: process.
 */
void weft_traffic_prepare(struct weft_fabric *f)
{
	xa_init_flags(&f->traffics, XA_FLAGS_ALLOC);
}

static struct weft_traffic *traffic_alloc(struct weft_fabric *f,
					  const struct weft_traffic_params *p)
{
	struct weft_traffic *tr;
	u32 i;

	tr = kvzalloc(struct_size(tr, pkt, p->window), GFP_KERNEL_ACCOUNT);
	if (!tr)
		return NULL;
	tr->fabric = f;
	tr->p = *p;
	for (i = 0; i < p->window; i++) {
		tr->pkt[i].hw.ops = &traffic_ops;
		tr->pkt[i].of = tr;
		tr->pkt[i].waits = true;
		fab_fifo_push(&tr->t.free, &tr->pkt[i].hw.pkt);
	}
	return tr;
}

static void traffic_settings(struct weft_traffic *tr)
{
	struct weft_fabric *f = tr->fabric;

	if (!tr->p.seeded)
		tr->p.p.seed = fab_mix(~f->p.seed ^ fab_mix(tr->id + 1));
	if (!tr->p.grouped)
		tr->p.group = f->traffic_groups;
	f->traffic_groups = max(f->traffic_groups, tr->p.group + 1);
}

/**
 * weft_traffic_create() - create a generator at a NIC
 * @f: the fabric
 * @p: parameters, checked; on success the generator owns the list
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the generator or an ERR_PTR.
 */
struct weft_traffic *weft_traffic_create(struct weft_fabric *f,
					 const struct weft_traffic_params *p,
					 struct netlink_ext_ack *extack)
{
	struct fab_traffic_params model;
	struct weft_traffic *tr;
	int err;

	ASSERT_RTNL();
	err = weft_limit_take(f->limited, 1, struct_size(tr, pkt, p->window),
			      extack);
	if (err)
		return ERR_PTR(err);
	tr = traffic_alloc(f, p);
	if (!tr) {
		err = -ENOMEM;
		goto err_give;
	}
	err = xa_alloc(&f->traffics, &tr->id, tr,
		       XA_LIMIT(0, WEFT_TRAFFICS_MAX - 1), GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free_traffic;
	traffic_settings(tr);
	weft_engine_lock(f);
	if (p->relative)
		tr->p.p.start = min(tr->p.p.start, FAB_NEVER - f->fab.now) +
				f->fab.now;
	model = tr->p.p;
	if (p->trigger)
		model.moment = &p->trigger->t.moment;
	fab_traffic_add(&f->fab, &p->wep->ep, &tr->t, &model);
	weft_engine_unlock(f);
	weft_trigger_get(p->trigger);
	f->generation++;
	return tr;

err_free_traffic:
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack, "fabric has %u generators already",
				   WEFT_TRAFFICS_MAX);
	kvfree(tr);
err_give:
	weft_limit_give(f->limited, 1, struct_size(tr, pkt, p->window));
	return ERR_PTR(err);
}

/**
 * weft_traffic_destroy() - remove a generator
 * @tr: the generator
 *
 * Packets that it has sent continue.
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_traffic_destroy(struct weft_traffic *tr)
{
	struct weft_fabric *f = tr->fabric;
	struct weft_trigger *trigger = tr->p.trigger;
	void *list = tr->p.list;

	ASSERT_RTNL();
	weft_nl_traffic_gone(tr);
	xa_erase(&f->traffics, tr->id);
	f->generation++;
	weft_engine_lock(f);
	fab_traffic_remove(&f->fab, &tr->t);
	weft_limit_give(f->limited, 1, struct_size(tr, pkt, tr->p.window));
	tr->gone = true;
	traffic_settle(tr);
	weft_engine_unlock(f);
	weft_trigger_put(trigger);
	kvfree(list);
}

/**
 * weft_traffic_nic_gone() - remove the generators at a NIC
 * @wep: its endpoint, about to go
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_traffic_nic_gone(const struct weft_endpoint *wep)
{
	struct fab_traffic *t;

	ASSERT_RTNL();
	/* The first generator may change at any time, but not whether there is one. */
	while ((t = READ_ONCE(wep->ep.traffic))) {
		weft_traffic_destroy(container_of(t, struct weft_traffic, t));
		cond_resched();
	}
}
