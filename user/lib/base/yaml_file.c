// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * YAML files to structs, with errors that name file, line and column.
 *
 * libcyaml turns the text into structs. Its errors name a place but not what was
 * expected. So the text is first parsed into libyaml's nodes, which have their places,
 * and weft_yaml_check() compares these with the same schema. The users of the structs
 * check the values, and report a bad one with its path ("links[2].rate").
 */
#include "base/yaml_file.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/yaml_check.h"

/* From this size on, an allocation that grows gets twice the size. */
#define ROOM_MIN	(64 << 10)

static void quiet(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	(void)level;
	(void)ctx;
	(void)fmt;
	(void)args;
}

/*
 * libcyaml extends a table entry by entry. Long tables get spare room: an allocator
 * that copies each time, as AddressSanitizer's, would take minutes for the 65,536
 * links that a topology may have.
 */
static void *lengthen(void *ctx, void *ptr, size_t size)
{
	size_t room = ptr ? malloc_usable_size(ptr) : 0;

	if (!size || size > room)
		return cyaml_mem(ctx, ptr, size < ROOM_MIN ? size : 2 * size);
	return ptr;
}

static const cyaml_config_t config = {
	.log_fn = quiet,
	.log_level = CYAML_LOG_ERROR,
	.mem_fn = lengthen,
	.flags = CYAML_CFG_NO_ALIAS,
};

static int read_all(FILE *f, const char *path, char **text, size_t *len,
		    struct weft_err *err)
{
	int ret = weft_stream_read(f, WEFT_YAML_SIZE_MAX + 1, text, len);

	if (ret == -EFBIG)
		return weft_err_set(err, WEFT_ERR_USAGE, ret, "%s: larger than 1 MiB", path);
	if (ret == -ENOMEM)
		return weft_err_nomem(err);
	return ret ? weft_err_sys(err, -ret, "%s", path) : 0;
}

/**
 * weft_file_read() - read a small file
 * @path: its name
 * @text: its content, to be freed by free(); not zero-terminated
 * @len: length of @text
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_file_read(const char *path, char **text, size_t *len,
		   struct weft_err *err)
{
	FILE *f = fopen(path, "re");
	int ret;

	if (!f) {
		ret = weft_err_sys(err, errno, "%s", path);
	} else {
		ret = read_all(f, path, text, len, err);
		fclose(f);
	}
	if (ret)
		err->kind = WEFT_ERR_USAGE;
	return ret;
}

/* Line and column of an offset: libyaml's reader reports the offset only. */
static yaml_mark_t mark_of(const struct weft_yaml *y, size_t offset)
{
	yaml_mark_t mark = { 0 };

	for (size_t i = 0; i < offset && i < y->len; i++) {
		mark.column = y->text[i] == '\n' ? 0 : mark.column + 1;
		mark.line += y->text[i] == '\n';
	}
	return mark;
}

/* libyaml counts lines and columns from 0. */
static int fail_parse(struct weft_yaml *y, yaml_parser_t *p,
		      struct weft_err *err)
{
	yaml_mark_t mark = p->problem_mark;

	if (p->error == YAML_READER_ERROR)
		mark = mark_of(y, p->problem_offset);
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s:%zu:%zu: not valid YAML: %s", y->file,
			    mark.line + 1, mark.column + 1,
			    p->problem ? p->problem : "no memory");
}

/* An alias shares the node of its target, so only the parser's events show it. */
static int refuse_alias(struct weft_yaml *y, struct weft_err *err)
{
	yaml_event_type_t type = YAML_NO_EVENT;
	yaml_parser_t p;
	yaml_event_t e;
	int ret = 0;

	if (!yaml_parser_initialize(&p))
		return weft_err_nomem(err);
	yaml_parser_set_input_string(&p, (const unsigned char *)y->text, y->len);
	while (!ret && type != YAML_STREAM_END_EVENT) {
		if (!yaml_parser_parse(&p, &e)) {
			ret = fail_parse(y, &p, err);
			break;
		}
		type = e.type;
		if (type == YAML_ALIAS_EVENT)
			ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					   "%s:%zu:%zu: aliases are not supported, write the value out",
					   y->file, e.start_mark.line + 1,
					   e.start_mark.column + 1);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&p);
	return ret;
}

/**
 * weft_yaml_open() - parse the text of a YAML file
 * @y: the file, to be closed by weft_yaml_close() even after an error
 * @file: its name, for messages; must outlive @y
 * @text: its content; must outlive @y
 * @len: length of @text
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_yaml_open(struct weft_yaml *y, const char *file, const char *text,
		   size_t len, struct weft_err *err)
{
	yaml_parser_t p;
	int ret;

	*y = (struct weft_yaml) { .file = file, .text = text, .len = len };
	ret = refuse_alias(y, err);
	if (ret)
		return ret;
	if (!yaml_parser_initialize(&p))
		return weft_err_nomem(err);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, len);
	y->open = yaml_parser_load(&p, &y->doc);
	if (!y->open)
		ret = fail_parse(y, &p, err);
	else if (!yaml_document_get_root_node(&y->doc))
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				   "%s:1:1: the file is empty", file);
	yaml_parser_delete(&p);
	return ret;
}

/**
 * weft_yaml_load() - turn a YAML file into a struct
 * @y: the file
 * @schema: the schema of the struct
 * @data: address of a pointer to the struct; result, to be freed by weft_yaml_free()
 * @err: error, with the place and what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_yaml_load(struct weft_yaml *y, const cyaml_schema_value_t *schema,
		   void *data, struct weft_err *err)
{
	cyaml_err_t ret;

	if (weft_yaml_check(y, schema, err))
		return err->code;
	ret = cyaml_load_data((const uint8_t *)y->text, y->len, &config, schema,
			      data, NULL);
	if (ret == CYAML_OK)
		return 0;
	return weft_yaml_fail(y, "", err, "%s", cyaml_strerror(ret));
}

/**
 * weft_yaml_free() - free a struct from weft_yaml_load()
 * @schema: the schema of the struct
 * @data: the struct, may be NULL
 */
void weft_yaml_free(const cyaml_schema_value_t *schema, void *data)
{
	if (data)
		cyaml_free(&config, schema, data, 0);
}

/**
 * weft_yaml_close() - free what a YAML file holds
 * @y: the file
 */
void weft_yaml_close(struct weft_yaml *y)
{
	if (y->open)
		yaml_document_delete(&y->doc);
	y->open = 0;
	free(y->made);
	y->made = NULL;
}

static yaml_node_t *find_key(struct weft_yaml *y, yaml_node_t *map,
			     const char *key, size_t len)
{
	yaml_node_pair_t *pair;
	yaml_node_t *k;

	for (pair = map->data.mapping.pairs.start;
	     pair < map->data.mapping.pairs.top; pair++) {
		k = yaml_document_get_node(&y->doc, pair->key);
		if (k && k->type == YAML_SCALAR_NODE &&
		    k->data.scalar.length == len &&
		    !memcmp(k->data.scalar.value, key, len))
			return yaml_document_get_node(&y->doc, pair->value);
	}
	return NULL;
}

static yaml_node_t *find_item(struct weft_yaml *y, yaml_node_t *seq, size_t i)
{
	yaml_node_item_t *items = seq->data.sequence.items.start;
	size_t n = (size_t)(seq->data.sequence.items.top - items);

	return i < n ? yaml_document_get_node(&y->doc, items[i]) : NULL;
}

/* Follow one step of a path, and move *@path behind it. NULL if there is no node. */
static yaml_node_t *find_step(struct weft_yaml *y, yaml_node_t *node,
			      const char **path)
{
	const char *s = *path;
	char *end;
	size_t n;

	if (*s == '[' && node->type == YAML_SEQUENCE_NODE) {
		n = strtoul(s + 1, &end, 10);
		*path = end + 1;
		return find_item(y, node, n);
	}
	s += *s == '.';
	n = strcspn(s, ".[");
	*path = s + n;
	return node->type == YAML_MAPPING_NODE ? find_key(y, node, s, n) : NULL;
}

/* The node at @path, or the deepest node on the way that exists. */
static yaml_node_t *find_path(struct weft_yaml *y, const char *path)
{
	yaml_node_t *node = yaml_document_get_root_node(&y->doc), *next;

	while (*path) {
		next = find_step(y, node, &path);
		if (!next)
			break;
		node = next;
	}
	return node;
}

/**
 * weft_yaml_has() - does a file have a node at a path?
 * @y: the file
 * @path: the path: "links[2].rate"
 *
 * Return: true if it has.
 */
bool weft_yaml_has(struct weft_yaml *y, const char *path)
{
	yaml_node_t *node = yaml_document_get_root_node(&y->doc);

	while (node && *path)
		node = find_step(y, node, &path);
	return node;
}

/**
 * weft_yaml_fail_at() - report an error at a node of a file
 * @y: the file
 * @node: the node; without a place if its line is WEFT_YAML_NO_LINE
 * @err: error
 * @fmt: what is wrong and what was expected; may print @err->msg
 * @ap: its arguments
 *
 * Return: -EINVAL.
 */
int weft_yaml_fail_at(struct weft_yaml *y, const yaml_node_t *node,
		      struct weft_err *err, const char *fmt, va_list ap)
{
	const yaml_mark_t *mark = &node->start_mark;
	char text[sizeof(err->msg)];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (mark->line == WEFT_YAML_NO_LINE)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s", text);
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s:%zu:%zu: %s",
			    y->file, mark->line + 1, mark->column + 1, text);
}

/**
 * weft_yaml_fail() - report an error at a path of a file
 * @y: the file
 * @path: the path: "links[2].rate", "" for the whole file
 * @err: error
 * @fmt: what is wrong and what was expected; may print @err->msg
 *
 * Return: -EINVAL.
 */
int weft_yaml_fail(struct weft_yaml *y, const char *path, struct weft_err *err,
		   const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = weft_yaml_fail_at(y, find_path(y, path), err, fmt, ap);
	va_end(ap);
	return ret;
}
