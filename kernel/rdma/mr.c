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

#define MR_KEY_BITS	8

/* Supported access flags: no memory windows, no zero-based regions, no ODP. */
#define MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

static u32 mr_key(const struct weft_rdma_dev *dev, u32 index)
{
	u8 low = siphash_1u32(index, &dev->key_secret);

	return index << MR_KEY_BITS | low;
}

/**
 * weft_mr_find() - look up a key
 * @dev: device
 * @pd: protection domain of the region
 * @key: key
 *
 * Context: the fabric's lock is held, under which the region stays.
 * Return: the region or NULL.
 */
struct weft_mr *weft_mr_find(struct weft_rdma_dev *dev, const struct ib_pd *pd,
			     u32 key)
{
	struct weft_mr *mr = xa_load(&dev->mrs, key >> MR_KEY_BITS);

	return mr && mr->ib.lkey == key && mr->ib.pd == pd ? mr : NULL;
}

/* Give it a key. From then on packets may find it. */
static int mr_publish(struct weft_rdma_dev *dev, struct weft_mr *mr)
{
	u32 index;
	int err;

	err = xa_alloc_cyclic_bh(&dev->mrs, &index, NULL,
				 XA_LIMIT(1, U32_MAX >> MR_KEY_BITS),
				 &dev->next_key, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;
	mr->ib.lkey = mr_key(dev, index);
	mr->ib.rkey = mr->ib.lkey;
	/* the entry is reserved, so this needs no memory */
	return xa_err(xa_store_bh(&dev->mrs, index, mr, GFP_KERNEL_ACCOUNT));
}

static struct weft_mr *mr_alloc(struct ib_pd *pd, u64 start, u64 len,
				int access)
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

static void mr_free(struct weft_mr *mr)
{
	weft_rdma_put_object(weft_rdma_dev_of(mr->ib.device), WEFT_RDMA_MRS);
	kvfree(mr->pages);
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
	struct weft_mr *mr = mr_alloc(pd, 0, U64_MAX, access);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = mr_publish(weft_rdma_dev_of(pd->device), mr);
	if (!err)
		return &mr->ib;
	mr_free(mr);
	return ERR_PTR(err);
}

/* Pin the pages of a process and make a table of them. */
static int mr_pin(struct weft_mr *mr, u64 start)
{
	struct ib_umem *umem;
	struct sg_page_iter it;
	size_t n = 0;

	umem = ib_umem_get(mr->ib.device, start, mr->len, mr->access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr->umem = umem;
	mr->offset = ib_umem_offset(umem);
	mr->pages = kvmalloc_array(ib_umem_num_pages(umem), sizeof(*mr->pages),
				   GFP_KERNEL_ACCOUNT);
	if (!mr->pages)
		return -ENOMEM;
	for_each_sgtable_page(&umem->sgt_append.sgt, &it, 0)
		mr->pages[n++] = sg_page_iter_page(&it);
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
	if (access & ~MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = mr_alloc(pd, virt, len, access);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = len ? mr_pin(mr, start) : 0;
	if (!err)
		err = mr_publish(weft_rdma_dev_of(pd->device), mr);
	if (!err)
		return &mr->ib;
	mr_free(mr);
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
	xa_erase(&dev->mrs, ibmr->lkey >> MR_KEY_BITS);
	weft_rdma_unlock(dev);
	mr_free(weft_mr_of(ibmr));
	return 0;
}
