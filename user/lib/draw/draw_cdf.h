/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions as a picture: which share of some values is below each value.
 */
#ifndef WEFT_DRAW_CDF_H
#define WEFT_DRAW_CDF_H

#include <stddef.h>

#include "base/strbuf.h"

/**
 * struct weft_cdf_curve - the distribution of one kind of values
 */
struct weft_cdf_curve {
	/** @name: what they are of */
	const char *name;
	/** @n: entries of @value, 1 or more */
	unsigned int n;
	/** @value: the values, above 0, in ascending order */
	double *value;
};

/**
 * struct weft_cdf - a plot with one axis of values
 */
struct weft_cdf {
	/** @axis: what the values are */
	const char *axis;
	/** @label: write a value for people */
	void (*label)(char *buf, size_t len, double value);
	/** @curves: entries of @curve, 1 or more */
	unsigned int curves;
	/** @curve: its curves */
	const struct weft_cdf_curve *curve;
};

void weft_draw_cdf(struct weft_strbuf *out, const char *title, const struct weft_cdf *plot,
		   unsigned int plots);

#endif
