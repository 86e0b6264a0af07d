/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fabric: the model, its lock and timer, and the objects in it.
 */
#ifndef WEFT_FABRIC_H
#define WEFT_FABRIC_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/refcount.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/weft.h>

#include "core/fabric.h"
#include "fabric/counters.h"
#include "fabric/leap.h"
#include "fabric/mac.h"
#include "fabric/phase.h"

#define WEFT_TAP_BITS	6	/* buckets of captures: a power of two */
#define WEFT_AGGREGATOR_GROUP_BITS 8	/* the same of groups that are reduced */

struct net;
struct netlink_ext_ack;
struct weft_lids;

/**
 * struct weft_fabric_params - parameters of a fabric
 */
struct weft_fabric_params {
	/** @name: unique in the network namespace; empty for none */
	char name[WEFT_NAME_LEN];
	/** @seed: source of all randomness */
	u64 seed;
	/** @late_bound: events executed later than this count as late */
	fab_time late_bound;
	/** @dilation: fabric time runs this many times slower than the clock */
	u32 dilation;
	/** @max_nics: endpoint ids are below this */
	u32 max_nics;
	/** @managed: a subnet manager assigns LIDs and routes of InfiniBand */
	bool managed;
};

/**
 * struct weft_fabric - one fabric
 *
 * Configuration is changed and read under RTNL. The model, and what it reads, is
 * changed under both RTNL and @lock, so either is enough for reading.
 */
struct weft_fabric {
	/**
	 * @rcu: it is freed by RCU, because a transmit may have a pointer; near
	 * the front for kvfree_rcu()
	 */
	struct rcu_head rcu;
	/**
	 * @lock: protects the members up to @refs, and the model's objects
	 * (switches, endpoints, links) wherever they are embedded
	 */
	spinlock_t lock;
	/** @stopped: the timer must not be armed any more */
	bool stopped;
	/** @fab: the model */
	struct fab fab;
	/** @timer: expires when the next event of the model is due */
	struct hrtimer timer;
	/** @leap: the same where the machine does nothing else until then */
	struct vclock_leap leap;
	/** @armed: when @timer expires, or @thread goes on; FAB_NEVER: never */
	fab_time armed;
	/** @rest_ns: monotonic clock before which @timer must not expire */
	u64 rest_ns;
	/** @stormy: the last turn hit its bound */
	bool stormy;
	/** @patience: how long a release of @lock waits for an event, ps; constant */
	fab_time patience;
	/** @behind: @catch_up runs it instead of the timer */
	bool behind;
	/** @thread: runs it in place of @timer, or NULL; changed under RTNL too */
	struct task_struct *thread;
	/** @asleep: @thread has to be woken for an event before @armed */
	bool asleep;
	/** @host_drops: packets that the host lost, by reason */
	u64 host_drops[WEFT_HOST_DROP_COUNT];
	/** @dead: lost packets that @bury frees, by skb->next */
	struct sk_buff *dead;
	/** @macs: addresses of the NICs */
	struct weft_mac_table macs;
	/** @taps: captures of wires, by the port that sends on them */
	DECLARE_HASHTABLE(taps, WEFT_TAP_BITS);
	/** @trails: trails of its packets */
	struct hlist_head trails;

	/** @refs: references of the namespace, until destruction, and of clients */
	refcount_t refs;
	/** @flow_key: key of the flow hash; constant */
	siphash_key_t flow_key;
	/** @base_ns: monotonic clock at fabric time 0; constant */
	u64 base_ns;
	/** @p: parameters; constant */
	struct weft_fabric_params p;
	/** @id: number in its network namespace; constant */
	u32 id;
	/** @net: namespace that created it, which it does not outlive; constant */
	struct net *net;
	/** @limited: unprivileged users created it (limit.h); constant */
	bool limited;
	/** @listeners: number of captures and trails */
	atomic_t listeners;

	/** @generation: changes with each change of the configuration (RTNL) */
	u32 generation;
	/** @cpu: CPU of @thread (RTNL) */
	u32 cpu;
	/** @quiet: it is being destroyed: its objects raise no events (RTNL) */
	bool quiet;
	/** @link_epoch: number of changes of links, from 1 on (@lock) */
	u64 link_epoch;
	/** @lids: LIDs, where a subnet manager assigns them, else NULL (@lock) */
	struct weft_lids *lids;
	/** @switches: switches by id (RTNL) */
	struct xarray switches;
	/** @links: links by id (RTNL) */
	struct xarray links;
	/** @nics: endpoints by id (RTNL) */
	struct xarray nics;
	/** @faults: faults by id (RTNL) */
	struct xarray faults;
	/** @triggers: triggers by id (RTNL) */
	struct xarray triggers;
	/** @aggregators: aggregation nodes by id (RTNL) */
	struct xarray aggregators;
	/** @aggregator_groups: their groups by number (RTNL, @lock) */
	DECLARE_HASHTABLE(aggregator_groups, WEFT_AGGREGATOR_GROUP_BITS);
	/** @traffics: generators of background traffic by id (RTNL) */
	struct xarray traffics;
	/** @traffic_groups: number of the next group of generators (RTNL) */
	u32 traffic_groups;
	/** @bury: frees @dead */
	struct work_struct bury;
	/** @catch_up: runs a limited fabric that is behind, in turn with others */
	struct work_struct catch_up;
	/** @carrier: updates carriers of NICs, and raises events, after faults */
	struct work_struct carrier;
	/** @news: tells listeners of phases and triggers */
	struct work_struct news;
	/** @untold: bit per phase that listeners have to hear of (@lock) */
	DECLARE_BITMAP(untold, WEFT_PHASES_MAX);
};

int weft_fabric_init(void);
void weft_fabric_exit(void);
struct weft_fabric *weft_fabric_create(struct net *net,
				       const struct weft_fabric_params *p,
				       struct netlink_ext_ack *extack);
void weft_fabric_destroy(struct weft_fabric *f);
void weft_fabric_get(struct weft_fabric *f);
void weft_fabric_put(struct weft_fabric *f);
void weft_fabric_queue(struct weft_fabric *f, struct work_struct *work);
int weft_fabric_listen(struct weft_fabric *f, struct netlink_ext_ack *extack);
void weft_fabric_unlisten(struct weft_fabric *f);
struct weft_fabric *weft_fabric_find(struct net *net, u32 id);
struct weft_fabric *weft_fabric_find_name(struct net *net, const char *name);

#endif
