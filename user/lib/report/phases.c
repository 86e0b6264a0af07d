// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The phases of a lab, in the form of a report. Documentation/phases.rst explains each
 * key.
 */
#include "report/phases.h"

#include <stdlib.h>

#include <linux/weft.h>

#include "facts/port_view.h"
#include "netlink/json.h"
#include "netlink/phase.h"

#define PS_PER_S	1000000000000ULL

/* Of phases with the same start, those by a mark come before those by traffic. */
static int compare(const void *a, const void *b)
{
	const struct weft_phase *x = *(const struct weft_phase *const *)a;
	const struct weft_phase *y = *(const struct weft_phase *const *)b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (!*x->name != !*y->name)
		return *x->name ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

static const struct weft_link *find_link(const struct weft_facts *f,
					 const struct weft_phase *ph)
{
	for (unsigned int i = 0; i < f->links; i++)
		if (ph->has & WEFT_HAS(WEFT_A_PHASE_LINK) &&
		    f->link[i].id == ph->link)
			return &f->link[i];
	return NULL;
}

/* The wire that was busy longest; null if none was busy, or if its link is gone. */
static json_t *busiest_json(const struct weft_facts *f,
			    const struct weft_phase *ph)
{
	const struct weft_link *link = find_link(f, ph);
	uint64_t time = ph->end - ph->begin;
	struct weft_port_view v;
	json_t *o;

	if (!link)
		return json_null();
	weft_port_view(&v, f, link, ph->direction);
	o = json_object();
	json_object_set_new(o, "link", json_string(link->name));
	json_object_set_new(o, "from", json_string(v.name));
	json_object_set_new(o, "to", json_string(v.peer));
	json_object_set_new(o, "tx_busy_ps", weft_json_u64(ph->busy));
	json_object_set_new(o, "utilisation",
			    json_real(time ? (double)ph->busy / (double)time :
					     0));
	return o;
}

static uint64_t busbw(const struct weft_phase *ph)
{
	uint64_t time = ph->end - ph->begin;

	if (!time)
		return 0;
	return (uint64_t)((__uint128_t)ph->nic_bytes * PS_PER_S / time);
}

static json_t *phase_json(const struct weft_facts *f,
			  const struct weft_phase *ph)
{
	json_t *o = json_object(), *counters = weft_json_counters(&ph->counters);
	char name[32];

	json_object_set_new(o, "name",
			    json_string(weft_phase_name(ph, name, sizeof(name))));
	json_object_set_new(o, "by",
			    json_string(*ph->name ? "mark" : "traffic"));
	json_object_set_new(o, "open", json_boolean(ph->open));
	json_object_set_new(o, "begin_ps", weft_json_u64(ph->begin));
	json_object_set_new(o, "time_ps", weft_json_u64(ph->end - ph->begin));
	json_object_update(o, counters);
	json_decref(counters);
	json_object_set_new(o, "nics", json_integer(ph->nics));
	json_object_set_new(o, "nic_bytes", weft_json_u64(ph->nic_bytes));
	json_object_set_new(o, "busbw_bytes_per_s", weft_json_u64(busbw(ph)));
	json_object_set_new(o, "busiest", busiest_json(f, ph));
	json_object_set_new(o, "latency", weft_json_hist(&ph->latency));
	return o;
}

/* The phases sorted by their start; NULL without memory. */
static const struct weft_phase **sort(const struct weft_facts *facts)
{
	const struct weft_phase **sorted;

	sorted = calloc(facts->phases + 1, sizeof(*sorted));
	if (!sorted)
		return NULL;
	for (unsigned int i = 0; i < facts->phases; i++)
		sorted[i] = &facts->phase[i];
	qsort(sorted, facts->phases, sizeof(*sorted), compare);
	return sorted;
}

/**
 * weft_phases_json() - the phases sorted by their start, as JSON
 * @facts: the facts
 * @from: number of phases to skip
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_phases_json(const struct weft_facts *facts, unsigned int from)
{
	const struct weft_phase **sorted = sort(facts);
	json_t *a;

	if (!sorted)
		return NULL;
	a = json_array();
	for (unsigned int i = from; i < facts->phases; i++)
		json_array_append_new(a, phase_json(facts, sorted[i]));
	free(sorted);
	return a;
}

/**
 * weft_phases_settled() - count the first phases that cannot change any more
 * @facts: the facts
 *
 * Return: number of phases that are over before the first open one; 0 without memory.
 */
unsigned int weft_phases_settled(const struct weft_facts *facts)
{
	const struct weft_phase **sorted = sort(facts);
	unsigned int n = 0;

	while (sorted && n < facts->phases && !sorted[n]->open)
		n++;
	free(sorted);
	return n;
}

/**
 * weft_phases_check() - checksum of the first phases, by which a reader finds changes
 * @facts: the facts
 * @n: number of phases to include, at most all
 *
 * A phase by traffic may be detected after a later phase by a mark has begun.
 *
 * Return: the checksum; it differs if one of them is another phase.
 */
uint32_t weft_phases_check(const struct weft_facts *facts, unsigned int n)
{
	const struct weft_phase **sorted = sort(facts);
	uint32_t check = 0;

	for (unsigned int i = 0; sorted && i < n; i++)
		check = check * 31 + sorted[i]->id + 1;
	free(sorted);
	return check;
}
