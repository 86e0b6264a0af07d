// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a fabric is cut into parts.
 */
#include "print/print_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "netlink/json.h"
#include "sim/sim.h"

/**
 * struct share - what a part has
 * @nodes: its nodes
 * @nics: their NICs
 * @switches: its switches
 * @first: its first node
 * @last: its last node
 */
struct share {
	uint32_t nodes;
	uint32_t nics;
	uint32_t switches;
	uint32_t first;
	uint32_t last;
};

static struct share share_of(const struct weft_plan *p,
			     const struct weft_sim_division *d, uint32_t part)
{
	struct share s = { 0 };

	for (uint32_t i = 0; i < p->nodes; i++) {
		if (d->of_node[i] != part)
			continue;
		if (!s.nodes++)
			s.first = i;
		s.last = i;
	}
	for (uint32_t i = 0; i < p->nics; i++)
		s.nics += d->of_node[p->nic[i].node] == part;
	for (uint32_t i = 0; i < p->switches; i++)
		s.switches += d->of_switch[i] == part;
	return s;
}

static int print_text(const struct weft_plan *p, const struct weft_sim_division *d)
{
	char time[32];

	for (uint32_t i = 0; i < d->parts; i++) {
		struct share s = share_of(p, d, i);

		printf("part %" PRIu32 ": %" PRIu32 " nodes (%s to %s), %" PRIu32
		       " NICs, %" PRIu32 " switches\n", i, s.nodes,
		       p->node[s.first].name, p->node[s.last].name, s.nics, s.switches);
	}
	printf("%" PRIu32 " of %u links are cut", d->cut, p->links);
	if (d->cells > 1)
		printf(", each part has %" PRIu32 " cells", d->cells);
	if (d->ahead != UINT64_MAX)
		printf(", a window is %s", weft_format_time(time, sizeof(time), d->ahead));
	putchar('\n');
	return cli_done();
}

/* The names of @n objects that are in @part. */
static json_t *names_json(const uint32_t *of, uint32_t n, uint32_t part,
			  const char *(*name)(const struct weft_plan *p, uint32_t i),
			  const struct weft_plan *p)
{
	json_t *names = json_array();

	for (uint32_t i = 0; i < n; i++)
		if (of[i] == part)
			json_array_append_new(names, json_string(name(p, i)));
	return names;
}

static const char *node_name(const struct weft_plan *p, uint32_t i)
{
	return p->node[i].name;
}

static const char *switch_name(const struct weft_plan *p, uint32_t i)
{
	return p->sw[i].name;
}

static json_t *parts_json(const struct weft_plan *p, const struct weft_sim_division *d)
{
	json_t *all = json_object(), *list = json_array();

	for (uint32_t i = 0; i < d->parts; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "nodes", names_json(d->of_node, p->nodes, i,
							   node_name, p));
		json_object_set_new(o, "nics", json_integer(share_of(p, d, i).nics));
		json_object_set_new(o, "switches", names_json(d->of_switch, p->switches,
							      i, switch_name, p));
		json_array_append_new(list, o);
	}
	json_object_set_new(all, "version", json_integer(WEFT_JSON_VERSION));
	json_object_set_new(all, "topology", json_string(p->fabric.name));
	json_object_set_new(all, "cut_links", json_integer(d->cut));
	json_object_set_new(all, "window_ps", d->ahead == UINT64_MAX ? json_null() :
								   weft_json_u64(d->ahead));
	json_object_set_new(all, "cells", json_integer(d->cells));
	json_object_set_new(all, "parts", list);
	return all;
}

/**
 * print_parts() - print where a fabric would be cut
 * @topology: its topology
 * @parts: into how many parts
 * @json: as JSON
 *
 * Return: exit code.
 */
int print_parts(const struct weft_share_choice *topology, uint32_t parts, bool json)
{
	struct weft_sim_division d = { 0 };
	struct weft_share_design design;
	struct weft_plan plan;
	struct weft_err err;
	int ret;

	if (cli_plan(topology, &design, &plan, &err) ||
	    weft_sim_division(&plan, parts, &d, &err))
		ret = cli_fail(&err);
	else
		ret = json ? cli_json(parts_json(&plan, &d)) : print_text(&plan, &d);
	weft_sim_division_free(&d);
	weft_plan_free(&plan);
	weft_share_design_free(&design);
	return ret;
}
