// SPDX-License-Identifier: GPL-2.0
/*
 * An EFA device: its attributes, and what the core calls.
 *
 * DOC: what programs see
 *
 * rdma-core has a provider for devices of this driver id, and libfabric has one for those
 * that answer efadv_query_device(). Both expect the kernel's uABI (rdma/efa-abi.h), a port
 * of no link layer with one GID, and a parent device with a driver, named like a PCI
 * function.
 *
 * Numbers of the device are those of the first generation that reads (vendor part 0xefa1).
 * Queues are shorter: libfabric registers a buffer for each receive that fits.
 */
#include <linux/idr.h>
#include <linux/module.h>
#include <rdma/efa-abi.h>

#include "rdma/efa/efa.h"
#include "rdma/mem.h"
#include "rdma/srd/peer.h"

#define DEVICE_VENDOR	0x1d0f
#define DEVICE_PART	0xefa1
#define PARENT_DOMAIN	0xefa0
#define DEVICE_SMALLEST	64	/* requests in a send queue at least */
/* IPv6, UDP, BTH, DETH, header of SRD, RETH, immediate data, ICRC */
#define DEVICE_HEADERS	(40 + 8 + 12 + 8 + 8 + 16 + 4 + 4)

static atomic_t device_epochs = ATOMIC_INIT(0);

/**
 * weft_efa_mtu() - bytes of a message, and of a packet of a read or write
 * @dev: the device
 *
 * Context: any.
 * Return: what fits into the netdev's frames, WEFT_EFA_MTU at most; a multiple of 4.
 */
u32 weft_efa_mtu(const struct weft_rdma_dev *dev)
{
	int mtu = READ_ONCE(dev->netdev->mtu) - DEVICE_HEADERS;

	return clamp(mtu, 256, WEFT_EFA_MTU) & ~3;
}

/**
 * weft_efa_command() - what the provider of the program passes with a call
 * @udata: of the call
 * @cmd: to be filled; zero
 * @size: of it
 * @least: bytes that the first version of it has
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if it is shorter, or has more than this knows of; -EFAULT.
 */
int weft_efa_command(struct ib_udata *udata, void *cmd, size_t size, size_t least)
{
	if (udata->inlen < least || (udata->inlen > size &&
				     !ib_is_udata_cleared(udata, size, udata->inlen - size)))
		return -EINVAL;
	return ib_copy_from_udata(cmd, udata, min(size, udata->inlen));
}

static int device_respond(struct ib_udata *udata)
{
	struct efa_ibv_ex_query_device_resp resp = {
		.max_sq_wr = WEFT_EFA_SQ_WR,
		.max_rq_wr = WEFT_EFA_RQ_WR,
		.max_sq_sge = EFA_SEND_SGES,
		.max_rq_sge = EFA_RECV_SGES,
		.max_rdma_size = WEFT_EFA_RDMA_MAX,
		.device_caps = EFA_QUERY_DEVICE_CAPS_RDMA_READ |
			       EFA_QUERY_DEVICE_CAPS_RNR_RETRY |
			       EFA_QUERY_DEVICE_CAPS_CQ_NOTIFICATIONS |
			       EFA_QUERY_DEVICE_CAPS_CQ_WITH_SGID,
	};

	return ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
}

static int efa_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			    struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);
	u32 max = dev->max_objects;

	if (udata && udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EINVAL;
	attr->max_mr_size = U64_MAX;
	attr->max_qp = min_t(u32, max, WEFT_EFA_QPS);
	attr->max_qp_wr = WEFT_EFA_SQ_WR;
	attr->max_send_sge = EFA_SEND_SGES;
	attr->max_recv_sge = EFA_RECV_SGES;
	attr->max_sge_rd = 1;
	attr->max_cq = max;
	attr->max_cqe = WEFT_EFA_CQE;
	attr->max_mr = max;
	attr->max_pd = max;
	attr->max_ah = min_t(u32, max, EFA_AH_UNKNOWN);
	attr->max_pkeys = 1;
	attr->sys_image_guid = dev->guid;
	attr->vendor_id = DEVICE_VENDOR;
	attr->vendor_part_id = DEVICE_PART;
	attr->page_size_cap = ~(u64)(PAGE_SIZE - 1);
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	return udata && udata->outlen ? device_respond(udata) : 0;
}

static int efa_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(weft_efa_mtu(dev));
	attr->max_msg_sz = weft_efa_mtu(dev);
	attr->pkey_tbl_len = 1;
	attr->gid_tbl_len = 1;
	attr->max_vl_num = 1;
	weft_rdma_lock(dev);
	attr->state = dev->up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = dev->up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	weft_rdma_link_rate(dev, attr);
	weft_rdma_unlock(dev);
	return 0;
}

static int efa_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *im)
{
	im->pkey_tbl_len = 1;
	im->gid_tbl_len = 1;
	return 0;
}

static enum rdma_link_layer efa_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_UNSPECIFIED;
}

static int efa_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	if (index)
		return -EINVAL;
	weft_efa_own_gid(weft_rdma_dev_of(ib), gid);
	return 0;
}

static int efa_alloc_ucontext(struct ib_ucontext *c, struct ib_udata *udata)
{
	struct efa_ibv_alloc_ucontext_resp resp = {
		.cmds_supp_udata_mask = EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE |
					EFA_USER_CMDS_SUPP_UDATA_CREATE_AH,
		.sub_cqs_per_cq = 1,
		.inline_buf_size = EFA_INLINE_MAX,
		.max_llq_size = WEFT_EFA_SQ_WR * sizeof(struct efa_tx),
		.min_sq_wr = DEVICE_SMALLEST,
	};
	int err;

	BUILD_BUG_ON(sizeof(struct efa_tx) != 64);
	BUILD_BUG_ON(sizeof(struct efa_rx) != 16);
	BUILD_BUG_ON(sizeof(struct efa_cqe) != 16);
	err = weft_alloc_ucontext(c, udata);
	return err ?: ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
}

static int efa_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct efa_ibv_alloc_pd_resp resp = {};
	int err;

	err = weft_alloc_pd(pd, udata);
	if (err || !udata)
		return err;
	err = ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
	if (err)
		weft_dealloc_pd(pd, udata);
	return err;
}

/* Not const, because some operations differ between kernels. */
struct ib_device_ops weft_efa_ops = {
	.driver_id = RDMA_DRIVER_EFA,
	.uverbs_abi_ver = EFA_UVERBS_ABI_VERSION,

	.alloc_hw_port_stats = weft_rdma_alloc_stats,
	.alloc_pd = efa_alloc_pd,
	.alloc_ucontext = efa_alloc_ucontext,
	.create_qp = weft_efa_create_qp,
	.create_user_ah = weft_efa_create_ah,
	.dealloc_pd = weft_dealloc_pd,
	.dealloc_ucontext = weft_dealloc_ucontext,
	.dereg_mr = weft_dereg_mr,
	.destroy_ah = weft_efa_destroy_ah,
	.destroy_cq = weft_efa_destroy_cq,
	.destroy_qp = weft_efa_destroy_qp,
	.device_group = &weft_rdma_attr_group,
	.disassociate_ucontext = weft_disassociate_ucontext,
	.get_hw_stats = weft_rdma_get_stats,
	.get_link_layer = efa_link_layer,
	.get_port_immutable = efa_port_immutable,
	.mmap = weft_ring_mmap,
	.mmap_free = weft_ring_mmap_free,
	.modify_qp = weft_efa_modify_qp,
	.query_device = efa_query_device,
	.query_gid = efa_query_gid,
	.query_pkey = weft_rdma_query_pkey,
	.query_port = efa_query_port,
	.query_qp = weft_efa_query_qp,
	.reg_user_mr = weft_reg_user_mr,

	INIT_RDMA_OBJ_SIZE(ib_ah, weft_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, weft_efa_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, weft_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, weft_efa_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, weft_ucontext, ib),
};

/*
 * The bus of the parents. Its driver is named like the kernel's, because libfabric shows the
 * name. It drives nothing.
 */
static struct bus_type efa_bus = {
	.name = "weft_efa",
};

static struct device_driver efa_driver = {
	.name = "efa",
	.bus = &efa_bus,
	.owner = THIS_MODULE,
};

/**
 * weft_efa_module_init() - prepare for devices of this kind
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int __init weft_efa_module_init(void)
{
	int err;

	weft_efa_cq_set_ops(&weft_efa_ops);
	err = bus_register(&efa_bus);
	if (err)
		return err;
	err = driver_register(&efa_driver);
	if (err)
		bus_unregister(&efa_bus);
	return err;
}

/**
 * weft_efa_module_exit() - the reverse, when there are no devices any more
 *
 * Context: process, may sleep.
 */
void weft_efa_module_exit(void)
{
	driver_unregister(&efa_driver);
	bus_unregister(&efa_bus);
}

static ssize_t vendor_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%04x\n", DEVICE_VENDOR);
}
static DEVICE_ATTR_RO(vendor);

static ssize_t device_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%04x\n", DEVICE_PART);
}
static DEVICE_ATTR_RO(device);

static struct attribute *parent_attrs[] = {
	&dev_attr_vendor.attr,
	&dev_attr_device.attr,
	NULL
};
ATTRIBUTE_GROUPS(parent);

static DEFINE_IDA(parent_ida);

/**
 * struct efa_parent - parent of the core's device
 */
struct efa_parent {
	/** @device: the device; first */
	struct device device;
	/** @number: of its name */
	int number;
};

static void parent_release(struct device *device)
{
	struct efa_parent *parent = container_of(device, struct efa_parent, device);

	ida_free(&parent_ida, parent->number);
	kfree(parent);
}

/**
 * weft_efa_parent_add() - make the parent of a device
 * @dev: the device
 *
 * Its name looks like that of a PCI function, as libfabric reads bus and device from it. It
 * is of a domain that no machine has.
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int weft_efa_parent_add(struct weft_rdma_dev *dev)
{
	int n = ida_alloc_max(&parent_ida, U16_MAX, GFP_KERNEL);
	struct efa_parent *parent;

	if (n < 0)
		return n;
	parent = kzalloc(sizeof(*parent), GFP_KERNEL);
	if (!parent) {
		ida_free(&parent_ida, n);
		return -ENOMEM;
	}
	parent->number = n;
	device_initialize(&parent->device);
	parent->device.release = parent_release;
	parent->device.bus = &efa_bus;
	parent->device.parent = dev->netdev->dev.parent;
	parent->device.groups = parent_groups;
	dev->efa->parent = &parent->device;
	/* domain, bus, device, function */
	return dev_set_name(&parent->device, "%04x:%02x:%02x.%u", PARENT_DOMAIN, n >> 8,
			    n >> 3 & 31, n & 7) ?: device_add(&parent->device);
}

/* Nothing is below it any more. */
static void parent_del(struct device *parent)
{
	if (!parent)
		return;
	if (device_is_registered(parent))
		device_del(parent);
	put_device(parent);
}

/**
 * weft_efa_init() - make what a device of this kind has beside others
 * @dev: the device, not registered yet
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int weft_efa_init(struct weft_rdma_dev *dev)
{
	struct weft_efa *efa = kzalloc(sizeof(*efa), GFP_KERNEL);

	if (!efa)
		return -ENOMEM;
	efa->dev = dev;
	efa->epoch = atomic_inc_return(&device_epochs);
	spin_lock_init(&efa->look_lock);
	xa_init_flags(&efa->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&efa->ahs, XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&efa->qps_seen);
	INIT_LIST_HEAD(&efa->cqs);
	INIT_LIST_HEAD(&efa->look_node);
	hash_init(efa->ah_of);
	hash_init(efa->peers);
	dev->efa = efa;
	return weft_look_start(efa);
}

/**
 * weft_efa_stop() - the NIC goes: all queue pairs go into error, and nothing is sent
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_stop(struct weft_rdma_dev *dev)
{
	struct weft_efa_qp *qp;

	list_for_each_entry(qp, &dev->efa->qps_seen, node)
		weft_efa_qp_error(qp, 0);
	weft_srd_stop(dev);
}

/**
 * weft_efa_free() - free that, when the device is stopped and nothing of any user is left
 * @dev: the device; nothing happens if it is of another kind
 *
 * Context: process, may sleep.
 */
void weft_efa_free(struct weft_rdma_dev *dev)
{
	if (!dev->efa)
		return;
	weft_srd_free(dev);
	parent_del(dev->efa->parent);
	xa_destroy(&dev->efa->qps);
	xa_destroy(&dev->efa->ahs);
	kfree(dev->efa);
	dev->efa = NULL;
}
