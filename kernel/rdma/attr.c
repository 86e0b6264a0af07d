// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of an RDMA device.
 *
 * Those of an InfiniBand port are what subnet management has (agent/sma.h).
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/sysfs.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "rdma/dev.h"

#define ATTR_GIDS_IB	1		/* fe80::/64 and the GUID */
#define ATTR_ACK_DELAY	15		/* 4.096 us * 2^15: no timeout is too early */
#define ATTR_SUBNET_TIMEOUT	18
/* NVLink: groups have GIDs, and nobody is there who would connect or manage. */
#define ATTR_STORES	(RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP | RDMA_CORE_CAP_ETH_AH)
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
	attr->max_fast_reg_page_list_len = WEFT_FAST_REG_BLOCKS;
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
	attr->max_pkeys = weft_rdma_pkeys(dev);
	attr->sys_image_guid = dev->guid;
	attr->vendor_id = WEFT_RDMA_VENDOR;
	attr->page_size_cap = ~(u64)(PAGE_SIZE - 1);
	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_LOCAL_DMA_LKEY |
				 IBK_SG_GAPS_REG;
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

/**
 * weft_attr_rate() - speed and width whose product is nearest to a rate
 * @bps: rate of the wire, bits per second
 * @speed: IB_SPEED_*
 * @width: IB_WIDTH_*
 *
 * Context: any.
 */
void weft_attr_rate(u64 bps, u32 *speed, u8 *width)
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
			*speed = attr_speed[s].code;
			*width = attr_width[w].code;
		}
	}
}

/**
 * weft_rdma_link_rate() - speed and width of the link
 * @dev: the device
 * @attr: its active_speed and active_width are set
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rdma_link_rate(struct weft_rdma_dev *dev, struct ib_port_attr *attr)
{
	u32 speed;

	weft_attr_rate(dev->client.wep ? weft_port_rate(dev) : 0, &speed,
		       &attr->active_width);
	attr->active_speed = speed;
}

/*
 * RoCE: the largest IB MTU whose packets fit into the netdev's frames. Stores have no frames,
 * and the largest chunk.
 */
static enum ib_mtu attr_mtu(const struct weft_rdma_dev *dev)
{
	int mtu = READ_ONCE(dev->netdev->mtu);

	if (dev->stores)
		return IB_MTU_4096;
	return ib_mtu_int_to_enum(max(mtu - ATTR_ROCE_HEADERS, 256));
}

/*
 * A port of NVLink stays armed: transports take ports that are active, and this one carries
 * nothing of theirs.
 */
static void attr_roce(struct weft_rdma_dev *dev, struct ib_port_attr *attr)
{
	attr->state = !dev->up ? IB_PORT_DOWN : dev->stores ? IB_PORT_ARMED : IB_PORT_ACTIVE;
	attr->active_mtu = attr_mtu(dev);
	attr->port_cap_flags = dev->stores ? 0 : IB_PORT_CM_SUP;
	attr->subnet_timeout = ATTR_SUBNET_TIMEOUT;
	attr->ip_gids = true;
}

/* What subnet management has of the port. */
static void attr_ib(struct weft_rdma_dev *dev, struct ib_port_attr *attr)
{
	const struct weft_sma_port *p = &dev->sma.port;
	struct weft_sma_link l;

	weft_sma_describe(dev, &l);
	attr->state = p->state;
	attr->active_mtu = p->mtu;
	attr->port_cap_flags = dev->sma.managed ? l.cap_mask : dev->sma.caps;
	attr->subnet_timeout = p->subnet_timeout;
	attr->lid = p->lid;
	attr->lmc = p->lmc;
	attr->sm_lid = p->sm_lid;
	attr->sm_sl = p->sm_sl;
	attr->init_type_reply = p->init_type;
	attr->bad_pkey_cntr = p->pkey_violations;
	attr->qkey_viol_cntr = p->qkey_violations;
}

static int attr_gids(const struct weft_rdma_dev *dev)
{
	if (!dev->is_ib)
		return WEFT_RDMA_GIDS;
	return dev->sma.managed ? WEFT_SMA_GUIDS : ATTR_GIDS_IB;
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

	attr->max_mtu = IB_MTU_4096;
	attr->max_msg_sz = WEFT_RDMA_MSG_MAX;
	attr->pkey_tbl_len = weft_rdma_pkeys(dev);
	attr->gid_tbl_len = attr_gids(dev);
	weft_rdma_lock(dev);
	attr->max_vl_num = weft_sma_vl_code(dev->client.wep ?
					    dev->client.wep->ep.p->port.classes : 1);
	attr->phys_state = weft_sma_phys_state(dev);
	weft_rdma_link_rate(dev, attr);
	if (dev->is_ib)
		attr_ib(dev, attr);
	else
		attr_roce(dev, attr);
	weft_rdma_unlock(dev);
	return 0;
}

/**
 * weft_rdma_modify_port() - change attributes of an InfiniBand port
 * @ib: the device
 * @port: 1
 * @mask: IB_PORT_*: what else than capabilities is to be changed
 * @m: capabilities to be set and cleared, init type
 *
 * Context: process; takes the fabric's lock.
 * Return: 0; -EOPNOTSUPP for a shutdown of the port.
 */
int weft_rdma_modify_port(struct ib_device *ib, u32 port, int mask,
			  struct ib_port_modify *m)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	if (mask & ~(IB_PORT_INIT_TYPE | IB_PORT_RESET_QKEY_CNTR))
		return -EOPNOTSUPP;
	weft_rdma_lock(dev);
	if (mask & IB_PORT_INIT_TYPE)
		dev->sma.init_type = m->init_type & 15;
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		dev->sma.port.qkey_violations = 0;
	weft_sma_caps(dev, m->set_port_cap_mask, m->clr_port_cap_mask);
	weft_rdma_unlock(dev);
	return 0;
}

/**
 * weft_rdma_modify_device() - change attributes of a device
 * @ib: the device
 * @mask: IB_DEVICE_MODIFY_*: what is to be changed
 * @m: the attributes
 *
 * Context: process; takes the fabric's lock.
 * Return: 0; -EOPNOTSUPP for anything but the node description.
 */
int weft_rdma_modify_device(struct ib_device *ib, int mask,
			    struct ib_device_modify *m)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!mask)
		return 0;
	weft_rdma_lock(dev);
	memcpy(ib->node_desc, m->node_desc, sizeof(ib->node_desc));
	weft_trap_node_desc(dev);
	weft_rdma_unlock(dev);
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
			     dev->stores ? ATTR_STORES :
					   RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	im->max_mad_size = dev->stores ? 0 : IB_MGMT_MAD_SIZE;
	im->pkey_tbl_len = weft_rdma_pkeys(dev);
	im->gid_tbl_len = attr_gids(dev);
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
 * weft_rdma_query_pkey() - entry of the P_Key table
 * @ib: the device
 * @port: 1
 * @index: index of the entry
 * @pkey: result; 0 for an entry that is not used
 *
 * RoCE has the default P_Key, as has a fabric that manages itself.
 *
 * Context: process; takes the fabric's lock.
 * Return: 0, or -EINVAL.
 */
int weft_rdma_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	if (index >= weft_rdma_pkeys(dev))
		return -EINVAL;
	weft_rdma_lock(dev);
	*pkey = weft_rdma_pkey(dev, index);
	weft_rdma_unlock(dev);
	return 0;
}

/**
 * weft_rdma_query_gid() - entry of the GID table of InfiniBand
 * @ib: the device
 * @port: 1
 * @index: index of the entry
 * @gid: result; 0 for an entry that is not used
 *
 * Context: process; takes the fabric's lock.
 * Return: 0, or -EINVAL.
 */
int weft_rdma_query_gid(struct ib_device *ib, u32 port, int index,
			union ib_gid *gid)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	if (index < 0 || index >= attr_gids(dev))
		return -EINVAL;
	memset(gid, 0, sizeof(*gid));
	weft_rdma_lock(dev);
	if (dev->sma.guids[index]) {
		gid->global.subnet_prefix = cpu_to_be64(dev->sma.port.gid_prefix);
		gid->global.interface_id = dev->sma.guids[index];
	}
	weft_rdma_unlock(dev);
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
