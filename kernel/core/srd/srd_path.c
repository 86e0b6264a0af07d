// SPDX-License-Identifier: GPL-2.0
/*
 * The paths of SRD.
 *
 * DOC: theory of operation
 *
 * Paths are used in turn, one packet each. A path is left out while its window is full, while
 * it is paced, and after it has failed. So a path that is congested gets what its window
 * allows, and the others get the rest.
 *
 * The Swift of a path says which window the sender should have if all paths were like this
 * one. The path has its share of that, one packet at least, and the mean of all limits what
 * is on its way altogether. An acknowledgement counts for as many packets as there are paths,
 * so the sender grows as a flow on one path does.
 *
 * After a timeout a path has failed. No packet is given to it, but a probe: after as long as
 * the timeout, and then after twice as long each time. The acknowledgement of a probe, or of
 * a packet that was late, brings it back.
 */
#include "core/srd/srd.h"

#define PATH_DELAY_SHIFT	3	/* weight of a new delay: 1/8 (RFC 6298) */
#define PATH_LOSS_SHIFT		8	/* of a packet in the estimate of loss: 1/256 */
#define PATH_LOSS_ONE		65536
#define PATH_PROBE_SHIFT	6	/* the interval doubles so often */

/**
 * fab_srd_path_init() - begin
 * @path: the path, zeroed
 * @p: parameters of its sender
 * @packet: time of a packet of full size on the wire, ps, at least 1
 */
void fab_srd_path_init(struct fab_srd_path *path, const struct fab_srd_params *p,
		       fab_time packet)
{
	fab_swift_init(&path->cc, p->target, packet);
}

/* Has the window of a path room? */
static bool path_fits(const struct fab_srd_tx *tx, const struct fab_srd_path *path)
{
	return !path->flight ||
	       (u64)(path->flight + 1) * tx->p.paths <= path->cc.cwnd / FAB_SWIFT_PACKET;
}

static bool path_is_open(const struct fab_srd_tx *tx, const struct fab_srd_path *path,
			 fab_time now)
{
	return !path->failed && path->not_before <= now && path_fits(tx, path);
}

/* When pace alone keeps it closed. */
static fab_time path_opens(const struct fab_srd_tx *tx, const struct fab_srd_path *path)
{
	return path->failed || !path_fits(tx, path) ? FAB_NEVER : path->not_before;
}

/**
 * fab_srd_pick() - the path for the next packet
 * @tx: the sender
 * @now: fabric time
 * @when: set if there is none: when there is one, if nothing is acknowledged before
 *
 * If all paths have failed the next one in turn is used: there is nothing to lose.
 *
 * Return: its index, or -1.
 */
int fab_srd_pick(struct fab_srd_tx *tx, fab_time now, fab_time *when)
{
	u32 i, at, failed = 0;

	*when = FAB_NEVER;
	if (tx->flight &&
	    (u64)(tx->flight + 1) * tx->p.paths > tx->window / FAB_SWIFT_PACKET)
		return -1;
	for (i = 0, at = tx->turn; i < tx->p.paths; i++) {
		at = at + 1 < tx->p.paths ? at + 1 : 0;
		if (path_is_open(tx, &tx->path[at], now))
			return at;
		failed += !!tx->path[at].failed;
		*when = min(*when, path_opens(tx, &tx->path[at]));
	}
	if (failed < tx->p.paths)
		return -1;
	at = tx->turn + 1 < tx->p.paths ? tx->turn + 1 : 0;
	return tx->path[at].flight ? -1 : (int)at;
}

/**
 * fab_srd_pace() - when may the packet after this one be sent on its path?
 * @tx: the sender
 * @path: the path
 * @now: fabric time
 *
 * Return: fabric time, at least @now.
 */
fab_time fab_srd_pace(const struct fab_srd_tx *tx, const struct fab_srd_path *path, fab_time now)
{
	return now + (fab_swift_pace(&path->cc, now) - now) * tx->p.paths;
}

/**
 * fab_srd_probe() - a path to be probed now
 * @tx: the sender
 * @now: fabric time
 *
 * Return: its index, and its next probe is later; or -1.
 */
int fab_srd_probe(struct fab_srd_tx *tx, fab_time now)
{
	struct fab_srd_path *path;
	u32 i;

	for (i = 0; i < tx->p.paths; i++) {
		path = &tx->path[i];
		if (!path->failed || path->probe_at > now)
			continue;
		path->failed++;
		path->probe_at = now + (tx->p.timeout <<
					min(path->failed - 1, (u32)PATH_PROBE_SHIFT));
		tx->due = min(tx->due, path->probe_at);
		return i;
	}
	return -1;
}

/**
 * fab_srd_path_alive() - something came back on a path
 * @path: the path
 */
void fab_srd_path_alive(struct fab_srd_path *path)
{
	path->failed = 0;
}

/**
 * fab_srd_path_arrived() - a packet has arrived
 * @tx: the sender
 * @path: path of the packet
 * @sent: when its first bit was on the wire
 * @now: fabric time
 */
void fab_srd_path_arrived(struct fab_srd_tx *tx, struct fab_srd_path *path, fab_time sent,
			  fab_time now)
{
	fab_time delay = now - sent;

	fab_srd_path_alive(path);
	path->delay = !path->delay ? delay :
		      path->delay - (path->delay >> PATH_DELAY_SHIFT) +
		      (delay >> PATH_DELAY_SHIFT);
	path->loss -= path->loss >> PATH_LOSS_SHIFT;
	tx->window -= path->cc.cwnd;
	fab_swift_acked(&path->cc, now, delay, tx->p.paths);
	tx->window += path->cc.cwnd;
	tx->front = max(tx->front, sent);
	if (sent < path->front)
		return;
	path->front = sent;
	path->front_delay = delay;
}

/**
 * fab_srd_path_lost() - a packet is lost
 * @tx: the sender
 * @path: path of the packet
 * @now: fabric time
 * @timeout: nothing that was sent after it has arrived: the path has failed
 */
void fab_srd_path_lost(struct fab_srd_tx *tx, struct fab_srd_path *path, fab_time now,
		       bool timeout)
{
	path->loss += (PATH_LOSS_ONE - path->loss) >> PATH_LOSS_SHIFT;
	tx->window -= path->cc.cwnd;
	fab_swift_lost(&path->cc, now);
	tx->window += path->cc.cwnd;
	if (!timeout || path->failed)
		return;
	path->failed = 1;
	path->probe_at = now + tx->p.timeout;
}
