/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values as text, one step at a time.
 */
#ifndef WEFT_JSON_STEPS_H
#define WEFT_JSON_STEPS_H

#include <jansson.h>

#include "base/strbuf.h"

/* Values below this depth are written in one step. */
#define WEFT_JSON_STEPS_DEPTH	3

/**
 * struct weft_json_open - a list or an object that is partly written
 */
struct weft_json_open {
	/** @value: the list or object; only the outermost has a reference */
	json_t *value;
	/** @next: number of elements or members written so far */
	size_t next;
	/** @iter: of an object: the next member */
	void *iter;
};

/**
 * struct weft_json_steps - state of writing a value
 */
struct weft_json_steps {
	/** @depth: number of open lists and objects */
	unsigned int depth;
	/** @open: the open ones, outermost first */
	struct weft_json_open open[WEFT_JSON_STEPS_DEPTH];
};

void weft_json_steps_begin(struct weft_json_steps *s, json_t *value,
			   struct weft_strbuf *out);
bool weft_json_steps_next(struct weft_json_steps *s, struct weft_strbuf *out);
void weft_json_steps_end(struct weft_json_steps *s);

#endif
