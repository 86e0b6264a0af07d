/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as text while it continues: in pieces, and only what is new.
 */
#ifndef WEFT_RECORD_READER_H
#define WEFT_RECORD_READER_H

#include "base/json_steps.h"
#include "report/record.h"

/* Size of a place as text, with the terminator. */
#define WEFT_RECORD_PLACE	104
/* A piece ends as soon as it has this many bytes. */
#define WEFT_RECORD_PIECE	32768

/**
 * struct weft_record_reader - a reply to a reader of a recording
 */
struct weft_record_reader {
	/** @samples: the rows at the start of the reply */
	struct weft_samples samples;
	/** @from: the first row of the reply; 0: the reply has everything */
	size_t from;
	/** @place: the place from which the next reply continues */
	char place[WEFT_RECORD_PLACE];
	/** @head: the first part */
	json_t *head;
	/** @wires: descriptions of the wires */
	json_t *wires;
	/** @sw: descriptions of the switches */
	json_t *sw;
	/** @rest: the last part */
	json_t *rest;
	/** @at: number of parts written: head, wires, switches */
	size_t at;
	/** @steps: state of writing @rest */
	struct weft_json_steps steps;
	/** @over: the last piece has been made */
	bool over;
};

int weft_record_reader_open(struct weft_record_reader *r,
			    struct weft_record *rec, uint64_t id,
			    const char *after, struct weft_err *err);
int weft_record_reader_next(struct weft_record_reader *r, char **text,
			    struct weft_err *err);
void weft_record_reader_close(struct weft_record_reader *r);

#endif
