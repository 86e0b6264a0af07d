// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A drawing as JSON: coordinates for other programs to draw. Keys never change.
 */
#include "draw/draw.h"
#include "netlink/json.h"

static json_t *box_json(const char *name, const struct weft_draw_box *b)
{
	return json_pack("{s:s*, s:f, s:f, s:f, s:f}", "name", name, "x", b->x,
			 "y", b->y, "width", b->w, "height", b->h);
}

/* "frame" is the index of the node's frame in "frames"; a single node has no such key. */
static json_t *nodes_json(const struct weft_draw *d)
{
	json_t *all = json_array(), *o;
	const struct weft_topo *t = d->topo;

	for (unsigned int i = 0; i < t->nodes; i++) {
		unsigned int unit = d->unit_of[t->switches + i], frame = 0;

		o = box_json(t->node[i].name, &d->node[i]);
		for (unsigned int k = t->switches; k < unit; k++)
			frame += d->unit[k].n > 1;
		if (d->unit[unit].n > 1)
			json_object_set_new(o, "frame", json_integer(frame));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *switches_json(const struct weft_draw *d)
{
	json_t *all = json_array();

	for (unsigned int i = 0; i < d->topo->switches; i++)
		json_array_append_new(all, box_json(d->topo->sw[i].sw.name,
						    &d->unit[i].box));
	return all;
}

static json_t *frames_json(const struct weft_draw *d)
{
	json_t *all = json_array(), *o;

	for (unsigned int i = d->topo->switches; i < d->units; i++) {
		if (d->unit[i].n == 1)
			continue;
		o = box_json(NULL, &d->unit[i].box);
		json_object_set_new(o, "nodes", json_integer(d->unit[i].n));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *domains_json(const struct weft_draw *d)
{
	json_t *all = json_array();

	for (unsigned int i = 0; i < d->domains; i++)
		json_array_append_new(all, box_json(NULL, &d->domain[i]));
	return all;
}

static const char *end_name(const struct weft_topo *t,
			    const struct weft_topo_end *end)
{
	return end->is_node ? t->node[end->index].name :
			      t->sw[end->index].sw.name;
}

static json_t *link_json(const struct weft_draw *d, unsigned int link,
			 unsigned int line)
{
	const struct weft_topo_link *l = &d->topo->link[link];

	return json_pack("{s:s, s:[s, s], s:o, s:s, s:i}", "name", l->name,
			 "ends", end_name(d->topo, &l->end[0]),
			 end_name(d->topo, &l->end[1]), "rate_bps",
			 weft_json_u64(l->wire.rate), "discipline",
			 d->line[line].discipline, "line", (int)line);
}

/* "line" of a link is the index of its line, which several links may share. */
static json_t *links_json(const struct weft_draw *d)
{
	json_t *all = json_array(), *o;

	for (unsigned int i = 0; i < d->lines; i++)
		for (unsigned int k = 0; k < d->line[i].n; k++) {
			o = link_json(d, d->link[d->line[i].first + k], i);
			json_array_append_new(all, o);
		}
	return all;
}

static json_t *lines_json(const struct weft_draw *d)
{
	json_t *all = json_array(), *o;

	for (unsigned int i = 0; i < d->lines; i++) {
		const struct weft_draw_line *l = &d->line[i];

		o = json_pack("{s:i, s:b, s:[[f, f], [f, f], [f, f]]}",
			      "links", (int)l->n, "curved", l->curved,
			      "points", l->x[0], l->y[0], l->x[1], l->y[1],
			      l->x[2], l->y[2]);
		json_array_append_new(all, o);
	}
	return all;
}

/**
 * weft_draw_json() - a drawing as JSON
 * @d: the drawing
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_draw_json(const struct weft_draw *d)
{
	static const char *const layout[] = {
		[WEFT_DRAW_TIERS] = "tiers", [WEFT_DRAW_TORUS] = "torus",
		[WEFT_DRAW_CIRCLE] = "circle",
	};
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string(d->topo->name));
	json_object_set_new(o, "layout", json_string(layout[d->layout]));
	json_object_set_new(o, "width", json_real(d->width));
	json_object_set_new(o, "height", json_real(d->height));
	json_object_set_new(o, "nodes", nodes_json(d));
	json_object_set_new(o, "switches", switches_json(d));
	json_object_set_new(o, "frames", frames_json(d));
	json_object_set_new(o, "domains", domains_json(d));
	json_object_set_new(o, "lines", lines_json(d));
	json_object_set_new(o, "links", links_json(d));
	return o;
}
