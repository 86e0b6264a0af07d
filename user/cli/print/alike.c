// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of a table that differ in their names only: the first ones, and how many more.
 */
#include "print/alike.h"

#include <stdlib.h>

/* What rows that are alike have in common, as one text, to be freed; NULL without memory. */
static char *common(json_t *row, const char *const *keys)
{
	json_t *values = json_array(), *value;
	char *text;

	for (; *keys; keys++) {
		value = json_object_get(row, *keys);
		json_array_append_new(values, value ? json_incref(value) :
						      json_null());
	}
	text = json_dumps(values, JSON_COMPACT);
	json_decref(values);
	return text;
}

/* The group of a row. It begins with this row if there is none yet. */
static json_t *group_of(json_t *groups, json_t *row, const char *const *keys)
{
	char *text = common(row, keys);
	json_t *group = json_object_get(groups, text);

	if (!group) {
		group = json_pack("{s:O, s:i}", "first", row, "rows", 0);
		json_object_set_new(groups, text, group);
	}
	free(text);
	return group;
}

static void count(json_t *rest, json_t *groups, json_int_t most)
{
	json_t *group;
	const char *key;
	json_int_t rows;

	json_object_foreach(groups, key, group) {
		rows = json_integer_value(json_object_get(group, "rows"));
		if (rows <= most)
			continue;
		json_object_set_new(group, "more", json_integer(rows - most));
		json_array_append(rest, group);
	}
}

/**
 * alike_choose() - choose the rows of a table that are shown
 * @rows: list of objects
 * @keys: objects are alike if these keys have the same values; ends with NULL
 * @most: rows of each kind that are shown
 * @rest: a list; an object is appended for each kind that has more rows: "first" is
 *	its first row, "more" the number of rows that are not shown
 *
 * Return: a new list with the rows that are shown, in the same order.
 */
json_t *alike_choose(json_t *rows, const char *const *keys, size_t most,
		     json_t *rest)
{
	json_t *shown = json_array(), *groups = json_object(), *row, *group;
	json_int_t n;
	size_t i;

	json_array_foreach(rows, i, row) {
		group = group_of(groups, row, keys);
		n = json_integer_value(json_object_get(group, "rows"));
		json_object_set_new(group, "rows", json_integer(n + 1));
		if (n < (json_int_t)most)
			json_array_append(shown, row);
	}
	count(rest, groups, (json_int_t)most);
	json_decref(groups);
	return shown;
}
