/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of the rows of a table that are shown, and a summary of the others.
 */
#ifndef WEFT_BRIEF_H
#define WEFT_BRIEF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define BRIEF_ROWS	8	/* rows without trouble that are shown */

/**
 * struct brief - a table, and the choice of its rows
 * @rows: the rows, a list of objects
 * @what: name of a row, such as "wire"
 * @part: key of the object in a row that has the numbers; NULL: the row itself
 * @busy: keys; a row is idle if all of them are 0; ends with NULL
 * @trouble: keys; a row is always shown if one of them is not 0; ends with NULL
 * @most: number by which rows are ordered; the largest are shown
 * @failed: a row is always shown if this returns true for it; NULL: no row
 * @ctx: for @failed
 * @all: show all rows
 * @top: result: indices of the busy rows with the largest numbers, in that order
 * @tops: result: entries of @top
 * @shown: result: rows that are shown
 * @idle: result: idle rows that are not shown
 * @more: result: busy rows that are not shown
 * @largest: result: the largest @most of these
 */
struct brief {
	json_t *rows;
	const char *what;
	const char *part;
	const char *const *busy;
	const char *const *trouble;
	uint64_t (*most)(json_t *row);
	bool (*failed)(json_t *row, json_t *ctx);
	json_t *ctx;
	bool all;
	size_t top[BRIEF_ROWS];
	size_t tops;
	size_t shown;
	size_t idle;
	size_t more;
	uint64_t largest;
};

void brief_choose(struct brief *b);
json_t *brief_rows(const struct brief *b);
void brief_print_rows(FILE *f, const struct brief *b,
		      void (*print)(FILE *f, json_t *row));
void brief_print_idle(FILE *f, const struct brief *b);

#endif
