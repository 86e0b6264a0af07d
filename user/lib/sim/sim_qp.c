// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queue pairs: messages in their order, cut into packets.
 */
#include "sim/sim_run.h"

#include <errno.h>
#include <stdlib.h>

#include "bound/bound_path.h"
#include "core/sim/rng.h"

static int qp_order(const struct weft_message *a, const struct weft_message *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->channel < b->channel ? -1 : a->channel > b->channel;
}

static int by_qp(const void *a, const void *b, void *ctx)
{
	const struct weft_message *m = ctx;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	int order = qp_order(&m[x], &m[y]);

	return order ? order : x < y ? -1 : x > y;
}

/* The numbers of the messages, those of a queue pair together; to be freed. */
static u32 *qp_sort(const struct weft_sim *sim)
{
	const struct weft_work *w = sim->work;
	u32 *order = calloc(w->messages + 1, sizeof(*order));

	if (!order)
		return NULL;
	for (u32 i = 0; i < w->messages; i++)
		order[i] = i;
	qsort_r(order, w->messages, sizeof(*order), by_qp, w->message);
	return order;
}

/* A flow's hash, not 0, which stands for none. */
static u32 qp_hash(const struct weft_sim *sim, u32 from, u32 to, u32 channel)
{
	u64 z = fab_mix(sim->o->seed ^ fab_mix((u64)from << 32 | to));

	return (u32)(fab_mix(z + channel) >> 32) | 1;
}

static void qp_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_sim_qp *qp = container_of(ev, struct weft_sim_qp, timer);

	weft_sim_schedule(weft_sim_of(fab), qp, 0);
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* The time that the message would take alone. */
static uint64_t qp_ideal(const struct weft_sim_nic *from, struct weft_lane *lane,
			 uint64_t bytes)
{
	lane->payload = from->mtu;
	lane->header = from->header;
	return weft_lane_time(lane, round_up(bytes, from->pad));
}

static void qp_init(struct weft_sim *sim, struct weft_sim_qp *qp,
		    const struct weft_message *m, struct weft_lane *lane)
{
	const struct weft_sim_nic *from = &sim->nic[lane->nic];

	*qp = (struct weft_sim_qp) {
		.from = &sim->nic[lane->nic],
		.to = &sim->nic[lane->peer],
		.hash = qp_hash(sim, lane->nic, lane->peer, m->channel),
		.back = qp_hash(sim, lane->peer, lane->nic, m->channel),
		.alone = qp_ideal(from, lane, from->mtu) + qp_ideal(from, lane, 0),
	};
	fab_event_init(&qp->timer, qp_on_timer);
	fab_event_name(&qp->timer, fab_name(sim->o->seed, WEFT_SIM_NAME_QP, sim->qps, 0));
	weft_sim_nic_connect(qp->from, qp);
	if (from->transport->connect)
		from->transport->connect(sim, qp);
}

/**
 * struct lanes - paths between nodes
 * @frames: of any NICs
 * @verbs: of RDMA devices, with what they add
 */
struct lanes {
	struct weft_lanes frames;
	struct weft_lanes verbs;
};

static int find_lane(const struct weft_sim *sim, struct lanes *l,
		     const struct weft_message *m, struct weft_lane *lane,
		     struct weft_err *err)
{
	const struct weft_sim_nic *from, *to;

	if (weft_lanes_find(&l->frames, m->from, m->to, lane, err))
		return err->code;
	from = &sim->nic[lane->nic];
	to = &sim->nic[lane->peer];
	if (from->transport != to->transport)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "%s and %s have different transports",
				    from->plan->nic.name, to->plan->nic.name);
	if (from->any != to->any)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "%s and %s have different orderings",
				    from->plan->nic.name, to->plan->nic.name);
	return from->transport->verbs ?
	       weft_lanes_find(&l->verbs, m->from, m->to, lane, err) : 0;
}

static int qp_join(struct weft_sim *sim, struct lanes *lanes, u32 i,
		   bool new_qp, struct weft_err *err)
{
	struct weft_message *m = &sim->work->message[i];
	struct weft_sim_qp *qp = &sim->qp[sim->qps - !new_qp];
	struct weft_sim_message *sm = &sim->message[i];
	const struct weft_sim_nic *from;
	struct weft_lane lane;

	if (find_lane(sim, lanes, m, &lane, err))
		return err->code;
	from = &sim->nic[lane.nic];
	if (new_qp) {
		qp_init(sim, qp, m, &lane);
		sim->qps++;
	}
	sm->qp = qp;
	sm->packets = m->bytes ? (u32)((m->bytes + from->mtu - 1) / from->mtu) : 1;
	sm->left = sm->packets;
	m->ideal = qp_ideal(from, &lane, m->bytes);
	return 0;
}

static int qp_join_all(struct weft_sim *sim, struct lanes *lanes,
		       const u32 *order, struct weft_err *err)
{
	const struct weft_message *m = sim->work->message;

	for (u32 i = 0; i < sim->work->messages; i++) {
		bool new_qp = !sim->qps || qp_order(&m[order[i - 1]], &m[order[i]]);

		if (m[order[i]].from != m[order[i]].to &&
		    qp_join(sim, lanes, order[i], new_qp, err))
			return err->code;
	}
	return 0;
}

/**
 * weft_sim_connect() - make the queue pairs of all messages
 * @sim: the simulation, whose fabric is built
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_connect(struct weft_sim *sim, struct weft_err *err)
{
	struct lanes lanes = { .frames = { 0 } };
	u32 *order = qp_sort(sim);
	int ret;

	sim->qp = weft_sim_alloc(sim, sim->work->messages, sizeof(*sim->qp));
	if (!order || !sim->qp) {
		free(order);
		return weft_err_nomem(err);
	}
	ret = weft_lanes_make(&lanes.frames, sim->plan, false, err);
	if (!ret)
		ret = weft_lanes_make(&lanes.verbs, sim->plan, true, err);
	if (!ret)
		ret = qp_join_all(sim, &lanes, order, err);
	weft_lanes_free(&lanes.frames);
	weft_lanes_free(&lanes.verbs);
	free(order);
	return ret;
}

/**
 * weft_sim_post() - hand a message to its NIC
 * @sim: the simulation
 * @m: the message, which starts now
 */
void weft_sim_post(struct weft_sim *sim, struct weft_sim_message *m)
{
	struct weft_sim_qp *qp = m->qp;

	if (qp->last)
		qp->last->next = m;
	if (!qp->tx)
		qp->tx = m;
	if (!qp->oldest)
		qp->oldest = m;
	qp->last = m;
	weft_sim_schedule(sim, qp, qp->from->transport->verbs ?
			  qp->from->plan->nic.verbs.doorbell : 0);
}

/**
 * weft_sim_ready() - has a queue pair a packet that it may send?
 * @qp: the queue pair
 *
 * Return: true if it has.
 */
bool weft_sim_ready(const struct weft_sim_qp *qp)
{
	const struct weft_sim_transport *t = qp->from->transport;

	return t->ready ? t->ready(qp) : !!qp->tx;
}

/* Go on behind a packet that was made. */
static void qp_advance(struct weft_sim_qp *qp)
{
	qp->psn++;
	if (++qp->tx_pkt < qp->tx->packets)
		return;
	qp->tx = qp->tx->next;
	qp->tx_pkt = 0;
}

static void qp_fill(struct weft_sim *sim, struct weft_sim_qp *qp,
		    struct weft_sim_pkt *pkt, struct weft_sim_message *m, u32 psn)
{
	struct weft_sim_nic *nic = qp->from;
	u32 index = psn - m->psn;
	u64 left = weft_sim_work(sim, m)->bytes - (u64)index * nic->mtu;

	pkt->qp = qp;
	pkt->message = m;
	pkt->psn = psn;
	pkt->begins = !index;
	pkt->measured = nic->cc->measures;
	pkt->payload = left < nic->mtu ? (u32)left : nic->mtu;
	pkt->p.len = nic->header + (u32)round_up(pkt->payload, nic->pad);
	pkt->p.segs = 1;
	pkt->p.dst = qp->to->ep.id;
	pkt->p.flow_hash = qp->hash;
	pkt->p.cls = nic->cls;
	pkt->p.sl = (u8)sim->o->sl;
	pkt->p.flags = FAB_PKT_HW | nic->ect;
}

/**
 * weft_sim_next() - make the packet that is sent next
 * @sim: the simulation
 * @qp: the queue pair, which is ready
 *
 * Return: the packet; NULL without memory.
 */
struct weft_sim_pkt *weft_sim_next(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	const struct weft_sim_transport *t = qp->from->transport;
	struct weft_sim_pkt *pkt = weft_sim_pkt_new(sim, false);
	struct weft_sim_message *m = NULL;
	bool again;
	u32 psn;

	if (!pkt)
		return NULL;
	if (t->lost)
		m = t->lost(qp, &psn);
	again = m;
	if (!again) {
		m = qp->tx;
		psn = qp->psn;
		if (!m->numbered) {
			m->numbered = true;
			m->psn = psn;
		}
	}
	qp_fill(sim, qp, pkt, m, psn);
	t->build(qp, pkt, psn - m->psn + 1 == m->packets);
	if (!again)
		qp_advance(qp);
	return pkt;
}

/**
 * weft_sim_pkt_back() - make a packet from the receiver's end to the sender's
 * @sim: the simulation
 * @qp: the queue pair
 *
 * Return: the packet, whose length, class, service level and marking are the caller's;
 * NULL without memory.
 */
struct weft_sim_pkt *weft_sim_pkt_back(struct weft_sim *sim, struct weft_sim_qp *qp)
{
	struct weft_sim_pkt *pkt = weft_sim_pkt_new(sim, false);

	if (!pkt)
		return NULL;
	pkt->qp = qp;
	pkt->back = true;
	pkt->p.segs = 1;
	pkt->p.dst = qp->from->ep.id;
	pkt->p.flow_hash = qp->back;
	pkt->p.flags = FAB_PKT_HW;
	return pkt;
}

/**
 * weft_sim_accept() - a packet of a message has come
 * @sim: the simulation
 * @m: the message
 */
void weft_sim_accept(struct weft_sim *sim, struct weft_sim_message *m)
{
	if (!--m->left)
		weft_sim_ended(sim, m);
}
