// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of an RDMA device.
 *
 * On InfiniBand there is no subnet manager: the LID of a NIC is the id of its
 * endpoint plus one, and the fabric routes by it.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/sysfs.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "rdma/dev.h"

#define ATTR_SM_LID	1
#define ATTR_GIDS_IB	1		/* fe80::/64 and the GUID */
#define ATTR_ACK_DELAY	15		/* 4.096 us * 2^15: no timeout is too early */
#define ATTR_SUBNET_TIMEOUT	18
#define ATTR_ROCE_HEADERS	(40 + 8 + 12 + 16 + 4)	/* IPv6, UDP, BTH, RETH, ICRC */

static void attr_limits(struct ib_device_attr *attr, u32 max)
{
	attr->max_mr_size = U64_MAX;
	attr->max_qp = max;
	attr->max_qp_wr = WEFT_RDMA_WR_MAX;
	attr->max_send_sge = WEFT_RDMA_SGE_MAX;
	attr->max_recv_sge = WEFT_RDMA_SGE_MAX;
	attr->max_sge_rd = WEFT_RDMA_SGE_MAX;
	attr->max_cq = max;
	attr->max_cqe = WEFT_RDMA_CQE_MAX;
	attr->max_mr = max;
	attr->max_pd = max;
	attr->max_ah = max;
	attr->max_srq = max;
	attr->max_srq_wr = WEFT_RDMA_WR_MAX;
	attr->max_srq_sge = WEFT_RDMA_SGE_MAX;
	attr->max_mcast_grp = WEFT_RDMA_GROUPS;
	attr->max_mcast_qp_attach = WEFT_RDMA_MEMBERS;
	attr->max_total_mcast_qp_attach = WEFT_RDMA_GROUPS * WEFT_RDMA_MEMBERS;
	attr->max_qp_rd_atom = WEFT_RDMA_RD_ATOMIC;
	attr->max_qp_init_rd_atom = WEFT_RDMA_RD_ATOMIC;
	attr->max_res_rd_atom = WEFT_RDMA_RD_ATOMIC * max;
	attr->max_pkeys = 1;
}

/**
 * weft_rdma_query_device() - attributes of a device
 * @ib: the device
 * @attr: result; the core cleared it
 * @udata: udata of the process, which must be empty
 *
 * The core keeps the attributes of the registration.
 *
 * Context: process.
 * Return: 0, or -EINVAL.
 */
int weft_rdma_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			   struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	attr_limits(attr, dev->max_objects);
	attr->sys_image_guid = dev->guid;
	attr->page_size_cap = ~(u64)(PAGE_SIZE - 1);
	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_RC_RNR_NAK_GEN;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->masked_atomic_cap = IB_ATOMIC_NONE;
	attr->local_ca_ack_delay = ATTR_ACK_DELAY;
	return 0;
}

/* Data rate of a lane, and its code in subnet management. */
static const struct {
	u32 mbps;
	u16 code;
} attr_speed[] = {
	{ 2000, IB_SPEED_SDR }, { 4000, IB_SPEED_DDR }, { 8000, IB_SPEED_QDR },
	{ 10000, IB_SPEED_FDR10 }, { 13640, IB_SPEED_FDR },
	{ 25000, IB_SPEED_EDR }, { 50000, IB_SPEED_HDR },
	{ 100000, IB_SPEED_NDR }, { 200000, 256 /* XDR */ },
};

/* 4X comes first, because it is the usual width. */
static const struct {
	u8 lanes;
	u8 code;
} attr_width[] = {
	{ 4, IB_WIDTH_4X }, { 1, IB_WIDTH_1X }, { 2, IB_WIDTH_2X },
	{ 8, IB_WIDTH_8X }, { 12, IB_WIDTH_12X },
};

/* Speed and width whose product is nearest to the rate of the wire. */
static void attr_rate(u64 bps, struct ib_port_attr *attr)
{
	u64 best = U64_MAX, rate, off;
	u32 w, s;

	for (w = 0; w < ARRAY_SIZE(attr_width); w++) {
		for (s = 0; s < ARRAY_SIZE(attr_speed); s++) {
			rate = attr_speed[s].mbps * 1000000ULL *
			       attr_width[w].lanes;
			off = rate > bps ? rate - bps : bps - rate;
			if (off >= best)
				continue;
			best = off;
			attr->active_speed = attr_speed[s].code;
			attr->active_width = attr_width[w].code;
		}
	}
}

/* Code of the number of data VLs: 1, 2, 4, 8 or 15. */
static u8 attr_vls(u32 classes)
{
	return classes >= 15 ? 5 : fls(classes);
}

static void attr_of_nic(struct weft_rdma_dev *dev, struct ib_port_attr *attr)
{
	const struct weft_endpoint *wep;

	weft_rdma_lock(dev);
	wep = dev->client.wep;
	attr->state = dev->up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = dev->up ? IB_PORT_PHYS_STATE_LINK_UP :
				     IB_PORT_PHYS_STATE_POLLING;
	attr_rate(wep ? weft_port_rate(dev) : 0, attr);
	attr->max_vl_num = attr_vls(wep ? wep->ep.p.port.classes : 1);
	weft_rdma_unlock(dev);
}

/* The largest IB MTU whose packets fit into the netdev's frames. */
static enum ib_mtu attr_mtu(const struct weft_rdma_dev *dev)
{
	int mtu = READ_ONCE(dev->netdev->mtu);

	if (dev->is_ib)
		return IB_MTU_4096;
	return ib_mtu_int_to_enum(max(mtu - ATTR_ROCE_HEADERS, 256));
}

/**
 * weft_rdma_query_port() - attributes of the port
 * @ib: the device
 * @port: 1
 * @attr: result; the core cleared it
 *
 * Context: process; takes the fabric's lock.
 * Return: 0.
 */
int weft_rdma_query_port(struct ib_device *ib, u32 port,
			 struct ib_port_attr *attr)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	attr_of_nic(dev, attr);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = attr_mtu(dev);
	attr->max_msg_sz = WEFT_RDMA_MSG_MAX;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->pkey_tbl_len = 1;
	attr->gid_tbl_len = dev->is_ib ? ATTR_GIDS_IB : WEFT_RDMA_GIDS;
	attr->ip_gids = !dev->is_ib;
	attr->subnet_timeout = ATTR_SUBNET_TIMEOUT;
	if (dev->is_ib) {
		attr->lid = dev->lid;
		attr->sm_lid = ATTR_SM_LID;
	}
	return 0;
}

/**
 * weft_rdma_port_immutable() - attributes of the port that the core keeps
 * @ib: the device
 * @port: 1
 * @im: result
 *
 * Context: process.
 * Return: 0.
 */
int weft_rdma_port_immutable(struct ib_device *ib, u32 port,
			     struct ib_port_immutable *im)
{
	const struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	im->core_cap_flags = dev->is_ib ? RDMA_CORE_PORT_IBA_IB :
					  RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	im->max_mad_size = IB_MGMT_MAD_SIZE;
	im->pkey_tbl_len = 1;
	im->gid_tbl_len = dev->is_ib ? ATTR_GIDS_IB : WEFT_RDMA_GIDS;
	return 0;
}

/**
 * weft_rdma_link_layer() - InfiniBand or Ethernet
 * @ib: the device
 * @port: 1
 *
 * Context: any.
 * Return: the link layer.
 */
enum rdma_link_layer weft_rdma_link_layer(struct ib_device *ib, u32 port)
{
	return weft_rdma_dev_of(ib)->is_ib ? IB_LINK_LAYER_INFINIBAND :
					     IB_LINK_LAYER_ETHERNET;
}

/**
 * weft_rdma_query_pkey() - entry of the P_Key table: the default P_Key
 * @ib: the device
 * @port: 1
 * @index: 0
 * @pkey: result
 *
 * Context: any.
 * Return: 0, or -EINVAL.
 */
int weft_rdma_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

/**
 * weft_rdma_query_gid() - entry of the GID table of InfiniBand
 * @ib: the device
 * @port: 1
 * @index: 0
 * @gid: result
 *
 * Context: any.
 * Return: 0, or -EINVAL.
 */
int weft_rdma_query_gid(struct ib_device *ib, u32 port, int index,
			union ib_gid *gid)
{
	if (index)
		return -EINVAL;
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = weft_rdma_dev_of(ib)->guid;
	return 0;
}

/**
 * weft_rdma_add_gid() - RoCE: a GID is added to the core's table
 * @attr: the GID
 * @context: for the driver, unused
 *
 * Nothing to do: address vectors come with their entry of the table.
 *
 * Context: process.
 * Return: 0.
 */
int weft_rdma_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

/**
 * weft_rdma_del_gid() - RoCE: a GID is removed from the core's table
 * @attr: the GID
 * @context: for the driver, unused
 *
 * Context: process.
 * Return: 0.
 */
int weft_rdma_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static ssize_t hca_type_show(struct device *device,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "weft\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *device,
			   struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}
static DEVICE_ATTR_RO(hw_rev);

static struct attribute *attr_sysfs[] = {
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	NULL
};

/* Attributes that ibstat reads. */
const struct attribute_group weft_rdma_attr_group = {
	.attrs = attr_sysfs,
};
