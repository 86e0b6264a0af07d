// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording of a lab.
 */
#include "report/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "facts/port_view.h"
#include "netlink/json.h"
#include "report/report.h"

#define VALUES_MAX	4194304	/* numbers kept: 32 MiB */
#define ROWS_MAX	1001
#define ROWS_MIN	63

static int make_lists(struct weft_record *rec, uint64_t interval, json_t *drawing)
{
	*rec = (struct weft_record) {
		.interval = interval, .drawing = drawing, .wires = json_array(),
		.sw = json_array(), .faults = json_array(), .events = json_array(),
		.report = json_null(),
	};
	return rec->wires && rec->sw && rec->faults && rec->events ? 0 : -1;
}

static int own_lab(struct weft_record *rec, const struct weft_lab *lab, uint64_t interval)
{
	int ret = make_lists(rec, interval, weft_lab_drawing(lab));

	rec->lab = *lab;
	rec->lab.sources = NULL;
	json_incref(rec->lab.state);
	return ret;
}

static json_t *wire_json(const struct weft_record *rec,
			 const struct weft_link *link, unsigned int dir)
{
	struct weft_port_view v;

	weft_port_view(&v, &rec->facts, link, dir);
	return json_pack("{s:s, s:s, s:s, s:o, s:s}", "link", link->name,
			 "from", v.name, "to", v.peer, "rate_bps",
			 weft_json_u64(v.wire->rate), "discipline",
			 v.params->discipline);
}

static void describe(struct weft_record *rec)
{
	const struct weft_facts *f = &rec->facts;

	for (unsigned int i = 0; i < 2 * f->links; i++)
		json_array_append_new(rec->wires,
				      wire_json(rec, &f->link[i / 2], i % 2));
	for (unsigned int i = 0; i < f->switches; i++)
		json_array_append_new(rec->sw,
				      json_pack("{s:s, s:o}", "name",
						f->sw[i].name, "buffer",
						weft_json_u64(f->sw[i].buffer)));
}

static size_t rows_for(size_t columns)
{
	size_t rows = VALUES_MAX / (columns ? columns : 1);

	return rows < ROWS_MIN ? ROWS_MIN : rows > ROWS_MAX ? ROWS_MAX : rows;
}

static int make_room(struct weft_record *rec, struct weft_err *err)
{
	const struct weft_facts *f = &rec->facts;
	size_t columns = weft_record_columns(f->links, f->switches);

	rec->links = f->links;
	rec->switches = f->switches;
	rec->link = calloc(f->links + 1, sizeof(*rec->link));
	if (!rec->link)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < f->links; i++)
		rec->link[i] = f->link[i].id;
	if (weft_samples_init(&rec->samples, columns, rows_for(columns), err))
		return err->code;
	weft_record_gauges(rec);
	return 0;
}

static void tell(struct weft_record *rec, const struct weft_link *link,
		 unsigned int dir)
{
	char text[3 * WEFT_PORT_NAME];
	struct weft_port_view v;

	weft_port_view(&v, &rec->facts, link, dir);
	snprintf(text, sizeof(text), "%s: %s > %s", link->name, v.name, v.peer);
	weft_record_event(rec, rec->facts.fabric.now,
			  link->wire[dir].up ? "up" : "down", text);
}

/* Record the wires that went up or down since the previous sample. */
static void tell_changes(struct weft_record *rec, const struct weft_link *was,
			 unsigned int n)
{
	const struct weft_facts *f = &rec->facts;

	for (unsigned int i = 0; i < n && i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++)
			if (was[i].id == f->link[i].id &&
			    was[i].wire[dir].up != f->link[i].wire[dir].up)
				tell(rec, &f->link[i], dir);
}

static int take_row(struct weft_record *rec, struct weft_err *err)
{
	uint64_t *row, now = rec->facts.fabric.now;
	bool halved;

	row = weft_samples_add(&rec->samples, now, &halved, err);
	if (!row)
		return err->code;
	if (halved)
		rec->interval *= 2;
	weft_record_fill(rec, row);
	weft_record_faults(rec, weft_faults_json(&rec->facts), now);
	return 0;
}

static int start(struct weft_record *rec, struct weft_err *err)
{
	if (weft_facts_read(&rec->facts, &rec->lab, err) ||
	    weft_lab_nl(&rec->lab, &rec->nl, err))
		return err->code;
	describe(rec);
	return make_room(rec, err);
}

/**
 * weft_record_open() - start to record a lab, and take the first sample
 * @rec: result, to be closed by weft_record_close() even after an error
 * @lab: the lab, up
 * @interval: first interval between samples, ps of fabric time
 * @err: error
 *
 * Memory is bounded: about 32 MiB, or 63 samples if that is more.
 *
 * Return: 0 or negative errno.
 */
int weft_record_open(struct weft_record *rec, const struct weft_lab *lab,
		     uint64_t interval, struct weft_err *err)
{
	if (own_lab(rec, lab, interval))
		return weft_err_nomem(err);
	return start(rec, err) ? err->code : take_row(rec, err);
}

/**
 * weft_record_begin() - start to record what is no lab, and take the first sample
 * @rec: result, to be closed by weft_record_close() even after an error
 * @facts: the facts; taken, also after an error. Its texts must outlive the recording
 * @drawing: the drawing, or JSON null; a reference that is given away
 * @interval: first interval between samples, ps of fabric time
 * @err: error
 *
 * Further samples come with weft_record_take(). Memory is bounded as above.
 *
 * Return: 0 or negative errno.
 */
int weft_record_begin(struct weft_record *rec, struct weft_facts *facts, json_t *drawing,
		      uint64_t interval, struct weft_err *err)
{
	int ret = make_lists(rec, interval, drawing);

	rec->facts = *facts;
	*facts = (struct weft_facts) { 0 };
	if (ret)
		return weft_err_nomem(err);
	describe(rec);
	return make_room(rec, err) ? err->code : take_row(rec, err);
}

/**
 * weft_record_whole() - record all activity of a lab until now as one interval
 * @rec: result, to be closed by weft_record_close() even after an error
 * @lab: the lab, up
 * @err: error
 *
 * This gives at least sums for a lab that was not recorded. They start at 0 at the time
 * when the lab came up.
 *
 * Return: 0 or negative errno.
 */
int weft_record_whole(struct weft_record *rec, const struct weft_lab *lab,
		      struct weft_err *err)
{
	bool halved;

	if (own_lab(rec, lab, WEFT_RECORD_INTERVAL))
		return weft_err_nomem(err);
	if (start(rec, err) || !weft_samples_add(&rec->samples, rec->facts.since,
						 &halved, err))
		return err->code;
	return take_row(rec, err);
}

/**
 * weft_record_next() - the time of the next sample
 * @rec: the recording
 *
 * Samples are due at multiples of the interval since the lab came up.
 *
 * Return: fabric time in ps.
 */
uint64_t weft_record_next(const struct weft_record *rec)
{
	uint64_t since = rec->facts.since;
	uint64_t past = rec->facts.fabric.now - since;

	return since + (past / rec->interval + 1) * rec->interval;
}

/**
 * weft_record_sample() - take a sample now
 * @rec: the recording
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if the lab is gone, then the recording remains
 * usable.
 */
int weft_record_sample(struct weft_record *rec, struct weft_err *err)
{
	struct weft_link *was = rec->facts.link;
	unsigned int n = rec->facts.links;
	int ret;

	rec->facts.link = NULL;
	rec->facts.links = 0;
	ret = weft_facts_refresh(&rec->facts, &rec->nl, err);
	if (ret) {
		rec->facts.link = was;
		rec->facts.links = n;
		return ret;
	}
	tell_changes(rec, was, n);
	weft_link_list_free(was, n);
	return take_row(rec, err);
}

/**
 * weft_record_take() - take a sample of what is no lab
 * @rec: the recording, of weft_record_begin()
 * @facts: the facts now, with the same links; taken, also after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_record_take(struct weft_record *rec, struct weft_facts *facts,
		     struct weft_err *err)
{
	struct weft_facts was = rec->facts;

	rec->facts = *facts;
	*facts = (struct weft_facts) { 0 };
	tell_changes(rec, was.link, was.links);
	weft_facts_free(&was);
	return take_row(rec, err);
}

/**
 * weft_record_report() - set the report of what is no lab
 * @rec: the recording
 * @report: the report
 */
void weft_record_report(struct weft_record *rec, json_t *report)
{
	json_decref(rec->report);
	rec->report = json_incref(report);
}

/* If the lab is gone, the previous report is kept. */
static void take_report(struct weft_record *rec)
{
	struct weft_facts facts;
	json_t *report = NULL;
	struct weft_err err;

	if (!weft_facts_read_whole(&facts, &rec->lab, &err))
		report = weft_report_make(&facts, &err);
	weft_facts_free(&facts);
	if (!report)
		return;
	json_decref(rec->report);
	rec->report = report;
}

/**
 * weft_record_json() - make the run file, with a report as of now
 * @rec: the recording; it can continue
 * @err: error
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_record_json(struct weft_record *rec, struct weft_err *err)
{
	json_t *file;

	if (rec->nl.sk)
		take_report(rec);
	file = weft_record_file(rec);
	if (!file)
		weft_err_nomem(err);
	return file;
}

/**
 * weft_record_save() - write the run file
 * @rec: the recording; it can continue
 * @path: the file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_record_save(struct weft_record *rec, const char *path,
		     struct weft_err *err)
{
	json_t *file = weft_record_json(rec, err);
	int ret;

	if (!file)
		return err->code;
	ret = weft_file_write_json(path, 0, file, JSON_COMPACT | JSON_REAL_PRECISION(8),
				   err);
	json_decref(file);
	return ret;
}

/**
 * weft_record_close() - free a recording
 * @rec: the recording
 */
void weft_record_close(struct weft_record *rec)
{
	weft_lab_close(&rec->lab);
	if (rec->nl.sk)
		weft_nl_close(&rec->nl);
	weft_facts_free(&rec->facts);
	weft_samples_free(&rec->samples);
	free(rec->link);
	json_decref(rec->wires);
	json_decref(rec->sw);
	json_decref(rec->drawing);
	json_decref(rec->faults);
	json_decref(rec->events);
	json_decref(rec->report);
	*rec = (struct weft_record) { 0 };
}
