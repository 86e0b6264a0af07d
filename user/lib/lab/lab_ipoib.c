// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IP over InfiniBand in the nodes of a lab.
 *
 * The kernel's ib_ipoib makes its netdevs in the initial network namespace, with names
 * that depend on what else is there. Each is moved to the node of its port, and gets the
 * NIC's number. It is up from then on, and has a carrier once a subnet manager has
 * let it join its groups. It ends with its RDMA device.
 */
#include "lab/lab_ipoib.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netlink/ipoib.h"
#include "netlink/ns.h"
#include "netlink/rdma.h"
#include "netlink/rtnl.h"

#define MODULE		"ib_ipoib"
#define MODULE_DIR	"/sys/module/" MODULE
#define MODPROBE	"/sbin/modprobe"

#define POLL_US		1000
#define POLLS		5000

static bool is_asked(const struct weft_plan *plan, unsigned int first,
		     unsigned int nics)
{
	for (unsigned int i = first; i < first + nics; i++)
		if (plan->nic[i].ipoib != WEFT_IPOIB_OFF)
			return true;
	return false;
}

/**
 * weft_lab_ipoib_load() - load the kernel's module, if a NIC of a plan asks for it
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_ipoib_load(const struct weft_plan *plan, struct weft_err *err)
{
	static char *const argv[] = { "modprobe", "-q", MODULE, NULL };
	int ret, status = -1;
	pid_t pid;

	if (!is_asked(plan, 0, plan->nics) || !access(MODULE_DIR, F_OK))
		return 0;
	ret = posix_spawn(&pid, MODPROBE, NULL, NULL, argv, NULL);
	if (ret)
		return weft_err_sys(err, ret, "verbs.ipoib: " MODPROBE);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return 0;
	return weft_err_set(err, WEFT_ERR_KERNEL, -ENOENT,
			    "verbs.ipoib: modprobe finds no module " MODULE " for this kernel");
}

/* GID 0: fe80::/64, and the port's GUID, which is the MAC address as EUI-64. */
static void port_gid(uint8_t gid[16], const uint8_t mac[6])
{
	const uint8_t all[16] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2],
		0xff, 0xfe, mac[3], mac[4], mac[5],
	};

	memcpy(gid, all, sizeof(all));
}

/* Before it moves: here sysfs shows the caller's namespace. */
static int set_mode(const struct weft_ipoib *dev, uint32_t mode,
		    struct weft_err *err)
{
	char path[64];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/class/net/%s/mode", dev->name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	if (dprintf(fd, "%s\n", weft_ipoib_words[mode]) < 0)
		ret = weft_err_sys(err, errno, "mode %s", weft_ipoib_words[mode]);
	close(fd);
	return ret;
}

static int move(struct weft_nl *rt, const struct weft_plan_nic *n, int netns,
		struct weft_err *err)
{
	struct weft_ipoib dev;
	uint8_t gid[16];

	port_gid(gid, n->mac);
	if (weft_ipoib_find(rt, gid, &dev, err) ||
	    set_mode(&dev, n->ipoib, err) ||
	    weft_ipoib_move(rt, &dev, netns, n->ipoib_name, err))
		return err->code;
	return 0;
}

static int move_all(const struct weft_plan *plan,
		    const struct weft_plan_node *node, int netns,
		    struct weft_err *err)
{
	const struct weft_plan_nic *n = &plan->nic[node->first];
	struct weft_nl rt;
	int ret = 0;

	if (weft_nl_open_route(&rt, err))
		return err->code;
	for (unsigned int i = 0; !ret && i < node->nics; i++, n++) {
		if (n->ipoib == WEFT_IPOIB_OFF)
			continue;
		ret = move(&rt, n, netns, err);
		if (ret)
			weft_err_prefix(err, "%s of %s", n->ipoib_name, node->name);
	}
	weft_nl_close(&rt);
	return ret;
}

/* The caller is in the network namespace of the node. */
static int start_all(const struct weft_plan *plan,
		     const struct weft_plan_node *node, struct weft_err *err)
{
	const struct weft_plan_nic *n = &plan->nic[node->first];
	struct weft_ipoib dev;
	struct weft_nl rt;
	uint8_t gid[16];
	int ret = 0;

	if (weft_nl_open_route(&rt, err))
		return err->code;
	for (unsigned int i = 0; !ret && i < node->nics; i++, n++) {
		if (n->ipoib == WEFT_IPOIB_OFF)
			continue;
		port_gid(gid, n->mac);
		ret = weft_ipoib_find(&rt, gid, &dev, err);
		if (!ret)
			ret = weft_rtnl_addr_new(&rt, dev.index, n->ipoib_ip,
						 n->prefix, err);
		if (!ret)
			ret = weft_rtnl_link_up(&rt, dev.index, err);
		if (ret)
			weft_err_prefix(err, "start %s of %s", n->ipoib_name,
					node->name);
	}
	weft_nl_close(&rt);
	return ret;
}

/**
 * weft_lab_ipoib_up() - give a node its netdevs of IP over InfiniBand
 * @lab: the lab
 * @plan: its plan
 * @node: the node, whose RDMA devices have just been made
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_ipoib_up(const struct weft_lab *lab, const struct weft_plan *plan,
		      unsigned int node, struct weft_err *err)
{
	const struct weft_plan_node *to = &plan->node[node];
	char path[WEFT_LAB_PATH];
	struct weft_ns ns;
	int netns, ret;

	if (!is_asked(plan, to->first, to->nics))
		return 0;
	weft_lab_path(lab, path, "nodes/%s/net", to->name);
	netns = open(path, O_RDONLY | O_CLOEXEC);
	if (netns < 0)
		return weft_err_sys(err, errno, "%s", path);
	ret = move_all(plan, to, netns, err);
	close(netns);
	if (ret || weft_ns_save(&ns, err))
		return err->code;
	ret = weft_lab_enter_ns(lab, to->name, "net", CLONE_NEWNET, err);
	if (!ret)
		ret = start_all(plan, to, err);
	return weft_ns_back(&ns, ret, err);
}

static void take_down(struct weft_nl *rt, json_t *dev)
{
	const char *name = json_string_value(json_object_get(dev, "ifname"));
	struct weft_err ignored;
	unsigned int index = name ? if_nametoindex(name) : 0;

	if (index)
		weft_rtnl_link_down(rt, index, &ignored);
}

/* Until a device has no connections any more, but for a while only. */
static void wait_for(const char *device)
{
	struct weft_err ignored;
	struct weft_nl nl;
	uint32_t index;
	unsigned int n;

	if (!device || weft_nl_open_rdma(&nl, &ignored))
		return;
	for (unsigned int i = 0; i < POLLS; i++) {
		if (weft_rdma_find(&nl, device, &index, &ignored) ||
		    weft_rdma_connections(&nl, index, &n, &ignored) || !n)
			break;
		usleep(POLL_US);
	}
	weft_nl_close(&nl);
}

/* The caller is in the network namespace of the node. */
static void stop_all(json_t *node)
{
	json_t *nic, *nics = json_object_get(node, "nics");
	struct weft_err ignored;
	struct weft_nl rt;
	size_t i;

	if (weft_nl_open_route(&rt, &ignored))
		return;
	json_array_foreach(nics, i, nic) {
		if (!json_object_get(nic, "ipoib"))
			continue;
		take_down(&rt, nic);
		take_down(&rt, json_object_get(nic, "ipoib"));
		wait_for(json_string_value(json_object_get(nic, "rdma_device")));
	}
	weft_nl_close(&rt);
}

static bool has_ipoib(json_t *node)
{
	json_t *nic;
	size_t i;

	json_array_foreach(json_object_get(node, "nics"), i, nic)
		if (json_object_get(nic, "ipoib"))
			return true;
	return false;
}

/**
 * weft_lab_ipoib_down() - end the connections of IP over InfiniBand of a lab
 * @lab: the lab, complete or not, without processes
 *
 * ib_ipoib destroys connections in a work, and when its device goes, it frees the
 * completion queues without waiting for that work (Linux 6.12, ipoib_ndo_uninit()). So
 * the connections have to end first. The NICs are down then, else ib_ipoib would wait
 * for a subnet manager that has ended. Errors are ignored: all of it ends anyway.
 */
void weft_lab_ipoib_down(const struct weft_lab *lab)
{
	struct weft_err ignored;
	const char *name;
	struct weft_ns ns;
	json_t *node;
	size_t i;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		if (!has_ipoib(node) || weft_ns_save(&ns, &ignored))
			continue;
		name = json_string_value(json_object_get(node, "name"));
		if (!weft_lab_enter_ns(lab, name, "net", CLONE_NEWNET, &ignored))
			stop_all(node);
		weft_ns_back(&ns, 0, &ignored);
	}
}
