// SPDX-License-Identifier: GPL-2.0
/*
 * The sender of SRD: acknowledgements, and what they mean for requests.
 */
#include "rdma/srd/peer.h"

#define RNR_WAIT	(20 * 1000 * FAB_PS_PER_NS)	/* after the first RNR NAK */
#define RNR_DOUBLE	6				/* it doubles so often */

/**
 * weft_srd_read_done() - a read is complete
 * @op: its request
 * @status: how it ended
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_read_done(struct weft_efa_op *op, enum efa_status status)
{
	struct weft_srd_peer *peer = op->peer;

	/* its packet may not be acknowledged yet */
	if (op->job.started)
		fab_srd_done(&peer->out, op->psn);
	if (!list_empty(&op->reading)) {
		list_del_init(&op->reading);
		peer->reads--;
	}
	weft_efa_op_complete(op, status);
	weft_srd_ask(peer);
	weft_srd_send(peer);
}

/* Nothing of the job is on its way, and nothing is left to be sent. */
static void job_end(struct weft_job *job)
{
	struct weft_efa_op *op;

	if (job->kind == WEFT_JOB_RESPONSE) {
		kfree(weft_srd_read_of(job));
		return;
	}
	op = weft_efa_op_of(job);
	if (job->kind != WEFT_JOB_READ)
		weft_efa_op_complete(op, op->status);
	else if (op->status != EFA_OK)
		weft_srd_read_done(op, op->status);
}

static void job_packet_done(struct weft_job *job)
{
	if (!--job->left && (job->failed || job->next == job->len))
		job_end(job);
}

/* There was no receive: send it again, after twice the time of the last wait. */
static bool op_waits(struct weft_efa_op *op)
{
	const struct weft_efa_qp *qp = op->qp;

	weft_rdma_count(qp->dev, rnr_nak, 1);
	if (op->job.kind != WEFT_JOB_SEND ||
	    (qp->rnr_retry < 7 && op->rnr_tries >= qp->rnr_retry))
		return false;
	op->again = weft_rdma_fab(qp->dev)->now +
		    (RNR_WAIT << min_t(u32, op->rnr_tries, RNR_DOUBLE));
	op->rnr_tries = min(op->rnr_tries + 1, 255);
	op->job.left = 0;
	op->job.next = 0;
	op->job.started = false;
	list_move_tail(&op->job.node, &op->peer->waiting);
	op->peer->waiting_at = min(op->peer->waiting_at, op->again);
	return true;
}

static void job_refused(struct weft_job *job, enum efa_status status)
{
	struct weft_efa_op *op = weft_efa_op_of(job);

	if (op && status == EFA_RNR && op_waits(op))
		return;
	if (op)
		op->status = status;
	job->failed = true;
	list_del_init(&job->node);
	job_packet_done(job);
}

/* A packet is known to have arrived, by the acknowledgement of another one. */
static void peer_told(struct weft_srd_peer *peer, u32 psn)
{
	struct weft_job *job = fab_srd_slot(&peer->out, psn)->job;

	if (fab_srd_done(&peer->out, psn) && job)
		job_packet_done(job);
}

static void peer_told_all(struct weft_srd_peer *peer, const struct weft_rpkt *p)
{
	u64 bits = p->va;

	while (peer->out.una != peer->out.next && (s32)(peer->out.una - p->msn) < 0)
		peer_told(peer, peer->out.una);
	for (; bits; bits &= bits - 1)
		peer_told(peer, p->dma_len + __ffs64(bits));
}

static void peer_acked(struct weft_srd_peer *peer, const struct weft_rpkt *p)
{
	struct weft_job *job = fab_srd_slot(&peer->out, p->psn)->job;

	if (fab_srd_acked(&peer->out, p->psn, p->srd_path, p->stamp,
			  weft_rdma_fab(peer->dev)->now) && job) {
		if (p->syndrome == EFA_OK)
			job_packet_done(job);
		else
			job_refused(job, p->syndrome);
	}
	peer_told_all(peer, p);
}

/**
 * weft_srd_acked() - an acknowledgement, or the answer to a probe, has arrived
 * @dev: the device
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_acked(struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	struct weft_srd_peer *peer = weft_srd_find(dev, p->path.smac);

	if (!peer || p->epoch != dev->efa->epoch)
		return;
	if (p->opcode == WEFT_SRD_PROBED)
		fab_srd_path_alive(&peer->out.path[p->srd_path]);
	else
		peer_acked(peer, p);
	weft_srd_send(peer);
	weft_srd_arm(peer);
}

/* End a job of a receiver that is gone, with all of its packets. */
static void job_gone(struct weft_srd_peer *peer, struct weft_job *job)
{
	u32 psn, end = peer->out.next;

	list_del_init(&job->node);
	for (psn = peer->out.una; psn != end; psn++)
		if (fab_srd_slot(&peer->out, psn)->job == job)
			fab_srd_done(&peer->out, psn);
	if (job->kind == WEFT_JOB_RESPONSE)
		kfree(weft_srd_read_of(job));
	else if (job->kind == WEFT_JOB_READ)
		weft_srd_read_done(weft_efa_op_of(job), EFA_TIMEOUT);
	else
		weft_efa_op_complete(weft_efa_op_of(job), EFA_TIMEOUT);
}

/**
 * weft_srd_gone() - a packet was sent so often that its receiver must be gone
 * @peer: the peer
 *
 * Its job fails, and so does each whose packet was tried as often.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_gone(struct weft_srd_peer *peer)
{
	u32 psn;

	while (fab_srd_gone(&peer->out, &psn))
		job_gone(peer, fab_srd_slot(&peer->out, psn)->job);
}
