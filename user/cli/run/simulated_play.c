// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time line of a scenario, for a simulation: faults, background traffic and frozen
 * nodes. A simulation begins at time 0.
 */
#include "run/simulated_play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/**
 * struct act - a node stops, or goes on
 */
struct act {
	/** @node: number of the node */
	uint32_t node;
	/** @at: when, ps */
	uint64_t at;
	/** @order: order of those of the same time */
	unsigned int order;
	/** @stops: it stops */
	bool stops;
	/** @e: its entry */
	const struct weft_entry *e;
};

/**
 * struct acts - all of these
 */
struct acts {
	/** @n: entries of @act */
	unsigned int n;
	/** @act: they */
	struct act *act;
};

/* Where an entry is written, for messages. */
static void put_at(char at[WEFT_SIM_AT], const struct weft_scenario *s,
		   const struct weft_entry *e)
{
	snprintf(at, WEFT_SIM_AT, "%.200s:%zu:%zu", s->file, e->line, e->column);
}

static int refuse(const struct weft_scenario *s, const struct weft_entry *e, const char *why,
		  struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP, "%s:%zu:%zu: %s", s->file,
			    e->line, e->column, why);
}

static int take_fault(struct simulated_play *p, const struct weft_scenario *s,
		      struct weft_entry *e, struct weft_err *err)
{
	struct weft_sim_fault *more = weft_array_grow(p->fault, p->faults, sizeof(*more));

	if (!more)
		return weft_err_nomem(err);
	p->fault = more;
	more += p->faults++;
	*more = (struct weft_sim_fault) { .fault = e->fault, .start = e->at, .by = e->by };
	put_at(more->at, s, e);
	return 0;
}

/* The generators of a pattern are a group, which begins at one time. */
static int take_generator(struct simulated_play *p, const struct weft_scenario *s,
			  const struct weft_entry *e, struct weft_traffic *from,
			  struct weft_err *err)
{
	struct weft_sim_traffic *more = weft_array_grow(p->traffic, p->traffics, sizeof(*more));

	if (!more)
		return weft_err_nomem(err);
	p->traffic = more;
	more += p->traffics++;
	*more = (struct weft_sim_traffic) { .traffic = *from };
	/* The lists are in the copy now. */
	from->dst = NULL;
	from->message = NULL;
	more->traffic.group = e->group;
	more->traffic.start = e->at;
	more->by = e->by;
	put_at(more->at, s, e);
	return 0;
}

static int take_traffic(struct simulated_play *p, const struct weft_scenario *s,
			const struct weft_entry *e, const struct weft_facts *facts,
			struct weft_err *err)
{
	struct weft_traffic *list = NULL;
	unsigned int n = 0;
	int ret;

	if (e->traffic.has & 1U << WEFT_TRAFFIC_WINDOW)
		return refuse(s, e, "window: a simulation has no limit of packets in the fabric; expected none",
			      err);
	ret = weft_traffic_resolve(&e->traffic, facts, &list, &n, err);
	for (unsigned int i = 0; !ret && i < n; i++)
		ret = take_generator(p, s, e, &list[i], err);
	weft_traffic_list_free(list, n);
	return ret;
}

static int add_act(struct acts *acts, struct act a, struct weft_err *err)
{
	struct act *more = weft_array_grow(acts->act, acts->n, sizeof(*more));

	if (!more)
		return weft_err_nomem(err);
	acts->act = more;
	a.order = acts->n;
	more[acts->n++] = a;
	return 0;
}

static int take_node(struct acts *acts, const struct weft_scenario *s, const struct weft_entry *e,
		     const struct weft_plan *plan, struct weft_err *err)
{
	struct act a = { .e = e };
	enum weft_node_act act;
	int ret = 0;

	if (e->act != WEFT_NODE_FREEZE && e->act != WEFT_NODE_THAW)
		return refuse(s, e, "do: a simulation has no processes to end; expected freeze or thaw, or in place of it the fault down of the node's links",
			      err);
	if (e->by.given)
		return refuse(s, e, "at: a simulation freezes nodes at known times; expected a time",
			      err);
	a.node = weft_plan_node_number(plan, e->on);
	for (uint32_t i = 0; !ret && weft_entry_act(e, i, &a.at, &act); i++) {
		a.stops = act == WEFT_NODE_FREEZE;
		ret = add_act(acts, a, err);
	}
	return ret;
}

static int by_node(const void *a, const void *b)
{
	const struct act *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int add_freeze(struct simulated_play *p, const struct act *from, uint64_t end,
		      struct weft_err *err)
{
	struct weft_sim_freeze *more = weft_array_grow(p->freeze, p->freezes, sizeof(*more));

	if (!more)
		return weft_err_nomem(err);
	p->freeze = more;
	more[p->freezes++] = (struct weft_sim_freeze) { from->node, from->at, end };
	return 0;
}

/* As with signals, one thaw ends all freezes before it. */
static int freeze_nodes(struct simulated_play *p, const struct weft_scenario *s,
			struct acts *acts, struct weft_err *err)
{
	const struct act *stopped = NULL;
	int ret = 0;

	if (!acts->n)
		return 0;
	qsort(acts->act, acts->n, sizeof(*acts->act), by_node);
	for (const struct act *a = acts->act; !ret && a < acts->act + acts->n; a++) {
		if (stopped && stopped->node != a->node)
			break;
		if (a->stops == !!stopped)
			continue;
		if (stopped && a->at > stopped->at)
			ret = add_freeze(p, stopped, a->at, err);
		stopped = a->stops ? a : NULL;
	}
	if (ret || !stopped)
		return ret;
	return refuse(s, stopped->e, "node: it never goes on, and what it should send would never end; expected for, or thaw later",
		      err);
}

/* All but node events. */
static int take_entry(struct simulated_play *p, struct weft_scenario *s, struct weft_entry *e,
		      const struct weft_facts *facts, struct weft_err *err)
{
	if (e->kind == WEFT_ENTRY_FAULT)
		return take_fault(p, s, e, err);
	if (e->kind == WEFT_ENTRY_TRAFFIC)
		return take_traffic(p, s, e, facts, err);
	return refuse(s, e, "set: a simulation sets nothing; expected faults, traffic and frozen nodes; the faults rate, lanes, slow and hang do the same",
		      err);
}

/* Numbers of triggers are those of faults, and behind them those of groups of traffic. */
static void number_entries(struct weft_scenario *s)
{
	uint32_t faults = 0, groups = 0;

	for (unsigned int i = 0; i < s->entries; i++) {
		struct weft_entry *e = &s->entry[i];

		e->armed = e->by.given;
		if (e->kind == WEFT_ENTRY_FAULT)
			e->by.trigger.id = faults++;
		else if (e->kind == WEFT_ENTRY_TRAFFIC)
			e->group = groups++;
	}
	for (unsigned int i = 0; i < s->entries; i++)
		if (s->entry[i].kind == WEFT_ENTRY_TRAFFIC)
			s->entry[i].by.trigger.id = faults + s->entry[i].group;
}

/**
 * simulated_play_take() - take the time line of a scenario
 * @p: result, to be freed with simulated_play_free(), also after an error
 * @s: the scenario, which weft_scenario_check() accepts
 * @plan: the plan of the topology
 * @seed: seed of the simulation
 * @err: what a simulation cannot play, with its place in the file
 *
 * Return: 0 or negative errno.
 */
int simulated_play_take(struct simulated_play *p, struct weft_scenario *s,
			const struct weft_plan *plan, uint64_t seed, struct weft_err *err)
{
	struct weft_facts facts = { 0 };
	struct acts acts = { 0 };
	int ret;

	*p = (struct simulated_play) { 0 };
	ret = weft_scenario_names(&facts, plan, err);
	facts.fabric.seed = seed;
	number_entries(s);
	for (unsigned int i = 0; !ret && i < s->entries; i++)
		ret = s->entry[i].kind == WEFT_ENTRY_NODE ?
		      take_node(&acts, s, &s->entry[i], plan, err) :
		      take_entry(p, s, &s->entry[i], &facts, err);
	if (!ret)
		ret = freeze_nodes(p, s, &acts, err);
	free(acts.act);
	weft_scenario_names_free(&facts);
	return ret;
}

/**
 * simulated_play_free() - free what a simulation plays
 * @p: it
 */
void simulated_play_free(struct simulated_play *p)
{
	for (unsigned int i = 0; i < p->traffics; i++) {
		free(p->traffic[i].traffic.dst);
		free(p->traffic[i].traffic.message);
	}
	free(p->freeze);
	free(p->traffic);
	free(p->fault);
}
