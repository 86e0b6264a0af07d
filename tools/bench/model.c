// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Benchmark of the model alone: packet-hops per second on one core, and how
 * that changes from 8 to 1,024 endpoints.
 *
 * Every endpoint keeps a window of packets in the fabric and sends to all
 * others in turn; a packet that comes back to the host is sent again at once,
 * so that next to nothing but the model is measured.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fabric.h"

#define BENCH_WINDOW	8		/* packets per endpoint */
#define BENCH_LEN	4096
#define BENCH_RATE	400000000000ULL
#define BENCH_REPEATS	5

/**
 * struct bench_pkt - a packet and who sends it
 */
struct bench_pkt {
	struct fab_pkt p;
	u32 src;
};

/**
 * struct bench - one run
 */
struct bench {
	struct fab fab;
	u32 n;
	struct fab_endpoint *ep;
	struct fab_switch *sw;
	struct bench_pkt *pkt;
	void *mem[2048];
	u32 mems;
};

/* deliver() is not told the fabric. */
static struct bench *bench_now;

static void bench_send(struct bench *b, struct bench_pkt *pkt)
{
	u32 dst = pkt->p.dst + 1 == b->n ? 0 : pkt->p.dst + 1;

	pkt->p.dst = dst;
	pkt->p.flow += 0x9e3779b9;
	pkt->p.flags = 0;
	if (fab_endpoint_send(&b->fab, &b->ep[pkt->src], &pkt->p))
		abort();
}

static void bench_deliver(struct fab_endpoint *ep, struct fab_pkt *pkt)
{
	bench_send(bench_now, container_of(pkt, struct bench_pkt, p));
}

static void bench_drop(struct fab *fab, struct fab_port *port,
		       struct fab_pkt *pkt, enum fab_drop why)
{
	bench_send(bench_now, container_of(pkt, struct bench_pkt, p));
}

static struct fab_pkt *bench_clone(struct fab *fab, const struct fab_pkt *pkt)
{
	return NULL;
}

static void bench_wake(struct fab_endpoint *ep, u8 cls)
{
}

static const struct fab_host_ops bench_ops = {
	.deliver = bench_deliver,
	.drop = bench_drop,
	.clone = bench_clone,
	.tx_wake = bench_wake,
};

static void *bench_alloc(struct bench *b, size_t size)
{
	void *mem = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (!mem)
		abort();
	memset(mem, 0, size);
	b->mem[b->mems++] = mem;
	return mem;
}

static const struct fab_port_params bench_port = {
	.classes = 1,
	.queue_limit = 64 << 20,
	.sched.quantum = 1,
	.disc = &fab_drop_tail,
};

static void bench_switch(struct bench *b, u32 id, u32 ports)
{
	struct fab_switch_params p = {
		.ports = ports,
		.latency = 400 * FAB_PS_PER_NS,
		.forward = FAB_CUT_THROUGH,
		.buffer = { .total = 1ULL << 40, .per_port = 1ULL << 40 },
		.dsts = b->n,
		.groups = ports + 1,
		.port = bench_port,
	};

	fab_switch_init(&b->fab, &b->sw[id], id, &p,
			bench_alloc(b, fab_switch_mem(&p)));
}

static void bench_join(struct bench *b, struct fab_port *x, struct fab_port *y)
{
	struct fab_wire_params p = {
		.rate_bps = BENCH_RATE,
		.propagation = 25 * FAB_PS_PER_NS,
		.overhead = 24,
		.min_frame = 60,
		.lanes = 1,
		.lanes_up = 1,
	};

	if (fab_link_join(&b->fab, x, y, &p, &p))
		abort();
}

static void bench_route(struct fab_switch *sw, u32 dst, u16 first, u32 n)
{
	u16 ports[FAB_PORTS_MAX];
	u32 i;

	for (i = 0; i < n; i++)
		ports[i] = first + i;
	if (fab_route_set(&sw->route, dst, ports, n))
		abort();
}

static void bench_endpoints(struct bench *b)
{
	struct fab_endpoint_params p = { .port = bench_port };
	u32 i;

	b->ep = bench_alloc(b, b->n * sizeof(*b->ep));
	for (i = 0; i < b->n; i++)
		fab_endpoint_init(&b->fab, &b->ep[i], i, &p,
				  bench_alloc(b, fab_endpoint_mem(&p)));
}

static void bench_single(struct bench *b)
{
	u32 i;

	b->sw = bench_alloc(b, sizeof(*b->sw));
	bench_switch(b, 0, b->n);
	for (i = 0; i < b->n; i++) {
		bench_join(b, &b->ep[i].port, &b->sw[0].port[i]);
		bench_route(&b->sw[0], i, i, 1);
	}
}

/* Ports 0 to down - 1 of a leaf lead to hosts, the others to one spine each. */
static void bench_leaf(struct bench *b, u32 leaf, u32 leaves, u32 down)
{
	struct fab_switch *sw = &b->sw[leaf];
	u32 i;

	bench_switch(b, leaf, 2 * down);
	for (i = 0; i < down; i++) {
		bench_join(b, &b->ep[leaf * down + i].port, &sw->port[i]);
		bench_join(b, &sw->port[down + i],
			   &b->sw[leaves + i].port[leaf]);
	}
	for (i = 0; i < b->n; i++) {
		if (i / down == leaf)
			bench_route(sw, i, i % down, 1);
		else
			bench_route(sw, i, down, down);
	}
}

/* Two tiers without oversubscription: as many spines as hosts per leaf. */
static void bench_fat_tree(struct bench *b)
{
	u32 down = 1, leaves, i, dst;

	while (down * down < b->n)
		down *= 2;
	leaves = b->n / down;
	b->sw = bench_alloc(b, (leaves + down) * sizeof(*b->sw));
	for (i = 0; i < down; i++) {
		bench_switch(b, leaves + i, leaves);
		for (dst = 0; dst < b->n; dst++)
			bench_route(&b->sw[leaves + i], dst, dst / down, 1);
	}
	for (i = 0; i < leaves; i++)
		bench_leaf(b, i, leaves, down);
}

static void bench_start(struct bench *b)
{
	u32 i;

	b->pkt = bench_alloc(b, b->n * BENCH_WINDOW * sizeof(*b->pkt));
	for (i = 0; i < b->n * BENCH_WINDOW; i++) {
		b->pkt[i].src = i / BENCH_WINDOW;
		b->pkt[i].p.len = BENCH_LEN;
		b->pkt[i].p.segs = 1;
		b->pkt[i].p.flow = i;
		b->pkt[i].p.dst = (i * 7) % b->n;
		bench_send(b, &b->pkt[i]);
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void bench_hops(struct bench *b, u64 hops)
{
	u64 end = b->fab.c.hops + hops;
	fab_time next = fab_event_next(&b->fab.events);

	while (b->fab.c.hops < end)
		next = fab_run(&b->fab, next, FAB_NO_BUDGET);
}

/**
 * struct result - what a run showed
 */
struct result {
	const char *topology;
	u32 n;
	u64 hops;
	double hops_per_s;
	double events_per_hop;
};

static double bench_once(void (*build)(struct bench *), struct result *r)
{
	struct bench *b = calloc(1, sizeof(*b));
	double start, took;
	u64 events;

	if (!b)
		abort();
	bench_now = b;
	b->n = r->n;
	fab_init(&b->fab, &bench_ops, 1);
	bench_endpoints(b);
	build(b);
	bench_start(b);
	bench_hops(b, r->hops / 10);
	events = b->fab.c.events;
	start = seconds();
	bench_hops(b, r->hops);
	took = seconds() - start;
	r->events_per_hop = (double)(b->fab.c.events - events) / r->hops;
	if (fab_check(&b->fab))
		abort();
	while (b->mems)
		free(b->mem[--b->mems]);
	free(b);
	return r->hops / took;
}

static int descending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static void bench_run(void (*build)(struct bench *), struct result *r)
{
	double v[BENCH_REPEATS];
	u32 i;

	for (i = 0; i < BENCH_REPEATS; i++)
		v[i] = bench_once(build, r);
	qsort(v, BENCH_REPEATS, sizeof(v[0]), descending);
	r->hops_per_s = v[BENCH_REPEATS / 2];
}

static void print_text(const struct result *r)
{
	printf("%-14s %6u %12.2f %10.1f %12.2f\n", r->topology, r->n,
	       r->hops_per_s / 1e6, 1e9 / r->hops_per_s, r->events_per_hop);
	fflush(stdout);
}

static void print_json(const struct result *r, bool first)
{
	printf("%s\n  {\"topology\": \"%s\", \"endpoints\": %u, ",
	       first ? "" : ",", r->topology, r->n);
	printf("\"hops\": %llu, \"hops_per_second\": %.0f, ", r->hops,
	       r->hops_per_s);
	printf("\"events_per_hop\": %.3f}", r->events_per_hop);
}

static void die_of_usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [--json] [--hops N] [--max ENDPOINTS]\n", name);
	exit(1);
}

static const struct {
	const char *name;
	void (*build)(struct bench *b);
} topologies[] = {
	{ "single-switch", bench_single },
	{ "fat-tree", bench_fat_tree },
};

static void bench_all(u64 hops, u32 max, bool json)
{
	struct result r = { .hops = hops };
	bool first = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(topologies); i++) {
		r.topology = topologies[i].name;
		for (r.n = 8; r.n <= max; r.n *= 2) {
			bench_run(topologies[i].build, &r);
			if (json)
				print_json(&r, first);
			else
				print_text(&r);
			first = false;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "hops", required_argument, NULL, 'h' },
		{ "max", required_argument, NULL, 'm' },
		{ NULL, 0, NULL, 0 }
	};
	u64 hops = 2000000;
	bool json = false;
	u32 max = 1024;
	int opt;

	while ((opt = getopt_long(argc, argv, "j", options, NULL)) != -1) {
		if (opt == 'j')
			json = true;
		else if (opt == 'h')
			hops = strtoull(optarg, NULL, 0);
		else if (opt == 'm')
			max = strtoul(optarg, NULL, 0);
		else
			die_of_usage(argv[0]);
	}
	if (!hops || max < 8 || max > 1024 || optind < argc)
		die_of_usage(argv[0]);
	if (json)
		printf("{\"packet_bytes\": %u, \"window\": %u, \"results\": [",
		       BENCH_LEN, BENCH_WINDOW);
	else
		printf("%-14s %6s %12s %10s %12s\n", "topology", "hosts",
		       "M hops/s", "ns/hop", "events/hop");
	bench_all(hops, max, json);
	if (json)
		printf("\n]}\n");
	return 0;
}
