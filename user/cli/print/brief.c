// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables that fit a screen. Idle rows are only counted; of the busy rows, the BRIEF_ROWS
 * with the largest numbers are shown. A row with trouble is always shown.
 * Documentation/cli.rst has the rule.
 */
#include "print/brief.h"

static bool any(const struct brief *b, json_t *row, const char *const *keys)
{
	json_t *o = b->part ? json_object_get(row, b->part) : row;

	for (; *keys; keys++)
		if (json_integer_value(json_object_get(o, *keys)))
			return true;
	return false;
}

static bool always(const struct brief *b, json_t *row)
{
	return b->all || any(b, row, b->trouble) ||
	       (b->failed && b->failed(row, b->ctx));
}

static uint64_t most_of(const struct brief *b, size_t i)
{
	return b->most(json_array_get(b->rows, i));
}

/* Insert row @i into @b->top, behind rows with an equal number. */
static void insert(struct brief *b, size_t i)
{
	size_t k = b->tops;

	while (k && most_of(b, b->top[k - 1]) < most_of(b, i)) {
		if (k < BRIEF_ROWS)
			b->top[k] = b->top[k - 1];
		k--;
	}
	if (k == BRIEF_ROWS)
		return;
	b->top[k] = i;
	if (b->tops < BRIEF_ROWS)
		b->tops++;
}

static bool is_shown(const struct brief *b, size_t i)
{
	for (size_t k = 0; k < b->tops; k++)
		if (b->top[k] == i)
			return true;
	return always(b, json_array_get(b->rows, i));
}

static void count(struct brief *b)
{
	json_t *row;
	size_t i;

	json_array_foreach(b->rows, i, row) {
		if (is_shown(b, i)) {
			b->shown++;
		} else if (!any(b, row, b->busy)) {
			b->idle++;
		} else {
			b->more++;
			if (b->most(row) > b->largest)
				b->largest = b->most(row);
		}
	}
}

/**
 * brief_choose() - choose the rows that are shown
 * @b: the table; its results are set
 */
void brief_choose(struct brief *b)
{
	json_t *row;
	size_t i;

	json_array_foreach(b->rows, i, row)
		if (!always(b, row) && any(b, row, b->busy))
			insert(b, i);
	count(b);
}

/**
 * brief_rows() - the rows that are shown
 * @b: the table, after brief_choose()
 *
 * Return: a new list of them.
 */
json_t *brief_rows(const struct brief *b)
{
	json_t *rows = json_array(), *row;
	size_t i;

	json_array_foreach(b->rows, i, row)
		if (is_shown(b, i))
			json_array_append(rows, row);
	return rows;
}

/**
 * brief_print_rows() - print the rows that are shown
 * @f: stream to print to
 * @b: the table, after brief_choose()
 * @print: prints a row
 */
void brief_print_rows(FILE *f, const struct brief *b,
		      void (*print)(FILE *f, json_t *row))
{
	json_t *row;
	size_t i;

	json_array_foreach(b->rows, i, row)
		if (is_shown(b, i))
			print(f, row);
}

/**
 * brief_print_idle() - print the number of idle rows, if any
 * @f: stream to print to
 * @b: the table, after brief_choose()
 */
void brief_print_idle(FILE *f, const struct brief *b)
{
	if (b->idle && b->shown)
		fprintf(f, "%zu more without traffic\n", b->idle);
	else if (b->idle)
		fprintf(f, "%zu %s%s without traffic\n", b->idle, b->what,
			b->idle > 1 ? "s" : "");
}
