// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Link-local IPv6 as far as RoCE needs it.
 *
 * The RDMA core gives each RoCE port a first GID that is the link-local address of
 * its MAC address, and finds the peer of a connection by the route to the peer's GID.
 * Nodes have IPv6 off, so it would be missing. With the settings of this file it is
 * there, and the node still has no IPv6 address: it sends nothing by itself, and programs
 * see IPv4 only. The MAC address of the peer follows from its GID: see plan.c.
 */
#include "lab/lab_ip6.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab_verbs.h"
#include "netlink/discipline.h"
#include "netlink/rtnl.h"

#define ADDR_GEN_NONE	"1"	/* IN6_ADDR_GEN_MODE_NONE */

static bool has_roce(const struct weft_plan_nic *n)
{
	return *n->device && weft_verbs_loaded() &&
	       weft_port_discipline(&n->nic.port)->family == WEFT_ETHERNET;
}

/* Return 1 if it is set, 0 if the netdev has no such setting, or negative errno. */
static int set(const char *ifname, const char *key, const char *value,
	       struct weft_err *err)
{
	char path[96];
	int fd, ret = 1;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/%s", ifname, key);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : weft_err_sys(err, errno, "%s", path);
	if (write(fd, value, strlen(value)) < 0)
		ret = weft_err_sys(err, errno, "%s", path);
	close(fd);
	return ret;
}

/* IPv6 without any address. */
static int turn_on(const char *ifname, struct weft_err *err)
{
	int ret = set(ifname, "addr_gen_mode", ADDR_GEN_NONE, err);

	return ret > 0 ? set(ifname, "disable_ipv6", "0", err) : ret;
}

/**
 * weft_lab_ip6() - make the link-local GID of a RoCE port usable
 * @plan: the plan
 * @n: the NIC, up; nothing happens if it has no RoCE device, or IPv6 is on
 * @rt: rtnetlink socket in its network namespace
 * @err: error
 *
 * Without IPv6 in the kernel, or with an MTU below IPv6's least, nothing happens.
 *
 * Context: the caller is in the network namespace of the node.
 * Return: 0 or negative errno.
 */
int weft_lab_ip6(const struct weft_plan *plan, const struct weft_plan_nic *n,
		 struct weft_nl *rt, struct weft_err *err)
{
	uint8_t prefix[16] = { 0xfe, 0x80 };
	int ret;

	if (plan->ipv6 || !has_roce(n))
		return 0;
	ret = turn_on(n->nic.ifname, err);
	if (ret <= 0)
		return ret;
	return weft_rtnl_route6_new(rt, n->ifindex, prefix, 64, err);
}
