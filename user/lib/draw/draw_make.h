/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Construction of a drawing. Lengths are in pixels of an SVG.
 */
#ifndef WEFT_DRAW_MAKE_H
#define WEFT_DRAW_MAKE_H

#include <stdio.h>

#include "draw/draw.h"
#include "draw/draw_graph.h"

#define DRAW_CHAR	7.0	/* width of a letter of 11 pixels, DejaVu Sans */
#define DRAW_LABEL	64	/* size of the label of a frame, bytes */
#define DRAW_CELL_H	20.0	/* height of a node */
#define DRAW_CELL_GAP	4.0	/* between nodes in a frame */
#define DRAW_DOT	8.0	/* width and height of a node without a name */
#define DRAW_PAD	7.0	/* between a frame and its nodes */
#define DRAW_HEAD	18.0	/* height of the label of a frame */
#define DRAW_SWITCH_H	28.0	/* height of a switch */
#define DRAW_GAP	16.0	/* between neighbouring boxes */
#define DRAW_MARGIN	24.0	/* around everything */

void weft_draw_label(const struct weft_draw *d, const struct weft_draw_unit *u,
		     char *text);
void weft_draw_units(struct weft_draw *d, const struct weft_draw_graph *g);
unsigned int weft_draw_home(const struct weft_draw *d,
			    const struct weft_draw_graph *g, unsigned int unit);
int weft_draw_tiers(struct weft_draw *d, const struct weft_draw_graph *g,
		    struct weft_err *err);
int weft_draw_circle(struct weft_draw *d, const struct weft_draw_graph *g,
		     struct weft_err *err);
void weft_draw_torus(struct weft_draw *d, const struct weft_draw_graph *g);
int weft_draw_lines(struct weft_draw *d, struct weft_err *err);

#endif
