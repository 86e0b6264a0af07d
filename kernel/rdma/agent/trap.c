// SPDX-License-Identifier: GPL-2.0
/*
 * Traps of a channel adapter: notices to the subnet manager.
 *
 * DOC: theory of operation
 *
 * A trap is a datagram from QP0 to the QP0 of the manager (IBTA 13.4.9, 14.2.5.1).
 * Only ports in state ACTIVE that know their manager send one. It is repeated after
 * the subnet timeout of the port, until the manager represses it, four times at most.
 * While one is under way, another violation of the same kind is counted only. A newer
 * change of the port takes the place of the older one.
 *
 * The datagram is made by the adapter itself, so it leaves at the fabric time of its
 * cause, ahead of what queue pairs have to send.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "rdma/agent/notice.h"
#include "rdma/dev.h"
#include "rdma/pkt.h"

#define TRAP_DESC	1	/* change_flags of 144: node description */

static void trap_send(struct weft_trap *t)
{
	const struct weft_sma_port *port = &t->dev->sma.port;
	const struct weft_path path = { .dlid = port->sm_lid, .sl = port->sm_sl };
	struct weft_rpkt *p = weft_notice_packet(&t->notice, t->tid);

	if (!p)
		return;
	weft_rpkt_address(t->dev, p, &path, 0, 0);
	weft_port_urgent(t->dev, p);
}

static bool trap_may_send(const struct weft_rdma_dev *dev)
{
	return dev->sma.managed && dev->client.wep &&
	       dev->sma.port.state == IB_PORT_ACTIVE && dev->sma.port.sm_lid;
}

static void trap_on_repeat(struct fab *fab, struct fab_event *ev)
{
	struct weft_trap *t = container_of(ev, struct weft_trap, repeat);

	if (!trap_may_send(t->dev)) {
		t->left = 0;
		return;
	}
	trap_send(t);
	if (--t->left)
		fab_event_schedule(&fab->events, ev, fab->now +
				   (WEFT_TRAP_TICK << t->dev->sma.port.subnet_timeout));
}

/* The trap of this kind, with a head, if it may be sent. */
static struct weft_trap *trap_new(struct weft_rdma_dev *dev,
				  enum weft_trap_kind kind, u8 type, u16 number)
{
	struct weft_trap *t = &dev->sma.trap[kind];

	if (!trap_may_send(dev) || (t->left && kind != WEFT_TRAP_CHANGE))
		return NULL;
	t->notice = (struct ib_mad_notice_attr) {
		.generic_type = type,
		.prod_type_lsb = IB_NOTICE_PROD_CA,
		.trap_num = cpu_to_be16(number),
		.issuer_lid = cpu_to_be16(dev->sma.port.lid),
	};
	return t;
}

static void trap_start(struct weft_trap *t)
{
	struct fab *fab = weft_rdma_fab(t->dev);

	t->tid = ++t->dev->sma.next_tid;
	t->left = WEFT_TRAP_SENDS;
	fab_event_move(&fab->events, &t->repeat, fab->now);
}

/**
 * weft_trap_caps() - trap 144: the capability mask changed
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 */
void weft_trap_caps(struct weft_rdma_dev *dev)
{
	struct weft_trap *t = trap_new(dev, WEFT_TRAP_CHANGE,
				       IB_NOTICE_TYPE_INFO, 144);
	struct weft_sma_link l;

	if (!t)
		return;
	weft_sma_describe(dev, &l);
	t->notice.details.ntc_144.lid = t->notice.issuer_lid;
	t->notice.details.ntc_144.new_cap_mask = cpu_to_be32(l.cap_mask);
	trap_start(t);
}

/**
 * weft_trap_node_desc() - trap 144: the node description changed
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 */
void weft_trap_node_desc(struct weft_rdma_dev *dev)
{
	struct weft_trap *t = trap_new(dev, WEFT_TRAP_CHANGE,
				       IB_NOTICE_TYPE_INFO, 144);
	struct ib_mad_notice_attr *n;
	struct weft_sma_link l;

	if (!t)
		return;
	n = &t->notice;
	weft_sma_describe(dev, &l);
	n->details.ntc_144.lid = n->issuer_lid;
	n->details.ntc_144.new_cap_mask = cpu_to_be32(l.cap_mask);
	n->details.ntc_144.local_changes = 1;
	n->details.ntc_144.change_flags = TRAP_DESC;
	trap_start(t);
}

/**
 * weft_trap_mkey() - trap 256: a request with a wrong M_Key
 * @dev: the device
 * @smp: the request
 *
 * Context: any; the fabric's lock is held.
 */
void weft_trap_mkey(struct weft_rdma_dev *dev, const struct ib_smp *smp)
{
	struct weft_trap *t = trap_new(dev, WEFT_TRAP_MKEY,
				       IB_NOTICE_TYPE_SECURITY, 256);

	if (!t)
		return;
	weft_notice_mkey(&t->notice, smp);
	trap_start(t);
}

/**
 * weft_trap_key() - trap 257 or 258: a packet with a wrong P_Key or Q_Key
 * @dev: the device
 * @kind: WEFT_TRAP_PKEY or WEFT_TRAP_QKEY
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_trap_key(struct weft_rdma_dev *dev, enum weft_trap_kind kind,
		   const struct weft_rpkt *p)
{
	bool pkey = kind == WEFT_TRAP_PKEY;
	struct weft_trap *t = trap_new(dev, kind, IB_NOTICE_TYPE_SECURITY,
				       pkey ? 257 : 258);

	if (!t)
		return;
	weft_notice_key(&t->notice, pkey ? p->pkey : p->qkey, p);
	trap_start(t);
}

/**
 * weft_trap_repress() - the manager has received a trap
 * @dev: the device
 * @smp: its TrapRepress
 *
 * Context: any; the fabric's lock is held.
 */
void weft_trap_repress(struct weft_rdma_dev *dev, const struct ib_smp *smp)
{
	struct weft_trap *t;

	if (smp->attr_id != IB_SMP_ATTR_NOTICE)
		return;
	for (t = dev->sma.trap; t < dev->sma.trap + WEFT_TRAPS; t++) {
		if (!t->left || cpu_to_be64(t->tid) != smp->tid)
			continue;
		t->left = 0;
		fab_event_cancel(&weft_rdma_fab(dev)->events, &t->repeat);
	}
}

/**
 * weft_traps_init() - prepare the traps of a device
 * @dev: the device
 *
 * Context: process.
 */
void weft_traps_init(struct weft_rdma_dev *dev)
{
	struct weft_trap *t;

	for (t = dev->sma.trap; t < dev->sma.trap + WEFT_TRAPS; t++) {
		t->dev = dev;
		fab_event_init(&t->repeat, trap_on_repeat);
	}
}

/**
 * weft_traps_stop() - send no more traps
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 */
void weft_traps_stop(struct weft_rdma_dev *dev)
{
	struct weft_trap *t;

	for (t = dev->sma.trap; t < dev->sma.trap + WEFT_TRAPS; t++) {
		t->left = 0;
		fab_event_cancel(&weft_rdma_fab(dev)->events, &t->repeat);
	}
}
