// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Forwarding tables without the links that are down.
 *
 * The policy of the topology applies as long as it connects all connected
 * switches and lossless classes cannot deadlock. Otherwise up-down replaces it,
 * which achieves both in any network. A NIC whose link is down has no routes.
 *
 * Routes that the topology names are made for the whole network. While a link
 * between switches is down, the policy alone decides: both together could make
 * packets loop.
 */
#include "plan/reroute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/plan_cycles.h"
#include "plan/plan_graph.h"
#include "plan/plan_route.h"
#include "plan/plan_ways.h"

/**
 * weft_policy_name() - name of a policy in a topology file
 * @policy: enum weft_policy
 *
 * Return: its name.
 */
const char *weft_policy_name(uint32_t policy)
{
	static const char *const names[] = {
		[WEFT_POLICY_MIN_HOP] = "min-hop",
		[WEFT_POLICY_UP_DOWN] = "up-down",
		[WEFT_POLICY_FAT_TREE] = "fat-tree",
		[WEFT_POLICY_DIMENSION_ORDER] = "dimension-order",
	};

	return names[policy];
}

static bool loses_way(const struct weft_plan *plan, const bool *down)
{
	for (unsigned int i = 0; i < plan->links; i++)
		if (down[i] && !plan->link[i].end[0].is_nic &&
		    !plan->link[i].end[1].is_nic)
			return true;
	return false;
}

/* Copy a plan without its routes and notes; the rest is shared. */
static struct weft_plan without_routes(const struct weft_plan *plan)
{
	struct weft_plan p = *plan;

	p.routes = 0;
	p.route = NULL;
	p.notes = 0;
	p.note = NULL;
	return p;
}

static void drop_routes(struct weft_plan *p)
{
	weft_route_list_free(p->route, p->routes);
	p->routes = 0;
	p->route = NULL;
}

static int find_routes(struct weft_plan *p, struct weft_ways *ways,
		       struct weft_err *err)
{
	int ret = weft_plan_routes(p, ways->g, ways, ways->topo, err);

	return ret ? ret : weft_plan_cycles(p, ways, err);
}

/* Find routes by the policy, or by up-down if the policy fails. */
static int find_ways(struct weft_tables *t, struct weft_plan *p,
		     struct weft_ways *ways, const bool *down,
		     struct weft_err *err)
{
	int ret = t->links ? weft_ways_lose(ways, down, err) : 0;

	if (!ret)
		ret = find_routes(p, ways, err);
	if ((ret != -EINVAL && ret != -EDEADLK) ||
	    ways->policy == WEFT_POLICY_UP_DOWN)
		return ret;
	snprintf(t->why, sizeof(t->why), "%.*s", WEFT_NOTE_MAX - 1, err->msg);
	drop_routes(p);
	ret = weft_ways_up_down(ways, err);
	return ret ? ret : find_routes(p, ways, err);
}

static void count_nics(struct weft_tables *t, const struct weft_plan *plan,
		       const struct weft_ways *ways, const bool *down)
{
	for (unsigned int i = 0; i < plan->links; i++)
		for (unsigned int s = 0; down[i] && s < 2; s++) {
			const struct weft_end *e = &plan->link[i].end[s];

			if (e->is_nic && !plan->link[i].end[!s].is_nic &&
			    ways->home[e->id] == WEFT_FAR)
				t->nics++;
		}
}

static void take_tables(struct weft_tables *t, struct weft_plan *p,
			const struct weft_ways *ways)
{
	uint32_t asked = ways->topo->routing.policy;

	t->route = p->route;
	t->routes = p->routes;
	p->route = NULL;
	p->routes = 0;
	t->policy = ways->policy;
	if (t->policy != asked && !*t->why)
		snprintf(t->why, sizeof(t->why),
			 "routing: policy %s leaves switches without a path",
			 weft_policy_name(asked));
}

static int make_tables(struct weft_tables *t, const struct weft_plan *plan,
		       const struct weft_topo *topo, const bool *down,
		       struct weft_graph *g, struct weft_err *err)
{
	struct weft_plan p = without_routes(plan);
	struct weft_ways ways;
	int ret;

	ret = weft_ways_make(&ways, &p, topo, g, err);
	if (!ret)
		ret = find_ways(t, &p, &ways, down, err);
	if (!ret) {
		take_tables(t, &p, &ways);
		count_nics(t, plan, &ways, down);
	}
	drop_routes(&p);
	free(p.note);
	weft_ways_free(&ways);
	return ret;
}

/**
 * weft_tables_make() - find routes without the links that are down
 * @t: result, to be freed by weft_tables_free() even after an error
 * @plan: the plan of the topology
 * @topo: the topology
 * @down: whether each link of @plan is down
 * @err: error; the present tables are better then
 *
 * With all links up the tables are those of the plan.
 *
 * Return: 0 or negative errno.
 */
int weft_tables_make(struct weft_tables *t, const struct weft_plan *plan,
		     const struct weft_topo *topo, const bool *down,
		     struct weft_err *err)
{
	struct weft_topo without = *topo;
	struct weft_graph g;
	int ret;

	*t = (struct weft_tables) { 0 };
	for (unsigned int i = 0; i < plan->links; i++)
		t->links += down[i];
	if (loses_way(plan, down))
		without.routes = 0;
	ret = weft_graph_make(&g, plan, err);
	if (!ret)
		ret = make_tables(t, plan, &without, down, &g, err);
	weft_graph_free(&g);
	return ret;
}

/**
 * weft_tables_free() - free tables
 * @t: the tables
 */
void weft_tables_free(struct weft_tables *t)
{
	weft_route_list_free(t->route, t->routes);
	t->route = NULL;
	t->routes = 0;
}
