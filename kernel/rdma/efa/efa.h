/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A NIC of the EFA kind: its queues are memory that programs map.
 *
 * DOC: theory of operation
 *
 * A program posts by writing descriptors into its queues and a count into a doorbell, and
 * takes completions from memory. None of this is a call. look.c looks at doorbells, sq.c
 * reads what was posted, and the sender of SRD (srd/peer.h) or, for UD, the queue pair itself
 * has it sent.
 *
 * All that is in a mapped queue may change at any time. It is copied once, and the copy is
 * checked.
 *
 * The fabric's lock protects everything, as in dev.h. Queue pairs and completion queues of
 * this kind are not those of qp.h and cq.h: they have no queue of the kernel's, and no state
 * of a connection.
 */
#ifndef WEFT_EFA_H
#define WEFT_EFA_H

#include <linux/hashtable.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "core/srd/srd.h"
#include "rdma/dev.h"
#include "rdma/efa/io.h"
#include "rdma/efa/ring.h"
#include "rdma/efa/watch.h"
#include "rdma/pd.h"
#include "rdma/port/port.h"

#define WEFT_EFA_QPS		1024	/* of a device: numbers have 16 bits, users index by them */
#define WEFT_EFA_SQ_WR		1024	/* requests in a send queue */
#define WEFT_EFA_RQ_WR		2048	/* descriptors in a receive queue */
#define WEFT_EFA_CQE		32768	/* completions in a queue */
#define WEFT_EFA_MTU		8928	/* bytes of a message, of a packet of a read */
#define WEFT_EFA_RDMA_MAX	BIT(30)	/* bytes of a read or write */
#define WEFT_EFA_READS		64	/* reads that a NIC asks another one for at a time */

struct weft_srd_peer;

/**
 * struct weft_efa_cq - a completion queue
 */
struct weft_efa_cq {
	/** @ib: the kernel's queue */
	struct ib_cq ib;
	/** @ring: the completions */
	struct weft_ring ring;
	/** @doorbell: a page, of which the first word is used */
	struct weft_ring doorbell;
	/** @watch: who watches its polls, NULL: nobody; constant */
	struct weft_efa_watch *watch;
	/** @node: with @notifies: in weft_efa.cqs */
	struct list_head node;
	/** @size: completions that fit, a power of two; constant */
	u32 size;
	/** @cqe_size: bytes of one; constant */
	u32 cqe_size;
	/** @head: completions that were ever added */
	u32 head;
	/** @seen: doorbell when it was looked at last */
	u32 seen;
	/** @notified: events that were ever raised */
	u32 notified;
	/** @notifies: it has a completion channel; constant */
	bool notifies;
};

/**
 * enum weft_job_kind - what a sender of SRD sends
 * @WEFT_JOB_SEND: a message, one packet
 * @WEFT_JOB_WRITE: a write, packet by packet
 * @WEFT_JOB_READ: the request for a read, one packet
 * @WEFT_JOB_RESPONSE: the data of a read, packet by packet
 */
enum weft_job_kind {
	WEFT_JOB_SEND,
	WEFT_JOB_WRITE,
	WEFT_JOB_READ,
	WEFT_JOB_RESPONSE,
};

/**
 * struct weft_job - what a sender of SRD sends
 */
struct weft_job {
	/** @node: in the list that it waits in; empty: in none */
	struct list_head node;
	/** @kind: enum weft_job_kind */
	enum weft_job_kind kind;
	/** @len: bytes of all its packets */
	u32 len;
	/** @next: bytes that packets were made of; @started says whether there is one */
	u32 next;
	/** @left: packets that are made and not done */
	u32 left;
	/** @started: its first packet was made */
	bool started;
	/** @failed: a packet of it was refused: no more are made */
	bool failed;
};

/**
 * struct weft_efa_op - a request in a send queue
 */
struct weft_efa_op {
	/** @job: what is sent; first, see weft_efa_op_of() */
	struct weft_job job;
	/** @qp: its queue pair; constant */
	struct weft_efa_qp *qp;
	/** @peer: SRD: the sender to its destination */
	struct weft_srd_peer *peer;
	/** @posted: when it was */
	fab_time posted;
	/** @again: after an RNR NAK: when it is sent again */
	fab_time again;
	/** @reading: read: in weft_srd_peer.reading; empty: held, complete, or no read */
	struct list_head reading;
	/** @alive: read: when it was asked for, or its last data came */
	fab_time alive;
	/** @path: UD: path to its destination */
	struct weft_path path;
	/** @remote: address there (reads, writes) */
	u64 remote;
	/** @rkey: its key */
	u32 rkey;
	/** @missing: bytes of a read that are not here */
	u32 missing;
	/** @psn: SRD: PSN of the request of a read */
	u32 psn;
	/** @qkey: Q_Key */
	u32 qkey;
	/** @imm: immediate data */
	u32 imm;
	/** @generation: how often this structure was used */
	u16 generation;
	/** @req_id: the program's number */
	u16 req_id;
	/** @dqpn: destination QP number */
	u16 dqpn;
	/** @rnr_tries: RNR NAKs */
	u8 rnr_tries;
	/** @status: enum efa_status of its completion */
	u8 status;
	/** @has_imm: there is immediate data */
	bool has_imm;
	/** @inlined: @data is the message */
	bool inlined;
	/** @busy: posted and not complete */
	bool busy;
	/** @num_sge: entries of @sge */
	u8 num_sge;
	/** @sge: memory of the process */
	struct ib_sge sge[EFA_SEND_SGES];
	/** @data: inline data */
	u8 data[EFA_INLINE_MAX];
};

/**
 * struct weft_efa_qp - a queue pair
 */
struct weft_efa_qp {
	/** @ib: the kernel's queue pair */
	struct ib_qp ib;
	/** @dev: its device; constant */
	struct weft_rdma_dev *dev;
	/** @user: context of the process; constant */
	struct weft_ucontext *user;
	/** @node: in weft_efa.qps_seen */
	struct list_head node;
	/** @state: its state */
	enum ib_qp_state state;
	/** @srd: reliable, otherwise UD; constant */
	bool srd;
	/** @rnr_retry: RNR NAKs until a request fails; 7: never */
	u8 rnr_retry;
	/** @qkey: Q_Key of what it receives */
	u32 qkey;
	/** @cap: as granted; constant */
	struct ib_qp_cap cap;
	/** @scq: completions of the send queue; constant */
	struct weft_efa_cq *scq;
	/** @rcq: completions of the receive queue; constant */
	struct weft_efa_cq *rcq;
	/** @doorbells: a page; first the send queue's, at 64 the receive queue's */
	struct weft_ring doorbells;
	/** @sq: send descriptors */
	struct weft_ring sq;
	/** @rq: receive descriptors */
	struct weft_ring rq;
	/** @sq_size: descriptors that fit, a power of two; constant */
	u32 sq_size;
	/** @rq_size: the same; constant */
	u32 rq_size;
	/** @sq_next: descriptors that were read */
	u16 sq_next;
	/** @rq_next: descriptors that were used */
	u16 rq_next;
	/** @ops: requests, as many as descriptors fit; constant */
	struct weft_efa_op *ops;
	/** @unused: those that are not posted */
	struct list_head unused;
	/** @posted: those whose doorbell is on its way to the NIC, oldest first */
	struct list_head posted;
	/** @doorbell: event: the first of @posted is there */
	struct fab_event doorbell;
	/** @datagrams: UD: what is to be sent, oldest first */
	struct list_head datagrams;
	/** @tx: UD: arbitration by the port */
	struct weft_tx tx;
};

/**
 * struct weft_efa - what a device of this kind has beside a struct weft_rdma_dev
 */
struct weft_efa {
	/** @dev: its device; constant */
	struct weft_rdma_dev *dev;
	/** @parent: parent of the core's device, NULL before it was made; constant */
	struct device *parent;
	/** @qps: queue pairs by number */
	struct xarray qps;
	/** @next_qpn: start of the search for a free number */
	u32 next_qpn;
	/** @ahs: address handles by number */
	struct xarray ahs;
	/** @next_ah: start of the search for a free number */
	u32 next_ah;
	/** @qps_seen: queue pairs, in the order of their creation, to be looked at */
	struct list_head qps_seen;
	/** @cqs: completion queues with a channel, to be looked at */
	struct list_head cqs;
	/** @look_lock: protects @qps_seen and @cqs as well; below the fabric's lock */
	spinlock_t look_lock;
	/** @look_node: among the devices that are looked at (look.c) */
	struct list_head look_node;
	/** @ah_of: address handles by GID */
	DECLARE_HASHTABLE(ah_of, 8);
	/** @peers: senders and receivers by MAC address, struct weft_srd_peer */
	DECLARE_HASHTABLE(peers, 8);
	/** @npeers: number of them */
	u32 npeers;
	/** @epoch: tells the packets of this device from those of an earlier one */
	u32 epoch;
};

static inline struct weft_efa_qp *weft_efa_qp_of(struct ib_qp *qp)
{
	return container_of(qp, struct weft_efa_qp, ib);
}

static inline struct weft_efa_cq *weft_efa_cq_of(struct ib_cq *cq)
{
	return container_of(cq, struct weft_efa_cq, ib);
}

static inline struct weft_efa_op *weft_efa_op_of(struct weft_job *job)
{
	return job->kind == WEFT_JOB_RESPONSE ? NULL :
						container_of(job, struct weft_efa_op, job);
}

/* device.c */
extern struct ib_device_ops weft_efa_ops;

int weft_efa_command(struct ib_udata *udata, void *cmd, size_t size, size_t least);
int weft_efa_module_init(void);
void weft_efa_module_exit(void);
int weft_efa_parent_add(struct weft_rdma_dev *dev);
int weft_efa_init(struct weft_rdma_dev *dev);
void weft_efa_stop(struct weft_rdma_dev *dev);	/* fabric's lock */
void weft_efa_free(struct weft_rdma_dev *dev);
u32 weft_efa_mtu(const struct weft_rdma_dev *dev);

/* ah.c: number of the handle of a process for the source of a packet */
u16 weft_efa_ah_number(const struct weft_rdma_dev *dev, const struct ib_pd *pd,
		       const union ib_gid *gid);
int weft_efa_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
int weft_efa_destroy_ah(struct ib_ah *ah, u32 flags);
void weft_efa_own_gid(const struct weft_rdma_dev *dev, union ib_gid *gid);

/* cq.c */
void weft_efa_cq_set_ops(struct ib_device_ops *ops);	/* create_cq */
int weft_efa_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
void weft_efa_cq_push(struct weft_efa_cq *cq, struct efa_cqe *e, const union ib_gid *source);
bool weft_efa_cq_rung(const struct weft_efa_cq *cq);
void weft_efa_cq_look(struct weft_efa_cq *cq);

/* qp.c */
int weft_efa_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int weft_efa_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int weft_efa_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init);
int weft_efa_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
struct weft_efa_qp *weft_efa_qp_find(struct weft_rdma_dev *dev, u32 qpn);
struct weft_efa_qp *weft_efa_receiver(struct weft_rdma_dev *dev, u32 qpn, bool srd);
void weft_efa_qp_error(struct weft_efa_qp *qp, int event);

/* sq.c */
bool weft_efa_sq_rung(const struct weft_efa_qp *qp);
void weft_efa_sq_look(struct weft_efa_qp *qp);
void weft_efa_sq_init(struct weft_efa_qp *qp);
void weft_efa_sq_flush(struct weft_efa_qp *qp, bool complete);
void weft_efa_op_complete(struct weft_efa_op *op, enum efa_status status);
void weft_efa_op_payload(const struct weft_efa_op *op, struct weft_mem *mem);

/* rq.c */
bool weft_efa_rq_rung(const struct weft_efa_qp *qp);
void weft_efa_rq_flush(struct weft_efa_qp *qp);
enum efa_status weft_efa_deliver(struct weft_efa_qp *qp, const struct weft_rpkt *p);
u32 weft_efa_lkey(struct weft_rdma_dev *dev, u32 lkey);

/* datagram.c: UD, and SRD beside it */
extern const struct weft_tx_ops weft_efa_datagram_ops;

void weft_efa_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
void weft_efa_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p);

/* look.c */
void weft_look_wake(void);
int weft_look_start(struct weft_efa *efa);
void weft_look_stop(struct weft_efa *efa);

#endif
