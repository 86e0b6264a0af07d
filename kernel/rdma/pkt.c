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

#include "netdev/nic.h"
#include "rdma/dev.h"
#include "rdma/sq.h"

#define RPKT_DPORT	4791		/* UDP port of RoCE v2 */
#define RPKT_LID_GROUPS	0xc000		/* first LID of multicast */
#define RPKT_LID_ANY	0xffff		/* permissive: whoever gets it */
#define RPKT_VL_MGMT	15		/* subnet management */

static struct kmem_cache *rpkt_cache;

/* Packets that there are: they may outlive their device, but not this module. */
static atomic_t rpkt_count = ATOMIC_INIT(0);

/**
 * struct rpkt_flow - what the flow hash of RoCE is made of; no padding
 *
 * The same bytes as those of a socket's packet with these headers.
 */
struct rpkt_flow {
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
 * struct rpkt_lids - what the flow hash of InfiniBand is made of; no padding
 */
struct rpkt_lids {
	/** @slid: source */
	u16 slid;
	/** @dlid: destination */
	u16 dlid;
	/** @sqpn: queue pair that sends */
	u32 sqpn;
	/** @dqpn: queue pair it is for */
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

/**
 * weft_rpkt_exit() - there are no devices, and will be no packets any more
 *
 * Those in a fabric arrive or are lost. Where a fabric is at a standstill they do
 * so when it is removed.
 *
 * Context: process, may sleep.
 */
void weft_rpkt_exit(void)
{
	wait_var_event(&rpkt_count, !atomic_read(&rpkt_count));
	/* Whoever freed the last one, with softirqs off, returns to our code. */
	synchronize_rcu();
	kmem_cache_destroy(rpkt_cache);
}

/**
 * weft_rpkt_alloc() - make a packet without payload and addresses
 * @opcode: BTH opcode
 *
 * Context: any.
 * Return: the packet, of the default partition, or NULL.
 */
struct weft_rpkt *weft_rpkt_alloc(u8 opcode)
{
	struct weft_rpkt *p;

	p = kmem_cache_zalloc(rpkt_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!p)
		return NULL;
	atomic_inc(&rpkt_count);
	p->car.ops = &weft_rpkt_ops;
	p->car.pkt.flags = FAB_PKT_HOST;
	p->car.pkt.segs = 1;
	INIT_LIST_HEAD(&p->borrow);
	p->opcode = opcode;
	p->pkey = IB_DEFAULT_PKEY_FULL;
	return p;
}

/**
 * weft_rpkt_own() - give a packet room for a payload of its own
 * @p: the packet, without payload
 * @len: bytes, which the caller writes to @p->data
 *
 * Context: any.
 * Return: 0 or -ENOMEM.
 */
int weft_rpkt_own(struct weft_rpkt *p, u32 len)
{
	if (len) {
		p->data = kmalloc(len, GFP_ATOMIC | __GFP_NOWARN);
		if (!p->data)
			return -ENOMEM;
	}
	p->len = len;
	return 0;
}

/**
 * weft_rpkt_of_sq() - say which request a packet is of
 * @p: the packet; a payload that it owns is there already
 * @sq: send queue, which it refers to from now on
 * @wqe_idx: number of the request
 *
 * Without a payload of its own it borrows that of the request.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_of_sq(struct weft_rpkt *p, struct weft_sq *sq, u32 wqe_idx)
{
	weft_sq_get(sq);
	p->sq = sq;
	p->wqe_idx = wqe_idx;
	if (p->len && !p->data)
		weft_sq_lend(sq, &p->borrow);
}

/**
 * weft_rpkt_waits() - let a packet be found while it waits in the port
 * @p: the packet
 * @place: set to it, until it leaves; NULL: it is not to be found
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_waits(struct weft_rpkt *p, struct weft_rpkt **place)
{
	p->place = place;
	if (place)
		*place = p;
}

/**
 * weft_rpkt_leaves() - a packet waits no more, or is not to be found any more
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 * Return: the place where it was found, which is empty now, or NULL.
 */
struct weft_rpkt **weft_rpkt_leaves(struct weft_rpkt *p)
{
	struct weft_rpkt **place = p->place;

	if (place)
		*place = NULL;
	p->place = NULL;
	return place;
}

/**
 * weft_rpkt_free() - free a packet that nobody holds
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_free(struct weft_rpkt *p)
{
	weft_rpkt_leaves(p);
	list_del(&p->borrow);
	if (p->sq)
		weft_sq_put(p->sq);
	kfree(p->data);
	kmem_cache_free(rpkt_cache, p);
	if (atomic_dec_and_test(&rpkt_count))
		wake_up_var(&rpkt_count);
}

/**
 * weft_rpkt_clone() - copy a packet
 * @p: the packet
 *
 * Context: any; the fabric's lock is held.
 * Return: the copy, which nobody holds, or NULL.
 */
struct weft_rpkt *weft_rpkt_clone(const struct weft_rpkt *p)
{
	struct weft_rpkt *copy;

	copy = kmem_cache_alloc(rpkt_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	*copy = *p;
	copy->home = NULL;
	copy->place = NULL;
	INIT_LIST_HEAD(&copy->borrow);
	if (p->data) {
		copy->data = kmemdup(p->data, p->len,
				     GFP_ATOMIC | __GFP_NOWARN);
		if (!copy->data) {
			kmem_cache_free(rpkt_cache, copy);
			return NULL;
		}
	}
	if (copy->sq)
		weft_rpkt_of_sq(copy, copy->sq, copy->wqe_idx);
	atomic_inc(&rpkt_count);
	return copy;
}

/**
 * weft_rpkt_wire_len() - length of a packet as the model counts it
 * @dev: device that sends it
 * @p: the packet; opcode, path and len are set
 *
 * Of InfiniBand that of LRH to VCRC less WEFT_IB_OVERHEAD, of RoCE that of the
 * Ethernet frame without FCS.
 *
 * Context: any.
 * Return: bytes.
 */
u32 weft_rpkt_wire_len(const struct weft_rdma_dev *dev,
		       const struct weft_rpkt *p)
{
	u32 len = weft_rpkt_length(&p->car);

	return dev->is_ib ? len - WEFT_IB_OVERHEAD : len;
}

/* Priority of Ethernet: that of the DSCP where the NIC trusts it. */
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

/**
 * weft_path_class() - class of a packet on the first wire
 * @dev: device that sends it
 * @path: how it travels
 * @sqpn: queue pair that sends it
 *
 * What QP0 sends has lane 15 where the port has that, and nothing else has. A
 * service level without a class waits with class 0, until the NIC drops it.
 *
 * Context: any; the fabric's lock is held.
 * Return: the class; one that the port has.
 */
u8 weft_path_class(const struct weft_rdma_dev *dev, const struct weft_path *path,
		   u32 sqpn)
{
	const struct weft_endpoint *wep = dev->client.wep;
	u8 cls;

	if (!wep)
		return 0;
	if (dev->is_ib && !sqpn && wep->ep.p.port.classes > RPKT_VL_MGMT)
		return RPKT_VL_MGMT;
	cls = wep->vl[path_sl(dev, path)];
	return cls < wep->ep.p.port.classes ? cls : 0;
}

/**
 * weft_path_hash() - set the hash of a path that is complete or was changed
 * @dev: device
 * @path: of RoCE; with LIDs the hash is of each packet's queue pairs
 *
 * To make it for each packet would cost as much as to look its NIC up and check
 * its memory together.
 *
 * Context: any.
 */
void weft_path_hash(const struct weft_rdma_dev *dev, struct weft_path *path)
{
	struct rpkt_flow flow = {
		.sport = htons(path->sport),
		.dport = htons(RPKT_DPORT),
		.proto = IPPROTO_UDP,
	};

	BUILD_BUG_ON(sizeof(flow) != 40);
	if (path->ipv4) {
		memcpy(&flow.src.s6_addr32[3], &path->sgid.raw[12], 4);
		memcpy(&flow.dst.s6_addr32[3], &path->dgid.raw[12], 4);
	} else {
		memcpy(&flow.src, &path->sgid, sizeof(flow.src));
		memcpy(&flow.dst, &path->dgid, sizeof(flow.dst));
	}
	path->hash = siphash(&flow, sizeof(flow), &dev->client.fabric->flow_key);
}

static u32 flow_lids(const struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	const struct rpkt_lids flow = {
		.slid = p->path.slid,
		.dlid = p->path.dlid,
		.sqpn = p->sqpn,
		.dqpn = p->dqpn,
	};

	BUILD_BUG_ON(sizeof(flow) != 12);
	return siphash(&flow, sizeof(flow), &dev->client.fabric->flow_key);
}

/* Does the NIC take what is sent to an address: its own, or one above it? */
static bool dev_takes(const struct weft_rdma_dev *dev, const u8 *mac)
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

/* As with sockets, an address that no NIC has is for the flood ports. */
static void rpkt_to_mac(const struct weft_rdma_dev *dev, struct fab_pkt *pkt,
			const u8 *mac)
{
	const struct weft_mac_entry *e = NULL;

	if (!is_multicast_ether_addr(mac))
		e = weft_mac_find(&dev->client.fabric->macs, mac);
	if (e)
		pkt->dst = container_of(e, struct weft_endpoint, mac)->ep.id;
	else if (dev_takes(dev, mac))
		pkt->dst = dev->client.wep->ep.id;
	else
		pkt->flags |= FAB_PKT_MULTICAST;
}

/**
 * weft_rpkt_is_stray() - did a packet come here though it is for another NIC?
 * @dev: the device
 * @p: the packet
 *
 * A switch sent it here by a table that is older than the packet's address, or to
 * all, as no NIC has that address: a macvlan may have it.
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 * Return: whether it is so.
 */
bool weft_rpkt_is_stray(const struct weft_rdma_dev *dev,
			const struct weft_rpkt *p)
{
	const struct fab_pkt *pkt = &p->car.pkt;

	if (!(pkt->flags & FAB_PKT_MULTICAST))
		return pkt->dst != FAB_NO_DST &&
		       pkt->dst != dev->client.wep->ep.id;
	return !dev->is_ib && !is_multicast_ether_addr(p->path.dmac) &&
	       !dev_takes(dev, p->path.dmac);
}

/* Endpoints have LIDs from 1 on. */
static void rpkt_to_lid(struct fab_pkt *pkt, u16 lid)
{
	if (lid >= RPKT_LID_GROUPS && lid != RPKT_LID_ANY)
		pkt->flags |= FAB_PKT_MULTICAST;
	else
		pkt->dst = lid && lid != RPKT_LID_ANY ? lid - 1 : FAB_NO_DST;
}

/*
 * May it be marked? All of InfiniBand may; of RoCE what the traffic class says
 * and, where DCQCN reacts, all but its own notifications.
 */
static bool rpkt_ect(const struct weft_rdma_dev *dev, const struct weft_rpkt *p)
{
	if (dev->is_ib)
		return true;
	if (p->opcode == WEFT_OPCODE_CNP)
		return false;
	return weft_rdma_params(dev)->cc == WEFT_CC_DCQCN ||
	       !INET_ECN_is_not_ect(p->path.tclass);
}

/**
 * weft_rpkt_address() - say where a packet goes and how
 * @dev: device that sends it, whose NIC is there
 * @p: the packet; opcode and payload are set
 * @path: addresses
 * @sqpn: queue pair that sends
 * @dqpn: queue pair it is for
 *
 * A LID that nobody has becomes FAB_NO_DST, such an address is for all.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_address(struct weft_rdma_dev *dev, struct weft_rpkt *p,
		       const struct weft_path *path, u32 sqpn, u32 dqpn)
{
	struct fab_pkt *pkt = &p->car.pkt;

	p->path = *path;
	p->sqpn = sqpn;
	p->dqpn = dqpn;
	pkt->flags = FAB_PKT_HOST;
	if (rpkt_ect(dev, p))
		pkt->flags |= FAB_PKT_ECT;
	if (dev->is_ib)
		rpkt_to_lid(pkt, path->dlid);
	else
		rpkt_to_mac(dev, pkt, path->dmac);
	pkt->flow = dev->is_ib ? flow_lids(dev, p) : path->hash;
	pkt->sl = path_sl(dev, path);
	pkt->cls = weft_path_class(dev, path, sqpn);
	pkt->len = weft_rpkt_wire_len(dev, p);
	pkt->segs = 1;
}
