// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of the InfiniBand transport: made, addressed, copied, freed.
 */
#include "rdma/pkt.h"

#include <linux/etherdevice.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/inet_ecn.h>
#include <rdma/ib_mad.h>

#include "core/node/reduce.h"
#include "fabric/lids.h"
#include "netdev/nic.h"
#include "rdma/dev.h"
#include "rdma/mem.h"
#include "rdma/sq.h"

#define RPKT_DPORT		4791		/* UDP port of RoCE v2 */
#define RPKT_LID_MULTICAST	0xc000		/* first multicast LID */
#define RPKT_LID_PERMISSIVE	0xffff		/* accepted by any port */

/* Free packets that a CPU keeps. None with checkers of memory, which shall see each end. */
#if defined(WEFT_DEBUG) || defined(CONFIG_KASAN)
#define RPKT_SPARES	0
#else
#define RPKT_SPARES	64
#endif

static struct kmem_cache *rpkt_cache;

/* Number of packets, and one: they may outlive their device, but not this module. */
static atomic_t rpkt_count = ATOMIC_INIT(1);

/**
 * struct rpkt_spares - free packets of a CPU, the last that was freed first
 *
 * Packets are made and freed with softirqs off, so nobody else looks at them.
 */
struct rpkt_spares {
	/** @first: the first, linked through fab_pkt.next */
	struct fab_pkt *first;
	/** @n: how many */
	u32 n;
};

static DEFINE_PER_CPU(struct rpkt_spares, rpkt_spares);

/**
 * struct rpkt_flow_roce - input of the flow hash of RoCE; no padding
 *
 * The same bytes as for a socket's packet with these headers.
 */
struct rpkt_flow_roce {
	/** @src: IP address, zero-padded */
	struct in6_addr src;
	/** @dst: the same of the destination */
	struct in6_addr dst;
	/** @sport: UDP source port */
	__be16 sport;
	/** @dport: UDP destination port */
	__be16 dport;
	/** @proto: UDP */
	u32 proto;
};

/**
 * struct rpkt_flow_ib - input of the flow hash of InfiniBand; no padding
 */
struct rpkt_flow_ib {
	/** @slid: source */
	u16 slid;
	/** @dlid: destination */
	u16 dlid;
	/** @sqpn: source QP number */
	u32 sqpn;
	/** @dqpn: destination QP number */
	u32 dqpn;
};

/**
 * weft_rpkt_init() - prepare to make packets
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init weft_rpkt_init(void)
{
	rpkt_cache = KMEM_CACHE(weft_rpkt, 0);
	return rpkt_cache ? 0 : -ENOMEM;
}

static struct weft_rpkt *spares_pop(void)
{
	struct rpkt_spares *spares = this_cpu_ptr(&rpkt_spares);
	struct fab_pkt *pkt = spares->first;

	if (!pkt)
		return NULL;
	spares->first = pkt->next;
	spares->n--;
	return weft_rpkt_of(weft_hwpkt_of(pkt));
}

static bool spares_push(struct weft_rpkt *p)
{
	struct rpkt_spares *spares = this_cpu_ptr(&rpkt_spares);

	if (spares->n >= RPKT_SPARES)
		return false;
	p->hw.pkt.next = spares->first;
	spares->first = &p->hw.pkt;
	spares->n++;
	return true;
}

static void spares_free(struct rpkt_spares *spares)
{
	struct fab_pkt *pkt, *next;

	for (pkt = spares->first; pkt; pkt = next) {
		next = pkt->next;
		kmem_cache_free(rpkt_cache, weft_rpkt_of(weft_hwpkt_of(pkt)));
	}
}

/* Memory for a packet, uninitialised, or NULL. */
static __always_inline struct weft_rpkt *rpkt_get(void)
{
	struct weft_rpkt *p = spares_pop();

	if (!p)
		p = kmem_cache_alloc(rpkt_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (p)
		atomic_inc(&rpkt_count);
	return p;
}

static inline void rpkt_put(struct weft_rpkt *p)
{
	if (!spares_push(p))
		kmem_cache_free(rpkt_cache, p);
	if (atomic_dec_and_test(&rpkt_count))
		wake_up_var(&rpkt_count);
}

/**
 * weft_rpkt_exit() - wait for the last packet, when there are no devices any more
 *
 * Packets in a fabric arrive or are lost. If a fabric stands still, they do so
 * when it is removed.
 *
 * Context: process, may sleep.
 */
void weft_rpkt_exit(void)
{
	int cpu;

	atomic_dec(&rpkt_count);
	wait_var_event(&rpkt_count, !atomic_read(&rpkt_count));
	/* Who freed the last packet, with softirqs off, is still in our code. */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		spares_free(per_cpu_ptr(&rpkt_spares, cpu));
	kmem_cache_destroy(rpkt_cache);
}

/**
 * weft_rpkt_alloc() - allocate a packet without payload and addresses
 * @opcode: BTH opcode
 *
 * The path has no value yet: the caller sets it, by weft_rpkt_address() in most cases.
 *
 * Context: any; the fabric's lock is held.
 * Return: the packet, with the default P_Key, or NULL.
 */
struct weft_rpkt *weft_rpkt_alloc(u8 opcode)
{
	struct weft_rpkt *p = rpkt_get();

	if (!p)
		return NULL;
	memset(p, 0, offsetof(struct weft_rpkt, path));
	p->hw.ops = &weft_rpkt_ops;
	p->hw.pkt.flags = FAB_PKT_HW;
	p->hw.pkt.segs = 1;
	p->opcode = opcode;
	p->pkey = IB_DEFAULT_PKEY_FULL;
	return p;
}

/**
 * weft_rpkt_alloc_data() - allocate a payload that the packet owns
 * @p: the packet, without payload
 * @len: bytes, which the caller writes to @p->data
 *
 * Context: any.
 * Return: 0 or -ENOMEM.
 */
int weft_rpkt_alloc_data(struct weft_rpkt *p, u32 len)
{
	if (len) {
		p->data = kmalloc(len, GFP_ATOMIC | __GFP_NOWARN);
		if (!p->data)
			return -ENOMEM;
	}
	p->len = len;
	return 0;
}

static void rpkt_free_data(struct weft_rpkt *p)
{
	kfree(p->data);
	p->data = NULL;
}

/**
 * weft_rpkt_copy_data() - allocate a payload that the packet owns, and fill it
 * @p: the packet, without payload
 * @from: memory that it is copied from
 * @offset: of the payload in it
 * @len: bytes
 *
 * If it fails the packet has a length all the same, but no payload.
 *
 * Context: any; the fabric's lock is held.
 * Return: 0; -ENOMEM; -EFAULT if the memory is gone or may not be read.
 */
int weft_rpkt_copy_data(struct weft_rpkt *p, const struct weft_mem *from, u32 offset, u32 len)
{
	struct weft_mem to = {};

	if (weft_rpkt_alloc_data(p, len))
		return -ENOMEM;
	to.kbuf = p->data;
	if (!len || !weft_mem_copy(&to, 0, from, offset, len))
		return 0;
	rpkt_free_data(p);
	return -EFAULT;
}

/* The first zero-copy packet of a queue. */
static noinline void rpkt_first_zerocopy(struct weft_sq *sq)
{
	list_add(&sq->zerocopy_node, &sq->dev->zerocopy_sqs);
}

/**
 * weft_rpkt_set_wqe() - set the WQE that a packet belongs to
 * @p: the packet; a payload that it owns is allocated before
 * @sq: send queue; the packet takes a reference
 * @wqe_idx: index of the WQE
 *
 * A packet that owns no payload becomes a zero-copy packet of the WQE.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_set_wqe(struct weft_rpkt *p, struct weft_sq *sq, u32 wqe_idx)
{
	weft_sq_get(sq);
	p->sq = sq;
	p->wqe_idx = wqe_idx;
	if (!p->len || p->data)
		return;
	hlist_add_head(&p->zerocopy_node, &sq->zerocopy);
	if (sq->dev && list_empty(&sq->zerocopy_node))
		rpkt_first_zerocopy(sq);
}

/**
 * weft_rpkt_free() - free a packet that is in no queue
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_free(struct weft_rpkt *p)
{
	weft_rpkt_clear_slot(p);
	hlist_del_init(&p->zerocopy_node);
	if (p->sq)
		weft_sq_put(p->sq);
	if (p->data)
		rpkt_free_data(p);
	rpkt_put(p);
}

/**
 * weft_rpkt_clone() - copy a packet
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 * Return: the copy, which is in no queue, or NULL.
 */
struct weft_rpkt *weft_rpkt_clone(const struct weft_rpkt *p)
{
	struct weft_rpkt *copy;

	copy = rpkt_get();
	if (!copy)
		return NULL;
	*copy = *p;
	copy->tx_dev = NULL;
	copy->slot = NULL;
	INIT_HLIST_NODE(&copy->zerocopy_node);
	if (p->data) {
		copy->data = kmemdup(p->data, p->len,
				     GFP_ATOMIC | __GFP_NOWARN);
		if (!copy->data) {
			rpkt_put(copy);
			return NULL;
		}
	}
	if (copy->sq)
		weft_rpkt_set_wqe(copy, copy->sq, copy->wqe_idx);
	return copy;
}

/**
 * weft_rpkt_wire_len() - length of a packet for the model
 * @dev: device that sends it
 * @p: the packet; opcode, path and len are set
 *
 * InfiniBand: from LRH to VCRC, less WEFT_IB_OVERHEAD. RoCE: the Ethernet frame
 * without FCS. NVLink: the payload, as its loads and stores have no other headers than the
 * link's own.
 *
 * Context: any.
 * Return: bytes.
 */
u32 weft_rpkt_wire_len(const struct weft_rdma_dev *dev,
		       const struct weft_rpkt *p)
{
	u32 len;

	if (dev->stores)
		return max(p->len, 1U);
	len = weft_rpkt_length(&p->hw);
	return dev->is_ib ? len - WEFT_IB_OVERHEAD : len;
}

/* Ethernet priority: by the DSCP where the NIC trusts it. */
static u8 rpkt_prio(const struct weft_rdma_dev *dev,
		    const struct weft_path *path)
{
	const struct weft_nic *nic = netdev_priv(dev->netdev);

	if (READ_ONCE(nic->trust_dscp))
		return READ_ONCE(nic->dscp_prio[path->tclass >> 2]);
	return path->sl & (WEFT_NIC_PRIOS - 1);
}

static u8 path_sl(const struct weft_rdma_dev *dev, const struct weft_path *path)
{
	return dev->is_ib ? path->sl & 15 : rpkt_prio(dev, path);
}

/* As weft_path_class(), with a NIC, for a service level that is known. */
static u8 path_class(const struct weft_rdma_dev *dev, u8 sl, u32 sqpn)
{
	const struct weft_endpoint *wep = dev->client.wep;
	u8 cls;

	if (dev->is_ib && !sqpn)
		return FAB_VL_MGMT;
	cls = wep->vl[sl];
	return cls < wep->ep.p->port.classes ? cls : 0;
}

/**
 * weft_path_class() - class of a packet on the first wire
 * @dev: device that sends it
 * @path: its path
 * @sqpn: source QP number
 *
 * Packets of QP0 use VL 15; no others do. A packet whose SL maps to no VL waits in
 * class 0, until the NIC drops it.
 *
 * Context: any; the fabric's lock is held.
 * Return: the class; one that the port has.
 */
u8 weft_path_class(const struct weft_rdma_dev *dev, const struct weft_path *path,
		   u32 sqpn)
{
	return dev->client.wep ? path_class(dev, path_sl(dev, path), sqpn) : 0;
}

/**
 * weft_path_hash() - set the flow hash of a path that is complete or was changed
 * @dev: device
 * @path: path of RoCE; for InfiniBand the hash depends on the packet's QPs
 *
 * To compute it for each packet would cost as much as the lookup of its NIC and
 * the check of its memory together.
 *
 * Context: any.
 */
void weft_path_hash(const struct weft_rdma_dev *dev, struct weft_path *path)
{
	struct rpkt_flow_roce flow = {
		.sport = htons(path->sport),
		.dport = htons(RPKT_DPORT),
		.proto = IPPROTO_UDP,
	};

	BUILD_BUG_ON(sizeof(flow) != 40);
	if (path->is_ipv4) {
		memcpy(&flow.src.s6_addr32[3], &path->sgid.raw[12], 4);
		memcpy(&flow.dst.s6_addr32[3], &path->dgid.raw[12], 4);
	} else {
		memcpy(&flow.src, &path->sgid, sizeof(flow.src));
		memcpy(&flow.dst, &path->dgid, sizeof(flow.dst));
	}
	path->flow_hash = siphash(&flow, sizeof(flow), &dev->client.fabric->flow_key);
}

static u32 rpkt_hash_ib(const struct weft_rdma_dev *dev,
			const struct weft_rpkt *p)
{
	const struct rpkt_flow_ib flow = {
		.slid = p->path.slid,
		.dlid = p->path.dlid,
		.sqpn = p->sqpn,
		.dqpn = p->dqpn,
	};

	BUILD_BUG_ON(sizeof(flow) != 12);
	return siphash(&flow, sizeof(flow), &dev->client.fabric->flow_key);
}

/* Is it a MAC address of the NIC, or of a netdev above it? */
static bool dev_owns_mac(const struct weft_rdma_dev *dev, const u8 *mac)
{
	struct net_device *netdev = dev->netdev;
	struct netdev_hw_addr *ha;
	bool found;

	found = ether_addr_equal(mac, netdev->dev_addr);
	if (found || netdev_uc_empty(netdev))
		return found;
	netif_addr_lock(netdev);
	netdev_for_each_uc_addr(ha, netdev)
		if (ether_addr_equal(mac, ha->addr))
			found = true;
	netif_addr_unlock(netdev);
	return found;
}

/* As with sockets, a frame to an address that no NIC has is flooded. */
static void rpkt_route_mac(const struct weft_rdma_dev *dev, struct fab_pkt *pkt,
			   const u8 *mac)
{
	const struct weft_mac_entry *e = NULL;

	if (!is_multicast_ether_addr(mac))
		e = weft_mac_find(&dev->client.fabric->macs, mac);
	if (e)
		pkt->dst = container_of(e, struct weft_endpoint, mac)->ep.id;
	else if (dev_owns_mac(dev, mac))
		pkt->dst = dev->client.wep->ep.id;
	else
		pkt->flags |= FAB_PKT_MULTICAST;
}

/* The LID decides, whatever way the packet took. */
static bool rpkt_is_ours(const struct weft_rdma_dev *dev,
			 const struct weft_rpkt *p)
{
	u16 lid = p->path.dlid;

	if (lid == RPKT_LID_PERMISSIVE)
		return !p->dqpn;
	return lid >= RPKT_LID_MULTICAST || weft_sma_has_lid(dev, lid);
}

/**
 * weft_rpkt_is_stray() - did a packet arrive that is for another NIC?
 * @dev: the device
 * @p: the packet
 *
 * Either a switch forwarded it by a table that is older than the address, or it
 * was flooded because no NIC has the address. A macvlan may have it.
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 * Return: true if it did.
 */
bool weft_rpkt_is_stray(const struct weft_rdma_dev *dev,
			const struct weft_rpkt *p)
{
	const struct fab_pkt *pkt = &p->hw.pkt;

	if (fab_dst_reduces(pkt->dst))
		return (pkt->dst & FAB_DST_KIND) == FAB_DST_REDUCE;
	if (dev->sma.managed || pkt->dst == FAB_DST_NEXT)
		return !rpkt_is_ours(dev, p);
	if (!(pkt->flags & FAB_PKT_MULTICAST))
		return pkt->dst != FAB_NO_DST &&
		       pkt->dst != dev->client.wep->ep.id;
	return !dev->is_ib && !is_multicast_ether_addr(p->path.dmac) &&
	       !dev_owns_mac(dev, p->path.dmac);
}

/* Its own LID; the permissive one while the port has none. */
static u16 rpkt_slid(const struct weft_rdma_dev *dev,
		     const struct weft_path *path)
{
	const struct weft_sma_port *port = &dev->sma.port;

	if (!port->lid)
		return RPKT_LID_PERMISSIVE;
	return port->lid | (path->path_bits & (BIT(port->lmc) - 1));
}

/* Who has a LID. The permissive one is for QP0 of whoever is at the other end. */
static void rpkt_route_lid(const struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct fab_pkt *pkt = &p->hw.pkt;
	u16 lid = p->path.dlid;

	if (lid == RPKT_LID_PERMISSIVE) {
		pkt->dst = p->sqpn ? FAB_NO_DST : FAB_DST_NEXT;
	} else if (lid >= RPKT_LID_MULTICAST) {
		pkt->flags |= FAB_PKT_MULTICAST;
		pkt->dst = lid - RPKT_LID_MULTICAST;
	} else if (!weft_lids_find(dev->client.fabric, lid, &pkt->dst,
				   &pkt->flow_hash)) {
		pkt->dst = FAB_NO_DST;
	}
}

/*
 * May a switch mark it? On InfiniBand any packet; on RoCE packets whose traffic
 * class says ECT and, where DCQCN is on, all packets but CNPs.
 */
static bool rpkt_is_ect(const struct weft_rdma_dev *dev,
			const struct weft_rpkt *p)
{
	if (dev->is_ib)
		return true;
	if (p->opcode == WEFT_OPCODE_CNP)
		return false;
	return weft_rdma_params(dev)->cc == WEFT_CC_DCQCN ||
	       !INET_ECN_is_not_ect(p->path.tclass);
}

/* The rest of weft_rpkt_address(), apart for the sake of RoCE: this needs memory for a hash. */
static noinline void rpkt_address_ib(struct weft_rdma_dev *dev, struct weft_rpkt *p)
{
	struct fab_pkt *pkt = &p->hw.pkt;

	p->path.slid = rpkt_slid(dev, &p->path);
	pkt->flow_hash = rpkt_hash_ib(dev, p);
	rpkt_route_lid(dev, p);
}

/**
 * weft_rpkt_address() - set path and queue pairs of a packet
 * @dev: device that sends it, whose NIC is there
 * @p: the packet; opcode and payload are set
 * @path: its path
 * @sqpn: source QP number
 * @dqpn: destination QP number
 *
 * A LID that no port has becomes FAB_NO_DST. A packet to a MAC address that no
 * NIC has is flooded.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_address(struct weft_rdma_dev *dev, struct weft_rpkt *p,
		       const struct weft_path *path, u32 sqpn, u32 dqpn)
{
	struct fab_pkt *pkt = &p->hw.pkt;

	p->path = *path;
	p->sqpn = sqpn;
	p->dqpn = dqpn;
	pkt->flags = FAB_PKT_HW;
	if (rpkt_is_ect(dev, p))
		pkt->flags |= FAB_PKT_ECT;
	if (dev->is_ib) {
		rpkt_address_ib(dev, p);
	} else {
		pkt->flow_hash = path->flow_hash;
		rpkt_route_mac(dev, pkt, path->dmac);
	}
	pkt->sl = path_sl(dev, path);
	pkt->cls = path_class(dev, pkt->sl, sqpn);
	pkt->len = weft_rpkt_wire_len(dev, p);
	pkt->segs = 1;
}
