// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time line of a scenario, for a simulation: faults and background traffic. A
 * simulation begins at time 0.
 */
#include "run/simulated_play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

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

static int take_entry(struct simulated_play *p, struct weft_scenario *s, struct weft_entry *e,
		      const struct weft_facts *facts, struct weft_err *err)
{
	switch (e->kind) {
	case WEFT_ENTRY_FAULT:
		return take_fault(p, s, e, err);
	case WEFT_ENTRY_TRAFFIC:
		return take_traffic(p, s, e, facts, err);
	case WEFT_ENTRY_NODE:
		return refuse(s, e, "node: expected faults and traffic, which is all that a simulation can play",
			      err);
	default:
		return refuse(s, e, "set: expected faults and traffic, which is all that a simulation can play",
			      err);
	}
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
	int ret;

	*p = (struct simulated_play) { 0 };
	ret = weft_scenario_names(&facts, plan, err);
	facts.fabric.seed = seed;
	number_entries(s);
	for (unsigned int i = 0; !ret && i < s->entries; i++)
		ret = take_entry(p, s, &s->entry[i], &facts, err);
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
	free(p->traffic);
	free(p->fault);
}
