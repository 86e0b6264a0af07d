// SPDX-License-Identifier: GPL-2.0
/*
 * Neighbours of a NIC whose MAC address follows from their IP address.
 *
 * DOC: theory of operation
 *
 * Where MAC addresses are assigned by a rule, nobody has to ask for them. A NIC with a
 * prefix takes it and the IPv4 address for the MAC address of a neighbour. One that is
 * told so takes for that of a link-local IPv6 address what its modified EUI-64 says
 * (RFC 4291, appendix A). When the stack makes the entry of a neighbour, it is complete
 * if a NIC of the fabric has that address. Otherwise the stack asks, as usual.
 *
 * So no ARP and no neighbour discovery disturbs a measurement, and an entry exists for
 * those that are talked to. An entry for each pair of nodes would be a million of them
 * for a thousand nodes, which takes seconds and half a gigabyte.
 *
 * The entry is NUD_NOARP: it needs no confirmation, and the stack may drop it where it
 * has too many, as the next packet makes it again.
 */
#include "netdev/nic_neigh.h"

#include <kunit/visibility.h>
#include <linux/etherdevice.h>
#include <linux/rcupdate.h>
#include <net/ipv6.h>
#include <net/neighbour.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "netdev/nic.h"

/**
 * weft_nic_neigh_mac4() - MAC address that an IPv4 address says
 * @prefix: first two bytes of it, 0 if it does not follow from the address
 * @ip: the address, 4 bytes
 * @mac: result, ETH_ALEN bytes
 *
 * Context: any.
 * Return: false if there is none.
 */
bool weft_nic_neigh_mac4(u16 prefix, const u8 *ip, u8 *mac)
{
	mac[0] = prefix >> 8;
	mac[1] = prefix & 0xff;
	memcpy(mac + 2, ip, 4);
	return prefix != 0;
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_neigh_mac4);

/**
 * weft_nic_neigh_mac6() - MAC address that an IPv6 address says
 * @ip: the address, 16 bytes
 * @mac: result, ETH_ALEN bytes
 *
 * Context: any.
 * Return: false if it is not link-local, or not made from a MAC address.
 */
bool weft_nic_neigh_mac6(const u8 *ip, u8 *mac)
{
	static const u8 network[] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0 };

	if (memcmp(ip, network, sizeof(network)) || ip[11] != 0xff || ip[12] != 0xfe)
		return false;
	memcpy(mac, ip + 8, 3);
	memcpy(mac + 3, ip + 13, 3);
	mac[0] ^= 2;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(weft_nic_neigh_mac6);

static bool neigh_mac(const struct weft_endpoint *wep, const struct neighbour *n, u8 *mac)
{
	if (n->tbl->family == AF_INET)
		return weft_nic_neigh_mac4(wep->neigh_prefix, n->primary_key, mac);
	return n->tbl->family == AF_INET6 && wep->neigh_eui64 &&
	       weft_nic_neigh_mac6(n->primary_key, mac);
}

/* Has a NIC of the fabric this address? */
static bool neigh_exists(struct weft_endpoint *wep, const u8 *mac)
{
	struct weft_fabric *f = wep->fabric;
	bool found;

	weft_engine_lock(f);
	found = !wep->gone && weft_mac_find(&f->macs, mac);
	weft_engine_unlock(f);
	return found;
}

/**
 * weft_nic_neigh_construct() - the stack makes an entry of a neighbour
 * @dev: the NIC
 * @n: the entry, not published; of the NIC, or of a netdev above it
 *
 * The protocol has set it up: an entry that it knows the address of, as those of groups
 * and of broadcasts, is valid.
 *
 * Context: process or softirq, without the fabric's lock; not under the lock of the
 * neighbour table.
 * Return: 0.
 */
int weft_nic_neigh_construct(struct net_device *dev, struct neighbour *n)
{
	struct weft_nic *nic = netdev_priv(dev);
	/* weft_mac_find() reads it in words. */
	u8 mac[ETH_ALEN] __aligned(2);
	struct weft_endpoint *wep;

	if (n->dev != dev || n->nud_state & NUD_VALID)
		return 0;
	rcu_read_lock();
	wep = rcu_dereference(nic->ep);
	if (wep && neigh_mac(wep, n, mac) && neigh_exists(wep, mac)) {
		n->nud_state = NUD_NOARP;
		ether_addr_copy(n->ha, mac);
		n->output = n->ops->connected_output;
	}
	rcu_read_unlock();
	return 0;
}
