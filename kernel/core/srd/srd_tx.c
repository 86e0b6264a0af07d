// SPDX-License-Identifier: GPL-2.0
/*
 * The sender of SRD: packets that are on their way.
 *
 * DOC: theory of operation
 *
 * A packet is lost
 *
 * 1. if one that was sent after it on the same path has arrived, and since its own start the
 *    delay of that one and the reorder time have passed;
 * 2. if one that was sent after it on any path has arrived, and since its own start twice the
 *    delay of the slowest path and the reorder time have passed;
 * 3. if the timeout has passed since its own start. It doubles with each try, and so does the
 *    time of rule 2.
 *
 * By rules 2 and 3 its path has failed.
 *
 * Packets of a path are numbered. As long as they arrive in this order there is nothing to
 * check for rule 1.
 */
#include "core/srd/srd.h"

/**
 * fab_srd_tx_init() - begin
 * @tx: the sender
 * @p: its parameters
 * @packet: time of a packet of full size on the wire, ps, at least 1
 */
void fab_srd_tx_init(struct fab_srd_tx *tx, const struct fab_srd_params *p, fab_time packet)
{
	u32 i;

	memset(tx, 0, sizeof(*tx));
	tx->p = *p;
	tx->due = FAB_NEVER;
	for (i = 0; i < p->paths; i++) {
		fab_srd_path_init(&tx->path[i], p, packet);
		tx->window += tx->path[i].cc.cwnd;
	}
}

/**
 * fab_srd_add() - number a new packet, which is to be sent
 * @tx: the sender, which has room
 * @job: what it belongs to
 * @offset: of its payload
 * @len: bytes of payload
 *
 * Return: its PSN. fab_srd_start() has to follow.
 */
u32 fab_srd_add(struct fab_srd_tx *tx, void *job, u32 offset, u32 len)
{
	u32 psn = tx->next++;

	*fab_srd_slot(tx, psn) = (struct fab_srd_slot) {
		.job = job,
		.offset = offset,
		.len = len,
	};
	return psn;
}

/* The oldest lost packet that was sent so often at least. */
static bool tx_find_lost(struct fab_srd_tx *tx, u32 tries, u32 *psn)
{
	const struct fab_srd_slot *s;
	u32 i;

	for (i = tx->una; tx->lost && i != tx->next; i++) {
		s = fab_srd_slot(tx, i);
		if (s->state != FAB_SRD_LOST || s->tries < tries)
			continue;
		*psn = i;
		return true;
	}
	return false;
}

/**
 * fab_srd_lost_psn() - the oldest packet that has to be sent again
 * @tx: the sender
 * @psn: set to its PSN
 *
 * Return: false if there is none.
 */
bool fab_srd_lost_psn(struct fab_srd_tx *tx, u32 *psn)
{
	return tx_find_lost(tx, 0, psn);
}

/* Is it numbered, and not before the oldest that is not done? */
static bool tx_knows(const struct fab_srd_tx *tx, u32 psn)
{
	return psn - tx->una < tx->next - tx->una;
}

/**
 * fab_srd_start() - a packet is given to the NIC
 * @tx: the sender
 * @psn: its PSN
 * @path: index of its path
 * @now: fabric time
 */
void fab_srd_start(struct fab_srd_tx *tx, u32 psn, u32 path, fab_time now)
{
	struct fab_srd_slot *s = fab_srd_slot(tx, psn);
	struct fab_srd_path *p = &tx->path[path];

	if (s->state == FAB_SRD_LOST)
		tx->lost--;
	s->state = FAB_SRD_WAITS;
	s->path = path;
	s->tries++;
	p->flight++;
	tx->flight++;
	p->not_before = fab_srd_pace(tx, p, now);
	tx->turn = path;
}

/* After which a packet is lost by rule 3. */
static fab_time slot_timeout(const struct fab_srd_tx *tx, const struct fab_srd_slot *s)
{
	return s->sent + (tx->p.timeout << (s->tries - 1));
}

/* After which it is by rule 2, with the delay of the slowest path; never later than by rule 3. */
static fab_time slot_overtaken(const struct fab_srd_tx *tx, const struct fab_srd_slot *s)
{
	return s->sent + (min(2 * tx->slowest + tx->p.reorder, tx->p.timeout) << (s->tries - 1));
}

/**
 * fab_srd_sent() - the first bit of a packet is on the wire, or the NIC has dropped it
 * @tx: the sender
 * @psn: its PSN
 * @now: fabric time
 */
void fab_srd_sent(struct fab_srd_tx *tx, u32 psn, fab_time now)
{
	struct fab_srd_slot *s = fab_srd_slot(tx, psn);

	if (!tx_knows(tx, psn) || s->state != FAB_SRD_WAITS)
		return;
	s->state = FAB_SRD_FLIES;
	s->sent = now;
	s->number = tx->path[s->path].next++;
	tx->due = min(tx->due, tx->slowest ? slot_overtaken(tx, s) : slot_timeout(tx, s));
}

static void slot_leave_path(struct fab_srd_tx *tx, const struct fab_srd_slot *s)
{
	if (s->state == FAB_SRD_WAITS || s->state == FAB_SRD_FLIES) {
		tx->path[s->path].flight--;
		tx->flight--;
	} else if (s->state == FAB_SRD_LOST) {
		tx->lost--;
	}
}

/**
 * fab_srd_done() - a packet needs nothing any more: it has arrived, or is given up
 * @tx: the sender
 * @psn: its PSN
 *
 * Return: false if it was so before.
 */
bool fab_srd_done(struct fab_srd_tx *tx, u32 psn)
{
	struct fab_srd_slot *s = fab_srd_slot(tx, psn);

	if (!tx_knows(tx, psn) || s->state == FAB_SRD_DONE)
		return false;
	slot_leave_path(tx, s);
	s->state = FAB_SRD_DONE;
	while (tx->una != tx->next && fab_srd_slot(tx, tx->una)->state == FAB_SRD_DONE)
		tx->una++;
	return true;
}

/*
 * The packet that came is not the one that was expected on its path. Unless a check is due
 * before what is missing can be lost, have one now: it finds out when that is.
 */
static void path_gap(struct fab_srd_tx *tx, const struct fab_srd_path *p, fab_time now)
{
	if (tx->due > p->front + p->front_delay + tx->p.reorder)
		tx->due = now;
}

/**
 * fab_srd_acked() - the acknowledgement of one packet, which tells of its path
 * @tx: the sender
 * @psn: its PSN
 * @path: path by which the receiver got it
 * @sent: when its first bit was on the wire
 * @now: fabric time
 *
 * Return: false if the packet is done already. Then nothing is to be done for its job.
 */
bool fab_srd_acked(struct fab_srd_tx *tx, u32 psn, u32 path, fab_time sent, fab_time now)
{
	struct fab_srd_slot *s = fab_srd_slot(tx, psn);
	struct fab_srd_path *p;

	if (path >= tx->p.paths)
		return fab_srd_done(tx, psn);
	p = &tx->path[path];
	fab_srd_path_arrived(tx, p, sent, now);
	tx->slowest = max(tx->slowest, p->delay);
	if (tx_knows(tx, psn) && s->state == FAB_SRD_FLIES && s->path == path) {
		if (s->number == p->low)
			p->low++;
		else if ((s32)(s->number - p->low) > 0)
			path_gap(tx, p, now);
	}
	return fab_srd_done(tx, psn);
}

/* Rule 1. */
static bool slot_is_passed(const struct fab_srd_tx *tx, const struct fab_srd_slot *s,
			   fab_time *due)
{
	const struct fab_srd_path *p = &tx->path[s->path];

	if (s->sent >= p->front)
		return false;
	*due = min(*due, s->sent + p->front_delay + tx->p.reorder);
	return true;
}

static void slot_lose(struct fab_srd_tx *tx, struct fab_srd_slot *s, fab_time now, bool timeout)
{
	struct fab_srd_path *p = &tx->path[s->path];

	p->flight--;
	tx->flight--;
	s->state = FAB_SRD_LOST;
	tx->lost++;
	fab_srd_path_lost(tx, p, now, timeout);
}

/*
 * Look for lost packets. The numbers of what is left in flight say from where on a path
 * arrives in order: each path begins behind all that was sent.
 *
 * Return: how many are lost by rules 2 and 3.
 */
static u32 tx_check(struct fab_srd_tx *tx, fab_time now)
{
	struct fab_srd_slot *s;
	u32 psn, timeouts = 0;
	bool passed;
	fab_time at;

	for (psn = tx->una; psn != tx->next; psn++) {
		s = fab_srd_slot(tx, psn);
		if (s->state != FAB_SRD_FLIES)
			continue;
		at = s->sent < tx->front ? slot_overtaken(tx, s) : slot_timeout(tx, s);
		passed = slot_is_passed(tx, s, &at);
		if (at <= now) {
			slot_lose(tx, s, now, !passed);
			timeouts += !passed;
			continue;
		}
		tx->due = min(tx->due, at);
		if ((s32)(s->number - tx->path[s->path].low) < 0)
			tx->path[s->path].low = s->number;
	}
	return timeouts;
}

/**
 * fab_srd_check() - look for packets that are lost, at fab_srd_due()
 * @tx: the sender
 * @now: fabric time
 *
 * fab_srd_probe() has to follow, until it has no path.
 *
 * Return: how many are lost by rules 2 and 3.
 */
u32 fab_srd_check(struct fab_srd_tx *tx, fab_time now)
{
	u32 i, timeouts;

	if (now < tx->due)
		return 0;
	tx->due = FAB_NEVER;
	tx->slowest = 0;
	for (i = 0; i < tx->p.paths; i++) {
		tx->path[i].low = tx->path[i].next;
		tx->slowest = max(tx->slowest, tx->path[i].delay);
	}
	timeouts = tx_check(tx, now);
	for (i = 0; i < tx->p.paths; i++)
		if (tx->path[i].failed && tx->path[i].probe_at > now)
			tx->due = min(tx->due, tx->path[i].probe_at);
	return timeouts;
}

/**
 * fab_srd_gone() - a lost packet that was tried too often: its receiver is gone
 * @tx: the sender
 * @psn: set to its PSN
 *
 * Return: false if there is none.
 */
bool fab_srd_gone(struct fab_srd_tx *tx, u32 *psn)
{
	return tx_find_lost(tx, FAB_SRD_TRIES, psn);
}
