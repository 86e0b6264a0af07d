// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Background traffic as text for people.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "facts/facts.h"
#include "netlink/json.h"
#include "netlink/traffic.h"
#include "netlink/traffic_fields.h"

#define TEXT	256

static bool has(const struct weft_traffic *t, unsigned int attr)
{
	return t->has & WEFT_HAS(attr);
}

static const char *nic_name(const struct weft_facts *facts, uint32_t id)
{
	const struct weft_nic *nic = weft_nic_find(facts->nic, facts->nics, id);

	return nic ? nic->name : "";
}

__attribute__((format(printf, 2, 3)))
static void add(char *buf, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + used, TEXT - used, fmt, ap);
	va_end(ap);
}

static void add_time(char *buf, const char *before, uint64_t ps)
{
	char time[32];

	add(buf, "%s%s", before, weft_format_time(time, sizeof(time), ps));
}

/* Describe what each generator of a group sends. */
static void put_effect(char *buf, const struct weft_traffic *t)
{
	char rate[32];

	*buf = '\0';
	if (t->messages)
		add(buf, "messages of a trace in frames of up to %" PRIu32 " bytes",
		    t->size);
	else if (t->rate)
		add(buf, "frames of %" PRIu32 " bytes, %s on the wire, each",
		    t->size, weft_format_rate(rate, sizeof(rate), t->rate));
	else
		add(buf, "frames of %" PRIu32 " bytes, as fast as the NIC takes them, each",
		    t->size);
	if (t->dsts > 1)
		add(buf, ", %s", t->drawn_dsts ? "to one at random" :
						 "to all in turn");
	if (t->sl)
		add(buf, ", service level %" PRIu32, t->sl);
}

static void put_when(char *buf, const struct weft_facts *facts,
		     const struct weft_traffic *t)
{
	*buf = '\0';
	if (has(t, WEFT_A_TRAFFIC_TRIGGER))
		weft_trigger_from(facts, t->trigger, t->after, t->start, buf,
				  TEXT);
	else
		add_time(buf, "from ", t->start);
	if (t->duration)
		add_time(buf, " for ", t->duration);
	if (t->bytes)
		add(buf, ", %" PRIu64 " bytes each", t->bytes);
	if (t->on) {
		add_time(buf, ", on ", t->on);
		add_time(buf, ", off ", t->off);
		add(buf, "%s", t->drawn_times ? " on average" : "");
	}
	if (!t->duration && !t->bytes && !t->messages)
		add(buf, " until it is removed");
}

/* Add a generator's counters to a sum. Without deliveries, its latencies do not count. */
static void sum_up(struct weft_counters *sum, const struct weft_counters *c)
{
	bool none = !weft_counters_get(c, "delivered_packets");
	bool first = !weft_counters_get(sum, "delivered_packets");

	if (!sum->n) {
		*sum = *c;
		return;
	}
	for (unsigned int i = 0; i < sum->n; i++) {
		uint64_t *v = &sum->c[i].value, more = c->c[i].value;

		if (!strcmp(sum->c[i].name, "latency_min_ps"))
			*v = none ? *v : first || more < *v ? more : *v;
		else if (!strcmp(sum->c[i].name, "latency_max_ps") ||
			 !strcmp(sum->c[i].name, "late_ps"))
			*v = more > *v ? more : *v;
		else
			*v += more;
	}
}

static void put_counters(json_t *o, const struct weft_counters *c)
{
	uint64_t n = weft_counters_get(c, "delivered_packets");
	uint64_t sum = weft_counters_get(c, "latency_sum_ps");

	for (unsigned int i = 0; i < c->n; i++)
		if (strcmp(c->c[i].name, "latency_sum_ps"))
			json_object_set_new(o, c->c[i].name,
					    weft_json_u64(c->c[i].value));
	json_object_set_new(o, "latency_mean_ps",
			    weft_json_u64(n ? sum / n : 0));
}

static json_t *generator_json(const struct weft_facts *facts,
			      const struct weft_traffic *t)
{
	json_t *o = json_object(), *to = json_array();

	json_object_set_new(o, "id", json_integer(t->id));
	json_object_set_new(o, "from", json_string(nic_name(facts, t->nic)));
	for (unsigned int i = 0; i < t->dsts; i++)
		json_array_append_new(to, json_string(nic_name(facts,
							       t->dst[i])));
	json_object_set_new(o, "to", to);
	weft_fields_json(o, weft_traffic_fields_shown, t);
	if (has(t, WEFT_A_TRAFFIC_TRIGGER))
		weft_trigger_json(o, facts, t->trigger, t->after);
	put_counters(o, &t->counters);
	return o;
}

/* The state of a group: active while one of its generators is active. */
static uint32_t join_state(uint32_t a, uint32_t b)
{
	if (a == b)
		return a;
	if (a == WEFT_TRAFFIC_STATE_ACTIVE || b == WEFT_TRAFFIC_STATE_ACTIVE)
		return WEFT_TRAFFIC_STATE_ACTIVE;
	return WEFT_TRAFFIC_STATE_WAITING;
}

static json_t *group_json(const struct weft_facts *facts,
			  const struct weft_traffic *list, unsigned int n,
			  unsigned int first)
{
	static const char *const states[] = { "waiting", "active", "over" };
	const struct weft_traffic *t = &list[first];
	json_t *o = json_object(), *all = json_array();
	struct weft_counters sum = { 0 };
	uint32_t state = t->state, inside = 0;
	char text[TEXT];

	json_object_set_new(o, "group", json_integer(t->group));
	json_object_set_new(o, "pattern",
			    json_string(has(t, WEFT_A_TRAFFIC_PATTERN) ?
					weft_traffic_pattern_words[t->pattern] :
					""));
	for (unsigned int i = first; i < n; i++) {
		if (list[i].group != t->group)
			continue;
		json_array_append_new(all, generator_json(facts, &list[i]));
		sum_up(&sum, &list[i].counters);
		state = join_state(state, list[i].state);
		inside += list[i].inside;
	}
	json_object_set_new(o, "state", json_string(states[state % 3]));
	json_object_set_new(o, "inside", json_integer(inside));
	put_counters(o, &sum);
	put_effect(text, t);
	json_object_set_new(o, "effect", json_string(text));
	put_when(text, facts, t);
	json_object_set_new(o, "when", json_string(text));
	json_object_set_new(o, "generators", all);
	return o;
}

/**
 * weft_traffic_json() - background traffic as JSON, by groups
 * @facts: the lab
 * @list: the generators
 * @n: number of generators
 *
 * Return: a new reference.
 */
json_t *weft_traffic_json(const struct weft_facts *facts,
			  const struct weft_traffic *list, unsigned int n)
{
	json_t *a = json_array();
	unsigned int k;

	for (unsigned int i = 0; i < n; i++) {
		for (k = 0; list[k].group != list[i].group; k++)
			;
		if (k == i)
			json_array_append_new(a, group_json(facts, list, n, i));
	}
	return a;
}
