// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A NIC: it arbitrates among queue pairs, and executes what arrives.
 *
 * The laws are those of kernel/rdma/port/port.c, so that a simulated message takes the
 * same time as a program's: room, turns, message rate, rate of PCIe, cache of queue
 * pairs, doorbell, processing. Documentation/model/rdma-nic.rst states them.
 */
#include "sim/sim_reduce.h"

#include <linux/weft.h>

#include "sim/sim_traffic.h"

#define NIC_TRIMMED	54	/* bytes with a BTH: Ethernet 14, IPv4 20, UDP 8, BTH 12 */

static const struct weft_verbs *nic_verbs(const struct weft_sim_nic *nic)
{
	static const struct weft_verbs none;

	return nic->transport->verbs ? &nic->plan->nic.verbs : &none;
}

static void nic_kick(struct weft_sim *sim, struct weft_sim_nic *nic, fab_time at)
{
	struct fab_event *ev = &nic->arbitrate;

	at = max(at, sim->fab.now);
	if (!fab_event_pending(ev) || ev->at > at)
		fab_event_move(&sim->fab.events, ev, at);
}

static void nic_enqueue(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	struct weft_sim_nic *nic = qp->from;
	struct weft_sim_txq *txq = &nic->txq[0];

	if (qp->queued)
		return;
	qp->queued = true;
	qp->next = NULL;
	if (txq->first)
		txq->last->next = qp;
	else
		txq->first = qp;
	txq->last = qp;
	nic_kick(sim, nic, nic->busy_until);
}

/* Has a queue pair only messages whose doorbell is still on its way to the NIC? */
static bool nic_awaits_doorbell(const struct weft_sim *sim,
				const struct weft_sim_qp *qp)
{
	if (!fab_event_pending(&qp->timer))
		return false;
	return !qp->tx || weft_sim_work(sim, qp->tx)->start +
			  nic_verbs(qp->from)->doorbell > sim->fab.now;
}

/**
 * weft_sim_schedule() - a queue pair has, or may have, something to send
 * @sim: the simulation
 * @qp: the queue pair
 * @delay: ps from now until it may send; 0 where the NIC knows already
 */
void weft_sim_schedule(struct weft_sim *sim, struct weft_sim_qp *qp, fab_time delay)
{
	fab_time at = max(sim->fab.now + delay, qp->not_before);
	struct fab_event *timer = &qp->timer;

	if (qp->queued || (!delay && nic_awaits_doorbell(sim, qp)))
		return;
	if (at > sim->fab.now) {
		if (!fab_event_pending(timer) || timer->at > at)
			fab_event_move(&sim->fab.events, timer, at);
		return;
	}
	fab_event_cancel(&sim->fab.events, timer);
	nic_enqueue(sim, qp);
}

static struct weft_sim_txq *nic_txq(struct weft_sim_nic *nic, u8 cls)
{
	return &nic->txq[cls != nic->cls];
}

/**
 * weft_sim_urgent() - send a packet before those of queue pairs
 * @sim: the simulation
 * @nic: the NIC
 * @pkt: the packet; taken
 */
void weft_sim_urgent(struct weft_sim *sim, struct weft_sim_nic *nic,
		     struct weft_sim_pkt *pkt)
{
	fab_fifo_push(&nic_txq(nic, pkt->p.cls)->urgent, &pkt->p);
	nic_kick(sim, nic, 0);
}

/**
 * weft_sim_operand() - send what a node brings to a reduction, behind urgent packets
 * @sim: the simulation
 * @nic: the NIC
 * @pkt: the packet; taken
 */
void weft_sim_operand(struct weft_sim *sim, struct weft_sim_nic *nic,
		      struct weft_sim_pkt *pkt)
{
	fab_fifo_push(&nic_txq(nic, pkt->p.cls)->operands, &pkt->p);
	nic_kick(sim, nic, 0);
}

/* The ring of the class was full: back to the head of the urgent packets. */
static void nic_requeue(struct weft_sim_txq *txq, struct weft_sim_pkt *pkt)
{
	if (!txq->urgent.head)
		txq->urgent.tail = &pkt->p;
	pkt->p.next = txq->urgent.head;
	txq->urgent.head = &pkt->p;
	txq->full = true;
}

static void nic_send(struct weft_sim *sim, struct weft_sim_nic *nic,
		     struct weft_sim_pkt *pkt)
{
	struct weft_sim_txq *txq = nic_txq(nic, pkt->p.cls);
	int err;

	if (fab_endpoint_stop(&nic->ep, pkt->p.cls)) {
		nic_requeue(txq, pkt);
		return;
	}
	if (pkt->back && pkt->qp->queued_ack == pkt)
		pkt->qp->queued_ack = NULL;
	pkt->tx = nic;
	txq->pending += pkt->p.len;
	err = fab_endpoint_send(&sim->fab, &nic->ep, &pkt->p);
	if (err)
		weft_sim_fail(sim, "%s: the model refuses a packet of %u bytes (%d)",
			      nic->plan->nic.name, pkt->p.len, err);
}

static void cache_remove(struct weft_sim_nic *nic, struct weft_sim_qp *qp)
{
	if (qp->newer)
		qp->newer->older = qp->older;
	else
		nic->newest = qp->older;
	if (qp->older)
		qp->older->newer = qp->newer;
	else
		nic->oldest = qp->newer;
	qp->cached = false;
	nic->cached--;
}

static void cache_add(struct weft_sim_nic *nic, struct weft_sim_qp *qp)
{
	qp->newer = NULL;
	qp->older = nic->newest;
	if (nic->newest)
		nic->newest->newer = qp;
	else
		nic->oldest = qp;
	nic->newest = qp;
	qp->cached = true;
	nic->cached++;
}

static void cache_use(struct weft_sim_nic *nic, struct weft_sim_qp *qp)
{
	if (qp->cached)
		cache_remove(nic, qp);
	while (nic->cached >= nic_verbs(nic)->qp_cache)
		cache_remove(nic, nic->oldest);
	cache_add(nic, qp);
}

/**
 * weft_sim_nic_connect() - a queue pair was connected before the simulation
 * @nic: the NIC that sends
 * @qp: the queue pair
 *
 * With that its state is in the NIC's cache, as in a lab (kernel/rdma/qp_modify.c).
 */
void weft_sim_nic_connect(struct weft_sim_nic *nic, struct weft_sim_qp *qp)
{
	if (nic_verbs(nic)->qp_cache)
		cache_use(nic, qp);
}

/* Is the state of a queue pair in the NIC's cache? If not, fetch it now. */
static bool cache_hit(struct weft_sim *sim, struct weft_sim_nic *nic,
		      struct weft_sim_qp *qp)
{
	const struct weft_verbs *v = nic_verbs(nic);
	bool hit = qp->cached;

	if (!v->qp_cache)
		return true;
	cache_use(nic, qp);
	if (!hit)
		nic->busy_until = sim->fab.now + v->qp_miss;
	return hit;
}

static void nic_charge(struct weft_sim *sim, struct weft_sim_nic *nic,
		       const struct weft_sim_pkt *pkt)
{
	const struct weft_verbs *v = nic_verbs(nic);
	fab_time cost = 0, read = 0;

	if (v->message_rate && pkt->begins)
		cost = (FAB_PS_PER_S + v->message_rate - 1) / v->message_rate;
	if (v->pcie_rate && pkt->payload)
		read = fab_serialise(pkt->payload, v->pcie_rate);
	cost = max(cost, read);
	if (cost)
		nic->busy_until = sim->fab.now + cost;
}

/* Send the next packet of the first queue pair that has one. */
static bool nic_serve(struct weft_sim *sim, struct weft_sim_nic *nic,
		      struct weft_sim_txq *txq)
{
	fab_time now = sim->fab.now;
	struct weft_sim_pkt *pkt;
	struct weft_sim_qp *qp;

	while (nic->busy_until <= now && now < sim->part->state.failed) {
		qp = txq->first;
		if (!qp)
			return false;
		if (!cache_hit(sim, nic, qp) && nic->busy_until > now)
			return false;
		txq->first = qp->next;
		prefetch(qp->next);
		qp->queued = false;
		if (!weft_sim_ready(qp))
			continue;
		pkt = weft_sim_next(sim, qp);
		if (!pkt)
			return false;
		nic_charge(sim, nic, pkt);
		qp->not_before = weft_sim_pace(sim, qp, pkt->p.len);
		nic_send(sim, nic, pkt);
		if (weft_sim_ready(qp))
			weft_sim_schedule(sim, qp, 0);
		return true;
	}
	return false;
}

/* Bytes that the wire sends during the NIC's transmit latency. A fault may slow it down. */
static u64 nic_limit(struct weft_sim_nic *nic)
{
	unsigned __int128 bits = nic->ep.port.wire.bps;

	if (nic->limit_bps == nic->ep.port.wire.bps)
		return nic->limit;
	bits *= nic->ep.p->tx_latency;
	nic->limit = (u64)(bits / 8 / FAB_PS_PER_S);
	nic->limit_bps = nic->ep.port.wire.bps;
	return nic->limit;
}

static bool nic_has_room(struct weft_sim_nic *nic, const struct weft_sim_txq *txq)
{
	return !txq->full && txq->pending <= nic_limit(nic);
}

/* Send one packet of a class. */
static bool nic_send_one(struct weft_sim *sim, struct weft_sim_nic *nic,
			 struct weft_sim_txq *txq)
{
	struct fab_pkt *pkt;

	if (!nic_has_room(nic, txq))
		return false;
	pkt = fab_fifo_pop(&txq->urgent);
	if (!pkt)
		pkt = fab_fifo_pop(&txq->operands);
	if (!pkt)
		return nic_serve(sim, nic, txq);
	nic_send(sim, nic, weft_sim_pkt_of(pkt));
	return true;
}

/* Classes take turns, one packet each. */
static bool nic_send_next(struct weft_sim *sim, struct weft_sim_nic *nic)
{
	u32 next = !nic->turn;

	if (nic_send_one(sim, nic, &nic->txq[next])) {
		nic->turn = next;
		return true;
	}
	return nic_send_one(sim, nic, &nic->txq[nic->turn]);
}

static void nic_on_arbitrate(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_nic *nic = container_of(ev, struct weft_sim_nic, arbitrate);
	struct weft_sim *sim = weft_sim_of(fab);

	while (nic_send_next(sim, nic))
		;
	if (nic->busy_until > fab->now && nic->txq[0].first && nic_has_room(nic, &nic->txq[0]))
		nic_kick(sim, nic, nic->busy_until);
}

/* A packet of the NIC is on the wire, or was lost before: there is room for another one. */
static void nic_sent(struct weft_sim *sim, struct weft_sim_nic *nic, struct weft_sim_pkt *pkt)
{
	nic_txq(nic, pkt->p.cls)->pending -= pkt->p.len;
	pkt->tx = NULL;
	if (pkt->qp && !pkt->back && nic->transport->sent)
		nic->transport->sent(sim, pkt);
}

/* A packet is lost, which ends the simulation if nobody sends it again. */
static void nic_lose(struct weft_sim *sim, struct weft_sim_pkt *pkt, const char *at,
		     const char *why)
{
	const struct weft_sim_qp *qp = pkt->qp;
	struct weft_sim_nic *nic = pkt->tx;

	/* It takes as long as on the wire. */
	if (nic) {
		nic->busy_until = max(nic->busy_until, sim->fab.now +
				      fab_wire_time(&nic->ep.port.wire, &pkt->p));
		nic_sent(sim, nic, pkt);
		nic_kick(sim, nic, nic->busy_until);
	}
	sim->part->state.lost++;
	if (!qp)
		weft_sim_fail(sim, "a packet that is reduced was lost at %s (%s): nothing repeats it",
			      at, why);
	else if (!qp->from->transport->repeats)
		weft_sim_fail(sim, "a packet from %s to %s was lost at %s (%s): transport %s repeats no packet",
			      weft_sim_node(sim, pkt->back ? qp->to : qp->from),
			      weft_sim_node(sim, pkt->back ? qp->from : qp->to), at, why,
			      qp->from->transport->name);
	weft_sim_pkt_free(sim, pkt);
}

/* What is acknowledged meanwhile brings back the INT of this packet. */
static void nic_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
			struct weft_sim_pkt *pkt)
{
	bool seen = pkt->measured && !pkt->back;

	if (seen)
		pkt->qp->seen = pkt;
	nic->transport->receive(sim, nic, pkt);
	if (seen)
		pkt->qp->seen = NULL;
}

static void nic_execute(struct weft_sim *sim, struct weft_sim_nic *nic,
			struct weft_sim_pkt *pkt)
{
	if (!pkt->qp) {
		weft_sim_reduce_receive(sim, nic, pkt);
		weft_sim_pkt_free(sim, pkt);
		return;
	}
	if (pkt->p.flags & FAB_PKT_CE)
		weft_sim_marked(sim, pkt);
	if (pkt->cnp || pkt->becn)
		weft_sim_notified(sim, pkt->qp);
	if (pkt->pull)
		nic->cc->pulled(sim, pkt->qp, pkt);
	else if (pkt->p.flags & FAB_PKT_TRIMMED)
		nic->transport->trimmed(sim, pkt);
	else if (!pkt->cnp)
		nic_receive(sim, nic, pkt);
	if (!pkt->back && nic->cc->came)
		nic->cc->came(sim, pkt->qp, pkt);
	weft_sim_pkt_free(sim, pkt);
}

static void nic_on_execute(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_nic *nic = container_of(ev, struct weft_sim_nic, execute);
	struct fab_pkt *pkt = fab_fifo_pop(&nic->arrived);

	if (nic->arrived.head)
		fab_event_schedule(&fab->events, ev, nic->arrived.head->at);
	nic_execute(weft_sim_of(fab), nic, weft_sim_pkt_of(pkt));
}

/* Is what is left of a packet enough to know which it was, and does it matter? */
static bool nic_knows_trimmed(const struct weft_sim_nic *nic, const struct fab_pkt *p)
{
	return nic->any && nic->transport->trimmed && p->len >= NIC_TRIMMED;
}

static void host_deliver(struct fab_endpoint *ep, struct fab_pkt *p)
{
	struct weft_sim_nic *nic = container_of(ep, struct weft_sim_nic, ep);
	fab_time process = nic_verbs(nic)->process;
	struct weft_sim_pkt *pkt = weft_sim_pkt_of(p);
	struct weft_sim *sim = nic->sim;

	if (unlikely(pkt->traffic)) {
		weft_sim_traffic_delivered(nic, pkt);
		return;
	}
	if (p->flags & FAB_PKT_TRIMMED && !nic_knows_trimmed(nic, p)) {
		nic_lose(sim, pkt, nic->plan->nic.name, "trimmed on its way");
		return;
	}
	if (!process && !nic->arrived.head) {
		nic_execute(sim, nic, pkt);
		return;
	}
	p->at = sim->fab.now + process;
	fab_fifo_push(&nic->arrived, p);
	if (!fab_event_pending(&nic->execute))
		fab_event_schedule(&sim->fab.events, &nic->execute, p->at);
}

static const char *drop_text(enum fab_drop why)
{
#define X(NAME, name, text) text,
	static const char *const texts[] = { FAB_DROPS(X) };
#undef X

	return texts[why];
}

static void host_drop(struct fab *fab, struct fab_port *port, struct fab_pkt *p,
		      enum fab_drop why)
{
	struct weft_sim_pkt *pkt = weft_sim_pkt_of(p);
	struct weft_sim *sim = weft_sim_of(fab);
	const char *at = "no port";

	if (pkt->traffic) {
		weft_sim_traffic_lost(sim, pkt);
		return;
	}
	if (port)
		at = port->sw ? sim->plan->sw[port->sw->id].name :
				sim->plan->nic[port->ep->id].nic.name;
	nic_lose(sim, pkt, at, drop_text(why));
}

/* Faults duplicate packets; switches copy results of reductions. */
static struct fab_pkt *host_clone(struct fab *fab, const struct fab_pkt *p)
{
	const struct weft_sim_pkt *pkt = weft_sim_pkt_of(p);
	struct weft_sim_pkt *copy = weft_sim_pkt_new(weft_sim_of(fab), pkt->traffic);

	if (!copy)
		return NULL;
	weft_sim_pkt_copy(copy, pkt);
	copy->tx = NULL;
	copy->copy = true;
	return &copy->p;
}

static void host_wake(struct fab_endpoint *ep, u8 cls)
{
	struct weft_sim_nic *nic = container_of(ep, struct weft_sim_nic, ep);

	nic_txq(nic, cls)->full = false;
	nic_kick(nic->sim, nic, 0);
}

/* A packet that starts on the first wire makes room for another one. */
static void host_trace(struct fab_port *port, const struct fab_pkt *p,
		       enum fab_trace what)
{
	struct weft_sim_pkt *pkt = weft_sim_pkt_of(p);
	struct weft_sim_nic *nic = pkt->tx;

	if (what != FAB_TRACE_TRANSMIT)
		return;
	if (pkt->measured && !pkt->back)
		weft_sim_measure(port, pkt);
	if (!port->ep || !nic)
		return;
	if (unlikely(pkt->traffic)) {
		weft_sim_traffic_sent(pkt);
		return;
	}
	nic_sent(nic->sim, nic, pkt);
	nic_kick(nic->sim, nic, 0);
}

const struct fab_host_ops weft_sim_host = {
	.deliver = host_deliver,
	.drop = host_drop,
	.clone = host_clone,
	.reduce = weft_sim_reduce_pkts,
	.tx_wake = host_wake,
	.trace = host_trace,
	.leave = weft_sim_leave,
	.tell = weft_sim_tell,
};

/**
 * weft_sim_nic_init() - prepare a NIC
 * @sim: the simulation, with its transport
 * @nic: the NIC, in the model and with its link
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_nic_init(struct weft_sim *sim, struct weft_sim_nic *nic,
		      struct weft_err *err)
{
	fab_event_init(&nic->arbitrate, nic_on_arbitrate);
	fab_event_name(&nic->arbitrate, fab_name(sim->o->seed, WEFT_SIM_NAME_NIC,
						 nic->ep.id, 0));
	fab_event_init(&nic->execute, nic_on_execute);
	fab_event_name(&nic->execute, fab_name(sim->o->seed, WEFT_SIM_NAME_NIC,
					       nic->ep.id, 1));
	nic->transport->nic(nic);
	return weft_sim_cc_init(nic, err);
}
