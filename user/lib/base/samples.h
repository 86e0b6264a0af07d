/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers sampled over time, in memory that does not grow for ever.
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
 * A column holds a counter, which only grows, or a gauge. Where there is no room
 * for another row, two neighbours become one: the later one's counters and the
 * larger one's gauges. The first row stays, as counting begins there.
 */
struct weft_samples {
	/** @columns: numbers in a row */
	size_t columns;
	/** @gauge: of each column: it is one */
	bool *gauge;
	/** @max: rows that there may be, odd */
	size_t max;
	/** @room: rows that there is memory for */
	size_t room;
	/** @n: rows */
	size_t n;
	/** @time: of each row, ps */
	uint64_t *time;
	/** @value: row by row */
	uint64_t *value;
	/** @users: how many have @time and @value, NULL for this one alone */
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
