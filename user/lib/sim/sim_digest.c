// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a checkpoint belongs to: a program, and the inputs of a simulation.
 */
#include "sim/sim_image.h"

#include <elf.h>
#include <errno.h>
#include <jansson.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "netlink/fault_fields.h"
#include "netlink/json.h"
#include "netlink/traffic_fields.h"

#define HASH_BEGIN	0x9e3779b97f4a7c15ULL
#define HASH_FACTOR	0xd6e8feb86659fd93ULL

extern const ElfW(Ehdr) __ehdr_start;

/**
 * weft_sim_hash() - hash of some bytes, and of those before
 * @so_far: hash of those before, 0 if there are none
 * @data: the bytes
 * @bytes: how many
 *
 * Two sequences that differ in one word have different hashes. Words may be split
 * between calls at multiples of 8 bytes.
 *
 * Return: the hash.
 */
u64 weft_sim_hash(u64 so_far, const void *data, size_t bytes)
{
	const char *at = data;
	u64 hash = so_far ? so_far : HASH_BEGIN, word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> 32;
	}
	if (bytes) {
		word = bytes;
		memcpy(&word, at, bytes);
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> 32;
	}
	return hash;
}

static int hash_file(const char *path, u64 *hash, struct weft_err *err)
{
	FILE *f = fopen(path, "re");
	char data[16384];
	size_t n;

	if (!f)
		return weft_err_sys(err, errno, "%s", path);
	while ((n = fread(data, 1, sizeof(data), f)))
		*hash = weft_sim_hash(*hash, data, n);
	if (ferror(f)) {
		fclose(f);
		return weft_err_sys(err, EIO, "%s", path);
	}
	fclose(f);
	return 0;
}

/**
 * weft_sim_program() - which program this is
 * @program: result: a hash of its file
 * @err: error
 *
 * The memory of a simulation has addresses of functions. They are the same in each
 * process of a program that is not relocated when it is loaded.
 *
 * Return: 0 or negative errno.
 */
int weft_sim_program(u64 *program, struct weft_err *err)
{
	*program = 0;
	if (__ehdr_start.e_type != ET_EXEC)
		return weft_err_set(err, WEFT_ERR_OTHER, -EOPNOTSUPP,
				    "checkpoints: this weft is position-independent; expected one that was linked with -no-pie");
	return hash_file("/proc/self/exe", program, err);
}

static int on_text(const char *text, size_t len, void *hash)
{
	u64 *h = hash;

	*h = weft_sim_hash(*h, text, len);
	return 0;
}

static void hash_json(u64 *hash, json_t *o)
{
	json_dump_callback(o, on_text, hash, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(o);
}

static void hash_words(u64 *hash, const u64 *word, size_t n)
{
	*hash = weft_sim_hash(*hash, word, n * sizeof(*word));
}

static void hash_text(u64 *hash, const char *text)
{
	*hash = weft_sim_hash(*hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void hash_nics(u64 *hash, const struct weft_plan *p)
{
	for (u32 i = 0; i < p->nics; i++) {
		const struct weft_plan_nic *nic = &p->nic[i];
		const u64 words[] = { nic->node, nic->mtu, *nic->device };

		hash_words(hash, words, ARRAY_SIZE(words));
		hash_json(hash, weft_json_nic(&nic->nic));
	}
}

static void hash_routes(u64 *hash, const struct weft_plan *p)
{
	for (u32 i = 0; i < p->routes; i++) {
		const struct weft_route *r = &p->route[i];
		const u64 words[] = { r->sw, r->flood, r->dst, r->dst_last, r->ports };

		hash_words(hash, words, ARRAY_SIZE(words));
		*hash = weft_sim_hash(*hash, r->port, r->ports * sizeof(*r->port));
	}
	for (u32 i = 0; i < p->vls; i++) {
		const u64 words[] = { p->vl[i].sw, p->vl[i].in, p->vl[i].out };

		hash_words(hash, words, ARRAY_SIZE(words));
		*hash = weft_sim_hash(*hash, p->vl[i].vl, sizeof(p->vl[i].vl));
	}
}

static void hash_plan(u64 *hash, const struct weft_plan *p)
{
	for (u32 i = 0; i < p->nodes; i++)
		hash_text(hash, p->node[i].name);
	for (u32 i = 0; i < p->switches; i++)
		hash_json(hash, weft_json_switch(&p->sw[i]));
	for (u32 i = 0; i < p->links; i++)
		hash_json(hash, weft_json_link(&p->link[i]));
	hash_nics(hash, p);
	hash_routes(hash, p);
}

static void hash_work(u64 *hash, const struct weft_work *w)
{
	for (u32 i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];
		const u64 words[] = {
			m->from, m->to, m->bytes, m->at, m->delay, m->group, m->store,
			m->channel, m->after, m->afters,
		};

		hash_words(hash, words, ARRAY_SIZE(words));
	}
	*hash = weft_sim_hash(*hash, w->after, w->afters * sizeof(*w->after));
}

static void hash_trigger(u64 *hash, const struct weft_at *by)
{
	const u64 words[] = {
		by->given, by->after, by->trigger.kind, by->trigger.nic, by->trigger.rate,
		by->trigger.size,
	};

	hash_words(hash, words, ARRAY_SIZE(words));
}

static void hash_faults(u64 *hash, const struct weft_sim_options *o)
{
	for (u32 i = 0; i < o->faults; i++) {
		const struct weft_fault *f = &o->fault[i].fault;
		const u64 words[] = {
			o->fault[i].start, f->has, f->link, f->sw, f->direction,
		};
		json_t *fields = json_object();

		hash_words(hash, words, ARRAY_SIZE(words));
		hash_trigger(hash, &o->fault[i].by);
		weft_fields_json(fields, weft_fault_fields_shown, f);
		hash_json(hash, fields);
		*hash = weft_sim_hash(*hash, f->dst.v, f->dst.n * sizeof(*f->dst.v));
	}
}

static void hash_traffic(u64 *hash, const struct weft_sim_options *o)
{
	for (u32 i = 0; i < o->traffics; i++) {
		const struct weft_traffic *t = &o->traffic[i].traffic;
		const u64 words[] = {
			t->has, t->start, t->nic, t->group, t->dsts, t->messages,
		};
		json_t *fields = json_object();

		hash_words(hash, words, ARRAY_SIZE(words));
		hash_trigger(hash, &o->traffic[i].by);
		weft_fields_json(fields, weft_traffic_fields_shown, t);
		hash_json(hash, fields);
		*hash = weft_sim_hash(*hash, t->dst, t->dsts * sizeof(*t->dst));
		*hash = weft_sim_hash(*hash, t->message, t->messages * sizeof(*t->message));
	}
}

static void hash_freezes(u64 *hash, const struct weft_sim_options *o)
{
	for (u32 i = 0; i < o->freezes; i++) {
		const struct weft_sim_freeze *f = &o->freeze[i];
		const u64 words[] = { f->node, f->begin, f->end };

		hash_words(hash, words, ARRAY_SIZE(words));
	}
}

/**
 * weft_sim_inputs() - of what this is a simulation
 * @sim: the simulation
 * @inputs: result: a hash of plan, workload and options, but for what does not change
 * the state at any time: the end, parts, reports
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_inputs(const struct weft_sim *sim, u64 *inputs, struct weft_err *err)
{
	const struct weft_sim_options *o = sim->o;
	const u64 words[] = {
		o->seed, o->sl, o->ack_timeout, o->retries, o->faults, o->traffics,
		sim->plan->nodes, sim->plan->switches, sim->plan->nics, sim->plan->links,
		sim->work->messages,
	};

	*inputs = 0;
	hash_words(inputs, words, ARRAY_SIZE(words));
	hash_text(inputs, o->transport);
	hash_text(inputs, o->congestion);
	hash_plan(inputs, sim->plan);
	hash_work(inputs, sim->work);
	hash_faults(inputs, o);
	hash_traffic(inputs, o);
	hash_freezes(inputs, o);
	return weft_json_lost() ? weft_err_nomem(err) : 0;
}
