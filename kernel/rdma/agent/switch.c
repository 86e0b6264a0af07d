// SPDX-License-Identifier: GPL-2.0
/*
 * The agents of a switch: where a datagram goes.
 *
 * Not modelled: traps to a manager at a switch, and redirection to other LIDs.
 */
#include "rdma/agent/switch.h"

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "core/node/gate.h"
#include "fabric/agent.h"
#include "fabric/fabric.h"
#include "fabric/lids.h"
#include "rdma/agent/far.h"
#include "rdma/agent/walk.h"
#include "rdma/pkt.h"

#define AGENT_QKEY	0x80010000	/* of QP1 */
#define AGENT_GUID	0x0277656600000000ULL	/* no NIC has it: it lacks ff:fe */
#define AGENT_DROP	(-EINVAL)	/* from a punt: the model drops the packet */
#define AGENT_LIFE	18		/* SwitchInfo: as OpenSM sets it */
#define AGENT_RESPONSE	0x80		/* bit of responses in the method */

/**
 * weft_agent_fab_port() - the model's port
 * @sw: the switch
 * @port: its number in InfiniBand, from 1 on
 *
 * Context: any.
 * Return: the port.
 */
struct fab_port *weft_agent_fab_port(struct weft_switch *sw, u8 port)
{
	return &sw->sw.port[port - 1];
}

/**
 * weft_agent_gate() - let pass what the state of a port allows
 * @sw: the switch, whose agents are set up
 * @port: number of the port, from 1 on
 *
 * Management passes in any state.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_gate(struct weft_switch *sw, u8 port)
{
	const struct weft_agent *a = sw->agent;
	u8 state = a->port[port].sma.state;

	if (weft_agent_managed(sw))
		fab_port_gate(&sw->fabric->fab, weft_agent_fab_port(sw, port),
			      state == IB_PORT_ACTIVE, state >= IB_PORT_ARMED);
}

/*
 * The link went down while this module was not loaded. Returns true if that changed the
 * state of the port.
 */
static bool agent_went_down(struct weft_switch *sw, u8 port)
{
	struct weft_agent *a = sw->agent;

	return __test_and_clear_bit(port - 1, sw->went_down) &&
	       weft_sma_port_link(&a->port[port].sma, false);
}

/**
 * weft_agent_sync() - bring the state of a port in line with its link
 * @sw: the switch, whose agents are set up
 * @port: number of the port, from 1 on
 *
 * Without a subnet manager a port with a link is active.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_sync(struct weft_switch *sw, u8 port)
{
	const struct fab_port *fp = weft_agent_fab_port(sw, port);
	struct weft_agent *a = sw->agent;
	struct weft_sma_port *p = &a->port[port].sma;
	bool up = weft_far_trains(fp);
	bool news = agent_went_down(sw, port);

	news |= weft_sma_port_link(p, up);
	if (!weft_agent_managed(sw)) {
		p->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
		return;
	}
	if (!news)
		return;
	weft_agent_gate(sw, port);
	a->port_change = true;
	weft_change_link(sw->fabric, fp, up);
	weft_agent_trap_link(sw);
}

/**
 * weft_agent_retrain() - the other end of a port's link was set to DOWN
 * @sw: the switch, whose agents are set up
 * @port: number of the port, from 1 on
 *
 * Context: any; the fabric's lock is held.
 */
void weft_agent_retrain(struct weft_switch *sw, u8 port)
{
	struct weft_agent *a = sw->agent;

	if (!weft_agent_managed(sw))
		return;
	if (weft_sma_port_link(&a->port[port].sma, false)) {
		weft_agent_gate(sw, port);
		a->port_change = true;
		weft_agent_trap_link(sw);
	}
	weft_agent_sync(sw, port);
}

/* Port 0 is active from the start, as it has no link. */
static void agent_setup(struct weft_switch *sw)
{
	struct weft_agent *a = sw->agent;
	u8 ports = sw->sw.p.ports, n;
	struct weft_sma_link l;

	BUILD_BUG_ON(sizeof(struct weft_agent) > WEFT_AGENT_MEM);
	BUILD_BUG_ON(sizeof(struct weft_agent_port) > WEFT_AGENT_PORT_MEM);
	a->ready = true;
	a->guid = cpu_to_be64(AGENT_GUID | sw->id);
	a->life = AGENT_LIFE;
	for (n = 0; n <= ports; n++) {
		weft_agent_link_of(sw, 0, n, &l);
		weft_sma_port_init(&a->port[n].sma, !n, &l);
		a->port[n].sma.vl_high_limit =
			sw->sw.p.port.sched.vlarb.high_limit;
		if (n)
			weft_agent_sync(sw, n);
	}
	a->port[0].sma.state = IB_PORT_ACTIVE;
	weft_agent_cc_init(sw);
	if (weft_agent_managed(sw) || sw->sw.p.dst == FAB_NO_DST ||
	    sw->sw.p.dst + 1 >= WEFT_LIDS)
		return;
	a->port[0].sma.lid = sw->sw.p.dst + 1;
	a->port[0].sma.sm_lid = 1;
}

/**
 * weft_agent_of() - the agents of a switch
 * @sw: the switch
 *
 * Context: any; the fabric's lock is held.
 * Return: their state, set up; NULL if the switch is not InfiniBand, or has more
 * ports than InfiniBand has numbers.
 */
struct weft_agent *weft_agent_of(struct weft_switch *sw)
{
	struct weft_agent *a = sw->agent;

	if (!a || sw->sw.p.ports > WEFT_AGENT_PORTS_MAX)
		return NULL;
	if (!a->ready)
		agent_setup(sw);
	return a;
}

/**
 * weft_agent_route() - address a packet to a LID, by the forwarding tables
 * @sw: the switch
 * @p: the packet
 * @lid: the LID
 *
 * Context: any; the fabric's lock is held.
 * Return: the model's port that it leaves by, or a negative number without a route.
 */
int weft_agent_route(struct weft_switch *sw, struct weft_rpkt *p, u16 lid)
{
	const struct weft_agent *a = sw->agent;
	struct fab_pkt *pkt = &p->hw.pkt;

	p->path.slid = a->port[0].sma.lid;
	p->path.dlid = lid;
	if (!weft_lids_find(sw->fabric, lid, &pkt->dst, &pkt->flow_hash) ||
	    pkt->dst == sw->sw.p.dst)
		return AGENT_DROP;
	return fab_route_select(&sw->sw.route, sw->sw.port, pkt,
				sw->fabric->fab.now);
}

/* Exchange sender and receiver. Returns the model's port. */
static int agent_turn(struct weft_switch *sw, struct weft_rpkt *p)
{
	swap(p->sqpn, p->dqpn);
	if (p->path.has_grh)
		swap(p->path.sgid, p->path.dgid);
	return weft_agent_route(sw, p, p->path.slid);
}

/* The next step of a directed route. Returns the model's port. */
static int agent_step(struct weft_switch *sw, struct weft_rpkt *p,
		      struct weft_walk w)
{
	if (w.to == WEFT_WALK_PORT) {
		p->path.slid = WEFT_LID_PERMISSIVE;
		p->path.dlid = WEFT_LID_PERMISSIVE;
		p->hw.pkt.dst = FAB_DST_NEXT;
		return w.port - 1;
	}
	if (w.to == WEFT_WALK_BACK)
		return agent_turn(sw, p);
	if (w.to != WEFT_WALK_LID)
		return AGENT_DROP;
	return weft_agent_route(sw, p, w.lid);
}

/* Only Get and Set of version 1 are answered otherwise than by such a status. */
static u16 agent_refusal(const struct ib_mad_hdr *h)
{
	if (h->base_version != IB_MGMT_BASE_VERSION || h->class_version != 1)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	return h->method == IB_MGMT_METHOD_GET || h->method == IB_MGMT_METHOD_SET ?
	       0 : IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;
}

/* Make the response of a request; false if there is none. */
static bool agent_smp(struct weft_switch *sw, u8 in, struct ib_smp *smp)
{
	struct weft_agent *a = sw->agent;
	u16 status;

	if (smp->method & AGENT_RESPONSE || smp->method == IB_MGMT_METHOD_TRAP)
		return false;
	if (!weft_sma_port_mkey(&a->port[0].sma, smp, sw->fabric->fab.now)) {
		weft_agent_trap_mkey(sw, smp);
		return false;
	}
	if (smp->method == IB_MGMT_METHOD_TRAP_REPRESS) {
		weft_agent_trap_repress(sw, smp);
		return false;
	}
	status = agent_refusal((void *)smp) ?: weft_agent_sma(sw, in, smp);
	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status = cpu_to_be16(status);
	return true;
}

static int agent_directed(struct weft_switch *sw, u8 in, struct weft_rpkt *p)
{
	u8 ports = sw->sw.p.ports;
	struct ib_smp *smp = p->data;
	struct weft_walk w = weft_walk_arrive(smp, in, ports);

	if (w.to != WEFT_WALK_HERE)
		return agent_step(sw, p, w);
	if (!agent_smp(sw, in, smp))
		return AGENT_DROP;
	p->hw.pkt.born = sw->fabric->fab.now;
	return agent_step(sw, p, weft_walk_reply(smp, ports));
}

/* Subnet management comes by QP0. */
static int agent_qp0(struct weft_switch *sw, u8 in, struct weft_rpkt *p)
{
	struct ib_smp *smp = p->data;

	if (p->sqpn)
		return AGENT_DROP;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return agent_directed(sw, in, p);
	if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	    p->path.dlid == WEFT_LID_PERMISSIVE || !agent_smp(sw, in, smp))
		return AGENT_DROP;
	p->hw.pkt.born = sw->fabric->fab.now;
	return agent_turn(sw, p);
}

/* Make the response of a request. Returns its status, or a negative number: none. */
static int agent_gsi(struct weft_switch *sw, struct ib_mad *mad)
{
	const struct ib_mad_hdr *h = &mad->mad_hdr;

	if (h->method & AGENT_RESPONSE)
		return AGENT_DROP;
	if (h->mgmt_class == IB_MGMT_CLASS_CONG_MGMT)
		return weft_agent_cc(sw, mad);
	if (h->mgmt_class != IB_MGMT_CLASS_PERF_MGMT)
		return AGENT_DROP;
	return agent_refusal(h) ?: weft_agent_pma(sw, mad);
}

/* Is the datagram of a partition of port 0, and has it the Q_Key of QP1? */
static bool agent_keys(struct weft_switch *sw, const struct weft_rpkt *p)
{
	struct weft_agent *a = sw->agent;
	struct weft_sma_port *port = &a->port[0].sma;

	if (weft_sma_pkey_find(port, p->pkey) < 0) {
		weft_sma_violation(&port->pkey_violations);
		weft_agent_trap_key(sw, WEFT_AGENT_TRAP_PKEY, p);
		return false;
	}
	if (p->qkey != AGENT_QKEY) {
		weft_sma_violation(&port->qkey_violations);
		weft_agent_trap_key(sw, WEFT_AGENT_TRAP_QKEY, p);
		return false;
	}
	return true;
}

/* Management of performance and of congestion control comes by QP1. */
static int agent_qp1(struct weft_switch *sw, struct weft_rpkt *p)
{
	struct ib_mad_hdr *h = p->data;
	int status;

	if (!p->sqpn || !agent_keys(sw, p))
		return AGENT_DROP;
	status = agent_gsi(sw, p->data);
	if (status < 0)
		return AGENT_DROP;
	h->method = IB_MGMT_METHOD_GET_RESP;
	h->status = cpu_to_be16(status);
	p->hw.pkt.born = sw->fabric->fab.now;
	return agent_turn(sw, p);
}

/**
 * weft_agent_punt() - an agent of a switch has a packet
 * @sw: the switch
 * @in: the model's port that it came in by
 * @c: the packet; rewritten
 *
 * Context: any; the fabric's lock is held.
 * Return: the model's port that it leaves by, or a negative number: it is dropped.
 */
int weft_agent_punt(struct weft_switch *sw, u32 in, struct weft_hwpkt *c)
{
	struct weft_rpkt *p = weft_rpkt_of(c);

	if (!weft_agent_of(sw) || p->opcode != IB_OPCODE_UD_SEND_ONLY ||
	    !p->data || p->len != IB_MGMT_MAD_SIZE)
		return AGENT_DROP;
	if (!p->dqpn)
		return agent_qp0(sw, in + 1, p);
	return p->dqpn == 1 ? agent_qp1(sw, p) : AGENT_DROP;
}

static void agent_on_link(struct weft_switch *sw, u32 port)
{
	if (weft_agent_of(sw))
		weft_agent_sync(sw, port + 1);
}

static void agent_on_timer(struct weft_switch *sw)
{
	if (weft_agent_of(sw))
		weft_agent_trap_due(sw);
}

static const struct weft_agent_ops agent_ops = {
	.link = agent_on_link,
	.timer = agent_on_timer,
};

/**
 * weft_agent_init() - begin to follow the links of switches
 *
 * Context: process, may sleep.
 */
void __init weft_agent_init(void)
{
	weft_agent_register(&agent_ops);
}

/**
 * weft_agent_exit() - end that
 *
 * Context: process, may sleep.
 */
void weft_agent_exit(void)
{
	weft_agent_register(NULL);
}
