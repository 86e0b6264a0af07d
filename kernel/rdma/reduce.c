// SPDX-License-Identifier: GPL-2.0
/*
 * Reductions in switches, by datagrams.
 *
 * DOC: theory of operation
 *
 * Who reduces sends a datagram with immediate data to the multicast GID of its group (uapi,
 * WEFT_REDUCE_MGID_0). The payload is a chunk of elements. The immediate data has the
 * operation, the type, and the number of the chunk, which counts modulo 2^24. The datagram goes
 * up the tree of the group, not to the members. The result comes down to all of them as a
 * datagram with the same immediate data and the addresses of one of the senders. Queue pairs
 * receive it that are attached to the GID.
 *
 * With NVLS the result goes to one of the NICs, its owner, which stores it to all. The NIC does
 * that by itself.
 *
 * Aggregation nodes refuse what has not their Q_Key, so a process can only disturb groups whose
 * Q_Key it was told. Datagrams without immediate data to such a GID are lost.
 */
#include "rdma/reduce.h"

#include <uapi/linux/weft.h>

#include "core/node/reduce.h"
#include "core/sim/combine.h"
#include "rdma/dev.h"
#include "rdma/pkt.h"

#define REDUCE_CHUNKS	BIT(WEFT_REDUCE_TYPE_SHIFT)

static u32 reduce_op(u32 imm)
{
	return imm >> WEFT_REDUCE_OP_SHIFT;
}

static u32 reduce_type(u32 imm)
{
	return imm >> WEFT_REDUCE_TYPE_SHIFT & 15;
}

/* Is it the GID of a group? */
static bool reduce_group(const union ib_gid *gid, u32 *group)
{
	const __be32 *word = (const __be32 *)gid->raw;

	*group = be32_to_cpu(word[3]);
	return word[0] == cpu_to_be32(WEFT_REDUCE_MGID_0) &&
	       word[1] == cpu_to_be32(WEFT_REDUCE_MGID_1) && !word[2];
}

/**
 * weft_reduce_address() - send a datagram up the tree of its group
 * @dev: device that sends it
 * @p: the datagram, addressed; others than to a group stay as they are, or are lost if the
 *	device reaches nothing else
 *
 * Context: any; the fabric's lock is held.
 */
void weft_reduce_address(const struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct fab_pkt *pkt = &p->hw.pkt;
	u32 group = 0;
	bool is_group;

	is_group = p->dqpn == WEFT_QPN_MULTICAST && p->path.has_grh &&
		   reduce_group(&p->path.dgid, &group);
	if (!is_group && !dev->stores)
		return;
	pkt->flags &= ~FAB_PKT_MULTICAST;
	pkt->dst = FAB_NO_DST;
	if (!is_group || p->opcode != IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE ||
	    group >= FAB_REDUCE_GROUPS)
		return;
	pkt->dst = FAB_DST_REDUCE | group;
	pkt->flow_hash = be32_to_cpu(p->imm) % REDUCE_CHUNKS;
}

/**
 * weft_reduce_store() - store a result to all of its group
 * @dev: device of its owner
 * @p: the result, executed; taken
 *
 * The owner gets it once more, as all do, and receives that.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_reduce_store(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct fab_pkt *pkt = &p->hw.pkt;

	pkt->flags = FAB_PKT_HW;
	pkt->dst = fab_dst_store(pkt->dst);
	pkt->cls = weft_path_class(dev, &p->path, p->sqpn);
	weft_port_urgent(dev, p);
}

/**
 * weft_reduce_may() - may an aggregation node reduce a packet? (struct weft_hwpkt_ops)
 * @c: the packet
 * @qkey: Q_Key of the aggregation node
 * @other: another packet of its chunk, or NULL
 *
 * Context: any; the fabric's lock is held.
 * Return: true if it may.
 */
bool weft_reduce_may(const struct weft_hwpkt *c, u32 qkey, const struct weft_hwpkt *other)
{
	const struct weft_rpkt *p = weft_rpkt_of(c);
	u32 imm = be32_to_cpu(p->imm);

	if (p->opcode != IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE || p->qkey != qkey)
		return false;
	if (other)
		return other->ops == c->ops && weft_rpkt_of(other)->imm == p->imm &&
		       weft_rpkt_of(other)->len == p->len;
	return fab_combine_may(reduce_op(imm), reduce_type(imm), p->len);
}

/**
 * weft_reduce_absorb() - reduce one packet into another (struct weft_hwpkt_ops)
 * @c: the packet, which gets the result
 * @other: the other one, freed
 *
 * Both own their payload, as datagrams do.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_reduce_absorb(struct weft_hwpkt *c, struct weft_hwpkt *other)
{
	struct weft_rpkt *to = weft_rpkt_of(c), *from = weft_rpkt_of(other);
	u32 imm = be32_to_cpu(to->imm);

	if (to->len)
		fab_combine(reduce_op(imm), reduce_type(imm), to->data, from->data, to->len);
	weft_rpkt_free(from);
}
