// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON values as text, one step at a time.
 *
 * A caller with an event loop can write a large value without blocking the loop.
 */
#include "base/json_steps.h"

#include <stdlib.h>

#include "base/json_text.h"

#define FLAGS	(JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(8))

static void put_whole(struct weft_strbuf *out, const json_t *value)
{
	char *text = weft_json_text(value, FLAGS);

	if (text)
		weft_strbuf_add(out, text);
	else
		out->failed = true;
	free(text);
}

static void put_value(struct weft_json_steps *s, json_t *value,
		      struct weft_strbuf *out)
{
	bool list = json_is_array(value);

	if (s->depth == WEFT_JSON_STEPS_DEPTH ||
	    (!list && !json_is_object(value))) {
		put_whole(out, value);
		return;
	}
	weft_strbuf_add(out, list ? "[" : "{");
	s->open[s->depth++] = (struct weft_json_open) {
		.value = value,
		.iter = list ? NULL : json_object_iter(value),
	};
}

/**
 * weft_json_steps_begin() - begin to write a value
 * @s: result, to be ended by weft_json_steps_end()
 * @value: the value; must not change until then
 * @out: the first part of the text is appended to it
 */
void weft_json_steps_begin(struct weft_json_steps *s, json_t *value,
			   struct weft_strbuf *out)
{
	s->depth = 0;
	s->open[0].value = NULL;
	put_value(s, value, out);
	json_incref(s->open[0].value);
}

static void put_member(struct weft_json_steps *s, struct weft_json_open *o,
		       struct weft_strbuf *out)
{
	json_t *key = json_string(json_object_iter_key(o->iter));
	json_t *value = json_object_iter_value(o->iter);

	if (o->next++)
		weft_strbuf_add(out, ",");
	put_whole(out, key);
	json_decref(key);
	weft_strbuf_add(out, ":");
	o->iter = json_object_iter_next(o->value, o->iter);
	put_value(s, value, out);
}

/**
 * weft_json_steps_next() - write the next element, member or closing bracket
 * @s: the value
 * @out: its text is appended to it
 *
 * Return: false if the value was complete already, and nothing is written.
 */
bool weft_json_steps_next(struct weft_json_steps *s, struct weft_strbuf *out)
{
	struct weft_json_open *o = &s->open[s->depth - !!s->depth];
	bool list = json_is_array(o->value);

	if (!s->depth)
		return false;
	if (list && o->next < json_array_size(o->value)) {
		if (o->next)
			weft_strbuf_add(out, ",");
		put_value(s, json_array_get(o->value, o->next++), out);
	} else if (!list && o->iter) {
		put_member(s, o, out);
	} else {
		weft_strbuf_add(out, list ? "]" : "}");
		s->depth--;
	}
	return true;
}

/**
 * weft_json_steps_end() - end writing a value, complete or not
 * @s: the value
 */
void weft_json_steps_end(struct weft_json_steps *s)
{
	json_decref(s->open[0].value);
	s->open[0].value = NULL;
	s->depth = 0;
}
