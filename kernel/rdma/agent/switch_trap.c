// SPDX-License-Identifier: GPL-2.0
/*
 * Traps of a switch: notices to the subnet manager.
 *
 * DOC: theory of operation
 *
 * A trap is a datagram from port 0 to the QP0 of the manager (IBTA 13.4.9, 14.2.5.1).
 * It is sent at once, and again after the subnet timeout of port 0, until the manager
 * represses it, four times at most. While there is no route to the manager, each
 * attempt counts.
 *
 * A change of a link takes the place of an older one that is still under way: its
 * notice is the same, and the manager has to look again. While a violation of a key is
 * under way, others of its kind are counted only.
 *
 * Not modelled: traps 129 to 131, as links of the model have no thresholds of errors
 * and no watchdog of flow control; trap 144, as the capabilities of a switch do not
 * change; trap 259, as its ports enforce no partitions.
 */
#include <rdma/ib_smi.h>

#include "fabric/agent.h"
#include "fabric/change.h"
#include "fabric/fabric.h"
#include "fabric/hwpkt.h"
#include "rdma/agent/notice.h"
#include "rdma/agent/switch.h"
#include "rdma/pkt.h"

static void trap_send(struct weft_switch *sw, const struct weft_agent_trap *t)
{
	const struct weft_agent *a = sw->agent;
	const struct weft_sma_port *port = &a->port[0].sma;
	struct weft_rpkt *p = weft_notice_packet(&t->notice, t->tid);
	int out;

	if (!p)
		return;
	p->path = (struct weft_path){ .sl = port->sm_sl };
	p->hw.pkt.sl = port->sm_sl;
	p->hw.pkt.cls = FAB_VL_MGMT;
	p->hw.pkt.len = weft_rpkt_length(&p->hw) - WEFT_IB_OVERHEAD;
	out = weft_agent_route(sw, p, port->sm_lid);
	if (out < 0 || weft_hwpkt_originate(sw, out, &p->hw))
		weft_rpkt_free(p);
}

/* Only a switch that has a LID and knows its manager sends traps. */
static bool trap_may_send(const struct weft_switch *sw)
{
	const struct weft_agent *a = sw->agent;

	return weft_agent_managed(sw) && a->port[0].sma.lid &&
	       a->port[0].sma.sm_lid;
}

/* What was due while weft_rdma was not loaded was not sent, and is over. */
static bool trap_under_way(const struct weft_switch *sw,
			   const struct weft_agent_trap *t)
{
	return t->left && t->at >= sw->fabric->fab.now;
}

static void trap_arm(struct weft_switch *sw)
{
	const struct weft_agent *a = sw->agent;
	fab_time at = FAB_NEVER;
	u32 i;

	for (i = 0; i < WEFT_AGENT_TRAPS; i++)
		if (trap_under_way(sw, &a->trap[i]))
			at = min(at, a->trap[i].at);
	if (at != FAB_NEVER)
		weft_agent_timer_set(sw, at);
}

/**
 * weft_agent_trap_due() - send the traps whose time has come
 * @sw: the switch, whose agents are set up
 *
 * Context: event of the fabric.
 */
void weft_agent_trap_due(struct weft_switch *sw)
{
	fab_time now = sw->fabric->fab.now;
	struct weft_agent *a = sw->agent;
	struct weft_agent_trap *t;

	for (t = a->trap; t < a->trap + WEFT_AGENT_TRAPS; t++) {
		if (!t->left || t->at != now)
			continue;
		t->left--;
		t->at = now + (WEFT_TRAP_TICK << a->port[0].sma.subnet_timeout);
		if (!trap_may_send(sw)) {
			t->left = 0;
			continue;
		}
		trap_send(sw, t);
		if (t == &a->trap[WEFT_AGENT_TRAP_LINK])
			weft_change_trap(sw->fabric);
	}
	trap_arm(sw);
}

/* The trap of this kind, with the head of its notice. */
static struct weft_agent_trap *trap_new(struct weft_switch *sw,
					enum weft_agent_trap_kind kind, u8 type,
					u16 number)
{
	struct weft_agent *a = sw->agent;
	struct weft_agent_trap *t = &a->trap[kind];

	t->notice = (struct ib_mad_notice_attr) {
		.generic_type = type,
		.prod_type_lsb = IB_NOTICE_PROD_SWITCH,
		.trap_num = cpu_to_be16(number),
		.issuer_lid = cpu_to_be16(a->port[0].sma.lid),
	};
	t->tid = ++a->next_tid;
	t->left = WEFT_TRAP_SENDS;
	t->at = sw->fabric->fab.now;
	return t;
}

/**
 * weft_agent_trap_link() - trap 128: the state of a port changed with its link
 * @sw: the switch, whose agents are set up
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_trap_link(struct weft_switch *sw)
{
	struct weft_agent_trap *t;

	if (!trap_may_send(sw))
		return;
	t = trap_new(sw, WEFT_AGENT_TRAP_LINK, IB_NOTICE_TYPE_URGENT, 128);
	memcpy(t->notice.details.raw_data.details, &t->notice.issuer_lid,
	       sizeof(t->notice.issuer_lid));
	trap_arm(sw);
}

/**
 * weft_agent_trap_mkey() - trap 256: a request with a wrong M_Key
 * @sw: the switch, whose agents are set up
 * @smp: the request
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_trap_mkey(struct weft_switch *sw, const struct ib_smp *smp)
{
	const struct weft_agent *a = sw->agent;

	if (!trap_may_send(sw) ||
	    trap_under_way(sw, &a->trap[WEFT_AGENT_TRAP_MKEY]))
		return;
	weft_notice_mkey(&trap_new(sw, WEFT_AGENT_TRAP_MKEY,
				   IB_NOTICE_TYPE_SECURITY, 256)->notice, smp);
	trap_arm(sw);
}

/**
 * weft_agent_trap_key() - trap 257 or 258: a datagram with a wrong P_Key or Q_Key
 * @sw: the switch, whose agents are set up
 * @kind: WEFT_AGENT_TRAP_PKEY or WEFT_AGENT_TRAP_QKEY
 * @p: the datagram, which was for port 0
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_trap_key(struct weft_switch *sw, enum weft_agent_trap_kind kind,
			 const struct weft_rpkt *p)
{
	bool pkey = kind == WEFT_AGENT_TRAP_PKEY;
	struct weft_agent *a = sw->agent;

	if (!trap_may_send(sw) || trap_under_way(sw, &a->trap[kind]))
		return;
	weft_notice_key(&trap_new(sw, kind, IB_NOTICE_TYPE_SECURITY,
				  pkey ? 257 : 258)->notice,
			pkey ? p->pkey : p->qkey, p);
	trap_arm(sw);
}

/**
 * weft_agent_trap_repress() - the manager has received a trap
 * @sw: the switch, whose agents are set up
 * @smp: its TrapRepress
 *
 * The timer goes on, and finds no trap.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_trap_repress(struct weft_switch *sw, const struct ib_smp *smp)
{
	struct weft_agent *a = sw->agent;
	struct weft_agent_trap *t;

	if (smp->attr_id != IB_SMP_ATTR_NOTICE)
		return;
	for (t = a->trap; t < a->trap + WEFT_AGENT_TRAPS; t++)
		if (t->left && cpu_to_be64(t->tid) == smp->tid)
			t->left = 0;
}
