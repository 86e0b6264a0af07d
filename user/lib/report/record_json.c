// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as a file. Documentation/run-file.rst explains each key.
 */
#include "netlink/json.h"
#include "report/record.h"

/**
 * weft_record_times() - fabric times of samples, as JSON
 * @s: the samples
 * @from: index of the first sample to include
 *
 * Return: a new reference.
 */
json_t *weft_record_times(const struct weft_samples *s, size_t from)
{
	json_t *a = json_array();

	for (size_t i = from; i < s->n; i++)
		json_array_append_new(a, weft_json_u64(s->time[i]));
	return a;
}

/**
 * weft_record_with_series() - join the description of a wire or switch with its series
 * @what: the description
 * @series: the series; the reference is given away
 *
 * Return: a new reference.
 */
json_t *weft_record_with_series(const json_t *what, json_t *series)
{
	json_t *o = json_copy((json_t *)what);

	json_object_update(o, series);
	json_decref(series);
	return o;
}

static json_t *wires_json(const struct weft_record *rec)
{
	json_t *all = json_array(), *wire;
	size_t i;

	json_array_foreach(rec->wires, i, wire)
		json_array_append_new(all, weft_record_with_series(
			wire, weft_record_wire_series(&rec->samples, i, 0)));
	return all;
}

static json_t *switches_json(const struct weft_record *rec)
{
	size_t n = json_array_size(rec->sw), i;
	json_t *all = json_array(), *sw;

	json_array_foreach(rec->sw, i, sw)
		json_array_append_new(all, weft_record_with_series(
			sw, weft_record_switch_series(&rec->samples, n, i, 0)));
	return all;
}

/**
 * weft_record_head() - the general part of a run file
 * @rec: the recording
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_record_head(const struct weft_record *rec)
{
	const struct weft_facts *f = &rec->facts;

	return json_pack("{s:i, s:s, s:s, s:s, s:o, s:I, s:o, s:o}",
			 "weft_run", WEFT_JSON_VERSION, "lab", f->lab, "topology", f->topology,
			 "clock", f->clock, "seed",
			 weft_json_seed(f->fabric.seed), "dilation",
			 (json_int_t)f->fabric.dilation, "since_ps",
			 weft_json_u64(f->since), "interval_ps",
			 weft_json_u64(rec->interval));
}

/**
 * weft_record_file() - make the run file
 * @rec: the recording, with its report
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_record_file(const struct weft_record *rec)
{
	json_t *o = weft_record_head(rec);
	json_t *rest = json_pack("{s:o, s:o, s:o, s:o, s:o, s:O, s:O}",
				 "time_ps", weft_record_times(&rec->samples, 0), "wires",
				 wires_json(rec), "switches",
				 switches_json(rec), "faults",
				 json_deep_copy(rec->faults), "events",
				 json_deep_copy(rec->events), "drawing",
				 rec->drawing, "report", rec->report);

	if (!o || json_object_update(o, rest)) {
		json_decref(o);
		o = NULL;
	}
	json_decref(rest);
	return o;
}
