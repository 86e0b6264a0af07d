// SPDX-License-Identifier: GPL-2.0
/*
 * Address vectors, and the paths of packets that they describe.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "netdev/nic.h"
#include "rdma/dev.h"
#include "rdma/pd.h"

#define AH_RATE_UNIT	2500000000ULL	/* of ib_rate_to_mult(), bits per second */
#define AH_PRIO_MASK	(WEFT_NIC_PRIOS - 1)
#define AH_DSCP_SHIFT	2		/* of the traffic class */

static u64 ah_rate(const struct rdma_ah_attr *attr)
{
	int mult = ib_rate_to_mult(rdma_ah_get_static_rate(attr));

	return mult > 0 ? mult * AH_RATE_UNIT : 0;
}

/* Ethernet priority: by the DSCP where the NIC trusts it, else by the SL. */
static u8 ah_prio(const struct weft_rdma_dev *dev,
		  const struct rdma_ah_attr *attr)
{
	const struct weft_nic *nic = netdev_priv(dev->netdev);

	if (READ_ONCE(nic->trust_dscp))
		return READ_ONCE(nic->dscp_prio[attr->grh.traffic_class >>
						AH_DSCP_SHIFT]);
	return rdma_ah_get_sl(attr) & AH_PRIO_MASK;
}

static void path_grh(const struct ib_global_route *grh, struct weft_path *path)
{
	path->dgid = grh->dgid;
	path->sgid_index = grh->sgid_index;
	path->flow_label = grh->flow_label;
	path->tclass = grh->traffic_class;
	path->hop_limit = grh->hop_limit;
	if (grh->sgid_attr)
		path->sgid = grh->sgid_attr->gid;
}

/* The netdev of a GID may be a VLAN or a macvlan above the NIC. */
static int path_roce(struct weft_rdma_dev *dev, const struct rdma_ah_attr *attr,
		     struct weft_path *path)
{
	u16 vlan = VLAN_N_VID;
	int err;

	if (!path->has_grh || !attr->grh.sgid_attr ||
	    attr->type != RDMA_AH_ATTR_TYPE_ROCE)
		return -EINVAL;
	err = rdma_read_gid_l2_fields(attr->grh.sgid_attr, &vlan, path->smac);
	if (err)
		return err;
	path->vlan = vlan < VLAN_N_VID ? vlan : 0;
	ether_addr_copy(path->dmac, attr->roce.dmac);
	path->is_ipv4 = ipv6_addr_v4mapped((struct in6_addr *)&path->sgid);
	path->sport = rdma_flow_label_to_udp_sport(path->flow_label);
	path->sl = ah_prio(dev, attr);
	weft_path_hash(dev, path);
	return 0;
}

static int path_ib(const struct rdma_ah_attr *attr, struct weft_path *path)
{
	if (attr->type != RDMA_AH_ATTR_TYPE_IB || !rdma_ah_get_dlid(attr) ||
	    rdma_ah_get_sl(attr) >= FAB_CLASSES_MAX)
		return -EINVAL;
	path->path_bits = rdma_ah_get_path_bits(attr);
	path->dlid = rdma_ah_get_dlid(attr);
	path->sl = rdma_ah_get_sl(attr);
	return 0;
}

/**
 * weft_path_from_av() - make the path that an address vector describes
 * @dev: device
 * @attr: address vector; with a GRH, ib_core has found its source GID
 * @path: set to the path, except on errors
 *
 * The UDP source port of RoCE is made from the flow label. Without a flow label it
 * is the lowest port, as on mlx5, and a connected queue pair makes it from the QP
 * numbers instead. Where the NIC trusts the DSCP, the priority is set here and not
 * for each packet.
 *
 * Context: any, may be atomic.
 * Return: 0; -EINVAL for a vector of another link layer, or without what the
 * link layer needs; -ENODEV if the netdev of its source GID is gone.
 */
int weft_path_from_av(struct weft_rdma_dev *dev,
		      const struct rdma_ah_attr *attr, struct weft_path *path)
{
	struct weft_path p = {
		.has_grh = rdma_ah_get_ah_flags(attr) & IB_AH_GRH,
		.rate_bps = ah_rate(attr),
	};
	int err;

	if (p.has_grh)
		path_grh(rdma_ah_read_grh(attr), &p);
	err = dev->is_ib ? path_ib(attr, &p) : path_roce(dev, attr, &p);
	if (!err)
		*path = p;
	return err;
}

/**
 * weft_create_ah() - create an address handle
 * @ibah: handle
 * @init: its address vector
 * @udata: udata of the process, NULL for the kernel's own
 *
 * Context: any, may be atomic.
 * Return: as weft_path_from_av(), or -ENOMEM.
 */
int weft_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibah->device);
	struct weft_ah *ah = weft_ah_of(ibah);
	int err;

	ah->attr = *init->ah_attr;
	ah->attr.grh.sgid_attr = NULL;
	err = weft_path_from_av(dev, init->ah_attr, &ah->path);
	if (err || !udata)
		return err;
	ah->user = true;
	return weft_rdma_get_object(dev, WEFT_RDMA_AHS);
}

/**
 * weft_query_ah() - get the address vector of a handle
 * @ibah: handle
 * @attr: set to it
 *
 * Context: any.
 * Return: 0.
 */
int weft_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = weft_ah_of(ibah)->attr;
	return 0;
}

/**
 * weft_destroy_ah() - destroy an address handle
 * @ibah: handle
 * @flags: RDMA_DESTROY_AH_*, unused
 *
 * Requests have copies of its path.
 *
 * Context: any.
 * Return: 0.
 */
int weft_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	if (weft_ah_of(ibah)->user)
		weft_rdma_put_object(weft_rdma_dev_of(ibah->device), WEFT_RDMA_AHS);
	return 0;
}
