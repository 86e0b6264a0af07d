// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Benchmark of the model alone: packet-hops per second on one core, for 8 to 1,024
 * endpoints and each discipline of the links.
 *
 * Every endpoint keeps a window of packets in the fabric and sends to all others in turn.
 * A packet that was delivered is sent again at once, so almost only the model is measured.
 * In an incast, all others send to the first endpoint, with a window larger than any
 * buffer, so the links exert back pressure all the time.
 *
 * All links have one class, so results differ only by the discipline. No discipline
 * loses packets here.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/fabric.h"

#define BENCH_WINDOW	8		/* packets per endpoint */
#define BENCH_INCAST	64		/* the same, in an incast */
#define BENCH_LEN	4096
#define BENCH_RATE	400000000000ULL
#define BENCH_ROOM	(128 << 10)	/* receive buffer per link, 32 packets */
#define BENCH_REPEATS	5

/**
 * struct bench_pkt - a packet and its source
 */
struct bench_pkt {
	struct fab_pkt p;
	u32 src;
};

/**
 * struct bench_link - parameters of all links of a run
 */
struct bench_link {
	struct fab_port_params port;
	struct fab_wire_params wire;
	struct fab_account_params account;
};

struct bench;

/**
 * struct bench_topology - topology and traffic of a run
 */
struct bench_topology {
	const char *name;
	void (*build)(struct bench *b);
	bool incast;
};

/**
 * struct bench - one run
 */
struct bench {
	struct fab fab;
	u32 n;
	u32 window;
	bool incast;
	const struct bench_link *link;
	struct fab_endpoint *ep;
	struct fab_switch *sw;
	struct bench_pkt *pkt;
	void *mem[2048];
	u32 mems;
};

/* Set here because deliver() has no parameter for it. */
static struct bench *bench_now;

static u32 bench_dst(const struct bench *b, u32 last)
{
	return b->incast || last + 1 == b->n ? 0 : last + 1;
}

static void bench_send(struct bench *b, struct bench_pkt *pkt)
{
	pkt->p.dst = bench_dst(b, pkt->p.dst);
	pkt->p.flow_hash += 0x9e3779b9;
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
	abort();
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

#define BENCH_PORT(discipline)			\
	.disc = &(discipline),			\
	.classes = 1,				\
	.queue_limit = 64 << 20,		\
	.sched.quantum = 1

#define BENCH_WIRE				\
	.rate_bps = BENCH_RATE,			\
	.propagation = 25 * FAB_PS_PER_NS,	\
	.lanes = 1,				\
	.lanes_up = 1

#define BENCH_ETHERNET	{ BENCH_WIRE, .overhead = 24, .min_frame = 60 }
#define BENCH_PACKETS(bytes)	\
	{ BENCH_WIRE, .overhead = 16, .payload = 256, .unit = (bytes) }

/* The values of the profiles ethernet-400g, ib-ndr, nvlink5, pcie6-x16 and ethernet-uec-400g. */
#define BENCH_PAUSES						\
	.react = 1158400, .flow.pfc = { .enable = BIT(0), .quanta = U16_MAX }

#define BENCH_ACCOUNT	\
	{ .threshold = BENCH_ROOM, .headroom = BENCH_ROOM, .xon = 3072 }

#define BENCH_FLITS {					\
	.hdr = { BENCH_ROOM / 256 },			\
	.data = { BENCH_ROOM / 16 },			\
	.payload = 256,					\
	.unit = 16,					\
	.header = 16,					\
}

#define BENCH_RETRY(bytes)	\
	{ .control = (bytes), .carry = true, .repeat = 10000 * FAB_PS_PER_NS }

static const struct bench_link links[] = {
	{
		.port = { BENCH_PORT(fab_drop_tail) },
		.wire = BENCH_ETHERNET,
	}, {
		.port = { BENCH_PORT(fab_pause), BENCH_PAUSES },
		.wire = BENCH_ETHERNET,
		.account = BENCH_ACCOUNT,
	}, {
		.port = { BENCH_PORT(fab_pfc), BENCH_PAUSES },
		.wire = BENCH_ETHERNET,
		.account = BENCH_ACCOUNT,
	}, {
		.port = {
			BENCH_PORT(fab_credit),
			.flow.credit = {
				.blocks = { BENCH_ROOM / 64,
					    [FAB_VL_MGMT] = 1 },
				.block = 64,
				.header = 24,
				.period = 4096 * FAB_PS_PER_NS,
				.eager = true,
			},
		},
		.wire = { BENCH_WIRE, .overhead = 24 },
	}, {
		.port = { BENCH_PORT(fab_nvlink), .flow.flit = BENCH_FLITS,
			  .retry = BENCH_RETRY(16) },
		.wire = BENCH_PACKETS(16),
	}, {
		.port = { BENCH_PORT(fab_pcie), .flow.flit = BENCH_FLITS,
			  .retry = BENCH_RETRY(8) },
		.wire = BENCH_PACKETS(4),
	}, {
		.port = {
			BENCH_PORT(fab_uec),
			.flow.cbfc = {
				.limit = { BENCH_ROOM / 128 },
				.size = 128,
				.spacing = 6400,
				.repeat = 262144,
				.sync = 256000 * FAB_PS_PER_NS,
			},
			.retry = {
				.control = FAB_CTLOS,
				.replay = 262144,
				.spacing = 2048,
				.repeat = 5000 * FAB_PS_PER_NS,
			},
		},
		.wire = BENCH_ETHERNET,
	},
};

static struct fab_buffer_params bench_buffer(const struct bench_link *link)
{
	struct fab_buffer_params p = {
		.total = 1ULL << 40,
		.per_port = 1ULL << 40,
		.accounts = link->account.threshold,
		.cls = { link->account },
	};

	return p;
}

static void bench_switch(struct bench *b, u32 id, u32 ports)
{
	struct fab_switch_params p = {
		.ports = ports,
		.latency = 400 * FAB_PS_PER_NS,
		.forward = FAB_CUT_THROUGH,
		.buffer = bench_buffer(b->link),
		.dsts = b->n,
		.groups = ports + 1,
		.port = b->link->port,
	};

	if (fab_switch_params_check(&p))
		abort();
	fab_switch_init(&b->fab, &b->sw[id], id, &p,
			bench_alloc(b, fab_switch_mem(&p)));
	fab_switch_enter(&b->fab, &b->sw[id]);
}

static void bench_join(struct bench *b, struct fab_port *x, struct fab_port *y)
{
	const struct fab_wire_params *p = &b->link->wire;

	if (fab_link_join(&b->fab, x, y, p, p))
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
	struct fab_endpoint_params *p = bench_alloc(b, sizeof(*p));
	u32 i;

	p->buffer = bench_buffer(b->link);
	p->port = b->link->port;
	if (fab_endpoint_params_check(p))
		abort();
	b->ep = bench_alloc(b, b->n * sizeof(*b->ep));
	for (i = 0; i < b->n; i++)
		fab_endpoint_init(&b->fab, &b->ep[i], i, p,
				  bench_alloc(b, fab_endpoint_mem(p)));
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
	u32 i = b->incast ? b->window : 0;

	b->pkt = bench_alloc(b, b->n * b->window * sizeof(*b->pkt));
	for (; i < b->n * b->window; i++) {
		b->pkt[i].src = i / b->window;
		b->pkt[i].p.len = BENCH_LEN;
		b->pkt[i].p.segs = 1;
		b->pkt[i].p.flow_hash = i;
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

/* Control frames sent by the endpoints and by the ports linked to them. */
static u64 bench_control(const struct bench *b)
{
	u64 frames = 0;
	u32 i;

	for (i = 0; i < b->n; i++)
		frames += b->ep[i].port.c.tx_control +
			  b->ep[i].port.peer->c.tx_control;
	return frames;
}

/**
 * struct result - result of a run
 */
struct result {
	const struct bench_topology *topology;
	const struct bench_link *link;
	u32 n;
	u64 hops;
	double hops_per_s;
	double events_per_hop;
	double control_per_hop;
};

static struct bench *bench_new(const struct result *r)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	bench_now = b;
	b->n = r->n;
	b->link = r->link;
	b->incast = r->topology->incast;
	b->window = b->incast ? BENCH_INCAST : BENCH_WINDOW;
	fab_init(&b->fab, &bench_ops, 1);
	bench_endpoints(b);
	r->topology->build(b);
	bench_start(b);
	return b;
}

static void bench_free(struct bench *b)
{
	if (fab_check(&b->fab))
		abort();
	while (b->mems)
		free(b->mem[--b->mems]);
	free(b);
}

static double bench_once(struct result *r)
{
	struct bench *b = bench_new(r);
	u64 events, control;
	double start, took;

	bench_hops(b, r->hops / 10);
	events = b->fab.c.events;
	control = bench_control(b);
	start = seconds();
	bench_hops(b, r->hops);
	took = seconds() - start;
	r->events_per_hop = (double)(b->fab.c.events - events) / r->hops;
	r->control_per_hop = (double)(bench_control(b) - control) / r->hops;
	bench_free(b);
	return r->hops / took;
}

static int descending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static void bench_run(struct result *r)
{
	double v[BENCH_REPEATS];
	u32 i;

	for (i = 0; i < BENCH_REPEATS; i++)
		v[i] = bench_once(r);
	qsort(v, BENCH_REPEATS, sizeof(v[0]), descending);
	r->hops_per_s = v[BENCH_REPEATS / 2];
}

static void print_text(const struct result *r, bool first)
{
	if (first)
		printf("%-14s %6s %12s %10s %12s %12s  %s\n", "topology",
		       "hosts", "M hops/s", "ns/hop", "events/hop",
		       "control/hop", "discipline");
	printf("%-14s %6u %12.2f %10.1f %12.2f %12.2f  %s\n",
	       r->topology->name, r->n, r->hops_per_s / 1e6,
	       1e9 / r->hops_per_s, r->events_per_hop, r->control_per_hop,
	       r->link->port.disc->name);
	fflush(stdout);
}

static void print_json(const struct result *r, bool first)
{
	printf("%s\n  {\"topology\": \"%s\", \"discipline\": \"%s\", ",
	       first ? "" : ",", r->topology->name, r->link->port.disc->name);
	printf("\"endpoints\": %u, \"hops\": %llu, ", r->n, r->hops);
	printf("\"hops_per_second\": %.0f, ", r->hops_per_s);
	printf("\"events_per_hop\": %.3f, \"control_per_hop\": %.3f}",
	       r->events_per_hop, r->control_per_hop);
}

static void die_of_usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [--json] [--hops N] [--max ENDPOINTS] [--discipline NAME|all]\n",
		name);
	exit(1);
}

static const struct bench_topology single = {
	.name = "single-switch",
	.build = bench_single,
};

static const struct bench_topology tree = {
	.name = "fat-tree",
	.build = bench_fat_tree,
};

static const struct bench_topology incast = {
	.name = "incast",
	.build = bench_single,
	.incast = true,
};

/**
 * struct options - selection of runs, and output format
 */
struct options {
	u64 hops;
	u32 max;
	bool json;
	const char *discipline;
	bool any;
};

static void bench_row(struct options *o, const struct bench_link *link,
		      const struct bench_topology *topology, u32 n)
{
	struct result r = {
		.topology = topology,
		.link = link,
		.n = n,
		.hops = o->hops,
	};

	if (n > o->max)
		return;
	bench_run(&r);
	if (o->json)
		print_json(&r, !o->any);
	else
		print_text(&r, !o->any);
	o->any = true;
}

static void bench_drop_tail(struct options *o, const struct bench_link *link)
{
	u32 n;

	for (n = 8; n <= 1024; n *= 2)
		bench_row(o, link, &single, n);
	for (n = 8; n <= 1024; n *= 2)
		bench_row(o, link, &tree, n);
}

static void bench_lossless(struct options *o, const struct bench_link *link)
{
	static const u32 sizes[] = { 8, 64, 1024 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row(o, link, &single, sizes[i]);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row(o, link, &incast, sizes[i]);
}

static void bench_all(struct options *o)
{
	const struct bench_link *link;

	for (link = links; link < links + ARRAY_SIZE(links); link++) {
		if (strcmp(o->discipline, "all") &&
		    strcmp(o->discipline, link->port.disc->name))
			continue;
		if (link->port.disc == &fab_drop_tail)
			bench_drop_tail(o, link);
		else
			bench_lossless(o, link);
	}
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "hops", required_argument, NULL, 'h' },
		{ "max", required_argument, NULL, 'm' },
		{ "discipline", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "j", options, NULL)) != -1) {
		if (opt == 'j')
			o->json = true;
		else if (opt == 'h')
			o->hops = strtoull(optarg, NULL, 0);
		else if (opt == 'm')
			o->max = strtoul(optarg, NULL, 0);
		else if (opt == 'd')
			o->discipline = optarg;
		else
			die_of_usage(argv[0]);
	}
	if (!o->hops || o->max < 8 || o->max > 1024 || optind < argc)
		die_of_usage(argv[0]);
	if (strcmp(o->discipline, "all") &&
	    !fab_discipline_find(o->discipline))
		die_of_usage(argv[0]);
}

int main(int argc, char **argv)
{
	struct options o = {
		.hops = 2000000,
		.max = 1024,
		.discipline = "all",
	};

	parse(&o, argc, argv);
	if (o.json)
		printf("{\"packet_bytes\": %u, \"window\": %u, \"incast_window\": %u, \"results\": [",
		       BENCH_LEN, BENCH_WINDOW, BENCH_INCAST);
	bench_all(&o);
	if (o.json)
		printf("\n]}\n");
	return 0;
}
