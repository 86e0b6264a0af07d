/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of a drawing.
 */
#ifndef WEFT_DRAW_ROW_H
#define WEFT_DRAW_ROW_H

#include "base/err.h"

/**
 * struct weft_draw_row - boxes next to one another
 */
struct weft_draw_row {
	/** @n: number of boxes */
	unsigned int n;
	/** @half: half of the width of each box */
	double *half;
	/** @gap: least gap between each box and the next one */
	double *gap;
	/** @x: wanted x of the middle of each box; after placing, its x */
	double *x;
	/** @block: temporary */
	unsigned int *block;
};

int weft_draw_row_make(struct weft_draw_row *r, unsigned int n,
		       struct weft_err *err);
double weft_draw_row_width(const struct weft_draw_row *r);
void weft_draw_row_spread(struct weft_draw_row *r, double width);
void weft_draw_row_near(struct weft_draw_row *r, double width);
void weft_draw_row_free(struct weft_draw_row *r);

#endif
