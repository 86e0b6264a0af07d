/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of requests: memory regions, keys, and copies.
 */
#ifndef WEFT_RDMA_MEM_H
#define WEFT_RDMA_MEM_H

#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

struct weft_qp;
struct weft_rdma_dev;
struct weft_wqe;

/* Supported access flags: no memory windows, no zero-based regions, no ODP. */
#define WEFT_MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)
#define WEFT_MR_KEY_BITS	8	/* of a key, below the index of its region */
#define WEFT_LOCAL_DMA_LKEY	0	/* kernel's memory, for kernel's requests */
#define WEFT_FAST_REG_BLOCKS	512	/* of a page list at most */

/**
 * struct weft_mr_map - where the bytes of a region are
 */
struct weft_mr_map {
	/** @blocks: kernel addresses of its blocks; NULL: no translation */
	void **blocks;
	/**
	 * @ends: with gaps: end of each block, bytes from the region's start; NULL:
	 * blocks of the same size, aligned to it
	 */
	u64 *ends;
	/** @num: number of blocks in use; 1: all bytes follow each other */
	u32 num;
	/** @shift: without @ends: log2 of the bytes of a block */
	u32 shift;
	/** @offset: without @ends: offset of the region's start in the first block */
	u32 offset;
};

/**
 * struct weft_mr - a memory region
 */
struct weft_mr {
	/** @ib: the kernel's region; a user of fast registration changes its keys */
	struct ib_mr ib;
	/** @key: L_Key and R_Key; 0: none, nobody finds it (fabric's lock) */
	u32 key;
	/** @index: of the device's table, the upper bits of its keys; constant */
	u32 index;
	/** @umem: pinned memory of a process, NULL for none */
	struct ib_umem *umem;
	/** @map: where its bytes are */
	struct weft_mr_map map;
	/**
	 * @next_map: fast registration: as of the last ib_map_mr_sg(); without blocks
	 * if it is no such region
	 */
	struct weft_mr_map next_map;
	/** @max_blocks: fast registration: size of both maps; constant */
	u32 max_blocks;
	/** @start: first address, as requests name it */
	u64 start;
	/** @len: bytes */
	u64 len;
	/** @access: IB_ACCESS_* */
	int access;
	/** @gathered: requests read it by its key: packets may refer to it */
	bool gathered;
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
	/** @mr: region of the only SGE, for @granted bytes */
	const struct weft_mr *mr;
	/** @granted: bytes that weft_mem_grant() has checked; as long as the lock is held */
	u32 granted;
	/** @access: IB_ACCESS_* that the regions must allow, beside local reads */
	int access;
};

/*
 * Context of all: the fabric's lock is held. They return 0; -EINVAL for a key that
 * is invalid or of another protection domain; -ERANGE beyond the bounds; -EACCES
 * for an access right that the region does not have.
 */
int weft_mem_check(const struct weft_mem *m, u32 len);
int weft_mem_grant(struct weft_mem *m, u32 len);	/* the same, before a copy */
int weft_mem_copy(const struct weft_mem *to, u32 to_off,
		  const struct weft_mem *from, u32 from_off, u32 len);
int weft_mem_atomic(const struct weft_mem *m, u64 *old,
		    u64 compare, u64 swap, bool add);	/* -EFAULT: misaligned */

/* mr.c */
struct weft_mr *weft_mr_search(struct weft_rdma_dev *dev, u32 index);
struct weft_mr *weft_mr_alloc(struct ib_pd *pd, u64 start, u64 len, int access);
int weft_mr_publish(struct weft_mr *mr, bool valid);
void weft_mr_free(struct weft_mr *mr);
void weft_local_dma_init(struct weft_rdma_dev *dev);
struct ib_mr *weft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *weft_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 virt,
			       int access, struct ib_udata *udata);
int weft_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);

/* fast_reg.c */
struct ib_mr *weft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
int weft_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *offset);
/* Execute a request that sends nothing; the fabric's lock is held. */
enum ib_wc_status weft_fast_reg_execute(struct weft_qp *qp,
					const struct weft_wqe *w);
int weft_rkey_invalidate(struct weft_rdma_dev *dev, struct ib_pd *pd, u32 rkey);

#endif
