/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an EFA device has for each other NIC: a sender and a receiver of SRD.
 *
 * DOC: theory of operation
 *
 * The rules are those of core/srd. Here are packets, their payload and what they do at the
 * far end: send.c makes packets of jobs, acked.c learns what became of them, receive.c
 * executes them.
 *
 * A packet that is sent again is made anew from the memory of its request, which its program
 * must not touch before it is complete. So a sender keeps no payload.
 *
 * A packet that is refused is done for its sender: the request fails, or it is sent later
 * as another packet (RNR). So no packet waits for one that has to.
 */
#ifndef WEFT_SRD_PEER_H
#define WEFT_SRD_PEER_H

#include "core/srd/srd.h"
#include "rdma/efa/efa.h"

#define WEFT_OPCODE_SRD		0xe0	/* manufacturer's opcodes, as RC has them, and two more */
#define WEFT_SRD_PROBE		(WEFT_OPCODE_SRD | 0x1d)
#define WEFT_SRD_PROBED		(WEFT_OPCODE_SRD | 0x1e)	/* its answer */
#define WEFT_SRD_PEERS		16384	/* of a device */

/**
 * struct weft_srd_peer - a sender and a receiver
 */
struct weft_srd_peer {
	/** @node: in weft_efa.peers */
	struct hlist_node node;
	/** @dev: its device; constant */
	struct weft_rdma_dev *dev;
	/** @path: path 0 of the sender; constant */
	struct weft_path path;
	/** @flow_hash: of each path; constant */
	u32 flow_hash[FAB_SRD_PATHS];
	/** @tx: arbitration by the port */
	struct weft_tx tx;
	/** @jobs: those with a packet to be made, in turn */
	struct list_head jobs;
	/** @waiting: requests that wait after an RNR NAK */
	struct list_head waiting;
	/** @waiting_at: when the first of them is sent again; FAB_NEVER: there is none */
	fab_time waiting_at;
	/** @held: reads beyond WEFT_EFA_READS */
	struct list_head held;
	/** @reads: reads that are neither complete nor held */
	u32 reads;
	/** @reading: these, by weft_efa_op.reading */
	struct list_head reading;
	/** @reading_at: when the first of them may be given up; FAB_NEVER: there is none */
	fab_time reading_at;
	/** @timer: event: look for lost packets, for paths to be probed and at @waiting */
	struct fab_event timer;
	/** @epoch: of the device that the receiver hears */
	u32 epoch;
	/** @heard: the receiver has begun */
	bool heard;
	/** @rx: the receiver */
	struct fab_srd_rx rx;
	/** @out: the sender */
	struct fab_srd_tx out;
};

/**
 * struct weft_srd_read - a read that this NIC answers
 */
struct weft_srd_read {
	/** @job: what is sent; first */
	struct weft_job job;
	/** @peer: to whom; constant */
	struct weft_srd_peer *peer;
	/** @va: address of its first byte; constant */
	u64 va;
	/** @rkey: key; constant */
	u32 rkey;
	/** @token: the requester's name of it; constant */
	u32 token;
	/** @qpn: queue pair here; constant */
	u32 qpn;
	/** @dqpn: queue pair of the requester; constant */
	u32 dqpn;
	/** @epoch: of the requester's device; constant */
	u32 epoch;
};

/* How long nothing may come of a read before it is given up. */
static inline fab_time weft_srd_patience(const struct weft_srd_peer *peer)
{
	return peer->out.p.timeout << FAB_SRD_TRIES;
}

static inline struct weft_srd_read *weft_srd_read_of(struct weft_job *job)
{
	return container_of(job, struct weft_srd_read, job);
}

/* Is it a packet of SRD? */
static inline bool weft_is_srd(const struct weft_rpkt *p)
{
	return weft_opcode_transport(p->opcode) == WEFT_OPCODE_SRD;
}

/* Is it one that is acknowledged? */
static inline bool weft_is_srd_data(const struct weft_rpkt *p)
{
	return weft_is_srd(p) && p->opcode != (WEFT_OPCODE_SRD | IB_OPCODE_ACKNOWLEDGE) &&
	       p->opcode < WEFT_SRD_PROBE;
}

/* All under the fabric's lock, but weft_srd_prepare() and weft_srd_free(). */

/* peer.c */
void weft_srd_prepare(struct weft_rdma_dev *dev, const struct weft_path *path);
struct weft_srd_peer *weft_srd_peer(struct weft_rdma_dev *dev, const struct weft_path *path);
bool weft_srd_known(struct weft_rdma_dev *dev, const u8 *mac);
struct weft_srd_peer *weft_srd_find(const struct weft_rdma_dev *dev, const u8 *mac);
void weft_srd_arm(struct weft_srd_peer *peer);
void weft_srd_forget(struct weft_efa_qp *qp);
void weft_srd_stop(struct weft_rdma_dev *dev);
void weft_srd_free(struct weft_rdma_dev *dev);

/* send.c */
extern const struct weft_tx_ops weft_srd_tx_ops;

void weft_srd_submit(struct weft_srd_peer *peer, struct weft_job *job);
void weft_srd_ask(struct weft_srd_peer *peer);	/* for reads that are held */
void weft_srd_send(struct weft_srd_peer *peer);	/* if there is anything */
void weft_srd_sent(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
struct weft_rpkt *weft_srd_control(struct weft_srd_peer *peer, u8 opcode, u32 path);

/* acked.c */
void weft_srd_acked(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
void weft_srd_read_done(struct weft_efa_op *op, enum efa_status status);
void weft_srd_gone(struct weft_srd_peer *peer);

/* receive.c */
void weft_srd_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p);

#endif
