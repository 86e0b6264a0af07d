// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators: whole designs from a few numbers.
 *
 * single-switch: hosts host0..., all on the switch leaf0.
 * fat-tree: two tiers. Hosts host0... fill leaf0, leaf1, ... in order; each
 * leaf has uplinks-per-spine links to each of spine0...
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "topo_build.h"

#define UPLINKS_MAX	64

/**
 * struct shape - the numbers of a generator
 * @leaves: switches with hosts
 * @spines: switches without
 * @hosts: hosts on each leaf
 * @uplinks: links from each leaf to each spine
 */
struct shape {
	uint64_t leaves;
	uint64_t spines;
	uint64_t hosts;
	uint64_t uplinks;
};

static int need(const struct weft_place *at, const char *key, const char *text,
		uint64_t hi, uint64_t *v, struct weft_err *err)
{
	if (!text)
		return weft_place_fail(at, "", err,
				       "generate lacks the key \"%s\"", key);
	return weft_take_number(at, key, text, 1, hi, v, err);
}

static int refuse(const struct weft_place *at, const char *key,
		  const char *text, const char *kind, struct weft_err *err)
{
	if (!text)
		return 0;
	return weft_place_fail(at, key, err, "%s does not belong to kind %s",
			       key, kind);
}

static int shape_single(const struct weft_raw_generate *raw,
			const struct weft_place *at, struct shape *s,
			struct weft_err *err)
{
	static const char kind[] = "single-switch";

	s->leaves = 1;
	if (refuse(at, "leaves", raw->leaves, kind, err) ||
	    refuse(at, "spines", raw->spines, kind, err) ||
	    refuse(at, "hosts-per-leaf", raw->hosts_per_leaf, kind, err) ||
	    refuse(at, "uplinks-per-spine", raw->uplinks_per_spine, kind, err))
		return err->code;
	return need(at, "hosts", raw->hosts, WEFT_NODES_MAX, &s->hosts, err);
}

static int shape_fat_tree(const struct weft_raw_generate *raw,
			  const struct weft_place *at, struct shape *s,
			  struct weft_err *err)
{
	s->uplinks = 1;
	if (refuse(at, "hosts", raw->hosts, "fat-tree", err) ||
	    need(at, "leaves", raw->leaves, WEFT_SWITCHES_MAX, &s->leaves,
		 err) ||
	    need(at, "spines", raw->spines, WEFT_SWITCHES_MAX, &s->spines,
		 err) ||
	    need(at, "hosts-per-leaf", raw->hosts_per_leaf, WEFT_NODES_MAX,
		 &s->hosts, err))
		return err->code;
	return weft_take_number(at, "uplinks-per-spine",
				raw->uplinks_per_spine, 1, UPLINKS_MAX,
				&s->uplinks, err);
}

static int add_objects(struct weft_topo_build *b, const struct weft_place *at,
		       const struct shape *s)
{
	struct weft_topo_switch like = weft_switch_like(&b->defaults);
	char name[WEFT_OBJECT_NAME_MAX + 1];

	if (weft_build_entry(b, at, NULL, &b->defaults))
		return b->err->code;
	for (uint64_t i = 0; i < s->leaves * s->hosts; i++) {
		snprintf(name, sizeof(name), "host%u", (unsigned int)i);
		if (weft_build_node(b, name))
			return b->err->code;
	}
	for (uint64_t i = 0; i < s->leaves + s->spines; i++) {
		bool leaf = i < s->leaves;

		snprintf(name, sizeof(name), "%s%u", leaf ? "leaf" : "spine",
			 (unsigned int)(leaf ? i : i - s->leaves));
		if (weft_build_switch(b, at, name, &like))
			return b->err->code;
	}
	return 0;
}

static int add_host_links(struct weft_topo_build *b,
			  const struct weft_place *at, const struct shape *s,
			  const struct weft_wire *wire)
{
	struct weft_topo_end ends[2] = { { .is_node = true } };

	for (uint64_t i = 0; i < s->leaves * s->hosts; i++) {
		ends[0].index = (unsigned int)i;
		ends[1].index = (unsigned int)(i / s->hosts);
		if (weft_build_link(b, at, ends, NULL, wire, NULL))
			return b->err->code;
	}
	return 0;
}

static int add_uplinks(struct weft_topo_build *b, const struct weft_place *at,
		       const struct shape *s, const struct weft_wire *wire)
{
	struct weft_topo_end ends[2] = { { 0 } };
	uint64_t n = s->spines * s->uplinks;

	for (uint64_t i = 0; i < s->leaves * n; i++) {
		ends[0].index = (unsigned int)(i / n);
		ends[1].index = (unsigned int)(s->leaves + i % n / s->uplinks);
		if (weft_build_link(b, at, ends, NULL, wire, NULL))
			return b->err->code;
	}
	return 0;
}

static int take_shape(struct weft_topo_build *b, const struct weft_place *at,
		      struct shape *s)
{
	static const char *const kinds[] = {
		"single-switch", "fat-tree", NULL
	};
	const struct weft_raw_generate *raw = b->raw->generate;
	uint32_t kind = 0;

	if (weft_take_choice(at, "kind", raw->kind, kinds, &kind, b->err))
		return b->err->code;
	return kind ? shape_fat_tree(raw, at, s, b->err) :
		      shape_single(raw, at, s, b->err);
}

/**
 * weft_topo_generate() - add what the generator makes, if there is one
 * @b: the topology, still empty
 *
 * Return: 0 or negative errno.
 */
int weft_topo_generate(struct weft_topo_build *b)
{
	struct weft_wire host = b->defaults.wire, up = b->defaults.wire;
	struct weft_place at = { .yaml = b->yaml, .path = "generate" };
	struct weft_place host_at = at, up_at = at;
	struct shape s = { 0 };

	if (!b->raw->generate)
		return 0;
	strcat(host_at.path, ".host-link");
	strcat(up_at.path, ".uplink");
	if (take_shape(b, &at, &s) ||
	    weft_link_params(&host_at, &b->raw->generate->host_link, &host,
			     b->err) ||
	    weft_link_params(&up_at, &b->raw->generate->uplink, &up, b->err) ||
	    add_objects(b, &at, &s) || add_host_links(b, &at, &s, &host))
		return b->err->code;
	return add_uplinks(b, &at, &s, &up);
}
