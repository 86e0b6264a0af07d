// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A topology as JSON: nodes, switches and links.
 */
#include "netlink/json.h"
#include "topology/topo.h"

static json_t *numbers(const uint32_t *v, unsigned int n)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(a, json_integer(v[i]));
	return a;
}

static json_t *nodes_json(const struct weft_topo *t)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < t->nodes; i++)
		json_array_append_new(a, json_pack("{s:s, s:i}",
						   "name", t->node[i].name,
						   "nics", t->node[i].nics));
	return a;
}

static json_t *switches_json(const struct weft_topo *t)
{
	json_t *a = json_array(), *o;

	for (unsigned int i = 0; i < t->switches; i++) {
		o = json_pack("{s:s, s:i}", "name", t->sw[i].sw.name,
			      "ports", t->sw[i].sw.ports);
		if (t->sw[i].placed)
			json_object_set_new(o, "at", numbers(t->sw[i].coord,
							     t->dims));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *end_json(const struct weft_topo *t,
			const struct weft_topo_end *end)
{
	if (end->is_node)
		return json_pack("{s:s, s:i}",
				 "node", t->node[end->index].name,
				 "nic", end->port);
	return json_pack("{s:s, s:i}", "switch", t->sw[end->index].sw.name,
			 "port", end->port);
}

static json_t *links_json(const struct weft_topo *t)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < t->links; i++) {
		const struct weft_topo_link *l = &t->link[i];

		json_array_append_new(a, json_pack(
			"{s:s, s:[o, o], s:o, s:o, s:i, s:i}", "name", l->name,
			"ends", end_json(t, &l->end[0]), end_json(t, &l->end[1]),
			"rate_bps", weft_json_u64(l->wire.rate),
			"propagation_ps", weft_json_u64(l->wire.propagation),
			"lanes", l->wire.lanes, "lanes_up", l->wire.lanes_up));
	}
	return a;
}

/**
 * weft_topo_json() - a topology as JSON
 * @t: the topology
 *
 * Return: new reference, NULL without memory.
 */
json_t *weft_topo_json(const struct weft_topo *t)
{
	json_t *o = json_pack("{s:s, s:o, s:o, s:o}", "name", t->name,
			      "nodes", nodes_json(t),
			      "switches", switches_json(t),
			      "links", links_json(t));

	if (o && t->dims)
		json_object_set_new(o, "torus", numbers(t->dim, t->dims));
	return o;
}
