// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a workload on the model of a plan.
 *
 * DOC: theory of operation
 *
 * The fabric is that of `weft up`: sim_model.c makes the same objects with the same
 * parameters. When a message has ended, those that waited for it are scheduled. There
 * is no clock: each event runs at its own time. All randomness has one seed, so a run
 * repeats bit for bit.
 *
 * It can be divided into parts that run side by side (sim_parts.c, sim_cross.c,
 * sim_window.c). Any number of parts gives the same result.
 */
#include "sim/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim/sim_image.h"
#include "sim/sim_reduce.h"
#include "sim/sim_traffic.h"

/**
 * weft_sim_fail() - end the simulation with an error
 * @sim: the cell in which it is found
 * @fmt: the message
 *
 * The first one counts; of several in one instant, the first by the alphabet, as cells
 * do not know which of them comes first.
 */
void weft_sim_fail(struct weft_sim *sim, const char *fmt, ...)
{
	struct weft_sim_part *part = sim->part;
	char at[32], text[768];
	struct weft_err err;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	weft_err_set(&err, WEFT_ERR_OTHER, -EIO, "at %s: %s",
		     weft_format_time(at, sizeof(at), sim->fab.now), text);
	if (sim->fab.now < part->state.failed ||
	    (sim->fab.now == part->state.failed && strcmp(err.msg, part->err.msg) < 0))
		part->err = err;
	part->state.failed = min(part->state.failed, sim->fab.now);
	part->until = min(part->until, sim->fab.now);
}

/**
 * weft_sim_node() - name of the node of a NIC
 * @sim: the simulation
 * @nic: the NIC
 *
 * Return: the name.
 */
const char *weft_sim_node(const struct weft_sim *sim, const struct weft_sim_nic *nic)
{
	return sim->plan->node[nic->plan->node].name;
}

/**
 * weft_sim_start() - start a message
 * @sim: the simulation
 * @m: the message, whose time has come
 */
void weft_sim_start(struct weft_sim *sim, struct weft_sim_message *m)
{
	struct weft_sim_state *s = &sim->part->state;

	weft_sim_work(sim, m)->start = sim->fab.now;
	s->started++;
	s->moved = max(s->moved, sim->fab.now);
	if (m->qp)
		weft_sim_post(sim, m);
	else if (weft_sim_work(sim, m)->group)
		weft_sim_reduce_start(sim, m);
	else
		weft_sim_ended(sim, m);
}

/* All that the message waits for has ended, in this cell. */
static void message_release(struct weft_sim *sim, struct weft_sim_message *m)
{
	weft_sim_start_at(sim, m, weft_sim_computed(sim, weft_sim_work(sim, m)));
}

/**
 * weft_sim_ended() - the receiver has all of a message
 * @sim: the simulation
 * @m: the message
 */
void weft_sim_ended(struct weft_sim *sim, struct weft_sim_message *m)
{
	struct weft_message *w = weft_sim_work(sim, m);
	struct weft_sim_state *s = &sim->part->state;
	u32 i = (u32)(m - sim->message);

	w->end = sim->fab.now;
	s->end = max(s->end, sim->fab.now);
	s->ended++;
	s->bytes += w->bytes;
	for (u32 k = sim->followers[i]; k < sim->followers[i + 1]; k++)
		if (!--sim->message[sim->follower[k]].waits)
			message_release(sim, &sim->message[sim->follower[k]]);
}

/* For each message, who waits for it: a list of all, and where each one's begins. */
static int find_followers(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_work *w = sim->work;

	sim->followers = weft_sim_alloc(sim, w->messages + (size_t)2, sizeof(*sim->followers));
	sim->follower = weft_sim_alloc(sim, w->afters, sizeof(*sim->follower));
	if (!sim->followers || !sim->follower)
		return weft_err_nomem(err);
	weft_work_followers(w, sim->followers, sim->follower);
	return 0;
}

static int prepare_messages(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_work *w = sim->work;

	sim->message = weft_sim_alloc(sim, w->messages, sizeof(*sim->message));
	if (!sim->message)
		return weft_err_nomem(err);
	for (u32 i = 0; i < w->messages; i++) {
		sim->message[i].waits = w->message[i].afters;
		w->message[i].start = WEFT_NOT_YET;
		w->message[i].end = WEFT_NOT_YET;
		sim->total += w->message[i].bytes;
	}
	return find_followers(sim, err);
}

static void release_first(struct weft_sim *sim)
{
	for (u32 i = 0; i < sim->work->messages; i++)
		if (!sim->message[i].waits)
			message_release(weft_sim_at(sim, sim->work->message[i].from),
					&sim->message[i]);
}

/* The transports that are in use, as users write them. */
static const char *transport_name(const struct weft_sim *sim)
{
	unsigned int rc = 0, srd = 0;

	for (u32 i = 0; i < sim->plan->nics; i++) {
		rc += sim->nic[i].transport == &weft_sim_rc;
		srd += sim->nic[i].transport == &weft_sim_srd;
	}
	if (rc == sim->plan->nics)
		return weft_sim_rc.name;
	if (srd == sim->plan->nics)
		return weft_sim_srd.name;
	if (rc && srd)
		return rc + srd == sim->plan->nics ? "rc and srd" : "rc, srd and frames";
	return rc ? "rc and frames" : srd ? "srd and frames" : weft_sim_frames.name;
}

static void collect(const struct weft_sim_parts *p, struct weft_sim_result *r)
{
	struct weft_sim_state all = { 0 };

	for (u32 i = 0; i < p->n; i++)
		weft_sim_state_add(&all, &p->state[i]);
	*r = (struct weft_sim_result) {
		.transport = transport_name(*p->cell), .now = all.now,
		.ended = (unsigned int)all.ended, .bytes = all.bytes, .hops = all.hops,
		.packets = all.delivered, .marked = all.marked, .lost = all.lost,
		.repeated = all.repeated,
	};
	if (r->ended == p->work->messages)
		r->now = all.end;
}

static int choose_transport(struct weft_sim *sim, struct weft_err *err)
{
	static const struct weft_sim_transport *const all[] = {
		&weft_sim_rc, &weft_sim_srd, &weft_sim_frames,
	};
	const char *name = sim->o->transport;

	for (size_t i = 0; name && i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i]->name, name))
			sim->transport = all[i];
	if (name && !sim->transport)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "transport \"%s\": expected rc, srd or frames", name);
	return 0;
}

static void sim_free(struct weft_sim_parts *p)
{
	weft_sim_keep_end(p);
	free(p->index);
	weft_sim_unsplit(p);
	weft_sim_mem_free(&p->mem);
}

static int check(const struct weft_sim_parts *p, struct weft_err *err)
{
	const char *broken;

	for (u32 i = 0; i < p->cells; i++) {
		if (weft_sim_team(p) && p->cell[i]->part != p->mine)
			continue;
		broken = fab_check(&p->cell[i]->fab);
		if (broken)
			return weft_err_set(err, WEFT_ERR_OTHER, -EIO,
					    "the model is broken: %s", broken);
	}
	return 0;
}

static int prepare(struct weft_sim *sim, struct weft_err *err)
{
	if (choose_transport(sim, err) || weft_sim_cc_check(sim, err) ||
	    weft_sim_build(sim, err) || prepare_messages(sim, err) || weft_sim_connect(sim, err) ||
	    weft_sim_reduce_build(sim, err) ||
	    weft_sim_divide(sim, err) || weft_sim_split(sim, err) ||
	    weft_sim_add_traffic(sim, err))
		return err->code;
	return 0;
}

/* Messages are released, and in a run that goes on, all that happened has happened. */
static int begin(struct weft_sim_parts *p, struct weft_err *err)
{
	release_first(*p->cell);
	if (weft_sim_keep_begin(p, err))
		return err->code;
	if (p->index && (weft_sim_resume(p, err) || weft_sim_keep_resumed(p, err)))
		return err->code;
	return 0;
}

static int simulate(struct weft_sim_parts *p, struct weft_sim_result *r,
		    struct weft_err *err)
{
	const struct weft_team *team = weft_sim_team(p);
	int ret = weft_sim_resume_begin(p, err);
	fab_time now;

	if (!ret)
		ret = prepare(*p->cell, err);
	if (!ret)
		ret = begin(p, err);
	if (weft_team_agree(team, ret, err))
		return err->code;
	ret = weft_sim_windows(p, err);
	collect(p, r);
	if (ret)
		return ret;
	now = weft_sim_settle(p);
	if (weft_team_agree(team, check(p, err), err))
		return err->code;
	return p->o->objects ? weft_sim_objects(*p->cell, now, p->o->objects, err) : 0;
}

static int parts_init(struct weft_sim_parts *p, u32 n, const struct weft_plan *plan,
		      struct weft_work *work, const struct weft_sim_options *o)
{
	struct weft_sim first = {
		.parts = p, .plan = plan, .work = work, .o = o,
	};

	*p = (struct weft_sim_parts) {
		.plan = plan, .work = work, .o = o, .n = n, .divided = n, .cells = 1,
		.ahead = FAB_NEVER,
	};
	if (o->checkpoint || o->resume)
		weft_sim_mem_fix(&p->mem);
	p->part = calloc(n, sizeof(*p->part));
	p->state = calloc(n, sizeof(*p->state));
	p->cell = calloc(2, sizeof(*p->cell));
	if (p->cell)
		*p->cell = weft_sim_alloc(&first, 1, sizeof(first));
	if (!p->part || !p->state || !p->cell || !*p->cell) {
		sim_free(p);
		return -ENOMEM;
	}
	for (u32 i = 0; i < n; i++)
		p->part[i].state.failed = FAB_NEVER;
	first.part = p->part;
	**p->cell = first;
	return 0;
}

static u32 count_cut(const struct weft_sim_parts *p)
{
	u32 n = 0;

	for (u32 i = 0; i < p->cuts; i += 2)
		n += p->to[i]->part != p->to[i + 1]->part;
	return n;
}

static int find_division(struct weft_sim_parts *p, struct weft_sim_division *d,
			 struct weft_err *err)
{
	struct weft_sim *sim = *p->cell;

	if (choose_transport(sim, err) || weft_sim_build(sim, err) ||
	    weft_sim_divide(sim, err) || weft_sim_split(sim, err))
		return err->code;
	*d = (struct weft_sim_division) {
		.parts = p->n, .cells = p->cells / p->n, .of_node = p->of_node,
		.of_switch = p->of_switch, .cut = count_cut(p), .ahead = p->ahead,
	};
	for (u32 i = 0; i < sim->plan->nodes; i++)
		d->of_node[i] /= d->cells;
	for (u32 i = 0; i < sim->plan->switches; i++)
		d->of_switch[i] /= d->cells;
	p->of_node = NULL;
	p->of_switch = NULL;
	return 0;
}

/**
 * weft_sim_division() - where a fabric would be cut
 * @plan: the plan
 * @parts: into how many parts, 1 to WEFT_SIM_PARTS_MAX
 * @d: result, to be freed with weft_sim_division_free(), also after an error
 * @err: error
 *
 * A workload may forbid cuts in addition.
 *
 * Return: 0 or negative errno.
 */
int weft_sim_division(const struct weft_plan *plan, uint32_t parts,
		      struct weft_sim_division *d, struct weft_err *err)
{
	const struct weft_sim_options o = { .seed = 1 };
	struct weft_work none = { 0 };
	struct weft_sim_parts p;
	int ret;

	*d = (struct weft_sim_division) { 0 };
	if (parts_init(&p, parts, plan, &none, &o))
		return weft_err_nomem(err);
	ret = find_division(&p, d, err);
	sim_free(&p);
	return ret;
}

/**
 * weft_sim_division_free() - free a division
 * @d: the division
 */
void weft_sim_division_free(struct weft_sim_division *d)
{
	free(d->of_node);
	free(d->of_switch);
}

/**
 * weft_sim_run() - run a workload on a plan
 * @plan: the plan
 * @work: the workload; its messages get their times
 * @o: options
 * @r: result, also of a run that fails
 * @err: error
 *
 * Return: 0 or negative errno. Messages that had not ended at @o->until have no end.
 */
int weft_sim_run(const struct weft_plan *plan, struct weft_work *work,
		 const struct weft_sim_options *o, struct weft_sim_result *r,
		 struct weft_err *err)
{
	struct weft_sim_parts p;
	int ret;

	*r = (struct weft_sim_result) { 0 };
	if (parts_init(&p, o->parts ? o->parts : 1, plan, work, o))
		return weft_err_nomem(err);
	ret = simulate(&p, r, err);
	sim_free(&p);
	return ret;
}
