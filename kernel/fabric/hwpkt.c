// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that the NIC's hardware makes, and the clients that send them.
 */
#include "fabric/hwpkt.h"

#include <linux/export.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "fabric/switch.h"
#include "group/aggregator.h"
#include "netdev/nic.h"

/**
 * weft_client_attach() - become the client of a NIC
 * @dev: any netdev
 * @c: the client; its operations are set
 *
 * The client gets a reference on the fabric, which it keeps until
 * weft_client_release(), whatever becomes of the NIC.
 *
 * Context: process, RTNL held.
 * Return: 0; -EINVAL where @dev is no NIC of ours, -ENOLINK where it is attached
 * to no fabric, -EBUSY where it has a client.
 */
int weft_client_attach(struct net_device *dev, struct weft_client *c)
{
	struct weft_endpoint *wep;
	struct weft_nic *nic;

	ASSERT_RTNL();
	if (!weft_nic_is(dev))
		return -EINVAL;
	nic = netdev_priv(dev);
	wep = rtnl_dereference(nic->ep);
	if (!wep)
		return -ENOLINK;
	if (wep->client)
		return -EBUSY;
	c->fabric = wep->fabric;
	weft_fabric_get(c->fabric);
	weft_engine_lock(c->fabric);
	c->wep = wep;
	wep->client = c;
	wep->had_client = true;
	c->fabric->fab.guests++;
	weft_engine_unlock(c->fabric);
	return 0;
}
EXPORT_SYMBOL_GPL(weft_client_attach);

static void client_unhook(struct weft_client *c)
{
	lockdep_assert_held(&c->fabric->lock);
	if (!c->wep)
		return;
	c->wep->client = NULL;
	c->wep = NULL;
}

/**
 * weft_client_detach() - stop being the client of a NIC
 * @c: the client; nothing happens if the NIC is gone already
 *
 * Packets that are on their way come back through their operations.
 *
 * Context: process, RTNL held.
 */
void weft_client_detach(struct weft_client *c)
{
	ASSERT_RTNL();
	if (c->wep)
		weft_aggregator_client_gone(c->wep);
	weft_engine_lock(c->fabric);
	client_unhook(c);
	weft_engine_unlock(c->fabric);
}
EXPORT_SYMBOL_GPL(weft_client_detach);

/**
 * weft_client_release() - drop the reference on the fabric
 * @c: the client, detached, without events in the fabric
 *
 * Context: process, may sleep.
 */
void weft_client_release(struct weft_client *c)
{
	weft_engine_lock(c->fabric);
	c->fabric->fab.guests--;
	weft_engine_unlock(c->fabric);
	weft_fabric_put(c->fabric);
	c->fabric = NULL;
}
EXPORT_SYMBOL_GPL(weft_client_release);

/**
 * weft_client_gone() - detach the client of an endpoint that goes
 * @wep: the endpoint
 *
 * Context: process, RTNL held.
 */
void weft_client_gone(struct weft_endpoint *wep)
{
	struct weft_client *c = wep->client;

	ASSERT_RTNL();
	if (!c)
		return;
	weft_aggregator_client_gone(wep);
	weft_engine_lock(wep->fabric);
	c->ops->gone(c);
	client_unhook(c);
	weft_engine_unlock(wep->fabric);
}

static int hwpkt_check(struct weft_endpoint *wep, const struct fab_pkt *pkt)
{
	if (wep->gone || !fab_port_has(&wep->ep.port, pkt->cls))
		return -ENODEV;
	if (wep->vl[pkt->sl] == FAB_VL_DROP && pkt->cls != FAB_VL_MGMT) {
		wep->ep.port.c.drops[FAB_DROP_SL_DROP] += pkt->segs;
		return -EPERM;
	}
	/* A switch does not send a frame back to the port that it came from. */
	if (!(pkt->flags & FAB_PKT_MULTICAST) && pkt->dst == wep->ep.id)
		return -EHOSTUNREACH;
	return fab_endpoint_stop(&wep->ep, pkt->cls) ? -ENOBUFS : 0;
}

/* Charge a packet to the users of a limited fabric, until it comes back. */
static int hwpkt_charge(struct weft_fabric *f, struct weft_hwpkt *c)
{
	c->mem = f->limited ? weft_hwpkt_mem(c) : 0;
	if (!weft_limit_take(f->limited, 0, c->mem, NULL))
		return 0;
	f->host_drops[WEFT_HOST_DROP_LIMIT]++;
	return -EDQUOT;
}

/**
 * weft_hwpkt_send() - hand a packet to the model
 * @wep: the endpoint that sends
 * @c: the packet; its handle is filled in, with FAB_PKT_HW
 *
 * A packet that is taken comes back by deliver() or drop(), possibly before this
 * function returns (when the link is down).
 *
 * Context: any; the fabric's lock is held.
 * Return: 0 when it was taken. Otherwise the caller still owns it: -ENOBUFS if
 * the ring of its class is full (the client's wake() follows); -ENODEV if the
 * endpoint goes, or has no such class; -EPERM for a service level without a class;
 * -EHOSTUNREACH to itself; -EDQUOT if users have too much on its way; -EINVAL,
 * -EMSGSIZE as fab_endpoint_send().
 */
int weft_hwpkt_send(struct weft_endpoint *wep, struct weft_hwpkt *c)
{
	u32 segs = c->pkt.segs, len = c->pkt.len;
	struct weft_fabric *f = wep->fabric;
	u8 cls = c->pkt.cls;
	int err;

	lockdep_assert_held(&f->lock);
	err = hwpkt_check(wep, &c->pkt);
	if (!err)
		err = hwpkt_charge(f, c);
	if (err)
		return err;
	err = fab_endpoint_send(&f->fab, &wep->ep, &c->pkt);
	if (err) {
		weft_limit_give(f->limited, 0, c->mem);
		return err;
	}
	wep->tx[cls].packets += segs;
	wep->tx[cls].bytes += len;
	return 0;
}
EXPORT_SYMBOL_GPL(weft_hwpkt_send);

/**
 * weft_hwpkt_originate() - hand the model a packet that a switch makes itself
 * @sw: the switch
 * @out: port that it leaves by, from 0
 * @c: the packet; its handle is filled in, with FAB_PKT_HW
 *
 * A packet that is taken comes back by deliver() or drop(), possibly before this
 * function returns (when it finds no room, or the link is down).
 *
 * Context: any; the fabric's lock is held.
 * Return: 0 when it was taken. Otherwise the caller still owns it: -ERANGE where
 * there is no such port, -EDQUOT if users have too much on its way.
 */
int weft_hwpkt_originate(struct weft_switch *sw, u32 out, struct weft_hwpkt *c)
{
	struct weft_fabric *f = sw->fabric;
	int err;

	lockdep_assert_held(&f->lock);
	if (out >= sw->sw.p.ports)
		return -ERANGE;
	err = hwpkt_charge(f, c);
	if (err)
		return err;
	fab_switch_originate(&f->fab, &sw->sw, out, &c->pkt);
	return 0;
}
EXPORT_SYMBOL_GPL(weft_hwpkt_originate);
