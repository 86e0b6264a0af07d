// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Construction of a topology: adds one node, switch or link at a time.
 */
#include "topology/topo_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "topology/topo_port.h"

/**
 * weft_name_index_compare() - compare two entries of the table of names
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
 * weft_build_entry() - set the entry of the nodes that are added next
 * @b: the topology
 * @at: place of the entry, for errors
 * @raw: the entry
 * @d: the values that it inherits
 *
 * Return: 0 or negative errno.
 */
int weft_build_entry(struct weft_topo_build *b, const struct weft_place *at,
		     const struct weft_raw_node *raw,
		     const struct weft_defaults *d)
{
	struct weft_node_from *more;

	more = weft_array_grow(b->entry, b->entries, sizeof(*b->entry));
	if (!more)
		return weft_err_nomem(b->err);
	b->entry = more;
	b->entry[b->entries++] = (struct weft_node_from) { *at, raw, *d };
	return 0;
}

/**
 * weft_build_node() - add a node of the entry set last
 * @b: the topology
 * @name: its name
 *
 * Return: 0 or negative errno.
 */
int weft_build_node(struct weft_topo_build *b, const char *name)
{
	struct weft_topo *t = b->topo;
	unsigned int *from;
	void *more;

	if (t->nodes == WEFT_NODES_MAX)
		return weft_place_fail(&b->entry[b->entries - 1].at, "",
				       b->err, "more than %d nodes",
				       WEFT_NODES_MAX);
	from = weft_array_grow(b->from, t->nodes, sizeof(*b->from));
	if (!from)
		return weft_err_nomem(b->err);
	b->from = from;
	from[t->nodes] = b->entries - 1;
	more = weft_array_grow(t->node, t->nodes, sizeof(*t->node));
	if (!more)
		return weft_err_nomem(b->err);
	t->node = more;
	snprintf(t->node[t->nodes++].name, sizeof(t->node->name), "%s", name);
	return 0;
}

/**
 * weft_switch_like() - make a switch from parameters
 * @d: the parameters
 *
 * Return: the switch, without a name and ports.
 */
struct weft_topo_switch weft_switch_like(const struct weft_defaults *d)
{
	return (struct weft_topo_switch) {
		.sw = d->sw, .port = d->port, .room = d->room,
	};
}

/**
 * weft_build_switch() - add a switch
 * @b: the topology
 * @at: place of its entry, for errors
 * @name: its name
 * @like: its parameters
 *
 * Return: 0 or negative errno.
 */
int weft_build_switch(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, const struct weft_topo_switch *like)
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
	snprintf(t->sw[t->switches++].sw.name, sizeof(t->sw->sw.name), "%s",
		 name);
	return 0;
}

static const char *end_name(const struct weft_topo *t,
			    const struct weft_topo_end *end)
{
	return end->is_node ? t->node[end->index].name :
			      t->sw[end->index].sw.name;
}

/*
 * A NIC inherits from the profile that its link names, else as its node does. Values
 * in the node's entry override both.
 */
static int add_nic(struct weft_topo_build *b, unsigned int index,
		   const struct weft_defaults *own)
{
	const struct weft_node_from *from = &b->entry[b->from[index]];
	struct weft_topo_node *node = &b->topo->node[index];
	struct weft_place port_at = from->at;
	struct weft_topo_nic *nic;

	nic = weft_array_grow(node->nic, node->nics, sizeof(*nic));
	if (!nic)
		return weft_err_nomem(b->err);
	node->nic = nic;
	nic += node->nics++;
	own = own ? own : &from->d;
	*nic = own->nic;
	nic->port = own->port;
	strcat(port_at.path, ".port");
	if (weft_port_group(&port_at, &from->raw->port, &nic->port, b->err))
		return b->err->code;
	return weft_nic_params(&from->at, &from->raw->p, nic, b->err);
}

/* Assign the next free port of its object to an end. */
static int take_port(struct weft_topo_build *b, const struct weft_place *at,
		     struct weft_topo_end *end, const struct weft_defaults *own)
{
	struct weft_topo *t = b->topo;
	unsigned int max = end->is_node ? WEFT_NODE_NICS_MAX : WEFT_PORTS_MAX;

	end->port = end->is_node ? t->node[end->index].nics :
				   t->sw[end->index].sw.ports;
	if (end->port >= max)
		return weft_place_fail(at, "", b->err,
				       "%s \"%s\" has more than %u links",
				       end->is_node ? "node" : "switch",
				       end_name(t, end), max);
	if (end->is_node)
		return add_nic(b, end->index, own);
	t->sw[end->index].sw.ports++;
	return 0;
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
 * @at: place of its entry, for errors
 * @ends: the objects that it joins; the ports are assigned here
 * @name: a label, NULL for the names of the ends
 * @wire: its parameters
 * @own: values of the profile that it names, NULL if it names none
 *
 * Return: 0 or negative errno.
 */
int weft_build_link(struct weft_topo_build *b, const struct weft_place *at,
		    const struct weft_topo_end ends[2], const char *name,
		    const struct weft_wire *wire,
		    const struct weft_defaults *own)
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
	if (take_port(b, at, &link->end[0], own))
		return b->err->code;
	return take_port(b, at, &link->end[1], own);
}

/**
 * weft_build_find() - find a node or switch by its name
 * @b: the topology, with the table of names
 * @at: place of the entry that has the name, for errors
 * @key: key of the name in the entry
 * @name: the name
 * @end: result
 *
 * Return: 0 or negative errno.
 */
int weft_build_find(struct weft_topo_build *b, const struct weft_place *at,
		    const char *key, const char *name,
		    struct weft_topo_end *end)
{
	struct weft_name_index like = { .name = name }, *hit = NULL;

	if (b->names)
		hit = bsearch(&like, b->name, b->names, sizeof(*b->name),
			      weft_name_index_compare);
	if (!hit)
		return weft_place_fail(at, key, b->err,
				       "there is no node or switch \"%s\"",
				       name);
	*end = (struct weft_topo_end) {
		.is_node = hit->is_node,
		.index = hit->index,
	};
	return 0;
}
