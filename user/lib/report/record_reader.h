/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as text while it goes on: a piece at a time, and only what is new.
 */
#ifndef WEFT_RECORD_READER_H
#define WEFT_RECORD_READER_H

#include "base/json_steps.h"
#include "report/record.h"

/* Of a place as text, with the terminator. */
#define WEFT_RECORD_PLACE	104
/* A piece ends as soon as it has so many bytes. */
#define WEFT_RECORD_PIECE	32768

/**
 * struct weft_record_reader - a recording that is being told
 */
struct weft_record_reader {
	/** @samples: the rows that there were when it began */
	struct weft_samples samples;
	/** @from: the first row that is told; 0: everything is */
	size_t from;
	/** @place: where the next reader may go on */
	char place[WEFT_RECORD_PLACE];
	/** @head: what comes first */
	json_t *head;
	/** @wires: what the wires are */
	json_t *wires;
	/** @sw: what the switches are */
	json_t *sw;
	/** @rest: what comes last */
	json_t *rest;
	/** @at: parts that have been told: head, wires, switches */
	size_t at;
	/** @steps: of @rest */
	struct weft_json_steps steps;
	/** @over: the last piece has been told */
	bool over;
};

int weft_record_reader_open(struct weft_record_reader *r,
			    struct weft_record *rec, uint64_t id,
			    const char *after, struct weft_err *err);
int weft_record_reader_next(struct weft_record_reader *r, char **text,
			    struct weft_err *err);
void weft_record_reader_close(struct weft_record_reader *r);

#endif
