// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: NICs of a fabric.
 */
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "netdev/nic.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

#define NIC_QUEUE	SZ_64K
#define NIC_QUANTUM	1024

static int nic_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_endpoint *wep = obj;

	return nla_put_u32(skb, WEFT_A_NIC_FABRIC, wep->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_NIC_ID, wep->ep.id);
}

/* The netdev's ifindex and namespace, as seen from the fabric's namespace. */
static int nic_put_netdev(struct sk_buff *skb, const struct weft_endpoint *wep)
{
	const struct net_device *dev = wep->nic->dev;
	struct net *net = wep->fabric->net;
	int nsid;

	if (nla_put_u32(skb, WEFT_A_NIC_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, WEFT_A_NIC_IFNAME, dev->name) ||
	    nla_put(skb, WEFT_A_NIC_ADDRESS, ETH_ALEN, dev->dev_addr))
		return -EMSGSIZE;
	if (net_eq(dev_net(dev), net))
		return 0;
	nsid = peernet2id_alloc(net, dev_net(dev), GFP_KERNEL);
	return nsid < 0 ? 0 : nla_put_s32(skb, WEFT_A_NIC_NETNSID, nsid);
}

static int nic_put_rx(struct sk_buff *skb, const struct fab_endpoint *ep)
{
	const struct fab_buffer_params *b = &ep->rx.buffer.p;

	if (b->total < FAB_BUFFER_MAX &&
	    weft_nl_put_u64(skb, WEFT_A_NIC_RX_BUFFER, b->total))
		return -EMSGSIZE;
	return weft_nl_put_u64(skb, WEFT_A_NIC_RX_RATE, ep->rx.p.rate_bps) ?:
	       nla_put_u32(skb, WEFT_A_NIC_RX_STOP, ep->rx.p.stopped) ?:
	       weft_nl_put_accounts(skb, WEFT_A_NIC_BUFFER_CLASS,
				    ep->p->port.classes, b);
}

static int nic_fill_params(struct sk_buff *skb, const void *obj)
{
	/* Not const, because weft_nl_put_verbs() takes the lock. */
	struct weft_endpoint *wep = (void *)obj;
	const struct fab_endpoint_params *p = wep->ep.p;

	if (nic_fill_id(skb, wep) ||
	    weft_nl_put_name(skb, WEFT_A_NIC_NAME, wep->name) ||
	    nic_put_netdev(skb, wep) ||
	    nla_put_u32(skb, WEFT_A_NIC_NEIGHBOUR_PREFIX, wep->neigh_prefix) ||
	    (wep->neigh_eui64 && nla_put_flag(skb, WEFT_A_NIC_NEIGHBOUR_EUI64)) ||
	    nla_put_u32(skb, WEFT_A_NIC_SEGMENTATION,
			wep->nic->train ? WEFT_SEGMENTATION_TRAIN :
					  WEFT_SEGMENTATION_MTU) ||
	    weft_nl_put_u64(skb, WEFT_A_NIC_TX_LATENCY, p->tx_latency) ||
	    weft_nl_put_u64(skb, WEFT_A_NIC_RX_LATENCY, p->rx_latency) ||
	    nic_put_rx(skb, &wep->ep) ||
	    weft_nl_put_port(skb, WEFT_A_NIC_PORT_PARAMS, &p->port, wep->vl) ||
	    weft_nl_put_moderation(skb, WEFT_A_NIC_MODERATION, wep) ||
	    weft_nl_put_verbs(skb, WEFT_A_NIC_VERBS, wep) ||
	    weft_nl_put_rdma(skb, WEFT_A_NIC_RDMA_DEVICE, wep))
		return -EMSGSIZE;
	return 0;
}

static int nic_put_state(struct sk_buff *skb, const struct fab_endpoint *ep)
{
	return weft_nl_put_port_counters(skb, WEFT_A_NIC_COUNTER,
					 WEFT_A_NIC_DROP, &ep->port.c) ?:
	       weft_nl_put_classes(skb, WEFT_A_NIC_CLASS, &ep->port) ?:
	       weft_nl_put_hist(skb, WEFT_A_NIC_LATENCY, ep->latency) ?:
	       weft_nl_put_u64(skb, WEFT_A_NIC_RX_USED, ep->rx.buffer.used) ?:
	       weft_nl_put_u64(skb, WEFT_A_NIC_RX_PEAK, ep->rx.buffer.peak);
}

static int nic_fill(struct sk_buff *skb, const void *obj)
{
	/* Not const, because the counters are updated. */
	struct weft_endpoint *wep = (void *)obj;
	int err;

	err = nic_fill_params(skb, wep);
	if (err)
		return err;
	weft_engine_lock(wep->fabric);
	fab_port_settle(&wep->fabric->fab, &wep->ep.port);
	err = nic_put_state(skb, &wep->ep);
	weft_engine_unlock(wep->fabric);
	return err;
}

/* The namespace of the netdev; the caller puts it. */
static struct net *nic_net(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *fd = info->attrs[WEFT_A_NIC_NETNS_FD];
	struct net *net;

	if (!fd)
		return get_net(genl_info_net(info));
	net = get_net_ns_by_fd(nla_get_u32(fd));
	if (IS_ERR(net)) {
		NL_SET_ERR_MSG_ATTR(info->extack, fd,
				    "not a file descriptor of a network namespace");
		return net;
	}
	if (netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN))
		return net;
	NL_SET_ERR_MSG_ATTR(info->extack, fd,
			    "CAP_NET_ADMIN is needed in the netdev's network namespace");
	put_net(net);
	return ERR_PTR(-EPERM);
}

static struct net_device *nic_dev_by(struct net *net, struct genl_info *info)
{
	struct nlattr *index = info->attrs[WEFT_A_NIC_IFINDEX];
	struct nlattr *name = info->attrs[WEFT_A_NIC_IFNAME];
	struct net_device *dev;

	if (index)
		dev = __dev_get_by_index(net, nla_get_u32(index));
	else
		dev = __dev_get_by_name(net, nla_data(name));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(info->extack, index ?: name,
				    "no such netdev in the network namespace");
		return ERR_PTR(-ENODEV);
	}
	if (index && name && strcmp(dev->name, nla_data(name))) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "ifindex and ifname name different netdevs");
		return ERR_PTR(-EINVAL);
	}
	if (!weft_nic_is(dev)) {
		NL_SET_ERR_MSG_ATTR(info->extack, index ?: name,
				    "netdev is not of kind weft");
		return ERR_PTR(-EINVAL);
	}
	return dev;
}

static struct weft_nic *nic_of_netdev(struct sk_buff *skb,
				      struct genl_info *info)
{
	struct net_device *dev;
	struct net *net;
	int err;

	if (!info->attrs[WEFT_A_NIC_IFINDEX]) {
		err = weft_nl_need(info->attrs, WEFT_A_NIC_IFNAME,
				   "ifindex or ifname", info->extack);
		if (err)
			return ERR_PTR(err);
	}
	net = nic_net(skb, info);
	if (IS_ERR(net))
		return ERR_CAST(net);
	dev = nic_dev_by(net, info);
	put_net(net);
	return IS_ERR(dev) ? ERR_CAST(dev) : netdev_priv(dev);
}

static int nic_get_rx(struct nlattr **attrs, struct fab_receive_params *rx,
		      struct netlink_ext_ack *extack)
{
	const struct nlattr *rate = attrs[WEFT_A_NIC_RX_RATE];

	rx->rate_bps = weft_nl_u64_or(rate, rx->rate_bps);
	rx->stopped = weft_nl_u32_or(attrs[WEFT_A_NIC_RX_STOP], rx->stopped);
	if (!fab_receive_params_check(rx))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, rate,
				"rx-rate must be 0, for at once, or at least %llu",
				FAB_RATE_MIN);
	return -ERANGE;
}

static int nic_get_buffer(struct genl_info *info,
			  struct fab_endpoint_params *p)
{
	static const struct weft_nl_buffer_attrs attrs = {
		.name = "rx-buffer",
		.total = WEFT_A_NIC_RX_BUFFER,
		.cls = WEFT_A_NIC_BUFFER_CLASS,
	};
	const struct nlattr *total = info->attrs[WEFT_A_NIC_RX_BUFFER];

	if (total && p->port.disc->flow->own_room) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, total,
					"rx-buffer, but discipline %s has buffers of its own",
					p->port.disc->name);
		return -EINVAL;
	}
	return weft_nl_get_buffer(info, &attrs, 1, &p->port, &p->buffer);
}

static int nic_get_neigh(struct nlattr **attrs, struct weft_endpoint_params *p,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = attrs[WEFT_A_NIC_NEIGHBOUR_PREFIX];

	p->neigh_eui64 = nla_get_flag(attrs[WEFT_A_NIC_NEIGHBOUR_EUI64]);
	if (!attr)
		return 0;
	p->neigh_prefix = nla_get_u32(attr);
	/* as is_multicast_ether_addr() of the whole address */
	if (!(p->neigh_prefix & 0x100))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
				"neighbour-prefix %#06x is that of a group's address",
				p->neigh_prefix);
	return -EINVAL;
}

static int nic_get_params(struct genl_info *info, const struct weft_nic *nic,
			  struct weft_endpoint_params *p)
{
	struct nlattr **attrs = info->attrs;

	p->id = WEFT_ENDPOINT_ANY;
	p->ep.port.classes = min_t(u32, nic->dev->num_tx_queues,
				   WEFT_NIC_QUEUES);
	p->ep.port.queue_limit = NIC_QUEUE;
	p->ep.port.sched.quantum = NIC_QUANTUM;
	p->ep.port.disc = &fab_drop_tail;
	fab_dcqcn_defaults(&p->verbs.dcqcn);
	p->verbs.reorder = WEFT_REORDER_TIME;
	p->verbs.target = WEFT_TARGET_DELAY;
	p->verbs.paths = WEFT_PATHS;
	p->verbs.timeout = WEFT_RETRANSMIT_TIME;
	fab_ibcc_defaults(&p->verbs.ibcc);
	if (attrs[WEFT_A_NIC_ID])
		p->id = nla_get_u32(attrs[WEFT_A_NIC_ID]);
	if (attrs[WEFT_A_NIC_NAME])
		nla_strscpy(p->name, attrs[WEFT_A_NIC_NAME], sizeof(p->name));
	if (attrs[WEFT_A_NIC_SEGMENTATION])
		p->train = nla_get_u32(attrs[WEFT_A_NIC_SEGMENTATION]) ==
			   WEFT_SEGMENTATION_TRAIN;
	p->ep.tx_latency = weft_nl_u64_or(attrs[WEFT_A_NIC_TX_LATENCY], 0);
	p->ep.rx_latency = weft_nl_u64_or(attrs[WEFT_A_NIC_RX_LATENCY], 0);
	return nic_get_neigh(attrs, p, info->extack) ?:
	       weft_nl_get_port(attrs[WEFT_A_NIC_PORT_PARAMS], &p->ep.port,
				p->vl, info->extack) ?:
	       nic_get_rx(attrs, &p->ep.rx, info->extack) ?:
	       nic_get_buffer(info, &p->ep) ?:
	       weft_nl_get_moderation(attrs[WEFT_A_NIC_MODERATION],
				      &p->ep.moderation, info->extack) ?:
	       weft_nl_get_verbs(attrs[WEFT_A_NIC_VERBS], &p->verbs,
				 info->extack);
}

static void *nic_attach(struct weft_fabric *f, struct sk_buff *skb,
			struct genl_info *info)
{
	struct weft_endpoint_params *p;
	struct weft_endpoint *wep;
	struct weft_nic *nic;
	int err;

	nic = nic_of_netdev(skb, info);
	if (IS_ERR(nic))
		return ERR_CAST(nic);
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return ERR_PTR(-ENOMEM);
	err = nic_get_params(info, nic, p);
	wep = err ? ERR_PTR(err) :
		    weft_endpoint_attach(f, nic, p, info->extack);
	kfree(p);
	return wep;
}

static void nic_detach(void *obj)
{
	weft_endpoint_detach(obj);
}

static const struct weft_nl_objects nic_objects = {
	.name = "NIC",
	.offset = offsetof(struct weft_fabric, nics),
	.fabric = WEFT_A_NIC_FABRIC,
	.id = WEFT_A_NIC_ID,
	.cmd = WEFT_CMD_NIC_GET,
	.ntf = WEFT_CMD_NIC_NTF,
	.fill = nic_fill,
	.fill_id = nic_fill_id,
	.fill_params = nic_fill_params,
	.create = nic_attach,
	.destroy = nic_detach,
};

int weft_nl_nic_attach_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&nic_objects, skb, info);
}

int weft_nl_nic_detach_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_endpoint *wep = weft_nl_object_of(&nic_objects, info);

	if (IS_ERR(wep))
		return PTR_ERR(wep);
	weft_endpoint_detach(wep);
	return 0;
}

static int nic_set_check(struct genl_info *info)
{
	if (info->attrs[WEFT_A_NIC_RX_STOP] || info->attrs[WEFT_A_NIC_VERBS])
		return 0;
	return weft_nl_need(info->attrs, WEFT_A_NIC_RX_RATE,
			    "rx-rate, rx-stop or verbs", info->extack);
}

int weft_nl_nic_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_endpoint *wep = weft_nl_object_of(&nic_objects, info);
	struct weft_verbs_params verbs;
	struct fab_receive_params rx;
	int err;

	if (IS_ERR(wep))
		return PTR_ERR(wep);
	err = nic_set_check(info);
	if (err)
		return err;
	rx = wep->ep.rx.p;
	/* Congestion control management changes it, too. */
	weft_engine_lock(wep->fabric);
	verbs = wep->verbs.p;
	weft_engine_unlock(wep->fabric);
	err = nic_get_rx(info->attrs, &rx, info->extack) ?:
	      weft_nl_get_verbs(info->attrs[WEFT_A_NIC_VERBS], &verbs,
				info->extack);
	if (err)
		return err;
	weft_endpoint_set_receive(wep, &rx);
	if (info->attrs[WEFT_A_NIC_VERBS])
		weft_endpoint_set_verbs(wep, &verbs);
	weft_nl_notify(wep->fabric, info, WEFT_CMD_NIC_NTF, nic_fill_params,
		       wep);
	return 0;
}

int weft_nl_nic_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&nic_objects, info);
}

int weft_nl_nic_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&nic_objects, skb, cb);
}

/**
 * weft_nl_nic_changed() - send the event that a NIC was changed, but not by netlink
 * @wep: its endpoint
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_nic_changed(struct weft_endpoint *wep)
{
	weft_nl_notify(wep->fabric, NULL, WEFT_CMD_NIC_NTF, nic_fill_params,
		       wep);
}

/**
 * weft_nl_nic_gone() - send the event that a NIC is detached
 * @wep: its endpoint
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_nic_gone(struct weft_endpoint *wep)
{
	weft_nl_notify(wep->fabric, NULL, WEFT_CMD_NIC_DEL_NTF, nic_fill_params,
		       wep);
}
