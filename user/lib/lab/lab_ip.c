// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses and routes of a node.
 *
 * Each NIC has an address. A node with an address of its own has it on a dummy
 * device, since programs ignore loopback devices when they look for interfaces.
 * It has a route to each other node via the address of that node's NIC, so that
 * the link layer is the same as between NICs.
 */
#include "lab/lab_ip.h"

#include "lab/lab_ip6.h"
#include "netlink/rtnl.h"
#include "plan/plan_reach.h"

/**
 * struct ip - state of the configuration of a node
 * @plan: the plan
 * @node: the node
 * @rt: rtnetlink socket in its network namespace
 * @err: error
 */
struct ip {
	const struct weft_plan *plan;
	unsigned int node;
	struct weft_nl rt;
	struct weft_err *err;
};

static int start_nic(struct ip *ip, const struct weft_plan_nic *n)
{
	if (weft_rtnl_link_sync(&ip->rt, n->ifindex, ip->err) ||
	    weft_rtnl_addr_new(&ip->rt, n->ifindex, n->ip, n->prefix, ip->err))
		return ip->err->code;
	return weft_lab_ip6(ip->plan, n, &ip->rt, ip->err);
}

static int start_nics(struct ip *ip)
{
	const struct weft_plan_node *node = &ip->plan->node[ip->node];

	for (unsigned int i = 0; i < node->nics; i++) {
		const struct weft_plan_nic *n = &ip->plan->nic[node->first + i];

		if (start_nic(ip, n)) {
			weft_err_prefix(ip->err, "start NIC %s", n->nic.name);
			return ip->err->code;
		}
	}
	return 0;
}

static int make_address(struct ip *ip)
{
	if (weft_rtnl_dummy_new(&ip->rt, WEFT_NODE_DEVICE, WEFT_NODE_IFINDEX,
				ip->err) ||
	    weft_rtnl_addr_new(&ip->rt, WEFT_NODE_IFINDEX,
			       ip->plan->node[ip->node].ip, 32, ip->err))
		return ip->err->code;
	return weft_rtnl_link_up(&ip->rt, WEFT_NODE_IFINDEX, ip->err);
}

static int make_route(struct ip *ip, unsigned int to)
{
	const struct weft_plan_node *node = ip->plan->node;
	struct weft_path path[WEFT_NODE_NICS_MAX];
	struct weft_hop hop[WEFT_NODE_NICS_MAX];
	unsigned int n;

	n = weft_plan_paths(ip->plan, ip->node, to, path);
	for (unsigned int i = 0; i < n; i++)
		hop[i] = (struct weft_hop) {
			.ifindex = ip->plan->nic[path[i].nic].ifindex,
			.via = ip->plan->nic[path[i].peer].ip,
		};
	if (!n)
		return 0;
	return weft_rtnl_route_new(&ip->rt, node[to].ip, node[ip->node].ip, to + 1, hop, n,
				   ip->err);
}

static int make_routes(struct ip *ip)
{
	int ret = 0;

	for (unsigned int to = 0; !ret && to < ip->plan->nodes; to++)
		if (to != ip->node)
			ret = make_route(ip, to);
	if (!ret)
		ret = weft_nl_flush(&ip->rt, ip->err);
	if (ret)
		weft_err_prefix(ip->err, "routes of node %s",
				ip->plan->node[ip->node].name);
	return ret;
}

/**
 * weft_lab_ip() - configure the addresses and routes of a node
 * @plan: the plan
 * @node: the node
 * @err: error
 *
 * Context: the caller is in the network namespace of the node.
 * Return: 0 or negative errno.
 */
int weft_lab_ip(const struct weft_plan *plan, unsigned int node,
		struct weft_err *err)
{
	struct ip ip = { .plan = plan, .node = node, .err = err };
	bool own = plan->node[node].ip;
	int ret;

	if (weft_nl_open_route(&ip.rt, err))
		return err->code;
	ret = own ? make_address(&ip) : 0;
	if (!ret)
		ret = start_nics(&ip);
	if (!ret && own)
		ret = make_routes(&ip);
	weft_nl_close(&ip.rt);
	return ret;
}
