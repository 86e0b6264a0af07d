// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions and their keys.
 *
 * The upper 24 bits of a key are the index in the device's table. Indexes are
 * given out in turn, so the key of a region that is gone stays invalid for long.
 * The lower 8 bits are a hash of the index with a secret of the device. So two
 * nodes that register the same regions in the same order get different keys, and
 * a program that confuses them fails as it would on hardware. An index is not
 * enough to guess a key. On the virtual clock, where runs repeat bit for bit, the
 * device's GUID takes the place of the secret.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "rdma/dev.h"
#include "rdma/mem.h"
#include "rdma/sq.h"

static u32 mr_key(const struct weft_rdma_dev *dev, u32 index)
{
	u8 low = siphash_1u32(index, &dev->key_secret);

	return index << WEFT_MR_KEY_BITS | low;
}

/**
 * weft_mr_search() - look up the region that a key belongs to, by a search
 * @dev: device
 * @index: upper bits of the key
 *
 * Context: the fabric's lock is held.
 * Return: the region or NULL. The next weft_mr_of_index() finds it without a search.
 */
struct weft_mr *weft_mr_search(struct weft_rdma_dev *dev, u32 index)
{
	struct weft_mr *mr = xa_load(&dev->mrs, index);

	dev->recent_mr[index % WEFT_RDMA_RECENT] = mr;
	return mr;
}

/**
 * weft_local_dma_init() - make the region of the local DMA key
 * @dev: device, before it is registered
 *
 * All memory of the kernel, at its virtual addresses. It has no R_Key: remote access
 * is not among its rights.
 *
 * Context: any.
 */
void weft_local_dma_init(struct weft_rdma_dev *dev)
{
	dev->ib.local_dma_lkey = WEFT_LOCAL_DMA_LKEY;
	dev->local_dma.len = U64_MAX;
	dev->local_dma.access = IB_ACCESS_LOCAL_WRITE;
}

/**
 * weft_mr_publish() - give a region its keys
 * @mr: region
 * @valid: packets may find it from now on
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_mr_publish(struct weft_mr *mr, bool valid)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(mr->ib.device);
	int err;

	err = xa_alloc_cyclic_bh(&dev->mrs, &mr->index, NULL,
				 XA_LIMIT(1, U32_MAX >> WEFT_MR_KEY_BITS),
				 &dev->next_key, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;
	mr->ib.rkey = mr_key(dev, mr->index);
	/* descriptors of EFA have room for the index only */
	mr->ib.lkey = dev->efa ? mr->index : mr->ib.rkey;
	mr->key = valid ? mr->ib.rkey : 0;
	/* the entry is reserved, so this needs no memory */
	return xa_err(xa_store_bh(&dev->mrs, mr->index, mr, GFP_KERNEL_ACCOUNT));
}

/**
 * weft_mr_alloc() - allocate a region without memory
 * @pd: protection domain
 * @start: first address, as requests name it
 * @len: bytes
 * @access: IB_ACCESS_*
 *
 * Context: process, may sleep.
 * Return: the region, not published; NULL without memory, or beyond the device's
 * max_mr.
 */
struct weft_mr *weft_mr_alloc(struct ib_pd *pd, u64 start, u64 len, int access)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(pd->device);
	struct weft_mr *mr;

	if (weft_rdma_get_object(dev, WEFT_RDMA_MRS))
		return NULL;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr) {
		weft_rdma_put_object(dev, WEFT_RDMA_MRS);
		return NULL;
	}
	mr->ib.device = pd->device;
	mr->ib.pd = pd;
	mr->start = start;
	mr->len = len;
	mr->access = access;
	return mr;
}

/**
 * weft_mr_free() - free a region that packets cannot find
 * @mr: region
 *
 * Context: process, may sleep.
 */
void weft_mr_free(struct weft_mr *mr)
{
	weft_rdma_put_object(weft_rdma_dev_of(mr->ib.device), WEFT_RDMA_MRS);
	kvfree(mr->map.blocks);
	kvfree(mr->map.ends);
	kvfree(mr->next_map.blocks);
	kvfree(mr->next_map.ends);
	if (mr->umem)
		ib_umem_release(mr->umem);
	kfree(mr);
}

/**
 * weft_get_dma_mr() - create a region of all memory of the kernel
 * @pd: protection domain
 * @access: IB_ACCESS_*
 *
 * Addresses are kernel virtual, as ib_core passes them to a device without DMA
 * (ib_uses_virt_dma()).
 *
 * Context: process, may sleep.
 * Return: the region, or -ENOMEM.
 */
struct ib_mr *weft_get_dma_mr(struct ib_pd *pd, int access)
{
	struct weft_mr *mr = weft_mr_alloc(pd, 0, U64_MAX, access);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = weft_mr_publish(mr, true);
	if (!err)
		return &mr->ib;
	weft_mr_free(mr);
	return ERR_PTR(err);
}

/* Pin the pages of a process and make a table of them. */
static int mr_pin(struct weft_mr *mr, u64 start)
{
	struct ib_umem *umem;
	struct sg_page_iter it;
	bool whole = true;
	size_t n = 0;

	umem = ib_umem_get(mr->ib.device, start, mr->len, mr->access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr->umem = umem;
	mr->map.shift = PAGE_SHIFT;
	mr->map.offset = ib_umem_offset(umem);
	mr->map.blocks = kvmalloc_array(ib_umem_num_pages(umem),
					sizeof(*mr->map.blocks),
					GFP_KERNEL_ACCOUNT);
	if (!mr->map.blocks)
		return -ENOMEM;
	for_each_sgtable_page(&umem->sgt_append.sgt, &it, 0) {
		mr->map.blocks[n] = page_address(sg_page_iter_page(&it));
		whole &= mr->map.blocks[n] == mr->map.blocks[0] + n * PAGE_SIZE;
		n++;
	}
	mr->map.num = whole ? 1 : n;
	return 0;
}

/**
 * weft_reg_user_mr() - register memory of a process
 * @pd: protection domain
 * @start: address in the process
 * @len: bytes; 0: an empty region
 * @virt: address of @start in requests (iova)
 * @access: IB_ACCESS_*, checked by ib_core; optional flags have no effect
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: the region; -EINVAL if it wraps around; -EOPNOTSUPP for an access flag
 * that is not supported; -EFAULT or -EPERM for memory that cannot be pinned;
 * -ENOMEM, also beyond RLIMIT_MEMLOCK.
 */
struct ib_mr *weft_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 virt,
			       int access, struct ib_udata *udata)
{
	struct weft_mr *mr;
	int err;

	if (len > U64_MAX - virt || len > SIZE_MAX)
		return ERR_PTR(-EINVAL);
	if (access & ~WEFT_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = weft_mr_alloc(pd, virt, len, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = len ? mr_pin(mr, start) : 0;
	if (!err)
		err = weft_mr_publish(mr, true);
	if (!err)
		return &mr->ib;
	weft_mr_free(mr);
	return ERR_PTR(err);
}

/**
 * weft_dereg_mr() - deregister a region
 * @ibmr: region
 * @udata: unused
 *
 * Copies are made under the fabric's lock, so nobody uses the pages when they are
 * unpinned.
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibmr->device);

	weft_rdma_lock(dev);
	weft_sq_orphan_mr(dev, weft_mr_of(ibmr));
	xa_erase(&dev->mrs, weft_mr_of(ibmr)->index);
	dev->recent_mr[weft_mr_of(ibmr)->index % WEFT_RDMA_RECENT] = NULL;
	weft_rdma_unlock(dev);
	weft_mr_free(weft_mr_of(ibmr));
	return 0;
}
