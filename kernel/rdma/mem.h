/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of requests: memory regions, keys, and copies.
 */
#ifndef WEFT_RDMA_MEM_H
#define WEFT_RDMA_MEM_H

#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

struct weft_rdma_dev;

/**
 * struct weft_mr - a memory region
 */
struct weft_mr {
	/** @ib: the kernel's region; lkey and rkey are the same */
	struct ib_mr ib;
	/** @umem: pinned memory of a process, NULL for none */
	struct ib_umem *umem;
	/** @pages: its pages; NULL: addresses are kernel virtual */
	struct page **pages;
	/** @start: first address, as requests name it */
	u64 start;
	/** @len: bytes */
	u64 len;
	/** @offset: offset of @start in its first page */
	u32 offset;
	/** @access: IB_ACCESS_* */
	int access;
};

static inline struct weft_mr *weft_mr_of(struct ib_mr *mr)
{
	return container_of(mr, struct weft_mr, ib);
}

/**
 * struct weft_mem - source or destination of a copy
 *
 * Either a list of SGEs of a protection domain, or a buffer of the kernel.
 */
struct weft_mem {
	/** @dev: device of the keys */
	struct weft_rdma_dev *dev;
	/** @pd: protection domain of the keys */
	struct ib_pd *pd;
	/** @sge: the SGEs, NULL with @kbuf */
	const struct ib_sge *sge;
	/** @num_sge: number of SGEs */
	u32 num_sge;
	/** @kbuf: buffer of the kernel, NULL with @sge */
	void *kbuf;
	/** @access: IB_ACCESS_* that the regions must allow, beside local reads */
	int access;
};

/*
 * Context of all: the fabric's lock is held. They return 0; -EINVAL for a key that
 * is invalid or of another protection domain; -ERANGE beyond the bounds; -EACCES
 * for an access right that the region does not have.
 */
int weft_mem_check(const struct weft_mem *m, u32 len);
int weft_mem_copy(const struct weft_mem *to, u32 to_off,
		  const struct weft_mem *from, u32 from_off, u32 len);
int weft_mem_atomic(const struct weft_mem *m, u64 *old,
		    u64 compare, u64 swap, bool add);	/* -EFAULT: misaligned */
int weft_rkey_invalidate(struct weft_rdma_dev *dev, struct ib_pd *pd, u32 rkey);

/* mr.c */
struct weft_mr *weft_mr_find(struct weft_rdma_dev *dev, const struct ib_pd *pd,
			     u32 key);
struct ib_mr *weft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *weft_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 virt,
			       int access, struct ib_udata *udata);
int weft_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);

#endif
