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
 * A simulation ends when all messages have ended. If nothing moves while messages
 * are on their way, it fails instead of running for ever.
 */
#include "sim/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim/sim_run.h"

#define SIM_STUCK	FAB_PS_PER_S	/* fabric time without any packet on a wire */
#define SIM_TELL	65536		/* instants between two calls of progress */

/**
 * weft_sim_fail() - end the simulation with an error; only the first one counts
 * @sim: the simulation
 * @fmt: the message
 */
void weft_sim_fail(struct weft_sim *sim, const char *fmt, ...)
{
	char at[32], text[768];
	va_list ap;

	if (sim->failed)
		return;
	sim->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	weft_err_set(sim->err, WEFT_ERR_OTHER, -EIO, "at %s: %s",
		     weft_format_time(at, sizeof(at), sim->fab.now), text);
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
	weft_sim_work(sim, m)->start = sim->fab.now;
	sim->flying++;
	if (m->qp)
		weft_sim_post(sim, m);
	else
		weft_sim_ended(sim, m);
}

/* All that the message waits for has ended. */
static void message_release(struct weft_sim *sim, struct weft_sim_message *m)
{
	const struct weft_message *w = weft_sim_work(sim, m);

	weft_sim_start_at(sim, m, max(sim->fab.now, (fab_time)w->at) + w->delay);
}

/**
 * weft_sim_ended() - the receiver has all of a message
 * @sim: the simulation
 * @m: the message
 */
void weft_sim_ended(struct weft_sim *sim, struct weft_sim_message *m)
{
	struct weft_message *w = weft_sim_work(sim, m);
	u32 i = (u32)(m - sim->message);

	w->end = sim->fab.now;
	sim->ended++;
	sim->flying--;
	sim->bytes += w->bytes;
	for (u32 k = sim->followers[i]; k < sim->followers[i + 1]; k++)
		if (!--sim->message[sim->follower[k]].waits)
			message_release(sim, &sim->message[sim->follower[k]]);
}

/* For each message, who waits for it: a list of all, and where each one's begins. */
static int find_followers(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_work *w = sim->work;
	u32 *at;

	sim->followers = calloc(w->messages + 2, sizeof(*sim->followers));
	sim->follower = calloc(w->afters + 1, sizeof(*sim->follower));
	if (!sim->followers || !sim->follower)
		return weft_err_nomem(err);
	/* Counted two places ahead, each begin is one place ahead until its list is full. */
	at = sim->followers + 1;
	for (u32 i = 0; i < w->afters; i++)
		at[w->after[i] + 1]++;
	for (u32 i = 1; i <= w->messages; i++)
		at[i] += at[i - 1];
	for (u32 i = 0; i < w->messages; i++)
		for (u32 k = 0; k < w->message[i].afters; k++)
			sim->follower[at[w->after[w->message[i].after + k]]++] = i;
	return 0;
}

static int prepare_messages(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_work *w = sim->work;

	sim->message = calloc(w->messages + 1, sizeof(*sim->message));
	if (!sim->message)
		return weft_err_nomem(err);
	for (u32 i = 0; i < w->messages; i++) {
		sim->message[i].waits = w->message[i].afters;
		w->message[i].start = WEFT_NOT_YET;
		w->message[i].end = WEFT_NOT_YET;
	}
	if (weft_sim_starts_init(sim, err))
		return err->code;
	return find_followers(sim, err);
}

static void release_first(struct weft_sim *sim)
{
	for (u32 i = 0; i < sim->work->messages; i++)
		if (!sim->message[i].waits)
			message_release(sim, &sim->message[i]);
}

static bool tell(struct weft_sim *sim, u64 total)
{
	struct weft_sim_progress p = {
		.now = sim->fab.now, .hops = sim->fab.c.hops,
		.bytes = sim->bytes, .total = total,
	};

	return !sim->o->progress || sim->o->progress(sim->o->ctx, &p);
}

static u64 total_bytes(const struct weft_work *w)
{
	u64 total = 0;

	for (u32 i = 0; i < w->messages; i++)
		total += w->message[i].bytes;
	return total;
}

/* The first message that is on its way, for the text of an error. */
static const struct weft_message *first_flying(const struct weft_sim *sim)
{
	const struct weft_message *m = sim->work->message;

	while (m->start == WEFT_NOT_YET || m->end != WEFT_NOT_YET)
		m++;
	return m;
}

static void fail_stuck(struct weft_sim *sim)
{
	const struct weft_message *m = first_flying(sim);

	weft_sim_fail(sim, "%u messages are on their way, but no packet has moved for 1s, as in a deadlock; the first is that of line %u, from %s to %s",
		      sim->flying, m->line, sim->plan->node[m->from].name,
		      sim->plan->node[m->to].name);
}

/**
 * struct watch - has a packet moved?
 * @hops: hops when one was last seen to move
 * @since: when that was
 */
struct watch {
	u64 hops;
	fab_time since;
};

static void look(struct weft_sim *sim, struct watch *w, fab_time next)
{
	if (sim->fab.c.hops != w->hops || !sim->flying)
		*w = (struct watch) { sim->fab.c.hops, sim->fab.now };
	else if (next == FAB_NEVER || next - w->since > SIM_STUCK)
		fail_stuck(sim);
}

static void run(struct weft_sim *sim)
{
	fab_time end = sim->o->until ? sim->o->until : FAB_TIME_END;
	u64 total = total_bytes(sim->work);
	struct watch w = { 0 };
	fab_time next = 0;

	for (u64 n = 0; sim->ended < sim->work->messages && !sim->failed; n++) {
		next = fab_run(&sim->fab, next, FAB_NO_BUDGET);
		if (sim->ended == sim->work->messages || sim->failed || next > end)
			break;
		look(sim, &w, next);
		if (!(n % SIM_TELL) && !tell(sim, total))
			weft_sim_fail(sim, "interrupted");
	}
}

static void collect(const struct weft_sim *sim, struct weft_sim_result *r)
{
	*r = (struct weft_sim_result) {
		.transport = sim->transport->name,
		.now = sim->fab.now,
		.ended = sim->ended,
		.bytes = sim->bytes,
		.events = sim->fab.c.events,
		.hops = sim->fab.c.hops,
		.packets = sim->fab.c.packets_delivered,
		.marked = sim->marked,
	};
}

static int choose_transport(struct weft_sim *sim, struct weft_err *err)
{
	static const struct weft_sim_transport *const all[] = {
		&weft_sim_rc, &weft_sim_frames,
	};
	const char *name = sim->o->transport;

	for (size_t i = 0; name && i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i]->name, name))
			sim->transport = all[i];
	if (name && !sim->transport)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "transport \"%s\": expected rc or frames", name);
	if (sim->transport)
		return 0;
	sim->transport = &weft_sim_rc;
	for (u32 i = 0; i < sim->plan->nics; i++)
		if (weft_sim_rc.refuse(&sim->plan->nic[i]))
			sim->transport = &weft_sim_frames;
	return 0;
}

static void sim_free(struct weft_sim *sim)
{
	weft_sim_pkts_free(sim);
	weft_sim_unbuild(sim);
	free(sim->message);
	free(sim->starts.heap);
	free(sim->followers);
	free(sim->follower);
	free(sim->qp);
	free(sim);
}

static int simulate(struct weft_sim *sim, struct weft_sim_result *r,
		    struct weft_err *err)
{
	const char *broken;

	if (choose_transport(sim, err) || weft_sim_build(sim, err) ||
	    prepare_messages(sim, err) || weft_sim_connect(sim, err))
		return err->code;
	release_first(sim);
	run(sim);
	collect(sim, r);
	broken = fab_check(&sim->fab);
	if (broken)
		weft_sim_fail(sim, "the model is broken: %s", broken);
	return sim->failed ? err->code : 0;
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
	struct weft_sim *sim = calloc(1, sizeof(*sim));
	int ret;

	*r = (struct weft_sim_result) { 0 };
	if (!sim)
		return weft_err_nomem(err);
	sim->plan = plan;
	sim->work = work;
	sim->o = o;
	sim->err = err;
	ret = simulate(sim, r, err);
	sim_free(sim);
	return ret;
}
