// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as a file. Documentation/run-file.rst explains each key.
 */
#include "netlink/json.h"
#include "report/record.h"

static json_t *times_json(const struct weft_samples *s)
{
	json_t *a = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(a, weft_json_u64(s->time[i]));
	return a;
}

/* What each object is, and its numbers. */
static json_t *with_series(const struct weft_record *rec, json_t *what,
			   json_t *(*series)(const struct weft_record *rec,
					     size_t i))
{
	json_t *all = json_array(), *o, *numbers;
	size_t i;

	json_array_foreach(what, i, o) {
		numbers = series(rec, i);
		o = json_copy(o);
		json_object_update(o, numbers);
		json_decref(numbers);
		json_array_append_new(all, o);
	}
	return all;
}

/**
 * weft_record_file() - the run file
 * @rec: the recording, its report taken
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_record_file(const struct weft_record *rec)
{
	const struct weft_facts *f = &rec->facts;
	json_t *o = json_pack("{s:i, s:s, s:s, s:s, s:o, s:I, s:o, s:o, s:o}",
			      "weft_run", 1, "lab", f->lab, "topology",
			      f->topology, "clock", f->clock, "seed",
			      weft_json_u64(f->fabric.seed), "dilation",
			      (json_int_t)f->fabric.dilation, "since_ps",
			      weft_json_u64(f->since), "interval_ps",
			      weft_json_u64(rec->interval), "time_ps",
			      times_json(&rec->samples));
	json_t *rest = json_pack("{s:o, s:o, s:o, s:o, s:O, s:O}", "wires",
				 with_series(rec, rec->wires,
					     weft_record_wire_series),
				 "switches",
				 with_series(rec, rec->sw,
					     weft_record_switch_series),
				 "faults", json_deep_copy(rec->faults),
				 "events", json_deep_copy(rec->events),
				 "drawing", rec->drawing, "report",
				 rec->report);

	if (!o || json_object_update(o, rest)) {
		json_decref(o);
		o = NULL;
	}
	json_decref(rest);
	return o;
}
