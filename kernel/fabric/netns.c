// SPDX-License-Identifier: GPL-2.0
/*
 * State of each network namespace: its fabrics, and a file for marks.
 */
#include "fabric/netns.h"

#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "fabric/devlink.h"
#include "fabric/fabric.h"
#include "fabric/switch.h"
#include "observe/phase_mark.h"

static unsigned int netns_id __read_mostly;

/**
 * weft_netns_get() - state of a network namespace
 * @net: the namespace
 *
 * Context: any.
 * Return: the state.
 */
struct weft_netns *weft_netns_get(struct net *net)
{
	return net_generic(net, netns_id);
}

static int __net_init netns_new(struct net *net)
{
	struct weft_netns *wn = weft_netns_get(net);

	xa_init_flags(&wn->fabrics, XA_FLAGS_ALLOC);
	wn->generation = 1;
	return weft_phase_mark_init(net);
}

/* devlink must find no instance in a namespace that dies. */
static void __net_exit netns_before_death(struct net *net)
{
	struct weft_netns *wn = weft_netns_get(net);
	struct weft_switch *sw;
	struct weft_fabric *f;
	unsigned long id, i;

	rtnl_lock();
	xa_for_each(&wn->fabrics, id, f)
		xa_for_each(&f->switches, i, sw)
			weft_devlink_gone(sw);
	rtnl_unlock();
	weft_devlink_run();
}

/*
 * The namespace goes: no socket can reach its fabrics any more. NICs of these
 * fabrics in other namespaces stay, unattached.
 */
static void __net_exit netns_die(struct net *net)
{
	struct weft_netns *wn = weft_netns_get(net);
	struct weft_fabric *f;
	unsigned long id;

	weft_phase_mark_exit(net);
	rtnl_lock();
	xa_for_each(&wn->fabrics, id, f)
		weft_fabric_destroy(f);
	rtnl_unlock();
	xa_destroy(&wn->fabrics);
}

static struct pernet_operations netns_ops = {
	.init = netns_new,
	.pre_exit = netns_before_death,
	.exit = netns_die,
	.id = &netns_id,
	.size = sizeof(struct weft_netns),
};

/**
 * weft_netns_init() - register the operations of network namespaces
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int weft_netns_init(void)
{
	return register_pernet_subsys(&netns_ops);
}

/**
 * weft_netns_exit() - unregister them; destroys all fabrics
 *
 * Context: process, may sleep.
 */
void weft_netns_exit(void)
{
	unregister_pernet_subsys(&netns_ops);
}
