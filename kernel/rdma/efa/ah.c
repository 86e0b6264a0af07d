// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles of an EFA device, and its GID.
 *
 * The GID is the link-local IPv6 address that is made of the MAC address (EUI-64). A
 * descriptor names a handle by a number of 16 bits. A completion of a receive names the
 * handle that the domain has for the source, if it has one.
 */
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <net/addrconf.h>
#include <rdma/efa-abi.h>

#include "netdev/nic.h"
#include "rdma/efa/efa.h"
#include "rdma/srd/peer.h"

#define AH_HOPS		64

/**
 * weft_efa_own_gid() - the GID of a device
 * @dev: the device
 * @gid: set to it
 *
 * Context: any.
 */
void weft_efa_own_gid(const struct weft_rdma_dev *dev, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	addrconf_addr_eui48(&gid->raw[8], dev->netdev->dev_addr);
}

/* The MAC address that a GID is made of. Return: false if it is made of none. */
static bool mac_of_gid(const union ib_gid *gid, u8 mac[ETH_ALEN])
{
	if (gid->global.subnet_prefix != cpu_to_be64(0xfe80000000000000ULL) ||
	    gid->raw[11] != 0xff || gid->raw[12] != 0xfe)
		return false;
	memcpy(mac, &gid->raw[8], 3);
	memcpy(mac + 3, &gid->raw[13], 3);
	mac[0] ^= 2;
	return is_valid_ether_addr(mac);
}

static u32 gid_hash(const union ib_gid *gid)
{
	return jhash(gid, sizeof(*gid), 0);
}

/**
 * weft_efa_ah_number() - number of a domain's handle for a source
 * @dev: the device
 * @pd: the domain
 * @gid: GID of the source
 *
 * Context: any; the fabric's lock is held.
 * Return: the number, the lowest of several; EFA_AH_UNKNOWN if there is none.
 */
u16 weft_efa_ah_number(const struct weft_rdma_dev *dev, const struct ib_pd *pd,
		       const union ib_gid *gid)
{
	u16 number = EFA_AH_UNKNOWN;
	const struct weft_ah *ah;

	hash_for_each_possible(dev->efa->ah_of, ah, node, gid_hash(gid))
		if (ah->ib.pd == pd && !memcmp(&ah->path.dgid, gid, sizeof(*gid)))
			number = min(number, ah->number);
	return number;
}

static void ah_path(struct weft_rdma_dev *dev, const struct rdma_ah_attr *attr,
		    struct weft_path *path)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	path->has_grh = true;
	path->dgid = grh->dgid;
	weft_efa_own_gid(dev, &path->sgid);
	ether_addr_copy(path->smac, dev->netdev->dev_addr);
	path->tclass = grh->traffic_class;
	path->hop_limit = grh->hop_limit ?: AH_HOPS;
	path->sl = rdma_ah_get_sl(attr) & (WEFT_NIC_PRIOS - 1);
	path->sport = rdma_flow_label_to_udp_sport(grh->flow_label);
	weft_path_hash(dev, path);
}

static int ah_publish(struct weft_rdma_dev *dev, struct weft_ah *ah)
{
	u32 number;
	int err;

	if (!dev->client.wep)
		return -ENODEV;
	err = xa_alloc_cyclic(&dev->efa->ahs, &number, ah, XA_LIMIT(0, EFA_AH_UNKNOWN - 1),
			      &dev->efa->next_ah, GFP_ATOMIC);
	if (err < 0)
		return err;
	ah->number = number;
	hash_add(dev->efa->ah_of, &ah->node, gid_hash(&ah->path.dgid));
	return 0;
}

static void ah_hide(struct weft_rdma_dev *dev, struct weft_ah *ah)
{
	weft_rdma_lock(dev);
	xa_erase(&dev->efa->ahs, ah->number);
	hash_del(&ah->node);
	weft_rdma_unlock(dev);
}

static int ah_respond(struct weft_ah *ah, struct ib_udata *udata)
{
	struct efa_ibv_create_ah_resp resp = { .efa_address_handle = ah->number };

	return ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
}

/**
 * weft_efa_create_ah() - create an address handle
 * @ibah: the handle
 * @init: its address vector, with a GRH
 * @udata: set to the number of the handle
 *
 * The sender to that NIC is made now, as there is memory for it in process context.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for a GID that is not made of a MAC address, or for no GID; -ENODEV if
 * the NIC is gone; -ENOMEM, or -EBUSY, also beyond the limits.
 */
int weft_efa_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibah->device);
	struct weft_ah *ah = weft_ah_of(ibah);
	int err;

	if (!(rdma_ah_get_ah_flags(init->ah_attr) & IB_AH_GRH) ||
	    !mac_of_gid(&rdma_ah_read_grh(init->ah_attr)->dgid, ah->path.dmac))
		return -EINVAL;
	err = weft_rdma_get_object(dev, WEFT_RDMA_AHS);
	if (err)
		return err;
	ah->attr = *init->ah_attr;
	ah->attr.grh.sgid_attr = NULL;
	ah_path(dev, init->ah_attr, &ah->path);
	weft_srd_prepare(dev, &ah->path);
	weft_rdma_lock(dev);
	err = ah_publish(dev, ah);
	weft_rdma_unlock(dev);
	if (err)
		goto err_put;
	err = ah_respond(ah, udata);
	if (!err)
		return 0;
	ah_hide(dev, ah);

err_put:
	weft_rdma_put_object(dev, WEFT_RDMA_AHS);
	return err;
}

/**
 * weft_efa_destroy_ah() - destroy an address handle
 * @ibah: the handle
 * @flags: unused
 *
 * Requests that name it fail from now on, unless they were read before: these have its
 * path.
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_efa_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ibah->device);

	ah_hide(dev, weft_ah_of(ibah));
	weft_rdma_put_object(dev, WEFT_RDMA_AHS);
	return 0;
}
