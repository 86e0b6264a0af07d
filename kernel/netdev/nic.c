// SPDX-License-Identifier: GPL-2.0
/*
 * A NIC: a netdev of kind "weft".
 *
 * DOC: theory of operation
 *
 * Each class of the fabric has a transmit queue. When the ring of a class in the
 * model is full, the queue stops, and the model wakes it. So the queueing discipline
 * and the socket see the back-pressure of the fabric.
 *
 * The service level of a packet is its priority, 0 to 7: that of its DSCP, if the
 * NIC trusts it, otherwise that of the socket buffer (SO_PRIORITY, the TOS of the
 * socket, tc). It is constant from end to end. The NIC's table maps it to the class
 * on the first wire, and so to the queue. A map of traffic classes (mqprio) has
 * precedence over the table.
 *
 * A super-packet of the stack goes onto the wire as frames of MTU size. The stack
 * segments it behind the queueing discipline, because the device offers no
 * segmentation. So packet taps see what is on the wire, and a ring that fills up
 * stops between two frames. With segmentation "train" the device offers
 * segmentation, and a super-packet is sent as one train, with the wire overhead of
 * its frames. Nobody computes checksums: between namespaces nothing can corrupt a
 * packet.
 *
 * A packet leaves its namespace when it is handed to the model: there it loses all
 * state of the sending host (route, mark, conntrack entry, hash). In the fabric it
 * refers to no netdev, so either side may go meanwhile.
 */
#include "netdev/nic.h"

#include <kunit/visibility.h>
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdev_features.h>
#include <linux/rtnetlink.h>
#include <net/inet_ecn.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/limit.h"
#include "fabric/link.h"
#include "fabric/switch.h"
#include "netdev/dcb.h"
#include "netdev/nic_neigh.h"
#include "netdev/parent.h"
#include "netdev/pkt.h"

#define NIC_GSO_FEATURES (NETIF_F_GSO_SOFTWARE | NETIF_F_GSO_ENCAP_ALL)
#define NIC_FEATURES	(NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | \
			 NETIF_F_RXCSUM | NETIF_F_SCTP_CRC | NETIF_F_HIGHDMA | \
			 NIC_GSO_FEATURES)

/**
 * weft_nic_prio() - priority of a packet to be sent
 * @nic: the NIC
 * @skb: the packet, with its protocol and network header
 *
 * A packet without a DSCP has the priority of the socket buffer.
 *
 * Context: any.
 * Return: 0 to WEFT_NIC_PRIOS - 1.
 */
u8 weft_nic_prio(const struct weft_nic *nic, struct sk_buff *skb)
{
	int ds = READ_ONCE(nic->trust_dscp) ? skb_get_dsfield(skb) : -1;

	if (ds < 0)
		return skb->priority & (WEFT_NIC_PRIOS - 1);
	return READ_ONCE(nic->dscp_prio[ds >> 2]);
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_prio);

/**
 * weft_nic_set_trust() - trust the DSCP of packets, or not
 * @nic: the NIC
 * @dscp: trust it; otherwise the priority is that of the socket buffer
 *
 * Context: process, RTNL held.
 */
void weft_nic_set_trust(struct weft_nic *nic, bool dscp)
{
	WRITE_ONCE(nic->trust_dscp, dscp);
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_set_trust);

/**
 * weft_nic_set_dscp() - set the priority of a DSCP
 * @nic: the NIC
 * @dscp: the DSCP, below WEFT_NIC_DSCPS
 * @prio: the priority, below WEFT_NIC_PRIOS
 *
 * Context: process, RTNL held.
 */
void weft_nic_set_dscp(struct weft_nic *nic, u8 dscp, u8 prio)
{
	WRITE_ONCE(nic->dscp_prio[dscp], prio);
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_set_dscp);

static struct weft_endpoint *nic_by_mac(const struct weft_fabric *f,
					const u8 *addr)
{
	struct weft_mac_entry *e = weft_mac_find(&f->macs, addr);

	return e ? container_of(e, struct weft_endpoint, mac) : NULL;
}

/* A frame to a multicast address, or to an address that no NIC has, is flooded. */
static void nic_address(const struct weft_fabric *f, const u8 *addr,
			struct fab_pkt *pkt)
{
	const struct weft_endpoint *to = NULL;

	if (!is_multicast_ether_addr(addr))
		to = nic_by_mac(f, addr);
	pkt->dst = to ? to->ep.id : FAB_NO_DST;
	if (!to)
		pkt->flags |= FAB_PKT_MULTICAST;
}

static void nic_count_tx(struct weft_endpoint *wep, u16 cls, u16 segs, u32 len)
{
	wep->tx[cls].packets += segs;
	wep->tx[cls].bytes += len;
	dev_sw_netstats_tx_add(wep->nic->dev, segs, len);
}

/* A packet whose service level has no VL. */
static noinline int nic_drop_sl(struct weft_endpoint *wep, struct sk_buff *skb)
{
	u16 segs;

	weft_pkt_len(skb, &segs);
	wep->ep.port.c.drops[FAB_DROP_SL_DROP] += segs;
	return -EPERM;
}

/*
 * Hand a packet to the model; the fabric's lock is held.
 *
 * Return: 0; -EBUSY if the ring is full, with @skb unchanged; another error if it
 * cannot be sent, and the caller still owns it.
 */
static int nic_send(struct weft_endpoint *wep, struct sk_buff *skb, u16 cls, u8 sl)
{
	struct fab_pkt *pkt = weft_pkt_of(skb);
	struct weft_fabric *f = wep->fabric;
	u32 len;
	u16 segs;
	int err;

	if (wep->gone || cls >= wep->ep.p->port.classes)
		return -ENODEV;
	if (unlikely(wep->vl[sl] == FAB_VL_DROP))
		return nic_drop_sl(wep, skb);
	if (fab_endpoint_stop(&wep->ep, cls))
		return -EBUSY;
	weft_pkt_fill(pkt, skb);
	pkt->cls = cls;
	pkt->sl = sl;
	nic_address(f, skb->data, pkt);
	/* A switch does not send a frame back to the port that it came from. */
	if (!(pkt->flags & FAB_PKT_MULTICAST) && pkt->dst == wep->ep.id)
		return -EHOSTUNREACH;
	if (weft_limit_take(f->limited, 0, skb->truesize, NULL)) {
		f->host_drops[WEFT_HOST_DROP_LIMIT]++;
		return -EDQUOT;
	}
	/* Only here, because a packet that is put off comes again. */
	skb_tx_timestamp(skb);
	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->dev = NULL;
	/* The packet may be gone when it was accepted. */
	len = pkt->len;
	segs = pkt->segs;
	err = fab_endpoint_send(&f->fab, &wep->ep, pkt);
	if (!err)
		nic_count_tx(wep, cls, segs, len);
	else
		weft_limit_give(f->limited, 0, skb->truesize);
	return err;
}

static int nic_hand_over(struct weft_endpoint *wep, struct sk_buff *skb,
			 struct net_device *dev)
{
	u8 sl = weft_nic_prio(wep->nic, skb);
	u16 cls = skb_get_queue_mapping(skb);
	int err;

	weft_engine_lock(wep->fabric);
	err = nic_send(wep, skb, cls, sl);
	/* Under the lock, so that the model cannot wake it before. */
	if (err == -EBUSY || (!err && fab_endpoint_stop(&wep->ep, cls)))
		netif_stop_subqueue(dev, cls);
	weft_engine_unlock(wep->fabric);
	return err;
}

static netdev_tx_t nic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct weft_nic *nic = netdev_priv(dev);
	struct weft_endpoint *wep;
	int err = -ENODEV;

	wep = rcu_dereference_bh(nic->ep);
	/* Copy zero-copy pages of the sender, which waits for their return. */
	if (likely(wep && pskb_may_pull(skb, ETH_HLEN)) &&
	    !skb_orphan_frags_rx(skb, GFP_ATOMIC))
		err = nic_hand_over(wep, skb, dev);
	if (likely(!err))
		return NETDEV_TX_OK;
	if (err == -EBUSY)
		return NETDEV_TX_BUSY;
	DEV_STATS_INC(dev, tx_dropped);
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

/**
 * weft_nic_receive() - a packet arrived from the fabric
 * @nic: the NIC
 * @skb: the packet; taken in any case
 *
 * weft_nic_interrupt() notifies the host.
 *
 * Context: softirqs off; the fabric's lock is held, so this only queues.
 * Return: 0; -ENETDOWN if the NIC is down; -ENOBUFS if the packet was lost because
 * the host does not keep up.
 */
int weft_nic_receive(struct weft_nic *nic, struct sk_buff *skb)
{
	bool open, full;

	spin_lock(&nic->rx.lock);
	open = nic->rx_open;
	full = skb_queue_len(&nic->rx) + skb_queue_len_lockless(&nic->batch) >=
	       WEFT_NIC_BACKLOG;
	if (likely(open && !full))
		__skb_queue_tail(&nic->rx, skb);
	spin_unlock(&nic->rx.lock);

	if (likely(open && !full))
		return 0;
	DEV_STATS_INC(nic->dev, rx_dropped);
	kfree_skb_reason(skb, open ? SKB_DROP_REASON_FULL_RING :
				     SKB_DROP_REASON_DEV_READY);
	return open ? -ENOBUFS : -ENETDOWN;
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_receive);

/**
 * weft_nic_interrupt() - notify the host of waiting packets
 * @nic: the NIC
 *
 * nic_poll() takes what waits and clears the flag under the lock that
 * weft_nic_receive() took after it or before it. So what was queued after a poll sees
 * the flag clear. If a poll takes it meanwhile, the next one finds nothing.
 *
 * Context: softirqs off; the fabric's lock is held.
 * Return: false if no packet waits, or the host has not handled the last
 * notification yet.
 */
bool weft_nic_interrupt(struct weft_nic *nic)
{
	if (READ_ONCE(nic->rx_raised) || skb_queue_empty_lockless(&nic->rx))
		return false;
	WRITE_ONCE(nic->rx_raised, true);
	napi_schedule(&nic->napi);
	return true;
}

static void nic_count_rx(struct net_device *dev, u32 packets, u32 bytes)
{
	struct pcpu_sw_netstats *stats = this_cpu_ptr(dev->tstats);

	u64_stats_update_begin(&stats->syncp);
	u64_stats_add(&stats->rx_packets, packets);
	u64_stats_add(&stats->rx_bytes, bytes);
	u64_stats_update_end(&stats->syncp);
}

/* Remove all state of the sending host and of the model from the packet. */
static void nic_clean(struct sk_buff *skb)
{
	memset(skb->cb, 0, sizeof(skb->cb));
	skb_set_queue_mapping(skb, 0);
	skb->priority = 0;
}

/*
 * Is the packet the only one, so that GRO cannot merge it? Then it must not wait for
 * others either, which gro_flush_timeout would make it do.
 */
static bool nic_alone(const struct weft_nic *nic, int before)
{
	return !before && skb_queue_empty(&nic->batch) && !nic->napi.gro_bitmask &&
	       !READ_ONCE(nic->dev->gro_flush_timeout);
}

static void nic_deliver(struct weft_nic *nic, struct sk_buff *skb, bool alone)
{
	const struct fab_pkt *pkt = weft_pkt_of(skb);
	struct net_device *dev = nic->dev;

	if (unlikely(weft_pkt_apply(skb))) {
		DEV_STATS_INC(dev, rx_dropped);
		kfree_skb_reason(skb, SKB_DROP_REASON_NOMEM);
		return;
	}
	if (unlikely(!is_skb_forwardable(dev, skb))) {
		DEV_STATS_INC(dev, rx_length_errors);
		kfree_skb_reason(skb, SKB_DROP_REASON_PKT_TOO_BIG);
		return;
	}
	nic_count_rx(dev, pkt->segs, pkt->len);
	nic_clean(skb);
	skb->protocol = eth_type_trans(skb, dev);
	skb_postpull_rcsum(skb, eth_hdr(skb), ETH_HLEN);
	if (alone) {
		netif_receive_skb(skb);
		return;
	}
	/*
	 * GRO takes the fragments out of packets that it merges. Clones share
	 * them: those that a TCP sender keeps for retransmission, and copies. So
	 * the packet gets a list of fragments of its own. Without memory it
	 * bypasses GRO, and may overtake packets that GRO holds.
	 */
	if (unlikely(skb_unclone(skb, GFP_ATOMIC)))
		netif_receive_skb(skb);
	else
		napi_gro_receive(&nic->napi, skb);
}

static int nic_poll(struct napi_struct *napi, int budget)
{
	struct weft_nic *nic = container_of(napi, struct weft_nic, napi);
	struct sk_buff *skb;
	int done = 0;

	spin_lock(&nic->rx.lock);
	skb_queue_splice_tail_init(&nic->rx, &nic->batch);
	WRITE_ONCE(nic->rx_raised, false);
	spin_unlock(&nic->rx.lock);

	while (done < budget && (skb = __skb_dequeue(&nic->batch))) {
		nic_deliver(nic, skb, nic_alone(nic, done));
		done++;
	}
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

static int nic_open(struct net_device *dev)
{
	struct weft_nic *nic = netdev_priv(dev);

	napi_enable(&nic->napi);
	spin_lock_bh(&nic->rx.lock);
	nic->rx_open = true;
	WRITE_ONCE(nic->rx_raised, false);
	spin_unlock_bh(&nic->rx.lock);
	netif_tx_start_all_queues(dev);
	return 0;
}

static int nic_stop(struct net_device *dev)
{
	struct weft_nic *nic = netdev_priv(dev);

	netif_tx_stop_all_queues(dev);
	spin_lock_bh(&nic->rx.lock);
	nic->rx_open = false;
	spin_unlock_bh(&nic->rx.lock);
	napi_disable(&nic->napi);
	skb_queue_purge(&nic->rx);
	__skb_queue_purge(&nic->batch);
	return 0;
}

static int nic_init(struct net_device *dev)
{
	struct weft_nic *nic = netdev_priv(dev);
	int err;

	dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!dev->tstats)
		return -ENOMEM;
	err = weft_parent_add(dev);
	if (err) {
		free_percpu(dev->tstats);
		return err;
	}
	netdev_lockdep_set_classes(dev);
	nic->dev = dev;
	skb_queue_head_init(&nic->rx);
	__skb_queue_head_init(&nic->batch);
	netif_napi_add(dev, &nic->napi, nic_poll);
	netif_carrier_off(dev);
	return 0;
}

static void nic_uninit(struct net_device *dev)
{
	struct weft_nic *nic = netdev_priv(dev);
	struct weft_endpoint *wep = rtnl_dereference(nic->ep);

	if (wep)
		weft_endpoint_detach(wep);
}

static void nic_free(struct net_device *dev)
{
	weft_parent_del(dev);
	weft_parent_uncharge(dev);
	free_percpu(dev->tstats);
}

static u16 nic_select_queue(struct net_device *dev, struct sk_buff *skb,
			    struct net_device *sb_dev)
{
	struct weft_nic *nic = netdev_priv(dev);
	u8 prio = weft_nic_prio(nic, skb);
	const struct weft_endpoint *wep;
	u16 cls = prio;

	if (netdev_get_num_tc(dev))
		return dev->tc_to_txq[netdev_get_prio_tc_map(dev, prio)].offset;
	rcu_read_lock();
	wep = rcu_dereference(nic->ep);
	if (wep)
		cls = wep->vl[prio];
	rcu_read_unlock();
	/* A packet whose service level has no class is dropped, so any queue will do. */
	return cls < dev->real_num_tx_queues ? cls : 0;
}

static netdev_features_t nic_fix_features(struct net_device *dev,
					  netdev_features_t features)
{
	struct weft_nic *nic = netdev_priv(dev);

	return nic->train ? features : features & ~NIC_GSO_FEATURES;
}

static int nic_set_mac(struct net_device *dev, void *addr)
{
	struct weft_nic *nic = netdev_priv(dev);
	struct weft_endpoint *wep = rtnl_dereference(nic->ep);
	const struct sockaddr *sa = addr;
	int err;

	err = eth_prepare_mac_addr_change(dev, addr);
	if (err)
		return err;
	if (wep) {
		weft_engine_lock(wep->fabric);
		err = weft_mac_add(&wep->fabric->macs, &wep->mac,
				   (const u8 *)sa->sa_data);
		weft_engine_unlock(wep->fabric);
	}
	if (!err)
		eth_commit_mac_addr_change(dev, addr);
	return err;
}

/* A frame that is longer than the credits of a VL would always be dropped. */
static int nic_change_mtu(struct net_device *dev, int mtu)
{
	struct weft_nic *nic = netdev_priv(dev);
	struct weft_endpoint *wep = rtnl_dereference(nic->ep);

	if (wep && wep->link && !weft_link_takes(wep->link, mtu + ETH_HLEN)) {
		net_info_ratelimited("%s: no MTU of %d: a virtual lane of the link has no room for such frames\n",
				     dev->name, mtu);
		return -EINVAL;
	}
	WRITE_ONCE(dev->mtu, mtu);
	return 0;
}

static const struct net_device_ops nic_ops = {
	.ndo_init = nic_init,
	.ndo_uninit = nic_uninit,
	.ndo_open = nic_open,
	.ndo_stop = nic_stop,
	.ndo_start_xmit = nic_xmit,
	.ndo_select_queue = nic_select_queue,
	.ndo_fix_features = nic_fix_features,
	.ndo_features_check = passthru_features_check,
	.ndo_get_stats64 = dev_get_tstats64,
	.ndo_set_mac_address = nic_set_mac,
	.ndo_change_mtu = nic_change_mtu,
	.ndo_neigh_construct = weft_nic_neigh_construct,
	.ndo_validate_addr = eth_validate_addr,
};

static const struct device_type nic_type = {
	.name = "weft",
};

/**
 * weft_nic_setup() - fill in a netdev, for the rtnl kind
 * @dev: the netdev
 *
 * Context: process, RTNL held.
 */
void weft_nic_setup(struct net_device *dev)
{
	ether_setup(dev);
	eth_hw_addr_random(dev);
	SET_NETDEV_DEVTYPE(dev, &nic_type);
	dev->netdev_ops = &nic_ops;
	weft_nic_set_ethtool(dev);
	weft_nic_set_dcb(dev);
	dev->needs_free_netdev = true;
	dev->priv_destructor = nic_free;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	/* netpoll sends with interrupts off, but then the engine cannot run. */
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE | IFF_DISABLE_NETPOLL;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->features = NIC_FEATURES;
	dev->hw_features = NIC_FEATURES;
	dev->vlan_features = NIC_FEATURES;
	dev->hw_enc_features = NIC_FEATURES;
	dev->mpls_features = NIC_FEATURES;
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_setup);

/**
 * weft_nic_is() - is a netdev of kind "weft"?
 * @dev: any netdev
 *
 * Context: any.
 * Return: true if it is.
 */
bool weft_nic_is(const struct net_device *dev)
{
	return dev->netdev_ops == &nic_ops;
}
