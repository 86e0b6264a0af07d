/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values as text, a piece at a time.
 */
#ifndef WEFT_JSON_STEPS_H
#define WEFT_JSON_STEPS_H

#include <jansson.h>

#include "base/strbuf.h"

/* Values that are deeper are written in one step. */
#define WEFT_JSON_STEPS_DEPTH	3

/**
 * struct weft_json_open - a list or an object of which a part is written
 */
struct weft_json_open {
	/** @value: it; a reference of the first one's */
	json_t *value;
	/** @next: elements or members that are written */
	size_t next;
	/** @iter: of an object, the member that is next */
	void *iter;
};

/**
 * struct weft_json_steps - a value that is being written
 */
struct weft_json_steps {
	/** @depth: lists and objects that are open */
	unsigned int depth;
	/** @open: each of them */
	struct weft_json_open open[WEFT_JSON_STEPS_DEPTH];
};

void weft_json_steps_begin(struct weft_json_steps *s, json_t *value,
			   struct weft_strbuf *out);
bool weft_json_steps_next(struct weft_json_steps *s, struct weft_strbuf *out);
void weft_json_steps_end(struct weft_json_steps *s);

#endif
