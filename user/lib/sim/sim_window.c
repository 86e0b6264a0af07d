// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clock of a simulation: parts run in windows, by threads or by ranks of MPI.
 *
 * DOC: theory of operation
 *
 * What a cell sends to another one is due there after the propagation of a cut wire, at
 * the earliest. So all cells can run that far beyond the earliest event of all of them.
 * Then the parts exchange what they have sent, and look for the earliest event again.
 * Time without events is skipped.
 *
 * A part runs its cells one after the other, each to the end of the window. So the cache
 * of the CPU has to hold one cell only, which is why there are several: a packet of a
 * large fabric would wait for memory at each hop.
 *
 * All threads, or ranks, decide the same from the states of all parts, which do not
 * change while anyone reads them. Each rank has the whole model, but runs its part only.
 * A simulation in one part goes the same way, without waiting.
 *
 * A simulation is over when all messages have ended and no packet is left. A cell may
 * then be ahead of the last packet, as far as a window is long. As control frames are
 * counted as well, all cells run on to one time, which follows from that packet alone.
 * Samples are taken between two windows, when all cells have executed what is due until
 * then. If nothing moves while messages are on their way, the simulation fails instead of
 * running for ever.
 */
#include "sim/sim_image.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_UNCUT	(1000 * FAB_PS_PER_NS)	/* window where nothing is cut */
#define WINDOW_STUCK	FAB_PS_PER_S		/* fabric time without any packet on a wire */
#define WINDOW_TELL	16			/* windows between two calls of progress */

/**
 * weft_sim_state_add() - the states of several parts as one
 * @all: of parts before; gets that of all
 * @s: of another part
 */
void weft_sim_state_add(struct weft_sim_state *all, const struct weft_sim_state *s)
{
	all->next = min(all->next, s->next);
	all->now = max(all->now, s->now);
	all->moved = max(all->moved, s->moved);
	all->hops += s->hops;
	all->bytes += s->bytes;
	all->ended += s->ended;
	all->started += s->started;
	all->made += s->made;
	all->gone += s->gone;
	all->delivered += s->delivered;
	all->marked += s->marked;
	all->lost += s->lost;
	all->repeated += s->repeated;
	all->end = max(all->end, s->end);
	all->quiet = max(all->quiet, s->quiet);
	all->quiet = max(all->quiet, s->end);
	all->failed = min(all->failed, s->failed);
}

static struct weft_sim_state sum(const struct weft_sim_parts *p)
{
	struct weft_sim_state all = { .next = FAB_NEVER, .failed = FAB_NEVER };

	for (u32 i = 0; i < p->n; i++)
		weft_sim_state_add(&all, &p->state[i]);
	return all;
}

static bool is_stuck(const struct weft_sim_state *s)
{
	if (s->next == FAB_NEVER)
		return true;
	return s->started != s->ended && s->next > s->moved + WINDOW_STUCK;
}

static bool has_failed(const struct weft_sim_state *s)
{
	return s->failed != FAB_NEVER;
}

static bool is_over(const struct weft_sim_parts *p, const struct weft_sim_state *s)
{
	return s->ended == p->work->messages && s->made == s->gone;
}

/* The time up to which all parts run, as far as is known. */
static fab_time last_time(const struct weft_sim_parts *p, const struct weft_sim_state *s)
{
	fab_time until = p->o->until ? p->o->until : FAB_TIME_END;

	return is_over(p, s) ? min(until, s->quiet + p->rest) : until;
}

/* Is a sample due before the next event, in the time that is of interest? */
static bool sample_due(const struct weft_sim_parts *p, const struct weft_sim_state *s,
		       fab_time sample)
{
	if (sample == FAB_NEVER || sample >= s->next || has_failed(s) || is_stuck(s))
		return false;
	return sample < (is_over(p, s) ? s->quiet : last_time(p, s));
}

/* The end of the next window. Return: false if there is none. */
static bool next_window(const struct weft_sim_parts *p,
			const struct weft_sim_state *s, fab_time *end)
{
	fab_time until = last_time(p, s);

	if (has_failed(s) || s->next > until || is_stuck(s))
		return false;
	*end = min(s->next + p->ahead - 1, until);
	/* One that is not due before the next event is behind the last packet. */
	if (p->sample >= s->next)
		*end = min(*end, p->sample);
	return true;
}

/**
 * struct hand - a thread, or a rank
 * @p: all parts
 * @first: its first part
 * @step: each so many parts behind that one is its own, too
 * @crew: of a thread: all of them
 * @thread: the thread
 */
struct hand {
	struct weft_sim_parts *p;
	struct weft_sim_part *first;
	u32 step;
	struct crew *crew;
	pthread_t thread;
};

/* Execute all of a cell that is due until @end, or until something failed. */
static void run_cell(struct weft_sim *sim, fab_time end)
{
	struct weft_sim_part *part = sim->part;
	struct weft_sim_state *s = &part->state;
	u64 delivered = sim->fab.c.packets_delivered;
	u64 hops = sim->fab.c.hops;

	part->until = min(end, s->failed);
	if (part->next[sim->number] > part->until)
		return;
	part->next[sim->number] = fab_run_to(&sim->fab, &part->until);
	s->hops += sim->fab.c.hops - hops;
	s->moved = max(s->moved, sim->fab.moved);
	s->now = max(s->now, sim->fab.now);
	s->delivered += sim->fab.c.packets_delivered - delivered;
}

static void run_part(const struct weft_sim_parts *p, struct weft_sim_part *part, fab_time end)
{
	for (u32 i = 0; i < p->n; i++)
		part->box[i].n = 0;
	for (u32 i = 0; i < part->cells; i++)
		if (part->next[i] <= end)
			run_cell(part->cell[i], end);
}

static bool is_first(const struct hand *h)
{
	return h->first == h->p->mine;
}

/* The next part of a thread or rank, or NULL. */
static struct weft_sim_part *part_after(const struct hand *h, struct weft_sim_part *part)
{
	u32 behind = h->p->n - (u32)(part - h->p->part);

	return h->step < behind ? part + h->step : NULL;
}

/* Let all see where the parts of a thread or rank stand, and see where the others stand. */
static void publish(const struct hand *h)
{
	const struct weft_team *team = weft_sim_team(h->p);
	struct weft_sim_part *part;

	for (part = h->first; part; part = part_after(h, part)) {
		part->state.next = FAB_NEVER;
		for (u32 i = 0; i < part->cells; i++)
			part->state.next = min(part->state.next, part->next[i]);
		h->p->state[part - h->p->part] = part->state;
	}
	if (team)
		team->ops->gather(&h->first->state, h->p->state, sizeof(h->first->state));
	else
		weft_barrier_wait(&h->p->barrier);
}

/* Take what other parts have sent in this window. */
static void receive(const struct hand *h)
{
	struct weft_sim_part *part;

	if (weft_sim_team(h->p)) {
		weft_sim_exchange(h->p);
		return;
	}
	weft_barrier_wait(&h->p->barrier);
	for (part = h->first; part; part = part_after(h, part))
		weft_sim_receive(h->p, (u32)(part - h->p->part));
}

static void tell(struct weft_sim *sim, const struct weft_sim_state *s)
{
	const struct weft_sim_progress p = {
		.now = s->now, .hops = s->hops, .bytes = s->bytes,
		.total = sim->total,
	};

	if (sim->o->progress && !sim->o->progress(sim->o->ctx, &p))
		weft_sim_fail(sim, "interrupted");
}

/* Give the objects of all cells to who wants them. */
static void give_sample(struct weft_sim_parts *p, struct weft_sim *sim, fab_time now)
{
	struct weft_sim_objects o;
	struct weft_err err;

	if (weft_sim_objects(*p->cell, now, &o, &err)) {
		weft_sim_objects_free(&o);
		weft_sim_fail(sim, "%s", err.msg);
		p->sample = FAB_NEVER;
		return;
	}
	p->sample = sim->o->sample(sim->o->sample_ctx, &o);
	weft_sim_objects_free(&o);
}

static void run_until(struct weft_sim_part *part, fab_time end)
{
	for (u32 i = 0; i < part->cells; i++)
		part->next[i] = fab_run(&part->cell[i]->fab, end, FAB_NO_BUDGET);
}

/* All wait until one has looked at the parts. */
static void take_sample(const struct hand *h)
{
	struct weft_sim_parts *p = h->p;
	struct weft_sim_part *part;
	fab_time now = p->sample;

	for (part = h->first; part; part = part_after(h, part))
		run_until(part, now);
	weft_barrier_wait(&p->barrier);
	if (is_first(h))
		give_sample(p, *p->mine->cell, now);
	weft_barrier_wait(&p->barrier);
}

/* All wait until one has written what the parts have. */
static void take_checkpoint(const struct hand *h, fab_time next)
{
	weft_barrier_wait(&h->p->barrier);
	if (is_first(h))
		weft_sim_keep_take(h->p, next);
	weft_barrier_wait(&h->p->barrier);
}

static void run_windows(const struct hand *h)
{
	struct weft_sim_parts *p = h->p;
	struct weft_sim_part *part;
	struct weft_sim_state all;
	fab_time end;

	for (part = h->first; part; part = part_after(h, part))
		for (u32 i = 0; i < part->cells; i++)
			part->next[i] = fab_event_next(&part->cell[i]->fab.events);
	for (u64 n = 0;; n++) {
		publish(h);
		all = sum(p);
		while (sample_due(p, &all, p->sample))
			take_sample(h);
		if (!next_window(p, &all, &end))
			return;
		if (p->keep && all.next >= p->keep->due)
			take_checkpoint(h, all.next);
		if (is_first(h) && !(n % WINDOW_TELL))
			tell(*p->mine->cell, &all);
		for (part = h->first; part; part = part_after(h, part))
			run_part(p, part, end);
		receive(h);
	}
}

/**
 * struct crew - the threads but the first
 * @gate: held until all threads are there
 * @off: one is missing: nobody runs
 */
struct crew {
	pthread_mutex_t gate;
	bool off;
};

static void *hand_main(void *arg)
{
	const struct hand *h = arg;
	bool off;

	pthread_mutex_lock(&h->crew->gate);
	off = h->crew->off;
	pthread_mutex_unlock(&h->crew->gate);
	if (!off)
		run_windows(h);
	return NULL;
}

/* Return: how many were started. */
static u32 start_hands(struct weft_sim_parts *p, struct crew *crew, struct hand *hand)
{
	u32 n;

	for (n = 1; n < p->barrier.threads; n++) {
		hand[n] = (struct hand) {
			.p = p, .first = p->mine + n, .step = p->barrier.threads, .crew = crew,
		};
		if (pthread_create(&hand[n].thread, NULL, hand_main, &hand[n]))
			break;
	}
	return n;
}

static int run_crew(struct weft_sim_parts *p, const struct hand *first, struct weft_err *err)
{
	struct crew crew = { .gate = PTHREAD_MUTEX_INITIALIZER };
	struct hand hand[WEFT_SIM_PARTS_MAX];
	u32 n;

	pthread_mutex_lock(&crew.gate);
	n = start_hands(p, &crew, hand);
	crew.off = n < p->barrier.threads;
	pthread_mutex_unlock(&crew.gate);
	if (!crew.off)
		run_windows(first);
	while (--n)
		pthread_join(hand[n].thread, NULL);
	if (crew.off)
		return weft_err_set(err, WEFT_ERR_OTHER, -EAGAIN,
				    "there cannot be %u threads", p->barrier.threads);
	return 0;
}

/* Threads in this process: one for each part, but not more than CPUs that it may use. */
static u32 count_hands(const struct weft_sim_parts *p)
{
	cpu_set_t allowed;
	u32 cpus = p->n;

	if (weft_sim_team(p))
		return 1;
	if (!sched_getaffinity(0, sizeof(allowed), &allowed))
		cpus = (u32)CPU_COUNT(&allowed);
	return min(p->n, cpus);
}

static int run_parts(struct weft_sim_parts *p, struct weft_err *err)
{
	struct hand first = { .p = p, .first = p->mine };
	u32 hands = count_hands(p);

	weft_barrier_init(&p->barrier, hands);
	first.step = weft_sim_team(p) ? p->n : hands;
	if (hands > 1)
		return run_crew(p, &first, err);
	run_windows(&first);
	return 0;
}

/* Let each rank know why parts of others have failed. */
static void merge_failures(struct weft_sim_parts *p, const struct weft_team *team)
{
	struct weft_err all[WEFT_SIM_PARTS_MAX];

	team->ops->gather(&p->mine->err, all, sizeof(*all));
	for (u32 i = 0; i < p->n; i++) {
		p->part[i].err = all[i];
		p->part[i].state = p->state[i];
	}
}

/* Let each rank know the times that other ranks have seen. */
static int merge_times(struct weft_work *w, const struct weft_team *team,
		       struct weft_err *err)
{
	uint64_t *time = malloc((2 * (size_t)w->messages + 1) * sizeof(*time));

	/* Nobody waits for a rank without memory. */
	if (weft_team_agree(team, time ? 0 : weft_err_nomem(err), err) || !time) {
		free(time);
		return err->code;
	}
	for (size_t i = 0; i < w->messages; i++) {
		time[2 * i] = w->message[i].start + 1;
		time[2 * i + 1] = w->message[i].end + 1;
	}
	team->ops->greatest(time, 2 * (size_t)w->messages);
	for (size_t i = 0; i < w->messages; i++) {
		w->message[i].start = time[2 * i] - 1;
		w->message[i].end = time[2 * i + 1] - 1;
	}
	free(time);
	return 0;
}

/* After the last window: as if all parts were here. */
static int merge(struct weft_sim_parts *p, struct weft_err *err)
{
	const struct weft_team *team = weft_sim_team(p);

	if (!team)
		return 0;
	merge_failures(p, team);
	return merge_times(p->work, team, err);
}

/* The first message that is on its way. */
static const struct weft_message *first_flying(const struct weft_work *w)
{
	const struct weft_message *m = w->message;

	while (m->start == WEFT_NOT_YET || m->end != WEFT_NOT_YET)
		m++;
	return m;
}

static void fail_stuck(struct weft_sim *sim, const struct weft_sim_state *all)
{
	const struct weft_message *m = first_flying(sim->work);

	sim->fab.now = all->moved + WINDOW_STUCK;
	weft_sim_fail(sim, "%u messages are on their way, but no packet has moved for 1s, as in a deadlock; the first is that of line %u, from %s to %s",
		      (unsigned int)(all->started - all->ended), m->line,
		      sim->plan->node[m->from].name, sim->plan->node[m->to].name);
}

static bool fails_before(const struct weft_sim_part *a, const struct weft_sim_part *b)
{
	if (a->state.failed != b->state.failed)
		return a->state.failed < b->state.failed;
	return strcmp(a->err.msg, b->err.msg) < 0;
}

/* The part that failed first, or NULL. */
static struct weft_sim_part *first_failed(struct weft_sim_parts *p)
{
	struct weft_sim_part *first = NULL;

	for (u32 i = 0; i < p->n; i++)
		if (has_failed(&p->part[i].state) &&
		    (!first || fails_before(&p->part[i], first)))
			first = &p->part[i];
	return first;
}

/* As long as a window can be, wherever the fabric is cut. */
static fab_time longest_window(const struct weft_sim *sim)
{
	fab_time longest = WINDOW_UNCUT;

	for (u32 i = 0; i < sim->plan->links; i++) {
		const struct fab_port *port = weft_sim_port_of(sim, &sim->plan->link[i].end[0]);

		longest = max(longest, port->wire.p.propagation);
		longest = max(longest, port->peer->wire.p.propagation);
	}
	return longest;
}

/**
 * weft_sim_settle() - bring all cells to the same time, after the last window
 * @p: the parts, none of which has failed
 *
 * Nothing is due before that time.
 *
 * Return: when the last packet was executed; with packets left, the end of the run.
 */
fab_time weft_sim_settle(struct weft_sim_parts *p)
{
	struct weft_sim_state all = sum(p);
	fab_time end = last_time(p, &all);

	if (end == FAB_TIME_END)
		end = all.now;
	for (u32 i = 0; i < p->n; i++)
		if (!weft_sim_team(p) || &p->part[i] == p->mine)
			run_until(&p->part[i], end);
	return is_over(p, &all) ? min(end, all.quiet) : end;
}

/**
 * weft_sim_windows() - run all parts
 * @p: the parts
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_windows(struct weft_sim_parts *p, struct weft_err *err)
{
	const struct weft_sim_part *failed;
	struct weft_sim_state all;

	p->rest = longest_window(*p->cell);
	p->sample = p->o->sample ? 0 : FAB_NEVER;
	if (!p->cuts)
		p->ahead = WINDOW_UNCUT;
	if (run_parts(p, err) || merge(p, err))
		return err->code;
	all = sum(p);
	if (!has_failed(&all) && all.started != all.ended && is_stuck(&all))
		fail_stuck(*p->cell, &all);
	failed = first_failed(p);
	if (!failed)
		return 0;
	*err = failed->err;
	return err->code;
}
