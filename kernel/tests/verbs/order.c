// SPDX-License-Identifier: GPL-2.0
/*
 * Order: registrations and invalidations among other requests.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/printk.h>

#include "tests/verbs/cases.h"

#define LEN	PAGE_SIZE

/* Completions come in the order of the posts. */
static int in_order(struct vt_pair *p)
{
	struct ib_sge sge = vt_local(&p->src, LEN);
	u32 key = p->src.mr->lkey;

	return VT_CHECK(!vt_receive(&p->b, &(struct ib_sge) {
			sg_dma_address(p->dst.sg), LEN,
			p->b.pd->local_dma_lkey })) ?:
	       VT_CHECK(!vt_buffer_map(&p->src)) ?:
	       VT_CHECK(!vt_send(&p->a, IB_WR_SEND, &sge, 0)) ?:
	       VT_CHECK(!vt_register(&p->a, &p->src, key, 0)) ?:
	       VT_CHECK(!vt_invalidate(&p->a, key, 0)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_SEND) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_LOCAL_INV);
}

/* The list may be filled anew while the region is valid with the former. */
static int chained(struct vt_pair *p)
{
	u32 first = p->dst.mr->rkey;
	int err;

	err = VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	      VT_CHECK(ib_map_mr_sg(p->dst.mr, &p->dst.sg[2], 1, NULL,
				    PAGE_SIZE) == 1) ?:
	      VT_CHECK(!vt_rdma(&p->a, IB_WR_RDMA_WRITE,
				&(struct ib_sge) { sg_dma_address(p->src.sg), 8,
		       p->a.pd->local_dma_lkey },
		       sg_dma_address(p->dst.sg), first)) ?:
	      vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	      VT_CHECK(!memcmp(sg_virt(p->dst.sg), sg_virt(p->src.sg), 8));
	if (err)
		return err;
	ib_update_fast_reg_key(p->dst.mr, ib_inc_rkey(first) & 0xff);
	return VT_CHECK(!vt_invalidate(&p->b, first, 0)) ?:
	       VT_CHECK(!vt_register(&p->b, &p->dst, p->dst.mr->rkey, VT_ACCESS)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_LOCAL_INV) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       VT_CHECK(!memcmp(sg_virt(&p->dst.sg[2]), sg_virt(p->src.sg), LEN)) ?:
	       VT_CHECK(!memchr_inv(sg_virt(&p->dst.sg[1]), 0, LEN));
}

/* Packets that have left keep their payload when its region is invalidated. */
static int behind_a_write(struct vt_pair *p)
{
	u32 key = p->src.mr->lkey;
	struct ib_sge sge;
	int err;

	err = VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	      VT_CHECK(!vt_buffer_map(&p->src)) ?:
	      VT_CHECK(!vt_register(&p->a, &p->src, key, 0));
	if (err)
		return err;
	sge = (struct ib_sge) { p->src.mr->iova, p->src.mr->length, key };
	return VT_CHECK(!vt_rdma(&p->a, IB_WR_RDMA_WRITE, &sge, p->dst.mr->iova,
			p->dst.mr->rkey)) ?:
	       VT_CHECK(!vt_invalidate(&p->a, key, 0)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_LOCAL_INV) ?:
	       VT_CHECK(vt_buffer_is(&p->dst, 1));
}

/* A region that is invalidated under a write. */
static int under_a_write(struct vt_pair *p)
{
	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_write(p, 0, p->dst.mr->length, p->dst.mr->rkey)) ?:
	       VT_CHECK(!vt_invalidate(&p->b, p->dst.mr->rkey, 0)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_LOCAL_INV) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0) ?:
	       VT_CHECK(!vt_buffer_is(&p->dst, 1));
}

static int read_into_region(struct vt_pair *p)
{
	int err;

	err = VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	      VT_CHECK(!vt_buffer_map(&p->src)) ?:
	      VT_CHECK(!vt_register(&p->a, &p->src, p->src.mr->lkey,
				    IB_ACCESS_LOCAL_WRITE)) ?:
	      vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_REG_MR);
	if (err)
		return err;
	return vt_rdma(&p->a, IB_WR_RDMA_READ,
		       &(struct ib_sge) { p->src.mr->iova, LEN, p->src.mr->lkey },
		       p->dst.mr->iova, p->dst.mr->rkey);
}

/* The fence makes an invalidation wait for a read before it. */
static int fenced(struct vt_pair *p)
{
	return VT_CHECK(!read_into_region(p)) ?:
	       VT_CHECK(!vt_invalidate(&p->a, p->src.mr->lkey, IB_SEND_FENCE)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_READ) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_LOCAL_INV);
}

static int unfenced(struct vt_pair *p)
{
	return VT_CHECK(!read_into_region(p)) ?:
	       VT_CHECK(!vt_invalidate(&p->a, p->src.mr->lkey, 0)) ?:
	       vt_complete(&p->a, IB_WC_LOC_PROT_ERR, 0) ?:
	       vt_complete(&p->a, IB_WC_WR_FLUSH_ERR, 0);
}

/* One of many, as a storage initiator does it; packets may be lost. */
static int one_round(struct vt_pair *p, u8 seed)
{
	u32 key = p->dst.mr->rkey;

	vt_buffer_fill(&p->src, seed);
	return VT_CHECK(!vt_receive(&p->a, NULL)) ?:
	       VT_CHECK(!vt_receive(&p->b, NULL)) ?:
	       VT_CHECK(!vt_buffer_map(&p->dst)) ?:
	       VT_CHECK(!vt_send(&p->b, IB_WR_SEND, NULL, 0)) ?:
	       VT_CHECK(!vt_register(&p->b, &p->dst, key, VT_ACCESS)) ?:
	       VT_CHECK(!vt_send(&p->b, IB_WR_SEND, NULL, 0)) ?:
	       VT_CHECK(!vt_receive(&p->a, NULL)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RECV) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RECV) ?:
	       VT_CHECK(!vt_write(p, 0, p->dst.mr->length, key)) ?:
	       VT_CHECK(!vt_send(&p->a, IB_WR_SEND_WITH_INV, NULL, key)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_SEND);
}

static int all_of_round(struct vt_pair *p)
{
	struct ib_wc wc;
	int i, err;

	/* two sends, a registration, and a receive with invalidate: in any order */
	for (i = 0; i < 4; i++) {
		err = VT_CHECK(!vt_wait(&p->b, &wc)) ?:
		      VT_CHECK(wc.status == IB_WC_SUCCESS);
		if (err)
			return err;
	}
	return 0;
}

static int many_rounds(struct vt_pair *p)
{
	u32 i;
	int err;

	for (i = 0; i < vt_rounds(); i++) {
		err = VT_CHECK(!one_round(p, i)) ?:
		      VT_CHECK(!all_of_round(p)) ?:
		      VT_CHECK(vt_buffer_is(&p->dst, i));
		if (err)
			return err;
		ib_update_fast_reg_key(p->dst.mr,
				       ib_inc_rkey(p->dst.mr->rkey) & 0xff);
	}
	return 0;
}

/* On an unreliable connection requests complete when they have left. */
static int unreliable(struct vt_pair *p)
{
	struct ib_sge sge = vt_local(&p->src, LEN);
	u32 key = p->src.mr->lkey;

	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_buffer_map(&p->src)) ?:
	       VT_CHECK(!vt_register(&p->a, &p->src, key, 0)) ?:
	       VT_CHECK(!vt_rdma(&p->a, IB_WR_RDMA_WRITE, &sge, p->dst.mr->iova,
				 p->dst.mr->rkey)) ?:
	       VT_CHECK(!vt_invalidate(&p->a, key, 0)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_LOCAL_INV);
}

static int flushed;

static void count_flush(struct ib_cq *cq, struct ib_wc *wc)
{
	flushed += wc->status == IB_WC_WR_FLUSH_ERR;
}

/* ib_drain_qp() returns when all completions were seen: 3 receives and 2 sends. */
static int drained(struct vt_pair *p)
{
	struct ib_cqe cqe = { .done = count_flush };
	struct ib_recv_wr recv = { .wr_cqe = &cqe };
	struct ib_send_wr send = { .wr_cqe = &cqe, .opcode = IB_WR_SEND };
	int i, err;

	flushed = 0;
	for (i = 0; i < 3; i++) {
		err = VT_CHECK(!ib_post_recv(p->a.qp, &recv, NULL));
		if (err)
			return err;
	}
	/* the peer has no receive: they are not complete */
	for (i = 0; i < 2; i++) {
		err = VT_CHECK(!ib_post_send(p->a.qp, &send, NULL));
		if (err)
			return err;
	}
	ib_drain_qp(p->a.qp);
	return VT_CHECK(flushed == 5);
}

static struct completion event;

static void on_event(struct ib_cq *cq, void *context)
{
	complete(&event);
}

/*
 * A queue that is armed for solicited completions says nothing of others. One that is
 * armed for both kinds, as SMC does it, says it once.
 */
static int armed_for(struct vt_pair *p)
{
	u32 key = p->src.mr->lkey;
	struct ib_cq *cq = p->a.cq;

	return VT_CHECK(!vt_buffer_map(&p->src)) ?:
	       VT_CHECK(!ib_req_notify_cq(cq, IB_CQ_SOLICITED)) ?:
	       VT_CHECK(!vt_register(&p->a, &p->src, key, 0)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       VT_CHECK(!ib_req_notify_cq(cq, IB_CQ_SOLICITED_MASK)) ?:
	       VT_CHECK(!vt_invalidate(&p->a, key, 0)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_LOCAL_INV) ?:
	       VT_CHECK(wait_for_completion_timeout(&event, HZ)) ?:
	       VT_CHECK(!try_wait_for_completion(&event));
}

static int armed(struct vt_pair *p)
{
	ib_comp_handler polled = p->a.cq->comp_handler;
	int err;

	init_completion(&event);
	p->a.cq->comp_handler = on_event;
	err = armed_for(p);
	p->a.cq->comp_handler = polled;
	return err;
}

const struct vt_case vt_order_cases[] = {
	{ "completions in the order of the posts", in_order },
	{ "a new list while the region is valid", chained },
	{ "invalidated behind a write: it arrives", behind_a_write, .large = true },
	{ "invalidated under a write: it is refused", under_a_write,
	  .large = true },
	{ "invalidated behind a read, with a fence", fenced },
	{ "invalidated behind a read, without a fence", unfenced },
	{ "registered, written, invalidated by the peer, again and again",
	  many_rounds, .lossy = true },
	{ "an unreliable connection", unreliable, .uc = true },
	{ "drained", drained },
	{ "armed", armed },
	{ }
};
