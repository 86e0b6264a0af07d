// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The columns of a recording: the numbers sampled for each wire and switch.
 */
#include <string.h>

#include "facts/port_view.h"
#include "netlink/json.h"
#include "report/record.h"

/**
 * enum from - the source of a number of a wire
 * @PORT: counters of the port that sends
 * @CLASSES: the sum over its classes
 * @DROPS: the sum over all reasons
 * @DOWN: 1 while the wire is down
 */
enum from { PORT, CLASSES, DROPS, DOWN };

/**
 * struct series - a number sampled for each wire
 * @key: its key in the file, and the name of the counter
 * @from: its source
 * @gauge: it can decrease
 */
struct series {
	const char *key;
	enum from from;
	bool gauge;
};

static const struct series wire_series[] = {
	{ "tx_packets", PORT, false },
	{ "tx_bytes", PORT, false },
	{ "tx_wire_bytes", PORT, false },
	{ "tx_busy_ps", PORT, false },
	{ "tx_wait_ps", PORT, false },
	{ "tx_replays", PORT, false },
	{ "wait_ps", CLASSES, false },
	{ "tx_pause", CLASSES, false },
	{ "rx_pause", CLASSES, false },
	{ "marked", CLASSES, false },
	{ "trimmed", CLASSES, false },
	{ "dropped", DROPS, false },
	{ "queue", PORT, true },
	{ "down", DOWN, true },
};

#define SERIES	(sizeof(wire_series) / sizeof(*wire_series))

/* Of a switch: what it holds, and what its aggregation nodes have reduced. */
static const char *const switch_series[] = { "buffer_used", "reduced" };

#define SWITCH_SERIES	(sizeof(switch_series) / sizeof(*switch_series))

/**
 * weft_record_columns() - number of columns of a sample
 * @links: links of the lab
 * @switches: switches of the lab
 *
 * Return: the number.
 */
size_t weft_record_columns(unsigned int links, unsigned int switches)
{
	return 2 * SERIES * links + SWITCH_SERIES * switches;
}

/**
 * weft_record_gauges() - mark the columns that can decrease
 * @rec: the recording, with its samples allocated
 */
void weft_record_gauges(struct weft_record *rec)
{
	size_t wires = 2 * (size_t)rec->links * SERIES;

	for (size_t i = 0; i < wires; i++)
		rec->samples.gauge[i] = wire_series[i % SERIES].gauge;
	for (size_t i = wires; i < rec->samples.columns; i++)
		rec->samples.gauge[i] = !((i - wires) % SWITCH_SERIES);
}

static uint64_t class_sum(const struct weft_wire *w, const char *name)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < w->cls.n; i++)
		sum += weft_counters_get(&w->cls.state[i].counters, name);
	return sum;
}

static uint64_t number_of(const struct series *s, const struct weft_wire *w)
{
	switch (s->from) {
	case PORT:
		return weft_counters_get(&w->counters, s->key);
	case CLASSES:
		return class_sum(w, s->key);
	case DROPS:
		return weft_counters_sum(&w->drops);
	default:
		return !w->up;
	}
}

/* Links keep their order, but links before it may have been removed. */
static const struct weft_link *find_link(const struct weft_record *rec,
					 unsigned int i)
{
	const struct weft_facts *f = &rec->facts;

	if (i < f->links && f->link[i].id == rec->link[i])
		return &f->link[i];
	for (unsigned int k = 0; k < f->links; k++)
		if (f->link[k].id == rec->link[i])
			return &f->link[k];
	return NULL;
}

/* The counters of a link that is gone keep their last values. */
static void keep_wires(const struct weft_record *rec, unsigned int link,
		       uint64_t *row)
{
	size_t at = 2 * SERIES * link;

	if (rec->samples.n < 2)
		return;
	for (size_t i = at; i < at + 2 * SERIES; i++)
		if (!rec->samples.gauge[i])
			row[i] = (row - rec->samples.columns)[i];
}

/**
 * weft_record_fill() - fill the last row from the facts
 * @rec: the recording
 * @row: the row, all zero
 */
void weft_record_fill(struct weft_record *rec, uint64_t *row)
{
	const struct weft_facts *f = &rec->facts;
	uint64_t *to = row;

	for (unsigned int i = 0; i < rec->links; i++) {
		const struct weft_link *link = find_link(rec, i);

		if (!link)
			keep_wires(rec, i, row);
		for (size_t k = 0; k < 2 * SERIES; k++, to++)
			if (link)
				*to = number_of(&wire_series[k % SERIES],
						&link->wire[k / SERIES]);
	}
	for (unsigned int i = 0; i < rec->switches && i < f->switches; i++) {
		*to++ = f->sw[i].buffer_used;
		*to++ = f->sw[i].reduced;
	}
}

/* One column over time; NULL if it was always 0. */
static json_t *column_json(const struct weft_samples *s, size_t column,
			   size_t from)
{
	bool any = false;
	json_t *a;

	for (size_t i = from; i < s->n && !any; i++)
		any = weft_samples_get(s, i, column);
	if (!any)
		return NULL;
	a = json_array();
	for (size_t i = from; i < s->n; i++)
		json_array_append_new(a, weft_json_u64(
			weft_samples_get(s, i, column)));
	return a;
}

/**
 * weft_record_wire_series() - the series of a wire
 * @s: samples of a recording
 * @wire: twice the index of its link, plus 1 for the direction back
 * @from: the first row
 *
 * Return: a new reference.
 */
json_t *weft_record_wire_series(const struct weft_samples *s, size_t wire,
				size_t from)
{
	json_t *o = json_object(), *a;

	for (size_t i = 0; i < SERIES; i++) {
		a = column_json(s, wire * SERIES + i, from);
		if (a)
			json_object_set_new(o, wire_series[i].key, a);
	}
	return o;
}

/**
 * weft_record_switch_series() - the series of a switch
 * @s: samples of a recording
 * @n: switches that it has
 * @i: index of the switch
 * @from: the first row
 *
 * Return: a new reference.
 */
json_t *weft_record_switch_series(const struct weft_samples *s, size_t n, size_t i,
				  size_t from)
{
	size_t first = s->columns - (n - i) * SWITCH_SERIES;
	json_t *o = json_object(), *a;

	for (size_t k = 0; k < SWITCH_SERIES; k++) {
		a = column_json(s, first + k, from);
		if (a)
			json_object_set_new(o, switch_series[k], a);
	}
	return o;
}
