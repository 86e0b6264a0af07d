// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Benchmark of building a topology in the model: the time to read or generate it, to plan
 * it, and to add switches, links and forwarding tables. Then each endpoint i of n sends a
 * packet to endpoint i + n/2. The packet arrives or, if the two are in separate networks,
 * has no route (stranded). At the end all endpoints and switches are removed, one by one.
 * The longest removal is how long the lock of a fabric would be held.
 *
 * All links have 400 Gb/s, and queues so large that nothing is dropped.
 *
 * usage: load [--json] NAME [KEY=VALUE]...
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fabric.h"
#include "load_plan.h"

#define LOAD_RATE	400000000000ULL
#define LOAD_QUEUE	(1U << 30)
#define LOAD_LEN	4096

/**
 * struct load - a topology in the model
 */
struct load {
	struct fab fab;
	const struct load_plan *plan;
	struct fab_endpoint *ep;
	struct fab_switch *sw;
	struct fab_pkt *pkt;
	u32 nics;
	u32 delivered;
	u32 stranded;
};

/* Set here because deliver() has no parameter for it. */
static struct load *load_now;

static void load_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	if (ep != &load_now->ep[pkt->dst])
		abort();
	load_now->delivered++;
}

static void load_drop(struct fab *fab, struct fab_port *port,
		      struct fab_pkt *pkt, enum fab_drop why)
{
	if (why == FAB_DROP_NO_ROUTE) {
		load_now->stranded++;
		return;
	}
	fprintf(stderr, "error: a packet to %u was dropped\n", pkt->dst);
	exit(1);
}

static struct fab_pkt *load_clone(struct fab *fab, const struct fab_pkt *pkt)
{
	return NULL;
}

static void load_wake(struct fab_endpoint *ep, u8 cls)
{
}

static const struct fab_host_ops load_ops = {
	.deliver = load_deliver,
	.drop = load_drop,
	.clone = load_clone,
	.tx_wake = load_wake,
};

static const struct fab_port_params load_port = {
	.disc = &fab_drop_tail,
	.classes = 1,
	.queue_limit = LOAD_QUEUE,
	.sched.quantum = 1,
};

static const struct fab_buffer_params load_buffer = {
	.total = 1ULL << 40,
	.per_port = 1ULL << 40,
};

static const struct fab_wire_params load_wire = {
	.rate_bps = LOAD_RATE,
	.propagation = 25 * FAB_PS_PER_NS,
	.lanes = 1,
	.lanes_up = 1,
	.overhead = 24,
	.min_frame = 60,
};

/* Memory that is never freed. */
static void *load_alloc(size_t size)
{
	void *mem = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (!mem)
		abort();
	memset(mem, 0, size);
	return mem;
}

static void load_endpoints(struct load *l)
{
	struct fab_endpoint_params *p = load_alloc(sizeof(*p));
	u32 i;

	p->buffer = load_buffer;
	p->port = load_port;
	if (fab_endpoint_params_check(p))
		abort();
	l->ep = load_alloc(l->nics * sizeof(*l->ep));
	for (i = 0; i < l->nics; i++)
		fab_endpoint_init(&l->fab, &l->ep[i], i, p,
				  load_alloc(fab_endpoint_mem(p)));
}

/* A switch needs at most one group of ports per route. */
static u32 *count_groups(const struct load *l)
{
	u32 n = load_plan_switches(l->plan), i;
	u32 *groups = load_alloc(n * sizeof(*groups));
	struct load_route r;

	for (i = 0; i < load_plan_routes(l->plan); i++)
		if (load_plan_route(l->plan, i, &r))
			groups[r.sw]++;
	return groups;
}

static void load_switches(struct load *l)
{
	u32 n = load_plan_switches(l->plan), i, *groups = count_groups(l);

	l->sw = load_alloc(n * sizeof(*l->sw));
	for (i = 0; i < n; i++) {
		struct fab_switch_params p = {
			.ports = load_plan_ports(l->plan, i),
			.latency = 400 * FAB_PS_PER_NS,
			.forward = FAB_CUT_THROUGH,
			.buffer = load_buffer,
			.dsts = l->nics,
			.groups = min(groups[i] + 1, 4096U),
			.port = load_port,
		};

		if (fab_switch_params_check(&p))
			abort();
		fab_switch_init(&l->fab, &l->sw[i], i, &p,
				load_alloc(fab_switch_mem(&p)));
		fab_switch_enter(&l->fab, &l->sw[i]);
	}
	free(groups);
}

static struct fab_port *load_port_of(struct load *l, const struct load_end *end)
{
	return end->is_nic ? &l->ep[end->id].port :
			     &l->sw[end->id].port[end->port];
}

static void load_links(struct load *l)
{
	struct load_end ends[2];
	u32 i;

	for (i = 0; i < load_plan_links(l->plan); i++) {
		load_plan_link(l->plan, i, ends);
		if (fab_link_join(&l->fab, load_port_of(l, &ends[0]),
				  load_port_of(l, &ends[1]), &load_wire,
				  &load_wire))
			abort();
	}
}

static void load_tables(struct load *l)
{
	u16 port[FAB_PORTS_MAX];
	struct load_route r;
	u32 i, k;

	for (i = 0; i < load_plan_routes(l->plan); i++) {
		if (!load_plan_route(l->plan, i, &r))
			continue;
		for (k = 0; k < r.ports; k++)
			port[k] = (u16)r.port[k];
		for (k = r.first; k <= r.last; k++)
			if (fab_route_set(&l->sw[r.sw].route, k, port,
					  r.ports))
				abort();
	}
}

static void load_traffic(struct load *l)
{
	fab_time next;
	u32 i;

	l->pkt = load_alloc(l->nics * sizeof(*l->pkt));
	for (i = 0; i < l->nics; i++) {
		l->pkt[i].len = LOAD_LEN;
		l->pkt[i].segs = 1;
		l->pkt[i].flow_hash = i * 0x9e3779b9;
		l->pkt[i].dst = (i + l->nics / 2) % l->nics;
		if (fab_endpoint_send(&l->fab, &l->ep[i], &l->pkt[i]))
			abort();
	}
	next = fab_event_next(&l->fab.events);
	while (next != FAB_NEVER)
		next = fab_run(&l->fab, next, FAB_NO_BUDGET);
}

/**
 * struct times - CPU seconds of each step
 */
struct times {
	double read;
	double plan;
	double model;
	double traffic;
	double remove;
	double longest;		/* longest removal of one endpoint or switch */
};

static void load_removed(struct times *t, double start)
{
	double took = load_seconds() - start;

	t->remove += took;
	if (took > t->longest)
		t->longest = took;
}

static void load_remove(struct load *l, struct times *t)
{
	double start;
	u32 i;

	for (i = 0; i < l->nics; i++) {
		start = load_seconds();
		fab_endpoint_remove(&l->fab, &l->ep[i]);
		load_removed(t, start);
	}
	for (i = 0; i < load_plan_switches(l->plan); i++) {
		start = load_seconds();
		fab_switch_remove(&l->fab, &l->sw[i]);
		load_removed(t, start);
	}
}

static void load_run(struct load *l, const char *name, char *const *set,
		     u32 sets, struct times *t)
{
	struct load_plan *plan;
	double start = load_seconds();

	load_now = l;
	plan = load_plan_make(name, set, sets, &t->plan);
	t->read = load_seconds() - start - t->plan;
	l->plan = plan;
	l->nics = load_plan_nics(plan);
	start = load_seconds();
	fab_init(&l->fab, &load_ops, 1);
	load_endpoints(l);
	load_switches(l);
	load_links(l);
	load_tables(l);
	t->model = load_seconds() - start;
	start = load_seconds();
	load_traffic(l);
	t->traffic = load_seconds() - start;
	if (l->delivered + l->stranded != l->nics || fab_check(&l->fab))
		abort();
	load_remove(l, t);
}

static void print(const struct load *l, const struct times *t, bool json)
{
	static const char text[] =
		"%u endpoints, %u switches, %u links, %u routes\n"
		"read %.3f s, plan %.3f s, model %.3f s, one packet each %.3f s\n"
		"removed in %.3f s, the longest took %.3f ms\n"
		"%u delivered, %u stranded after %llu ps\n";
	static const char object[] =
		"{\"endpoints\": %u, \"switches\": %u, \"links\": %u, \"routes\": %u,\n"
		" \"read_s\": %.3f, \"plan_s\": %.3f, \"model_s\": %.3f, \"traffic_s\": %.3f,\n"
		" \"remove_s\": %.3f, \"longest_ms\": %.3f,\n"
		" \"delivered\": %u, \"stranded\": %u, \"fabric_ps\": %llu}\n";

	printf(json ? object : text, l->nics, load_plan_switches(l->plan),
	       load_plan_links(l->plan), load_plan_routes(l->plan), t->read,
	       t->plan, t->model, t->traffic, t->remove,
	       t->longest * 1e3, l->delivered, l->stranded,
	       l->fab.now);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 }
	};
	bool json = false, good = true;
	struct times t = { 0 };
	static struct load l;
	int c;

	while ((c = getopt_long(argc, argv, "j", options, NULL)) != -1) {
		json |= c == 'j';
		good &= c == 'j';
	}
	if (!good || optind == argc) {
		fprintf(stderr, "usage: %s [--json] NAME [KEY=VALUE]...\n",
			argv[0]);
		return 1;
	}
	load_run(&l, argv[optind], argv + optind + 1,
		 (u32)(argc - optind - 1), &t);
	print(&l, &t, json);
	return 0;
}
