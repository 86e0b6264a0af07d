// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A planned topology of libweft as plain arrays.
 */
#include "load_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "plan/plan.h"
#include "topology/share.h"

/**
 * struct load_plan - the plan
 * @plan: plan of libweft
 */
struct load_plan {
	struct weft_plan plan;
};

/**
 * load_seconds() - CPU time of this process
 *
 * Return: seconds.
 */
double load_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const struct weft_err *err)
{
	fprintf(stderr, "error: %s\n", err->msg);
	exit(1);
}

/**
 * load_plan_make() - read and plan a topology
 * @name: name as for `weft topology`
 * @set: settings "key=value"
 * @sets: entries of @set
 * @planned: result: CPU seconds to plan, without reading
 *
 * Return: the plan; exits on error.
 */
struct load_plan *load_plan_make(const char *name, char *const *set,
				 unsigned int sets, double *planned)
{
	const struct weft_share_choice choice = {
		.name = name, .set = set, .sets = sets,
	};
	struct load_plan *p = calloc(1, sizeof(*p));
	struct weft_share_design d;
	struct weft_err err;

	if (!p)
		abort();
	if (weft_share_design(&choice, &d, &err))
		die(&err);
	*planned = load_seconds();
	if (weft_plan_make(&p->plan, &d.topo, &err))
		die(&err);
	*planned = load_seconds() - *planned;
	weft_share_design_free(&d);
	return p;
}

/**
 * load_plan_free() - free a plan
 * @p: the plan
 */
void load_plan_free(struct load_plan *p)
{
	weft_plan_free(&p->plan);
	free(p);
}

/**
 * load_plan_nics() - number of NICs
 * @p: the plan
 *
 * Return: the number, which is also the number of destinations.
 */
unsigned int load_plan_nics(const struct load_plan *p)
{
	return p->plan.nics;
}

/**
 * load_plan_switches() - number of switches
 * @p: the plan
 *
 * Return: the number.
 */
unsigned int load_plan_switches(const struct load_plan *p)
{
	return p->plan.switches;
}

/**
 * load_plan_links() - number of links
 * @p: the plan
 *
 * Return: the number.
 */
unsigned int load_plan_links(const struct load_plan *p)
{
	return p->plan.links;
}

/**
 * load_plan_routes() - number of routes
 * @p: the plan
 *
 * Return: the number.
 */
unsigned int load_plan_routes(const struct load_plan *p)
{
	return p->plan.routes;
}

/**
 * load_plan_ports() - number of ports of a switch
 * @p: the plan
 * @sw: the switch
 *
 * Return: the number.
 */
uint32_t load_plan_ports(const struct load_plan *p, unsigned int sw)
{
	return p->plan.sw[sw].ports;
}

/**
 * load_plan_link() - get the ends of a link
 * @p: the plan
 * @i: index of the link
 * @ends: result
 */
void load_plan_link(const struct load_plan *p, unsigned int i,
		    struct load_end ends[2])
{
	for (unsigned int k = 0; k < 2; k++) {
		const struct weft_end *e = &p->plan.link[i].end[k];

		ends[k] = (struct load_end) { e->is_nic, e->id, e->port };
	}
}

/**
 * load_plan_route() - get a route
 * @p: the plan
 * @i: index of the route
 * @r: result
 *
 * Return: 1 if it is for destinations, 0 if it is for multicast.
 */
int load_plan_route(const struct load_plan *p, unsigned int i,
		    struct load_route *r)
{
	const struct weft_route *from = &p->plan.route[i];

	*r = (struct load_route) {
		from->sw, from->dst, from->dst_last, from->ports, from->port
	};
	return !from->flood;
}
