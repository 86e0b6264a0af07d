/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A drawing of a topology: the layout of nodes, switches and links.
 *
 * Lengths and coordinates are in pixels of an SVG. The same topology always gives the
 * same drawing.
 */
#ifndef WEFT_DRAW_H
#define WEFT_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "topology/topo.h"

/**
 * enum weft_draw_layout - arrangement of the switches
 * @WEFT_DRAW_TIERS: in rows, by their distance from the nodes
 * @WEFT_DRAW_TORUS: by their coordinates
 * @WEFT_DRAW_CIRCLE: on a circle, with their nodes outside of it
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
	/** @x: its left edge */
	double x;
	/** @y: its upper edge */
	double y;
	/** @w: its width */
	double w;
	/** @h: its height */
	double h;
};

/**
 * struct weft_draw_unit - a switch, a node, or a frame of several nodes
 */
struct weft_draw_unit {
	/** @is_switch: it is a switch */
	bool is_switch;
	/** @first: index of the switch, or of the first node in @member of struct weft_draw */
	unsigned int first;
	/** @n: number of nodes; 1 for a switch */
	unsigned int n;
	/** @columns: columns of nodes in the frame */
	unsigned int columns;
	/** @box: its place and size */
	struct weft_draw_box box;
};

/**
 * struct weft_draw_line - a line: one or more links between two units
 */
struct weft_draw_line {
	/** @unit: units at its ends */
	unsigned int unit[2];
	/** @first: index of its first link in @link of struct weft_draw */
	unsigned int first;
	/** @n: number of links */
	unsigned int n;
	/** @rate: rate of each link, bits per second */
	uint64_t rate;
	/** @discipline: such as "credit" */
	const char *discipline;
	/** @curved: it is a quadratic Bezier curve, not straight */
	bool curved;
	/** @x: x of the first end, of the control point or middle, and of the second end */
	double x[3];
	/** @y: y of the same points */
	double y[3];
};

/**
 * struct weft_draw - a drawing
 */
struct weft_draw {
	/** @topo: the topology; must outlive the drawing */
	const struct weft_topo *topo;
	/** @layout: arrangement of the switches */
	enum weft_draw_layout layout;
	/** @width: width without title and legend */
	double width;
	/** @height: height without title and legend */
	double height;
	/** @cell: width of the box of a node */
	double cell;
	/** @dots: nodes in frames are small squares without a name */
	bool dots;
	/** @units: entries of @unit */
	unsigned int units;
	/** @unit: the switches in the order of the topology, then nodes and frames */
	struct weft_draw_unit *unit;
	/** @member: indexes of the nodes, grouped by unit */
	unsigned int *member;
	/** @unit_of: unit of each switch, then of each node */
	unsigned int *unit_of;
	/** @node: place and size of each node */
	struct weft_draw_box *node;
	/** @lines: entries of @line */
	unsigned int lines;
	/** @line: the lines */
	struct weft_draw_line *line;
	/** @link: indexes of the links, grouped by line */
	unsigned int *link;
	/** @domains: entries of @domain */
	unsigned int domains;
	/** @domain: areas behind the nodes and switches of one fabric inside the hosts */
	struct weft_draw_box *domain;
};

int weft_draw_make(struct weft_draw *d, const struct weft_topo *topo,
		   struct weft_err *err);
void weft_draw_free(struct weft_draw *d);
int weft_draw_svg(const struct weft_draw *d, char **text, struct weft_err *err);
json_t *weft_draw_json(const struct weft_draw *d);

#endif
