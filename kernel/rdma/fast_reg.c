// SPDX-License-Identifier: GPL-2.0
/*
 * Fast registration: regions whose memory is set by requests.
 *
 * DOC: theory of operation
 *
 * The kernel's users allocate a region with room for a list of blocks. They fill the
 * list by ib_map_mr_sg(), at any time, in any context. A request (IB_WR_REG_MR) makes
 * it the region's memory and its key valid. Another (IB_WR_LOCAL_INV), or a message of
 * the peer (send with invalidate), ends that. Then the region is free, and nobody finds
 * its key. Users change the lower 8 bits of the key for each registration, so a key of
 * an earlier one stays invalid.
 *
 * There are two lists: the one that users fill, and the one that packets read. A
 * request copies the first to the second. So a list may be filled while the region is
 * still valid with its former memory, as users do that chain both requests.
 *
 * The blocks of a list have the same size and are aligned to it. A region of type
 * IB_MR_TYPE_SG_GAPS takes blocks of any size at any address.
 *
 * A request is refused with IB_WC_MW_BIND_ERR (memory management operation error): to
 * register a region that is valid, or with rights or bounds that it cannot have; to
 * invalidate a key that is not valid; a region of another protection domain; a region
 * that is not of this kind.
 *
 * Source: InfiniBand Architecture Specification, volume 1, 10.6.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "rdma/qp.h"

#define FAST_REG_REMOTE	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_ATOMIC)
#define FAST_REG_WRITE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

static bool mr_is_fast_reg(const struct weft_mr *mr)
{
	return mr->next_map.blocks;
}

static int map_alloc(struct weft_mr_map *map, u32 max, bool gaps)
{
	map->blocks = kvcalloc(max, sizeof(*map->blocks), GFP_KERNEL);
	if (gaps)
		map->ends = kvcalloc(max, sizeof(*map->ends), GFP_KERNEL);
	return map->blocks && (map->ends || !gaps) ? 0 : -ENOMEM;
}

/**
 * weft_alloc_mr() - allocate a region for fast registration
 * @pd: protection domain, the kernel's
 * @type: IB_MR_TYPE_MEM_REG or IB_MR_TYPE_SG_GAPS
 * @max_num_sg: blocks, at most the device's max_fast_reg_page_list_len
 *
 * Context: process, may sleep.
 * Return: the region, which is free; -EOPNOTSUPP for another type; -EINVAL for a
 * number out of range; -ENOMEM, also beyond the device's max_mr.
 */
struct ib_mr *weft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	bool gaps = type == IB_MR_TYPE_SG_GAPS;
	struct weft_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG && !gaps)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > WEFT_FAST_REG_BLOCKS)
		return ERR_PTR(-EINVAL);
	mr = weft_mr_alloc(pd, 0, 0, 0);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->max_blocks = max_num_sg;
	err = map_alloc(&mr->map, max_num_sg, gaps) ?:
	      map_alloc(&mr->next_map, max_num_sg, gaps) ?:
	      weft_mr_publish(mr, false);
	if (!err)
		return &mr->ib;
	weft_mr_free(mr);
	return ERR_PTR(err);
}

/* Called by ib_sg_to_pages() for each block. */
static int map_add_block(struct ib_mr *ibmr, u64 addr)
{
	struct weft_mr *mr = weft_mr_of(ibmr);
	struct weft_mr_map *map = &mr->next_map;

	if (map->num == mr->max_blocks)
		return -ENOMEM;
	map->blocks[map->num++] = (void *)(uintptr_t)addr;
	return 0;
}

static int map_blocks(struct weft_mr *mr, struct scatterlist *sg, int nents,
		      unsigned int *offset)
{
	struct weft_mr_map *map = &mr->next_map;
	int n;

	if (!is_power_of_2(mr->ib.page_size))
		return -EINVAL;
	n = ib_sg_to_pages(&mr->ib, sg, nents, offset, map_add_block);
	map->shift = ilog2(mr->ib.page_size);
	map->offset = mr->ib.iova & (mr->ib.page_size - 1);
	return n;
}

static int map_gaps(struct weft_mr *mr, struct scatterlist *sg, int nents,
		    unsigned int *offset)
{
	struct weft_mr_map *map = &mr->next_map;
	unsigned int skip = offset ? *offset : 0;
	struct scatterlist *s;
	int i;

	if (nents <= 0 || skip > sg_dma_len(sg))
		return -EINVAL;
	mr->ib.iova = sg_dma_address(sg) + skip;
	mr->ib.length = 0;
	for_each_sg(sg, s, min_t(u32, nents, mr->max_blocks), i) {
		map_add_block(&mr->ib, sg_dma_address(s) + skip);
		mr->ib.length += sg_dma_len(s) - skip;
		map->ends[i] = mr->ib.length;
		skip = 0;
	}
	if (offset)
		*offset = 0;
	return i;
}

/**
 * weft_map_mr_sg() - fill the list of a region
 * @ibmr: region; its page_size is set, its iova and length are set here
 * @sg: scatter list, mapped for the device, so its addresses are kernel virtual
 * @nents: elements
 * @offset: bytes to skip in the first element, or NULL
 *
 * Context: any. Nothing that was posted uses the list.
 * Return: the number of elements that fit, or -EINVAL.
 */
int weft_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		   unsigned int *offset)
{
	struct weft_mr *mr = weft_mr_of(ibmr);

	if (!mr_is_fast_reg(mr))
		return -EINVAL;
	mr->next_map.num = 0;
	return mr->next_map.ends ? map_gaps(mr, sg, nents, offset) :
				   map_blocks(mr, sg, nents, offset);
}

/* Bytes from the start of a region to the end of its last block. */
static u64 map_bytes(const struct weft_mr_map *map)
{
	if (!map->num)
		return 0;
	if (map->ends)
		return map->ends[map->num - 1];
	return ((u64)map->num << map->shift) - map->offset;
}

static void map_copy(struct weft_mr_map *to, const struct weft_mr_map *from)
{
	to->num = from->num;
	to->shift = from->shift;
	to->offset = from->offset;
	memcpy(to->blocks, from->blocks, from->num * sizeof(*from->blocks));
	if (from->ends)
		memcpy(to->ends, from->ends, from->num * sizeof(*from->ends));
}

/* Rights that exist, and none to write from afar without that to write at all. */
static bool access_is_valid(int access)
{
	if (access & ~WEFT_MR_ACCESS)
		return false;
	return !(access & FAST_REG_WRITE) || access & IB_ACCESS_LOCAL_WRITE;
}

static bool fast_reg_allowed(const struct weft_qp *qp, const struct weft_wqe *w,
			     const struct weft_mr *mr)
{
	if (!mr || !mr_is_fast_reg(mr) || mr->key || mr->ib.pd != qp->ib.pd)
		return false;
	return access_is_valid(w->access) &&
	       mr->ib.length <= map_bytes(&mr->next_map) &&
	       mr->ib.length <= U64_MAX - w->remote_addr;
}

static enum ib_wc_status fast_reg_register(struct weft_qp *qp,
					   const struct weft_wqe *w)
{
	struct weft_mr *mr = weft_mr_of_index(qp->dev, w->rkey);

	if (!fast_reg_allowed(qp, w, mr))
		return IB_WC_MW_BIND_ERR;
	map_copy(&mr->map, &mr->next_map);
	mr->start = w->remote_addr;
	mr->len = mr->ib.length;
	mr->access = w->access;
	mr->key = w->rkey;
	return IB_WC_SUCCESS;
}

/* Nobody finds the region any more. Packets that have left keep their payload. */
static void fast_reg_free(struct weft_rdma_dev *dev, struct weft_mr *mr)
{
	weft_sq_orphan_mr(dev, mr);
	mr->key = 0;
}

static enum ib_wc_status fast_reg_invalidate(struct weft_qp *qp, u32 key)
{
	struct weft_mr *mr = weft_mr_find(qp->dev, qp->ib.pd, key);

	if (!mr || !mr_is_fast_reg(mr))
		return IB_WC_MW_BIND_ERR;
	fast_reg_free(qp->dev, mr);
	return IB_WC_SUCCESS;
}

/**
 * weft_fast_reg_execute() - execute a request that sends nothing
 * @qp: the queue pair
 * @w: its request, IB_WR_REG_MR or IB_WR_LOCAL_INV
 *
 * Context: the fabric's lock is held.
 * Return: the status of the completion; with an error nothing has changed.
 */
enum ib_wc_status weft_fast_reg_execute(struct weft_qp *qp,
					const struct weft_wqe *w)
{
	return w->opcode == IB_WR_REG_MR ? fast_reg_register(qp, w) :
					   fast_reg_invalidate(qp, w->rkey);
}

/**
 * weft_rkey_invalidate() - handle a message that invalidates an R_Key
 * @dev: device
 * @pd: protection domain of the queue pair
 * @rkey: key
 *
 * A peer can only invalidate what it may access: a region of fast registration with a
 * right of remote access.
 *
 * Context: the fabric's lock is held.
 * Return: 0; -EINVAL for a key that is invalid or of another protection domain;
 * -EACCES for another kind of region.
 */
int weft_rkey_invalidate(struct weft_rdma_dev *dev, struct ib_pd *pd, u32 rkey)
{
	struct weft_mr *mr = weft_mr_find(dev, pd, rkey);

	if (!mr)
		return -EINVAL;
	if (!mr_is_fast_reg(mr) || !(mr->access & FAST_REG_REMOTE))
		return -EACCES;
	fast_reg_free(dev, mr);
	return 0;
}
