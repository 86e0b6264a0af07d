// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzer of the topology parser and the planner.
 *
 * Whatever the text, there is a plan or an error with a text. A plan keeps what
 * the kernel will want: ports exist, endpoint ids count up, each switch has
 * one flood entry, ranges of destinations are in order, and headrooms fit.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "plan/plan.h"
#include "topology/topo.h"

#define CHECK(cond) do { if (!(cond)) abort(); } while (0)

/* By the first letter of its name: p, c and f have a discipline of a kind. */
static const char plain_text[] =
	"name: d\nlink: {rate: 400Gbps, propagation: 25ns}\n"
	"switch: {latency: 400ns}\nnic: {mtu: 9000}\n";
static const char pfc_text[] =
	"name: p\nport: {discipline: pfc, pfc: [0, 3], react: 1us, ecn: {kmax: 1MB}}\n"
	"link: {rate: 400Gbps, propagation: 25ns}\n"
	"switch: {latency: 400ns, buffer-alpha: 0, lossy-alpha: 3}\n"
	"nic: {mtu: 9000, rx-buffer: 2MiB, rx-alpha: -1}\n";
static const char credit_text[] =
	"name: c\nport: {discipline: credit, credit-buffer: [128KiB], scheduler: vlarb, vlarb-high: [\"0:4\"]}\n"
	"link: {rate: 400Gbps, overhead: 24, min-frame: 0}\nnic: {mtu: 4092}\n";
static const char flit_text[] =
	"name: f\nport: {discipline: nvlink, header-credits: [1024], data-credits: [16384]}\n"
	"link: {rate: 7200Gbps, lanes: 18, payload: 256, unit: 16, overhead: 16}\n";

static int profile(void *ctx, const char *name, char **file, char **text,
		   size_t *len, struct weft_err *err)
{
	const char *found = *name == 'p' ? pfc_text :
			    *name == 'c' ? credit_text :
			    *name == 'f' ? flit_text : plain_text;

	(void)ctx;
	if (strlen(name) > 32)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT, "no such");
	*file = strdup("p.yaml");
	*text = strdup(found);
	*len = strlen(found);
	return 0;
}

static void check_links(const struct weft_plan *p)
{
	for (unsigned int i = 0; i < p->links; i++) {
		CHECK(p->link[i].wire[0].rate);
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &p->link[i].end[s];

			CHECK(e->id < (e->is_nic ? p->nics : p->switches));
			CHECK(e->is_nic || e->port < p->sw[e->id].ports);
		}
	}
}

static void check_routes(const struct weft_plan *p)
{
	unsigned int floods = 0;

	for (unsigned int i = 0; i < p->routes; i++) {
		const struct weft_route *r = &p->route[i];

		CHECK(r->sw < p->switches && r->ports);
		CHECK(r->flood || (r->dst <= r->dst_last &&
				   r->dst_last < p->nics));
		floods += r->flood;
		for (unsigned int k = 0; k < r->ports; k++)
			CHECK(r->port[k] < p->sw[r->sw].ports);
	}
	CHECK(floods == p->switches);
}

static void check_nics(const struct weft_plan *p)
{
	CHECK(p->nodes && p->nics >= p->nodes);
	for (unsigned int i = 0; i < p->nics; i++)
		CHECK(p->nic[i].nic.id == i && p->nic[i].node < p->nodes);
}

/* Reserves and headrooms fit: the kernel refuses what does not. */
static void check_rooms(const struct weft_plan *p)
{
	for (unsigned int i = 0; i < p->switches; i++) {
		const struct weft_switch *sw = &p->sw[i];
		uint64_t sum = 0;

		for (uint32_t k = 0; k < sw->classes.n; k++)
			sum += (uint64_t)sw->classes.cls[k].reserve +
			       sw->classes.cls[k].headroom;
		CHECK(sum * sw->ports <= (sw->has & WEFT_SWITCH_HAS_BUFFER ?
					  sw->buffer : 1ULL << 25));
	}
}

/* No algorithm is below the floor. */
static void check_bounds(const struct weft_plan *p)
{
	struct weft_err err = { 0 };
	struct weft_rounds r;
	uint64_t bytes;
	double t;

	if (!weft_bound_make(&r, p, p->nodes, 1, false, &err))
		for (unsigned int i = 0; i < weft_algorithms_n; i++) {
			const struct weft_algorithm *a = &weft_algorithms[i];

			bytes = a->collective == WEFT_BARRIER ? 0 :
								100ULL * p->nodes;
			if (weft_bound_time(&r, a, bytes, &t, &err))
				break;
			CHECK(t * 1.000000001 >=
			      weft_bound_floor(&r, a->collective, bytes));
		}
	weft_rounds_free(&r);
}

static void check_plan(const struct weft_plan *p)
{
	json_t *json;

	check_nics(p);
	check_rooms(p);
	check_links(p);
	check_routes(p);
	if (p->nics > 64)
		return;
	json = weft_plan_json(p);
	CHECK(json);
	json_decref(json);
	check_bounds(p);
}

/* A generator makes thousands of switches of a line; routes take their time. */
static bool is_small(const struct weft_topo *t)
{
	return (uint64_t)t->nodes * t->switches < 1 << 18;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weft_plan plan = { 0 };
	struct weft_err err = { 0 };
	struct weft_topo topo;
	int ret;

	ret = weft_topo_parse(&topo, "fuzz.yaml", (const char *)data, size,
			      profile, NULL, &err);
	CHECK(!ret == !err.kind && (!ret || *err.msg));
	if (!ret && is_small(&topo)) {
		ret = weft_plan_make(&plan, &topo, &err);
		CHECK(!ret == !err.kind && (!ret || *err.msg));
		if (!ret)
			check_plan(&plan);
	}
	weft_plan_free(&plan);
	weft_topo_free(&topo);
	return 0;
}
