// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The objects of a simulation at its end, as the kernel would list those of a lab.
 *
 * DOC: theory of operation
 *
 * Each part knows the counters of its own ports. So all counters first go onto a tape,
 * on which each part writes what it knows and leaves the rest 0. Ranks of MPI merge
 * their tapes: of each number, the greatest counts. Then the objects are made from the
 * plan and the tape, the same in each rank. sim_window.c lets all parts end at one time,
 * which does not depend on where the fabric is cut.
 */
#include "sim/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "core/sim/hist.h"
#include "sim/sim_run.h"

#define PORT_WORDS	(sizeof(struct fab_port_counters) / sizeof(u64))
#define NAMED_WORDS	(PORT_WORDS - FAB_DROP_COUNT)
#define CLASS_WORDS	(sizeof(struct fab_class_counters) / sizeof(u64))
#define FABRIC_WORDS	(sizeof(struct fab_counters) / sizeof(u64))

static const char *const port_name[] = {
#define X(name, text) #name,
	FAB_PORT_COUNTERS(X)
#undef X
};

static const char *const drop_name[] = {
#define X(NAME, name, text) #name,
	FAB_DROPS(X)
#undef X
};

static const char *const class_name[] = {
#define X(name, text) #name,
	FAB_CLASS_COUNTERS(X)
#undef X
};

static const char *const fabric_name[] = {
#define X(name, text) #name,
	FAB_COUNTERS(X)
#undef X
};

static_assert(ARRAY_SIZE(port_name) == NAMED_WORDS, "a name for each counter");
static_assert(NAMED_WORDS <= WEFT_COUNTERS_MAX, "they fit");

/**
 * struct words_nic - counters of a NIC on the tape, besides those of its port
 * @used: bytes in its receive buffer
 * @peak: most bytes that were in it
 * @latency: of packets delivered here
 */
struct words_nic {
	u64 used;
	u64 peak;
	struct fab_hist latency;
};

/**
 * struct words_switch - counters of a switch on the tape, besides those of its ports
 * @used: bytes in its buffer
 * @peak: most bytes that were in it
 * @reduced: chunks that it reduced
 */
struct words_switch {
	u64 used;
	u64 peak;
	u64 reduced;
};

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
 * struct tape - counters of all objects, one behind the other
 * @sim: the simulation
 * @word: the counters; NULL while they are counted
 * @n: how many there are
 * @at: how many have been written or read
 */
struct tape {
	struct weft_sim *sim;
	u64 *word;
	size_t n;
	size_t at;
};

/* The next words of the tape; NULL while they are counted. */
static void *tape_cut(struct tape *t, size_t bytes)
{
	u64 *words = t->word ? t->word + t->at : NULL;

	t->at += bytes / sizeof(u64);
	return words;
}

static u32 triggers(const struct weft_sim *sim)
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

/* The cell of a port. */
static struct weft_sim *owner(const struct tape *t, const struct fab_port *port)
{
	const struct weft_sim_parts *p = t->sim->parts;

	return p->cell[port->sw ? p->of_switch[port->sw->id] :
				  p->of_node[t->sim->nic[port->ep->id].plan->node]];
}

/* Does this process run the cell? */
static bool is_here(const struct tape *t, const struct weft_sim *cell)
{
	return !weft_sim_team(t->sim->parts) || cell->part == t->sim->parts->mine;
}

static void write_port(struct tape *t, struct fab_port *port)
{
	u64 *words = tape_cut(t, sizeof(port->c));
	bool here = words && is_here(t, owner(t, port));
	u32 left;

	if (here) {
		fab_port_settle(&owner(t, port)->fab, port);
		memcpy(words, &port->c, sizeof(port->c));
	}
	for (left = fab_port_classes(port); left; left &= left - 1) {
		words = tape_cut(t, sizeof(port->cls->c));
		if (here)
			memcpy(words, &port->cls[__ffs(left)].c, sizeof(port->cls->c));
	}
}

static void write_nic(struct tape *t, struct weft_sim_nic *nic)
{
	struct words_nic *words = tape_cut(t, sizeof(*words));

	if (!words || !is_here(t, nic->sim))
		return;
	words->used = nic->ep.rx.buffer.used;
	words->peak = nic->ep.rx.buffer.peak;
	words->latency = *nic->ep.latency;
	/* Greater than that of other ranks, and no time. */
	if (!words->latency.count)
		words->latency.min = 0;
}

static void write_switch(struct tape *t, struct fab_switch *sw)
{
	struct words_switch *words = tape_cut(t, sizeof(*words));

	if (!words || !is_here(t, owner(t, sw->port)))
		return;
	words->used = sw->buffer.used;
	words->peak = sw->buffer.peak;
	words->reduced = sw->reduced;
}

static void write_fault(struct tape *t, struct fab_fault *f)
{
	struct words_fault *words = tape_cut(t, sizeof(*words));
	struct weft_sim *cell;

	if (!words || !fab_fault_there(f))
		return;
	cell = owner(t, f->port ? f->port : f->sw->port);
	if (!is_here(t, cell))
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

static void write_trigger(struct tape *t, u32 number, const struct weft_at *by)
{
	const struct fab_trigger *from = &t->sim->trigger[number];
	struct words_trigger *words = tape_cut(t, sizeof(*words));

	if (!words || !is_here(t, t->sim->nic[by->trigger.nic].sim))
		return;
	words->sent = from->bytes;
	if (!from->moment.known)
		return;
	words->at = from->moment.at + 1;
	words->found = from->moment.found;
}

static void write_traffic(struct tape *t, u32 i)
{
	const struct weft_sim *sim = t->sim;
	struct words_traffic *words = tape_cut(t, sizeof(*words));
	const struct fab_traffic *from = &sim->traffic[i];

	if (words && is_here(t, sim->nic[sim->o->traffic[i].traffic.nic].sim))
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
		struct weft_sim_heard *heard = tape_cut(t, sizeof(*heard));

		if (heard && is_here(t, sim->parts->cell[k]))
			*heard = sim->parts->cell[k]->heard[i];
	}
}

static void write_fabric(struct tape *t, const struct weft_sim *cell)
{
	struct fab_counters *words = tape_cut(t, sizeof(*words));

	if (words && is_here(t, cell))
		*words = cell->fab.c;
}

static void write_all(struct tape *t)
{
	struct weft_sim *sim = t->sim;

	t->at = 0;
	for (u32 i = 0; i < sim->plan->links; i++)
		for (u32 dir = 0; dir < 2; dir++)
			write_port(t, weft_sim_port_of(sim, &sim->plan->link[i].end[dir]));
	for (u32 i = 0; i < sim->plan->nics; i++)
		write_nic(t, &sim->nic[i]);
	for (u32 i = 0; i < sim->plan->switches; i++)
		write_switch(t, &sim->sw[i]);
	for (u32 i = 0; i < sim->o->faults; i++)
		for (u32 k = 0; k < 2; k++)
			write_fault(t, &sim->fault[i][k]);
	for (u32 i = 0; i < triggers(sim); i++)
		if (trigger_at(sim, i))
			write_trigger(t, i, trigger_at(sim, i));
	for (u32 i = 0; i < sim->o->traffics; i++)
		write_traffic(t, i);
	for (u32 i = 0; i < sim->parts->cells; i++)
		write_fabric(t, sim->parts->cell[i]);
}

/* Count what there is, write it, and let ranks tell each other. */
static int tape_write(struct tape *t, struct weft_err *err)
{
	const struct weft_team *team = weft_sim_team(t->sim->parts);

	write_all(t);
	t->n = t->at;
	t->word = calloc(t->n + 1, sizeof(*t->word));
	/* Nobody waits for a rank without memory. */
	if (weft_team_agree(team, t->word ? 0 : weft_err_nomem(err), err) || !t->word)
		return err->code;
	write_all(t);
	t->at = 0;
	if (team)
		team->ops->greatest((uint64_t *)t->word, t->n);
	return 0;
}

static void add_counter(struct weft_counters *c, const char *name, u64 value)
{
	c->c[c->n++] = (struct weft_counter) { .name = name, .value = value };
}

static void set_counters(struct weft_counters *c, const char *const *name,
			 const u64 *value, unsigned int n)
{
	c->n = 0;
	for (unsigned int i = 0; i < n; i++)
		add_counter(c, name[i], value[i]);
}

/* As the kernel tells them: without those that are 0. */
static int add_class(struct weft_class_states *s, u32 cls, const u64 *value,
		     struct weft_err *err)
{
	struct weft_class_state *more, *to;
	unsigned int n = 0;

	for (unsigned int i = 0; i < CLASS_WORDS; i++)
		n += value[i] != 0;
	if (!n)
		return 0;
	more = weft_array_grow(s->state, s->n, sizeof(*s->state));
	if (!more)
		return weft_err_nomem(err);
	s->state = more;
	to = &s->state[s->n++];
	to->cls = cls;
	for (unsigned int i = 0; i < CLASS_WORDS; i++)
		if (value[i])
			add_counter(&to->counters, class_name[i], value[i]);
	return 0;
}

/* What a port has on the tape. */
static int read_port(struct tape *t, const struct fab_port *port,
		     struct weft_counters *counters, struct weft_counters *drops,
		     struct weft_class_states *cls, struct weft_err *err)
{
	const u64 *words = tape_cut(t, sizeof(port->c));

	set_counters(counters, port_name, words, NAMED_WORDS);
	/* The last reason is listed only where a subnet manager was at work. */
	set_counters(drops, drop_name, words + NAMED_WORDS, FAB_DROP_COUNT - 1);
	for (u32 left = fab_port_classes(port); left; left &= left - 1)
		if (add_class(cls, (u32)__ffs(left), tape_cut(t, sizeof(port->cls->c)), err))
			return err->code;
	return 0;
}

static int copy_classes(struct weft_class_states *to, const struct weft_class_states *from,
			struct weft_err *err)
{
	for (unsigned int i = 0; i < from->n; i++) {
		struct weft_class_state *more;

		more = weft_array_grow(to->state, to->n, sizeof(*to->state));
		if (!more)
			return weft_err_nomem(err);
		to->state = more;
		to->state[to->n++] = from->state[i];
	}
	return 0;
}

/* The port of a NIC is that of its wire. */
static int read_wire(struct tape *t, struct weft_link *link, u32 dir,
		     struct weft_sim_objects *o, struct weft_err *err)
{
	const struct fab_port *port = weft_sim_port_of(t->sim, &link->end[dir]);
	struct weft_wire *w = &link->wire[dir];
	struct weft_nic *nic;

	w->direction = dir;
	w->rate = port->wire.p.rate_bps;
	w->up = port->wire.up;
	if (read_port(t, port, &w->counters, &w->drops, &w->cls, err))
		return err->code;
	if (!link->end[dir].is_nic)
		return 0;
	nic = &o->nic[link->end[dir].id];
	nic->counters = w->counters;
	nic->drops = w->drops;
	return copy_classes(&nic->cls, &w->cls, err);
}

static int read_links(struct tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < o->links; i++) {
		struct weft_link *link = &o->link[i];

		*link = t->sim->plan->link[i];
		link->id = i;
		link->wires = 2;
		link->wire[1] = link->wire[0];
		for (u32 dir = 0; dir < 2; dir++)
			if (read_wire(t, link, dir, o, err))
				return err->code;
	}
	return 0;
}

static int read_latency(const struct fab_hist *from, struct weft_hist *to,
			struct weft_err *err)
{
	to->count = from->count;
	to->min = from->min;
	to->max = from->max;
	for (u32 i = 0; i < FAB_HIST_BUCKETS; i++) {
		struct weft_bucket *more;

		if (!from->bucket[i])
			continue;
		more = weft_array_grow(to->bucket, to->n, sizeof(*to->bucket));
		if (!more)
			return weft_err_nomem(err);
		to->bucket = more;
		to->bucket[to->n].end = fab_hist_bucket_end(i);
		to->bucket[to->n++].count = from->bucket[i];
	}
	return 0;
}

static int read_nics(struct tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < o->nics; i++) {
		const struct words_nic *words = tape_cut(t, sizeof(*words));
		struct weft_nic *nic = &o->nic[i];

		nic->rx_buffer = t->sim->nic[i].ep.p->buffer.total;
		nic->rx_used = words->used;
		nic->rx_peak = words->peak;
		if (read_latency(&words->latency, &nic->latency, err))
			return err->code;
	}
	return 0;
}

static void read_switches(struct tape *t, struct weft_sim_objects *o)
{
	for (u32 i = 0; i < o->switches; i++) {
		const struct words_switch *words = tape_cut(t, sizeof(*words));
		struct weft_switch *sw = &o->sw[i];

		*sw = t->sim->plan->sw[i];
		sw->id = i;
		sw->buffer = t->sim->sw[i].p.buffer.total;
		sw->buffer_used = words->used;
		sw->buffer_peak = words->peak;
		sw->reduced = words->reduced;
	}
}

/* The times of both wires are the same; packets are the sum of both. */
static void read_fault(struct tape *t, struct weft_fault *f)
{
	u64 sum[ARRAY_SIZE(fault_name)] = { 0 }, state = 0, next = 0, start = 0;

	for (u32 k = 0; k < 2; k++) {
		const struct words_fault *w = tape_cut(t, sizeof(*w));

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
	set_counters(&f->counters, fault_name, sum, ARRAY_SIZE(fault_name));
}

static void read_faults(struct tape *t, struct weft_sim_objects *o)
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

static void read_triggers(struct tape *t, struct weft_sim_objects *o)
{
	for (u32 i = 0; i < triggers(t->sim); i++) {
		const struct weft_at *by = trigger_at(t->sim, i);
		struct weft_trigger *to = &o->trigger[o->triggers];
		const struct words_trigger *words;

		if (!by)
			continue;
		words = tape_cut(t, sizeof(*words));
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
static struct weft_sim_heard read_heard(struct tape *t)
{
	struct weft_sim_heard sum = { 0 };

	for (u32 i = 0; i < t->sim->parts->cells; i++) {
		const struct weft_sim_heard *h = tape_cut(t, sizeof(*h));

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

static void read_counters(struct tape *t, const struct words_traffic *w,
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
	set_counters(&to->counters, name, (const u64 *)&all, ARRAY_SIZE(name));
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

static int read_traffics(struct tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < t->sim->o->traffics; i++) {
		const struct words_traffic *w = tape_cut(t, sizeof(*w));
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

/* How many events there are follows from the number of cells, and is left out. */
static void read_fabric(struct tape *t, struct weft_sim_objects *o)
{
	u64 sum[FABRIC_WORDS] = { 0 };

	o->fabric = t->sim->plan->fabric;
	o->fabric.seed = t->sim->o->seed;
	o->fabric.dilation = 1;
	for (u32 i = 0; i < t->sim->parts->cells; i++) {
		const u64 *words = tape_cut(t, sizeof(struct fab_counters));

		for (u32 k = 0; k < FABRIC_WORDS; k++)
			sum[k] += words[k];
	}
	for (u32 k = 0; k < FABRIC_WORDS; k++)
		if (k != offsetof(struct fab_counters, events) / sizeof(u64))
			add_counter(&o->fabric.counters, fabric_name[k], sum[k]);
}

static int read_all(struct tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < o->nics; i++) {
		o->nic[i] = t->sim->plan->nic[i].nic;
		o->nic[i].id = i;
	}
	if (read_links(t, o, err) || read_nics(t, o, err))
		return err->code;
	read_switches(t, o);
	read_faults(t, o);
	read_triggers(t, o);
	if (read_traffics(t, o, err))
		return err->code;
	read_fabric(t, o);
	return 0;
}

static int objects_alloc(const struct weft_sim *sim, struct weft_sim_objects *o,
			 struct weft_err *err)
{
	*o = (struct weft_sim_objects) {
		.switches = sim->plan->switches,
		.sw = calloc(sim->plan->switches + 1, sizeof(*o->sw)),
		.links = sim->plan->links,
		.link = calloc(sim->plan->links + 1, sizeof(*o->link)),
		.nics = sim->plan->nics,
		.nic = calloc(sim->plan->nics + 1, sizeof(*o->nic)),
		.faults = sim->o->faults,
		.fault = calloc(sim->o->faults + 1, sizeof(*o->fault)),
		.trigger = calloc(triggers(sim) + (size_t)1, sizeof(*o->trigger)),
		.traffic = calloc(sim->o->traffics + (size_t)1, sizeof(*o->traffic)),
	};
	return o->sw && o->link && o->nic && o->fault && o->trigger && o->traffic ?
	       0 : weft_err_nomem(err);
}

/**
 * weft_sim_objects() - list the objects of a simulation
 * @sim: the first part, after the last window
 * @now: time of the end, ps
 * @o: result, to be freed with weft_sim_objects_free(), also after an error
 * @err: error
 *
 * All ranks of MPI call it.
 *
 * Return: 0 or negative errno.
 */
int weft_sim_objects(struct weft_sim *sim, fab_time now, struct weft_sim_objects *o,
		     struct weft_err *err)
{
	struct tape t = { .sim = sim };
	int ret = tape_write(&t, err);

	if (!ret)
		ret = objects_alloc(sim, o, err);
	if (!ret)
		ret = read_all(&t, o, err);
	o->fabric.now = now;
	free(t.word);
	return ret;
}

/**
 * weft_sim_objects_free() - free the objects of a simulation
 * @o: the objects
 */
void weft_sim_objects_free(struct weft_sim_objects *o)
{
	if (o->link)
		weft_link_list_free(o->link, o->links);
	if (o->nic)
		weft_nic_list_free(o->nic, o->nics);
	free(o->sw);
	free(o->fault);
	free(o->trigger);
	weft_traffic_list_free(o->traffic, o->traffics);
	*o = (struct weft_sim_objects) { 0 };
}
