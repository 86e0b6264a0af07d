// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a simulation plays, at its end: faults, triggers and background traffic, as the
 * kernel would list those of a lab. They are on the tape of sim_objects.c.
 */
#include "sim/sim_tape.h"

#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "core/node/traffic.h"
#include "sim/sim_traffic.h"

/**
 * struct words_fault - counters of a fault of one wire, or of a switch
 * @packets: packets that it affected
 * @control: control frames that it affected
 * @windows: how often it began
 * @active: how long it acted, ps
 * @late: how late its trigger was found, ps
 * @state: enum fab_fault_state
 * @next: fabric time of its next begin or end, plus 1 ps; 0: there is none
 * @start: when it began by a trigger, or will begin, plus 1 ps; 0: the moment has not come
 */
struct words_fault {
	u64 packets;
	u64 control;
	u64 windows;
	u64 active;
	u64 late;
	u64 state;
	u64 next;
	u64 start;
};

/**
 * struct words_trigger - a trigger
 * @sent: bytes that count, so far
 * @at: its moment, plus 1 ps; 0: it has not come
 * @found: when that was found, ps
 */
struct words_trigger {
	u64 sent;
	u64 at;
	u64 found;
};

/**
 * struct words_traffic - counters of a generator at its NIC
 * @offered: packets that were due
 * @offered_bytes: bytes of these
 * @sent: packets that the NIC took
 * @sent_bytes: bytes of these
 * @lost: of these, packets that were lost before they began on the wire
 * @late: how late its trigger was found, ps
 * @state: enum fab_traffic_state
 * @start: when it began by a trigger, or will begin, plus 1 ps; 0: the moment has not come
 */
struct words_traffic {
	u64 offered;
	u64 offered_bytes;
	u64 sent;
	u64 sent_bytes;
	u64 lost;
	u64 late;
	u64 state;
	u64 start;
};

static const char *const fault_name[] = {
	"packets", "control", "windows", "active_ps", "late_ps",
};

/**
 * weft_sim_triggers() - how many numbers of triggers there are
 * @sim: the simulation
 *
 * Return: those of faults, and behind them those of groups of traffic.
 */
u32 weft_sim_triggers(const struct weft_sim *sim)
{
	return sim->o->faults + weft_sim_traffic_groups(sim->o);
}

/* What the trigger with this number is, or NULL if there is none. */
static const struct weft_at *trigger_at(const struct weft_sim *sim, u32 number)
{
	const struct weft_sim_options *o = sim->o;
	const struct weft_at *by = NULL;

	if (number < o->faults)
		by = &o->fault[number].by;
	for (u32 i = 0; !by && i < o->traffics; i++)
		if (weft_sim_trigger_of(sim, &o->traffic[i]) == number)
			by = &o->traffic[i].by;
	return by && by->given ? by : NULL;
}

static void write_fault(struct weft_sim_tape *t, struct fab_fault *f)
{
	struct words_fault *words = weft_sim_tape_cut(t, sizeof(*words));
	struct weft_sim *cell;

	if (!words || !fab_fault_there(f))
		return;
	cell = weft_sim_tape_owner(t, f->port ? f->port : f->sw->port);
	if (!weft_sim_tape_is_here(t, cell))
		return;
	fab_fault_settle(&cell->fab, f);
	words->packets = f->c.packets;
	words->control = f->c.control;
	words->windows = f->c.windows;
	words->active = f->c.active_ps;
	words->late = f->waiter.late;
	words->state = f->state;
	words->next = fab_fault_next(f) + 1;
	if (!fab_moment_awaited(&f->waiter))
		words->start = f->p.start + 1;
}

static void write_trigger(struct weft_sim_tape *t, u32 number, const struct weft_at *by)
{
	const struct fab_trigger *from = &t->sim->trigger[number];
	struct words_trigger *words = weft_sim_tape_cut(t, sizeof(*words));

	if (!words || !weft_sim_tape_is_here(t, t->sim->nic[by->trigger.nic].sim))
		return;
	words->sent = from->bytes;
	if (!from->moment.known)
		return;
	words->at = from->moment.at + 1;
	words->found = from->moment.found;
}

static void write_traffic(struct weft_sim_tape *t, u32 i)
{
	const struct weft_sim *sim = t->sim;
	struct words_traffic *words = weft_sim_tape_cut(t, sizeof(*words));
	const struct fab_traffic *from = &sim->traffic[i];

	if (words && weft_sim_tape_is_here(t, sim->nic[sim->o->traffic[i].traffic.nic].sim))
		*words = (struct words_traffic) {
			.offered = from->c.offered_packets,
			.offered_bytes = from->c.offered_bytes,
			.sent = from->c.sent_packets,
			.sent_bytes = from->c.sent_bytes,
			.lost = from->c.lost_packets,
			.late = from->waiter.late,
			.state = fab_traffic_state(from),
			.start = fab_moment_awaited(&from->waiter) ? 0 : from->p.start + 1,
		};
	for (u32 k = 0; k < sim->parts->cells; k++) {
		struct weft_sim_heard *heard = weft_sim_tape_cut(t, sizeof(*heard));

		if (heard && weft_sim_tape_is_here(t, sim->parts->cell[k]))
			*heard = sim->parts->cell[k]->heard[i];
	}
}

/**
 * weft_sim_write_played() - write faults, triggers and traffic on a tape
 * @t: the tape
 */
void weft_sim_write_played(struct weft_sim_tape *t)
{
	struct weft_sim *sim = t->sim;

	for (u32 i = 0; i < sim->o->faults; i++)
		for (u32 k = 0; k < 2; k++)
			write_fault(t, &sim->fault[i][k]);
	for (u32 i = 0; i < weft_sim_triggers(sim); i++)
		if (trigger_at(sim, i))
			write_trigger(t, i, trigger_at(sim, i));
	for (u32 i = 0; i < sim->o->traffics; i++)
		write_traffic(t, i);
}

/* The times of both wires are the same; packets are the sum of both. */
static void read_fault(struct weft_sim_tape *t, struct weft_fault *f)
{
	u64 sum[ARRAY_SIZE(fault_name)] = { 0 }, state = 0, next = 0, start = 0;

	for (u32 k = 0; k < 2; k++) {
		const struct words_fault *w = weft_sim_tape_cut(t, sizeof(*w));

		sum[0] += w->packets;
		sum[1] += w->control;
		sum[2] = max(sum[2], w->windows);
		sum[3] = max(sum[3], w->active);
		sum[4] = max(sum[4], w->late);
		state = max(state, w->state);
		next = max(next, w->next);
		start = max(start, w->start);
	}
	f->start = start ? start - 1 : 0;
	f->state = (u32)state;
	f->next = next ? next - 1 : 0;
	weft_sim_set_counters(&f->counters, fault_name, sum, ARRAY_SIZE(fault_name));
}

static void read_faults(struct weft_sim_tape *t, struct weft_sim_objects *o)
{
	for (u32 i = 0; i < o->faults; i++) {
		struct weft_fault *f = &o->fault[i];

		const struct weft_sim_fault *of = &t->sim->o->fault[i];

		*f = of->fault;
		f->id = i;
		read_fault(t, f);
		if (!of->by.given) {
			f->start = of->start;
			continue;
		}
		f->has |= WEFT_HAS(WEFT_A_FAULT_TRIGGER) | WEFT_HAS(WEFT_A_FAULT_AFTER);
		f->trigger = i;
		f->after = of->by.after;
	}
}

static void read_triggers(struct weft_sim_tape *t, struct weft_sim_objects *o)
{
	for (u32 i = 0; i < weft_sim_triggers(t->sim); i++) {
		const struct weft_at *by = trigger_at(t->sim, i);
		struct weft_trigger *to = &o->trigger[o->triggers];
		const struct words_trigger *words;

		if (!by)
			continue;
		words = weft_sim_tape_cut(t, sizeof(*words));
		*to = by->trigger;
		to->id = i;
		to->sent = words->sent;
		o->triggers++;
		if (!words->at)
			continue;
		to->has |= WEFT_HAS(WEFT_A_TRIGGER_AT) | WEFT_HAS(WEFT_A_TRIGGER_FOUND);
		to->at = words->at - 1;
		to->found = words->found;
	}
}

/* What became of the packets of a generator, in all cells. */
static struct weft_sim_heard read_heard(struct weft_sim_tape *t)
{
	struct weft_sim_heard sum = { 0 };

	for (u32 i = 0; i < t->sim->parts->cells; i++) {
		const struct weft_sim_heard *h = weft_sim_tape_cut(t, sizeof(*h));

		if (h->packets)
			sum.min = sum.packets ? min(sum.min, h->min) : h->min;
		sum.max = max(sum.max, h->max);
		sum.sum += h->sum;
		sum.packets += h->packets;
		sum.bytes += h->bytes;
		sum.lost += h->lost;
		sum.marked += h->marked;
	}
	return sum;
}

static void read_counters(struct weft_sim_tape *t, const struct words_traffic *w,
			  struct weft_traffic *to)
{
#define X(name, text) #name,
	static const char *const name[] = { FAB_TRAFFIC_COUNTERS(X) "late_ps" };
#undef X
	const struct weft_sim_heard h = read_heard(t);
	const struct {
		struct fab_traffic_counters c;
		u64 late;
	} all = {
		.c = {
			.offered_packets = w->offered, .offered_bytes = w->offered_bytes,
			.sent_packets = w->sent, .sent_bytes = w->sent_bytes,
			.delivered_packets = h.packets, .delivered_bytes = h.bytes,
			.lost_packets = w->lost + h.lost, .marked_packets = h.marked,
			.latency_sum_ps = h.sum, .latency_min_ps = h.min,
			.latency_max_ps = h.max,
		},
		.late = w->late,
	};

	static_assert(sizeof(all) == sizeof(name) / sizeof(*name) * sizeof(u64), "one each");
	to->state = (u32)w->state;
	to->inside = (u32)(w->sent - h.packets - w->lost - h.lost);
	weft_sim_set_counters(&to->counters, name, (const u64 *)&all, ARRAY_SIZE(name));
}

/* What the options leave open is what the generator has. */
static void read_params(const struct fab_traffic_params *from, const struct words_traffic *w,
			const struct weft_sim_traffic *of, u32 trigger,
			struct weft_traffic *to)
{
#define SET(attr, member, value) \
	(to->has |= WEFT_HAS(WEFT_A_TRAFFIC_##attr), to->member = (value))
	SET(SL, sl, from->sl);
	SET(SIZE, size, from->len);
	SET(DEPTH, depth, from->depth);
	SET(SEED, seed, from->seed);
	SET(DURATION, duration, from->duration);
	if (from->messages)
		SET(MESSAGES, messages, from->messages);
	to->has |= WEFT_HAS(WEFT_A_TRAFFIC_STATE) | WEFT_HAS(WEFT_A_TRAFFIC_INSIDE);
	if (of->by.given) {
		SET(TRIGGER, trigger, trigger);
		SET(AFTER, after, of->by.after);
	}
	to->start = 0;
	if (w->start)
		SET(START, start, w->start - 1);
#undef SET
}

static int read_traffics(struct weft_sim_tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < t->sim->o->traffics; i++) {
		const struct words_traffic *w = weft_sim_tape_cut(t, sizeof(*w));
		const struct weft_sim_traffic *of = &t->sim->o->traffic[i];
		struct weft_traffic *to = &o->traffic[o->traffics++];
		const u32 *dst = of->traffic.dst;

		*to = of->traffic;
		to->id = i;
		to->message = NULL;
		to->dst = malloc((to->dsts + (size_t)1) * sizeof(*to->dst));
		if (!to->dst)
			return weft_err_nomem(err);
		if (to->dsts)
			memcpy(to->dst, dst, to->dsts * sizeof(*to->dst));
		read_params(&t->sim->traffic[i].p, w, of, weft_sim_trigger_of(t->sim, of), to);
		read_counters(t, w, to);
	}
	return 0;
}

/**
 * weft_sim_read_played() - read faults, triggers and traffic from a tape
 * @t: the tape
 * @o: gets them
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_read_played(struct weft_sim_tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	read_faults(t, o);
	read_triggers(t, o);
	return read_traffics(t, o, err);
}
