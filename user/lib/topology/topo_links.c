// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list "links" of a topology file.
 *
 * Ends may be ranges. Ranges of the same length are joined one to one; a single name is
 * joined to each name of the other end. "join: all" joins each name with each.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "topology/topo_build.h"

#define COUNT_MAX	64

/**
 * struct entry - an entry of "links" that is being expanded
 * @b: the topology
 * @at: place of the entry
 * @raw: the entry
 * @wire: its parameters
 * @d: the values that it inherits
 * @count: number of parallel links
 * @all: "join: all"
 * @names: expanded ends
 */
struct entry {
	struct weft_topo_build *b;
	struct weft_place at;
	const struct weft_raw_link *raw;
	struct weft_wire wire;
	struct weft_defaults d;
	uint64_t count;
	uint32_t all;
	struct weft_names names[2];
};

static int find_end(struct entry *e, unsigned int side, const char *name,
		    struct weft_topo_end *end)
{
	char place[32];

	snprintf(place, sizeof(place), "ends[%u]", side);
	return weft_build_find(e->b, &e->at, place, name, end);
}

static int join(struct entry *e, size_t i, size_t j)
{
	struct weft_topo_end ends[2];

	if (find_end(e, 0, e->names[0].name[i], &ends[0]) ||
	    find_end(e, 1, e->names[1].name[j], &ends[1]))
		return e->b->err->code;
	for (uint64_t n = 0; n < e->count; n++)
		if (weft_build_link(e->b, &e->at, ends, e->raw->name, &e->wire,
				    e->raw->profile ? &e->d : NULL))
			return e->b->err->code;
	return 0;
}

static int join_all(struct entry *e)
{
	for (size_t i = 0; i < e->names[0].n; i++)
		for (size_t j = 0; j < e->names[1].n; j++)
			if (join(e, i, j))
				return e->b->err->code;
	return 0;
}

static int join_pairs(struct entry *e)
{
	size_t n0 = e->names[0].n, n1 = e->names[1].n;

	if (n0 != n1 && n0 != 1 && n1 != 1)
		return weft_place_fail(&e->at, "ends", e->b->err,
				       "%zu names cannot be joined to %zu one to one: expected equal numbers, one name, or \"join: all\"",
				       n0, n1);
	for (size_t i = 0; i < n0 || i < n1; i++)
		if (join(e, n0 == 1 ? 0 : i, n1 == 1 ? 0 : i))
			return e->b->err->code;
	return 0;
}

static int expand_end(struct entry *e, unsigned int side)
{
	char place[32];

	if (!weft_names_expand(&e->names[side], e->raw->ends[side], e->b->err))
		return 0;
	if (e->b->err->kind != WEFT_ERR_USAGE)
		return e->b->err->code;
	snprintf(place, sizeof(place), "ends[%u]", side);
	return weft_place_fail(&e->at, place, e->b->err, "%s", e->b->err->msg);
}

static int profile_wire(struct entry *e)
{
	e->d = e->b->defaults;
	if (weft_topo_profile(e->b, &e->at, e->raw->profile, &e->d))
		return e->b->err->code;
	e->wire = e->d.wire;
	return weft_link_params(&e->at, &e->raw->p, &e->wire, e->b->err);
}

static int take_entry(struct entry *e)
{
	static const char *const joins[] = { "pairs", "all", NULL };
	struct weft_err *err = e->b->err;

	e->count = 1;
	if (profile_wire(e) ||
	    weft_take_number(&e->at, "count", e->raw->count, 1, COUNT_MAX,
			     &e->count, err) ||
	    weft_take_choice(&e->at, "join", e->raw->join, joins, &e->all,
			     err) ||
	    expand_end(e, 0) || expand_end(e, 1))
		return err->code;
	return e->all ? join_all(e) : join_pairs(e);
}

/**
 * weft_topo_links() - add the links of the file
 * @b: the topology, with all nodes and switches and the table of their names
 *
 * Return: 0 or negative errno.
 */
int weft_topo_links(struct weft_topo_build *b)
{
	struct entry e;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < b->raw->links_count; i++) {
		e = (struct entry) { .b = b, .raw = &b->raw->links[i] };
		e.at.yaml = b->yaml;
		snprintf(e.at.path, sizeof(e.at.path), "links[%u]", i);
		ret = take_entry(&e);
		weft_names_free(&e.names[0]);
		weft_names_free(&e.names[1]);
	}
	return ret;
}
