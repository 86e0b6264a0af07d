// SPDX-License-Identifier: GPL-2.0
/*
 * Keys: the local DMA key, registration, invalidation, and what is refused.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>

#include "tests/verbs/cases.h"

#define LEN	PAGE_SIZE

static int local_dma(struct vt_pair *p)
{
	struct ib_sge from = vt_local(&p->src, LEN), to = vt_local(&p->dst, LEN);

	return VT_CHECK(from.lkey == p->a.dev->local_dma_lkey) ?:
	       VT_CHECK(!vt_receive(&p->b, &to)) ?:
	       VT_CHECK(!vt_send(&p->a, IB_WR_SEND, &from, 0)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_SEND) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_RECV) ?:
	       VT_CHECK(!memcmp(sg_virt(p->src.sg), sg_virt(p->dst.sg), LEN));
}

static int local_dma_remote(struct vt_pair *p)
{
	return VT_CHECK(!vt_buffer_map(&p->dst)) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, p->b.dev->local_dma_lkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

static int write_all(struct vt_pair *p)
{
	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_write(p, 0, p->dst.mr->length, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       VT_CHECK(vt_buffer_is(&p->dst, 1));
}

/* Does @data hold the pieces of the buffer, one behind the other? */
static bool is_stream_of(struct vt_buffer *buf, const void *data)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(buf->sg, sg, buf->nents, i) {
		if (memcmp(data, sg_virt(sg), sg->length))
			return false;
		data += sg->length;
	}
	return true;
}

static int read_all(struct vt_pair *p)
{
	struct ib_sge to;
	int err;

	vt_buffer_fill(&p->dst, 7);
	err = VT_CHECK(!vt_ready(p, IB_ACCESS_REMOTE_READ));
	if (err)
		return err;
	to = vt_local(&p->src, p->dst.mr->length);
	err = VT_CHECK(!vt_rdma(&p->a, IB_WR_RDMA_READ, &to, p->dst.mr->iova,
				p->dst.mr->rkey)) ?:
	      vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_READ) ?:
	      VT_CHECK(is_stream_of(&p->dst, sg_virt(p->src.sg)));
	if (err)
		return err;
	return VT_CHECK(!vt_rdma(&p->a, IB_WR_RDMA_WRITE, &to, p->dst.mr->iova,
			p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

/* A user may name the region's start as it likes. */
static int own_address(struct vt_pair *p)
{
	int err;

	err = VT_CHECK(!vt_buffer_map(&p->dst));
	if (err)
		return err;
	p->dst.mr->iova = (p->dst.mr->iova & U32_MAX) | 0x1234ULL << 32;
	return VT_CHECK(!vt_register(&p->b, &p->dst, p->dst.mr->rkey, VT_ACCESS)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       VT_CHECK(!vt_write(p, 0, p->dst.mr->length, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       VT_CHECK(vt_buffer_is(&p->dst, 1)) ?:
	       VT_CHECK(!vt_rdma(&p->a, IB_WR_RDMA_WRITE,
				 &(struct ib_sge) { sg_dma_address(p->src.sg), 8,
			p->a.pd->local_dma_lkey },
			sg_dma_address(p->dst.sg), p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

static int free_region(struct vt_pair *p)
{
	return VT_CHECK(!vt_buffer_map(&p->dst)) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

static int invalidated(struct vt_pair *p)
{
	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_invalidate(&p->b, p->dst.mr->rkey, 0)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_LOCAL_INV) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0) ?:
	       VT_CHECK(!memchr_inv(sg_virt(p->dst.sg), 0, LEN));
}

static int stale_key(struct vt_pair *p)
{
	u32 stale = p->dst.mr->rkey;
	int err;

	err = VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	      VT_CHECK(!vt_invalidate(&p->b, stale, 0)) ?:
	      vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_LOCAL_INV);
	if (err)
		return err;
	ib_update_fast_reg_key(p->dst.mr, ib_inc_rkey(stale) & 0xff);
	return VT_CHECK(p->dst.mr->rkey != stale) ?:
	       VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, stale)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

static int beyond(struct vt_pair *p)
{
	u64 len = p->dst.nents * PAGE_SIZE;

	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(p->dst.mr->length == len) ?:
	       VT_CHECK(!vt_write(p, len - 8, 8, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE) ?:
	       VT_CHECK(!vt_write(p, len - 8, 9, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

/* A list of two blocks takes two of three pages; no list is longer than the limit. */
static int list_is_full(struct vt_pair *p)
{
	u32 max = p->b.dev->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr = ib_alloc_mr(p->b.pd, IB_MR_TYPE_MEM_REG, 2);
	struct ib_mr *huge = ib_alloc_mr(p->b.pd, IB_MR_TYPE_MEM_REG, max + 1);
	int n, err;

	err = VT_CHECK(max >= 256) ?:
	      VT_CHECK(!IS_ERR(mr));
	if (err)
		return err;
	n = ib_map_mr_sg(mr, p->dst.sg, 3, NULL, PAGE_SIZE);
	ib_dereg_mr(mr);
	return VT_CHECK(n == 2) ?:
	       VT_CHECK(PTR_ERR(huge) == -EINVAL);
}

static int registered_twice(struct vt_pair *p)
{
	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_register(&p->b, &p->dst, p->dst.mr->rkey, VT_ACCESS)) ?:
	       vt_complete(&p->b, IB_WC_MW_BIND_ERR, 0);
}

static int invalidated_free(struct vt_pair *p)
{
	return VT_CHECK(!vt_invalidate(&p->b, p->dst.mr->rkey, 0)) ?:
	       vt_complete(&p->b, IB_WC_MW_BIND_ERR, 0);
}

/* A region of another domain, registered and accessed by this queue pair. */
static int other_domain(struct vt_pair *p)
{
	struct vt_buffer buf = p->dst;
	int err;

	buf.mr = ib_alloc_mr(p->b.other_pd, IB_MR_TYPE_MEM_REG, 3);
	err = VT_CHECK(!IS_ERR(buf.mr));
	if (err)
		return err;
	err = vt_buffer_map(&buf) ?:
	      vt_register(&p->b, &buf, buf.mr->rkey, VT_ACCESS) ?:
	      vt_complete(&p->b, IB_WC_MW_BIND_ERR, 0);
	ib_dereg_mr(buf.mr);
	return err;
}

static int wrong_region(struct vt_pair *p)
{
	return VT_CHECK(!vt_buffer_map(&p->dst)) ?:
	       VT_CHECK(vt_register(&p->b, &p->dst, p->dst.mr->rkey + 256,
				    VT_ACCESS) == -EINVAL);
}

static int rights(struct vt_pair *p)
{
	return VT_CHECK(!vt_buffer_map(&p->dst)) ?:
	       VT_CHECK(!vt_register(&p->b, &p->dst, p->dst.mr->rkey,
				     IB_ACCESS_REMOTE_WRITE)) ?:
	       vt_complete(&p->b, IB_WC_MW_BIND_ERR, 0);
}

static int remote_invalidate(struct vt_pair *p)
{
	struct ib_wc wc;

	return VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_receive(&p->b, NULL)) ?:
	       VT_CHECK(!vt_send(&p->a, IB_WR_SEND_WITH_INV, NULL, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_SUCCESS, IB_WC_SEND) ?:
	       VT_CHECK(!vt_wait(&p->b, &wc)) ?:
	       VT_CHECK(wc.status == IB_WC_SUCCESS) ?:
	       VT_CHECK(wc.wc_flags & IB_WC_WITH_INVALIDATE) ?:
	       VT_CHECK(wc.ex.invalidate_rkey == p->dst.mr->rkey) ?:
	       VT_CHECK(!vt_ready(p, VT_ACCESS)) ?:
	       VT_CHECK(!vt_invalidate(&p->b, p->dst.mr->rkey, 0)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_LOCAL_INV) ?:
	       VT_CHECK(!vt_write(p, 0, LEN, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

/* A peer cannot invalidate what it cannot access. */
static int remote_invalidate_local(struct vt_pair *p)
{
	return VT_CHECK(!vt_ready(p, IB_ACCESS_LOCAL_WRITE)) ?:
	       VT_CHECK(!vt_receive(&p->b, NULL)) ?:
	       VT_CHECK(!vt_send(&p->a, IB_WR_SEND_WITH_INV, NULL, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

/* Addresses that are multiples of 8 are none in memory. */
static int atomic_in_gaps(struct vt_pair *p)
{
	struct ib_sge to = vt_local(&p->src, 8);
	int err;

	err = VT_CHECK(!vt_buffer_map(&p->dst));
	if (err)
		return err;
	p->dst.mr->iova = 0;
	return VT_CHECK(!vt_register(&p->b, &p->dst, p->dst.mr->rkey, VT_ACCESS)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_REG_MR) ?:
	       VT_CHECK(!vt_fetch_add(&p->a, &to, 8, p->dst.mr->rkey)) ?:
	       vt_complete(&p->a, IB_WC_REM_ACCESS_ERR, 0);
}

const struct vt_case vt_key_cases[] = {
	{ "the local DMA key reaches the kernel's memory", local_dma },
	{ "the local DMA key is no R_Key", local_dma_remote },
	{ "a write to three registered pages", write_all },
	{ "a write to eight odd pieces", write_all, .gaps = true },
	{ "a read of eight odd pieces, which cannot be written", read_all,
	  .gaps = true },
	{ "a region that starts where its user says", own_address },
	{ "a free region is not accessed", free_region },
	{ "an invalidated region is not accessed", invalidated },
	{ "a key of an earlier registration is not accepted", stale_key },
	{ "one byte beyond a region", beyond },
	{ "a list that is full", list_is_full },
	{ "a valid region is not registered", registered_twice },
	{ "a free region is not invalidated", invalidated_free },
	{ "a region of another protection domain", other_domain },
	{ "a key of another region", wrong_region },
	{ "no right of remote writes without that of local ones", rights },
	{ "a peer invalidates a region", remote_invalidate },
	{ "a peer invalidates no local region", remote_invalidate_local },
	{ "an atomic across odd pieces", atomic_in_gaps, .gaps = true },
	{ }
};
