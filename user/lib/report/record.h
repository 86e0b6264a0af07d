/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of a lab: the activity of its links over fabric time, with faults and the
 * report. Documentation/run-file.rst explains the file.
 *
 * There is no loop here: the caller waits until weft_record_next() and then calls
 * weft_record_sample().
 */
#ifndef WEFT_RECORD_H
#define WEFT_RECORD_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/samples.h"
#include "facts/facts.h"
#include "lab/lab.h"
#include "netlink/nl.h"

/* First interval, ps; it doubles each time the recording is full. */
#define WEFT_RECORD_INTERVAL	100000000ULL	/* 100 us */

/**
 * struct weft_record - state of a recording
 */
struct weft_record {
	/** @lab: the lab, with an own reference to its state */
	struct weft_lab lab;
	/** @nl: socket to its fabric */
	struct weft_nl nl;
	/** @facts: as of the last sample; NICs as of the first */
	struct weft_facts facts;
	/** @interval: time between two samples, ps */
	uint64_t interval;
	/** @links: number of sampled links */
	unsigned int links;
	/** @link: ids of the links in the kernel */
	uint32_t *link;
	/** @switches: number of sampled switches */
	unsigned int switches;
	/** @samples: the samples */
	struct weft_samples samples;
	/** @wires: description of each wire, in the order of the samples */
	json_t *wires;
	/** @sw: description of each switch */
	json_t *sw;
	/** @drawing: coordinates of the drawing, JSON null if they are not known */
	json_t *drawing;
	/** @faults: all faults seen, each in its last state */
	json_t *faults;
	/** @events: events during the recording */
	json_t *events;
	/** @report: the last report */
	json_t *report;
};

int weft_record_open(struct weft_record *rec, const struct weft_lab *lab,
		     uint64_t interval, struct weft_err *err);
int weft_record_whole(struct weft_record *rec, const struct weft_lab *lab,
		      struct weft_err *err);
int weft_record_begin(struct weft_record *rec, struct weft_facts *facts, json_t *drawing,
		      uint64_t interval, struct weft_err *err);
int weft_record_take(struct weft_record *rec, struct weft_facts *facts,
		     struct weft_err *err);
void weft_record_report(struct weft_record *rec, json_t *report);
uint64_t weft_record_next(const struct weft_record *rec);
int weft_record_sample(struct weft_record *rec, struct weft_err *err);
int weft_record_event(struct weft_record *rec, uint64_t time, const char *kind,
		      const char *text);
json_t *weft_record_json(struct weft_record *rec, struct weft_err *err);
int weft_record_save(struct weft_record *rec, const char *path,
		     struct weft_err *err);
void weft_record_close(struct weft_record *rec);

/* record_json.c: the run file */
json_t *weft_record_head(const struct weft_record *rec);
json_t *weft_record_times(const struct weft_samples *s, size_t from);
json_t *weft_record_with_series(const json_t *what, json_t *series);
json_t *weft_record_file(const struct weft_record *rec);

/* record_faults.c: faults and events */
void weft_record_faults(struct weft_record *rec, json_t *now, uint64_t time);

/* record_wires.c: the columns of a sample */
size_t weft_record_columns(unsigned int links, unsigned int switches);
void weft_record_gauges(struct weft_record *rec);
void weft_record_fill(struct weft_record *rec, uint64_t *row);
json_t *weft_record_wire_series(const struct weft_samples *s, size_t wire,
				size_t from);
json_t *weft_record_switch_series(const struct weft_samples *s, size_t n, size_t i,
				  size_t from);

#endif
