// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * New routes as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "lab/lab_routes.h"
#include "netlink/json.h"

static json_t *links_down(const struct weft_lab_routes *r)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < r->plan.links; i++)
		if (r->down[i])
			json_array_append_new(a,
					      json_string(r->plan.link[i].name));
	return a;
}

/* Number of entries: one for each destination and switch. */
static json_int_t entries(const struct weft_reroute *re, bool del)
{
	json_int_t n = 0;

	for (unsigned int i = 0; i < re->ops.n; i++) {
		const struct weft_route_op *op = &re->ops.op[i];

		if (!op->route.flood && op->del == del)
			n += op->route.dst_last - op->route.dst + 1;
	}
	return n;
}

/**
 * weft_reroute_json() - represent a change of routes as JSON
 * @r: the lab
 * @re: the new routes
 * @since: fabric time when the links changed, ps; WEFT_NO_DEADLINE: unknown
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_reroute_json(const struct weft_lab_routes *r,
			  const struct weft_reroute *re, uint64_t since)
{
	json_t *o = json_object();

	json_object_set_new(o, "since_ps", since == WEFT_NO_DEADLINE ?
			    json_null() : weft_json_u64(since));
	json_object_set_new(o, "time_ps", weft_json_u64(re->now));
	json_object_set_new(o, "links_down", links_down(r));
	json_object_set_new(o, "nics_cut_off", json_integer(re->tables.nics));
	json_object_set_new(o, "policy",
			    json_string(weft_policy_name(re->tables.policy)));
	json_object_set_new(o, "why", *re->tables.why ?
			    json_string(re->tables.why) : json_null());
	json_object_set_new(o, "routes_set", json_integer(entries(re, false)));
	json_object_set_new(o, "routes_removed",
			    json_integer(entries(re, true)));
	return o;
}

static json_t *change_json(const struct weft_lab_routes *r,
			   const struct weft_route_op *op)
{
	const struct weft_plan_nic *nic = r->plan.nic;
	json_t *o = json_object(), *ports = json_array();

	for (unsigned int i = 0; i < op->route.ports; i++)
		json_array_append_new(ports, json_integer(op->route.port[i]));
	json_object_set_new(o, "switch",
			    json_string(r->plan.sw[op->route.sw].name));
	json_object_set_new(o, "flood", json_boolean(op->route.flood));
	if (!op->route.flood) {
		json_object_set_new(o, "first",
				    json_string(nic[op->route.dst].nic.name));
		json_object_set_new(o, "last",
				    json_string(nic[op->route.dst_last].nic.name));
	}
	json_object_set_new(o, "ports", ports);
	return o;
}

/**
 * weft_reroute_changes() - represent each change of a table as JSON, in order
 * @r: the lab
 * @re: the new routes
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_reroute_changes(const struct weft_lab_routes *r,
			     const struct weft_reroute *re)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < re->ops.n; i++)
		json_array_append_new(a, change_json(r, &re->ops.op[i]));
	return a;
}

/**
 * weft_reroutes_load() - read the recorded changes of routes
 * @lab: the lab
 *
 * An incomplete last line is ignored.
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_reroutes_load(const struct weft_lab *lab)
{
	json_t *a = json_array(), *o;
	char path[WEFT_LAB_PATH];
	FILE *f;

	weft_lab_path(lab, path, "reroutes");
	f = fopen(path, "re");
	while (f && (o = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)))
		json_array_append_new(a, o);
	if (f)
		fclose(f);
	return a;
}
