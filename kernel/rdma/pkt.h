/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet of the InfiniBand transport.
 *
 * It has the fields of its headers, decoded, and refers to its payload: the
 * memory of a send request (RC), or a copy that it owns (UC, UD, responses to
 * reads), which is what the sender may change before the packet arrives.
 * Headers become bytes only where a capture wants to see them (hdr.c), but their
 * length is that of the wire.
 */
#ifndef WEFT_RDMA_PKT_H
#define WEFT_RDMA_PKT_H

#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

#include "fabric/carrier.h"

struct weft_qp;
struct weft_rdma_dev;
struct weft_sq;

#define WEFT_PSN_MASK		0xffffffu
#define WEFT_QPN_MULTICAST	0xffffffu
/* an InfiniBand frame stands for itself less this, which a profile's overhead adds again */
#define WEFT_IB_OVERHEAD	24

/**
 * struct weft_path - addresses of a packet, and how it travels
 */
struct weft_path {
	/** @sgid: source, of its GRH or IP header */
	union ib_gid sgid;
	/** @dgid: destination */
	union ib_gid dgid;
	/** @smac: RoCE: source address */
	u8 smac[ETH_ALEN];
	/** @dmac: RoCE: destination address */
	u8 dmac[ETH_ALEN];
	/** @vlan: RoCE: VLAN, 0: no tag */
	u16 vlan;
	/** @slid: InfiniBand: source */
	u16 slid;
	/** @dlid: InfiniBand: destination, from 0xc000 on a group */
	u16 dlid;
	/** @flow: flow label */
	u32 flow;
	/** @sport: RoCE: UDP source port, entropy of the flow */
	u16 sport;
	/** @tclass: traffic class: DSCP in its upper six bits */
	u8 tclass;
	/** @hops: hop limit */
	u8 hops;
	/** @sl: service level */
	u8 sl;
	/** @sgid_index: of the sender */
	u8 sgid_index;
	/** @grh: InfiniBand: with a GRH; RoCE always has one or an IP header */
	bool grh;
	/** @ipv4: RoCE: IPv4, otherwise IPv6 */
	bool ipv4;
	/** @hash: RoCE: of addresses and ports, to choose among equal ways */
	u32 hash;
	/** @rate_bps: static rate, 0: that of the port */
	u64 rate_bps;
};

/* weft_rpkt.flags */
#define WEFT_RPKT_ACK_REQ	BIT(0)	/* BTH AckReq */
#define WEFT_RPKT_SOLICITED	BIT(1)	/* BTH SE */
#define WEFT_RPKT_BECN		BIT(2)	/* BTH BECN */
#define WEFT_RPKT_RESENT	BIT(3)	/* not for the first time */

/**
 * struct weft_rpkt - a packet
 *
 * Made and freed under the fabric's lock.
 */
struct weft_rpkt {
	/** @car: what the fabric carries */
	struct weft_carrier car;
	/** @path: addresses */
	struct weft_path path;
	/** @opcode: BTH opcode, IB_OPCODE_*; WEFT_OPCODE_CNP */
	u8 opcode;
	/** @flags: WEFT_RPKT_* */
	u8 flags;
	/** @pkey: BTH partition key */
	u16 pkey;
	/** @psn: BTH packet sequence number */
	u32 psn;
	/** @dqpn: BTH destination QP */
	u32 dqpn;
	/** @sqpn: QP that sent it: DETH, and for captures and the flow */
	u32 sqpn;
	/** @qkey: DETH */
	u32 qkey;
	/** @va: RETH, AtomicETH */
	u64 va;
	/** @rkey: RETH, AtomicETH, IETH */
	u32 rkey;
	/** @dma_len: RETH */
	u32 dma_len;
	/** @imm: immediate data */
	__be32 imm;
	/** @syndrome: AETH */
	u8 syndrome;
	/** @msn: AETH */
	u32 msn;
	/** @swap: AtomicETH swap or add */
	u64 swap;
	/** @compare: AtomicETH compare; AtomicAckETH original data */
	u64 compare;
	/** @len: bytes of payload */
	u32 len;
	/** @sq: send queue whose request @wqe_idx holds the payload, referenced, or NULL */
	struct weft_sq *sq;
	/** @borrow: in @sq's list while the payload is that of the request */
	struct list_head borrow;
	/** @wqe_idx: the request */
	u32 wqe_idx;
	/** @offset: where in the message the payload begins */
	u32 offset;
	/** @data: payload that the packet owns, or NULL */
	void *data;
	/** @home: between the arbiter and the first wire: the device, else NULL */
	struct weft_rdma_dev *home;
	/** @node: with @home: in its port's list of such packets */
	struct list_head node;
	/** @place: where its queue pair finds it while it waits in the port, or NULL */
	struct weft_rpkt **place;
};

#define WEFT_OPCODE_CNP		0x81	/* RoCE v2 congestion notification */

/* Transport of an opcode, to be compared with IB_OPCODE_RC and the like. */
static inline u8 weft_opcode_transport(u8 opcode)
{
	return opcode & 0xe0;
}

/* Does it answer a request? Of a reliable connection's opcode only. */
static inline bool weft_opcode_answers(u8 opcode)
{
	return opcode >= IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST &&
	       opcode <= IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE;
}

/* pkt.c */
int weft_rpkt_init(void);
void weft_rpkt_exit(void);
struct weft_rpkt *weft_rpkt_alloc(u8 opcode);
int weft_rpkt_own(struct weft_rpkt *p, u32 len);
void weft_rpkt_of_sq(struct weft_rpkt *p, struct weft_sq *sq, u32 wqe_idx);
void weft_rpkt_free(struct weft_rpkt *p);
void weft_rpkt_address(struct weft_rdma_dev *dev, struct weft_rpkt *p,
		       const struct weft_path *path, u32 sqpn, u32 dqpn);
struct weft_rpkt *weft_rpkt_clone(const struct weft_rpkt *p);
void weft_rpkt_waits(struct weft_rpkt *p, struct weft_rpkt **place);
struct weft_rpkt **weft_rpkt_leaves(struct weft_rpkt *p);
u32 weft_rpkt_wire_len(const struct weft_rdma_dev *dev,
		       const struct weft_rpkt *p);
bool weft_rpkt_is_stray(const struct weft_rdma_dev *dev,
			const struct weft_rpkt *p);
void weft_path_hash(const struct weft_rdma_dev *dev, struct weft_path *path);
u8 weft_path_class(const struct weft_rdma_dev *dev, const struct weft_path *path,
		   u32 sqpn);

static inline struct weft_rpkt *weft_rpkt_of(const struct weft_carrier *c)
{
	return container_of((void *)c, struct weft_rpkt, car);
}

/* hdr.c: the bytes of a frame, for captures */
u32 weft_rpkt_length(const struct weft_carrier *c);
void weft_rpkt_frame(const struct weft_carrier *c, void *buf, u32 len);
u32 weft_rpkt_header_len(u8 opcode);	/* extended headers behind the BTH */
/* 40 bytes as a receiver finds them */
void weft_rpkt_grh(const struct weft_rpkt *p, struct ib_grh *grh);

/* Difference of two sequence numbers, -2^23 to 2^23 - 1. */
static inline s32 weft_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

#endif
