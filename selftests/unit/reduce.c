// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reductions in switches: laws of time, order of the operands, memory, faults.
 */
#include <stdlib.h>

#include "core/fault/fault.h"
#include "ib.h"
#include "ktap.h"

#define RATE		(400 * GBPS)
#define PROP		(500 * NS)
#define LATENCY		(300 * NS)	/* of a switch's pipeline */
#define WORK		(150 * NS)	/* of an aggregation node */
#define LEN		4096
#define GROUP		5
#define HOSTS		64
#define LEVELS_MAX	3

/* At 400 Gb/s. */
static fab_time wire_time(u32 bytes)
{
	return 20ULL * bytes;
}

#define T	wire_time(LEN + 24)

/**
 * struct tree - hosts under switches of one radix, in levels
 * @net: the network
 * @radix: children of each switch
 * @levels: switches between a host and above the root
 * @hosts: hosts, radix to the power of levels
 * @slots: chunks of each aggregation node
 * @to: who gets results
 * @blocks: with InfiniBand's credits: blocks of each buffer; 0: without flow control
 * @node: the aggregation nodes, by switch
 * @mem: memory of each
 * @chunks: chunks of the operation
 * @sent: by host: chunks that it sent
 * @got: by host: results that it has
 * @value: by chunk: the result, which all have to get
 * @end: when the last host had the last result
 */
struct tree {
	struct net *net;
	u32 radix;
	u32 levels;
	u32 hosts;
	u32 slots;
	enum fab_reduce_to to;
	u32 blocks;
	struct fab_reduce node[NET_MAX];
	void *mem[NET_MAX];
	u32 chunks;
	u32 sent[HOSTS];
	u32 got[HOSTS];
	u64 *value;
	fab_time end;
};

static struct tree *the_tree;

static u64 part_of(u32 host, u32 chunk)
{
	return fab_mix(1000 * chunk + host);
}

static void send_chunk(struct tree *t, u32 host)
{
	u32 chunk = t->sent[host]++;
	const struct fab_pkt pkt = {
		.len = LEN, .segs = 1, .dst = FAB_DST_REDUCE | GROUP, .flow_hash = chunk,
	};

	EXPECT_EQ(net_give_value(t->net->node[host], &pkt, part_of(host, chunk)), 0);
}

/* A window of as many chunks as the nodes have slots. */
static void send_more(struct tree *t, u32 host)
{
	while (t->sent[host] < t->chunks && t->sent[host] - t->got[host] < t->slots)
		send_chunk(t, host);
}

static void on_result(struct net_node *node, const struct fab_pkt *pkt)
{
	u64 value = container_of(pkt, struct net_pkt, p)->value;
	u32 host = node->ep.id, chunk = pkt->flow_hash;
	struct tree *t = the_tree;

	/* The owner stores it to all. */
	if (fab_dst_is_owner(pkt->dst)) {
		EXPECT_EQ(pkt->dst, FAB_DST_OWNER | GROUP);
		EXPECT_EQ(t->to, FAB_REDUCE_OWNER);
		EXPECT_EQ(chunk % t->hosts, host);
		EXPECT_EQ(net_give_value(node, &(struct fab_pkt) {
			.len = LEN, .segs = 1, .dst = fab_dst_store(pkt->dst),
			.flow_hash = chunk,
		}, value), 0);
		return;
	}
	EXPECT_EQ(pkt->dst, FAB_DST_RESULT | GROUP);
	EXPECT_EQ(value, t->value[chunk]);
	t->got[host]++;
	t->end = node->net->fab.now;
	send_more(t, host);
}

/* What the nodes make of the values: at each of them a polynomial of its children's. */
static u64 result_of(const struct tree *t, u32 level, u32 first, u32 chunk)
{
	u32 under = 1, i;
	u64 sum = 0;

	if (!level)
		return part_of(first, chunk);
	for (i = 1; i < level; i++)
		under *= t->radix;
	for (i = 0; i < t->radix; i++)
		sum = (i ? 31 * sum : 0) + result_of(t, level - 1, first + i * under, chunk);
	return sum;
}

static void add_node(struct tree *t, u32 sw, bool root)
{
	u16 child[HOSTS];
	struct fab_reduce_params p = {
		.group = GROUP, .children = t->radix, .child = child, .to = t->to,
		.parent = root ? FAB_REDUCE_ROOT : t->radix, .slots = t->slots,
		.latency = WORK,
	};
	u32 i;

	for (i = 0; i < t->radix; i++)
		child[i] = i;
	EXPECT_EQ(fab_reduce_params_check(t->net->sw[sw], &p), 0);
	t->mem[sw] = calloc(1, fab_reduce_mem(&p));
	fab_reduce_init(&t->net->fab, t->net->sw[sw], &t->node[sw], &p, t->mem[sw]);
	EXPECT_EQ(fab_reduce_params_check(t->net->sw[sw], &p), -EEXIST);
}

static void tree_new(struct tree *t)
{
	struct fab_switch_params p = net_switch_params(t->radix + 1);
	struct fab_endpoint_params ep = { .port = net_port(1, 1 << 20) };
	u32 first = 0, below = 0, n, i, level;

	t->hosts = 1;
	for (i = 0; i < t->levels; i++)
		t->hosts *= t->radix;
	the_tree = t;
	t->net = net_new(1);
	if (t->blocks) {
		struct ib ib = { .bps = RATE, .blocks = t->blocks };

		ep.port = ib_port(&ib);
		p.port = ib_port(&ib);
	}
	p.latency = LATENCY;
	p.forward = FAB_CUT_THROUGH;
	for (i = 0; i < t->hosts; i++) {
		net_node_add(t->net, i, &ep);
		t->net->node[i]->on_deliver = on_result;
	}
	for (level = 1, n = t->hosts / t->radix; level <= t->levels; level++, n /= t->radix) {
		for (i = 0; i < n * t->radix; i++) {
			if (!(i % t->radix))
				net_switch_add(t->net, first + i / t->radix, &p);
			net_join(t->net, level == 1 ? &t->net->node[i]->ep.port :
				 &t->net->sw[below + i]->port[t->radix],
				 &t->net->sw[first + i / t->radix]->port[i % t->radix],
				 RATE, PROP);
		}
		for (i = 0; i < n; i++)
			add_node(t, first + i, level == t->levels);
		below = first;
		first += n;
	}
}

static void tree_free(struct tree *t)
{
	u32 i;

	net_free(t->net);
	for (i = 0; i < NET_MAX; i++)
		free(t->mem[i]);
	free(t->value);
}

/* All hosts begin at once. Returns how long it took. */
static fab_time all_reduce(struct tree *t, u32 chunks)
{
	fab_time begin = t->net->fab.now;
	u32 i;

	t->chunks = chunks;
	t->value = realloc(t->value, chunks * sizeof(*t->value));
	for (i = 0; i < chunks; i++)
		t->value[i] = result_of(t, t->levels, 0, i);
	for (i = 0; i < t->hosts; i++) {
		t->sent[i] = 0;
		t->got[i] = 0;
	}
	for (i = 0; i < t->hosts; i++)
		send_more(t, i);
	net_drain(t->net);
	for (i = 0; i < t->hosts; i++)
		EXPECT_EQ(t->got[i], chunks);
	EXPECT_EQ(t->net->fab.c.packets_dropped, 0);
	return t->end - begin;
}

/*
 * One chunk: up, each level takes the wire, a packet, the pipeline, the node and the
 * pipeline again. Down, it takes the wire and the pipeline of each switch below the root,
 * and at last a packet.
 */
static fab_time one_chunk(u32 levels)
{
	return levels * (PROP + T + 2 * LATENCY + WORK) + (levels - 1) * (PROP + LATENCY) +
	       PROP + T;
}

/*
 * Enough slots: the wires are never idle, and k chunks take k - 1 packet times more than
 * one. For large sizes that is S / B. With fewer slots than a chunk's time has packets, so
 * many pass in that time.
 */
static void law(u32 radix, u32 levels, u32 slots, u32 chunks)
{
	struct tree t = { .radix = radix, .levels = levels, .slots = slots };
	fab_time once = one_chunk(levels);

	tree_new(&t);
	if (slots * T >= once)
		EXPECT_EQ(all_reduce(&t, chunks), once + (chunks - 1) * T);
	else
		EXPECT_EQ(all_reduce(&t, chunks), (chunks - 1) / slots * once + once +
			  (chunks - 1) % slots * T);
	EXPECT_EQ(t.node[0].results, chunks);
	EXPECT(t.node[0].peak <= slots);
	tree_free(&t);
}

TEST(reduce_one_level)
{
	law(8, 1, 256, 1);
	law(8, 1, 256, 2);
	law(8, 1, 256, 1000);
	law(16, 1, 256, 300);
	law(8, 1, 1, 20);
	law(8, 1, 7, 100);
}

TEST(reduce_levels)
{
	law(4, 2, 256, 1);
	law(4, 2, 256, 500);
	law(4, 3, 256, 200);
	law(8, 2, 256, 100);
	law(2, 3, 256, 400);
	law(4, 3, 10, 100);
}

/*
 * NVLS: each host sends its own data once and stores the results that it owns, which are
 * one in n: S / B (n + 1) / n for large sizes (N6). In the end the last results wait behind a
 * window of chunks.
 */
TEST(reduce_owner)
{
	struct tree t = { .radix = 8, .levels = 1, .slots = 64, .to = FAB_REDUCE_OWNER };
	u32 chunks = 8 * 500;
	fab_time law = chunks * T * 9 / 8, took;

	tree_new(&t);
	took = all_reduce(&t, chunks);
	EXPECT(took > law);
	EXPECT(took < law + one_chunk(1) + t.slots * T);
	EXPECT(took < law + law / 50);
	EXPECT_EQ(t.net->node[3]->ep.port.c.tx_packets, chunks + chunks / 8);
	EXPECT_EQ(t.net->node[3]->rx, chunks + chunks / 8);
	tree_free(&t);
}

/*
 * A host that comes late: what the others sent waits in the node, holds no buffer, and
 * another flow passes at the rate of its wires.
 */
TEST(reduce_late)
{
	struct tree t = { .radix = 4, .levels = 1, .slots = 16, .chunks = 16 };
	struct fab_pkt pkt = { .len = LEN, .segs = 1, .dst = 1 };
	u32 i;

	tree_new(&t);
	t.value = calloc(16, sizeof(*t.value));
	for (i = 0; i < 16; i++)
		t.value[i] = result_of(&t, 1, 0, i);
	net_route(t.net->sw[0], 1, 1);
	for (i = 0; i < 3; i++)
		send_more(&t, i);
	net_drain(t.net);
	EXPECT_EQ(t.node[0].busy, 16);
	EXPECT_EQ(t.net->sw[0]->buffer.used, 0);
	EXPECT_EQ(t.net->node[1]->rx, 0);
	t.net->node[1]->on_deliver = NULL;
	for (i = 0; i < 100; i++)
		net_give(t.net->node[3], &pkt);
	net_drain(t.net);
	EXPECT_EQ(t.net->node[1]->rx, 100);
	t.net->node[1]->on_deliver = on_result;
	send_more(&t, 3);
	net_drain(t.net);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(t.got[i], 16);
	EXPECT_EQ(t.node[0].busy, 0);
	tree_free(&t);
}

/*
 * With credits for three packets at each port. Results wait in the nodes' memory, not in the
 * buffers of the ports that they leave by. Else what goes up and what comes down would wait
 * for one another. Updates of credits take time, so the law is a bound.
 */
TEST(reduce_credits)
{
	struct tree t = { .radix = 4, .levels = 3, .slots = 256, .blocks = 200 };
	fab_time took;

	tree_new(&t);
	net_drain(t.net);
	took = all_reduce(&t, 300);
	EXPECT(took >= one_chunk(3) + 299 * T);
	EXPECT(took < 20 * (one_chunk(3) + 299 * T));
	tree_free(&t);
}

/* More chunks than there are slots, the same once more, and strangers: all are dropped. */
TEST(reduce_misuse)
{
	struct tree t = { .radix = 4, .levels = 1, .slots = 2, .chunks = 4 };
	struct fab_pkt pkt = { .len = LEN, .segs = 1 };
	struct fab_port *in;

	tree_new(&t);
	in = &t.net->sw[0]->port[0];
	send_chunk(&t, 0);
	send_chunk(&t, 0);
	send_chunk(&t, 0);
	net_drain(t.net);
	EXPECT_EQ(in->c.drops[FAB_DROP_PORT_LIMIT], 1);
	t.sent[0] = 0;
	send_chunk(&t, 0);
	net_drain(t.net);
	EXPECT_EQ(in->c.drops[FAB_DROP_PORT_LIMIT], 2);
	EXPECT_EQ(t.node[0].late, 2);
	pkt.dst = FAB_DST_REDUCE | (GROUP + 1);
	net_give(t.net->node[0], &pkt);
	net_drain(t.net);
	EXPECT_EQ(in->c.drops[FAB_DROP_NO_ROUTE], 1);
	/* It holds two packets, which come back. */
	fab_reduce_remove(&t.net->fab, &t.node[0]);
	EXPECT_EQ(t.net->drops[FAB_DROP_TEARDOWN], 2);
	pkt.dst = FAB_DST_RESULT | GROUP;
	net_give(t.net->node[0], &pkt);
	net_drain(t.net);
	EXPECT_EQ(in->c.drops[FAB_DROP_NO_ROUTE], 2);
	EXPECT_NULL_STR(fab_check(&t.net->fab));
	tree_free(&t);
}

/* What the host refuses, and what is shorter than the others, is dropped; the chunk goes on. */
TEST(reduce_refused)
{
	struct tree t = { .radix = 4, .levels = 1, .slots = 2, .chunks = 1 };
	struct fab_pkt pkt = { .len = LEN - 1, .segs = 1, .dst = FAB_DST_REDUCE | GROUP };
	u32 i;

	tree_new(&t);
	t.value = calloc(1, sizeof(*t.value));
	t.value[0] = result_of(&t, 1, 0, 0);
	t.net->refuses = true;
	send_chunk(&t, 0);
	net_drain(t.net);
	EXPECT_EQ(t.net->sw[0]->port[0].c.drops[FAB_DROP_NO_ROUTE], 1);
	EXPECT_EQ(t.node[0].busy, 0);
	t.net->refuses = false;
	t.sent[0] = 0;
	send_chunk(&t, 0);
	net_drain(t.net);
	net_give_value(t.net->node[1], &pkt, 0);
	net_drain(t.net);
	EXPECT_EQ(t.net->sw[0]->port[1].c.drops[FAB_DROP_NO_ROUTE], 1);
	EXPECT_EQ(t.node[0].refused, 2);
	for (i = 1; i < 4; i++)
		send_chunk(&t, i);
	net_drain(t.net);
	EXPECT_EQ(t.got[3], 1);
	/* What it holds comes back, and it works on. */
	send_chunk(&t, 0);
	net_drain(t.net);
	fab_reduce_empty(&t.net->fab, &t.node[0]);
	EXPECT_EQ(t.net->drops[FAB_DROP_TEARDOWN], 1);
	EXPECT_EQ(t.node[0].busy, 0);
	tree_free(&t);
}

/*
 * Nodes of a switch that are down lose what they hold and what comes, up and down; other packets
 * of the switch pass. Slow ones add to the latency of each level once.
 */
TEST(reduce_faults)
{
	struct tree t = { .radix = 4, .levels = 2, .slots = 256 };
	struct fab_fault_params p = { .kind = FAB_FAULT_SHARP_SLOW, .delay = 3000 * NS };
	struct fab_pkt pkt = { .len = LEN, .segs = 1, .dst = 1 };
	struct fab_fault slow = { 0 }, down = { 0 };

	tree_new(&t);
	EXPECT_EQ(fab_fault_params_check(&p), 0);
	fab_fault_add_switch(&t.net->fab, t.net->sw[4], &slow, &p);
	EXPECT_EQ(all_reduce(&t, 100), one_chunk(2) + 3000 * NS + 99 * T);
	EXPECT_EQ(slow.c.packets, 400);
	fab_fault_remove(&t.net->fab, &slow);
	EXPECT_EQ(all_reduce(&t, 100), one_chunk(2) + 99 * T);

	t.sent[0] = 0;
	send_chunk(&t, 0);
	net_drain(t.net);
	EXPECT_EQ(t.node[0].busy, 1);
	p = (struct fab_fault_params) { .kind = FAB_FAULT_SHARP_DOWN };
	fab_fault_add_switch(&t.net->fab, t.net->sw[0], &down, &p);
	net_drain(t.net);
	EXPECT_EQ(t.node[0].busy, 0);
	EXPECT_EQ(t.net->drops[FAB_DROP_FAULT], 1);
	send_chunk(&t, 1);
	net_route(t.net->sw[0], 1, 1);
	t.net->node[1]->on_deliver = NULL;
	net_give(t.net->node[0], &pkt);
	net_drain(t.net);
	EXPECT_EQ(t.net->drops[FAB_DROP_FAULT], 2);
	EXPECT_EQ(down.c.packets, 1);
	EXPECT_EQ(t.net->node[1]->rx, 201);
	EXPECT_NULL_STR(fab_check(&t.net->fab));
	fab_fault_remove(&t.net->fab, &down);
	tree_free(&t);
}

/* Without a result nothing is sent; the next chunks have one. */
TEST(reduce_no_result)
{
	struct tree t = { .radix = 4, .levels = 1, .slots = 2 };

	tree_new(&t);
	t.net->no_result = true;
	t.chunks = 1;
	for (u32 i = 0; i < 4; i++)
		send_more(&t, i);
	net_drain(t.net);
	EXPECT_EQ(t.net->node[0]->rx, 0);
	EXPECT_EQ(t.node[0].busy, 0);
	t.net->no_result = false;
	all_reduce(&t, 10);
	tree_free(&t);
}

TEST(reduce_params)
{
	struct tree t = { .radix = 2, .levels = 1, .slots = 1 };
	u16 child[2] = { 0, 1 };
	struct fab_reduce_params p = {
		.group = 1, .children = 2, .child = child, .parent = 2, .slots = 1,
	};

	tree_new(&t);
#define REFUSED(lvalue, value) do {					\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		EXPECT_EQ(fab_reduce_params_check(t.net->sw[0], &p), 0); \
		(lvalue) = (value);					\
		EXPECT_EQ(fab_reduce_params_check(t.net->sw[0], &p), -EINVAL); \
		(lvalue) = kept_;					\
	} while (0)
	REFUSED(p.group, FAB_REDUCE_GROUPS);
	REFUSED(p.children, 0);
	REFUSED(p.children, 4);
	REFUSED(p.slots, 0);
	REFUSED(p.slots, FAB_REDUCE_SLOTS_MAX + 1);
	REFUSED(p.latency, FAB_DELAY_MAX + 1);
	REFUSED(p.parent, 3);
	REFUSED(p.parent, 1);
	REFUSED(child[1], 0);
	REFUSED(child[1], 3);
	tree_free(&t);
}
