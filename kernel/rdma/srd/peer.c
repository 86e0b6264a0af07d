// SPDX-License-Identifier: GPL-2.0
/*
 * Peers of an EFA device: found by MAC address, made when they are needed.
 *
 * A peer stays as long as the device: the numbers of its packets go on, also if the other NIC
 * has nothing to say for long.
 */
#include "rdma/srd/peer.h"

#include <linux/etherdevice.h>
#include <linux/jhash.h>

static u32 mac_hash(const u8 *mac)
{
	return jhash(mac, ETH_ALEN, 0);
}

/**
 * weft_srd_find() - the peer with a MAC address
 * @dev: the device
 * @mac: the address
 *
 * Context: any; the fabric's lock is held.
 * Return: the peer or NULL.
 */
struct weft_srd_peer *weft_srd_find(const struct weft_rdma_dev *dev, const u8 *mac)
{
	struct weft_srd_peer *peer;

	hash_for_each_possible(dev->efa->peers, peer, node, mac_hash(mac))
		if (ether_addr_equal(peer->path.dmac, mac))
			return peer;
	return NULL;
}

static struct fab_srd_params peer_params(const struct weft_rdma_dev *dev)
{
	const struct weft_verbs_params *v = weft_rdma_params(dev);

	return (struct fab_srd_params) {
		.paths = v->paths,
		.target = v->target,
		.reorder = v->reorder,
		.timeout = v->timeout,
	};
}

/* The tag of a path is its UDP source port, which switches hash. */
static void peer_paths(struct weft_srd_peer *peer)
{
	struct weft_path path = peer->path;
	u32 i;

	for (i = 0; i < FAB_SRD_PATHS; i++) {
		path.sport = peer->path.sport + i;
		weft_path_hash(peer->dev, &path);
		peer->flow_hash[i] = path.flow_hash;
	}
}

/* Reads of which nothing has come for so long that their answers never will. */
static void peer_give_up(struct weft_srd_peer *peer, fab_time now)
{
	fab_time limit = weft_srd_patience(peer);
	struct weft_efa_op *op, *next;

	if (peer->reading_at > now)
		return;
	peer->reading_at = FAB_NEVER;
	list_for_each_entry_safe(op, next, &peer->reading, reading) {
		if (op->alive + limit <= now)
			weft_srd_read_done(op, EFA_TIMEOUT);
		else
			peer->reading_at = min(peer->reading_at, op->alive + limit);
	}
}

/* Requests whose wait after an RNR NAK is over. */
static void peer_wake(struct weft_srd_peer *peer, fab_time now)
{
	struct weft_efa_op *op, *next;

	if (peer->waiting_at > now)
		return;
	peer->waiting_at = FAB_NEVER;
	list_for_each_entry_safe(op, next, &peer->waiting, job.node) {
		if (op->again <= now)
			list_move_tail(&op->job.node, &peer->jobs);
		else
			peer->waiting_at = min(peer->waiting_at, op->again);
	}
}

static void peer_probe(struct weft_srd_peer *peer, fab_time now)
{
	struct weft_rpkt *p;
	int path;

	while ((path = fab_srd_probe(&peer->out, now)) >= 0) {
		p = weft_srd_control(peer, WEFT_SRD_PROBE, path);
		if (p)
			weft_port_urgent(peer->dev, p);
	}
}

static void peer_on_timer(struct fab *fab, struct fab_event *ev)
{
	struct weft_srd_peer *peer = container_of(ev, struct weft_srd_peer, timer);
	struct weft_rdma_dev *dev = peer->dev;
	u32 timeouts;

	if (!dev->client.wep || dev->port.stopped)
		return;
	timeouts = fab_srd_check(&peer->out, fab->now);
	weft_rdma_count(dev, timeouts, timeouts);
	weft_srd_gone(peer);
	peer_give_up(peer, fab->now);
	peer_probe(peer, fab->now);
	peer_wake(peer, fab->now);
	weft_srd_send(peer);
	weft_srd_arm(peer);
}

/**
 * weft_srd_arm() - have the timer of a peer run when it has something to do
 * @peer: the peer
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_arm(struct weft_srd_peer *peer)
{
	struct fab *fab = weft_rdma_fab(peer->dev);
	fab_time at = min3(fab_srd_due(&peer->out), peer->waiting_at, peer->reading_at);

	if (at == FAB_NEVER)
		return;
	at = max(at, fab->now);
	if (!fab_event_pending(&peer->timer) || peer->timer.at > at)
		fab_event_move(&fab->events, &peer->timer, at);
}

static void peer_init(struct weft_srd_peer *peer, struct weft_rdma_dev *dev,
		      const struct weft_path *path)
{
	const struct fab_srd_params params = peer_params(dev);
	u32 bytes = weft_efa_mtu(dev) + dev->client.wep->ep.port.wire.p.overhead;

	peer->dev = dev;
	peer->path = *path;
	peer->path.sport = 0xc000;
	peer_paths(peer);
	weft_tx_init(&peer->tx, dev, &weft_srd_tx_ops);
	INIT_LIST_HEAD(&peer->jobs);
	INIT_LIST_HEAD(&peer->waiting);
	peer->waiting_at = FAB_NEVER;
	peer->reading_at = FAB_NEVER;
	INIT_LIST_HEAD(&peer->reading);
	INIT_LIST_HEAD(&peer->held);
	fab_event_init(&peer->timer, peer_on_timer);
	fab_srd_tx_init(&peer->out, &params, fab_serialise(bytes, weft_port_rate(dev)));
	hash_add(dev->efa->peers, &peer->node, mac_hash(path->dmac));
	dev->efa->npeers++;
}

/**
 * weft_srd_known() - is there a NIC with an address?
 * @dev: the device
 * @mac: the address
 *
 * Context: any; the fabric's lock is held.
 * Return: true if there is.
 */
bool weft_srd_known(struct weft_rdma_dev *dev, const u8 *mac)
{
	return dev->client.wep && (ether_addr_equal(mac, dev->netdev->dev_addr) ||
				   weft_mac_find(&dev->client.fabric->macs, mac));
}

/* Is there a NIC with that address, and room for one more? */
static bool peer_may_be(struct weft_rdma_dev *dev, const u8 *mac)
{
	return dev->efa->npeers < WEFT_SRD_PEERS && weft_srd_known(dev, mac);
}

/**
 * weft_srd_prepare() - make a peer, if there is none and there may be one
 * @dev: the device
 * @path: path to it
 *
 * Context: process, may sleep; takes the fabric's lock.
 */
void weft_srd_prepare(struct weft_rdma_dev *dev, const struct weft_path *path)
{
	struct weft_srd_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!peer)
		return;
	weft_rdma_lock(dev);
	if (!weft_srd_find(dev, path->dmac) && peer_may_be(dev, path->dmac)) {
		peer_init(peer, dev, path);
		peer = NULL;
	}
	weft_rdma_unlock(dev);
	kfree(peer);
}

/**
 * weft_srd_peer() - find a peer, or make it
 * @dev: the device
 * @path: path to it
 *
 * Context: any; the fabric's lock is held.
 * Return: the peer; NULL without memory, or if no NIC has the address.
 */
struct weft_srd_peer *weft_srd_peer(struct weft_rdma_dev *dev, const struct weft_path *path)
{
	struct weft_srd_peer *peer = weft_srd_find(dev, path->dmac);

	if (peer || !peer_may_be(dev, path->dmac))
		return peer;
	peer = kzalloc(sizeof(*peer), GFP_ATOMIC | __GFP_NOWARN);
	if (peer)
		peer_init(peer, dev, path);
	return peer;
}

static void peer_forget(struct weft_srd_peer *peer, const struct weft_efa_qp *qp)
{
	struct fab_srd_slot *s;
	struct weft_efa_op *op;
	u32 psn;

	for (psn = peer->out.una; psn != peer->out.next; psn++) {
		s = fab_srd_slot(&peer->out, psn);
		/* the job of one that is done may be gone */
		op = s->state == FAB_SRD_DONE || !s->job ? NULL : weft_efa_op_of(s->job);
		if (!op || op->qp != qp)
			continue;
		s->job = NULL;
		fab_srd_done(&peer->out, psn);
	}
}

/**
 * weft_srd_forget() - a queue pair sends nothing any more
 * @qp: the queue pair
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_forget(struct weft_efa_qp *qp)
{
	struct weft_srd_peer *peer;
	struct weft_efa_op *op;
	u32 i;

	if (!qp->srd)
		return;
	hash_for_each(qp->dev->efa->peers, i, peer, node)
		peer_forget(peer, qp);
	for (i = 0; i < qp->sq_size; i++) {
		op = &qp->ops[i];
		if (!op->busy)
			continue;
		list_del_init(&op->job.node);
		if (!list_empty(&op->reading)) {
			list_del_init(&op->reading);
			op->peer->reads--;
		}
	}
	hash_for_each(qp->dev->efa->peers, i, peer, node) {
		weft_srd_ask(peer);
		weft_srd_send(peer);
	}
}

/**
 * weft_srd_stop() - nothing is sent any more
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 */
void weft_srd_stop(struct weft_rdma_dev *dev)
{
	struct weft_srd_peer *peer;
	u32 i;

	hash_for_each(dev->efa->peers, i, peer, node) {
		fab_event_cancel(&weft_rdma_fab(dev)->events, &peer->timer);
		weft_tx_stop(&peer->tx);
	}
}

/* Reads that this NIC answers; requests are gone with their queue pairs. */
static void peer_free(struct weft_srd_peer *peer)
{
	struct fab_srd_slot *s;
	struct weft_job *job, *next;
	u32 psn;

	for (psn = peer->out.una; psn != peer->out.next; psn++) {
		s = fab_srd_slot(&peer->out, psn);
		job = s->state == FAB_SRD_DONE ? NULL : s->job;
		if (job && !--job->left && list_empty(&job->node))
			kfree(weft_srd_read_of(job));
	}
	list_for_each_entry_safe(job, next, &peer->jobs, node)
		kfree(weft_srd_read_of(job));
	kfree(peer);
}

/**
 * weft_srd_free() - free all peers, when the device is stopped and has no queue pairs
 * @dev: the device
 *
 * Context: process.
 */
void weft_srd_free(struct weft_rdma_dev *dev)
{
	struct weft_srd_peer *peer;
	struct hlist_node *next;
	u32 i;

	hash_for_each_safe(dev->efa->peers, i, next, peer, node)
		peer_free(peer);
}
