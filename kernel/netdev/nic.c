// SPDX-License-Identifier: GPL-2.0
/*
 * A NIC: a netdev of kind "weft".
 *
 * DOC: theory of operation
 *
 * Each class of the fabric is a transmit queue. A class whose ring in the model
 * is full stops its queue, and the model wakes it, so that the queueing
 * discipline and the socket feel the fabric.
 *
 * The service level of a packet is its priority, 0 to 7: that of its DSCP, where
 * the NIC trusts it, otherwise that of the socket buffer (SO_PRIORITY, the TOS
 * of the socket, tc). It stays from end to end. The NIC's table says which class
 * that is on the first wire, and the class which queue; a map of traffic classes
 * (mqprio) goes before the table.
 *
 * What the stack hands down in one piece goes onto the wire as frames of MTU
 * size. The stack cuts it, behind the queueing discipline, because the device
 * then offers no segmentation: packet taps see what the wire sees, and a ring
 * that fills up stops between two frames. With segmentation "train" the device
 * offers it and the piece travels whole, with the wire overhead of its frames.
 * No one computes checksums: between namespaces they cannot go wrong.
 *
 * A packet leaves its namespace when it is handed to the model: there it loses
 * all that is the sending host's (route, mark, conntrack entry, hash). In the
 * fabric it refers to no netdev, so either side may vanish meanwhile.
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
 * What has no DSCP is as if that were not trusted.
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
 * weft_nic_set_trust() - say what the priority of a packet depends on
 * @nic: the NIC
 * @dscp: on its DSCP, where it has one; otherwise on the socket buffer only
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

/* An address that no NIC has, or a group's, is for the flood ports. */
static void nic_address(const struct weft_fabric *f, const u8 *addr,
			struct fab_pkt *pkt)
{
	const struct weft_endpoint *to = NULL;

	if (!is_multicast_ether_addr(addr))
		to = nic_by_mac(f, addr);
	if (to)
		pkt->dst = to->ep.id;
	else
		pkt->flags |= FAB_PKT_MULTICAST;
}

static void nic_count_tx(struct weft_endpoint *wep, const struct fab_pkt *pkt)
{
	wep->tx[pkt->cls].packets += pkt->segs;
	wep->tx[pkt->cls].bytes += pkt->len;
	dev_sw_netstats_tx_add(wep->nic->dev, pkt->segs, pkt->len);
}

/*
 * Hand a packet to the model; the fabric's lock is held.
 *
 * Return: 0; -EBUSY when the ring is full, with @skb untouched; another error
 * when it cannot be sent, and is still the caller's.
 */
static int nic_send(struct weft_endpoint *wep, struct sk_buff *skb,
		    struct fab_pkt *pkt)
{
	struct weft_fabric *f = wep->fabric;
	int err;

	if (wep->gone || pkt->cls >= wep->ep.p.port.classes)
		return -ENODEV;
	if (wep->vl[pkt->sl] == FAB_VL_DROP) {
		wep->ep.port.c.drops[FAB_DROP_SL_DROP] += pkt->segs;
		return -EPERM;
	}
	if (fab_endpoint_stop(&wep->ep, pkt->cls))
		return -EBUSY;
	nic_address(f, skb->data, pkt);
	/* A switch does not send a frame back to where it came from. */
	if (!(pkt->flags & FAB_PKT_MULTICAST) && pkt->dst == wep->ep.id)
		return -EHOSTUNREACH;
	if (weft_limit_take(f->limited, 0, skb->truesize, NULL)) {
		f->host_drops[WEFT_HOST_DROP_LIMIT]++;
		return -EDQUOT;
	}
	/* Once per packet: one that is put off comes again. */
	skb_tx_timestamp(skb);
	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->dev = NULL;
	*weft_pkt_of(skb) = *pkt;
	err = fab_endpoint_send(&f->fab, &wep->ep, weft_pkt_of(skb));
	if (!err)
		nic_count_tx(wep, pkt);
	else
		weft_limit_give(f->limited, 0, skb->truesize);
	return err;
}

static int nic_hand_over(struct weft_endpoint *wep, struct sk_buff *skb,
			 struct net_device *dev)
{
	u16 cls = skb_get_queue_mapping(skb);
	struct fab_pkt pkt;
	int err;

	weft_pkt_fill(&pkt, skb);
	pkt.cls = cls;
	pkt.sl = weft_nic_prio(wep->nic, skb);
	weft_engine_lock(wep->fabric);
	err = nic_send(wep, skb, &pkt);
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
	/* Pages of the sender's are copied, as it waits for them to come back. */
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
 * The host is told by weft_nic_interrupt().
 *
 * Context: softirqs off; the fabric's lock is held, so this only queues.
 * Return: 0; -ENETDOWN where the NIC is down; -ENOBUFS when the packet was lost
 * because the host does not keep up.
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
 * weft_nic_interrupt() - tell the host that packets wait
 * @nic: the NIC
 *
 * Context: softirqs off; the fabric's lock is held.
 * Return: false where none waits, or the host was told and has not looked yet.
 */
bool weft_nic_interrupt(struct weft_nic *nic)
{
	bool raise;

	spin_lock(&nic->rx.lock);
	raise = !nic->rx_raised && !skb_queue_empty(&nic->rx);
	nic->rx_raised |= raise;
	spin_unlock(&nic->rx.lock);
	if (raise)
		napi_schedule(&nic->napi);
	return raise;
}

static void nic_count_rx(struct net_device *dev, u32 packets, u32 bytes)
{
	struct pcpu_sw_netstats *stats = this_cpu_ptr(dev->tstats);

	u64_stats_update_begin(&stats->syncp);
	u64_stats_add(&stats->rx_packets, packets);
	u64_stats_add(&stats->rx_bytes, bytes);
	u64_stats_update_end(&stats->syncp);
}

/* Nothing of the sending host's, nor of the model's, is left on the packet. */
static void nic_clean(struct sk_buff *skb)
{
	memset(skb->cb, 0, sizeof(skb->cb));
	skb_set_queue_mapping(skb, 0);
	skb->priority = 0;
}

/*
 * Is the packet at hand the only one, so that there is nothing to merge it with? Nor
 * shall it wait for others, as gro_flush_timeout wants it.
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
	 * GRO takes the fragments out of what it merges. What a TCP sender keeps
	 * for a retransmission shares them, and so do copies: they get a list of
	 * fragments of their own. To go around GRO would be to overtake what it
	 * holds, which a host without memory accepts.
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
	nic->rx_raised = false;
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
	nic->rx_raised = false;
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

	dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!dev->tstats)
		return -ENOMEM;
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
	/* A service level without a class is dropped wherever it queues. */
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

/* A frame longer than a lane of the link would be dropped each time. */
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
	/* netpoll sends with interrupts off, where the engine cannot run. */
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
 * weft_nic_is() - is this netdev of our kind?
 * @dev: any netdev
 *
 * Context: any.
 * Return: whether it is.
 */
bool weft_nic_is(const struct net_device *dev)
{
	return dev->netdev_ops == &nic_ops;
}
