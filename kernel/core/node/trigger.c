// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: what programs do makes a moment.
 *
 * DOC: theory of operation
 *
 * A trigger has one moment, the first time that its condition is met after it was
 * added. Faults and generators of traffic begin some time after it, exact to the
 * picosecond.
 *
 * The moment of a mark, and that of a packet that brings a NIC over its rate or
 * number of bytes, is when it is found. A phase by traffic is found later than it
 * begins (phase.c): its moment is the begin, and what is due before it is found
 * begins at once, and too late.
 *
 * Above a rate is what fills a bucket of @bytes that leaks at @rate_bps: the moment
 * is the hand-in of the packet that fills it. So it is more than a packet, or than
 * what a rate of packets that are not evenly spaced has at times.
 *
 * Triggers of marks and phases are a list of the fabric, and looked at when one
 * begins. Those of a NIC are a list of the endpoint: without any, a packet pays for
 * one comparison. A trigger leaves its list with its moment.
 */
#include "core/node/trigger.h"
#include "core/fabric.h"
#include "core/sim/chain.h"

/**
 * fab_trigger_params_check() - can there be such a trigger?
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
 * fab_trigger_of_nic() - is a kind of trigger one of NICs?
 * @kind: the kind
 *
 * Return: whether it is; the others are of the whole fabric.
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
 * fab_trigger_add() - wait for a condition from now on
 * @fab: the fabric
 * @ep: the endpoint, for a kind of NICs
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
 * fab_trigger_remove() - wait no more
 * @t: the trigger, for whose moment nobody waits
 */
void fab_trigger_remove(struct fab_trigger *t)
{
	trigger_leave(t);
}

/**
 * fab_trigger_nic_gone() - an endpoint goes: its triggers are never met
 * @ep: the endpoint
 */
void fab_trigger_nic_gone(struct fab_endpoint *ep)
{
	while (ep->triggers)
		trigger_leave(ep->triggers);
}

/**
 * fab_trigger_marked() - the phase of a mark begins
 * @fab: the fabric
 * @name: its name
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
 * fab_trigger_phased() - a phase by traffic was found
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
 * fab_trigger_sent() - a host hands a packet in
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
