// SPDX-License-Identifier: GPL-2.0
/*
 * Notices to the subnet manager: what traps of adapters and of switches have in common.
 */
#include "rdma/agent/notice.h"

#include <rdma/ib_mad.h>

#include "rdma/pkt.h"

#define NOTICE_DIRECTED		0x80	/* dr_trunc_hop of 256: there is a route */
#define NOTICE_TRUNCATED	0x40	/* the same: and it does not fit */

static void notice_fill(const struct ib_mad_notice_attr *n, u64 tid,
			struct ib_smp *smp)
{
	memset(smp, 0, IB_MGMT_MAD_SIZE);
	smp->base_version = IB_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	smp->class_version = 1;
	smp->method = IB_MGMT_METHOD_TRAP;
	smp->tid = cpu_to_be64(tid);
	smp->attr_id = IB_SMP_ATTR_NOTICE;
	BUILD_BUG_ON(sizeof(*n) != IB_SMP_DATA_SIZE);
	memcpy(smp->data, n, sizeof(*n));
}

/**
 * weft_notice_packet() - make the datagram of a trap
 * @n: its notice
 * @tid: its transaction id
 *
 * Context: any; the fabric's lock is held.
 * Return: the packet, without addresses; NULL without memory.
 */
struct weft_rpkt *weft_notice_packet(const struct ib_mad_notice_attr *n, u64 tid)
{
	struct weft_rpkt *p = weft_rpkt_alloc(IB_OPCODE_UD_SEND_ONLY);

	if (!p)
		return NULL;
	if (weft_rpkt_alloc_data(p, IB_MGMT_MAD_SIZE)) {
		weft_rpkt_free(p);
		return NULL;
	}
	notice_fill(n, tid, p->data);
	return p;
}

/* The way back of a directed route, as much of it as fits. */
static void notice_route(struct ib_mad_notice_attr *n, const struct ib_smp *smp)
{
	u8 room = sizeof(n->details.ntc_256.dr_rtn_path);
	u8 hops = smp->hop_cnt;

	if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return;
	n->details.ntc_256.dr_slid = smp->dr_slid;
	n->details.ntc_256.dr_trunc_hop = NOTICE_DIRECTED;
	if (hops > room) {
		n->details.ntc_256.dr_trunc_hop |= NOTICE_TRUNCATED;
		hops = room;
	}
	n->details.ntc_256.dr_trunc_hop |= hops;
	memcpy(n->details.ntc_256.dr_rtn_path, smp->return_path, hops);
}

/**
 * weft_notice_mkey() - details of trap 256: a request with a wrong M_Key
 * @n: the notice, with its head
 * @smp: the request
 *
 * Context: any.
 */
void weft_notice_mkey(struct ib_mad_notice_attr *n, const struct ib_smp *smp)
{
	n->details.ntc_256.lid = n->issuer_lid;
	n->details.ntc_256.method = smp->method;
	n->details.ntc_256.attr_id = smp->attr_id;
	n->details.ntc_256.attr_mod = smp->attr_mod;
	n->details.ntc_256.mkey = smp->mkey;
	notice_route(n, smp);
}

/**
 * weft_notice_key() - details of trap 257 or 258: a packet with a wrong P_Key or Q_Key
 * @n: the notice, with its head
 * @key: the key
 * @p: the packet
 *
 * Context: any.
 */
void weft_notice_key(struct ib_mad_notice_attr *n, u32 key,
		     const struct weft_rpkt *p)
{
	n->details.ntc_257_258.lid1 = cpu_to_be16(p->path.slid);
	n->details.ntc_257_258.lid2 = cpu_to_be16(p->path.dlid);
	n->details.ntc_257_258.key = cpu_to_be32(key);
	n->details.ntc_257_258.sl_qp1 =
		cpu_to_be32((u32)p->path.sl << 28 | p->sqpn);
	n->details.ntc_257_258.qp2 = cpu_to_be32(p->dqpn);
	if (!p->path.has_grh)
		return;
	n->details.ntc_257_258.gid1 = p->path.sgid;
	n->details.ntc_257_258.gid2 = p->path.dgid;
}
