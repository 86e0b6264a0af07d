// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays a scenario.
 *
 * The kernel has the faults and the traffic from the start. The rest is a list of actions
 * in order of time: node events, settings, and measurements of the NICs' counters, which
 * show how long a fault had an effect.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "lab/lab_signal.h"
#include "scenario/scenario.h"

/* Purposes of the measurements of a recovery; STEP_SLICE and later ones end a slice. */
enum { STEP_WINDOW, STEP_BEGIN, STEP_END, STEP_SLICE };

/**
 * weft_player_now() - read the fabric's clock
 * @p: the player
 * @now: fabric time, ps
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_now(struct weft_player *p, uint64_t *now, struct weft_err *err)
{
	struct weft_fabric f;
	int ret;

	ret = weft_fabric_find(&p->nl, p->lab->name, &f, err);
	*now = f.now;
	weft_fabric_free(&f);
	return ret;
}

static int fail_entry(struct weft_player *p, const struct weft_entry *e,
		      struct weft_err *err)
{
	weft_err_prefix(err, "%.80s:%zu:%zu", p->scenario->file, e->line,
			e->column);
	return err->code;
}

/* The time of a fault may have passed on a real clock; the fault then starts at once. */
static int set_fault_start(struct weft_player *p, struct weft_entry *e,
			   struct weft_err *err)
{
	uint64_t now, start = p->start + e->at;

	if (weft_player_now(p, &now, err))
		return err->code;
	e->fault.start = start;
	if (start > now)
		e->fault.has |= WEFT_HAS(WEFT_A_FAULT_START);
	else
		e->fault.has &= ~WEFT_HAS(WEFT_A_FAULT_START);
	return 0;
}

static int add_fault(struct weft_player *p, struct weft_entry *e,
		     struct weft_err *err)
{
	if (e->by.given ? weft_fault_by(&e->fault, &e->by, err) :
			  set_fault_start(p, e, err))
		return err->code;
	if (weft_fault_new(&p->nl, &e->fault, err))
		return fail_entry(p, e, err);
	return 0;
}

static int set_traffic_start(struct weft_player *p, struct weft_entry *e,
			     struct weft_err *err)
{
	uint64_t now, start = p->start + e->at;

	if (weft_player_now(p, &now, err))
		return err->code;
	e->traffic.value[WEFT_TRAFFIC_START] = start;
	if (start > now)
		e->traffic.has |= 1U << WEFT_TRAFFIC_START;
	else
		e->traffic.has &= ~(1U << WEFT_TRAFFIC_START);
	return 0;
}

static int add_traffic(struct weft_player *p, struct weft_entry *e,
		       struct weft_err *err)
{
	if (e->by.given ? weft_traffic_by(&e->traffic, &e->by, err) :
			  set_traffic_start(p, e, err))
		return err->code;
	if (weft_traffic_start(&p->nl, &e->traffic, &p->facts, &e->group, err))
		return fail_entry(p, e, err);
	e->running = true;
	return 0;
}

static int hand_over(struct weft_player *p, struct weft_err *err)
{
	struct weft_scenario *s = p->scenario;

	for (unsigned int i = 0; i < s->entries; i++) {
		struct weft_entry *e = &s->entry[i];

		if ((e->kind == WEFT_ENTRY_FAULT && add_fault(p, e, err)) ||
		    (e->kind == WEFT_ENTRY_TRAFFIC && add_traffic(p, e, err)))
			return err->code;
	}
	return 0;
}

static int add_action(struct weft_player *p, struct weft_action a,
		      struct weft_err *err)
{
	struct weft_action *more;

	more = weft_array_grow(p->action, p->actions, sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	p->action = more;
	a.order = p->actions;
	more[p->actions++] = a;
	return 0;
}

/* What the player does at the times of an entry; nothing of what the kernel does. */
static int add_acts(struct weft_player *p, unsigned int index,
		    struct weft_err *err)
{
	const struct weft_entry *e = &p->scenario->entry[index];
	struct weft_action a = { .index = index };

	if (e->kind != WEFT_ENTRY_NODE && e->kind != WEFT_ENTRY_SET)
		return 0;
	for (uint32_t i = 0; weft_entry_act(e, i, &a.at, &a.act); i++) {
		a.at += p->start;
		if (add_action(p, a, err))
			return err->code;
	}
	return 0;
}

/* End of the last repetition of an entry; its start if it has no end. */
static uint64_t end_of(const struct weft_entry *e)
{
	if (!e->duration || (e->period && !e->count))
		return e->at;
	return e->at + (e->period ? (e->count - 1) * e->period : 0) +
	       e->duration;
}

/**
 * weft_entry_text() - describe an entry
 * @e: the entry
 * @buf: result
 * @len: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *weft_entry_text(const struct weft_entry *e, char *buf, size_t len)
{
	bool node = e->kind == WEFT_ENTRY_NODE;

	if (e->kind == WEFT_ENTRY_TRAFFIC)
		snprintf(buf, len, "traffic %s", e->what);
	else if (e->kind == WEFT_ENTRY_SET)
		snprintf(buf, len, "set of %s %s", e->what, e->on);
	else
		snprintf(buf, len, "%s %s %s",
			 node ? weft_node_act_name[e->act] : e->what,
			 node ? "of" : "at", e->on);
	return buf;
}

static int add_looks(struct weft_player *p, unsigned int index,
		     struct weft_err *err)
{
	const struct weft_recovery *r = &p->recovery[index];
	uint64_t within = p->scenario->expect.value[WEFT_EXPECT_RECOVERY_WITHIN];
	struct weft_action a = { .sample = true, .index = index };

	for (a.step = STEP_WINDOW; a.step <= STEP_END + WEFT_RECOVERY_SLICES;
	     a.step++) {
		if (a.step == STEP_WINDOW)
			a.at = r->begins - r->window;
		else if (a.step == STEP_BEGIN)
			a.at = r->begins;
		else
			a.at = r->ends + within * (a.step - STEP_END) /
					 WEFT_RECOVERY_SLICES;
		if (add_action(p, a, err))
			return err->code;
	}
	return 0;
}

/* The window before the fault is the allowed time, but at most @before, ps. */
static int add_recovery(struct weft_player *p, const struct weft_entry *e,
			uint64_t before, struct weft_err *err)
{
	uint64_t within = p->scenario->expect.value[WEFT_EXPECT_RECOVERY_WITHIN];
	struct weft_recovery *more, *r;

	more = weft_array_grow(p->recovery, p->recoveries, sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	p->recovery = more;
	r = &more[p->recoveries];
	*r = (struct weft_recovery) {
		.begins = p->start + e->at, .ends = p->start + end_of(e),
		.window = within < before ? within : before,
	};
	weft_entry_text(e, r->what, sizeof(r->what));
	return add_looks(p, p->recoveries++, err);
}

/**
 * weft_entry_harms() - is an entry one that goodput has to recover from?
 * @e: the entry
 *
 * Return: whether it is a fault, or freezes or kills a node.
 */
bool weft_entry_harms(const struct weft_entry *e)
{
	if (e->kind != WEFT_ENTRY_NODE)
		return e->kind == WEFT_ENTRY_FAULT;
	return e->act == WEFT_NODE_FREEZE || e->act == WEFT_NODE_KILL;
}

static int by_time(const void *a, const void *b)
{
	const struct weft_action *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static bool recovers(const struct weft_scenario *s, const struct weft_entry *e)
{
	return s->expect.has[WEFT_EXPECT_RECOVERY_WITHIN] && weft_entry_harms(e);
}

/* Sort the actions that are not done yet. */
static void sort_actions(struct weft_player *p)
{
	if (p->done < p->actions)
		qsort(p->action + p->done, p->actions - p->done,
		      sizeof(*p->action), by_time);
}

/* At equal times, measurements come before node events, to see the state before them. */
static int add_actions(struct weft_player *p, struct weft_err *err)
{
	const struct weft_scenario *s = p->scenario;

	for (unsigned int i = 0; i < s->entries; i++)
		if (!s->entry[i].by.given && recovers(s, &s->entry[i]) &&
		    add_recovery(p, &s->entry[i], s->entry[i].at, err))
			return err->code;
	for (unsigned int i = 0; i < s->entries; i++)
		if (!s->entry[i].by.given && add_acts(p, i, err))
			return err->code;
	sort_actions(p);
	return 0;
}

/**
 * weft_player_begun() - add the actions of an entry whose trigger was met
 * @p: the player
 * @index: index of the entry; its start is known now
 * @now: fabric time
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_begun(struct weft_player *p, unsigned int index, uint64_t now,
		      struct weft_err *err)
{
	const struct weft_entry *e = &p->scenario->entry[index];
	uint64_t begin = p->start + e->at;

	if (recovers(p->scenario, e) &&
	    add_recovery(p, e, begin > now ? begin - now : 0, err))
		return err->code;
	if (add_acts(p, index, err))
		return err->code;
	sort_actions(p);
	return 0;
}

static int start(struct weft_player *p, struct weft_err *err)
{
	if (weft_facts_read(&p->facts, p->lab, err) ||
	    weft_scenario_bind(p->scenario, &p->facts, err) ||
	    weft_player_now(p, &p->start, err) || add_actions(p, err) ||
	    weft_player_arm(p, err))
		return err->code;
	return hand_over(p, err);
}

/**
 * weft_player_start() - start a scenario
 * @p: result, to be ended by weft_player_stop() unless there is an error
 * @lab: the lab, up; must outlive @p
 * @s: the scenario; must outlive @p
 * @err: error; then no part of the scenario is active
 *
 * The first weft_player_step() does what is due at the start.
 *
 * Return: 0 or negative errno.
 */
int weft_player_start(struct weft_player *p, const struct weft_lab *lab,
		      struct weft_scenario *s, struct weft_err *err)
{
	struct weft_err back;

	*p = (struct weft_player) { .lab = lab, .scenario = s };
	if (weft_lab_nl(lab, &p->nl, err))
		return err->code;
	if (!start(p, err))
		return 0;
	weft_player_take_back(p, &back);
	weft_player_stop(p);
	return err->code;
}

/**
 * weft_player_next() - time of the next action
 * @p: the player
 *
 * Return: fabric time, WEFT_NEVER if all is done.
 */
uint64_t weft_player_next(const struct weft_player *p)
{
	return p->done < p->actions ? p->action[p->done].at : WEFT_NEVER;
}

/**
 * weft_player_end() - time at which all entries are over that end by themselves
 * @p: the player
 *
 * Return: fabric time; WEFT_NEVER while a trigger is awaited.
 */
uint64_t weft_player_end(const struct weft_player *p)
{
	const struct weft_scenario *s = p->scenario;
	uint64_t end = p->start, at;

	if (p->awaited)
		return WEFT_NEVER;
	if (p->actions)
		end = p->action[p->actions - 1].at;
	for (unsigned int i = 0; i < s->entries; i++) {
		if (s->entry[i].gone)
			continue;
		at = p->start + end_of(&s->entry[i]);
		if (at > end)
			end = at;
	}
	return end;
}

static int read_received(struct weft_player *p, uint64_t *bytes,
			 struct weft_err *err)
{
	struct weft_nic *nic = NULL;
	unsigned int n = 0;
	int ret;

	*bytes = 0;
	ret = weft_nic_list(&p->nl, p->facts.fabric.id, &nic, &n, err);
	for (unsigned int i = 0; !ret && i < n; i++)
		*bytes += weft_counters_get(&nic[i].counters, "rx_bytes");
	weft_nic_list_free(nic, n);
	return ret;
}

/* Compute the goodput of a slice relative to that of the window before, in 1e-6. */
static void end_slice(struct weft_player *p, struct weft_recovery *r,
		      uint64_t bytes, uint64_t at)
{
	const struct weft_expect *e = &p->scenario->expect;
	uint64_t share = e->has[WEFT_EXPECT_RECOVERY_SHARE] ?
			 e->value[WEFT_EXPECT_RECOVERY_SHARE] :
			 WEFT_RECOVERY_SHARE;
	__uint128_t got = (__uint128_t)(bytes - r->received) * r->window;
	__uint128_t want = (__uint128_t)r->before * (at - r->looked);
	uint64_t ppm = want ? (uint64_t)(got * 1000000 / want) : 1000000;

	r->slices++;
	if (ppm > r->best)
		r->best = ppm;
	if (ppm < share || r->recovered)
		return;
	r->recovered = true;
	r->at = at;
}

static int find_suspect(struct weft_player *p, struct weft_recovery *r,
			struct weft_err *err)
{
	struct weft_facts facts;
	int ret = weft_facts_read(&facts, p->lab, err);

	if (!ret)
		weft_suspect_find(&r->suspect, &facts, r->begins);
	weft_facts_free(&facts);
	return ret;
}

static int look(struct weft_player *p, const struct weft_action *a,
		struct weft_err *err)
{
	struct weft_recovery *r = &p->recovery[a->index];
	uint64_t bytes;

	if (read_received(p, &bytes, err))
		return err->code;
	if (a->step == STEP_BEGIN)
		r->before = bytes - r->received;
	else if (a->step >= STEP_SLICE)
		end_slice(p, r, bytes, a->at);
	r->received = bytes;
	r->looked = a->at;
	if (r->slices == WEFT_RECOVERY_SLICES && !r->recovered)
		return find_suspect(p, r, err);
	return 0;
}

static int act(struct weft_player *p, const struct weft_action *a,
	       struct weft_err *err)
{
	struct weft_entry *e;

	if (a->sample)
		return look(p, a, err);
	e = &p->scenario->entry[a->index];
	if (e->kind == WEFT_ENTRY_SET ? weft_player_set(p, e, err) :
					weft_player_act(p, e->on, a->act, err))
		return fail_entry(p, e, err);
	return 0;
}

/**
 * weft_player_step() - do all actions that are due
 * @p: the player
 * @err: error; the failed action is not tried again
 *
 * Return: 0 or negative errno.
 */
int weft_player_step(struct weft_player *p, struct weft_err *err)
{
	uint64_t now;

	if (weft_player_now(p, &now, err) || weft_player_hear(p, now, err))
		return err->code;
	while (weft_player_next(p) <= now)
		if (act(p, &p->action[p->done++], err))
			return err->code;
	return 0;
}

static int take_fault_back(struct weft_player *p, struct weft_entry *e,
			   struct weft_err *err)
{
	int ret;

	if (!(e->fault.has & WEFT_HAS(WEFT_A_FAULT_ID)))
		return 0;
	ret = weft_fault_del(&p->nl, &e->fault, err);
	e->fault.has &= ~WEFT_HAS(WEFT_A_FAULT_ID);
	return ret == -ENOENT ? 0 : ret;
}

static int take_traffic_back(struct weft_player *p, struct weft_entry *e,
			     struct weft_err *err)
{
	struct weft_traffic *list = NULL;
	unsigned int n = 0;
	int ret;

	if (e->kind != WEFT_ENTRY_TRAFFIC || !e->running)
		return 0;
	ret = weft_traffic_stop(&p->nl, p->facts.fabric.id, e->group, &list,
				&n, err);
	weft_traffic_list_free(list, n);
	e->running = false;
	return ret == -ENOENT ? 0 : ret;
}

/**
 * weft_player_take_back() - undo a scenario
 * @p: the player
 * @err: error
 *
 * Killed processes are not restored.
 *
 * Return: 0 or negative errno.
 */
int weft_player_take_back(struct weft_player *p, struct weft_err *err)
{
	struct weft_scenario *s = p->scenario;
	int ret = 0;

	for (unsigned int i = 0; i < s->entries; i++) {
		struct weft_entry *e = &s->entry[i];

		if (take_fault_back(p, e, err) || take_traffic_back(p, e, err) ||
		    weft_player_unset(p, e, err) ||
		    weft_player_disarm(p, e, err))
			ret = err->code;
		if (e->kind == WEFT_ENTRY_NODE && e->act == WEFT_NODE_FREEZE)
			weft_lab_signal(p->lab, e->on, SIGCONT);
	}
	while (p->cuts)
		if (weft_player_act(p, p->cut[0].node, WEFT_NODE_RETURN, err))
			return err->code;
	p->done = p->actions;
	return ret;
}

/**
 * weft_player_stop() - free a player
 * @p: the player
 *
 * Faults and traffic that the kernel has continue.
 */
void weft_player_stop(struct weft_player *p)
{
	weft_nl_close(&p->nl);
	weft_events_close(&p->events);
	weft_facts_free(&p->facts);
	free(p->action);
	free(p->recovery);
	free(p->cut);
	p->action = NULL;
	p->recovery = NULL;
	p->cut = NULL;
	p->actions = p->done = p->recoveries = p->cuts = p->awaited = 0;
}
