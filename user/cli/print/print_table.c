// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of JSON objects as tables.
 *
 * The suffix of a key is the unit of its number: times (_ps) and rates (_bps) are printed
 * with a unit, and their titles lose the suffix.
 */
#include "print/print_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define COLUMNS_MAX	32
#define KEY_SIZE	32
#define CELL_SIZE	256

/**
 * struct column - a column
 * @title: its title
 * @key: key of the objects
 * @width: characters of the widest cell
 */
struct column {
	char title[KEY_SIZE];
	char key[KEY_SIZE];
	int width;
};

/* A number with its unit; false for a key without a unit. A rate of 0 is printed as "-". */
static bool quantity_text(const char *key, uint64_t n, char *buf)
{
	if (weft_ends_with(key, "_ps"))
		weft_format_time(buf, CELL_SIZE, n);
	else if (weft_ends_with(key, "_bps") && n)
		weft_format_rate(buf, CELL_SIZE, n);
	else if (weft_ends_with(key, "_bps"))
		snprintf(buf, CELL_SIZE, "-");
	else
		return false;
	return true;
}

/* A value as one word: nested values are written without blanks. */
static void cell_text(json_t *object, const char *key, char *buf)
{
	json_t *value = json_object_get(object, key);
	char *text;

	if (json_is_string(value)) {
		snprintf(buf, CELL_SIZE, "%s", json_string_value(value));
		return;
	}
	if (json_is_integer(value) &&
	    quantity_text(key, (uint64_t)json_integer_value(value), buf))
		return;
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	snprintf(buf, CELL_SIZE, "%s", text ? text : "-");
	free(text);
}

static void set_column(struct column *c, const char *word, size_t len)
{
	const char *key = memchr(word, '=', len);

	key = key ? key + 1 : word;
	snprintf(c->key, sizeof(c->key), "%.*s", (int)(word + len - key), key);
	snprintf(c->title, sizeof(c->title), "%.*s",
		 (int)(key == word ? len : (size_t)(key - word) - 1), word);
	if (weft_ends_with(c->title, "_ps"))
		c->title[strlen(c->title) - 3] = '\0';
	if (weft_ends_with(c->title, "_bps"))
		c->title[strlen(c->title) - 4] = '\0';
}

static size_t said_columns(const char *columns, struct column *c)
{
	size_t n = 0, len;

	for (; n < COLUMNS_MAX && *columns; columns += strspn(columns, " ")) {
		len = strcspn(columns, " ");
		set_column(&c[n++], columns, len);
		columns += len;
	}
	return n;
}

/* All keys of the object that has the most keys. */
static size_t all_columns(json_t *objects, struct column *c)
{
	json_t *o, *widest = NULL, *value;
	const char *key;
	size_t i, n = 0;

	json_array_foreach(objects, i, o)
		if (!widest || json_object_size(o) > json_object_size(widest))
			widest = o;
	json_object_foreach(widest, key, value)
		if (n < COLUMNS_MAX)
			set_column(&c[n++], key, strlen(key));
	return n;
}

static void measure(json_t *objects, struct column *c)
{
	char text[CELL_SIZE];
	json_t *o;
	size_t i;

	c->width = (int)strlen(c->title);
	json_array_foreach(objects, i, o) {
		cell_text(o, c->key, text);
		if ((int)strlen(text) > c->width)
			c->width = (int)strlen(text);
	}
}

/* The last column is not padded. */
static void print_cell(const struct column *c, const char *text, bool last)
{
	printf("%-*s%s", last ? 0 : c->width + 2, text, last ? "\n" : "");
}

/**
 * print_table() - print a list of objects as a table
 * @objects: the list
 * @columns: keys or TITLE=KEY, separated by blanks; NULL for all keys
 */
void print_table(json_t *objects, const char *columns)
{
	struct column c[COLUMNS_MAX];
	char text[CELL_SIZE];
	size_t n, i, k;
	json_t *o;

	n = columns ? said_columns(columns, c) : all_columns(objects, c);
	for (k = 0; k < n; k++)
		measure(objects, &c[k]);
	for (k = 0; k < n; k++)
		print_cell(&c[k], c[k].title, k + 1 == n);
	json_array_foreach(objects, i, o) {
		for (k = 0; k < n; k++) {
			cell_text(o, c[k].key, text);
			print_cell(&c[k], text, k + 1 == n);
		}
	}
}
