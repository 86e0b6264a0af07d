// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as text while it continues.
 *
 * A reader has a place: the number of rows, events and phases that it knows, the
 * recording, and its interval. Each reply has only what is new since that place. Phases
 * that are over are sent once. If rows were merged meanwhile, or if it is another
 * recording, the reply has everything.
 *
 * The last row that the reader knows is sent again, as a row of the same fabric time may
 * have replaced it.
 */
#include "report/record_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/json.h"
#include "report/phases.h"
#include "report/report.h"

/**
 * struct place - the state of a reader
 * @rows: number of rows that it knows
 * @events: number of events
 * @phases: number of phases that are over
 * @check: weft_phases_check() of these phases
 */
struct place {
	size_t rows;
	size_t events;
	unsigned int phases;
	uint32_t check;
};

#define PLACE_FORMAT	"%016" PRIx64 "-%" PRIu64 "-%zu-%zu-%u-%" PRIx32

/* Parse a place; all zero unless it is one in this recording, after the first row. */
static struct place place_of(const struct weft_record *rec, uint64_t id,
			     const char *text)
{
	struct place p = { 0 };
	uint64_t its_id, interval;

	if (text && sscanf(text, "%" SCNx64 "-%" SCNu64 "-%zu-%zu-%u-%" SCNx32,
			   &its_id, &interval, &p.rows, &p.events, &p.phases,
			   &p.check) == 6 &&
	    its_id == id && interval == rec->interval &&
	    p.rows > 1 && p.rows <= rec->samples.n &&
	    p.events <= json_array_size(rec->events)) {
		if (p.phases > rec->facts.phases ||
		    p.check != weft_phases_check(&rec->facts, p.phases))
			p.phases = 0;
		return p;
	}
	return (struct place) { 0 };
}

static json_t *events_from(const struct weft_record *rec, size_t from)
{
	json_t *a = json_array();

	for (size_t i = from; i < json_array_size(rec->events); i++)
		json_array_append(a, json_array_get(rec->events, i));
	return a;
}

static void make_head(struct weft_record_reader *r,
		      const struct weft_record *rec, const struct place *known)
{
	r->head = weft_record_head(rec);
	json_object_set_new(r->head, "next", json_string(r->place));
	json_object_set_new(r->head, "rows_from",
			    json_integer((json_int_t)r->from));
	json_object_set_new(r->head, "events_from",
			    json_integer((json_int_t)known->events));
	json_object_set_new(r->head, "phases_from",
			    json_integer(known->phases));
	json_object_set_new(r->head, "time_ps",
			    weft_record_times(&r->samples, r->from));
}

static void make_rest(struct weft_record_reader *r,
		      const struct weft_record *rec, const struct place *known)
{
	json_t *report = weft_report_brief(&rec->facts);

	json_object_set_new(report, "phases",
			    weft_phases_json(&rec->facts, known->phases));
	r->rest = json_pack("{s:o, s:o, s:o}", "faults",
			    json_copy(rec->faults), "events",
			    events_from(rec, known->events), "report",
			    report);
	if (!r->from)
		json_object_set(r->rest, "drawing", rec->drawing);
}

/**
 * weft_record_reader_open() - start a reply to a reader of a recording
 * @r: result, to be closed by weft_record_reader_close() even after an error
 * @rec: the recording; it can continue, and can be closed
 * @id: a number that no other recording has
 * @after: the reader's place, from its last reply; NULL for none
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_record_reader_open(struct weft_record_reader *r,
			    struct weft_record *rec, uint64_t id,
			    const char *after, struct weft_err *err)
{
	struct place known = place_of(rec, id, after);
	unsigned int over = weft_phases_settled(&rec->facts);

	*r = (struct weft_record_reader) {
		.from = known.rows ? known.rows - 1 : 0,
		.wires = json_incref(rec->wires), .sw = json_incref(rec->sw),
	};
	if (weft_samples_hold(&r->samples, &rec->samples, err))
		return err->code;
	snprintf(r->place, sizeof(r->place), PLACE_FORMAT, id, rec->interval,
		 rec->samples.n, json_array_size(rec->events), over,
		 weft_phases_check(&rec->facts, over));
	make_head(r, rec, &known);
	make_rest(r, rec, &known);
	return r->head && r->rest ? 0 : weft_err_nomem(err);
}

/* Write a value; the reference is given away. */
static void put(struct weft_strbuf *out, json_t *value)
{
	struct weft_json_steps steps;

	weft_json_steps_begin(&steps, value, out);
	while (weft_json_steps_next(&steps, out))
		;
	weft_json_steps_end(&steps);
	json_decref(value);
}

/* Remove the last brace: the members of the object are written in several steps. */
static void chop(struct weft_strbuf *out)
{
	if (out->len)
		out->text[--out->len] = '\0';
}

/* Add the description of a wire or switch if the reply has everything. */
static json_t *with_names(const struct weft_record_reader *r,
			  const json_t *what, json_t *series)
{
	return r->from ? series : weft_record_with_series(what, series);
}

static void put_wire(struct weft_record_reader *r, size_t i,
		     struct weft_strbuf *out)
{
	weft_strbuf_add(out, i ? "," : ",\"wires\":[");
	put(out, with_names(r, json_array_get(r->wires, i),
			    weft_record_wire_series(&r->samples, i, r->from)));
}

static void put_switch(struct weft_record_reader *r, size_t i,
		       struct weft_strbuf *out)
{
	size_t n = json_array_size(r->sw);

	put(out, with_names(r, json_array_get(r->sw, i),
			    weft_record_switch_series(&r->samples, n, i, r->from)));
	if (i + 1 < n)
		weft_strbuf_add(out, ",");
}

/* Write the next part: head, wires, switches, rest. The lists may be empty. */
static void put_next(struct weft_record_reader *r, struct weft_strbuf *out)
{
	size_t wires = json_array_size(r->wires);
	size_t switches = json_array_size(r->sw), at = r->at++;

	if (!at) {
		put(out, json_incref(r->head));
		chop(out);
	} else if (at <= wires) {
		put_wire(r, at - 1, out);
	} else if (at == wires + 1) {
		weft_strbuf_add(out, wires ? "],\"switches\":[" :
				     ",\"wires\":[],\"switches\":[");
	} else if (at <= wires + 1 + switches) {
		put_switch(r, at - wires - 2, out);
	} else if (at == wires + switches + 2) {
		weft_strbuf_add(out, "],");
		weft_json_steps_begin(&r->steps, r->rest, out);
		chop(out);
	} else {
		r->over = !weft_json_steps_next(&r->steps, out);
	}
}

/**
 * weft_record_reader_next() - make the next piece of a reply
 * @r: the reader
 * @text: result, to be freed by free(); NULL after the last one
 * @err: error
 *
 * All pieces together are a run file, with two differences: its report is short
 * (weft_report_brief() and the phases), and it has the additional keys described in
 * Documentation/weftd.rst. A piece is made quickly: it exceeds WEFT_RECORD_PIECE by one
 * wire at most.
 *
 * Return: 0 or negative errno.
 */
int weft_record_reader_next(struct weft_record_reader *r, char **text,
			    struct weft_err *err)
{
	struct weft_strbuf out = { 0 };

	*text = NULL;
	while (!r->over && !out.failed && out.len < WEFT_RECORD_PIECE)
		put_next(r, &out);
	if (!out.text && !out.failed)
		return 0;
	return weft_strbuf_take(&out, text, err);
}

/**
 * weft_record_reader_close() - end a reply, complete or not
 * @r: the reader
 */
void weft_record_reader_close(struct weft_record_reader *r)
{
	weft_json_steps_end(&r->steps);
	weft_samples_free(&r->samples);
	json_decref(r->head);
	json_decref(r->wires);
	json_decref(r->sw);
	json_decref(r->rest);
	*r = (struct weft_record_reader) { 0 };
}
