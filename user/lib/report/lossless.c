// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The effect of back-pressure in a lab, and losses in lossless classes.
 *
 * Ports are summed up by their discipline, as a fabric may have several. A loss in a
 * class whose queues lose nothing is listed with its port, whatever its reason: a bit
 * error or a link that went down is a loss as well.
 */
#include "report/lossless.h"

#include <string.h>

#include "facts/port_view.h"
#include "netlink/json.h"

/* Largest number of disciplines in a lab. */
#define DISCIPLINES_MAX	8

/**
 * struct sum - the sum of all ports of a discipline
 * @name: the discipline
 * @ports: number of ports
 * @worst: name of the port whose classes were held back longest
 * @worst_ps: time for which they were, summed over its classes, ps
 * @lost: packets lost in lossless classes
 * @value: sums of @port_keys, then of @class_keys
 */
struct sum {
	const char *name;
	unsigned int ports;
	char worst[WEFT_PORT_NAME];
	uint64_t worst_ps;
	uint64_t lost;
	uint64_t value[16];
};

static const char *const port_keys[] = {
	"tx_wait_ps", "tx_control", "rx_control", "lost_control", "tx_replays",
	"rx_replays", "naks",
};

static const char *const class_keys[] = {
	"wait_ps", "tx_pause", "rx_pause", "marked", "trimmed", "watchdogs",
};

#define PORT_KEYS	(sizeof(port_keys) / sizeof(*port_keys))
#define CLASS_KEYS	(sizeof(class_keys) / sizeof(*class_keys))

static struct sum *find_sum(struct sum *sums, const char *name)
{
	for (unsigned int i = 0; i < DISCIPLINES_MAX; i++) {
		if (!sums[i].name)
			sums[i].name = name;
		if (!strcmp(sums[i].name, name))
			return &sums[i];
	}
	return NULL;
}

static json_t *reasons_json(const struct weft_counters *drops)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < drops->n; i++)
		if (drops->c[i].value)
			json_object_set_new(o, drops->c[i].name,
					    weft_json_u64(drops->c[i].value));
	return o;
}

/* The reasons are those of the whole port: drops are not counted by class and reason. */
static uint64_t add_losses(json_t *losses, const struct weft_port_view *v)
{
	const struct weft_class_states *s = &v->wire->cls;
	uint64_t lost, all = 0;

	for (unsigned int i = 0; i < s->n; i++) {
		lost = weft_counters_get(&s->state[i].counters, "dropped");
		if (!lost || !(v->lossless & 1U << s->state[i].cls))
			continue;
		all += lost;
		json_array_append_new(losses, json_pack(
			"{s:s, s:I, s:I, s:I, s:o}", "port", v->name,
			"class", (json_int_t)s->state[i].cls,
			"packets", (json_int_t)lost,
			"first_drop_ps", (json_int_t)weft_counters_get(
				&s->state[i].counters, "first_drop_ps"),
			"reasons", reasons_json(&v->wire->drops)));
	}
	return all;
}

static void add_port(struct sum *sum, json_t *losses,
		     const struct weft_port_view *v)
{
	uint64_t wait = weft_port_sum(v, "wait_ps");

	sum->ports++;
	sum->lost += add_losses(losses, v);
	if (wait > sum->worst_ps) {
		sum->worst_ps = wait;
		memcpy(sum->worst, v->name, sizeof(sum->worst));
	}
	for (size_t i = 0; i < PORT_KEYS; i++)
		sum->value[i] += weft_counters_get(&v->wire->counters,
						   port_keys[i]);
	for (size_t i = 0; i < CLASS_KEYS; i++)
		sum->value[PORT_KEYS + i] += weft_port_sum(v, class_keys[i]);
}

static json_t *sum_json(const struct sum *sum)
{
	json_t *o = json_object();

	json_object_set_new(o, "discipline", json_string(sum->name));
	json_object_set_new(o, "ports", json_integer(sum->ports));
	for (size_t i = 0; i < PORT_KEYS + CLASS_KEYS; i++)
		json_object_set_new(o, i < PORT_KEYS ? port_keys[i] :
				    class_keys[i - PORT_KEYS],
				    weft_json_u64(sum->value[i]));
	json_object_set_new(o, "worst_wait_port", json_string(sum->worst));
	json_object_set_new(o, "worst_wait_ps", weft_json_u64(sum->worst_ps));
	json_object_set_new(o, "lossless_dropped", weft_json_u64(sum->lost));
	return o;
}

static json_t *sums_json(const struct sum *sums)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < DISCIPLINES_MAX && sums[i].name; i++)
		json_array_append_new(a, sum_json(&sums[i]));
	return a;
}

/**
 * weft_lossless_report() - make the report on back-pressure and lossless classes
 * @facts: the lab
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_lossless_report(const struct weft_facts *facts)
{
	struct sum sums[DISCIPLINES_MAX] = { 0 }, *sum;
	json_t *losses = json_array(), *notes = json_array();
	struct weft_port_view v;
	uint32_t classes = 0;

	for (unsigned int i = 0; i < facts->links; i++) {
		for (unsigned int dir = 0; dir < 2; dir++) {
			weft_port_view(&v, facts, &facts->link[i], dir);
			sum = find_sum(sums, v.params->discipline);
			if (sum)
				add_port(sum, losses, &v);
			classes |= v.lossless;
		}
	}
	if (facts->notes)
		json_array_extend(notes, facts->notes);
	return json_pack("{s:b, s:b, s:o, s:o, s:o}", "lossless",
			 facts->lossless, "accepted_loss",
			 classes && !facts->lossless, "notes", notes,
			 "disciplines", sums_json(sums), "losses", losses);
}
