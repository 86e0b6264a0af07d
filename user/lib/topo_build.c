// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A topology while it is put together: one node, switch or link at a time.
 */
#include "topo_build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "array.h"

/**
 * weft_name_index_compare() - order of the table of names
 * @a: an entry
 * @b: another entry
 *
 * Return: as strcmp().
 */
int weft_name_index_compare(const void *a, const void *b)
{
	return strcmp(((const struct weft_name_index *)a)->name,
		      ((const struct weft_name_index *)b)->name);
}

/**
 * weft_build_node() - add a node
 * @b: the topology
 * @at: what to blame
 * @name: its name
 * @like: its parameters
 *
 * Return: 0 or negative errno.
 */
int weft_build_node(struct weft_topo_build *b, const struct weft_place *at,
		    const char *name, const struct weft_topo_node *like)
{
	struct weft_topo *t = b->topo;
	void *more;

	if (t->nodes == WEFT_NODES_MAX)
		return weft_place_fail(at, "", b->err,
				       "more than %d nodes", WEFT_NODES_MAX);
	more = weft_array_grow(t->node, t->nodes, sizeof(*t->node));
	if (!more)
		return weft_err_nomem(b->err);
	t->node = more;
	t->node[t->nodes] = *like;
	snprintf(t->node[t->nodes++].name, sizeof(t->node->name), "%s", name);
	return 0;
}

/**
 * weft_build_switch() - add a switch
 * @b: the topology
 * @at: what to blame
 * @name: its name
 * @like: its parameters
 *
 * Return: 0 or negative errno.
 */
int weft_build_switch(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, const struct weft_switch *like)
{
	struct weft_topo *t = b->topo;
	void *more;

	if (t->switches == WEFT_SWITCHES_MAX)
		return weft_place_fail(at, "", b->err, "more than %d switches",
				       WEFT_SWITCHES_MAX);
	more = weft_array_grow(t->sw, t->switches, sizeof(*t->sw));
	if (!more)
		return weft_err_nomem(b->err);
	t->sw = more;
	t->sw[t->switches] = *like;
	snprintf(t->sw[t->switches++].name, sizeof(t->sw->name), "%s", name);
	return 0;
}

static const char *end_name(const struct weft_topo *t,
			    const struct weft_topo_end *end)
{
	return end->is_node ? t->node[end->index].name :
			      t->sw[end->index].name;
}

/* Give an end the next free port of its object. */
static int take_port(struct weft_topo_build *b, const struct weft_place *at,
		     struct weft_topo_end *end)
{
	struct weft_topo *t = b->topo;
	unsigned int max = end->is_node ? WEFT_NODE_NICS_MAX : WEFT_PORTS_MAX;

	end->port = end->is_node ? t->node[end->index].nics++ :
				   t->sw[end->index].ports++;
	if (end->port < max)
		return 0;
	return weft_place_fail(at, "", b->err, "%s \"%s\" has more than %u links",
			       end->is_node ? "node" : "switch",
			       end_name(t, end), max);
}

static void name_link(const struct weft_topo *t, struct weft_topo_link *link,
		      const char *name)
{
	char text[2 * WEFT_NAME_SIZE + 2];

	snprintf(text, sizeof(text), "%s-%s", end_name(t, &link->end[0]),
		 end_name(t, &link->end[1]));
	snprintf(link->name, sizeof(link->name), "%.31s", name ? name : text);
}

/**
 * weft_build_link() - add a link
 * @b: the topology
 * @at: what to blame
 * @ends: the objects that it joins; ports are given here
 * @name: a label, NULL for the names of the ends
 * @wire: its parameters
 *
 * Return: 0 or negative errno.
 */
int weft_build_link(struct weft_topo_build *b, const struct weft_place *at,
		    const struct weft_topo_end ends[2], const char *name,
		    const struct weft_wire *wire)
{
	struct weft_topo *t = b->topo;
	struct weft_topo_link *link;

	if (t->links == WEFT_LINKS_MAX)
		return weft_place_fail(at, "", b->err, "more than %d links",
				       WEFT_LINKS_MAX);
	if (ends[0].is_node == ends[1].is_node &&
	    ends[0].index == ends[1].index)
		return weft_place_fail(at, "ends", b->err,
				       "a link cannot join \"%s\" to itself",
				       end_name(t, &ends[0]));
	link = weft_array_grow(t->link, t->links, sizeof(*link));
	if (!link)
		return weft_err_nomem(b->err);
	t->link = link;
	link += t->links++;
	link->wire = *wire;
	memcpy(link->end, ends, sizeof(link->end));
	name_link(t, link, name);
	if (!wire->rate)
		return weft_place_fail(at, "", b->err,
				       "link \"%s\" has no rate: give it one or name a profile",
				       link->name);
	if (take_port(b, at, &link->end[0]) || take_port(b, at, &link->end[1]))
		return b->err->code;
	return 0;
}
