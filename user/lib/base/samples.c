// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers sampled over time, in bounded memory.
 */
#include "base/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM	16

/**
 * weft_samples_init() - initialise samples without a row
 * @s: result, to be freed by weft_samples_free() even after an error
 * @columns: numbers in a row; all are counters until @s->gauge is set
 * @max: most rows, at least 3; an even number is rounded up to the next odd one
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_samples_init(struct weft_samples *s, size_t columns, size_t max,
		      struct weft_err *err)
{
	*s = (struct weft_samples) { .columns = columns, .max = max | 1 };
	s->gauge = calloc(columns + 1, sizeof(*s->gauge));
	return s->gauge ? 0 : weft_err_nomem(err);
}

static uint64_t *row_of(const struct weft_samples *s, size_t row)
{
	return s->value + row * s->columns;
}

/* Merge rows @row and @row + 1 of @s into row @to of @out. */
static void merge(const struct weft_samples *s, size_t row,
		  struct weft_samples *out, size_t to)
{
	const uint64_t *a = row_of(s, row), *b = row_of(s, row + 1);
	uint64_t *sum = row_of(out, to);

	for (size_t i = 0; i < s->columns; i++)
		sum[i] = s->gauge[i] && a[i] > b[i] ? a[i] : b[i];
	out->time[to] = s->time[row + 1];
}

/* Drop a reference to the rows; the last user frees them. */
static void leave(struct weft_samples *s)
{
	if (s->users && --*s->users)
		return;
	free(s->time);
	free(s->value);
	free(s->users);
}

/* Allocate rows for @own, not filled, to replace rows of @s that are shared. */
static int make_own(const struct weft_samples *s, size_t room,
		    struct weft_samples *own, struct weft_err *err)
{
	*own = *s;
	own->room = room;
	own->users = malloc(sizeof(*own->users));
	own->time = reallocarray(NULL, room, sizeof(*own->time));
	own->value = reallocarray(NULL, room * s->columns + 1,
				  sizeof(*own->value));
	if (own->users && own->time && own->value) {
		*own->users = 1;
		return 0;
	}
	free(own->users);
	free(own->time);
	free(own->value);
	weft_err_nomem(err);
	return -ENOMEM;
}

static bool is_shared(const struct weft_samples *s)
{
	return s->users && *s->users > 1;
}

static int halve(struct weft_samples *s, struct weft_err *err)
{
	struct weft_samples out = *s;
	size_t n = 1;

	if (is_shared(s)) {
		if (make_own(s, s->room, &out, err))
			return err->code;
		out.time[0] = s->time[0];
		memcpy(out.value, s->value, s->columns * sizeof(*s->value));
	}
	for (size_t row = 1; row + 1 < s->n; row += 2)
		merge(s, row, &out, n++);
	out.n = n;
	if (is_shared(s))
		leave(s);
	*s = out;
	return 0;
}

static int grow_shared(struct weft_samples *s, size_t room,
		       struct weft_err *err)
{
	struct weft_samples own;

	if (make_own(s, room, &own, err))
		return err->code;
	memcpy(own.time, s->time, s->n * sizeof(*s->time));
	memcpy(own.value, s->value, s->n * s->columns * sizeof(*s->value));
	leave(s);
	*s = own;
	return 0;
}

static int grow(struct weft_samples *s, struct weft_err *err)
{
	size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	uint64_t *time, *value;

	if (room > s->max)
		room = s->max;
	if (is_shared(s))
		return grow_shared(s, room, err);
	time = reallocarray(s->time, room, sizeof(*time));
	if (!time)
		return weft_err_nomem(err);
	s->time = time;
	value = reallocarray(s->value, room * s->columns + 1, sizeof(*value));
	if (!value)
		return weft_err_nomem(err);
	s->value = value;
	s->room = room;
	return 0;
}

/**
 * weft_samples_add() - add a row
 * @s: the samples
 * @time: its time, ps; if the last row has the same time, it is replaced
 * @halved: result: true if rows were merged to make room
 * @err: error
 *
 * Return: the row, zeroed, to be filled by the caller; NULL without memory.
 */
uint64_t *weft_samples_add(struct weft_samples *s, uint64_t time,
			   bool *halved, struct weft_err *err)
{
	uint64_t *row;

	*halved = false;
	if (s->n && s->time[s->n - 1] == time)
		s->n--;
	if (s->n == s->max) {
		if (halve(s, err))
			return NULL;
		*halved = true;
	}
	if (s->n == s->room && grow(s, err))
		return NULL;
	row = row_of(s, s->n);
	memset(row, 0, s->columns * sizeof(*row));
	s->time[s->n++] = time;
	return row;
}

/**
 * weft_samples_get() - value of a column in a row
 * @s: the samples
 * @row: the row
 * @column: the column
 *
 * Return: a gauge's value; a counter's increase since the row before, or its value
 * in the first row.
 */
uint64_t weft_samples_get(const struct weft_samples *s, size_t row,
			  size_t column)
{
	uint64_t value = row_of(s, row)[column];

	if (s->gauge[column] || !row)
		return value;
	return value - row_of(s, row - 1)[column];
}

/**
 * weft_samples_hold() - take a snapshot of the present rows
 * @held: result, to be freed by weft_samples_free() even after an error
 * @s: the samples; rows that are added later are not in @held
 * @err: error
 *
 * The rows are shared and copied on write: when @s grows or merges rows.
 *
 * Return: 0 or negative errno.
 */
int weft_samples_hold(struct weft_samples *held, struct weft_samples *s,
		      struct weft_err *err)
{
	*held = (struct weft_samples) { 0 };
	if (!s->users) {
		s->users = malloc(sizeof(*s->users));
		if (!s->users)
			return weft_err_nomem(err);
		*s->users = 1;
	}
	*held = *s;
	++*s->users;
	held->gauge = reallocarray(NULL, s->columns + 1, sizeof(*s->gauge));
	if (!held->gauge)
		return weft_err_nomem(err);
	memcpy(held->gauge, s->gauge, s->columns * sizeof(*s->gauge));
	return 0;
}

/**
 * weft_samples_free() - free the samples
 * @s: the samples
 */
void weft_samples_free(struct weft_samples *s)
{
	free(s->gauge);
	leave(s);
	*s = (struct weft_samples) { 0 };
}
