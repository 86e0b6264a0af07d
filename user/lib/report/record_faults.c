// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults and events in a recording.
 */
#include <string.h>

#include "netlink/json.h"
#include "report/record.h"

#define FAULTS_MAX	4096
#define EVENTS_MAX	4096

/* Index of @fault in the list, by its id; the length of the list if it is not there. */
static size_t find(json_t *list, json_t *fault)
{
	json_t *id = json_object_get(fault, "id"), *o;
	size_t i;

	json_array_foreach(list, i, o)
		if (json_equal(json_object_get(o, "id"), id))
			return i;
	return json_array_size(list);
}

/* Ids of faults are not used again during the life of a fabric. */
static void take(struct weft_record *rec, json_t *now)
{
	json_t *fault;
	size_t i, at;

	json_array_foreach(now, i, fault) {
		at = find(rec->faults, fault);
		if (at < json_array_size(rec->faults))
			json_array_set(rec->faults, at, fault);
		else if (at < FAULTS_MAX)
			json_array_append(rec->faults, fault);
	}
}

/**
 * weft_record_faults() - update the faults of a recording
 * @rec: the recording
 * @now: the present faults, a reference that is given away
 * @time: fabric time, ps
 *
 * Faults that are no longer present are noted as removed.
 */
void weft_record_faults(struct weft_record *rec, json_t *now, uint64_t time)
{
	json_t *fault;
	size_t i;

	take(rec, now);
	json_array_foreach(rec->faults, i, fault)
		if (find(now, fault) == json_array_size(now) &&
		    !json_object_get(fault, "removed_ps"))
			json_object_set_new(fault, "removed_ps",
					    weft_json_u64(time));
	json_decref(now);
}

/**
 * weft_record_event() - add an event to a recording
 * @rec: the recording
 * @time: fabric time, ps
 * @kind: one word
 * @text: description of the event
 *
 * Return: 0, or -1 without memory or if the recording has too many events.
 */
int weft_record_event(struct weft_record *rec, uint64_t time, const char *kind,
		      const char *text)
{
	json_t *o;

	if (json_array_size(rec->events) >= EVENTS_MAX)
		return -1;
	o = json_pack("{s:o, s:s, s:s}", "time_ps", weft_json_u64(time),
		      "kind", kind, "text", text);
	return o ? json_array_append_new(rec->events, o) : -1;
}
