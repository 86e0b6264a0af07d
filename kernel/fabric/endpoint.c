// SPDX-License-Identifier: GPL-2.0
/*
 * An endpoint: the attachment of a NIC to a fabric.
 *
 * A detach removes, in this order: background traffic, the client (verbs end), the
 * link (the carrier goes), the pointer that transmits use. Then, under the lock, it
 * removes the model's endpoint and sets the flag for a transmit that has the pointer
 * already. It frees the memory after a grace period. Packets that have been
 * delivered belong to the NIC and stay.
 */
#include "fabric/endpoint.h"

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/hwpkt.h"
#include "fabric/lids.h"
#include "fabric/limit.h"
#include "fabric/link.h"
#include "fabric/traffic.h"
#include "netdev/nic.h"
#include "netlink/nl.h"

/**
 * weft_endpoint_find() - look up an endpoint
 * @f: its fabric
 * @id: its id
 *
 * Context: process, RTNL held.
 * Return: the endpoint or NULL.
 */
struct weft_endpoint *weft_endpoint_find(struct weft_fabric *f, u32 id)
{
	ASSERT_RTNL();
	return xa_load(&f->nics, id);
}

/**
 * weft_endpoint_carrier() - set the netdev's carrier to the state of the link
 * @wep: the endpoint
 *
 * The link is down if either wire is, as with fault signalling on hardware.
 *
 * Context: process, RTNL held.
 */
void weft_endpoint_carrier(struct weft_endpoint *wep)
{
	const struct fab_port *port = &wep->ep.port;
	struct weft_client *client = wep->client;
	bool up;

	ASSERT_RTNL();
	up = port->peer && port->wire.up && port->peer->wire.up;
	if (up)
		netif_carrier_on(wep->nic->dev);
	else
		netif_carrier_off(wep->nic->dev);
	if (client)
		client->ops->carrier(client, up);
}

/**
 * weft_endpoint_set_receive() - set the parameters of receiving
 * @wep: the endpoint
 * @p: parameters, checked by fab_receive_params_check()
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_endpoint_set_receive(struct weft_endpoint *wep,
			       const struct fab_receive_params *p)
{
	struct weft_fabric *f = wep->fabric;

	ASSERT_RTNL();
	weft_engine_lock(f);
	fab_receive_set(&f->fab, &wep->ep, p);
	weft_engine_unlock(f);
	f->generation++;
}

/**
 * weft_endpoint_set_moderation() - set the interrupt moderation
 * @wep: the endpoint
 * @p: parameters, checked by fab_moderation_params_check()
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_endpoint_set_moderation(struct weft_endpoint *wep,
				  const struct fab_moderation_params *p)
{
	struct weft_fabric *f = wep->fabric;

	ASSERT_RTNL();
	weft_engine_lock(f);
	fab_moderation_set(&f->fab, &wep->ep, p);
	weft_engine_unlock(f);
	f->generation++;
}

/**
 * weft_endpoint_set_verbs() - set the parameters of the RDMA device
 * @wep: the endpoint
 * @p: parameters, checked by fab_dcqcn_params_check() and fab_ibcc_params_check()
 *
 * Work that was started goes on with the old parameters; flows keep their rates.
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_endpoint_set_verbs(struct weft_endpoint *wep,
			     const struct weft_verbs_params *p)
{
	struct weft_fabric *f = wep->fabric;

	ASSERT_RTNL();
	weft_engine_lock(f);
	wep->verbs.p = *p;
	weft_engine_unlock(f);
	f->generation++;
}

static size_t endpoint_mem(const struct fab_endpoint_params *p)
{
	return sizeof(struct weft_endpoint) + fab_endpoint_mem(p);
}

static struct weft_endpoint *
endpoint_alloc(struct weft_fabric *f, struct weft_nic *nic,
	       const struct weft_endpoint_params *p)
{
	struct weft_endpoint *wep;

	wep = kvzalloc(endpoint_mem(&p->ep), GFP_KERNEL_ACCOUNT);
	if (!wep)
		return NULL;
	wep->fabric = f;
	wep->nic = nic;
	wep->verbs.p = p->verbs;
	wep->neigh_prefix = p->neigh_prefix;
	wep->neigh_eui64 = p->neigh_eui64;
	memcpy(wep->vl, p->vl, sizeof(wep->vl));
	strscpy(wep->name, p->name, sizeof(wep->name));
	return wep;
}

static int endpoint_check(const struct weft_fabric *f,
			  const struct weft_nic *nic,
			  const struct weft_endpoint_params *p,
			  struct netlink_ext_ack *extack)
{
	int err = fab_endpoint_params_check(&p->ep);

	if (err) {
		NL_SET_ERR_MSG(extack, "NIC parameters out of range");
		return err;
	}
	if (rtnl_dereference(nic->ep)) {
		NL_SET_ERR_MSG(extack, "netdev is attached to a fabric already");
		return -EBUSY;
	}
	if (p->ep.port.classes > nic->dev->num_tx_queues) {
		NL_SET_ERR_MSG_FMT(extack,
				   "netdev has %u transmit queues, one per class is needed",
				   nic->dev->num_tx_queues);
		return -EINVAL;
	}
	if (p->id != WEFT_ENDPOINT_ANY && p->id >= f->p.max_nics) {
		NL_SET_ERR_MSG_FMT(extack, "NIC id must be below %u",
				   f->p.max_nics);
		return -ERANGE;
	}
	return 0;
}

/* Reserve an id; the entry becomes visible when it is stored. */
static int endpoint_id(struct weft_fabric *f, u32 want, u32 *id,
		       struct netlink_ext_ack *extack)
{
	int err;

	if (want != WEFT_ENDPOINT_ANY) {
		*id = want;
		err = xa_insert(&f->nics, want, NULL, GFP_KERNEL_ACCOUNT);
		if (err == -EBUSY)
			NL_SET_ERR_MSG(extack, "NIC id is in use");
		return err;
	}
	err = xa_alloc(&f->nics, id, NULL, XA_LIMIT(0, f->p.max_nics - 1),
		       GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack, "fabric is full: %u NICs",
				   f->p.max_nics);
	return err;
}

static int endpoint_enter(struct weft_endpoint *wep, u32 id,
			  const struct weft_endpoint_params *p,
			  struct netlink_ext_ack *extack)
{
	struct net_device *dev = wep->nic->dev;
	struct weft_fabric *f = wep->fabric;
	int err;

	weft_engine_lock(f);
	err = weft_mac_add(&f->macs, &wep->mac, dev->dev_addr);
	if (!err) {
		wep->p = p->ep;
		fab_endpoint_init(&f->fab, &wep->ep, id, &wep->p, wep->mem);
		fab_hist_init(&wep->latency);
		wep->ep.latency = &wep->latency;
	}
	weft_engine_unlock(f);
	if (err)
		NL_SET_ERR_MSG_FMT(extack,
				   "another NIC of the fabric has MAC address %pM",
				   dev->dev_addr);
	return err;
}

static void endpoint_publish(struct weft_endpoint *wep,
			     const struct weft_endpoint_params *p)
{
	struct weft_fabric *f = wep->fabric;
	struct weft_nic *nic = wep->nic;

	xa_store(&f->nics, wep->ep.id, wep, GFP_KERNEL_ACCOUNT);
	f->generation++;
	nic->train = p->train;
	netdev_update_features(nic->dev);
	rcu_assign_pointer(nic->ep, wep);
}

/**
 * weft_endpoint_attach() - attach a NIC to a fabric
 * @f: the fabric
 * @nic: the NIC
 * @p: parameters
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held, may sleep.
 * Return: the endpoint or an ERR_PTR.
 */
struct weft_endpoint *
weft_endpoint_attach(struct weft_fabric *f, struct weft_nic *nic,
		     const struct weft_endpoint_params *p,
		     struct netlink_ext_ack *extack)
{
	struct weft_endpoint *wep;
	u32 id;
	int err;

	ASSERT_RTNL();
	err = endpoint_check(f, nic, p, extack);
	if (err)
		return ERR_PTR(err);
	err = weft_limit_take(f->limited, 1, endpoint_mem(&p->ep), extack);
	if (err)
		return ERR_PTR(err);
	wep = endpoint_alloc(f, nic, p);
	if (!wep) {
		err = -ENOMEM;
		goto err_give;
	}
	err = endpoint_id(f, p->id, &id, extack);
	if (err)
		goto err_free_endpoint;
	err = netif_set_real_num_tx_queues(nic->dev, p->ep.port.classes);
	if (err)
		goto err_release_id;
	err = endpoint_enter(wep, id, p, extack);
	if (err)
		goto err_release_id;
	endpoint_publish(wep, p);
	return wep;

err_release_id:
	xa_release(&f->nics, id);
err_free_endpoint:
	kvfree(wep);
err_give:
	weft_limit_give(f->limited, 1, endpoint_mem(&p->ep));
	return ERR_PTR(err);
}

/**
 * weft_endpoint_detach() - detach a NIC from its fabric, and remove its link
 * @wep: the endpoint
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_endpoint_detach(struct weft_endpoint *wep)
{
	struct weft_fabric *f = wep->fabric;
	struct weft_nic *nic = wep->nic;

	ASSERT_RTNL();
	weft_traffic_nic_gone(wep);
	weft_client_gone(wep);
	if (wep->link)
		weft_link_destroy(wep->link);
	weft_nl_nic_gone(wep);
	RCU_INIT_POINTER(nic->ep, NULL);
	weft_engine_lock(f);
	wep->gone = true;
	weft_mac_del(&wep->mac);
	weft_lids_set(f, wep->ep.id, 0, 0);
	fab_endpoint_remove(&f->fab, &wep->ep);
	weft_engine_unlock(f);
	xa_erase(&f->nics, wep->ep.id);
	f->generation++;
	/* Queues that a full ring stopped go on; their packets are dropped. */
	netif_tx_wake_all_queues(nic->dev);
	weft_limit_give(f->limited, 1, endpoint_mem(wep->ep.p));
	kvfree_rcu(wep, rcu);
}
