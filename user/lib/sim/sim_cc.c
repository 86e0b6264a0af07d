// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Congestion control: which one a queue pair has.
 *
 * DOC: theory of operation
 *
 * Each is a table of functions in a file of its own, and keeps its state in the queue
 * pair. DCQCN and the table of InfiniBand are the NIC's, as in a lab, and pace packets;
 * kernel/core/cc has their rules. The others have a window of packets that are not
 * acknowledged, and want an acknowledgement of each packet. HPCC also wants to know what
 * switches measure, and with NDP the receiver says what may be sent. They are chosen by an
 * option for all queue pairs.
 */
#include "sim/sim_run.h"

#include <errno.h>
#include <string.h>

#include <linux/weft.h>

#include "core/sim/fixed.h"

static const struct weft_sim_cc cc_none = { .name = "none" };

static const struct weft_sim_cc *const cc_all[] = {
	&cc_none, &weft_sim_dcqcn, &weft_sim_ibcc, &weft_sim_dctcp, &weft_sim_swift,
	&weft_sim_hpcc, &weft_sim_ndp,
};

/* Has the NIC a link of the family that it is for? */
static bool cc_suits(const struct weft_sim_cc *cc, const struct weft_sim_nic *nic)
{
	bool ib = nic->ep.p->port.disc->family == FAB_INFINIBAND;

	return cc->links == WEFT_SIM_CC_ANY || (cc->links == WEFT_SIM_CC_IB) == ib;
}

static const struct weft_sim_cc *cc_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(cc_all); i++)
		if (!strcmp(cc_all[i]->name, name))
			return cc_all[i];
	return NULL;
}

/* That of the NIC, if its link is of the family. */
static const struct weft_sim_cc *cc_of_plan(const struct weft_sim_nic *nic)
{
	const struct weft_sim_cc *cc = &cc_none;

	if (nic->plan->nic.verbs.congestion == WEFT_CONGESTION_DCQCN)
		cc = &weft_sim_dcqcn;
	if (nic->plan->nic.verbs.congestion == WEFT_CONGESTION_IBCC)
		cc = &weft_sim_ibcc;
	if (nic->plan->nic.verbs.congestion == WEFT_CONGESTION_SWIFT)
		cc = &weft_sim_swift;
	return cc_suits(cc, nic) ? cc : &cc_none;
}

/**
 * weft_sim_cc_check() - is the option good?
 * @sim: the simulation, with options and transport
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_cc_check(const struct weft_sim *sim, struct weft_err *err)
{
	const char *name = sim->o->congestion;

	if (!name)
		return 0;
	if (!cc_named(name))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "congestion control \"%s\": expected none, dcqcn, ibcc, dctcp, swift, hpcc or ndp",
				    name);
	if (sim->transport && !sim->transport->verbs)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "congestion control \"%s\": expected transport rc", name);
	return 0;
}

/**
 * weft_sim_cc_init() - choose the congestion control of a NIC
 * @nic: the NIC, with its plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_cc_init(struct weft_sim_nic *nic, struct weft_err *err)
{
	const char *name = nic->sim->o->congestion;

	/* the lowest class is served first, with 0 behind the others, as in a lab */
	nic->turn = (u8)(nic->cls - 1) < (u8)(nic->cnp_cls - 1);
	nic->cc = &cc_none;
	if (!nic->transport->verbs)
		return 0;
	nic->cc = name ? cc_named(name) : cc_of_plan(nic);
	if (!cc_suits(nic->cc, nic))
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "%s: %s is not for its link; expected another congestion control",
				    nic->plan->nic.name, name);
	if (nic->cc->any && !nic->any)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "%s: %s needs nic: {verbs: {ordering: any}}",
				    nic->plan->nic.name, name);
	if (nic->cc->ect)
		nic->ect = FAB_PKT_ECT;
	if (nic->cc->init)
		nic->cc->init(nic);
	return 0;
}

/**
 * weft_sim_notify() - send a packet that says nothing but that one was marked
 * @sim: the simulation
 * @qp: the queue pair
 * @cls: its class
 * @sl: its service level
 * @flags: its FAB_PKT_*, besides FAB_PKT_HW
 */
void weft_sim_notify(struct weft_sim *sim, struct weft_sim_qp *qp, u8 cls, u8 sl, u8 flags)
{
	const u32 reserved = 16;	/* bytes behind the BTH */
	struct weft_sim_pkt *cnp = weft_sim_pkt_back(sim, qp);

	if (!cnp)
		return;
	cnp->cnp = true;
	cnp->p.len = qp->to->header + reserved;
	cnp->p.cls = cls;
	cnp->p.sl = sl;
	cnp->p.flags |= flags;
	weft_sim_urgent(sim, qp->to, cnp);
}

/**
 * weft_sim_marked() - a marked packet is executed
 * @sim: the simulation
 * @pkt: the packet
 *
 * What goes back causes no notification, because nothing paces it.
 */
void weft_sim_marked(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	const struct weft_sim_cc *cc = pkt->qp->to->cc;

	sim->part->state.marked++;
	if (!pkt->back && cc->marked)
		cc->marked(sim, pkt);
}

/**
 * weft_sim_notified() - a CNP, or a packet with BECN, is executed
 * @sim: the simulation
 * @qp: the queue pair that has to slow down
 */
void weft_sim_notified(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	if (qp->from->cc->notified)
		qp->from->cc->notified(sim, qp);
}

/**
 * weft_sim_pace() - when may the next packet of a queue pair be taken?
 * @sim: the simulation
 * @qp: the queue pair
 * @len: length of the packet that is taken now, as the model counts it
 *
 * Return: fabric time, at least now.
 */
fab_time weft_sim_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 len)
{
	const struct fab_wire_params *w = &qp->from->ep.port.wire.p;

	if (!qp->from->cc->pace)
		return sim->fab.now;
	return qp->from->cc->pace(sim, qp, max(len, w->min_frame) + w->overhead);
}

/**
 * weft_sim_add_news() - complete an acknowledgement
 * @qp: the queue pair
 * @ack: the acknowledgement, not sent yet; perhaps of earlier packets as well
 */
void weft_sim_add_news(struct weft_sim_qp *qp, struct weft_sim_pkt *ack)
{
	ack->becn |= qp->becn;
	ack->ce += qp->ce;
	ack->stamp = qp->stamp;
	if (qp->seen) {
		ack->measured = true;
		ack->hops = qp->seen->hops;
		memcpy(ack->hop, qp->seen->hop, ack->hops * sizeof(*ack->hop));
	}
	qp->becn = false;
	qp->ce = 0;
}

/**
 * weft_sim_packet_bytes() - length of a packet of full size on a NIC's wire
 * @nic: the NIC
 *
 * Return: bytes.
 */
u32 weft_sim_packet_bytes(const struct weft_sim_nic *nic)
{
	return nic->mtu + nic->header + nic->ep.port.wire.p.overhead;
}

/**
 * weft_sim_packet_time() - time of a packet of full size on a NIC's wire
 * @nic: the NIC
 *
 * Return: ps, at least 1.
 */
fab_time weft_sim_packet_time(const struct weft_sim_nic *nic)
{
	return max(fab_serialise(weft_sim_packet_bytes(nic), nic->ep.port.wire.bps),
		   (fab_time)1);
}

/**
 * weft_sim_fits() - has the window of a queue pair room for a packet?
 * @qp: the queue pair, with a window
 *
 * Return: true if it has. A window of less than a packet has room for one.
 */
bool weft_sim_fits(const struct weft_sim_qp *qp)
{
	u64 packets = qp->cwnd / WEFT_SIM_PACKET;

	if (qp->from->cc->fits)
		return qp->from->cc->fits(qp);
	return qp->psn == qp->una || qp->psn - qp->una < packets;
}

/**
 * weft_sim_grow() - make the window of a queue pair larger
 * @qp: the queue pair, with a window
 * @packets: packets acknowledged
 * @slowly: by a packet for each window acknowledged; else by each packet acknowledged
 */
void weft_sim_grow(struct weft_sim_qp *qp, u32 packets, bool slowly)
{
	u64 more = packets * WEFT_SIM_PACKET;

	qp->cwnd += slowly ? more * WEFT_SIM_PACKET / qp->cwnd : more;
	qp->cwnd = min(qp->cwnd, WEFT_SIM_CWND_MAX);
}
