/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A drawing of a topology: where each node, switch and link goes.
 *
 * Drawing is pure: the same topology gives the same drawing.
 */
#ifndef WEFT_DRAW_H
#define WEFT_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "topology/topo.h"

/**
 * enum weft_draw_layout - how the switches are arranged
 * @WEFT_DRAW_TIERS: in rows, by their distance from the nodes
 * @WEFT_DRAW_TORUS: by their coordinates
 * @WEFT_DRAW_CIRCLE: on a circle, their nodes around it
 */
enum weft_draw_layout {
	WEFT_DRAW_TIERS,
	WEFT_DRAW_TORUS,
	WEFT_DRAW_CIRCLE,
};

/**
 * struct weft_draw_box - a rectangle
 */
struct weft_draw_box {
	/** @x: its left side */
	double x;
	/** @y: its upper side */
	double y;
	/** @w: its width */
	double w;
	/** @h: its height */
	double h;
};

/**
 * struct weft_draw_unit - a switch, a node, or nodes in one frame
 */
struct weft_draw_unit {
	/** @is_switch: a switch */
	bool is_switch;
	/** @first: the switch, or the first node's place in @member */
	unsigned int first;
	/** @n: how many nodes; 1 for a switch */
	unsigned int n;
	/** @columns: of nodes in the frame */
	unsigned int columns;
	/** @box: where it is */
	struct weft_draw_box box;
};

/**
 * struct weft_draw_line - links between two units
 */
struct weft_draw_line {
	/** @unit: its ends */
	unsigned int unit[2];
	/** @first: its first link's place in struct weft_draw's @link */
	unsigned int first;
	/** @n: how many links it stands for */
	unsigned int n;
	/** @rate: of each of them, bits per second */
	uint64_t rate;
	/** @discipline: such as "credit" */
	const char *discipline;
	/** @curved: a quadratic curve, its control point is the second one */
	bool curved;
	/** @x: first end, control point or middle, second end */
	double x[3];
	/** @y: the same */
	double y[3];
};

/**
 * struct weft_draw - a drawing
 */
struct weft_draw {
	/** @topo: what is drawn; has to live as long */
	const struct weft_topo *topo;
	/** @layout: enum weft_draw_layout */
	enum weft_draw_layout layout;
	/** @width: of the drawing, without its legend */
	double width;
	/** @height: the same */
	double height;
	/** @cell: width of a node's box */
	double cell;
	/** @dots: nodes are dots without a name */
	bool dots;
	/** @units: entries of @unit */
	unsigned int units;
	/** @unit: the switches in their order, then nodes and frames */
	struct weft_draw_unit *unit;
	/** @member: the nodes, by unit */
	unsigned int *member;
	/** @unit_of: of each switch and then of each node */
	unsigned int *unit_of;
	/** @node: where each node is */
	struct weft_draw_box *node;
	/** @lines: entries of @line */
	unsigned int lines;
	/** @line: the lines */
	struct weft_draw_line *line;
	/** @link: the links, by line */
	unsigned int *link;
	/** @domains: entries of @domain */
	unsigned int domains;
	/** @domain: areas behind nodes and the switches that only they share */
	struct weft_draw_box *domain;
};

int weft_draw_make(struct weft_draw *d, const struct weft_topo *topo,
		   struct weft_err *err);
void weft_draw_free(struct weft_draw *d);
int weft_draw_svg(const struct weft_draw *d, char **text, struct weft_err *err);
json_t *weft_draw_json(const struct weft_draw *d);

#endif
