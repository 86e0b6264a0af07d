// SPDX-License-Identifier: GPL-2.0
/*
 * A fabric: creation and destruction.
 *
 * Teardown is in this order: the objects (each leaves the model under the lock, and
 * a NIC is unpublished before), the timer, the fabric itself after a grace period. A
 * transmit that found its endpoint before it was detached may still take the lock;
 * it sees weft_endpoint.gone and leaves.
 *
 * A client of a NIC holds a reference, because it uses the fabric's lock. After the
 * destruction of the fabric only the lock remains for it, and a clock without a
 * timer.
 */
#include "fabric/fabric.h"

#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "core/sim/rng.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fault.h"
#include "fabric/host.h"
#include "fabric/lids.h"
#include "fabric/limit.h"
#include "fabric/link.h"
#include "fabric/netns.h"
#include "fabric/phase.h"
#include "fabric/switch.h"
#include "fabric/traffic.h"
#include "fabric/trigger.h"
#include "group/aggregator.h"
#include "observe/trail.h"

/* A fabric counts like so many objects, because all timers may expire at once. */
#define FABRIC_OBJECTS		64

/* For what the model finds under the lock, and only RTNL allows to be done. */
static struct workqueue_struct *fabric_wq;

/**
 * weft_fabric_find() - look up a fabric by its id
 * @net: network namespace that created it
 * @id: the id
 *
 * Context: process, RTNL held.
 * Return: the fabric or NULL.
 */
struct weft_fabric *weft_fabric_find(struct net *net, u32 id)
{
	ASSERT_RTNL();
	return xa_load(&weft_netns_get(net)->fabrics, id);
}

/**
 * weft_fabric_find_name() - look up a fabric by its name
 * @net: network namespace that created it
 * @name: the name
 *
 * Context: process, RTNL held.
 * Return: the fabric or NULL.
 */
struct weft_fabric *weft_fabric_find_name(struct net *net, const char *name)
{
	struct weft_fabric *f;
	unsigned long id;

	ASSERT_RTNL();
	xa_for_each(&weft_netns_get(net)->fabrics, id, f)
		if (*name && !strcmp(f->p.name, name))
			return f;
	return NULL;
}

static void fabric_init_model(struct weft_fabric *f)
{
	u64 state = f->p.seed;

	f->flow_key.key[0] = fab_rng_next(&state);
	f->flow_key.key[1] = fab_rng_next(&state);
	fab_init(&f->fab, &weft_host_ops, fab_rng_next(&state));
	f->fab.late_bound = f->p.late_bound;
}

static size_t fabric_mem(const struct weft_fabric_params *p)
{
	return sizeof(struct weft_fabric) + weft_mac_mem(p->max_nics) +
	       (p->managed ? weft_lids_mem(p->max_nics) : 0);
}

static struct weft_fabric *fabric_alloc(struct net *net,
					const struct weft_fabric_params *p)
{
	struct weft_fabric *f;

	f = kvzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return NULL;
	f->p = *p;
	if (weft_mac_init(&f->macs, p->max_nics))
		goto err_free_fabric;
	if (p->managed && weft_lids_create(f))
		goto err_free_macs;
	refcount_set(&f->refs, 1);
	f->net = net;
	f->limited = weft_limit_applies(net);
	xa_init_flags(&f->switches, XA_FLAGS_ALLOC);
	xa_init_flags(&f->links, XA_FLAGS_ALLOC);
	xa_init_flags(&f->nics, XA_FLAGS_ALLOC);
	weft_fault_prepare(f);
	weft_traffic_prepare(f);
	weft_trigger_prepare(f);
	weft_aggregator_prepare(f);
	weft_phase_prepare(f);
	f->generation = 1;
	f->link_epoch = 1;
	fabric_init_model(f);
	INIT_WORK(&f->bury, weft_host_bury);
	weft_engine_init(f);
	return f;

err_free_macs:
	weft_mac_free(&f->macs);
err_free_fabric:
	kvfree(f);
	return NULL;
}

/**
 * weft_fabric_create() - create an empty fabric
 * @net: network namespace that it belongs to
 * @p: its parameters
 * @extack: for the reason of a refusal
 *
 * It holds a reference on the module, which cannot be unloaded under a lab.
 *
 * Context: process, RTNL held, may sleep.
 * Return: the fabric or an ERR_PTR.
 */
struct weft_fabric *weft_fabric_create(struct net *net,
				       const struct weft_fabric_params *p,
				       struct netlink_ext_ack *extack)
{
	struct weft_netns *wn = weft_netns_get(net);
	struct weft_fabric *f;
	int err;

	ASSERT_RTNL();
	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-ENODEV);
	err = weft_limit_take(weft_limit_applies(net), FABRIC_OBJECTS,
			      fabric_mem(p), extack);
	if (err)
		goto err_put_module;
	err = -ENOMEM;
	f = fabric_alloc(net, p);
	if (!f)
		goto err_give;
	err = xa_alloc(&wn->fabrics, &f->id, f,
		       XA_LIMIT(0, WEFT_FABRICS_MAX - 1), GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free_fabric;
	wn->generation++;
	return f;

err_free_fabric:
	if (err == -EBUSY)
		NL_SET_ERR_MSG_FMT(extack,
				   "network namespace has %u fabrics already",
				   WEFT_FABRICS_MAX);
	weft_lids_destroy(f);
	weft_mac_free(&f->macs);
	kvfree(f);
err_give:
	weft_limit_give(weft_limit_applies(net), FABRIC_OBJECTS, fabric_mem(p));
err_put_module:
	module_put(THIS_MODULE);
	return ERR_PTR(err);
}

static void fabric_empty(struct weft_fabric *f)
{
	struct weft_endpoint *wep;
	struct weft_switch *sw;
	struct weft_link *link;
	unsigned long id;

	weft_trail_fabric_gone(f);
	xa_for_each(&f->links, id, link) {
		weft_link_destroy(link);
		cond_resched();
	}
	xa_for_each(&f->nics, id, wep) {
		weft_endpoint_detach(wep);
		cond_resched();
	}
	xa_for_each(&f->switches, id, sw) {
		weft_switch_destroy(sw);
		cond_resched();
	}
}

/**
 * weft_fabric_get() - take a reference
 * @f: the fabric, on which there is one
 *
 * Context: any.
 */
void weft_fabric_get(struct weft_fabric *f)
{
	refcount_inc(&f->refs);
}

/**
 * weft_fabric_put() - drop a reference; the last one frees the fabric
 * @f: the fabric
 *
 * Context: process, may sleep.
 */
void weft_fabric_put(struct weft_fabric *f)
{
	if (!refcount_dec_and_test(&f->refs))
		return;
	weft_lids_destroy(f);
	weft_mac_free(&f->macs);
	kvfree_rcu(f, rcu);
}

/**
 * weft_fabric_queue() - queue a work item of a fabric, which may take RTNL
 * @f: the fabric
 * @work: the work item, which calls weft_fabric_put() at its end
 *
 * Context: any; the caller holds the fabric's lock.
 */
void weft_fabric_queue(struct weft_fabric *f, struct work_struct *work)
{
	lockdep_assert_held(&f->lock);
	weft_fabric_get(f);
	/* The caller holds a reference too, so this is not the last. */
	if (!queue_work(fabric_wq, work))
		weft_fabric_put(f);
}

/**
 * weft_fabric_listen() - count a capture or a trail of a fabric
 * @f: the fabric
 * @extack: for the reason of a refusal
 *
 * Each costs CPU time for each frame, so a limited fabric may have only a few.
 *
 * Context: process, RTNL held.
 * Return: 0 or -EDQUOT.
 */
int weft_fabric_listen(struct weft_fabric *f, struct netlink_ext_ack *extack)
{
	int err;

	err = weft_limit_take(f->limited, 1, 0, extack);
	if (err)
		return err;
	if (atomic_inc_return(&f->listeners) <= WEFT_LIMIT_LISTENERS ||
	    !f->limited)
		return 0;
	weft_fabric_unlisten(f);
	NL_SET_ERR_MSG_FMT(extack, "a user's fabric has %u captures and trails at most",
			   WEFT_LIMIT_LISTENERS);
	return -EDQUOT;
}

/**
 * weft_fabric_unlisten() - a capture or a trail has ended
 * @f: the fabric
 *
 * Context: process.
 */
void weft_fabric_unlisten(struct weft_fabric *f)
{
	atomic_dec(&f->listeners);
	weft_limit_give(f->limited, 1, 0);
}

/**
 * weft_fabric_destroy() - destroy a fabric and all its objects
 * @f: the fabric
 *
 * The module may be unloaded from here on. The unload waits for the caller, which
 * is a request of the family or the exit of a namespace. Clients, which may keep
 * the memory, hold references on the module themselves.
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_fabric_destroy(struct weft_fabric *f)
{
	struct weft_netns *wn = weft_netns_get(f->net);

	ASSERT_RTNL();
	f->quiet = true;
	xa_erase(&wn->fabrics, f->id);
	wn->generation++;
	fabric_empty(f);
	weft_trigger_end(f);
	weft_engine_stop(f);
	weft_phase_end(f);
	flush_work(&f->bury);
	xa_destroy(&f->links);
	xa_destroy(&f->nics);
	xa_destroy(&f->switches);
	xa_destroy(&f->faults);
	xa_destroy(&f->traffics);
	xa_destroy(&f->aggregators);
	weft_limit_give(f->limited, FABRIC_OBJECTS, fabric_mem(&f->p));
	weft_fabric_put(f);
	module_put(THIS_MODULE);
}

/**
 * weft_fabric_init() - create the work queue of all fabrics
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int __init weft_fabric_init(void)
{
	fabric_wq = alloc_workqueue("weft", WQ_UNBOUND, 0);
	return fabric_wq ? 0 : -ENOMEM;
}

/**
 * weft_fabric_exit() - flush and destroy the work queue
 *
 * Context: process, may sleep.
 */
void weft_fabric_exit(void)
{
	destroy_workqueue(fabric_wq);
}
