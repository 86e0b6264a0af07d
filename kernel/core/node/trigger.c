// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: moments that programs or their traffic cause.
 *
 * DOC: theory of operation
 *
 * A trigger has one moment, the first time that its condition is met after it was
 * added. Faults and traffic generators begin a set time after it, exact to the
 * picosecond.
 *
 * The moment of a mark is known at once. So is that of a packet that brings a NIC over
 * its rate or number of bytes. A phase by traffic is detected after its begin
 * (phase.c). Its moment is the begin; a fault or generator that is due before the
 * detection begins at the detection, too late.
 *
 * A rate is exceeded when a bucket of @bytes that leaks at @rate_bps is full: the
 * moment is the hand-in of the packet that fills it. So @bytes tolerates single
 * packets, and bursts of a stream that is not evenly spaced.
 *
 * Triggers of marks and phases are in a list of the fabric, which is searched when one
 * begins. Those of a NIC are in a list of the endpoint: if it is empty, a packet pays
 * one comparison. A trigger leaves its list at its moment.
 */
#include "core/node/trigger.h"
#include "core/fabric.h"
#include "core/sim/chain.h"

/**
 * fab_trigger_params_check() - check the parameters of a trigger
 * @p: the parameters
 *
 * Return: 0; -ERANGE for a number out of range; -EINVAL for a name that no mark has.
 */
int fab_trigger_params_check(const struct fab_trigger_params *p)
{
	switch (p->kind) {
	case FAB_TRIGGER_MARK:
		return fab_phase_name_valid(p->mark) ? 0 : -EINVAL;
	case FAB_TRIGGER_PHASE:
		return p->phase ? 0 : -ERANGE;
	case FAB_TRIGGER_RATE:
		return fab_phase_excess_check(p->rate_bps, p->bytes);
	default:
		return p->bytes ? 0 : -ERANGE;
	}
}

/**
 * fab_trigger_of_nic() - does a kind of trigger belong to a NIC?
 * @kind: the kind
 *
 * Return: true if it does; the others belong to the whole fabric.
 */
bool fab_trigger_of_nic(enum fab_trigger_kind kind)
{
	return kind == FAB_TRIGGER_RATE || kind == FAB_TRIGGER_BYTES;
}

static void trigger_leave(struct fab_trigger *t)
{
	if (!t->prev)
		return;
	fab_chain_del(t, next, prev);
	t->prev = NULL;
}

static void trigger_met(struct fab *fab, struct fab_trigger *t, fab_time at)
{
	trigger_leave(t);
	fab_moment_came(fab, &t->moment, at);
	if (fab->host->trigger)
		fab->host->trigger(fab, t);
}

/**
 * fab_trigger_add() - add a trigger
 * @fab: the fabric
 * @ep: the endpoint, for a kind that belongs to a NIC
 * @t: the trigger, zeroed; in use until it is removed
 * @p: parameters, which fab_trigger_params_check() accepts
 */
void fab_trigger_add(struct fab *fab, struct fab_endpoint *ep,
		     struct fab_trigger *t, const struct fab_trigger_params *p)
{
	struct fab_trigger **list = &fab->triggers;

	if (fab_trigger_of_nic(p->kind))
		list = &ep->triggers;
	t->p = *p;
	if (p->kind == FAB_TRIGGER_RATE)
		fab_bucket_init(&t->bucket, p->rate_bps, p->bytes);
	fab_chain_push(*list, t, next, prev);
}

/**
 * fab_trigger_remove() - remove a trigger
 * @t: the trigger, whose moment has no waiters
 */
void fab_trigger_remove(struct fab_trigger *t)
{
	trigger_leave(t);
}

/**
 * fab_trigger_nic_gone() - disarm the triggers of an endpoint that is removed
 * @ep: the endpoint
 */
void fab_trigger_nic_gone(struct fab_endpoint *ep)
{
	while (ep->triggers)
		trigger_leave(ep->triggers);
}

/**
 * fab_trigger_marked() - meet the triggers of a mark whose phase begins
 * @fab: the fabric
 * @name: name of the mark
 */
void fab_trigger_marked(struct fab *fab, const char *name)
{
	struct fab_trigger *t, *next;

	for (t = fab->triggers; t; t = next) {
		next = t->next;
		if (t->p.kind == FAB_TRIGGER_MARK && !strcmp(t->p.mark, name))
			trigger_met(fab, t, fab->now);
	}
}

/**
 * fab_trigger_phased() - meet the triggers of a phase by traffic that was detected
 * @fab: the fabric
 */
void fab_trigger_phased(struct fab *fab)
{
	const struct fab_phases *s = &fab->phases;
	struct fab_trigger *t, *next;

	for (t = fab->triggers; t; t = next) {
		next = t->next;
		if (t->p.kind == FAB_TRIGGER_PHASE && t->p.phase == s->found)
			trigger_met(fab, t, s->begin);
	}
}

static bool trigger_takes(struct fab_trigger *t, fab_time now, u32 bytes)
{
	if (t->p.kind == FAB_TRIGGER_RATE)
		return fab_bucket_add(&t->bucket, now, bytes);
	t->bytes += bytes;
	return t->bytes >= t->p.bytes;
}

/**
 * fab_trigger_sent() - meet the triggers of a NIC for a packet that its host hands in
 * @fab: the fabric
 * @ep: the endpoint that sends, which has triggers
 * @pkt: the packet
 */
void fab_trigger_sent(struct fab *fab, struct fab_endpoint *ep,
		      const struct fab_pkt *pkt)
{
	struct fab_trigger *t, *next;

	for (t = ep->triggers; t; t = next) {
		next = t->next;
		if (trigger_takes(t, fab->now, pkt->len))
			trigger_met(fab, t, fab->now);
	}
}
