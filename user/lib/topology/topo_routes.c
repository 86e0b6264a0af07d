// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list "routes" of a topology file: explicit routes.
 *
 * An entry is a path from a switch to one that has a link to the destination. Each switch
 * of the path except the last sends packets for the destination to the next one, from
 * whichever source.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "topology/topo_build.h"

#define ROUTES_MAX	65536

/**
 * struct way - an entry that is being read
 * @b: the topology
 * @at: place of the entry
 * @raw: the entry
 */
struct way {
	struct weft_topo_build *b;
	struct weft_place at;
	const struct weft_raw_route *raw;
};

static int find_switch(struct way *w, const char *key, const char *name,
		       uint32_t *sw)
{
	struct weft_topo_end end;

	if (weft_build_find(w->b, &w->at, key, name, &end))
		return w->b->err->code;
	if (end.is_node)
		return weft_place_fail(&w->at, key, w->b->err,
				       "\"%s\" is a node, expected a switch",
				       name);
	*sw = end.index;
	return 0;
}

static int find_node(struct way *w, const char *name, uint32_t *node)
{
	struct weft_topo_end end;

	if (weft_build_find(w->b, &w->at, "to", name, &end))
		return w->b->err->code;
	if (!end.is_node)
		return weft_place_fail(&w->at, "to", w->b->err,
				       "\"%s\" is a switch, expected a node",
				       name);
	*node = end.index;
	return 0;
}

static bool joins(const struct weft_topo_link *l, uint32_t a, uint32_t b)
{
	const struct weft_topo_end *x = &l->end[0], *y = &l->end[1];

	return !x->is_node && !y->is_node &&
	       ((x->index == a && y->index == b) ||
		(x->index == b && y->index == a));
}

static bool is_linked(const struct weft_topo *t, uint32_t a, uint32_t b)
{
	for (unsigned int i = 0; i < t->links; i++)
		if (joins(&t->link[i], a, b))
			return true;
	return false;
}

static int add(struct way *w, const char *key, struct weft_topo_route r)
{
	struct weft_topo *t = w->b->topo;
	struct weft_topo_route *more;

	if (t->routes == ROUTES_MAX)
		return weft_place_fail(&w->at, "", w->b->err,
				       "more than %d hops", ROUTES_MAX);
	if (!is_linked(t, r.sw, r.next))
		return weft_place_fail(&w->at, key, w->b->err,
				       "there is no link from %s to %s",
				       t->sw[r.sw].sw.name,
				       t->sw[r.next].sw.name);
	more = weft_array_grow(t->route, t->routes, sizeof(*t->route));
	if (!more)
		return weft_err_nomem(w->b->err);
	t->route = more;
	t->route[t->routes++] = r;
	return 0;
}

/* Add all hops of the path to one NIC. */
static int add_way(struct way *w, uint32_t first, struct weft_topo_route r)
{
	char key[32];

	r.sw = first;
	for (unsigned int i = 0; i < w->raw->via.n; i++) {
		snprintf(key, sizeof(key), "via[%u]", i);
		if (find_switch(w, key, w->raw->via.v[i], &r.next) ||
		    add(w, key, r))
			return w->b->err->code;
		r.sw = r.next;
	}
	return 0;
}

/* Is a link between @node and the switch @home? @nic is the NIC of the node. */
static bool is_home(const struct weft_topo_link *l, uint32_t node,
		    uint32_t home, uint32_t *nic)
{
	for (unsigned int s = 0; s < 2; s++) {
		const struct weft_topo_end *n = &l->end[s], *sw = &l->end[!s];

		if (!n->is_node || n->index != node || sw->is_node ||
		    sw->index != home)
			continue;
		*nic = n->port;
		return true;
	}
	return false;
}

static int add_node(struct way *w, const char *name)
{
	const char *last = w->raw->via.v[w->raw->via.n - 1];
	struct weft_topo *t = w->b->topo;
	struct weft_topo_route r = { 0 };
	uint32_t first = 0, home = 0;
	bool found = false;

	if (find_node(w, name, &r.node) ||
	    find_switch(w, "switch", w->raw->sw, &first) ||
	    find_switch(w, "via", last, &home))
		return w->b->err->code;
	for (unsigned int i = 0; i < t->links; i++) {
		if (!is_home(&t->link[i], r.node, home, &r.nic))
			continue;
		found = true;
		if (add_way(w, first, r))
			return w->b->err->code;
	}
	if (found)
		return 0;
	return weft_place_fail(&w->at, "via", w->b->err,
			       "via ends at %s, which has no link to %s", last,
			       name);
}

static int take_entry(struct way *w)
{
	struct weft_err *err = w->b->err;
	struct weft_names names = { 0 };
	int ret = 0;

	if (weft_names_expand(&names, w->raw->to, err)) {
		ret = err->code;
		if (err->kind == WEFT_ERR_USAGE)
			ret = weft_place_fail(&w->at, "to", err, "to: %s",
					      err->msg);
	}
	for (size_t i = 0; !ret && i < names.n; i++)
		ret = add_node(w, names.name[i]);
	weft_names_free(&names);
	return ret;
}

static int order(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b)
{
	const struct weft_topo_route *x = a, *y = b;
	int ret = order(x->node, y->node);

	if (!ret)
		ret = order(x->nic, y->nic);
	return ret ? ret : order(x->sw, y->sw);
}

static int check_doubles(struct weft_topo_build *b)
{
	const struct weft_place at = { b->yaml, "routes" };
	struct weft_topo *t = b->topo;

	for (unsigned int i = 1; i < t->routes; i++) {
		const struct weft_topo_route *r = &t->route[i];

		if (!compare(r - 1, r) && r[-1].next != r->next)
			return weft_place_fail(&at, "", b->err,
					       "%s has two next hops for %s, %s and %s: expected one",
					       t->sw[r->sw].sw.name,
					       t->node[r->node].name,
					       t->sw[r[-1].next].sw.name,
					       t->sw[r->next].sw.name);
	}
	return 0;
}

/**
 * weft_topo_routes() - add the explicit routes of the file
 * @b: the topology, with all links
 *
 * Return: 0 or negative errno.
 */
int weft_topo_routes(struct weft_topo_build *b)
{
	struct weft_topo *t = b->topo;
	struct way w = { .b = b };
	int ret = 0;

	w.at.yaml = b->yaml;
	for (unsigned int i = 0; !ret && i < b->raw->routes_count; i++) {
		w.raw = &b->raw->routes[i];
		snprintf(w.at.path, sizeof(w.at.path), "routes[%u]", i);
		ret = take_entry(&w);
	}
	if (ret || !t->routes)
		return ret;
	qsort(t->route, t->routes, sizeof(*t->route), compare);
	return check_doubles(b);
}
