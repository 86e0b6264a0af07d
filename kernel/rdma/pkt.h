/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet of the InfiniBand transport.
 *
 * It holds the fields of its headers, decoded. Its payload is either zero-copy, in
 * the memory that a send WQE names (RC), or a copy that the packet owns (UC, UD,
 * read responses), because there the sender may change its memory before the
 * packet arrives. Headers are encoded only for captures (hdr.c), but they count
 * with their length on the wire.
 */
#ifndef WEFT_RDMA_PKT_H
#define WEFT_RDMA_PKT_H

#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

#include "fabric/hwpkt.h"

struct weft_qp;
struct weft_rdma_dev;
struct weft_mem;
struct weft_sq;

#define WEFT_PSN_MASK		0xffffffu
#define WEFT_QPN_MULTICAST	0xffffffu
/* Subtracted from the length of InfiniBand frames: the profile's overhead adds it. */
#define WEFT_IB_OVERHEAD	24

/**
 * struct weft_path - path of a packet: addresses and quality of service
 */
struct weft_path {
	/** @sgid: source GID, of the GRH or the IP header */
	union ib_gid sgid;
	/** @dgid: destination GID */
	union ib_gid dgid;
	/** @smac: RoCE: source MAC address */
	u8 smac[ETH_ALEN];
	/** @dmac: RoCE: destination MAC address */
	u8 dmac[ETH_ALEN];
	/** @vlan: RoCE: VLAN, 0: no tag */
	u16 vlan;
	/** @slid: InfiniBand: source LID, of packets; that of a path is not used */
	u16 slid;
	/** @dlid: InfiniBand: destination LID, multicast from 0xc000 on */
	u16 dlid;
	/** @path_bits: InfiniBand: which of the 2^LMC LIDs the source is */
	u8 path_bits;
	/** @flow_label: flow label of the GRH or the IPv6 header */
	u32 flow_label;
	/** @sport: RoCE: UDP source port, the entropy of the flow */
	u16 sport;
	/** @tclass: traffic class; the upper six bits are the DSCP */
	u8 tclass;
	/** @hop_limit: hop limit */
	u8 hop_limit;
	/** @sl: SL of InfiniBand, priority of Ethernet */
	u8 sl;
	/** @sgid_index: index of @sgid in the sender's GID table */
	u8 sgid_index;
	/** @has_grh: InfiniBand: there is a GRH; set for RoCE */
	bool has_grh;
	/** @is_ipv4: RoCE: IPv4, otherwise IPv6 */
	bool is_ipv4;
	/** @flow_hash: RoCE: hash of addresses and ports, for ECMP */
	u32 flow_hash;
	/** @rate_bps: static rate, 0: that of the port */
	u64 rate_bps;
};

/* weft_rpkt.flags */
#define WEFT_RPKT_ACK_REQ	BIT(0)	/* BTH AckReq */
#define WEFT_RPKT_SOLICITED	BIT(1)	/* BTH SE */
#define WEFT_RPKT_BECN		BIT(2)	/* BTH BECN */
#define WEFT_RPKT_RESENT	BIT(3)	/* a retransmission */
#define WEFT_RPKT_ANY		BIT(4)	/* of a connection that takes any order */
#define WEFT_RPKT_PLACED	BIT(5)	/* its payload was copied to its place */

/**
 * struct weft_rpkt - a packet
 *
 * Made and freed under the fabric's lock.
 */
struct weft_rpkt {
	/** @hw: the fabric's part */
	struct weft_hwpkt hw;
	/** @opcode: BTH opcode, IB_OPCODE_*, WEFT_OPCODE_CNP, or those of SRD */
	u8 opcode;
	/** @flags: WEFT_RPKT_* */
	u8 flags;
	/** @pkey: BTH P_Key */
	u16 pkey;
	/** @psn: BTH PSN */
	u32 psn;
	/** @dqpn: BTH destination QP number */
	u32 dqpn;
	/** @sqpn: source QP number: DETH, captures, flow hash */
	u32 sqpn;
	/** @qkey: DETH Q_Key */
	u32 qkey;
	/** @va: RETH, AtomicETH virtual address; bits of a selective acknowledgement */
	u64 va;
	/** @rkey: RETH, AtomicETH, IETH R_Key */
	u32 rkey;
	/** @dma_len: RETH DMA length; PSN of the first of those bits */
	u32 dma_len;
	/** @imm: immediate data */
	__be32 imm;
	/** @syndrome: AETH syndrome */
	u8 syndrome;
	/** @msn: AETH MSN; SRD: the oldest PSN that is not done, or not here */
	u32 msn;
	/** @swap: AtomicETH swap or add data */
	u64 swap;
	/** @compare: AtomicETH compare data; AtomicAckETH original remote data */
	u64 compare;
	/** @stamp: when its first bit was on the wire; of an ACK, that of what it acknowledges */
	fab_time stamp;
	/** @len: bytes of payload */
	u32 len;
	/** @epoch: SRD: of the device that sends data, or is acknowledged */
	u32 epoch;
	/** @srd_path: SRD: index of the path */
	u8 srd_path;
	/** @sq: send queue of WQE @wqe_idx, referenced, or NULL */
	struct weft_sq *sq;
	/** @zerocopy_node: in weft_sq.zerocopy while the WQE's memory is the payload */
	struct hlist_node zerocopy_node;
	/** @wqe_idx: index of the WQE */
	u32 wqe_idx;
	/** @offset: offset of the payload in the message */
	u32 offset;
	/** @data: payload that the packet owns, or NULL */
	void *data;
	/** @tx_dev: the device while the packet is pending in its port, else NULL */
	struct weft_rdma_dev *tx_dev;
	/** @tx_node: with @tx_dev: in weft_rdma_port.pending */
	struct hlist_node tx_node;
	/** @slot: pointer to this packet while it waits in the port, or NULL */
	struct weft_rpkt **slot;
	/** @path: addresses and quality of service */
	struct weft_path path;
};

#define WEFT_OPCODE_CNP		0x81	/* RoCE v2 congestion notification */
#define WEFT_OPCODE_ANY		0xc0	/* RC in any order: manufacturer's opcodes */

/* Transport of an opcode: IB_OPCODE_RC and the like. */
static inline u8 weft_opcode_transport(u8 opcode)
{
	return opcode & 0xe0;
}

/* Is it the opcode of a response? For opcodes of RC only. */
static inline bool weft_opcode_is_response(u8 opcode)
{
	return opcode >= IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST &&
	       opcode <= IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE;
}

/* pkt.c */
int weft_rpkt_init(void);
void weft_rpkt_exit(void);
struct weft_rpkt *weft_rpkt_alloc(u8 opcode);
int weft_rpkt_alloc_data(struct weft_rpkt *p, u32 len);
int weft_rpkt_copy_data(struct weft_rpkt *p, const struct weft_mem *from, u32 offset, u32 len);
void weft_rpkt_set_wqe(struct weft_rpkt *p, struct weft_sq *sq, u32 wqe_idx);
void weft_rpkt_free(struct weft_rpkt *p);
void weft_rpkt_address(struct weft_rdma_dev *dev, struct weft_rpkt *p,
		       const struct weft_path *path, u32 sqpn, u32 dqpn);
struct weft_rpkt *weft_rpkt_clone(const struct weft_rpkt *p);
u32 weft_rpkt_wire_len(const struct weft_rdma_dev *dev,
		       const struct weft_rpkt *p);
bool weft_rpkt_is_stray(const struct weft_rdma_dev *dev,
			const struct weft_rpkt *p);
void weft_path_hash(const struct weft_rdma_dev *dev, struct weft_path *path);
u8 weft_path_class(const struct weft_rdma_dev *dev, const struct weft_path *path,
		   u32 sqpn);

static inline struct weft_rpkt *weft_rpkt_of(const struct weft_hwpkt *c)
{
	return container_of((void *)c, struct weft_rpkt, hw);
}

/**
 * weft_rpkt_set_slot() - keep a pointer to a packet while it waits in the port
 * @p: the packet
 * @slot: the pointer; set to @p, and to NULL when the packet leaves; or NULL
 *
 * Context: any; the fabric's lock is held.
 */
static inline void weft_rpkt_set_slot(struct weft_rpkt *p, struct weft_rpkt **slot)
{
	p->slot = slot;
	if (slot)
		*slot = p;
}

/**
 * weft_rpkt_clear_slot() - clear the pointer to a packet
 * @p: the packet, which leaves the port, or must not be found any more
 *
 * Context: any; the fabric's lock is held.
 * Return: the pointer, now NULL; or NULL if there was none.
 */
static inline struct weft_rpkt **weft_rpkt_clear_slot(struct weft_rpkt *p)
{
	struct weft_rpkt **slot = p->slot;

	if (slot)
		*slot = NULL;
	p->slot = NULL;
	return slot;
}

/* hdr.c: the bytes of a frame, for captures */
u32 weft_rpkt_length(const struct weft_hwpkt *c);
void weft_rpkt_frame(const struct weft_hwpkt *c, void *buf, u32 len);
bool weft_rpkt_has_bth(const struct weft_rpkt *p);	/* after it was trimmed */
/* the 40 bytes that a receiver finds in front of a datagram */
void weft_rpkt_grh(const struct weft_rpkt *p, struct ib_grh *grh);

/* Difference of two PSNs, -2^23 to 2^23 - 1. */
static inline s32 weft_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

#endif
