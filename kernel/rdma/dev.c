// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices: creation and removal.
 *
 * DOC: life of a device
 *
 * "rdma link add" creates a device on a NIC that is attached to a fabric. "rdma
 * link del" removes it, and it goes with its NIC (detached, or the netdev or its
 * network namespace deleted), or with the module. When the NIC goes, RTNL is held,
 * and a device cannot be unregistered under RTNL: queue pairs go into the error
 * state at once, and a work item does the rest. It holds a registration reference,
 * so anybody else who unregisters the device waits for it. The core calls
 * dev_dealloc() last in any case.
 *
 * A device is created in the network namespace of its NIC, unless devices are
 * shared by all namespaces.
 */
#include "rdma/dev.h"

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/utsname.h>
#include <net/addrconf.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_netlink.h>

#include "netdev/nic.h"
#include "rdma/cq.h"
#include "rdma/efa/efa.h"
#include "rdma/mem.h"
#include "rdma/pd.h"
#include "rdma/qp.h"
#include "rdma/ud.h"
#include "version.h"

#define DEV_LID_MAX	0xbfff		/* multicast LIDs follow */

/*
 * rdma-core finds its provider by the driver id. The two providers of these ids
 * use only system calls of uverbs, so they work with this driver.
 */
static bool hfi1;
module_param(hfi1, bool, 0444);
MODULE_PARM_DESC(hfi1, "user space is libhfi1verbs instead of libipathverbs");

static uint max_objects = WEFT_RDMA_OBJECTS;
module_param(max_objects, uint, 0644);
MODULE_PARM_DESC(max_objects,
		 "objects of each kind (queue pairs, regions, ...) of a device made from now on");

static DEFINE_MUTEX(dev_mutex);		/* protects dev_list */
static LIST_HEAD(dev_list);
static struct workqueue_struct *dev_wq;

static void dev_dealloc(struct ib_device *ib);

static void dev_fw_str(struct ib_device *ib, char *str)
{
	strscpy(str, WEFT_VERSION, IB_FW_VERSION_NAME_MAX);
}

/* Not const, because some operations differ between kernels. */
static struct ib_device_ops dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_QIB,
	.uverbs_abi_ver = 1,

	.alloc_hw_port_stats = weft_rdma_alloc_stats,
	.alloc_mr = weft_alloc_mr,
	.alloc_pd = weft_alloc_pd,
	.alloc_ucontext = weft_alloc_ucontext,
	.attach_mcast = weft_attach_mcast,
	.create_ah = weft_create_ah,
	.create_qp = weft_create_qp,
	.create_srq = weft_create_srq,
	.create_user_ah = weft_create_ah,
	.dealloc_driver = dev_dealloc,
	.dealloc_pd = weft_dealloc_pd,
	.dealloc_ucontext = weft_dealloc_ucontext,
	.dereg_mr = weft_dereg_mr,
	.destroy_ah = weft_destroy_ah,
	.destroy_cq = weft_destroy_cq,
	.destroy_qp = weft_destroy_qp,
	.destroy_srq = weft_destroy_srq,
	.detach_mcast = weft_detach_mcast,
	.device_group = &weft_rdma_attr_group,
	.disassociate_ucontext = weft_disassociate_ucontext,
	.get_dev_fw_str = dev_fw_str,
	.get_dma_mr = weft_get_dma_mr,
	.get_hw_stats = weft_rdma_get_stats,
	.get_link_layer = weft_rdma_link_layer,
	.get_port_immutable = weft_rdma_port_immutable,
	.map_mr_sg = weft_map_mr_sg,
	.modify_device = weft_rdma_modify_device,
	.modify_qp = weft_modify_qp,
	.modify_srq = weft_modify_srq,
	.poll_cq = weft_poll_cq,
	.post_recv = weft_post_recv,
	.post_send = weft_post_send,
	.post_srq_recv = weft_post_srq_recv,
	.process_mad = weft_rdma_process_mad,
	.query_ah = weft_query_ah,
	.query_device = weft_rdma_query_device,
	.query_pkey = weft_rdma_query_pkey,
	.query_port = weft_rdma_query_port,
	.query_qp = weft_query_qp,
	.query_srq = weft_query_srq,
	.reg_user_mr = weft_reg_user_mr,
	.req_notify_cq = weft_req_notify_cq,
	.resize_cq = weft_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, weft_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, weft_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, weft_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, weft_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, weft_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, weft_ucontext, ib),
};

static const struct ib_device_ops dev_ib_ops = {
	.modify_port = weft_rdma_modify_port,
	.query_gid = weft_rdma_query_gid,
};

static const struct ib_device_ops dev_roce_ops = {
	.add_gid = weft_rdma_add_gid,
	.del_gid = weft_rdma_del_gid,
};

static struct weft_rdma_dev *dev_of_client(struct weft_client *c)
{
	return container_of(c, struct weft_rdma_dev, client);
}

static void client_wake(struct weft_client *c, u8 cls)
{
	weft_port_wake(dev_of_client(c), cls);
}

/**
 * weft_rdma_event() - raise an event of the port, if the device is registered
 * @dev: the device
 * @type: the event
 *
 * Its handlers run later, in a work item.
 *
 * Context: any.
 */
void weft_rdma_event(struct weft_rdma_dev *dev, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = 1,
		.event = type,
	};

	if (!ib_device_try_get(&dev->ib))
		return;
	ib_dispatch_event(&event);
	ib_device_put(&dev->ib);
}

static void client_carrier(struct weft_client *c, bool up)
{
	struct weft_rdma_dev *dev = dev_of_client(c);
	bool changed = true;

	if (dev->sma.managed || dev->up == up)
		return;
	weft_rdma_lock(dev);
	dev->up = up;
	if (dev->is_ib)
		changed = weft_sma_link(dev, up);
	weft_rdma_unlock(dev);
	if (changed)
		weft_rdma_event(dev, up ? IB_EVENT_PORT_ACTIVE :
					  IB_EVENT_PORT_ERR);
}

static void client_link(struct weft_client *c)
{
	struct weft_rdma_dev *dev = dev_of_client(c);

	if (dev->sma.managed)
		weft_sma_follow(dev);
}

static const char *client_name(const struct weft_client *c)
{
	return dev_name(&dev_of_client((void *)c)->ib.dev);
}

static void client_gone(struct weft_client *c)
{
	struct weft_rdma_dev *dev = dev_of_client(c);

	dev->up = false;
	if (dev->is_ib)
		weft_sma_link(dev, false);
	if (dev->efa)
		weft_efa_stop(dev);
	else
		weft_qps_error(dev);
	weft_traps_stop(dev);
	weft_port_stop(dev);
	if (ib_device_try_get(&dev->ib))
		queue_work(dev_wq, &dev->remove);
}

static const struct weft_client_ops dev_client_ops = {
	.wake = client_wake,
	.carrier = client_carrier,
	.link = client_link,
	.name = client_name,
	.gone = client_gone,
};

static void dev_remove(struct work_struct *work)
{
	struct weft_rdma_dev *dev = container_of(work, struct weft_rdma_dev,
						 remove);

	ib_unregister_device_and_put(&dev->ib);
}

static void dev_detach(struct weft_rdma_dev *dev)
{
	rtnl_lock();
	weft_rdma_lock(dev);
	if (dev->client.wep) {
		if (dev->is_ib)
			weft_sma_link(dev, false);
		if (dev->efa)
			weft_efa_stop(dev);
		weft_traps_stop(dev);
		weft_port_stop(dev);
	}
	weft_rdma_unlock(dev);
	weft_client_detach(&dev->client);
	rtnl_unlock();
	weft_client_release(&dev->client);
}

/* The core calls this last. Nothing of any user is left. */
static void dev_dealloc(struct ib_device *ib)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);

	cancel_work_sync(&dev->post);
	if (dev->efa)
		weft_look_stop(dev->efa);
	if (dev->client.fabric)
		dev_detach(dev);
	weft_efa_free(dev);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->mrs);
	platform_device_unregister(dev->hca);
	netdev_put(dev->netdev, &dev->tracker);
	mutex_lock(&dev_mutex);
	list_del(&dev->list);
	mutex_unlock(&dev_mutex);
}

static void dev_init_secret(struct weft_rdma_dev *dev)
{
	if (weft_clock_virtual())
		dev->key_secret.key[0] = be64_to_cpu(dev->guid);
	else
		get_random_bytes(&dev->key_secret, sizeof(dev->key_secret));
}

static void dev_init(struct weft_rdma_dev *dev, struct net_device *netdev)
{
	dev->client.ops = &dev_client_ops;
	dev->netdev = netdev;
	dev->max_objects = clamp(READ_ONCE(max_objects), 1, WEFT_RDMA_OBJECTS);
	netdev_hold(netdev, &dev->tracker, GFP_KERNEL);
	addrconf_addr_eui48((u8 *)&dev->guid, netdev->dev_addr);
	dev_init_secret(dev);
	weft_local_dma_init(dev);
	INIT_WORK(&dev->remove, dev_remove);
	INIT_WORK(&dev->post, weft_sq_post_work);
	INIT_LIST_HEAD(&dev->posters);
	spin_lock_init(&dev->posters_lock);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&dev->zerocopy_sqs);
	hash_init(dev->groups);
	weft_port_init(dev);
	weft_traps_init(dev);
	mutex_lock(&dev_mutex);
	list_add(&dev->list, &dev_list);
	mutex_unlock(&dev_mutex);
}

/* Until it is known what it is: only that its memory is freed by dev_dealloc(). */
static const struct ib_device_ops dev_first_ops = {
	.dealloc_driver = dev_dealloc,
};

/*
 * Initialise the device of the core. Fabric tools show the description; that of the
 * host and the device is what rdma-ndd sets for hardware.
 */
static void dev_init_ib(struct weft_rdma_dev *dev, const char *name)
{
	struct ib_device *ib = &dev->ib;
	struct net *net = dev_net(dev->netdev);

	ib_set_device_ops(ib, &dev_first_ops);
	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = num_possible_cpus();
	ib->node_guid = dev->guid;
	snprintf(ib->node_desc, sizeof(ib->node_desc), "%.40s %.22s",
		 utsname()->nodename, name);
	/* If devices are shared it stays in the initial namespace. */
	if (!rdma_dev_access_netns(ib, net))
		write_pnet(&ib->coredev.rdma_net, net);
}

static int dev_refuse(const struct weft_rdma_dev *dev, int err, const char *why)
{
	netdev_err(dev->netdev, "no RDMA device: %s\n", why);
	return err;
}

/*
 * InfiniBand or RoCE: what the family of the port's link has. NVLink has neither, but its
 * switches reduce: there the addresses are those of RoCE, and nothing else is.
 */
static int dev_set_link_layer(struct weft_rdma_dev *dev)
{
	const struct weft_endpoint *wep = dev->client.wep;
	enum fab_family family = wep->ep.p->port.disc->family;

	if (family == FAB_PCIE)
		return dev_refuse(dev, -EOPNOTSUPP,
				  "neither InfiniBand nor RoCE runs over links of this kind");
	dev->is_ib = family == FAB_INFINIBAND;
	dev->stores = family == FAB_NVLINK;
	if (dev->stores)
		dev->ib.node_type = RDMA_NODE_UNSPECIFIED;
	if (family == FAB_ETHERNET && wep->verbs.p.kind == WEFT_KIND_EFA)
		return weft_efa_init(dev);
	if (!dev->is_ib)
		return 0;
	if (!dev->client.fabric->p.managed && wep->ep.id >= DEV_LID_MAX)
		return dev_refuse(dev, -ERANGE, "NIC id is too high for a LID");
	weft_sma_init(dev);
	return 0;
}

/* Operations by kind and link layer; only what has queues of the kernel's posts by calls. */
static void dev_set_ops(struct weft_rdma_dev *dev)
{
	struct ib_device *ib = &dev->ib;

	if (dev->efa) {
		ib_set_device_ops(ib, &weft_efa_ops);
		ib->ops.owner = THIS_MODULE;
		ib->ops.get_dev_fw_str = dev_fw_str;
		ib->node_type = RDMA_NODE_UNSPECIFIED;
		return;
	}
	ib_set_device_ops(ib, &dev_ops);
	ib_set_device_ops(ib, dev->is_ib ? &dev_ib_ops : &dev_roce_ops);
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
}

static int dev_attach(struct weft_rdma_dev *dev)
{
	int err;

	rtnl_lock();
	dev->up = netif_carrier_ok(dev->netdev);
	err = weft_client_attach(dev->netdev, &dev->client);
	if (!err)
		err = dev_set_link_layer(dev);
	else if (err == -EBUSY)
		dev_refuse(dev, err, "there is one");
	else if (err == -ENOLINK)
		dev_refuse(dev, err, "the NIC is attached to no fabric");
	else
		dev_refuse(dev, err, "the netdev is not of kind weft");
	rtnl_unlock();
	return err;
}

/*
 * With RoCE the NIC is the port's netdev, and both have one parent. The netdev of
 * an InfiniBand port is that of IPoIB, so there the device has a parent of its own:
 * programs look for the netdev below it.
 */
static int dev_set_parent(struct weft_rdma_dev *dev)
{
	struct device *parent = dev->netdev->dev.parent;
	int err;

	if (dev->efa) {
		err = weft_efa_parent_add(dev);
		if (err)
			return err;
		parent = dev->efa->parent;
	}
	if (dev->is_ib) {
		dev->hca = platform_device_register_resndata(parent, "weft-hca",
							     PLATFORM_DEVID_AUTO,
							     NULL, 0, NULL, 0);
		if (IS_ERR(dev->hca))
			return PTR_ERR(dev->hca);
		parent = &dev->hca->dev;
	}
	dev->ib.dev.parent = parent;
	return 0;
}

static int dev_register(struct weft_rdma_dev *dev, const char *name)
{
	struct ib_device *ib = &dev->ib;
	int err;

	err = dev_set_parent(dev);
	if (err)
		return err;
	dev_set_ops(dev);
	err = ib_device_set_netdev(ib, dev->netdev, 1);
	if (err)
		return err;
	return ib_register_device(ib, name, NULL);
}

/*
 * The NIC may have gone while the device was being registered. Nobody could have
 * unregistered it then.
 */
static int dev_check_gone(struct weft_rdma_dev *dev)
{
	bool gone;

	rtnl_lock();
	gone = !dev->client.wep;
	rtnl_unlock();
	if (!gone)
		return 0;
	ib_unregister_device(&dev->ib);
	return -ENODEV;
}

static int dev_newlink(const char *name, struct net_device *netdev)
{
	struct weft_rdma_dev *dev;
	int err;

	dev = ib_alloc_device(weft_rdma_dev, ib);
	if (!dev)
		return -ENOMEM;
	dev_init(dev, netdev);
	dev_init_ib(dev, name);
	get_device(&dev->ib.dev);
	err = dev_attach(dev) ?: dev_register(dev, name);
	if (err)
		ib_dealloc_device(&dev->ib);
	else
		err = dev_check_gone(dev);
	put_device(&dev->ib.dev);
	return err;
}

static struct rdma_link_ops dev_link_ops = {
	.type = "weft",
	.newlink = dev_newlink,
};

/* Some device with a reference, or NULL. */
static struct weft_rdma_dev *dev_any(void)
{
	struct weft_rdma_dev *dev;

	mutex_lock(&dev_mutex);
	dev = list_first_entry_or_null(&dev_list, struct weft_rdma_dev, list);
	if (dev)
		get_device(&dev->ib.dev);
	mutex_unlock(&dev_mutex);
	return dev;
}

/**
 * weft_rdma_dev_init() - allow the creation of devices
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init weft_rdma_dev_init(void)
{
	int err;

	dev_wq = alloc_workqueue("weft_rdma", WQ_UNBOUND, 0);
	if (!dev_wq)
		return -ENOMEM;
	if (hfi1)
		dev_ops.driver_id = RDMA_DRIVER_HFI1;
	weft_cq_set_ops(&dev_ops);
	err = weft_efa_module_init();
	if (err) {
		destroy_workqueue(dev_wq);
		return err;
	}
	rdma_link_register(&dev_link_ops);
	return 0;
}

/**
 * weft_rdma_dev_exit() - remove all devices, and allow no more
 *
 * ib_unregister_driver() is no help: the driver id belongs to another driver.
 *
 * Context: process, may sleep.
 */
void weft_rdma_dev_exit(void)
{
	struct weft_rdma_dev *dev;

	rdma_link_unregister(&dev_link_ops);
	while ((dev = dev_any())) {
		ib_unregister_device(&dev->ib);
		put_device(&dev->ib.dev);
	}
	weft_efa_module_exit();
	destroy_workqueue(dev_wq);
}
