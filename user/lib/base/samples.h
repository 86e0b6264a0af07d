/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers sampled over time, in bounded memory.
 */
#ifndef WEFT_SAMPLES_H
#define WEFT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct weft_samples - rows of numbers, each with its time
 *
 * A column holds a counter, which never decreases, or a gauge. When all rows are in
 * use, each pair of neighbours is merged: counters take the value of the later row,
 * gauges the larger value. The first row is not merged, as counters start there.
 */
struct weft_samples {
	/** @columns: numbers in a row */
	size_t columns;
	/** @gauge: for each column: it is a gauge */
	bool *gauge;
	/** @max: most rows, odd */
	size_t max;
	/** @room: rows for which memory is allocated */
	size_t room;
	/** @n: number of rows */
	size_t n;
	/** @time: of each row, ps */
	uint64_t *time;
	/** @value: numbers, row by row */
	uint64_t *value;
	/** @users: reference count of @time and @value; NULL: not shared */
	unsigned int *users;
};

int weft_samples_init(struct weft_samples *s, size_t columns, size_t max,
		      struct weft_err *err);
uint64_t *weft_samples_add(struct weft_samples *s, uint64_t time,
			   bool *halved, struct weft_err *err);
uint64_t weft_samples_get(const struct weft_samples *s, size_t row,
			  size_t column);
int weft_samples_hold(struct weft_samples *held, struct weft_samples *s,
		      struct weft_err *err);
void weft_samples_free(struct weft_samples *s);

#endif
