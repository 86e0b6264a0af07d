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
#include "sim/sim_tape.h"

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
 * weft_sim_tape_cut() - take the next words of a tape
 * @t: the tape
 * @bytes: of how many bytes
 *
 * Return: the words; NULL while they are counted.
 */
void *weft_sim_tape_cut(struct weft_sim_tape *t, size_t bytes)
{
	u64 *words = t->word ? t->word + t->at : NULL;

	t->at += bytes / sizeof(u64);
	return words;
}

/**
 * weft_sim_tape_owner() - the cell of a port
 * @t: the tape
 * @port: the port
 *
 * Return: the cell.
 */
struct weft_sim *weft_sim_tape_owner(const struct weft_sim_tape *t, const struct fab_port *port)
{
	const struct weft_sim_parts *p = t->sim->parts;

	return p->cell[port->sw ? p->of_switch[port->sw->id] :
				  p->of_node[t->sim->nic[port->ep->id].plan->node]];
}

/**
 * weft_sim_tape_is_here() - does this process run a cell?
 * @t: the tape
 * @cell: the cell
 *
 * Return: true if it does.
 */
bool weft_sim_tape_is_here(const struct weft_sim_tape *t, const struct weft_sim *cell)
{
	return !weft_sim_team(t->sim->parts) || cell->part == t->sim->parts->mine;
}

static void write_port(struct weft_sim_tape *t, struct fab_port *port)
{
	u64 *words = weft_sim_tape_cut(t, sizeof(port->c));
	bool here = words && weft_sim_tape_is_here(t, weft_sim_tape_owner(t, port));
	u32 left;

	if (here) {
		fab_port_settle(&weft_sim_tape_owner(t, port)->fab, port);
		memcpy(words, &port->c, sizeof(port->c));
	}
	for (left = fab_port_classes(port); left; left &= left - 1) {
		words = weft_sim_tape_cut(t, sizeof(port->cls->c));
		if (here)
			memcpy(words, &port->cls[__ffs(left)].c, sizeof(port->cls->c));
	}
}

static void write_nic(struct weft_sim_tape *t, struct weft_sim_nic *nic)
{
	struct words_nic *words = weft_sim_tape_cut(t, sizeof(*words));

	if (!words || !weft_sim_tape_is_here(t, nic->sim))
		return;
	words->used = nic->ep.rx.buffer.used;
	words->peak = nic->ep.rx.buffer.peak;
	words->latency = *nic->ep.latency;
	/* Greater than that of other ranks, and no time. */
	if (!words->latency.count)
		words->latency.min = 0;
}

static void write_switch(struct weft_sim_tape *t, struct fab_switch *sw)
{
	struct words_switch *words = weft_sim_tape_cut(t, sizeof(*words));

	if (!words || !weft_sim_tape_is_here(t, weft_sim_tape_owner(t, sw->port)))
		return;
	words->used = sw->buffer.used;
	words->peak = sw->buffer.peak;
	words->reduced = sw->reduced;
}

static void write_fabric(struct weft_sim_tape *t, const struct weft_sim *cell)
{
	struct fab_counters *words = weft_sim_tape_cut(t, sizeof(*words));

	if (words && weft_sim_tape_is_here(t, cell))
		*words = cell->fab.c;
}

static void write_all(struct weft_sim_tape *t)
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
	weft_sim_write_played(t);
	for (u32 i = 0; i < sim->parts->cells; i++)
		write_fabric(t, sim->parts->cell[i]);
}

/* Count what there is, write it, and let ranks tell each other. */
static int tape_write(struct weft_sim_tape *t, struct weft_err *err)
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

/**
 * weft_sim_set_counters() - set counters
 * @c: the counters
 * @name: their names
 * @value: their values
 * @n: how many there are
 */
void weft_sim_set_counters(struct weft_counters *c, const char *const *name,
			   const u64 *value, size_t n)
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
static int read_port(struct weft_sim_tape *t, const struct fab_port *port,
		     struct weft_counters *counters, struct weft_counters *drops,
		     struct weft_class_states *cls, struct weft_err *err)
{
	const u64 *words = weft_sim_tape_cut(t, sizeof(port->c));

	weft_sim_set_counters(counters, port_name, words, NAMED_WORDS);
	/* The last reason is listed only where a subnet manager was at work. */
	weft_sim_set_counters(drops, drop_name, words + NAMED_WORDS, FAB_DROP_COUNT - 1);
	for (u32 left = fab_port_classes(port); left; left &= left - 1)
		if (add_class(cls, (u32)__ffs(left),
			      weft_sim_tape_cut(t, sizeof(port->cls->c)), err))
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
static int read_wire(struct weft_sim_tape *t, struct weft_link *link, u32 dir,
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

static int read_links(struct weft_sim_tape *t, struct weft_sim_objects *o, struct weft_err *err)
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

static int read_nics(struct weft_sim_tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < o->nics; i++) {
		const struct words_nic *words = weft_sim_tape_cut(t, sizeof(*words));
		struct weft_nic *nic = &o->nic[i];

		nic->rx_buffer = t->sim->nic[i].ep.p->buffer.total;
		nic->rx_used = words->used;
		nic->rx_peak = words->peak;
		if (read_latency(&words->latency, &nic->latency, err))
			return err->code;
	}
	return 0;
}

static void read_switches(struct weft_sim_tape *t, struct weft_sim_objects *o)
{
	for (u32 i = 0; i < o->switches; i++) {
		const struct words_switch *words = weft_sim_tape_cut(t, sizeof(*words));
		struct weft_switch *sw = &o->sw[i];

		*sw = t->sim->plan->sw[i];
		sw->id = i;
		sw->buffer = t->sim->sw[i].p.buffer.total;
		sw->buffer_used = words->used;
		sw->buffer_peak = words->peak;
		sw->reduced = words->reduced;
	}
}

/* How many events there are follows from the number of cells, and is left out. */
static void read_fabric(struct weft_sim_tape *t, struct weft_sim_objects *o)
{
	u64 sum[FABRIC_WORDS] = { 0 };

	o->fabric = t->sim->plan->fabric;
	o->fabric.seed = t->sim->o->seed;
	o->fabric.dilation = 1;
	for (u32 i = 0; i < t->sim->parts->cells; i++) {
		const u64 *words = weft_sim_tape_cut(t, sizeof(struct fab_counters));

		for (u32 k = 0; k < FABRIC_WORDS; k++)
			sum[k] += words[k];
	}
	for (u32 k = 0; k < FABRIC_WORDS; k++)
		if (k != offsetof(struct fab_counters, events) / sizeof(u64))
			add_counter(&o->fabric.counters, fabric_name[k], sum[k]);
}

static int read_all(struct weft_sim_tape *t, struct weft_sim_objects *o, struct weft_err *err)
{
	for (u32 i = 0; i < o->nics; i++) {
		o->nic[i] = t->sim->plan->nic[i].nic;
		o->nic[i].id = i;
	}
	if (read_links(t, o, err) || read_nics(t, o, err))
		return err->code;
	read_switches(t, o);
	if (weft_sim_read_played(t, o, err))
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
		.trigger = calloc(weft_sim_triggers(sim) + (size_t)1, sizeof(*o->trigger)),
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
	struct weft_sim_tape t = { .sim = sim };
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
