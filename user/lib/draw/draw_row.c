// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One row of a drawing: boxes in a given order that do not overlap.
 */
#include "draw/draw_row.h"

#include <stdlib.h>

#define NARROW	0.75	/* share of the width for boxes that all want the same place */

/**
 * weft_draw_row_make() - allocate a row
 * @r: result, to be freed by weft_draw_row_free() even after an error
 * @n: most boxes that it can hold
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_row_make(struct weft_draw_row *r, unsigned int n,
		       struct weft_err *err)
{
	*r = (struct weft_draw_row) { 0 };
	r->half = calloc(n + 1, sizeof(*r->half));
	r->gap = calloc(n + 1, sizeof(*r->gap));
	r->x = calloc(n + 1, sizeof(*r->x));
	r->block = calloc(n + 1, sizeof(*r->block));
	return r->half && r->gap && r->x && r->block ? 0 : weft_err_nomem(err);
}

/* Least distance from the middle of a box to the middle of the next one. */
static double pitch(const struct weft_draw_row *r, unsigned int i)
{
	return r->half[i] + r->gap[i] + r->half[i + 1];
}

/**
 * weft_draw_row_width() - least width of a row
 * @r: the row
 *
 * Return: the width, pixels.
 */
double weft_draw_row_width(const struct weft_draw_row *r)
{
	double w = 0;

	for (unsigned int i = 0; i < r->n; i++)
		w += 2 * r->half[i] + (i + 1 < r->n ? r->gap[i] : 0);
	return w;
}

/**
 * weft_draw_row_spread() - spread the boxes of a row evenly over a width
 * @r: the row
 * @width: the width, pixels; spare width goes between the boxes and to both ends
 */
void weft_draw_row_spread(struct weft_draw_row *r, double width)
{
	double more = (width - weft_draw_row_width(r)) / (r->n ? r->n : 1);
	double x = more / 2;

	if (more < 0)
		more = x = 0;
	for (unsigned int i = 0; i < r->n; i++) {
		r->x[i] = x + r->half[i];
		x += 2 * r->half[i] + r->gap[i] + more;
	}
}

/*
 * Isotonic regression by pooling adjacent violators. With the least distances subtracted,
 * places must not decrease from left to right. Neighbours that would are merged into a
 * block, which gets their mean. Afterwards @x has the mean and @block the number of
 * boxes of each block.
 */
static unsigned int pool(struct weft_draw_row *r)
{
	unsigned int blocks = 0, *size = r->block;
	double a, b;

	for (unsigned int i = 0; i < r->n; i++) {
		r->x[blocks] = r->x[i];
		size[blocks++] = 1;
		while (blocks > 1 && r->x[blocks - 2] > r->x[blocks - 1]) {
			a = r->x[blocks - 2] * size[blocks - 2];
			b = r->x[blocks - 1] * size[blocks - 1];
			size[blocks - 2] += size[blocks - 1];
			r->x[blocks - 2] = (a + b) / size[blocks - 2];
			blocks--;
		}
	}
	return blocks;
}

/* Start at the last block, so that no block is overwritten before it is read. */
static void unpool(struct weft_draw_row *r, unsigned int blocks)
{
	unsigned int i = r->n;

	while (blocks--) {
		double x = r->x[blocks];

		for (unsigned int k = 0; k < r->block[blocks]; k++)
			r->x[--i] = x;
	}
}

/**
 * weft_draw_row_near() - place boxes as near to their wanted places as possible
 * @r: the row
 * @width: width of the drawing, pixels
 *
 * It minimises the sum of the squares of the distances. If the boxes all want the same
 * place and are narrow, they are spread over most of the width instead.
 */
void weft_draw_row_near(struct weft_draw_row *r, double width)
{
	double at = 0, row = weft_draw_row_width(r);
	unsigned int blocks, i;

	for (i = 1; i < r->n; i++) {
		at += pitch(r, i - 1);
		r->x[i] -= at;
	}
	blocks = pool(r);
	if (blocks == 1 && r->n > 1 && row < NARROW * width) {
		weft_draw_row_spread(r, NARROW * width);
		for (i = 0; i < r->n; i++)
			r->x[i] += (1 - NARROW) / 2 * width;
		return;
	}
	unpool(r, blocks);
	for (i = 1, at = 0; i < r->n; i++) {
		at += pitch(r, i - 1);
		r->x[i] += at;
	}
}

/**
 * weft_draw_row_free() - free a row
 * @r: the row
 */
void weft_draw_row_free(struct weft_draw_row *r)
{
	free(r->half);
	free(r->gap);
	free(r->x);
	free(r->block);
	*r = (struct weft_draw_row) { 0 };
}
