// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * YAML files that are made or changed in memory.
 *
 * Nodes are numbered from 1, as in libyaml; node 1 is the root. An added node gets
 * the place @y->mark, where errors in it are reported. If memory runs out the number
 * is 0. All functions accept 0 and pass it on, and weft_yaml_render() returns the error.
 */
#include "base/yaml_make.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX	256

/**
 * weft_yaml_node() - look up a node by its number
 * @y: the file
 * @node: its number
 *
 * Return: the node, valid until a node is added; NULL for 0.
 */
yaml_node_t *weft_yaml_node(const struct weft_yaml *y, int node)
{
	return yaml_document_get_node((yaml_document_t *)&y->doc, node);
}

/**
 * weft_yaml_text() - text of a node
 * @y: the file
 * @node: its number
 *
 * Return: the text; NULL if there is no such node, or it is not a scalar.
 */
const char *weft_yaml_text(const struct weft_yaml *y, int node)
{
	yaml_node_t *n = weft_yaml_node(y, node);

	return n && n->type == YAML_SCALAR_NODE ?
	       (const char *)n->data.scalar.value : NULL;
}

static int added(struct weft_yaml *y, int node)
{
	if (!node)
		y->nomem = true;
	else
		weft_yaml_node(y, node)->start_mark = y->mark;
	return node;
}

static int add_scalar(struct weft_yaml *y, const char *text, size_t len,
		      yaml_scalar_style_t style)
{
	return added(y, yaml_document_add_scalar(&y->doc, NULL,
						 (const yaml_char_t *)text,
						 (int)len, style));
}

/**
 * weft_yaml_add_text() - add a scalar
 * @y: the file
 * @fmt: printf() format of its text
 *
 * Return: its number.
 */
int weft_yaml_add_text(struct weft_yaml *y, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return add_scalar(y, text, strlen(text), YAML_PLAIN_SCALAR_STYLE);
}

/**
 * weft_yaml_add_map() - add a mapping, written on one line
 * @y: the file
 *
 * Return: its number.
 */
int weft_yaml_add_map(struct weft_yaml *y)
{
	return added(y, yaml_document_add_mapping(&y->doc, NULL,
						  YAML_FLOW_MAPPING_STYLE));
}

/**
 * weft_yaml_add_list() - add a list
 * @y: the file
 * @style: flow style, on one line, or block style, a line per item
 *
 * Return: its number.
 */
int weft_yaml_add_list(struct weft_yaml *y, yaml_sequence_style_t style)
{
	return added(y, yaml_document_add_sequence(&y->doc, NULL, style));
}

/**
 * weft_yaml_append() - append to a list
 * @y: the file
 * @list: the list
 * @item: number of the node to append
 */
void weft_yaml_append(struct weft_yaml *y, int list, int item)
{
	if (list && item &&
	    !yaml_document_append_sequence_item(&y->doc, list, item))
		y->nomem = true;
}

static yaml_node_pair_t *find_pair(const struct weft_yaml *y, int map,
				   const char *key)
{
	yaml_node_t *n = weft_yaml_node(y, map);
	yaml_node_pair_t *pair;
	const char *text;

	if (!n || n->type != YAML_MAPPING_NODE)
		return NULL;
	for (pair = n->data.mapping.pairs.start;
	     pair < n->data.mapping.pairs.top; pair++) {
		text = weft_yaml_text(y, pair->key);
		if (text && !strcmp(text, key))
			return pair;
	}
	return NULL;
}

/**
 * weft_yaml_key() - look up a key of a mapping
 * @y: the file
 * @map: the mapping
 * @key: the key
 *
 * Return: number of its value; 0 if there is no such key.
 */
int weft_yaml_key(const struct weft_yaml *y, int map, const char *key)
{
	yaml_node_pair_t *pair = find_pair(y, map, key);

	return pair ? pair->value : 0;
}

/**
 * weft_yaml_put() - set a key of a mapping
 * @y: the file
 * @map: the mapping
 * @key: the key
 * @value: number of its value
 */
void weft_yaml_put(struct weft_yaml *y, int map, const char *key, int value)
{
	yaml_node_pair_t *pair = find_pair(y, map, key);
	int k;

	if (!map || !value)
		return;
	if (pair) {
		pair->value = value;
		return;
	}
	k = add_scalar(y, key, strlen(key), YAML_PLAIN_SCALAR_STYLE);
	if (k && !yaml_document_append_mapping_pair(&y->doc, map, k, value))
		y->nomem = true;
}

/**
 * weft_yaml_take() - remove a key from a mapping
 * @y: the file
 * @map: the mapping
 * @key: the key
 *
 * Return: number of its value; 0 if there is no such key.
 */
int weft_yaml_take(struct weft_yaml *y, int map, const char *key)
{
	yaml_node_pair_t *pair = find_pair(y, map, key);
	yaml_node_pair_t *top;
	int value;

	if (!pair)
		return 0;
	value = pair->value;
	top = --weft_yaml_node(y, map)->data.mapping.pairs.top;
	memmove(pair, pair + 1, (size_t)(top - pair) * sizeof(*pair));
	return value;
}

static int copy_list(struct weft_yaml *y, const struct weft_yaml *from, int node)
{
	yaml_node_t *n = weft_yaml_node(from, node);
	size_t items = (size_t)(n->data.sequence.items.top -
				n->data.sequence.items.start);
	int list = weft_yaml_add_list(y, n->data.sequence.style);

	for (size_t i = 0; i < items; i++) {
		n = weft_yaml_node(from, node);
		weft_yaml_append(y, list,
				 weft_yaml_copy(y, from,
						n->data.sequence.items.start[i]));
	}
	return list;
}

static int copy_map(struct weft_yaml *y, const struct weft_yaml *from, int node)
{
	yaml_node_t *n = weft_yaml_node(from, node);
	size_t pairs = (size_t)(n->data.mapping.pairs.top -
				n->data.mapping.pairs.start);
	yaml_node_pair_t pair;
	int map, key, value;

	map = weft_yaml_add_map(y);
	for (size_t i = 0; map && i < pairs; i++) {
		n = weft_yaml_node(from, node);
		pair = n->data.mapping.pairs.start[i];
		key = weft_yaml_copy(y, from, pair.key);
		value = weft_yaml_copy(y, from, pair.value);
		if (key && value &&
		    !yaml_document_append_mapping_pair(&y->doc, map, key,
						       value))
			y->nomem = true;
	}
	return map;
}

/**
 * weft_yaml_copy() - copy a node and all nodes in it
 * @y: the file
 * @from: the file of the node, may be @y
 * @node: its number there
 *
 * A copy within one file keeps the place of the original.
 *
 * Return: number of the copy.
 */
int weft_yaml_copy(struct weft_yaml *y, const struct weft_yaml *from, int node)
{
	yaml_node_t *n = weft_yaml_node(from, node);
	yaml_mark_t mark;
	int copy;

	if (!n)
		return 0;
	mark = n->start_mark;
	if (n->type == YAML_SCALAR_NODE)
		copy = add_scalar(y, (const char *)n->data.scalar.value,
				  n->data.scalar.length, n->data.scalar.style);
	else
		copy = n->type == YAML_SEQUENCE_NODE ?
		       copy_list(y, from, node) : copy_map(y, from, node);
	if (copy && y == from)
		weft_yaml_node(y, copy)->start_mark = mark;
	return copy;
}

/**
 * struct render - state of weft_yaml_render()
 * @y: the file
 * @emitter: libyaml's writer
 * @f: a stream into memory
 */
struct render {
	struct weft_yaml *y;
	yaml_emitter_t emitter;
	FILE *f;
};

static int write_text(void *ctx, unsigned char *buffer, size_t size)
{
	struct render *r = ctx;

	return fwrite(buffer, 1, size, r->f) == size;
}

static bool emit(struct render *r, yaml_event_t *e, int made)
{
	return made && yaml_emitter_emit(&r->emitter, e);
}

static bool emit_node(struct render *r, int node);

static bool emit_scalar(struct render *r, const yaml_node_t *n)
{
	yaml_event_t e;

	return emit(r, &e, yaml_scalar_event_initialize(
				   &e, NULL, NULL, n->data.scalar.value,
				   (int)n->data.scalar.length, 1, 1,
				   n->data.scalar.style));
}

static bool emit_list(struct render *r, const yaml_node_t *n)
{
	yaml_event_t e;

	if (!emit(r, &e, yaml_sequence_start_event_initialize(
				 &e, NULL, NULL, 1, n->data.sequence.style)))
		return false;
	for (yaml_node_item_t *i = n->data.sequence.items.start;
	     i < n->data.sequence.items.top; i++)
		if (!emit_node(r, *i))
			return false;
	return emit(r, &e, yaml_sequence_end_event_initialize(&e));
}

static bool emit_map(struct render *r, const yaml_node_t *n)
{
	yaml_event_t e;

	if (!emit(r, &e, yaml_mapping_start_event_initialize(
				 &e, NULL, NULL, 1, n->data.mapping.style)))
		return false;
	for (yaml_node_pair_t *i = n->data.mapping.pairs.start;
	     i < n->data.mapping.pairs.top; i++)
		if (!emit_node(r, i->key) || !emit_node(r, i->value))
			return false;
	return emit(r, &e, yaml_mapping_end_event_initialize(&e));
}

static bool emit_node(struct render *r, int node)
{
	const yaml_node_t *n = weft_yaml_node(r->y, node);

	switch (n->type) {
	case YAML_SCALAR_NODE:
		return emit_scalar(r, n);
	case YAML_SEQUENCE_NODE:
		return emit_list(r, n);
	default:
		return emit_map(r, n);
	}
}

static bool emit_file(struct render *r)
{
	yaml_event_t e;

	return emit(r, &e, yaml_stream_start_event_initialize(
				   &e, YAML_UTF8_ENCODING)) &&
	       emit(r, &e, yaml_document_start_event_initialize(&e, NULL, NULL,
								NULL, 1)) &&
	       emit_node(r, 1) &&
	       emit(r, &e, yaml_document_end_event_initialize(&e, 1)) &&
	       emit(r, &e, yaml_stream_end_event_initialize(&e)) &&
	       yaml_emitter_flush(&r->emitter);
}

static bool write_file(struct render *r)
{
	bool done;

	if (!yaml_emitter_initialize(&r->emitter))
		return false;
	yaml_emitter_set_output(&r->emitter, write_text, r);
	yaml_emitter_set_unicode(&r->emitter, 1);
	yaml_emitter_set_width(&r->emitter, -1);
	done = emit_file(r);
	yaml_emitter_delete(&r->emitter);
	return done;
}

/**
 * weft_yaml_render() - set the text of a file from its nodes
 * @y: the file; @y->text is replaced, without comments
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_yaml_render(struct weft_yaml *y, struct weft_err *err)
{
	struct render r = { .y = y };
	char *text = NULL;
	size_t len = 0;
	bool done;

	r.f = open_memstream(&text, &len);
	if (!r.f)
		return weft_err_nomem(err);
	done = !y->nomem && write_file(&r);
	done = !fclose(r.f) && done;
	if (!done) {
		free(text);
		return weft_err_nomem(err);
	}
	free(y->made);
	y->made = text;
	y->text = text;
	y->len = len;
	return 0;
}
