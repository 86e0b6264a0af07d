/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The present activity of a lab's links: two readings, and the changes between them.
 */
#ifndef WEFT_TOP_H
#define WEFT_TOP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/facts.h"
#include "facts/port_view.h"

#define WEFT_TOP_PORT	(-1)	/* a port, not one of its classes */
#define WEFT_TOP_FAULT	64

/* The counters: X(name) */
#define WEFT_TOP_COUNTS(X)						\
	X(packets) X(bytes) X(busy) X(wait) X(pauses) X(pauses_sent)	\
	X(marked) X(replays) X(dropped)

/**
 * struct weft_top_counts - counters of a port or of a class
 * @X: a member per row of WEFT_TOP_COUNTS; busy and wait are ps
 */
struct weft_top_counts {
#define X(name) uint64_t name;
	WEFT_TOP_COUNTS(X)
#undef X
};

/**
 * struct weft_top_wire - a reading of one wire
 */
struct weft_top_wire {
	/** @link: its link */
	uint32_t link;
	/** @dir: enum weft_direction */
	uint32_t dir;
	/** @queue: bytes queued for it */
	uint64_t queue;
	/** @port: counters of the port that sends on it */
	struct weft_top_counts port;
	/** @classes: bit per class that has counters */
	uint32_t classes;
	/** @cls: counters of its classes, without busy and replays */
	struct weft_top_counts cls[WEFT_CLASSES_MAX];
};

/**
 * struct weft_top_reading - a reading of all wires
 */
struct weft_top_reading {
	/** @time: ps of fabric time */
	uint64_t time;
	/** @n: entries of @wire */
	size_t n;
	/** @wire: the wires, in the order of the links */
	struct weft_top_wire *wire;
};

/**
 * struct weft_top_row - activity of a port, or of a class of it, between two readings
 */
struct weft_top_row {
	/** @port: name of the port */
	char port[WEFT_PORT_NAME];
	/** @peer: the port at the other end */
	char peer[WEFT_PORT_NAME];
	/** @link: number of the link */
	uint32_t link;
	/** @dir: enum weft_direction */
	uint32_t dir;
	/** @cls: the class, WEFT_TOP_PORT for the port */
	int cls;
	/** @up: the wire is up */
	bool up;
	/** @rate: rate of the wire, bit/s */
	uint64_t rate;
	/** @load: share of the time the wire was busy; of a class: @tx divided by @rate */
	double load;
	/** @tx: bit/s of frames, without FCS */
	uint64_t tx;
	/** @held: share of the time that packets waited for the far end */
	double held;
	/** @queue: bytes queued now; 0 for a class */
	uint64_t queue;
	/** @delta: changes of the counters */
	struct weft_top_counts delta;
	/** @fault: kinds of the active faults of the wire, empty for none */
	char fault[WEFT_TOP_FAULT];
};

/**
 * struct weft_top_rows - activity of all ports
 */
struct weft_top_rows {
	/** @span: time between the readings, ps */
	uint64_t span;
	/** @n: entries of @row */
	size_t n;
	/** @row: the rows */
	struct weft_top_row *row;
};

/**
 * enum weft_top_key - sort key of the rows
 * @WEFT_TOP_LOAD: share of the time that the wire was busy
 * @WEFT_TOP_PAUSES: pauses received, then pauses sent
 * @WEFT_TOP_HELD: share of the time that packets waited for the far end
 * @WEFT_TOP_DROPS: frames lost
 * @WEFT_TOP_QUEUE: bytes queued
 * @WEFT_TOP_MARKS: frames marked
 * @WEFT_TOP_NAME: name of the port
 */
enum weft_top_key {
	WEFT_TOP_LOAD,
	WEFT_TOP_PAUSES,
	WEFT_TOP_HELD,
	WEFT_TOP_DROPS,
	WEFT_TOP_QUEUE,
	WEFT_TOP_MARKS,
	WEFT_TOP_NAME,
	/* private: */
	__WEFT_TOP_KEYS
};

/**
 * struct weft_top_view - choice and order of the rows
 */
struct weft_top_view {
	/** @key: sort key */
	enum weft_top_key key;
	/** @filter: part of the name of either port; empty for all */
	char filter[WEFT_PORT_NAME];
	/** @busier: show only the direction with the higher load of each link */
	bool busier;
	/** @classes: show the classes of one wire */
	bool classes;
	/** @link: with @classes: the link */
	uint32_t link;
	/** @dir: with @classes: enum weft_direction */
	uint32_t dir;
};

int weft_top_read(struct weft_top_reading *r, const struct weft_facts *facts,
		  struct weft_err *err);
void weft_top_reading_free(struct weft_top_reading *r);
int weft_top_rows(struct weft_top_rows *rows, const struct weft_facts *facts,
		  const struct weft_top_reading *before,
		  const struct weft_top_reading *now,
		  const struct weft_top_view *view, struct weft_err *err);
void weft_top_rows_free(struct weft_top_rows *rows);
int weft_top_parse_key(const char *name, enum weft_top_key *key,
		       struct weft_err *err);
const char *weft_top_key_name(enum weft_top_key key);
unsigned int weft_top_faults(const struct weft_facts *facts);
json_t *weft_top_json(const struct weft_top_rows *rows,
		      const struct weft_facts *facts);

#endif
