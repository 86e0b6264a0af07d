// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The group "routing" of a topology file: how paths are found.
 */
#include <stdio.h>
#include <stdlib.h>

#include "topology/topo_build.h"

static int check_keys(struct weft_topo_build *b, const struct weft_place *at)
{
	const struct weft_raw_routing *raw = &b->raw->routing;
	uint32_t policy = b->topo->routing.policy;

	if (policy == WEFT_POLICY_DIMENSION_ORDER && !b->topo->dims)
		return weft_place_fail(at, "policy", b->err,
				       "policy: dimension-order needs coordinates: expected \"torus\", and \"at\" of each switch");
	if (raw->datelines && policy != WEFT_POLICY_DIMENSION_ORDER)
		return weft_place_fail(at, "datelines", b->err,
				       "datelines: only policy dimension-order has them");
	if (raw->convergence && b->topo->managed)
		return weft_place_fail(at, "convergence", b->err,
				       "convergence: with subnet-manager: external, the subnet manager computes routes");
	if (raw->roots.n && policy != WEFT_POLICY_UP_DOWN)
		return weft_place_fail(at, "roots", b->err,
				       "roots: only policy up-down has them");
	return 0;
}

static bool is_root(const struct weft_topo_routing *r, uint32_t sw)
{
	for (unsigned int i = 0; i < r->roots; i++)
		if (r->root[i] == sw)
			return true;
	return false;
}

static int take_root(struct weft_topo_build *b, const struct weft_place *at,
		     const char *key, const char *name)
{
	struct weft_topo_routing *r = &b->topo->routing;
	struct weft_topo_end end;

	if (weft_build_find(b, at, key, name, &end))
		return b->err->code;
	if (end.is_node)
		return weft_place_fail(at, key, b->err,
				       "\"%s\" is a node, expected a switch",
				       name);
	if (is_root(r, end.index))
		return weft_place_fail(at, key, b->err, "\"%s\" is given twice",
				       name);
	r->root[r->roots++] = end.index;
	return 0;
}

static int take_roots(struct weft_topo_build *b, const struct weft_place *at)
{
	const struct weft_raw_list *raw = &b->raw->routing.roots;
	struct weft_topo_routing *r = &b->topo->routing;
	char key[32];

	r->root = calloc(raw->n + 1, sizeof(*r->root));
	if (!r->root)
		return weft_err_nomem(b->err);
	for (unsigned int i = 0; i < raw->n; i++) {
		snprintf(key, sizeof(key), "roots[%u]", i);
		if (take_root(b, at, key, raw->v[i]))
			return b->err->code;
	}
	return 0;
}

/**
 * weft_topo_routing() - parse the group "routing"
 * @b: the topology, with all links
 *
 * The default policy is dimension-order for a torus, else min-hop.
 *
 * Return: 0 or negative errno.
 */
int weft_topo_routing(struct weft_topo_build *b)
{
	static const char *const policies[] = {
		[WEFT_POLICY_MIN_HOP] = "min-hop",
		[WEFT_POLICY_UP_DOWN] = "up-down",
		[WEFT_POLICY_FAT_TREE] = "fat-tree",
		[WEFT_POLICY_DIMENSION_ORDER] = "dimension-order", NULL
	};
	static const char *const onoff[] = { "off", "on", NULL };
	const struct weft_raw_routing *raw = &b->raw->routing;
	struct weft_topo_routing *r = &b->topo->routing;
	const struct weft_place at = { b->yaml, "routing" };
	uint32_t allow = 0;

	if (b->topo->dims)
		r->policy = WEFT_POLICY_DIMENSION_ORDER;
	r->datelines = WEFT_DATELINES_IF_POSSIBLE;
	if (weft_take_choice(&at, "policy", raw->policy, policies, &r->policy,
			     b->err) ||
	    weft_take_choice(&at, "datelines", raw->datelines, onoff,
			     &r->datelines, b->err) ||
	    weft_take_choice(&at, "allow-cycles", raw->allow_cycles, onoff,
			     &allow, b->err) ||
	    weft_take_time(&at, "convergence", raw->convergence,
			   &r->convergence, b->err) ||
	    check_keys(b, &at))
		return b->err->code;
	r->allow_cycles = allow;
	r->converges = raw->convergence;
	return take_roots(b, &at);
}
