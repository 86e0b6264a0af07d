/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two connected queue pairs of the kernel, and what is done with them.
 */
#ifndef WEFT_TESTS_VERBS_PAIR_H
#define WEFT_TESTS_VERBS_PAIR_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#define VT_SGES		8	/* elements of a buffer at most */
#define VT_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct vt_end - one end of a connection
 */
struct vt_end {
	/** @dev: its device */
	struct ib_device *dev;
	/** @pd: protection domain of all that is its own */
	struct ib_pd *pd;
	/** @other_pd: another one */
	struct ib_pd *other_pd;
	/** @cq: completion queue of both queues */
	struct ib_cq *cq;
	/** @qp: the queue pair */
	struct ib_qp *qp;
};

/**
 * struct vt_buffer - memory in pages or parts of pages, and a region for it
 */
struct vt_buffer {
	/** @end: whose it is */
	struct vt_end *end;
	/** @mr: region for fast registration */
	struct ib_mr *mr;
	/** @sg: the memory */
	struct scatterlist sg[VT_SGES];
	/** @nents: elements of @sg */
	int nents;
	/** @order: log2 of the pages of an element */
	int order;
};

int vt_pair_open(struct vt_end *a, struct vt_end *b, enum ib_qp_type type);
void vt_pair_stop(struct vt_end *a, struct vt_end *b);
void vt_pair_close(struct vt_end *a, struct vt_end *b);

int vt_buffer_alloc(struct vt_buffer *buf, struct vt_end *end,
		    enum ib_mr_type type, int nents, int order);
void vt_buffer_free(struct vt_buffer *buf);
void vt_buffer_fill(struct vt_buffer *buf, u8 seed);
/* Is the byte at each place that which vt_buffer_fill() puts there? */
bool vt_buffer_is(struct vt_buffer *buf, u8 seed);
/* Give the list to the region; nents if all fits. */
int vt_buffer_map(struct vt_buffer *buf);

/* Post to the send queue; wr_id is in the completion. */
int vt_register(struct vt_end *end, struct vt_buffer *buf, u32 key, int access);
int vt_invalidate(struct vt_end *end, u32 key, int flags);
int vt_rdma(struct vt_end *end, enum ib_wr_opcode opcode, struct ib_sge *sge,
	    u64 addr, u32 key);
int vt_send(struct vt_end *end, enum ib_wr_opcode opcode, struct ib_sge *sge,
	    u32 key);
int vt_fetch_add(struct vt_end *end, struct ib_sge *sge, u64 addr, u32 key);
int vt_receive(struct vt_end *end, struct ib_sge *sge);
/* Wait for the next completion; -ETIMEDOUT. */
int vt_wait(struct vt_end *end, struct ib_wc *wc);

#endif
