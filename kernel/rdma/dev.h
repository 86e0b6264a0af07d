/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An RDMA device on a NIC.
 *
 * DOC: locks
 *
 * The data path has one lock: that of the device's fabric, taken by
 * weft_rdma_lock(). It protects queue pairs with their send queues, requesters
 * and responders, memory keys, multicast groups, the port's arbiter, and every
 * packet, of all devices of the fabric. Arrivals, timers (events of the model)
 * and posts run under it, at exact fabric times. Copies from the memory of one
 * process to that of another are made under it, so memory that was deregistered
 * under it is never accessed again.
 *
 * Two kinds of locks are below it, because the kernel's own users post and poll
 * with interrupts off: the lock of a receive queue (rq.h) and the lock of a
 * completion queue (cq.h), in this order, both irqsave. Completion handlers run
 * under neither of these two, but may run under the fabric's lock.
 *
 * The fabric outlives the device, which holds a reference. When the NIC leaves
 * the fabric, client.wep becomes NULL under the lock. From then on nothing can be
 * sent, queue pairs are in error, and the device is about to go.
 */
#ifndef WEFT_RDMA_DEV_H
#define WEFT_RDMA_DEV_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
#include <linux/time-internal.h>
#endif

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/hwpkt.h"
#include "rdma/agent/cc_agent.h"
#include "rdma/agent/mad.h"
#include "rdma/agent/sma.h"
#include "rdma/mem.h"
#include "rdma/port/port.h"

struct weft_efa;

#define WEFT_RDMA_QPN_MAX	0xfffffe	/* 0xffffff is multicast */
#define WEFT_RDMA_INLINE_MAX	256		/* bytes */
#define WEFT_RDMA_SGE_MAX	16
#define WEFT_RDMA_WR_MAX	16384
#define WEFT_RDMA_CQE_MAX	BIT(22)
#define WEFT_RDMA_RD_ATOMIC	16		/* outstanding reads and atomics of a QP */
#define WEFT_RDMA_GIDS		64
#define WEFT_RDMA_VENDOR	0xffffff	/* no OUI: what is emulated has no vendor */
#define WEFT_RDMA_RECENT	8		/* objects that are found without a search */
#define WEFT_RDMA_OBJECTS	BIT(18)		/* of each kind, by default */
#define WEFT_RDMA_GROUPS	8192		/* multicast groups of a device */
#define WEFT_RDMA_MEMBERS	256		/* queue pairs in a multicast group */
#define WEFT_RDMA_MSG_MAX	BIT(30)		/* bytes of a message */

/* Kinds of objects that are counted. */
enum weft_rdma_kind {
	WEFT_RDMA_PDS,
	WEFT_RDMA_CQS,
	WEFT_RDMA_QPS,
	WEFT_RDMA_SRQS,
	WEFT_RDMA_MRS,
	WEFT_RDMA_AHS,
	WEFT_RDMA_KINDS
};

/**
 * struct weft_rdma_dev - an RDMA device
 */
struct weft_rdma_dev {
	/** @ib: the kernel's device */
	struct ib_device ib;
	/** @client: client of the NIC */
	struct weft_client client;
	/** @netdev: the NIC, referenced; constant */
	struct net_device *netdev;
	/** @tracker: tracker of the reference */
	netdevice_tracker tracker;
	/** @hca: InfiniBand: parent of @ib, otherwise NULL; constant */
	struct platform_device *hca;
	/** @list: in dev_list (dev_mutex) */
	struct list_head list;
	/** @is_ib: its port has LIDs (InfiniBand), or it has not; constant */
	bool is_ib;
	/** @efa: what an EFA device has beside this; NULL for other kinds; constant */
	struct weft_efa *efa;
	/** @stores: its link is of NVLink: it reaches groups that reduce, nothing else; constant */
	bool stores;
	/** @guid: node and port GUID; constant */
	__be64 guid;
	/** @up: the link is up; not used if managed (RTNL and fabric's lock) */
	bool up;
	/** @max_objects: limit of objects of each kind; constant */
	u32 max_objects;
	/** @objects: number of objects, by kind */
	atomic_t objects[WEFT_RDMA_KINDS];
	/** @remove: unregisters the device without RTNL; holds a reference */
	struct work_struct remove;
	/** @post: moves the kernel's requests to their rings (post.c) */
	struct work_struct post;
	/** @posters: queue pairs with such requests (@posters_lock) */
	struct list_head posters;
	/** @posters_lock: irqsave, below all others */
	spinlock_t posters_lock;
	/** @qps: queue pairs by number; 0 and 1 are QP0 and QP1 (fabric's lock) */
	struct xarray qps;
	/** @recent_qp: of them, those looked up last, by their last bits (fabric's lock) */
	struct weft_qp *recent_qp[WEFT_RDMA_RECENT];
	/** @next_qpn: start of the search for a free QP number */
	u32 next_qpn;
	/** @mrs: memory regions by key >> 8 (fabric's lock) */
	struct xarray mrs;
	/** @recent_mr: of them, those looked up last, by their last bits (fabric's lock) */
	struct weft_mr *recent_mr[WEFT_RDMA_RECENT];
	/** @local_dma: region of the local DMA key; constant */
	struct weft_mr local_dma;
	/** @next_key: start of the search for a free key */
	u32 next_key;
	/** @key_secret: secret of the lower bits of keys; constant */
	siphash_key_t key_secret;
	/** @zerocopy_sqs: send queues with zero-copy packets (fabric's lock) */
	struct list_head zerocopy_sqs;
	/** @groups: multicast groups by GID, struct weft_group (fabric's lock) */
	DECLARE_HASHTABLE(groups, 10);
	/** @ngroups: number of multicast groups */
	u32 ngroups;
	/** @port: arbitration among queue pairs, arrivals (fabric's lock) */
	struct weft_rdma_port port;
	/** @pma: offsets of the port's counters that were set (fabric's lock) */
	struct weft_pma pma;
	/** @sma: subnet management of the port, with @is_ib (fabric's lock) */
	struct weft_sma sma;
	/** @cc_agent: state of congestion control management (fabric's lock) */
	struct weft_cc_agent cc_agent;
};

static inline struct weft_rdma_dev *weft_rdma_dev_of(struct ib_device *ib)
{
	return container_of(ib, struct weft_rdma_dev, ib);
}

/* May its port send? */
static inline bool weft_port_is_running(const struct weft_rdma_dev *dev)
{
	return dev->client.wep && !dev->port.stopped;
}

/*
 * Count one more object of a kind; the caller puts it back if it fails. -ENOMEM
 * beyond the limit in the device's attributes, as on hardware.
 */
static inline int weft_rdma_get_object(struct weft_rdma_dev *dev,
				       enum weft_rdma_kind kind)
{
	return atomic_add_unless(&dev->objects[kind], 1, dev->max_objects) ?
	       0 : -ENOMEM;
}

static inline void weft_rdma_put_object(struct weft_rdma_dev *dev,
					enum weft_rdma_kind kind)
{
	atomic_dec(&dev->objects[kind]);
}

/* Parameters of the NIC's model; the fabric's lock is held, the NIC is there. */
static inline const struct weft_verbs_params *
weft_rdma_params(const struct weft_rdma_dev *dev)
{
	return &dev->client.wep->verbs.p;
}

static inline struct fab *weft_rdma_fab(struct weft_rdma_dev *dev)
{
	return &dev->client.fabric->fab;
}

/**
 * weft_mr_of_index() - look up the region that a key belongs to, valid or not
 * @dev: device
 * @key: key, of which the lower bits do not matter
 *
 * Context: the fabric's lock is held, under which the region stays.
 * Return: the region or NULL.
 */
static inline struct weft_mr *weft_mr_of_index(struct weft_rdma_dev *dev, u32 key)
{
	u32 index = key >> WEFT_MR_KEY_BITS;
	struct weft_mr *mr = dev->recent_mr[index % WEFT_RDMA_RECENT];

	lockdep_assert_held(&dev->client.fabric->lock);
	return likely(mr && mr->index == index) ? mr : weft_mr_search(dev, index);
}

/**
 * weft_mr_find() - look up a key
 * @dev: device
 * @pd: protection domain of the region
 * @key: key; the local DMA key is known in the kernel's domains only
 *
 * Context: the fabric's lock is held, under which the region stays.
 * Return: the region or NULL.
 */
static inline struct weft_mr *weft_mr_find(struct weft_rdma_dev *dev,
					   const struct ib_pd *pd, u32 key)
{
	struct weft_mr *mr;

	if (unlikely(key == WEFT_LOCAL_DMA_LKEY))
		return pd->uobject ? NULL : &dev->local_dma;
	mr = weft_mr_of_index(dev, key);
	return mr && mr->key == key && mr->ib.pd == pd ? mr : NULL;
}

/* Add to a counter of the endpoint, if there is one; the fabric's lock is held. */
#define weft_rdma_count(dev, name, n)					\
do {									\
	struct weft_endpoint *__wep = (dev)->client.wep;		\
									\
	if (__wep)							\
		__wep->verbs.c.name += (n);				\
} while (0)

static inline void weft_rdma_lock(struct weft_rdma_dev *dev)
	__acquires(&dev->client.fabric->lock)
{
	weft_engine_lock(dev->client.fabric);
}

static inline void weft_rdma_unlock(struct weft_rdma_dev *dev)
	__releases(&dev->client.fabric->lock)
{
	weft_engine_unlock(dev->client.fabric);
}

/* Is the clock virtual, so that time stands still while a process runs? */
static inline bool weft_clock_virtual(void)
{
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
	return time_travel_mode == TT_MODE_INFCPU;
#else
	return false;
#endif
}

/* Let processes look again that spin on the memory of this node. */
static inline void weft_rdma_memory_written(struct weft_rdma_dev *dev)
{
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
	vclock_packet(dev_net(dev->netdev));
#endif
}

/* Entries of the P_Key table. */
static inline u32 weft_rdma_pkeys(const struct weft_rdma_dev *dev)
{
	return dev->sma.managed ? WEFT_SMA_PKEYS : 1;
}

/* An entry of it, 0 beyond its end; the fabric's lock is held. */
static inline u16 weft_rdma_pkey(const struct weft_rdma_dev *dev, u32 index)
{
	if (!dev->sma.managed)
		return index ? 0 : IB_DEFAULT_PKEY_FULL;
	return index < WEFT_SMA_PKEYS ? dev->sma.port.pkeys[index] : 0;
}

/* dev.c */
int weft_rdma_dev_init(void);
void weft_rdma_dev_exit(void);
void weft_rdma_event(struct weft_rdma_dev *dev, enum ib_event_type type);

/* attr.c */
extern const struct attribute_group weft_rdma_attr_group;

int weft_rdma_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			   struct ib_udata *udata);
int weft_rdma_query_port(struct ib_device *ib, u32 port,
			 struct ib_port_attr *attr);
void weft_rdma_link_rate(struct weft_rdma_dev *dev, struct ib_port_attr *attr);
int weft_rdma_modify_port(struct ib_device *ib, u32 port, int mask,
			  struct ib_port_modify *m);
int weft_rdma_modify_device(struct ib_device *ib, int mask,
			    struct ib_device_modify *m);
int weft_rdma_port_immutable(struct ib_device *ib, u32 port,
			     struct ib_port_immutable *im);
void weft_attr_rate(u64 bps, u32 *speed, u8 *width);
enum rdma_link_layer weft_rdma_link_layer(struct ib_device *ib, u32 port);
int weft_rdma_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int weft_rdma_query_gid(struct ib_device *ib, u32 port, int index,
			union ib_gid *gid);
int weft_rdma_add_gid(const struct ib_gid_attr *attr, void **context);
int weft_rdma_del_gid(const struct ib_gid_attr *attr, void **context);

/* mad.c */
int weft_rdma_process_mad(struct ib_device *ib, int flags, u32 port,
			  const struct ib_wc *in_wc, const struct ib_grh *in_grh,
			  const struct ib_mad *in, struct ib_mad *out,
			  size_t *out_size, u16 *out_pkey_index);

/* counters.c */
struct rdma_hw_stats *weft_rdma_alloc_stats(struct ib_device *ib, u32 port);
int weft_rdma_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats,
			u32 port, int index);

#endif
