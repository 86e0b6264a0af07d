// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of a scenario that start by a trigger.
 *
 * The kernel has the triggers, and starts faults and traffic by itself. The player
 * listens for them as well: they decide when the scenario is over, and the times of node
 * events and of measurements.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/scenario.h"

static int arm(struct weft_player *p, struct weft_entry *e, struct weft_err *err)
{
	if (weft_trigger_new(&p->nl, &e->by.trigger, err)) {
		weft_err_prefix(err, "%.80s:%zu:%zu: at", p->scenario->file,
				e->line, e->column);
		return err->code;
	}
	e->armed = true;
	p->awaited++;
	return 0;
}

/**
 * weft_player_arm() - give the triggers of a scenario to the kernel
 * @p: the player
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_arm(struct weft_player *p, struct weft_err *err)
{
	struct weft_scenario *s = p->scenario;
	bool any = false;

	for (unsigned int i = 0; i < s->entries; i++)
		any |= s->entry[i].by.given;
	if (any && weft_events_open(&p->events, p->lab, err))
		return err->code;
	for (unsigned int i = 0; i < s->entries; i++)
		if (s->entry[i].by.given && arm(p, &s->entry[i], err))
			return err->code;
	return 0;
}

/**
 * weft_player_fd() - descriptor to wait for, besides the time
 * @p: the player
 *
 * Return: a descriptor that is readable when weft_player_step() has work to do; -1 if
 * only the time decides this.
 */
int weft_player_fd(const struct weft_player *p)
{
	return p->awaited ? weft_events_fd(&p->events) : -1;
}

/* The events themselves are ignored: after any event, all triggers are read again. */
static int ignore(void *ctx, const struct weft_event *ev)
{
	(void)ctx;
	(void)ev;
	return 0;
}

static int look_at(struct weft_player *p, unsigned int index, uint64_t now,
		   const struct weft_trigger *t, struct weft_err *err)
{
	struct weft_entry *e = &p->scenario->entry[index];
	uint64_t begin;

	/* It went with its fault, or its traffic. */
	if (!t) {
		e->gone = true;
		p->awaited--;
		return 0;
	}
	if (!weft_trigger_met(t))
		return 0;
	e->by.trigger = *t;
	e->begun = true;
	p->awaited--;
	begin = t->at + e->by.after + weft_trigger_late(t, e->by.after);
	e->at = begin > p->start ? begin - p->start : 0;
	return weft_player_begun(p, index, now, err);
}

/**
 * weft_player_hear() - find the triggers that were met
 * @p: the player
 * @now: fabric time
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_hear(struct weft_player *p, uint64_t now, struct weft_err *err)
{
	struct weft_scenario *s = p->scenario;
	struct weft_trigger *list = NULL;
	unsigned int n = 0;
	int ret;

	if (!p->awaited)
		return 0;
	ret = weft_events_read(&p->events, ignore, NULL, err);
	if (!ret)
		ret = weft_trigger_list(&p->nl, p->facts.fabric.id, &list, &n,
					err);
	for (unsigned int i = 0; !ret && i < s->entries; i++)
		if (s->entry[i].armed && !s->entry[i].begun &&
		    !s->entry[i].gone)
			ret = look_at(p, i, now,
				      weft_trigger_find(list, n,
							s->entry[i].by.trigger.id),
				      err);
	free(list);
	return ret;
}

/**
 * weft_player_disarm() - remove the trigger of an entry
 * @p: the player
 * @e: the entry, its fault or traffic removed before
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_disarm(struct weft_player *p, struct weft_entry *e,
		       struct weft_err *err)
{
	int ret;

	if (!e->armed)
		return 0;
	e->armed = false;
	if (e->gone)
		return 0;
	if (!e->begun)
		p->awaited--;
	ret = weft_trigger_del(&p->nl, &e->by.trigger, err);
	/* The kernel removed it with the fault, or with the last generator. */
	return ret == -ENOENT ? 0 : ret;
}

/* Has an entry started, and in time? The text is about the first one that has not. */
static bool judge(const struct weft_entry *e, const struct weft_facts *facts,
		  const struct weft_trigger *t, struct weft_result *r)
{
	char what[96], when[128], why[128], time[32];
	uint64_t late;

	weft_entry_text(e, what, sizeof(what));
	if (e->gone) {
		snprintf(r->text, sizeof(r->text),
			 "%s never began: its trigger was removed", what);
		return false;
	}
	weft_trigger_when(t, e->by.after, facts, when, sizeof(when));
	if (!weft_trigger_met(t)) {
		snprintf(r->text, sizeof(r->text), "%s never began: %s", what,
			 weft_trigger_why_not(t, facts, why, sizeof(why)));
		return false;
	}
	late = weft_trigger_late(t, e->by.after);
	if (!late) {
		if (!*r->text)
			snprintf(r->text, sizeof(r->text), "%s began %s", what,
				 when);
		return true;
	}
	snprintf(r->text, sizeof(r->text),
		 "%s was to begin %s, and did so %s late: that is when it was found",
		 what, when, weft_format_time(time, sizeof(time), late));
	r->has_at = true;
	r->at = t->found;
	return false;
}

/**
 * weft_scenario_triggers() - add a result: have all entries with a trigger started?
 * @s: the scenario, at its end
 * @facts: the lab at the end
 * @results: the results; unchanged if there are no such entries
 */
void weft_scenario_triggers(const struct weft_scenario *s, const struct weft_facts *facts,
			    struct weft_results *results)
{
	struct weft_result r = { .name = "triggers", .outcome = WEFT_SKIPPED };

	for (unsigned int i = 0; i < s->entries; i++) {
		const struct weft_entry *e = &s->entry[i];
		const struct weft_trigger *t =
			weft_trigger_find(facts->trigger, facts->triggers,
					  e->by.trigger.id);

		if (!e->armed)
			continue;
		r.outcome = judge(e, facts, t ? t : &e->by.trigger, &r) ?
			    WEFT_PASSED : WEFT_FAILED;
		if (r.outcome == WEFT_FAILED)
			break;
	}
	if (r.outcome != WEFT_SKIPPED)
		results->result[results->n++] = r;
}
