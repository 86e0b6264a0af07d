// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Benchmark of the model on fat trees of three tiers: packet-hops per second on one core,
 * and the memory that the fabric takes. Documentation/cost.rst describes the scenario, so
 * that other simulators can run it.
 *
 * A tree of K has K pods and K^3/4 hosts. Every host sends one message to another host,
 * as a random permutation tells. All messages begin at time 0. A receiver answers each
 * packet with an acknowledgement, and a sender has at most a window of packets that are
 * not acknowledged. A flow is complete when its sender has all acknowledgements.
 *
 * The fabric is executed in cells (Documentation/simulate.rst), as weft simulate does.
 *
 * The digest covers the completion times of all flows, in picoseconds. Two builds of the
 * model that print the same digest have the same results.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "core/fabric.h"
#include "tree_279e157.h"

#define TREE_RATE	400000000000ULL
#define TREE_DELAY	(1000 * FAB_PS_PER_NS)	/* of each link */
#define TREE_LATENCY	(400 * FAB_PS_PER_NS)	/* of each switch */
#define TREE_DATA	4096			/* bytes of a packet */
#define TREE_ACK	64
#define TREE_BYTES(k)	((256ULL << 20) / ((k) * (k)))	/* of each message */
#define TREE_WINDOW	160			/* packets: a round trip at full rate */
#define TREE_ROOM	(256 << 10)		/* of each class of a port, in front of a pause */
#define TREE_VL_ROOM	(128 << 10)		/* receive buffer with credits */
#define TREE_K_MAX	48
#define TREE_CELL	20			/* ports of a cell */
#define TREE_CELLS	128U			/* more take more memory than they gain time */

/**
 * struct tree_flow - one message
 */
struct tree_flow {
	u32 dst;
	u32 sent;		/* packets */
	u32 acked;
	fab_time end;
};

/**
 * struct tree_pkt - a packet and the host that sends its flow
 */
struct tree_pkt {
	struct fab_pkt p;
	u32 flow;
};

/**
 * struct tree - one run
 */
struct tree {
	struct fab *fab;	/* one for each cell */
	u32 cells;
	u32 k;
	u32 hosts;
	u32 switches;
	u32 *of_host;		/* cell of each host */
	u32 *of_switch;
	u32 packets;		/* of each flow */
	u32 window;
	u32 open;		/* flows that are not complete */
	const struct fab_port_params *port;
	struct fab_wire_params wire;
	struct fab_buffer_params buffer;
	struct fab_endpoint *ep;
	struct fab_switch *sw;	/* edges, aggregations, cores */
	struct tree_flow *flow;
	struct tree_pkt *pkt;
};

/* Set here because deliver() has no parameter for it. */
static struct tree *tree_now;

static void tree_die(const char *what)
{
	fprintf(stderr, "tree: %s\n", what);
	exit(1);
}

/* Zeroed. Pages that the model never touches take no memory. */
static void *tree_alloc(size_t size)
{
	void *mem = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		tree_die("out of memory");
	return mem;
}

/* As each packet is under way or waits for its turn, all of a window are in use. */
static void tree_send(struct tree *t, u32 host, u32 dst, u32 len,
		      struct tree_pkt *pkt)
{
	pkt->p.dst = dst;
	pkt->p.len = len;
	pkt->p.segs = 1;
	pkt->p.flags = 0;
	pkt->p.cls = 0;
	pkt->p.flow_hash = fab_mix(2ULL * pkt->flow + (host != pkt->flow));
	if (fab_endpoint_send(&t->fab[t->of_host[host]], &t->ep[host], &pkt->p))
		tree_die("an endpoint refuses a packet");
}

static void tree_send_data(struct tree *t, struct tree_pkt *pkt)
{
	struct tree_flow *f = &t->flow[pkt->flow];

	if (f->sent == t->packets)
		return;
	f->sent++;
	tree_send(t, pkt->flow, f->dst, TREE_DATA, pkt);
}

static void tree_deliver(struct fab_endpoint *ep, struct fab_pkt *p)
{
	struct tree_pkt *pkt = container_of(p, struct tree_pkt, p);
	struct tree *t = tree_now;
	struct tree_flow *f = &t->flow[pkt->flow];

	if (ep->id == f->dst) {
		tree_send(t, ep->id, pkt->flow, TREE_ACK, pkt);
		return;
	}
	if (++f->acked == t->packets) {
		f->end = t->fab[t->of_host[ep->id]].now;
		t->open--;
	}
	tree_send_data(t, pkt);
}

static void tree_drop(struct fab *fab, struct fab_port *port,
		      struct fab_pkt *pkt, enum fab_drop why)
{
	tree_die("a packet is lost");
}

static struct fab_pkt *tree_clone(struct fab *fab, const struct fab_pkt *pkt)
{
	return NULL;
}

static void tree_wake(struct fab_endpoint *ep, u8 cls)
{
}

#if TREE_CUT
/* The cell that a cut wire leads to, which is the number of the wire. */
static struct fab *tree_to(const struct fab_cut *cut)
{
	return &tree_now->fab[cut->id];
}

static void tree_leave(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt)
{
	fab_cut_arrive(tree_to(cut), cut, pkt);
}

static void tree_tell(struct fab *fab, struct fab_cut *cut, const struct fab_control *c)
{
	fab_cut_hear(tree_to(cut), cut, c);
}
#endif

static const struct fab_host_ops tree_ops = {
#if TREE_CUT
	.leave = tree_leave,
	.tell = tree_tell,
#endif
	.deliver = tree_deliver,
	.drop = tree_drop,
	.clone = tree_clone,
	.tx_wake = tree_wake,
};

#define TREE_PORT(discipline)			\
	.disc = &(discipline),			\
	.classes = 1,				\
	.queue_limit = 1U << 30,		\
	.sched.quantum = 1

#define TREE_FLITS(bytes)					\
	.flow.flit.hdr = { TREE_ROOM / 256 },			\
	.flow.flit.data = { TREE_ROOM / 16 },			\
	.flow.flit.payload = 256,				\
	.flow.flit.unit = 16,					\
	.flow.flit.header = 16,					\
	.TREE_RETRY.control = (bytes),				\
	.TREE_RETRY.carry = true,				\
	.TREE_RETRY.repeat = 10000 * FAB_PS_PER_NS

static const struct fab_port_params ports[] = {
	{
		TREE_PORT(fab_pfc),
		.react = 1158400,
		.flow.pfc = { .enable = BIT(0), .quanta = U16_MAX },
	}, {
		TREE_PORT(fab_drop_tail),
	}, {
		TREE_PORT(fab_pause),
		.react = 1158400,
		.flow.pfc = { .enable = BIT(0), .quanta = U16_MAX },
	}, {
		TREE_PORT(fab_credit),
		.flow.credit = {
			.blocks = { TREE_VL_ROOM / 64, [15] = 1 },
			.block = 64,
			.header = 24,
			.period = 4096 * FAB_PS_PER_NS,
			.eager = true,
		},
	}, {
		TREE_PORT(fab_nvlink),
		TREE_FLITS(16),
	}, {
		TREE_PORT(fab_pcie),
		TREE_FLITS(8),
	},
};

static bool tree_cuts(const struct fab_port_params *port)
{
	return port->disc == &fab_nvlink || port->disc == &fab_pcie;
}

static void tree_params(struct tree *t)
{
	bool cuts = tree_cuts(t->port);

	t->wire = (struct fab_wire_params) {
		.rate_bps = TREE_RATE,
		.propagation = TREE_DELAY,
		.overhead = cuts ? 16 : 24,
		.min_frame = cuts ? 0 : 60,
		.payload = cuts ? 256 : 0,
		.unit = cuts ? 16 : 0,
		.lanes = 1,
		.lanes_up = 1,
	};
	t->buffer = (struct fab_buffer_params) {
		.total = 1ULL << 40,
		.per_port = 1ULL << 40,
		.accounts = t->port->react,
		.cls[0] = { .threshold = TREE_ROOM, .headroom = TREE_ROOM,
			    .xon = 2 * TREE_DATA },
	};
}

static void tree_switch(struct tree *t, u32 id)
{
	struct fab_switch_params p = {
		.ports = t->k,
		.latency = TREE_LATENCY,
		.forward = FAB_CUT_THROUGH,
		.buffer = t->buffer,
		.dsts = t->hosts,
		.groups = t->k + 1,
		.port = *t->port,
	};

	if (fab_switch_params_check(&p))
		tree_die("bad parameters of a switch");
	fab_switch_init(t->fab, &t->sw[id], id, &p,
			tree_alloc(fab_switch_mem(&p)));
	fab_switch_name(t->fab, &t->sw[id]);
	fab_switch_enter(t->fab, &t->sw[id]);
}

static void tree_endpoints(struct tree *t)
{
	struct fab_endpoint_params *p = tree_alloc(sizeof(*p));
	size_t size;
	char *mem;
	u32 i;

	p->buffer = t->buffer;
	p->port = *t->port;
	if (fab_endpoint_params_check(p))
		tree_die("bad parameters of an endpoint");
	size = fab_endpoint_mem(p);
	mem = tree_alloc(t->hosts * size);
	t->ep = tree_alloc(t->hosts * sizeof(*t->ep));
	for (i = 0; i < t->hosts; i++) {
		fab_endpoint_init(t->fab, &t->ep[i], i, p, mem + i * size);
		fab_endpoint_name(t->fab, &t->ep[i]);
	}
}

static void tree_join(struct tree *t, struct fab_port *a, struct fab_port *b)
{
	if (fab_link_join(t->fab, a, b, &t->wire, &t->wire))
		tree_die("two ports cannot be joined");
}

/* Host, edge, aggregation and core i of a pod or group are linked in order. */
static void tree_links(struct tree *t)
{
	u32 half = t->k / 2, n = t->k * half, i, j;

	for (i = 0; i < t->hosts; i++)
		tree_join(t, &t->ep[i].port, &t->sw[i / half].port[i % half]);
	for (i = 0; i < n; i++) {
		struct fab_switch *pod = &t->sw[n + i / half * half];
		struct fab_switch *core = &t->sw[2 * n + i % half * half];

		for (j = 0; j < half; j++) {
			tree_join(t, &t->sw[i].port[half + j],
				  &pod[j].port[i % half]);
			tree_join(t, &t->sw[n + i].port[half + j],
				  &core[j].port[i / half]);
		}
	}
}

static void tree_route(struct fab_switch *sw, u32 dst, u16 first, u32 n)
{
	u16 list[TREE_K_MAX];
	u32 i;

	for (i = 0; i < n; i++)
		list[i] = first + i;
	if (fab_route_set(&sw->route, dst, list, n))
		tree_die("a route cannot be set");
}

/* Down where @dst is below, else up by any port. */
static void tree_routes(struct tree *t, u32 dst)
{
	u32 half = t->k / 2, n = t->k * half, pod = dst / (half * half), i;

	for (i = 0; i < n; i++) {
		if (i == dst / half)
			tree_route(&t->sw[i], dst, dst % half, 1);
		else
			tree_route(&t->sw[i], dst, half, half);
		if (i / half == pod)
			tree_route(&t->sw[n + i], dst, dst / half % half, 1);
		else
			tree_route(&t->sw[n + i], dst, half, half);
	}
	for (i = 0; i < half * half; i++)
		tree_route(&t->sw[2 * n + i], dst, pod, 1);
}

/* Edges stay with their hosts, aggregations with edges; cores are dealt out. */
static void tree_divide(struct tree *t)
{
	u32 half = t->k / 2, n = t->k * half, i;

	t->of_host = tree_alloc(t->hosts * sizeof(*t->of_host));
	t->of_switch = tree_alloc(t->switches * sizeof(*t->of_switch));
	for (i = 0; i < n; i++) {
		t->of_switch[i] = (u64)i * t->cells / n;
		t->of_switch[n + i] = t->of_switch[i];
	}
	for (i = 0; i < half * half; i++)
		t->of_switch[2 * n + i] = i * t->cells / (half * half);
	for (i = 0; i < t->hosts; i++)
		t->of_host[i] = t->of_switch[i / half];
}

#if TREE_CUT
/* Returns the end of the memory used for rings. */
static char *tree_cut_switch(struct tree *t, struct fab_switch *sw, char *rings)
{
	struct fab_cut *cut;
	u32 i;

	for (i = 0; i < t->k; i++) {
		struct fab_port *port = &sw->port[i], *peer = port->peer;

		if (!peer->sw || t->of_switch[peer->sw->id] == t->of_switch[sw->id])
			continue;
		/* Small, and kept until the end. */
		cut = calloc(1, sizeof(*cut) + fab_cut_mem(port));
		if (!cut)
			tree_die("out of memory");
		fab_cut_init(cut, t->of_switch[peer->sw->id], port, cut + 1, rings);
		rings += fab_cut_ring_mem(port);
	}
	return rings;
}

/* Give all objects their cells, and cut the wires between them. */
static void tree_cut(struct tree *t)
{
	char *rings;
	u32 i;

	for (i = 0; i < t->hosts; i++)
		if (t->of_host[i])
			fab_endpoint_change(t->fab, &t->fab[t->of_host[i]], &t->ep[i]);
	for (i = 0; i < t->switches; i++)
		if (t->of_switch[i])
			fab_switch_change(t->fab, &t->fab[t->of_switch[i]], &t->sw[i]);
	rings = tree_alloc(t->switches * t->k * fab_cut_ring_mem(&t->sw->port[0]));
	for (i = 0; i < t->switches; i++)
		rings = tree_cut_switch(t, &t->sw[i], rings);
}
#else
static void tree_cut(struct tree *t)
{
}
#endif

static void tree_build(struct tree *t)
{
	u32 i;

	t->fab = tree_alloc(t->cells * sizeof(*t->fab));
	for (i = 0; i < t->cells; i++)
		fab_init(&t->fab[i], &tree_ops, 1);
	tree_params(t);
	tree_endpoints(t);
	t->sw = tree_alloc(t->switches * sizeof(*t->sw));
	for (i = 0; i < t->switches; i++)
		tree_switch(t, i);
	tree_links(t);
	for (i = 0; i < t->hosts; i++)
		tree_routes(t, i);
	tree_divide(t);
	tree_cut(t);
}

/* A cycle through all hosts in random order (Sattolo): nobody sends to itself. */
static void tree_flows(struct tree *t, u64 seed)
{
	u32 i, j, dst;

	t->flow = tree_alloc(t->hosts * sizeof(*t->flow));
	for (i = 0; i < t->hosts; i++)
		t->flow[i].dst = i;
	for (i = t->hosts - 1; i; i--) {
		j = (fab_mix(seed + i) >> 32) * i >> 32;
		dst = t->flow[i].dst;
		t->flow[i].dst = t->flow[j].dst;
		t->flow[j].dst = dst;
	}
	t->open = t->hosts;
}

static void tree_start(struct tree *t)
{
	u32 n = min(t->window, t->packets), i;

	t->pkt = tree_alloc((size_t)t->hosts * n * sizeof(*t->pkt));
	for (i = 0; i < t->hosts * n; i++) {
		t->pkt[i].flow = i / n;
		tree_send_data(t, &t->pkt[i]);
	}
}

static fab_time tree_next(const struct tree *t)
{
	fab_time next = FAB_NEVER;
	u32 i;

	for (i = 0; i < t->cells; i++)
		next = min(next, fab_event_next(&t->fab[i].events));
	return next;
}

static void tree_run_cell(struct fab *fab, fab_time end)
{
	while (fab_event_next(&fab->events) <= end)
		fab_run_to(fab, &end);
}

/* A cell runs ahead of the others by the propagation of a wire. */
static void tree_run(struct tree *t)
{
	fab_time end;
	u32 i;

	while (t->open) {
		end = tree_next(t);
		if (end == FAB_NEVER)
			tree_die("messages are left, and nothing is due");
		end += TREE_DELAY - 1;
		for (i = 0; i < t->cells; i++)
			tree_run_cell(&t->fab[i], end);
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* What all cells have done. */
static struct fab_counters tree_sum(const struct tree *t)
{
	struct fab_counters sum = { 0 };
	u32 i;

	for (i = 0; i < t->cells; i++) {
		sum.hops += t->fab[i].c.hops;
		sum.events += t->fab[i].c.events;
	}
	return sum;
}

/* Pauses and other control frames that were sent. */
static u64 tree_control(const struct tree *t)
{
	u64 frames = 0;
	u32 i, k;

	for (i = 0; i < t->hosts; i++)
		frames += t->ep[i].port.c.tx_control;
	for (i = 0; i < t->switches; i++)
		for (k = 0; k < t->k; k++)
			frames += t->sw[i].port[k].c.tx_control;
	return frames;
}

static fab_time tree_last(const struct tree *t)
{
	fab_time last = 0;
	u32 i;

	for (i = 0; i < t->hosts; i++)
		last = max(last, t->flow[i].end);
	return last;
}

static u64 tree_digest(const struct tree *t)
{
	u64 digest = 0;
	u32 i;

	for (i = 0; i < t->hosts; i++)
		digest = fab_mix(digest ^ t->flow[i].end);
	return digest;
}

static void tree_print_times(const struct tree *t)
{
	u32 i;

	for (i = 0; i < t->hosts; i++)
		printf("%u %u %llu %llu\n", i, t->flow[i].dst,
		       (u64)t->packets * TREE_DATA, t->flow[i].end);
}

static void tree_print(const struct tree *t, double took)
{
	struct fab_counters c = tree_sum(t);
	double hops = c.hops;
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	printf("k %u: %u hosts, %s, %u cells: %llu hops in %.3f s, %.3f M hops/s, ",
	       t->k, t->hosts, t->port->disc->name, t->cells, c.hops, took,
	       hops / took / 1e6);
	printf("%.3f events/hop, %.4f control/hop, %.1f MB, ",
	       c.events / hops, tree_control(t) / hops,
	       use.ru_maxrss / 1024.0);
	printf("last %llu ps, digest %016llx\n", tree_last(t), tree_digest(t));
}

static const struct fab_port_params *tree_port(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ports); i++)
		if (!strcmp(ports[i].disc->name, name))
			return &ports[i];
	return NULL;
}

static void die_of_usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [--discipline NAME] [--bytes N] [--window PACKETS] [--seed N] [--cells N] [--times] K\n",
		name);
	fprintf(stderr,
		"K: even, 4 to %u. --cells: as many or fewer (default: by size). --times: print source, destination, bytes and end (ps) of each flow\n",
		TREE_K_MAX);
	exit(1);
}

/**
 * struct options - what to run, and what to print
 */
struct options {
	u64 bytes;
	u64 seed;
	bool times;
};

static void parse(struct tree *t, struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "discipline", required_argument, NULL, 'd' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "window", required_argument, NULL, 'w' },
		{ "seed", required_argument, NULL, 's' },
		{ "cells", required_argument, NULL, 'c' },
		{ "times", no_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'd')
			t->port = tree_port(optarg);
		else if (opt == 'b')
			o->bytes = strtoull(optarg, NULL, 0);
		else if (opt == 'w')
			t->window = strtoul(optarg, NULL, 0);
		else if (opt == 's')
			o->seed = strtoull(optarg, NULL, 0);
		else if (opt == 'c')
			t->cells = strtoul(optarg, NULL, 0);
		else if (opt == 't')
			o->times = true;
		else
			die_of_usage(argv[0]);
	}
	if (optind + 1 != argc)
		die_of_usage(argv[0]);
	t->k = strtoul(argv[optind], NULL, 0);
	if (!t->port || !t->window || t->k < 4 || t->k > TREE_K_MAX || t->k % 2)
		die_of_usage(argv[0]);
	if (!o->bytes)
		o->bytes = TREE_BYTES(t->k);
	if (o->bytes > (u64)U32_MAX * TREE_DATA)
		die_of_usage(argv[0]);
}

/* As many cells as by their ports; without a cut there is one. */
static u32 tree_cells(const struct tree *t)
{
	u32 ports = t->hosts + t->switches * t->k;
	u32 cells = t->cells ? t->cells : min(ports / TREE_CELL, TREE_CELLS);

	if (!TREE_CUT || !cells || tree_cuts(t->port))
		return 1;
	return min(cells, t->k * t->k / 2);
}

static void tree_check(const struct tree *t)
{
	u32 i;

	for (i = 0; i < t->cells; i++)
		if (fab_check(&t->fab[i]))
			tree_die(fab_check(&t->fab[i]));
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1 };
	struct tree *t = tree_alloc(sizeof(*t));
	double start;

	/* A page of 2 MiB would count as a whole once a byte of it is touched. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	t->port = &ports[0];
	t->window = TREE_WINDOW;
	parse(t, &o, argc, argv);
	t->hosts = t->k * t->k * t->k / 4;
	t->switches = t->k * t->k * 5 / 4;
	t->cells = tree_cells(t);
	t->packets = DIV_ROUND_UP(o.bytes, TREE_DATA);
	tree_now = t;
	tree_build(t);
	tree_flows(t, o.seed);
	start = seconds();
	tree_start(t);
	tree_run(t);
	start = seconds() - start;
	tree_check(t);
	if (o.times)
		tree_print_times(t);
	else
		tree_print(t, start);
	return 0;
}
