// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Routes after a failure: links are taken away at random, and what is left must
 * connect all that hangs together, shortest where the policy says so, without
 * circles of buffers, and be got to without a loop on the way. Distances and loops
 * are found here apart from how the library does it.
 */
#include <stdlib.h>
#include <string.h>

#include "follow.h"
#include "ktap.h"
#include "lab/converge.h"
#include "lab/lab_sources.h"
#include "load.h"
#include "plan/reroute.h"
#include "topology/share.h"

#define SWITCHES	40
#define NICS		64
#define FAR		1000U
#define CLASSES		4U	/* as many as profile ib has */
#define TRIALS		30

/**
 * struct spread - tables, spread out: a bit for each port
 * @way: of each switch and destination
 * @flood: of each switch
 */
struct spread {
	uint64_t way[SWITCHES][NICS];
	uint64_t flood[SWITCHES];
};

/**
 * struct net - a network that links are taken from
 * @topo: the topology
 * @plan: its plan
 * @m: what is at the other end of each port
 * @link: of each port of a switch, its link
 * @down: of each link
 * @seed: of the randomness
 */
struct net {
	struct weft_topo topo;
	struct weft_plan plan;
	struct follow_map m;
	unsigned int link[FOLLOW_MAX];
	bool down[FOLLOW_MAX];
	uint32_t seed;
};

static struct net *net_of(const char *text)
{
	struct net *n = calloc(1, sizeof(*n));
	struct weft_err err;

	n->topo = topo_of(text);
	if (weft_plan_make(&n->plan, &n->topo, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	if (n->plan.switches > SWITCHES || n->plan.nics > NICS)
		abort();
	follow_map(&n->m, &n->plan);
	for (unsigned int i = 0; i < n->plan.links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &n->plan.link[i].end[s];

			if (!e->is_nic)
				n->link[n->m.first[e->id] + e->port] = i;
		}
	n->seed = 1;
	return n;
}

static void net_free(struct net *n)
{
	weft_plan_free(&n->plan);
	weft_topo_free(&n->topo);
	free(n);
}

static uint32_t draw(struct net *n, uint32_t below)
{
	n->seed = n->seed * 1664525 + 1013904223;
	return (n->seed >> 8) % below;
}

static void break_links(struct net *n, unsigned int count)
{
	memset(n->down, 0, sizeof(n->down));
	while (count--)
		n->down[draw(n, n->plan.links)] = true;
}

static const struct weft_end *beyond(const struct net *n, uint32_t sw,
				     unsigned int port)
{
	return &n->m.far[n->m.first[sw] + port];
}

static bool is_down(const struct net *n, uint32_t sw, unsigned int port)
{
	return n->down[n->link[n->m.first[sw] + port]];
}

static struct weft_tables tables_of(const struct net *n)
{
	struct weft_tables t;
	struct weft_err err;

	if (weft_tables_make(&t, &n->plan, &n->topo, n->down, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return t;
}

static uint64_t bits_of(const struct weft_route *r)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < r->ports; i++)
		bits |= 1ULL << r->port[i];
	return bits;
}

static void spread_one(struct spread *s, const struct weft_route *r)
{
	if (r->flood)
		s->flood[r->sw] = bits_of(r);
	for (uint32_t d = r->dst; !r->flood && d <= r->dst_last; d++)
		s->way[r->sw][d] = bits_of(r);
}

static struct spread *spread_of(const struct weft_tables *t)
{
	struct spread *s = calloc(1, sizeof(*s));

	for (unsigned int i = 0; i < t->routes; i++)
		spread_one(s, &t->route[i]);
	return s;
}

/* Links between switches to the one that a NIC is at; FAR: there is no way. */
static void distances(const struct net *n, uint32_t nic, unsigned int *hops)
{
	const struct weft_end *at = &n->m.at[nic];
	bool news = !is_down(n, at->id, at->port);

	for (uint32_t sw = 0; sw < n->plan.switches; sw++)
		hops[sw] = FAR;
	hops[at->id] = news ? 0 : FAR;
	while (news) {
		news = false;
		for (uint32_t sw = 0; sw < n->plan.switches; sw++)
			for (unsigned int p = 0; p < n->plan.sw[sw].ports; p++) {
				const struct weft_end *e = beyond(n, sw, p);

				if (e->is_nic || is_down(n, sw, p) ||
				    hops[e->id] + 1 >= hops[sw])
					continue;
				hops[sw] = hops[e->id] + 1;
				news = true;
			}
	}
}

/*
 * Links between switches on the longest way to a NIC, which all ways come to, over
 * links that are up; FAR where one does not.
 */
static unsigned int longest(const struct net *n, const struct spread *s,
			    uint32_t sw, uint32_t nic, unsigned int hops)
{
	unsigned int most = 0, h;

	if (!s->way[sw][nic] || hops > n->plan.switches)
		return FAR;
	for (unsigned int p = 0; p < n->plan.sw[sw].ports; p++) {
		const struct weft_end *e = beyond(n, sw, p);

		if (!(s->way[sw][nic] >> p & 1))
			continue;
		if (is_down(n, sw, p) || (e->is_nic && e->id != nic))
			return FAR;
		h = e->is_nic ? 0 : 1 + longest(n, s, e->id, nic, hops + 1);
		most = h > most ? h : most;
	}
	return most;
}

static bool has_nic(const struct net *n, uint32_t sw)
{
	for (uint32_t nic = 0; nic < n->plan.nics; nic++)
		if (n->m.at[nic].id == sw)
			return true;
	return false;
}

/*
 * Every switch with NICs reaches what hangs together with it, and no other. Those
 * without, where packets never begin, may lack a way unless all ways are shortest.
 */
static void reaches(const struct net *n, const struct spread *s, bool shortest)
{
	unsigned int hops[SWITCHES], way;

	for (uint32_t nic = 0; nic < n->plan.nics; nic++) {
		distances(n, nic, hops);
		for (uint32_t sw = 0; sw < n->plan.switches; sw++) {
			if (hops[sw] == FAR)
				EXPECT_EQ(s->way[sw][nic], 0);
			if (hops[sw] == FAR || (!shortest && !has_nic(n, sw)))
				continue;
			way = longest(n, s, sw, nic, 0);
			EXPECT(way < FAR);
			if (shortest)
				EXPECT_EQ(way, hops[sw]);
		}
	}
}

/**
 * struct circle - which channels wait for which
 * @n: the network
 * @channels: ports times classes
 * @waits: of each pair, whether
 */
struct circle {
	struct net *n;
	unsigned int channels;
	bool *waits;
};

static void note(void *ctx, unsigned int port, unsigned int cls, int before,
		 unsigned int cls_before)
{
	struct circle *c = ctx;

	if (before >= 0 && !c->n->m.far[port].is_nic)
		c->waits[((unsigned int)before * CLASSES + cls_before) *
			 c->channels + port * CLASSES + cls] = true;
}

/* Depth first: @state is 1 on the way, 2 when done. */
static bool comes_round(const struct circle *c, unsigned int at, char *state)
{
	state[at] = 1;
	for (unsigned int i = 0; i < c->channels; i++) {
		if (!c->waits[at * c->channels + i] || state[i] == 2)
			continue;
		if (state[i] == 1 || comes_round(c, i, state))
			return true;
	}
	state[at] = 2;
	return false;
}

/* All to all in two classes, of which date lines make others. */
static bool has_circle(struct net *n, const struct weft_tables *t,
		       const struct spread *s)
{
	struct circle c = { n, n->m.ports * CLASSES, NULL };
	struct weft_plan p = n->plan;
	struct follow_map m = n->m;
	bool found = false;
	char *state;

	c.waits = calloc(c.channels, c.channels);
	state = calloc(c.channels, 1);
	p.route = t->route;
	p.routes = t->routes;
	m.plan = &p;
	for (uint32_t from = 0; from < p.nics; from++)
		for (uint32_t to = 0; to < p.nics; to++)
			for (unsigned int k = 0; from != to && k < 2; k++)
				if (s->way[m.at[from].id][to])
					follow(&m, from, to, k, note, &c);
	for (unsigned int i = 0; !found && i < c.channels; i++)
		found = !state[i] && comes_round(&c, i, state);
	free(c.waits);
	free(state);
	return found;
}

/* A packet that is anywhere does not come back to where it was. */
static bool has_loop(const struct net *n, const struct spread *s, uint32_t nic,
		     uint32_t sw, char *state)
{
	state[sw] = 1;
	for (unsigned int p = 0; p < n->plan.sw[sw].ports; p++) {
		const struct weft_end *e = beyond(n, sw, p);

		if (!(s->way[sw][nic] >> p & 1) || e->is_nic ||
		    state[e->id] == 2)
			continue;
		if (state[e->id] == 1 || has_loop(n, s, nic, e->id, state))
			return true;
	}
	state[sw] = 2;
	return false;
}

static uint32_t root_of(const uint32_t *part, uint32_t sw)
{
	while (part[sw] != sw)
		sw = part[sw];
	return sw;
}

/* Links over which either end sends copies: no way round. */
static bool floods_round(const struct net *n, const struct spread *s)
{
	uint32_t part[SWITCHES], a, b;

	for (uint32_t sw = 0; sw < SWITCHES; sw++)
		part[sw] = sw;
	for (unsigned int i = 0; i < n->plan.links; i++) {
		const struct weft_end *e = n->plan.link[i].end;

		if (e[0].is_nic || e[1].is_nic ||
		    !((s->flood[e[0].id] >> e[0].port |
		       s->flood[e[1].id] >> e[1].port) & 1))
			continue;
		a = root_of(part, e[0].id);
		b = root_of(part, e[1].id);
		if (a == b)
			return true;
		part[a] = b;
	}
	return false;
}

static void stays_whole(const struct net *n, const struct spread *s,
			const struct weft_route *r)
{
	char state[SWITCHES];

	if (r->flood)
		EXPECT(!floods_round(n, s));
	for (uint32_t d = r->dst; !r->flood && d <= r->dst_last; d++) {
		memset(state, 0, sizeof(state));
		for (uint32_t sw = 0; sw < n->plan.switches; sw++)
			if (!state[sw])
				EXPECT(!has_loop(n, s, d, sw, state));
	}
}

/* One operation after the other, from one set of tables to the next. */
static unsigned int changes(const struct net *n, const struct weft_tables *from,
			    const struct weft_tables *to)
{
	struct spread *s = spread_of(from), *end = spread_of(to);
	struct weft_route_ops ops;
	struct weft_err err;
	unsigned int count;

	EXPECT_EQ(weft_tables_diff(&ops, &n->plan, from, to, &err), 0);
	for (unsigned int i = 0; i < ops.n; i++) {
		struct weft_route r = ops.op[i].route;

		EXPECT_EQ(ops.op[i].del, !r.ports);
		spread_one(s, &r);
		stays_whole(n, s, &r);
	}
	EXPECT(!memcmp(s, end, sizeof(*s)));
	count = ops.n;
	weft_route_ops_free(&ops);
	free(s);
	free(end);
	return count;
}

/* Links fail at random, more and more; tables follow, and at last come back. */
static void storms(const char *text, bool shortest)
{
	struct net *n = net_of(text);
	struct weft_tables before = tables_of(n), t, first = tables_of(n);
	struct spread *s;

	EXPECT_EQ(changes(n, &first, &before), 0);
	for (unsigned int i = 1; i <= TRIALS; i++) {
		break_links(n, i % 10);
		t = tables_of(n);
		s = spread_of(&t);
		reaches(n, s, shortest);
		if (n->plan.lossless)
			EXPECT(!has_circle(n, &t, s));
		changes(n, &before, &t);
		free(s);
		weft_tables_free(&before);
		before = t;
	}
	EXPECT_EQ(first.links, 0);
	EXPECT_EQ(before.links, 0);
	EXPECT_EQ(changes(n, &first, &before), 0);
	weft_tables_free(&before);
	weft_tables_free(&first);
	net_free(n);
}

#define IB	"name: t\nprofile: ib\n"
#define LOSSY	"name: t\nprofile: test\n"

TEST(fat_tree_min_hop)
{
	storms(LOSSY "generate: {kind: fat-tree, leaves: 4, spines: 3, hosts-per-leaf: 3}\n",
	       true);
	storms(LOSSY "generate: {kind: fat-tree, k: 4}\n", true);
	storms(IB "generate: {kind: fat-tree, k: 4}\n", false);
}

TEST(fat_tree_up_down)
{
	storms(IB "routing: {policy: up-down}\ngenerate: {kind: fat-tree, k: 4}\n",
	       false);
	storms(IB "routing: {policy: up-down, roots: [spine0]}\n"
	       "generate: {kind: fat-tree, leaves: 4, spines: 3, hosts-per-leaf: 2}\n",
	       false);
}

TEST(fat_tree_by_number)
{
	storms(IB "routing: {policy: fat-tree}\ngenerate: {kind: fat-tree, k: 4}\n",
	       false);
}

TEST(tori)
{
	storms(IB "generate: {kind: torus, size: 6}\n", false);
	storms(IB "generate: {kind: torus, size: 4x4}\n", false);
	storms(IB "generate: {kind: torus, size: 3x3x3}\n", false);
	storms(LOSSY "routing: {policy: min-hop}\ngenerate: {kind: torus, size: 4x4}\n",
	       true);
}

TEST(dragonfly)
{
	storms(IB "generate: {kind: dragonfly, p: 1, a: 3, h: 1}\n", false);
	storms(LOSSY "routing: {policy: min-hop}\ngenerate: {kind: dragonfly, p: 1, a: 3, h: 1}\n",
	       true);
}

static bool touches_nic(const struct weft_link *link)
{
	return link->end[0].is_nic || link->end[1].is_nic;
}

/* A ring goes the other way round, and keeps its policy and its date line. */
TEST(ring_round_the_other_way)
{
	struct net *n = net_of(IB "generate: {kind: torus, size: 6}\n");
	struct weft_tables t;
	struct spread *s;

	for (unsigned int i = 0; i < n->plan.links; i++) {
		memset(n->down, 0, sizeof(n->down));
		n->down[i] = true;
		t = tables_of(n);
		s = spread_of(&t);
		EXPECT_EQ(t.policy, WEFT_POLICY_DIMENSION_ORDER);
		EXPECT_EQ(t.links, 1);
		EXPECT_EQ(t.nics, touches_nic(&n->plan.link[i]));
		reaches(n, s, false);
		EXPECT(!has_circle(n, &t, s));
		free(s);
		weft_tables_free(&t);
	}
	net_free(n);
}

static void break_between(struct net *n, uint32_t a, uint32_t b)
{
	for (unsigned int i = 0; i < n->plan.links; i++) {
		const struct weft_end *e = n->plan.link[i].end;

		if (!e[0].is_nic && !e[1].is_nic &&
		    ((e[0].id == a && e[1].id == b) ||
		     (e[0].id == b && e[1].id == a)))
			n->down[i] = true;
	}
}

/*
 * A row of a 4x4 torus in two halves, 1 and 2, 3 and 0: from 1 to 3 both ways round
 * are broken, and dimension order knows no other.
 */
TEST(torus_falls_back)
{
	struct net *n = net_of(IB "generate: {kind: torus, size: 4x4}\n");
	struct weft_tables t;
	struct spread *s;

	break_between(n, 0, 1);
	break_between(n, 2, 3);
	t = tables_of(n);
	s = spread_of(&t);
	EXPECT_EQ(t.links, 2);
	EXPECT_EQ(t.policy, WEFT_POLICY_UP_DOWN);
	EXPECT(strstr(t.why, "routing: policy dimension-order: "));
	reaches(n, s, false);
	free(s);
	weft_tables_free(&t);
	net_free(n);
}

/*
 * Four switches in a ring, and a fifth in the middle that keeps shortest ways off it:
 * without the middle, shortest ways wait in a circle.
 */
#define WHEEL "nodes: [{name: \"h[0-3]\"}]\nswitches: [{name: \"s[0-4]\"}]\nlinks:\n" \
	"  - {ends: [\"h[0-3]\", \"s[0-3]\"]}\n  - {ends: [\"s[0-3]\", s4]}\n" \
	"  - {ends: [s0, s1]}\n  - {ends: [s1, s2]}\n  - {ends: [s2, s3]}\n  - {ends: [s3, s0]}\n" \
	"routes:\n  - {switch: s0, to: h2, via: [s4, s2]}\n  - {switch: s1, to: h3, via: [s4, s3]}\n" \
	"  - {switch: s2, to: h0, via: [s4, s0]}\n  - {switch: s3, to: h1, via: [s4, s1]}\n"

static void without_middle(const char *text, uint32_t policy, const char *why)
{
	struct net *n = net_of(text);
	struct weft_tables t;
	struct spread *s;

	for (uint32_t sw = 0; sw < 4; sw++)
		break_between(n, sw, 4);
	t = tables_of(n);
	s = spread_of(&t);
	EXPECT_EQ(t.policy, policy);
	EXPECT(!strncmp(t.why, why, strlen(why)));
	reaches(n, s, policy == WEFT_POLICY_MIN_HOP);
	EXPECT_EQ(has_circle(n, &t, s), policy == WEFT_POLICY_MIN_HOP);
	free(s);
	weft_tables_free(&t);
	net_free(n);
}

TEST(circles_fall_back)
{
	without_middle(IB WHEEL, WEFT_POLICY_UP_DOWN,
		       "lossless classes may deadlock");
	without_middle(IB "routing: {allow-cycles: on}\n" WHEEL,
		       WEFT_POLICY_MIN_HOP, "");
}

/* The first change begins a wait of 10, others join it, and the next begins anew. */
TEST(waits)
{
	struct weft_converge c = { .wait = 10 };

	EXPECT_EQ(weft_converge_deadline(&c), WEFT_NO_DEADLINE);
	EXPECT(!weft_converge_due(&c, 100));
	weft_converge_feed(&c, 100);
	weft_converge_feed(&c, 105);
	EXPECT_EQ(weft_converge_deadline(&c), 110);
	EXPECT(!weft_converge_due(&c, 109));
	EXPECT(weft_converge_due(&c, 110));
	EXPECT(!weft_converge_due(&c, 200));
	weft_converge_feed(&c, 200);
	EXPECT_EQ(weft_converge_deadline(&c), 210);
}

TEST(topology_key)
{
	struct weft_plan p = plan_of(LOSSY "routing: {convergence: 10ms}\n"
				     "generate: {kind: single-switch, hosts: 2}\n");

	EXPECT(p.converges);
	EXPECT_EQ(p.convergence, 10000000000ULL);
	weft_plan_free(&p);
	p = plan_of(LOSSY "routing: {convergence: 0ns}\n"
		    "generate: {kind: single-switch, hosts: 2}\n");
	EXPECT(p.converges);
	EXPECT_EQ(p.convergence, 0);
	weft_plan_free(&p);
	p = plan_of(LOSSY "generate: {kind: single-switch, hosts: 2}\n");
	EXPECT(!p.converges);
	weft_plan_free(&p);
}

/* Files that were kept make the same topology when the first ones are gone. */
TEST(sources)
{
	const struct weft_share_choice choice = {
		.name = WEFT_SHARE_DIR "/topologies/pair.yaml",
	};
	struct weft_share_design design;
	struct weft_topo topo;
	struct weft_err err;
	json_t *sources;
	char *text;

	EXPECT_EQ(weft_share_design(&choice, &design, &err), 0);
	sources = weft_lab_sources_make(design.file, design.text, &err);
	weft_share_design_free(&design);
	text = json_dumps(sources, JSON_COMPACT);
	json_decref(sources);
	EXPECT(text);
	sources = json_loads(text, 0, NULL);
	EXPECT_EQ(weft_lab_sources_topo(sources, &topo, &err), 0);
	EXPECT_EQ(topo.nodes, 2);
	EXPECT_EQ(topo.links, 2);
	EXPECT(topo.link[0].wire.rate);
	weft_topo_free(&topo);
	json_decref(sources);
	free(text);
}
