// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recompute the routes of a lab that is up when its links change.
 *
 * The plan is computed from the files of which the lab was created. Links of
 * the fabric are matched with the plan by their ends, switches by their names.
 * A link counts as down if it was removed, or if one direction is down.
 */
#include "lab/lab_routes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "base/json_text.h"
#include "lab/lab_sources.h"

#define NONE		UINT32_MAX
#define TRIES		100

/* Map each port of a switch, and each NIC, to its planned link. */
static int map_ports(struct weft_lab_routes *r, struct weft_err *err)
{
	const struct weft_plan *p = &r->plan;
	unsigned int n = 0;

	r->first = calloc(p->switches + 1, sizeof(*r->first));
	r->down = calloc(p->links + 1, sizeof(*r->down));
	if (!r->first || !r->down)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < p->switches; i++) {
		r->first[i] = n;
		n += p->sw[i].ports;
	}
	r->first[p->switches] = n;
	r->at = calloc(n + p->nics + 1, sizeof(*r->at));
	if (!r->at)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < n + p->nics; i++)
		r->at[i] = NONE;
	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &p->link[i].end[s];

			r->at[e->is_nic ? n + e->id :
			      r->first[e->id] + e->port] = i;
		}
	return 0;
}

static uint32_t find_switch(const struct weft_plan *p, const char *name)
{
	for (uint32_t i = 0; i < p->switches; i++)
		if (!strcmp(p->sw[i].name, name))
			return i;
	return NONE;
}

static int note_number(struct weft_lab_routes *r, uint32_t id, uint32_t planned,
		       struct weft_err *err)
{
	void *more;

	for (; r->numbers <= id; r->numbers++) {
		more = weft_array_grow(r->planned, r->numbers,
				       sizeof(*r->planned));
		if (!more)
			return weft_err_nomem(err);
		r->planned = more;
		r->planned[r->numbers] = NONE;
	}
	r->planned[id] = planned;
	r->sw[planned] = id;
	return 0;
}

/* The kernel lists switches in the order of creation, usually that of the plan. */
static int map_switches(struct weft_lab_routes *r, struct weft_err *err)
{
	const struct weft_plan *p = &r->plan;
	struct weft_switch *list;
	unsigned int n;
	int ret;

	r->sw = calloc(p->switches + 1, sizeof(*r->sw));
	if (!r->sw)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < p->switches; i++)
		r->sw[i] = NONE;
	ret = weft_switch_list(&r->nl, r->fabric, &list, &n, err);
	for (unsigned int i = 0; !ret && i < n; i++) {
		uint32_t planned = i;

		if (i >= p->switches || strcmp(p->sw[i].name, list[i].name))
			planned = find_switch(p, list[i].name);
		if (planned != NONE)
			ret = note_number(r, list[i].id, planned, err);
	}
	free(list);
	return ret;
}

static int find_fabric(struct weft_lab_routes *r, struct weft_err *err)
{
	struct weft_fabric f;
	int ret = weft_fabric_find(&r->nl, r->lab->name, &f, err);

	r->fabric = f.id;
	r->dilation = f.dilation;
	weft_fabric_free(&f);
	return ret;
}

/**
 * weft_lab_routes_match() - match the fabric of a lab with its plan
 * @r: result, to be closed by weft_lab_routes_close() even after an error
 * @lab: the lab, up; must outlive @r
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_routes_match(struct weft_lab_routes *r, const struct weft_lab *lab,
			  struct weft_err *err)
{
	int ret;

	*r = (struct weft_lab_routes) { .lab = lab };
	ret = weft_lab_plan(r->lab, &r->topo, &r->plan, err);
	if (!ret)
		ret = map_ports(r, err);
	if (!ret)
		ret = weft_lab_nl(lab, &r->nl, err);
	if (!ret)
		ret = find_fabric(r, err);
	if (!ret)
		ret = map_switches(r, err);
	return ret;
}

/**
 * weft_lab_routes_open() - the same, to change its routes
 * @r: result, to be closed by weft_lab_routes_close() even after an error
 * @lab: the lab, up; must outlive @r
 * @err: error
 *
 * Return: 0 or negative errno; -EOPNOTSUPP where a subnet manager computes the routes.
 */
int weft_lab_routes_open(struct weft_lab_routes *r, const struct weft_lab *lab,
			 struct weft_err *err)
{
	int ret = weft_lab_routes_match(r, lab, err);

	if (!ret && r->topo.managed)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				   "lab %s has subnet-manager: external, so its subnet manager computes the routes",
				   lab->name);
	return ret;
}

/**
 * weft_lab_routes_close() - free the routes of a lab
 * @r: the lab
 */
void weft_lab_routes_close(struct weft_lab_routes *r)
{
	weft_nl_close(&r->nl);
	weft_plan_free(&r->plan);
	weft_topo_free(&r->topo);
	free(r->sw);
	free(r->planned);
	free(r->first);
	free(r->at);
	free(r->down);
	*r = (struct weft_lab_routes) { 0 };
}

/**
 * weft_lab_routes_now() - read the fabric time
 * @r: the lab
 * @now: result, ps
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if the fabric is gone.
 */
int weft_lab_routes_now(struct weft_lab_routes *r, uint64_t *now, struct weft_err *err)
{
	struct weft_fabric f;
	int ret = weft_fabric_find(&r->nl, r->lab->name, &f, err);

	*now = f.now;
	weft_fabric_free(&f);
	return ret;
}

static unsigned int link_at(const struct weft_lab_routes *r,
			    const struct weft_end *e)
{
	uint32_t sw;

	if (e->is_nic)
		return e->id < r->plan.nics ?
		       r->at[r->first[r->plan.switches] + e->id] : NONE;
	sw = e->id < r->numbers ? r->planned[e->id] : NONE;
	if (sw == NONE || e->port >= r->plan.sw[sw].ports)
		return NONE;
	return r->at[r->first[sw] + e->port];
}

/**
 * weft_lab_routes_see() - note the state of a link
 * @r: the lab
 * @link: the link, as the kernel reports it
 * @gone: it was removed
 *
 * Return: whether it went down or came up; false for links that are not in the
 * plan.
 */
bool weft_lab_routes_see(struct weft_lab_routes *r, const struct weft_link *link,
			 bool gone)
{
	unsigned int i = link_at(r, &link->end[0]);
	bool down = gone || !weft_link_is_up(link);

	if (i == NONE || link_at(r, &link->end[1]) != i || r->down[i] == down)
		return false;
	r->down[i] = down;
	return true;
}

/* Links that do not exist any more are down. */
static bool see_all(struct weft_lab_routes *r, const struct weft_link *list,
		    unsigned int n, bool *there)
{
	bool news = false;
	unsigned int at;

	for (unsigned int i = 0; i < n; i++) {
		at = link_at(r, &list[i].end[0]);
		if (at != NONE && link_at(r, &list[i].end[1]) == at)
			there[at] = true;
		news |= weft_lab_routes_see(r, &list[i], false);
	}
	for (unsigned int i = 0; i < r->plan.links; i++)
		if (!there[i] && !r->down[i]) {
			r->down[i] = true;
			news = true;
		}
	return news;
}

/**
 * weft_lab_routes_look() - read the state of all links
 * @r: the lab
 * @news: result: whether any link went down or came up
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_routes_look(struct weft_lab_routes *r, bool *news, struct weft_err *err)
{
	bool *there = calloc(r->plan.links + 1, sizeof(*there));
	struct weft_link *list = NULL;
	unsigned int n = 0;
	int ret = -EAGAIN;

	if (!there)
		return weft_err_nomem(err);
	for (int i = 0; ret == -EAGAIN && i < TRIES; i++) {
		weft_link_list_free(list, n);
		ret = weft_link_list(&r->nl, r->fabric, &list, &n, err);
	}
	if (!ret)
		*news = see_all(r, list, n, there);
	weft_link_list_free(list, n);
	free(there);
	return ret;
}

static int append(struct weft_tables *t, struct weft_route *list,
		  unsigned int n, uint32_t sw, struct weft_err *err)
{
	void *more;

	for (unsigned int i = 0; i < n; i++) {
		more = weft_array_grow(t->route, t->routes, sizeof(*t->route));
		if (!more)
			return weft_err_nomem(err);
		t->route = more;
		t->route[t->routes] = list[i];
		t->route[t->routes++].sw = sw;
		/* The ports belong to @t now. */
		list[i].port = NULL;
	}
	return 0;
}

static int read_table(struct weft_lab_routes *r, struct weft_tables *t, uint32_t sw,
		      struct weft_err *err)
{
	struct weft_route *list = NULL;
	unsigned int n = 0;
	int ret = -EAGAIN;

	for (int i = 0; ret == -EAGAIN && i < TRIES; i++) {
		weft_route_list_free(list, n);
		ret = weft_route_list(&r->nl, r->fabric, r->sw[sw], &list, &n,
				      err);
	}
	if (!ret)
		ret = append(t, list, n, sw, err);
	weft_route_list_free(list, n);
	return ret;
}

static int read_tables(struct weft_lab_routes *r, struct weft_tables *t,
		       struct weft_err *err)
{
	int ret = 0;

	*t = (struct weft_tables) { 0 };
	for (uint32_t sw = 0; !ret && sw < r->plan.switches; sw++)
		if (r->sw[sw] != NONE)
			ret = read_table(r, t, sw, err);
	return ret;
}

/**
 * weft_lab_routes_find() - compute routes for the last known state of links
 * @r: the lab
 * @re: result, to be freed by weft_reroute_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_routes_find(struct weft_lab_routes *r, struct weft_reroute *re,
			 struct weft_err *err)
{
	struct weft_tables there = { 0 };
	int ret;

	*re = (struct weft_reroute) { 0 };
	ret = weft_tables_make(&re->tables, &r->plan, &r->topo, r->down, err);
	if (!ret)
		ret = read_tables(r, &there, err);
	if (!ret)
		ret = weft_tables_diff(&re->ops, &r->plan, &there, &re->tables,
				       err);
	if (!ret)
		ret = weft_lab_routes_now(r, &re->now, err);
	weft_tables_free(&there);
	return ret;
}

/* -ENOENT of a removal is no error: the route may be removed already. */
static int apply_one(struct weft_lab_routes *r, const struct weft_route_op *op,
		     struct weft_err *err)
{
	struct weft_route route = op->route;
	int ret;

	route.fabric = r->fabric;
	route.sw = r->sw[op->route.sw];
	if (route.sw == NONE)
		return 0;
	ret = op->del ? weft_route_del(&r->nl, &route, err) :
			weft_route_set(&r->nl, &route, err);
	if (!ret || (op->del && ret == -ENOENT))
		return 0;
	weft_err_prefix(err, "route on switch %s",
			r->plan.sw[op->route.sw].name);
	return ret;
}

static int apply(struct weft_lab_routes *r, const struct weft_reroute *re,
		 struct weft_err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < re->ops.n; i++)
		ret = apply_one(r, &re->ops.op[i], err);
	return ret;
}

/* One process at a time: closing the file, or exiting, releases the lock. */
static int lock(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	int fd;

	weft_lab_path(lab, path, "reroutes");
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	while (flock(fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		close(fd);
		return weft_err_sys(err, errno, "lock %s", path);
	}
	return fd;
}

static int record(int fd, const struct weft_lab_routes *r,
		  const struct weft_reroute *re, uint64_t since,
		  struct weft_err *err)
{
	json_t *o = weft_reroute_json(r, re, since);
	char *text = weft_json_text(o, JSON_COMPACT);
	int ret = 0;

	if (!text)
		ret = weft_err_nomem(err);
	else if (dprintf(fd, "%s\n", text) < 0)
		ret = weft_err_sys(err, errno, "record of new routes");
	free(text);
	json_decref(o);
	return ret;
}

/**
 * weft_lab_routes_run() - set routes for the last known state of links
 * @r: the lab
 * @re: result, to be freed by weft_reroute_free() even after an error
 * @since: fabric time when the links changed, ps; WEFT_NO_DEADLINE: unknown
 * @err: error
 *
 * Changes are recorded for the report. After an error a part of the operations
 * may be missing; their order ensures that this makes no loops.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_routes_run(struct weft_lab_routes *r, struct weft_reroute *re,
			uint64_t since, struct weft_err *err)
{
	int fd = lock(r->lab, err), ret;

	*re = (struct weft_reroute) { 0 };
	if (fd < 0)
		return err->code;
	ret = weft_lab_routes_find(r, re, err);
	if (!ret)
		ret = apply(r, re, err);
	if (!ret)
		ret = weft_lab_routes_now(r, &re->now, err);
	if (!ret && re->ops.n)
		ret = record(fd, r, re, since, err);
	close(fd);
	return ret;
}

/**
 * weft_reroute_free() - free new routes and their changes
 * @re: the routes
 */
void weft_reroute_free(struct weft_reroute *re)
{
	weft_tables_free(&re->tables);
	weft_route_ops_free(&re->ops);
}
