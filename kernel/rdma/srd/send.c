// SPDX-License-Identifier: GPL-2.0
/*
 * The sender of SRD: packets are made of jobs, and of what was lost.
 *
 * Jobs of a peer take turns, one packet each. What was lost goes before.
 */
#include <linux/etherdevice.h>

#include "rdma/mem.h"
#include "rdma/srd/peer.h"

static struct weft_srd_peer *peer_of(const struct weft_tx *tx)
{
	return container_of((void *)tx, struct weft_srd_peer, tx);
}

static u8 srd_class(const struct weft_tx *tx)
{
	return weft_path_class(tx->dev, &peer_of(tx)->path, 1);
}

static bool srd_again(struct weft_tx *tx)
{
	const struct weft_srd_peer *peer = peer_of(tx);

	return peer->out.lost || (!list_empty(&peer->jobs) && fab_srd_has_room(&peer->out));
}

/**
 * weft_srd_send() - a peer may have something to send
 * @peer: the peer
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_send(struct weft_srd_peer *peer)
{
	if (srd_again(&peer->tx))
		weft_tx_schedule(&peer->tx, weft_rdma_fab(peer->dev)->now);
}

/**
 * weft_srd_ask() - ask for reads that are held, as many as may be open
 * @peer: whom; weft_srd_send() has to follow
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_ask(struct weft_srd_peer *peer)
{
	fab_time now = weft_rdma_fab(peer->dev)->now;
	struct weft_efa_op *op;
	struct weft_job *job;

	while (peer->reads < WEFT_EFA_READS && !list_empty(&peer->held)) {
		job = list_first_entry(&peer->held, struct weft_job, node);
		list_move_tail(&job->node, &peer->jobs);
		op = weft_efa_op_of(job);
		list_add_tail(&op->reading, &peer->reading);
		op->alive = now;
		peer->reads++;
		peer->reading_at = min(peer->reading_at, now + weft_srd_patience(peer));
	}
}

/**
 * weft_srd_submit() - a job is to be sent
 * @peer: to whom
 * @job: the job, new
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_submit(struct weft_srd_peer *peer, struct weft_job *job)
{
	if (job->kind == WEFT_JOB_READ) {
		list_add_tail(&job->node, &peer->held);
		weft_srd_ask(peer);
	} else {
		list_add_tail(&job->node, &peer->jobs);
	}
	weft_srd_send(peer);
}

static bool job_has_more(const struct weft_job *job)
{
	return !job->failed && (!job->started || job->next < job->len);
}

static u32 job_step(const struct weft_srd_peer *peer, const struct weft_job *job)
{
	switch (job->kind) {
	case WEFT_JOB_READ:
		return 0;
	case WEFT_JOB_SEND:
		return job->len;	/* whatever became of the MTU */
	default:
		return min(job->len - job->next, weft_efa_mtu(peer->dev));
	}
}

/* Number the next packet of the job whose turn it is; the job goes to the end, or leaves. */
static u32 peer_next_psn(struct weft_srd_peer *peer)
{
	struct weft_job *job = list_first_entry(&peer->jobs, struct weft_job, node);
	u32 len = job_step(peer, job), psn;

	psn = fab_srd_add(&peer->out, job, job->next, len);
	job->next += job->kind == WEFT_JOB_READ ? job->len : len;
	job->started = true;
	job->left++;
	if (job->kind == WEFT_JOB_READ)
		weft_efa_op_of(job)->psn = psn;
	if (job_has_more(job))
		list_move_tail(&job->node, &peer->jobs);
	else
		list_del_init(&job->node);
	return psn;
}

static u8 job_opcode(const struct weft_job *job, u32 offset)
{
	switch (job->kind) {
	case WEFT_JOB_SEND:
		return weft_efa_op_of((void *)job)->has_imm ? IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE :
							      IB_OPCODE_SEND_ONLY;
	case WEFT_JOB_WRITE:
		return offset ? IB_OPCODE_RDMA_WRITE_MIDDLE : IB_OPCODE_RDMA_WRITE_FIRST;
	case WEFT_JOB_READ:
		return IB_OPCODE_RDMA_READ_REQUEST;
	default:
		return IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE;
	}
}

static int op_fill(const struct weft_efa_op *op, struct weft_rpkt *p, u32 offset, u32 len)
{
	struct weft_mem from;

	p->sqpn = op->qp->ib.qp_num;
	p->dqpn = op->dqpn;
	p->qkey = op->qkey;
	p->imm = cpu_to_be32(op->imm);
	p->va = op->remote + offset;
	p->rkey = op->rkey;
	p->dma_len = len;
	if (op->job.kind == WEFT_JOB_READ) {
		p->dma_len = op->job.len;
		p->imm = cpu_to_be32((u32)op->generation << 16 | (op - op->qp->ops));
		return 0;
	}
	weft_efa_op_payload(op, &from);
	return weft_rpkt_copy_data(p, &from, offset, len);
}

/* If its memory is gone the requester is told, and no more is sent. */
static int read_fill(struct weft_srd_read *r, struct weft_rpkt *p, u32 offset, u32 len)
{
	struct weft_efa_qp *qp = weft_efa_qp_find(r->peer->dev, r->qpn);
	const struct ib_sge sge = { .addr = r->va, .length = r->job.len, .lkey = r->rkey };
	const struct weft_mem from = {
		.dev = r->peer->dev,
		.pd = qp ? qp->ib.pd : NULL,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_READ,
	};
	int err = -EFAULT;

	p->sqpn = r->qpn;
	p->dqpn = r->dqpn;
	p->va = offset;
	p->rkey = r->token;
	p->qkey = r->epoch;
	p->dma_len = len;
	if (qp)
		err = weft_rpkt_copy_data(p, &from, offset, len);
	if (err != -EFAULT)
		return err;
	r->job.failed = true;
	list_del_init(&r->job.node);
	p->len = 0;
	p->opcode = WEFT_OPCODE_SRD | IB_OPCODE_RDMA_READ_RESPONSE_LAST;
	p->syndrome = EFA_BAD_STATUS;
	return 0;
}

static void srd_address(struct weft_srd_peer *peer, struct weft_rpkt *p, u32 path)
{
	u32 sqpn = p->sqpn, dqpn = p->dqpn;

	p->srd_path = path;
	weft_rpkt_address(peer->dev, p, &peer->path, sqpn, dqpn);
	/* those of now */
	ether_addr_copy(p->path.smac, peer->dev->netdev->dev_addr);
	weft_efa_own_gid(peer->dev, &p->path.sgid);
	p->path.sport = peer->path.sport + path;
	p->path.flow_hash = peer->flow_hash[path];
	p->hw.pkt.flow_hash = peer->flow_hash[path];
}

/**
 * weft_srd_control() - make an acknowledgement or a probe
 * @peer: to whom
 * @opcode: its opcode
 * @path: index of the path
 *
 * Context: any; the fabric's lock is held.
 * Return: the packet, for weft_port_urgent(); NULL without memory, or if too many wait.
 */
struct weft_rpkt *weft_srd_control(struct weft_srd_peer *peer, u8 opcode, u32 path)
{
	struct weft_rpkt *p = weft_rpkt_alloc(opcode);

	if (!p)
		return NULL;
	p->epoch = peer->dev->efa->epoch;
	p->msn = peer->out.una;
	srd_address(peer, p, path % FAB_SRD_PATHS);
	if (!weft_port_urgent_full(peer->dev, p->hw.pkt.cls))
		return p;
	weft_rpkt_free(p);
	return NULL;
}

/* Return: the packet, or an error: -ENOMEM, -EFAULT. */
static struct weft_rpkt *srd_build(struct weft_srd_peer *peer, u32 psn, u32 path)
{
	const struct fab_srd_slot *s = fab_srd_slot(&peer->out, psn);
	struct weft_job *job = s->job;
	struct weft_rpkt *p = weft_rpkt_alloc(WEFT_OPCODE_SRD | job_opcode(job, s->offset));
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	if (job->kind == WEFT_JOB_RESPONSE)
		err = read_fill(weft_srd_read_of(job), p, s->offset, s->len);
	else
		err = op_fill(weft_efa_op_of(job), p, s->offset, s->len);
	if (err) {
		weft_rpkt_free(p);
		return ERR_PTR(err);
	}
	p->psn = psn;
	p->msn = peer->out.una;
	p->epoch = peer->dev->efa->epoch;
	srd_address(peer, p, path);
	return p;
}

/* The memory of a request is gone: no more of it is sent, and it fails. */
static void srd_fail(struct weft_srd_peer *peer, u32 psn)
{
	struct weft_efa_op *op = weft_efa_op_of(fab_srd_slot(&peer->out, psn)->job);

	op->status = EFA_BAD_LKEY;
	op->job.failed = true;
	list_del_init(&op->job.node);
	if (fab_srd_done(&peer->out, psn) && !--op->job.left)
		weft_efa_op_complete(op, EFA_BAD_LKEY);
}

/* The packet of a PSN. Without memory it is lost, as on a wire, and sent again later. */
static struct weft_rpkt *srd_make(struct weft_srd_peer *peer, u32 psn, u32 path, bool again)
{
	fab_time now = weft_rdma_fab(peer->dev)->now;
	struct weft_rpkt *p = srd_build(peer, psn, path);

	fab_srd_start(&peer->out, psn, path, now);
	if (p == ERR_PTR(-EFAULT)) {
		srd_fail(peer, psn);
		return NULL;
	}
	if (again)
		weft_rdma_count(peer->dev, retransmitted, 1);
	if (!IS_ERR(p))
		return p;
	fab_srd_sent(&peer->out, psn, now);
	weft_srd_arm(peer);
	return NULL;
}

static struct weft_rpkt *srd_next(struct weft_tx *tx)
{
	struct weft_srd_peer *peer = peer_of(tx);
	struct fab_srd_tx *out = &peer->out;
	fab_time when;
	bool again;
	u32 psn;
	int path;

	for (;;) {
		struct weft_rpkt *p;

		again = fab_srd_lost_psn(out, &psn);
		if (!again && (list_empty(&peer->jobs) || !fab_srd_has_room(out)))
			return NULL;
		path = fab_srd_pick(out, weft_rdma_fab(tx->dev)->now, &when);
		if (path < 0) {
			if (when != FAB_NEVER)
				weft_tx_schedule(tx, when);
			return NULL;
		}
		if (!again)
			psn = peer_next_psn(peer);
		p = srd_make(peer, psn, path, again);
		if (p)
			return p;
	}
}

const struct weft_tx_ops weft_srd_tx_ops = {
	.class_of = srd_class,
	.next = srd_next,
	.again = srd_again,
};

/**
 * weft_srd_sent() - a packet is on the wire, or was lost before
 * @dev: the device
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_srd_peer *peer;

	if (!weft_is_srd_data(p))
		return;
	peer = weft_srd_find(dev, p->path.dmac);
	if (!peer)
		return;
	fab_srd_sent(&peer->out, p->psn, weft_rdma_fab(dev)->now);
	weft_srd_arm(peer);
}
