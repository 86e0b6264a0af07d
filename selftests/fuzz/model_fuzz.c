// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzer of the model: bytes become a discipline, a topology and a sequence of
 * sends, runs, link changes, route changes, hosts that stop, triggers, marks and
 * removals; fab_check() after every step.
 *
 * Built with libFuzzer, or with FUZZ_MAIN as a program that runs the files named
 * as arguments, or else a number of pseudo-random inputs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

#define NODES		6
#define SWITCHES	3
#define PORTS		5
#define STEPS_MAX	400
#define TRIGGERS	8
#define PHASES		4

/**
 * struct input - the bytes not used yet; zeros after the last
 */
struct input {
	const uint8_t *data;
	size_t left;
};

/**
 * struct waiting - a trigger, and who waits for its moment
 */
struct waiting {
	/** @t: the trigger */
	struct fab_trigger t;
	/** @w: who waits */
	struct fab_waiter w;
	/** @there: it was added */
	bool there;
};

static struct waiting waiting[TRIGGERS];
static struct fab_phase phases[PHASES];

static u8 byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static u32 word(struct input *in)
{
	return byte(in) | byte(in) << 8;
}

static u64 pick(struct input *in, const u64 *from, u32 n)
{
	return from[byte(in) % n];
}

#define PICK(in, ...) pick(in, (const u64[]){ __VA_ARGS__ },		\
			   ARRAY_SIZE(((const u64[]){ __VA_ARGS__ })))

/* The harness's way to fail is the fuzzer's: abort. */
void ktap_fail(const char *file, int line, const char *fmt, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, fmt);
	abort();
}

static void check(const struct net *net)
{
	const char *wrong = fab_check(&net->fab);

	if (!wrong)
		return;
	fprintf(stderr, "%s\n", wrong);
	abort();
}

/* The same for all objects of an input: only equal ones can be joined. */
static const struct fab_discipline *family;
static u32 classes, block, header;

static void any_family(struct input *in)
{
	/* Frames with retry: of these, users name only Ultra Ethernet. */
	static struct fab_discipline retry[] = {
		{ .name = "retry", .flow = &fab_flow_none },
		{ .name = "retry-pfc" }, { .name = "retry-credit" },
	};
	const struct fab_discipline *const all[] = {
		&fab_drop_tail, &fab_pause, &fab_pfc, &fab_credit, &fab_nvlink,
		&fab_pcie, &retry[0], &retry[1], &retry[2], &fab_cbfc,
		&fab_uec,
	};
	u32 i;

	retry[1].flow = fab_pfc.flow;
	retry[2].flow = fab_credit.flow;
	for (i = 0; i < ARRAY_SIZE(retry); i++)
		retry[i].framing = &fab_replayed_frames;

	family = all[byte(in) % ARRAY_SIZE(all)];
	classes = 1 + byte(in) % 4;
	block = PICK(in, 64, 128, 1024);
	header = PICK(in, 24, 0, 256);
}

static void any_pfc(struct input *in, struct fab_pfc_params *p)
{
	p->quanta = PICK(in, U16_MAX, 1, 100);
	if (family->flow->pauses == FAB_PAUSES_CLASS)
		p->enable = byte(in) & 1;
	p->action = byte(in) % __FAB_WATCHDOG_MAX;
	p->poll = PICK(in, US, 10 * US, MS);
	p->detect = PICK(in, US, 10 * US, MS);
	p->restore = PICK(in, US, 10 * US, MS);
}

static void any_credit(struct input *in, struct fab_credit_params *p)
{
	u32 i;

	p->block = block;
	p->header = header;
	p->period = PICK(in, 4096 * NS, 100 * NS, MS);
	p->refresh = PICK(in, 0, 20 * US, MS);
	p->eager = byte(in) & 1;
	for (i = 0; i < FAB_CLASSES_MAX; i++)
		p->blocks[i] = PICK(in, 2048, 100, 1, 30);
}

static void any_retry(struct input *in, struct fab_retry_params *p)
{
	p->control = PICK(in, 16, 8);
	p->carry = byte(in) & 1;
	p->replay = PICK(in, 0, 20000, 100000);
	p->spacing = PICK(in, 0, 1, 2048);
	p->repeat = PICK(in, 10 * US, US, MS);
}

static void any_flit(struct input *in, struct fab_flit_params *p)
{
	u32 i;

	p->payload = PICK(in, 256, 128, 4096);
	p->unit = PICK(in, 16, 4, 64);
	p->header = PICK(in, 16, 0, 40);
	for (i = 0; i < FAB_CLASSES_MAX; i++) {
		p->hdr[i] = PICK(in, 1024, 1, 20);
		p->data[i] = PICK(in, 16384, 1024, 2000);
	}
}

/* Class 1 is best effort at all objects: only equal ones can be joined. */
static void any_cbfc(struct input *in, struct fab_cbfc_params *p)
{
	u32 i;

	p->size = block;
	p->overhead = header / 4;
	p->spacing = PICK(in, 6400, 0, 100000);
	p->repeat = PICK(in, 262144, 0, 20000);
	p->sync = PICK(in, 20 * US, US, MS);
	for (i = 0; i < FAB_CLASSES_MAX; i++)
		p->limit[i] = i == 1 ? 0 : PICK(in, 4000, 200, 30);
}

static void any_flow(struct input *in, union fab_flow_params *p)
{
	switch (family->flow->kind) {
	case FAB_FLOW_NONE:
		break;
	case FAB_FLOW_PFC:
		any_pfc(in, &p->pfc);
		break;
	case FAB_FLOW_CREDIT:
		any_credit(in, &p->credit);
		break;
	case FAB_FLOW_FLIT:
		any_flit(in, &p->flit);
		break;
	case FAB_FLOW_CBFC:
		any_cbfc(in, &p->cbfc);
		break;
	}
}

static void any_sched(struct input *in, struct fab_port_params *p)
{
	struct fab_vlarb_params *t = &p->sched.vlarb;
	u32 i;

	p->sched.quantum = PICK(in, 1, 500, 9000, U32_MAX);
	for (i = 0; i < p->classes; i++)
		p->sched.weight[i] = PICK(in, 0, 1, 3, U16_MAX);
	if (byte(in) % 4)
		return;
	p->sched.kind = FAB_SCHED_VLARB;
	t->high_limit = PICK(in, 0, 1, 255);
	t->high_entries = byte(in) % 4;
	t->low_entries = 4;
	for (i = 0; i < 4; i++) {
		t->high[i].vl = byte(in) % p->classes;
		t->high[i].weight = byte(in);
		t->low[i].vl = i % p->classes;
		t->low[i].weight = 1 + byte(in) % 255;
	}
}

/* What some ports do to packets: marks, trimming, lifetimes, rests. */
static void any_treatment(struct input *in, struct fab_port_params *p)
{
	u8 what = byte(in);
	u32 i;

	for (i = 0; what & 1 && i < p->classes; i++)
		p->mark.red[i] = (struct fab_red){ 1000, 5000, 500000 };
	p->mark.dequeue = what & 2;
	if (what & 4)
		p->mark.fecn = (struct fab_fecn){ 3000, 2, 3, what & 8 };
	p->ipd = what & 16 ? byte(in) % 4 : 0;
	p->react = what & 32 ? 500 * NS : 0;
	if (what & 64) {
		p->age.hoq = PICK(in, 10 * US, US, MS);
		p->age.life = PICK(in, 0, 100 * US);
		p->age.stall_count = byte(in) % 3;
	}
	if (what & 128 && p->classes > 1 && !family->flow->own_room) {
		p->trim.classes = 1;
		p->trim.cls = 1;
		p->trim.len = 64;
	}
}

static struct fab_port_params any_port(struct input *in)
{
	struct fab_port_params p = net_port(classes, 1);

	p.disc = family;
	p.queue_limit = PICK(in, 1, 1500, 20000, 1 << 20);
	any_flow(in, &p.flow);
	any_retry(in, &p.retry);
	any_sched(in, &p);
	any_treatment(in, &p);
	return p;
}

static void any_accounts(struct input *in, struct fab_buffer_params *b)
{
	u32 i;

	if (family->flow->own_room || byte(in) & 1)
		return;
	b->accounts = true;
	b->total += 1 << 20;
	for (i = 0; i < FAB_CLASSES_MAX; i++) {
		b->cls[i].reserve = PICK(in, 0, 1000, 4096);
		b->cls[i].headroom = PICK(in, 0, 3000, 20000);
		b->cls[i].xon = PICK(in, 0, 1000);
		b->cls[i].dynamic = byte(in) & 1;
		b->cls[i].alpha = (s8)byte(in) % (FAB_ALPHA_MAX + 1);
		b->cls[i].threshold = PICK(in, 1 << 20, 5000, 0);
	}
}

static struct fab_wire_params any_wire(struct input *in)
{
	struct fab_wire_params p = net_wire(PICK(in, 10 * GBPS, 100 * GBPS,
						 400 * GBPS, 3 * GBPS + 1,
						 FAB_RATE_MIN, 800 * GBPS),
					    PICK(in, 0, 10 * NS, US,
						 FAB_DELAY_MAX));

	p.overhead = PICK(in, 24, 0, FAB_OVERHEAD_MAX);
	p.min_frame = PICK(in, 60, 0, FAB_FRAME_MIN_MAX);
	p.lanes = PICK(in, 1, 1, 18, FAB_LANES_MAX);
	p.lanes_up = 1 + p.lanes / 2;
	p.bits_per_error = PICK(in, 0, 0, 0, 5, 50000, FAB_ERROR_MAX);
	if (byte(in) % 4 == 1) {
		p.payload = PICK(in, 256, 512, 4096);
		p.unit = PICK(in, 16, 4, 256);
	}
	return p;
}

static void add_node(struct net *net, struct input *in, u32 id)
{
	struct fab_endpoint_params p = {
		.tx_latency = PICK(in, 0, 100 * NS),
		.rx_latency = PICK(in, 0, 77 * NS),
		.rx.rate_bps = PICK(in, 0, 0, GBPS, 100 * GBPS),
		.buffer.total = PICK(in, 0, 10000, 1 << 20),
		.port = any_port(in),
	};

	any_accounts(in, &p.buffer);
	if (!fab_endpoint_params_check(&p))
		net_node_add(net, id, &p);
}

static void add_switch(struct net *net, struct input *in, u32 id)
{
	struct fab_switch_params p = net_switch_params(PORTS);
	u8 mode = byte(in);
	u32 i;

	p.forward = mode & 1;
	p.arbiter = mode >> 1 & 1;
	p.select = byte(in) % __FAB_SELECT_MAX;
	p.flowlets = p.select == FAB_SELECT_FLOWLET ? 1U << (mode >> 5) : 0;
	p.flowlet_gap = PICK(in, 0, 1000, 10 * US);
	p.quantum = PICK(in, 0, 1000, 4096);
	p.lmc = mode >> 3 & 3;
	p.latency = PICK(in, 0, 300 * NS);
	p.buffer.total = PICK(in, 1 << 20, 30000, 1000);
	p.buffer.per_port = PICK(in, 1 << 20, 10000, 1000);
	p.groups = 1 + mode % 5;
	p.port = any_port(in);
	any_accounts(in, &p.buffer);
	p.sl2vl = byte(in) % __FAB_SL2VL_MAX;
	for (i = 0; i < FAB_CLASSES_MAX; i++)
		p.vl[i] = i % (p.port.classes + 1) == p.port.classes ?
			  FAB_VL_DROP : i % (p.port.classes + 1);
	if (!fab_switch_params_check(&p))
		net_switch_add(net, id, &p);
}

/* Some port; the object may be gone. */
static struct fab_port *any_port_of(struct net *net, struct input *in)
{
	u8 r = byte(in), i = r >> 1;

	if (r & 1)
		return net->node[i % NODES] ? &net->node[i % NODES]->ep.port :
					      NULL;
	if (!net->sw[i % SWITCHES])
		return NULL;
	return &net->sw[i % SWITCHES]->port[i / SWITCHES % PORTS];
}

static void step_send(struct net *net, struct input *in)
{
	struct net_node *node = net->node[byte(in) % NODES];
	struct fab_pkt pkt = { .flow_hash = byte(in), .dst = byte(in) % NODES };
	u8 how = byte(in);
	u32 n = 1 + (how >> 4);

	pkt.cls = how & 3;
	pkt.sl = how & 7;
	pkt.flags = how & 4 ? FAB_PKT_MULTICAST : FAB_PKT_ECT;
	pkt.segs = how & 8 ? byte(in) : 1;
	pkt.len = word(in);
	while (node && n--)
		net_give(node, &pkt);
}

static void step_run(struct net *net, struct input *in)
{
	fab_time next = fab_event_next(&net->fab.events);
	u32 n = byte(in);

	/* Event by event, so that every instant is checked. */
	while (n-- && next != FAB_NEVER) {
		next = fab_run(&net->fab, next, FAB_NO_BUDGET);
		check(net);
	}
	fab_run(&net->fab, net->fab.now + word(in) * 20ULL, FAB_NO_BUDGET);
}

static void step_route(struct net *net, struct input *in)
{
	struct fab_switch *sw = net->sw[byte(in) % SWITCHES];
	u8 dst = byte(in) % (NODES + 1), n = byte(in) % 4, i;
	u16 ports[4];

	for (i = 0; i < n; i++)
		ports[i] = byte(in) % (PORTS + (dst & 1));
	if (!sw)
		return;
	if (dst == NODES)
		fab_route_flood_set(&sw->route, ports, n);
	else if (n)
		fab_route_set(&sw->route, dst, ports, n);
	else
		fab_route_del(&sw->route, dst);
}

static void step_link(struct net *net, struct input *in)
{
	struct fab_port *a = any_port_of(net, in), *b = any_port_of(net, in);
	struct fab_wire_params p = any_wire(in);
	u8 what = byte(in);

	if (!a)
		return;
	if (what % 4 == 0 && a->peer)
		fab_link_up(&net->fab, a, what & 4);
	else if (what % 4 == 1 && a->peer)
		fab_link_set(&net->fab, a, &p);
	else if (what % 16 == 2)
		fab_link_part(&net->fab, a, FAB_DROP_TEARDOWN);
	else if (b)
		fab_link_join(&net->fab, a, b, &p, &p);
}

static void step_object(struct net *net, struct input *in)
{
	u8 r = byte(in), id = r >> 2;

	if (r & 2) {
		id %= SWITCHES;
		if (r & 1 && net->sw[id])
			net_switch_del(net, id);
		else if (!net->sw[id])
			add_switch(net, in, id);
		return;
	}
	id %= NODES;
	if (r & 1 && net->node[id])
		net_node_del(net, id);
	else if (!net->node[id])
		add_node(net, in, id);
}

static void step_pump(struct net *net, struct input *in)
{
	struct net_node *node = net->node[byte(in) % NODES];
	u8 cls = byte(in) % 4, dst = byte(in) % NODES;

	if (node && cls < node->ep.p->port.classes &&
	    fab_port_can_send(&node->ep.port))
		net_pump(net, node->ep.id, dst, word(in) % 20000, cls);
}

/* A host stops some classes, or takes packets faster or slower. */
static void step_host(struct net *net, struct input *in)
{
	struct net_node *node = net->node[byte(in) % NODES];
	struct fab_receive_params p = {
		.rate_bps = PICK(in, 0, 0, GBPS, 100 * GBPS),
		.stopped = byte(in),
	};

	if (node)
		fab_receive_set(&net->fab, &node->ep, &p);
}

static void told(struct fab *fab, struct fab_waiter *w, fab_time at)
{
	if (at < fab->now)
		ktap_fail(__FILE__, __LINE__, "due before now");
}

static void add_trigger(struct net *net, struct input *in, struct waiting *x)
{
	struct net_node *node = net->node[byte(in) % NODES];
	struct fab_trigger_params p = {
		.kind = byte(in) % (FAB_TRIGGER_BYTES + 1),
		.mark = { 'a' + byte(in) % 2 },
		.phase = 1 + byte(in) % PHASES,
		.rate_bps = PICK(in, FAB_RATE_MIN, GBPS, 100 * GBPS),
		.bytes = word(in),
	};

	if (fab_trigger_params_check(&p) ||
	    (fab_trigger_of_nic(p.kind) && !node))
		return;
	*x = (struct waiting){ .there = true };
	fab_trigger_add(&net->fab, node ? &node->ep : NULL, &x->t, &p);
	fab_moment_wait(&net->fab, &x->t.moment, &x->w, word(in), told);
}

/* A trigger comes or goes, or a mark begins the phase that some wait for. */
static void step_trigger(struct net *net, struct input *in)
{
	u8 r = byte(in);
	struct waiting *x = &waiting[r % TRIGGERS];

	if (r & 0x80 && net->fab.phased) {
		fab_phase_mark(&net->fab, (char[]){ 'a' + r / TRIGGERS % 3, 0 });
		return;
	}
	if (!x->there) {
		add_trigger(net, in, x);
		return;
	}
	fab_moment_leave(&x->w);
	fab_trigger_remove(&x->t);
	x->there = false;
}

/* In some runs, marks and traffic make phases. */
static void any_phases(struct net *net, struct input *in)
{
	struct fab_phase_params p = {
		.rate_bps = PICK(in, 0, 0, GBPS, 100 * GBPS),
		.least = 1 + word(in),
		.quiet = 1 + word(in) * 20ULL,
	};

	memset(waiting, 0, sizeof(waiting));
	if (!p.rate_bps && byte(in) & 1)
		return;
	fab_phase_start(&net->fab, phases, PHASES);
	if (!fab_phase_params_check(&p))
		fab_phase_watch(&net->fab, &p);
}

/*
 * A line of switches with two hosts each, so that most inputs reach far; what
 * the model refuses is left out.
 */
static void build(struct net *net, struct input *in)
{
	struct fab_wire_params p;
	u32 i, dst;

	for (i = 0; i < SWITCHES; i++)
		add_switch(net, in, i);
	for (i = 0; i < NODES; i++)
		add_node(net, in, i);
	for (i = 0; i < NODES; i++) {
		p = any_wire(in);
		if (net->node[i] && net->sw[i / 2])
			fab_link_join(&net->fab, &net->node[i]->ep.port,
				      &net->sw[i / 2]->port[i % 2], &p, &p);
	}
	for (i = 0; i + 1 < SWITCHES; i++) {
		p = any_wire(in);
		if (net->sw[i] && net->sw[i + 1])
			fab_link_join(&net->fab, &net->sw[i]->port[3],
				      &net->sw[i + 1]->port[2], &p, &p);
	}
	for (i = 0; i < SWITCHES; i++)
		for (dst = 0; net->sw[i] && dst < NODES; dst++)
			fab_route_set(&net->sw[i]->route, dst,
				      &(u16){ dst / 2 == i ? dst % 2 :
					      dst / 2 > i ? 3 : 2 }, 1);
}

static void step(struct net *net, struct input *in)
{
	switch (byte(in) % 12) {
	case 0 ... 2:
		step_send(net, in);
		break;
	case 3 ... 5:
		step_run(net, in);
		break;
	case 6:
		step_route(net, in);
		break;
	case 7:
		step_link(net, in);
		break;
	case 8:
		step_pump(net, in);
		break;
	case 9:
		step_host(net, in);
		break;
	case 10:
		step_trigger(net, in);
		break;
	default:
		step_object(net, in);
	}
	check(net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * LLVMFuzzerTestOneInput() - run one input
 * @data: its bytes
 * @size: how many
 *
 * Return: 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .data = data, .left = size };
	struct net *net = net_new(word(&in));
	u32 steps;

	net->no_clone = byte(&in) % 8 == 1;
	any_family(&in);
	any_phases(net, &in);
	build(net, &in);
	check(net);
	for (steps = 0; in.left && steps < STEPS_MAX; steps++)
		step(net, &in);
	net_free(net);
	return 0;
}

#ifdef FUZZ_MAIN
static void run_file(const char *name)
{
	static uint8_t data[1 << 20];
	FILE *file = fopen(name, "rb");
	size_t size;

	if (!file) {
		perror(name);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
}

static void run_random(u64 seed)
{
	uint8_t data[2000];
	u32 i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = fab_rng_next(&seed);
	LLVMFuzzerTestOneInput(data, 100 + fab_rng_next(&seed) % 1900);
}

int main(int argc, char **argv)
{
	const char *runs = getenv("FUZZ_RUNS");
	u64 n = runs ? strtoull(runs, NULL, 0) : 2000, i;

	if (argc > 1) {
		for (i = 1; i < (u64)argc; i++)
			run_file(argv[i]);
		return 0;
	}
	for (i = 0; i < n; i++)
		run_random(i);
	printf("%llu inputs, no invariant broken\n", n);
	return 0;
}
#endif
