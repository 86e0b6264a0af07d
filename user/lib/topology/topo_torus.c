// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A torus of switches: the key "torus" has its sizes, and "at" of each switch its
 * coordinates.
 *
 * A ring is a torus of one dimension. For routing by coordinates, all switches have
 * coordinates, no two have the same, and links between switches join neighbours. There
 * may be coordinates without a switch, and neighbours without a link.
 */
#include <stdio.h>
#include <stdlib.h>

#include "topology/topo_build.h"

/**
 * weft_topo_torus() - parse the sizes of the torus, if there is one
 * @b: the topology
 *
 * Return: 0 or negative errno.
 */
int weft_topo_torus(struct weft_topo_build *b)
{
	const struct weft_raw_list *raw = &b->raw->torus;
	struct weft_place top = { b->yaml, "" };
	uint64_t all = 1, v = 0;
	char key[32];

	for (unsigned int i = 0; i < raw->n; i++) {
		snprintf(key, sizeof(key), "torus[%u]", i);
		if (weft_take_number(&top, key, raw->v[i], 2,
				     WEFT_SWITCHES_MAX, &v, b->err))
			return b->err->code;
		b->topo->dim[i] = (uint32_t)v;
		all *= v;
	}
	if (all > WEFT_SWITCHES_MAX)
		return weft_place_fail(&top, "torus", b->err,
				       "torus: more than %d switches",
				       WEFT_SWITCHES_MAX);
	b->topo->dims = raw->n;
	return 0;
}

/**
 * weft_topo_place() - parse the coordinates of a switch, if it has any
 * @b: the topology, with the sizes of the torus
 * @at: place of the switch's entry
 * @raw: their text
 * @sw: the switch; @placed and @coord are set
 *
 * Return: 0 or negative errno.
 */
int weft_topo_place(struct weft_topo_build *b, const struct weft_place *at,
		    const struct weft_raw_list *raw,
		    struct weft_topo_switch *sw)
{
	const struct weft_topo *t = b->topo;
	uint64_t v = 0;
	char key[32];

	if (!raw->n)
		return 0;
	if (!t->dims)
		return weft_place_fail(at, "at", b->err,
				       "at: the file has no \"torus\"");
	if (raw->n != t->dims)
		return weft_place_fail(at, "at", b->err,
				       "at: expected %u entries, as \"torus\" has, found %u",
				       t->dims, raw->n);
	for (unsigned int i = 0; i < raw->n; i++) {
		snprintf(key, sizeof(key), "at[%u]", i);
		if (weft_take_number(at, key, raw->v[i], 0, t->dim[i] - 1, &v,
				     b->err))
			return b->err->code;
		sw->coord[i] = (uint32_t)v;
	}
	sw->placed = true;
	return 0;
}

static uint32_t place_index(const struct weft_topo *t,
			    const struct weft_topo_switch *sw)
{
	uint32_t index = 0;

	for (unsigned int i = 0; i < t->dims; i++)
		index = index * t->dim[i] + sw->coord[i];
	return index;
}

static int check_places(struct weft_topo_build *b)
{
	const struct weft_place at = { b->yaml, "switches" };
	const struct weft_topo *t = b->topo;
	bool *taken;
	int ret = 0;

	taken = calloc(WEFT_SWITCHES_MAX, sizeof(*taken));
	if (!taken)
		return weft_err_nomem(b->err);
	for (unsigned int i = 0; !ret && i < t->switches; i++) {
		uint32_t place = place_index(t, &t->sw[i]);

		if (!t->sw[i].placed)
			ret = weft_place_fail(&at, "", b->err,
					      "switch \"%s\" has no place in the torus: it lacks \"at\"",
					      t->sw[i].sw.name);
		else if (taken[place])
			ret = weft_place_fail(&at, "", b->err,
					      "switch \"%s\" has the same place as another one",
					      t->sw[i].sw.name);
		taken[place] = true;
	}
	free(taken);
	return ret;
}

static bool are_neighbours(const struct weft_topo *t,
			   const struct weft_topo_switch *x,
			   const struct weft_topo_switch *y)
{
	unsigned int steps = 0;

	for (unsigned int i = 0; i < t->dims; i++) {
		uint32_t up = (y->coord[i] + t->dim[i] - x->coord[i]) %
			      t->dim[i];

		if (up == 1 || up == t->dim[i] - 1)
			steps++;
		else if (up)
			return false;
	}
	return steps == 1;
}

/**
 * weft_topo_torus_check() - check coordinates and links of a torus
 * @b: the topology, complete
 *
 * Return: 0 or negative errno.
 */
int weft_topo_torus_check(struct weft_topo_build *b)
{
	const struct weft_place at = { b->yaml, "links" };
	const struct weft_topo *t = b->topo;

	if (!t->dims)
		return 0;
	if (check_places(b))
		return b->err->code;
	for (unsigned int i = 0; i < t->links; i++) {
		const struct weft_topo_end *e = t->link[i].end;

		if (e[0].is_node || e[1].is_node ||
		    are_neighbours(t, &t->sw[e[0].index], &t->sw[e[1].index]))
			continue;
		return weft_place_fail(&at, "", b->err,
				       "link \"%s\" does not join neighbours in the torus",
				       t->link[i].name);
	}
	return 0;
}
