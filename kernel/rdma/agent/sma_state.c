// SPDX-License-Identifier: GPL-2.0
/*
 * What the adapter does follows what the subnet manager set, and the link.
 *
 * DOC: laws
 *
 * A managed port sends data in state ACTIVE only. It receives data in ARMED, too, and
 * the first packet of the verbs makes it ACTIVE then (IBTA 7.2.7): the manager sets
 * one port after the other. Subnet management, from QP0 to QP0, passes unless the port
 * is DOWN.
 *
 * A managed port accepts a packet to one of its LIDs, and to QP0 also one to the
 * permissive LID. Its own packets have the permissive LID as source while it has
 * none.
 *
 * An SL whose VL is not among the VLs in use is dropped at the adapter, as one that
 * is mapped to VL 15.
 *
 * A managed port follows its wires at the fabric time at which they change (far.h).
 */
#include "core/node/gate.h"
#include "fabric/lids.h"
#include "rdma/agent/far.h"
#include "rdma/agent/vlarb.h"
#include "rdma/dev.h"
#include "rdma/pkt.h"
#include "rdma/qp.h"

#define STATE_SM_LID		1	/* of a fabric that manages itself */

/* Bits of the capability mask that the adapter has by itself. */
static u32 state_caps(const struct weft_rdma_dev *dev)
{
	u32 caps = IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP |
		   IB_PORT_EXTENDED_SPEEDS_SUP;

	if (dev->sma.managed)
		caps |= IB_PORT_TRAP_SUP | IB_PORT_CLIENT_REG_SUP |
			IB_PORT_DR_NOTICE_SUP | IB_PORT_CAP_MASK_NOTICE_SUP;
	return caps | dev->sma.caps;
}

/**
 * weft_sma_phys_state() - physical state of the port
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 * Return: IB_PORT_PHYS_STATE_*.
 */
u8 weft_sma_phys_state(const struct weft_rdma_dev *dev)
{
	const struct weft_endpoint *wep = dev->client.wep;
	bool up = dev->up;

	if (dev->sma.port.disabled)
		return IB_PORT_PHYS_STATE_DISABLED;
	if (dev->sma.managed)
		up = wep && weft_far_trains(&wep->ep.port);
	return up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_POLLING;
}

/* Entries of a table of VL arbitration. */
static u8 state_arb_cap(const struct weft_rdma_dev *dev, u8 entries)
{
	if (!dev->sma.managed)
		return entries;
	return weft_sma_vlarb_cap(entries, dev->client.wep->ep.p->port.classes);
}

/**
 * weft_sma_describe() - describe port and link
 * @dev: the device
 * @l: set to the description
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sma_describe(struct weft_rdma_dev *dev, struct weft_sma_link *l)
{
	const struct weft_endpoint *wep = dev->client.wep;
	const struct fab_vlarb_params *arb;
	struct ib_port_attr attr = { };

	weft_rdma_link_rate(dev, &attr);
	*l = (struct weft_sma_link) {
		.cap_mask = state_caps(dev),
		.speed = attr.active_speed,
		.port = 1,
		.phys_state = weft_sma_phys_state(dev),
		.width = attr.active_width,
		.mtu_cap = IB_MTU_4096,
		.vl_cap = weft_sma_vl_code(wep ? wep->ep.p->port.classes : 1),
		.guids = WEFT_SMA_GUIDS,
		.lmc_max = dev->sma.managed ? weft_lids_lmc(dev->client.fabric) : 0,
		.init_type = dev->sma.init_type,
	};
	if (!wep)
		return;
	arb = &wep->ep.p->port.sched.vlarb;
	l->arb_high = state_arb_cap(dev, arb->high_entries);
	l->arb_low = state_arb_cap(dev, arb->low_entries);
}

/* The model's port passes what the state allows, of sockets too. */
static void state_gate(struct weft_rdma_dev *dev)
{
	u8 state = dev->sma.port.state;

	if (dev->sma.managed && dev->client.wep)
		fab_port_gate(weft_rdma_fab(dev), &dev->client.wep->ep.port,
			      state == IB_PORT_ACTIVE, state >= IB_PORT_ARMED);
}

/* A fabric that manages itself: nothing of it ever changes but the state. */
static void state_internal(struct weft_rdma_dev *dev)
{
	dev->sma.port.lid = dev->client.wep->ep.id + 1;
	dev->sma.port.sm_lid = STATE_SM_LID;
}

/**
 * weft_sma_init() - the agent as after power-up
 * @dev: the device, whose NIC is there, and whose link is up or not
 *
 * Context: process, RTNL held; takes the fabric's lock.
 */
void weft_sma_init(struct weft_rdma_dev *dev)
{
	const struct weft_endpoint *wep = dev->client.wep;
	struct weft_sma *sma = &dev->sma;
	struct weft_sma_link l;

	weft_rdma_lock(dev);
	sma->managed = dev->client.fabric->p.managed;
	weft_sma_describe(dev, &l);
	weft_sma_port_init(&sma->port, true, &l);
	sma->port.vl_high_limit = wep->ep.p->port.sched.vlarb.high_limit;
	memcpy(sma->sl_vl, wep->vl, sizeof(sma->sl_vl));
	sma->guids[0] = dev->guid;
	weft_lids_set(dev->client.fabric, wep->ep.id, 0, 0);
	if (!sma->managed)
		state_internal(dev);
	weft_sma_link(dev, sma->managed ? weft_far_trains(&wep->ep.port) :
					  dev->up);
	weft_rdma_unlock(dev);
}

/**
 * weft_sma_link() - the link came up, or went down
 * @dev: the device
 * @up: it is up
 *
 * Context: any; the fabric's lock is held.
 * Return: true if the port is ACTIVE now and was not, or the other way round.
 */
bool weft_sma_link(struct weft_rdma_dev *dev, bool up)
{
	struct weft_sma_port *port = &dev->sma.port;
	bool was_active = port->state == IB_PORT_ACTIVE;

	weft_sma_port_link(port, up);
	if (!dev->sma.managed && up)
		port->state = IB_PORT_ACTIVE;
	state_gate(dev);
	return was_active != (port->state == IB_PORT_ACTIVE);
}

static void state_event(struct weft_rdma_dev *dev, bool active)
{
	weft_rdma_event(dev, active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

/**
 * weft_sma_retrain() - the other end of the link was set to DOWN
 * @dev: the device, of a managed fabric
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sma_retrain(struct weft_rdma_dev *dev)
{
	if (weft_sma_link(dev, false))
		state_event(dev, false);
	weft_sma_link(dev, weft_far_trains(&dev->client.wep->ep.port));
}

/**
 * weft_sma_follow() - the wires of a managed port went down, or came up
 * @dev: the device, of a managed fabric
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sma_follow(struct weft_rdma_dev *dev)
{
	if (weft_sma_link(dev, weft_far_trains(&dev->client.wep->ep.port)))
		state_event(dev, false);
}

/* The port was set to DOWN, or may train again. */
static void state_retrain(struct weft_rdma_dev *dev)
{
	struct fab_port *port = &dev->client.wep->ep.port;

	weft_far_retrain(port);
	weft_sma_link(dev, weft_far_trains(port));
}

/* The VLs of SLs, as far as these are in use. */
static void state_set_vls(struct weft_rdma_dev *dev)
{
	u32 vls = weft_sma_vls(dev->sma.port.vls);
	struct weft_endpoint *wep = dev->client.wep;
	struct fab_sched_params sched;
	u32 sl;

	for (sl = 0; sl < FAB_CLASSES_MAX; sl++)
		WRITE_ONCE(wep->vl[sl], dev->sma.sl_vl[sl] < vls ?
			   dev->sma.sl_vl[sl] : FAB_VL_DROP);
	sched = wep->ep.p->port.sched;
	if (sched.kind != FAB_SCHED_VLARB ||
	    sched.vlarb.high_limit == dev->sma.port.vl_high_limit)
		return;
	sched.vlarb.high_limit = dev->sma.port.vl_high_limit;
	fab_endpoint_sched_set(weft_rdma_fab(dev), &wep->ep, &sched);
}

/* Queue pairs have the P_Key of an index: it may be another one now. */
static void state_set_pkeys(struct weft_rdma_dev *dev)
{
	unsigned long qpn;
	struct weft_qp *qp;

	xa_for_each(&dev->qps, qpn, qp)
		qp->pkey = weft_rdma_pkey(dev, qp->attr.pkey_index);
}

/* Events of what changed, the LID before what depends on it. */
static const struct {
	u32 change;
	enum ib_event_type event;
} state_events[] = {
	{ WEFT_SMA_NEW_LID, IB_EVENT_LID_CHANGE },
	{ WEFT_SMA_NEW_SM, IB_EVENT_SM_CHANGE },
	{ WEFT_SMA_NEW_PREFIX | WEFT_SMA_NEW_GUIDS, IB_EVENT_GID_CHANGE },
	{ WEFT_SMA_NEW_PKEYS, IB_EVENT_PKEY_CHANGE },
	{ WEFT_SMA_REREGISTER, IB_EVENT_CLIENT_REREGISTER },
};

/**
 * weft_sma_changed() - apply what a Set changed, and tell of it
 * @dev: the device
 * @changed: WEFT_SMA_*
 *
 * Context: process; the fabric's lock is held.
 */
void weft_sma_changed(struct weft_rdma_dev *dev, u32 changed)
{
	u32 n;

	if (!dev->client.wep)
		return;
	if (changed & WEFT_SMA_NEW_LID)
		weft_lids_set(dev->client.fabric, dev->client.wep->ep.id,
			      dev->sma.port.lid, dev->sma.port.lmc);
	if (changed & WEFT_SMA_NEW_VLS)
		state_set_vls(dev);
	if (changed & WEFT_SMA_NEW_PKEYS)
		state_set_pkeys(dev);
	if (changed & WEFT_SMA_WENT_DOWN)
		state_retrain(dev);
	if (changed & WEFT_SMA_NEW_STATE)
		state_gate(dev);
	for (n = 0; n < ARRAY_SIZE(state_events); n++)
		if (changed & state_events[n].change)
			weft_rdma_event(dev, state_events[n].event);
	if (changed & WEFT_SMA_NEW_STATE &&
	    dev->sma.port.state != IB_PORT_ARMED)
		state_event(dev, dev->sma.port.state == IB_PORT_ACTIVE);
}

/**
 * weft_sma_caps() - set and clear bits of the capability mask
 * @dev: the device
 * @set: IB_PORT_*: bits to be set
 * @clear: bits to be cleared
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sma_caps(struct weft_rdma_dev *dev, u32 set, u32 clear)
{
	u32 old = dev->sma.caps;

	dev->sma.caps = (old | set) & ~clear;
	if (dev->sma.caps != old)
		weft_trap_caps(dev);
}

/**
 * weft_sma_has_lid() - is a LID one of the port's?
 * @dev: the device
 * @lid: the LID
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it is.
 */
bool weft_sma_has_lid(const struct weft_rdma_dev *dev, u16 lid)
{
	const struct weft_sma_port *port = &dev->sma.port;

	return port->lid && lid >> port->lmc == port->lid >> port->lmc;
}

static bool rpkt_is_smp(const struct weft_rpkt *p)
{
	return !p->sqpn && !p->dqpn &&
	       weft_opcode_transport(p->opcode) == IB_OPCODE_UD;
}

/**
 * weft_sma_sends() - may a packet leave by the port?
 * @dev: the device, whose port is managed
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it may.
 */
bool weft_sma_sends(const struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (rpkt_is_smp(p))
		return dev->sma.port.state != IB_PORT_DOWN;
	return dev->sma.port.state == IB_PORT_ACTIVE;
}

/**
 * weft_sma_receives() - may a packet enter by the port?
 * @dev: the device, whose port is managed
 * @p: the packet, which has arrived
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it may.
 */
bool weft_sma_receives(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (dev->sma.port.state == IB_PORT_ARMED && !rpkt_is_smp(p)) {
		dev->sma.port.state = IB_PORT_ACTIVE;
		weft_sma_changed(dev, WEFT_SMA_NEW_STATE);
	}
	return weft_sma_sends(dev, p);
}

/**
 * weft_sma_bad_pkey() - a packet with a wrong P_Key arrived
 * @dev: the device
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sma_bad_pkey(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (!dev->sma.managed)
		return;
	weft_sma_violation(&dev->sma.port.pkey_violations);
	weft_trap_key(dev, WEFT_TRAP_PKEY, p);
}

/**
 * weft_sma_bad_qkey() - a datagram with a wrong Q_Key arrived
 * @dev: the device
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_sma_bad_qkey(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (!dev->sma.managed)
		return;
	weft_sma_violation(&dev->sma.port.qkey_violations);
	weft_trap_key(dev, WEFT_TRAP_QKEY, p);
}
