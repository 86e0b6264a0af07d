// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens a topology file, applies the user's settings and runs the generator.
 *
 * "key=value" sets a key at the top of the file. If there is no top-level key of this
 * name, it sets a key of the generator. "uplink.rate=200Gbps" sets a key in a group. The
 * value is YAML, as in the file. An error in it is reported without a line.
 */
#include "topology/topo_open.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml_check.h"
#include "base/yaml_make.h"
#include "topology/topo_generate.h"
#include "topology/topo_raw.h"

#define KEY_MAX	128

static const yaml_mark_t nowhere = { .line = WEFT_YAML_NO_LINE };

/* For a text that is not from a file: errors are reported without a line. */
static void forget_lines(struct weft_yaml *y)
{
	for (int i = 1; weft_yaml_node(y, i); i++)
		weft_yaml_node(y, i)->start_mark = nowhere;
}

static bool is_top_key(const char *key)
{
	const cyaml_schema_field_t *f = weft_raw_topo_schema.mapping.fields;
	size_t len = strcspn(key, ".");

	for (; f->key; f++)
		if (strlen(f->key) == len && !strncmp(f->key, key, len))
			return true;
	return false;
}

static int take_value(struct weft_yaml *y, const char *key, const char *value,
		      int *node, struct weft_err *err)
{
	struct weft_yaml v;

	if (weft_yaml_open(&v, key, value, strlen(value), err)) {
		weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			     "%s=%.60s: expected a YAML value such as 8 or 200Gbps", key,
			     value);
	} else {
		*node = weft_yaml_copy(y, &v, 1);
		if (!*node)
			weft_err_nomem(err);
	}
	weft_yaml_close(&v);
	return *node ? 0 : err->code;
}

/* The mapping at a key, added if there is none. */
static int enter(struct weft_yaml *y, int map, const char *key)
{
	int next = weft_yaml_key(y, map, key);

	if (next && weft_yaml_node(y, next)->type == YAML_MAPPING_NODE)
		return next;
	next = weft_yaml_add_map(y);
	weft_yaml_put(y, map, key, next);
	return next;
}

/* Set the value at @path, which strsep() changes. */
static int set_path(struct weft_yaml *y, char *path, int value,
		    struct weft_err *err)
{
	int map = 1;
	char *key;

	if (!is_top_key(path))
		map = weft_yaml_key(y, 1, "generate");
	if (!map)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "unknown key \"%s\": the file has no generator",
				    path);
	while ((key = strsep(&path, "."))) {
		if (!*key)
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps");
		if (path)
			map = enter(y, map, key);
		else
			weft_yaml_put(y, map, key, value);
	}
	return 0;
}

static int set(struct weft_yaml *y, const char *text, struct weft_err *err)
{
	size_t len = strcspn(text, "=");
	char path[KEY_MAX];
	int value = 0;

	if (!text[len] || !len || len >= sizeof(path))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.60s\": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps",
				    text);
	memcpy(path, text, len);
	path[len] = '\0';
	if (take_value(y, path, text + len + 1, &value, err))
		return err->code;
	return set_path(y, path, value, err);
}

static int set_all(struct weft_yaml *y, const struct weft_topo_source *from,
		   struct weft_err *err)
{
	y->mark = nowhere;
	for (unsigned int i = 0; i < from->sets; i++)
		if (set(y, from->set[i], err))
			return err->code;
	return from->sets ? weft_yaml_render(y, err) : 0;
}

/**
 * weft_topo_open() - open a topology file
 * @y: result, to be closed by weft_yaml_close() even after an error
 * @from: the file and the user's settings; must outlive @y
 * @err: error, with file, line, column and what was expected
 *
 * The result has the settings, and the generated entries written out.
 *
 * Return: 0 or negative errno.
 */
int weft_topo_open(struct weft_yaml *y, const struct weft_topo_source *from,
		   struct weft_err *err)
{
	if (weft_yaml_open(y, from->file ? from->file : "", from->text,
			   from->len, err))
		return err->code;
	if (!from->file)
		forget_lines(y);
	if (weft_yaml_node(y, 1)->type == YAML_MAPPING_NODE &&
	    set_all(y, from, err))
		return err->code;
	if (weft_yaml_check(y, &weft_raw_topo_schema, err))
		return err->code;
	return weft_topo_generate(y, err);
}
