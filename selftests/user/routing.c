// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Policies of routing: how far they go, how they load the links, and whether
 * buffers can wait in a circle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "follow.h"
#include "ktap.h"
#include "load.h"

/**
 * struct shape - a torus, or a mesh
 * @dims: dimensions
 * @size: of each
 * @mesh: the link between the ends of a line is missing
 * @head: the beginning of the file
 */
struct shape {
	unsigned int dims;
	unsigned int size[3];
	bool mesh;
	const char *head;
};

static unsigned int places(const struct shape *s)
{
	unsigned int n = 1;

	for (unsigned int d = 0; d < s->dims; d++)
		n *= s->size[d];
	return n;
}

static unsigned int coord(const struct shape *s, unsigned int sw,
			  unsigned int dim)
{
	for (unsigned int d = s->dims - 1; d > dim; d--)
		sw /= s->size[d];
	return sw % s->size[dim];
}

/* The next switch in a dimension. */
static unsigned int beside(const struct shape *s, unsigned int sw,
			   unsigned int dim)
{
	unsigned int stride = 1, c = coord(s, sw, dim);

	for (unsigned int d = dim + 1; d < s->dims; d++)
		stride *= s->size[d];
	return c + 1 < s->size[dim] ? sw + stride : sw - c * stride;
}

static void write_links(FILE *f, const struct shape *s, unsigned int sw)
{
	for (unsigned int d = 0; d < s->dims; d++) {
		bool last = coord(s, sw, d) + 1 == s->size[d];

		if (!last || (!s->mesh && s->size[d] > 2))
			fprintf(f, "  - {ends: [s%u, s%u]}\n", sw,
				beside(s, sw, d));
	}
}

/* A file with a host at each switch; port 0 of a switch leads to its host. */
static char *file_of(const struct shape *s, const char *more)
{
	unsigned int n = places(s);
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "%s%storus: [", s->head, more);
	for (unsigned int d = 0; d < s->dims; d++)
		fprintf(f, "%s%u", d ? ", " : "", s->size[d]);
	fprintf(f, "]\nnodes: [{name: \"h[0-%u]\"}]\nswitches:\n", n - 1);
	for (unsigned int i = 0; i < n; i++) {
		fprintf(f, "  - {name: s%u, at: [", i);
		for (unsigned int d = 0; d < s->dims; d++)
			fprintf(f, "%s%u", d ? ", " : "", coord(s, i, d));
		fprintf(f, "]}\n");
	}
	fprintf(f, "links:\n  - {ends: [\"h[0-%u]\", \"s[0-%u]\"]}\n", n - 1,
		n - 1);
	for (unsigned int i = 0; i < n; i++)
		write_links(f, s, i);
	fclose(f);
	return text;
}

static struct weft_plan plan_torus(const struct shape *s, const char *more)
{
	char *text = file_of(s, more);
	struct weft_plan p = plan_of(text);

	free(text);
	return p;
}

#define IB	"name: t\nprofile: ib\n"
#define PFC	"name: t\nprofile: pfc\n"
#define RING(n, head)	{ 1, { n }, false, head }

/**
 * struct loads - what crosses each link
 * @m: the network
 * @load: of each port, packets that leave through it
 * @waits: of each pair of ports and classes, a packet goes from one to the other
 */
struct loads {
	struct follow_map m;
	unsigned int load[FOLLOW_MAX];
	bool *waits;
};

#define CLASSES		4U	/* as many as profile ib has */

static void count(void *ctx, unsigned int port, unsigned int cls, int before,
		  unsigned int cls_before)
{
	struct loads *l = ctx;
	unsigned int n = l->m.ports * CLASSES;

	l->load[port]++;
	if (before >= 0 && !l->m.far[port].is_nic)
		l->waits[((unsigned int)before * CLASSES + cls_before) * n +
			 port * CLASSES + cls] = true;
}

static struct loads *loads_of(const struct weft_plan *p)
{
	struct loads *l = calloc(1, sizeof(*l));

	follow_map(&l->m, p);
	l->waits = calloc(l->m.ports * CLASSES,
			  l->m.ports * CLASSES * sizeof(*l->waits));
	return l;
}

static void loads_free(struct loads *l)
{
	free(l->waits);
	free(l);
}

/* All to all, in all classes. */
static void all_to_all(struct loads *l, unsigned int classes)
{
	for (uint32_t from = 0; from < l->m.plan->nics; from++)
		for (uint32_t to = 0; to < l->m.plan->nics; to++)
			for (unsigned int c = 0; from != to && c < classes; c++)
				follow(&l->m, from, to, c, count, l);
}

/* Take what waits for nothing away, again and again: is anything left? */
static bool has_cycle(const struct loads *l)
{
	unsigned int n = l->m.ports * CLASSES, left = n, before;
	bool *gone = calloc(n, sizeof(*gone)), waits;

	do {
		before = left;
		for (unsigned int i = 0; i < n; i++) {
			waits = false;
			for (unsigned int k = 0; !gone[i] && k < n; k++)
				waits |= !gone[k] && l->waits[i * n + k];
			if (gone[i] || waits)
				continue;
			gone[i] = true;
			left--;
		}
	} while (left < before);
	free(gone);
	return left;
}

static bool plan_can_deadlock(const struct weft_plan *p)
{
	for (unsigned int i = 0; i < p->notes; i++)
		if (strstr(p->note[i], "may deadlock"))
			return true;
	return false;
}

/* The check says what comes out when packets of all classes go all ways. */
static void agrees(const char *text, bool cycle)
{
	struct weft_plan p = plan_of(text);
	struct loads *l = loads_of(&p);

	all_to_all(l, CLASSES);
	EXPECT_EQ(has_cycle(l), cycle);
	EXPECT_EQ(plan_can_deadlock(&p), cycle);
	EXPECT_EQ(p.cyclic, cycle);
	loads_free(l);
	weft_plan_free(&p);
}

static void agrees_torus(const struct shape *s, const char *more, bool cycle)
{
	char *text = file_of(s, more);

	agrees(text, cycle);
	free(text);
}

#define ALLOW(keys)	"routing: {allow-cycles: on, " keys "}\n"

/*
 * A ring waits in a circle once a way crosses two of its links in one direction:
 * from four switches on. A dimension of a torus does as a ring does.
 */
TEST(cycles)
{
	static const struct shape rings[] = {
		RING(3, IB), RING(4, IB), RING(5, IB), RING(6, IB), RING(7, IB),
	};
	static const struct shape shapes[] = {
		{ 2, { 3, 3 }, false, IB }, { 2, { 2, 3 }, false, IB },
		{ 2, { 4, 3 }, false, IB }, { 2, { 4, 4 }, false, IB },
		{ 3, { 3, 2, 3 }, false, IB }, { 3, { 2, 4, 2 }, false, IB },
		{ 2, { 4, 4 }, true, IB }, { 1, { 6 }, true, IB },
	};
	static const bool cycle[] = {
		false, false, true, true, false, true, false, false,
	};
	unsigned int i;

	for (i = 0; i < sizeof(rings) / sizeof(*rings); i++) {
		agrees_torus(&rings[i], ALLOW("datelines: off"), i > 0);
		agrees_torus(&rings[i], ALLOW("policy: min-hop"), i > 0);
		agrees_torus(&rings[i], ALLOW("policy: up-down"), false);
		agrees_torus(&rings[i], "", false);
		agrees_torus(&rings[i], "routing: {datelines: on}\n", false);
	}
	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		agrees_torus(&shapes[i], ALLOW("datelines: off"), cycle[i]);
		agrees_torus(&shapes[i], ALLOW("policy: up-down"), false);
		agrees_torus(&shapes[i], "", false);
	}
	/* Two dimensions by the fewest hops turn all corners. */
	agrees_torus(&shapes[0], ALLOW("policy: min-hop"), true);
}

/* Ways that go nearly all the way round, which a date line must stand as well. */
TEST(long_ways)
{
	static const char way[] =
		"routes:\n"
		"  - {switch: s1, to: h0, via: [s2, s3, s4, s0]}\n"
		"  - {switch: s2, to: h1, via: [s3, s4, s0, s1]}\n"
		"  - {switch: s3, to: h2, via: [s4, s0, s1, s2]}\n"
		"  - {switch: s4, to: h3, via: [s0, s1, s2, s3]}\n"
		"  - {switch: s0, to: h4, via: [s1, s2, s3, s4]}\n";
	static const struct shape ring = RING(5, IB);

	agrees_torus(&ring, way, false);
	agrees_torus(&ring, ALLOW("datelines: off")
		     "routes: [{switch: s1, to: h0, via: [s2, s3, s4, s0]}]\n",
		     true);
}

/* A class that drops does not wait: of 0 to 7 only 0 and 3 are lossless. */
TEST(only_lossless_classes)
{
	static const struct shape pfc = RING(4, PFC);
	static const struct shape lossy = RING(4, "name: t\nprofile: test\n");
	struct weft_plan p = plan_torus(&pfc, ALLOW("datelines: off"));

	EXPECT(plan_can_deadlock(&p));
	weft_plan_free(&p);
	p = plan_torus(&pfc, "");
	EXPECT_EQ(p.sw[0].sl2vl, WEFT_SL2VL_CLASS);
	EXPECT_EQ(p.sw[0].vl[0], 0);
	EXPECT_EQ(p.sw[0].vl[3], 0);
	EXPECT_EQ(p.sw[0].vl[5], 5);
	weft_plan_free(&p);
	p = plan_torus(&pfc, "port: {pfc: []}\n");
	EXPECT_EQ(p.notes, 0);
	EXPECT_EQ(p.sw[0].sl2vl, WEFT_SL2VL_KEEP);
	weft_plan_free(&p);
	p = plan_torus(&lossy, "");
	EXPECT_EQ(p.notes, 0);
	weft_plan_free(&p);
}

/* Four lanes: 0 and 1 before a date line, 2 and 3 behind it, 0 and 1 at hosts. */
TEST(date_line_classes)
{
	static const struct shape ring = RING(4, IB);
	struct weft_plan p = plan_torus(&ring, "");
	struct loads *l = loads_of(&p);
	unsigned int n = l->m.ports * CLASSES;

	all_to_all(l, CLASSES);
	/* s3 comes to s0 by its port 2, and goes on to s1 by its port 1. */
	for (unsigned int c = 0; c < CLASSES; c++) {
		unsigned int from = (l->m.first[3] + 2) * CLASSES + c;
		unsigned int to = (l->m.first[0] + 1) * CLASSES + c;

		EXPECT_EQ(l->waits[from * n + to], c >= 2);
	}
	for (unsigned int sw = 0; sw < 4; sw++)
		EXPECT_EQ(p.sw[sw].vl[3], 1);
	loads_free(l);
	weft_plan_free(&p);
}

static unsigned int ring_distance(const struct shape *s, unsigned int d,
				  unsigned int a, unsigned int b)
{
	unsigned int up = (b + s->size[d] - a) % s->size[d];

	if (s->mesh)
		return a < b ? b - a : a - b;
	return up < s->size[d] - up ? up : s->size[d] - up;
}

/*
 * Of N hosts that all send to all, with k in a dimension. In a ring each link
 * upwards carries the ways of 1, 2, ... k/2 steps, each from as many switches as
 * it has steps, of N/k lines and for each of the N destinations a k-th: N/k times
 * the sum of the steps; downwards those of less than k/2 steps. In a line of k
 * what has to get from the a below to the k - a above.
 */
static unsigned int load_law(const struct shape *s, unsigned int d,
			     unsigned int at, bool up)
{
	unsigned int k = s->size[d], far = up ? k / 2 : (k - 1) / 2;

	if (s->mesh || k == 2)
		return places(s) * (up ? (at + 1) * (k - 1 - at) :
					 at * (k - at)) / k;
	return places(s) * (far * (far + 1) / 2) / k;
}

static void dimension_order(const struct shape *s)
{
	struct weft_plan p = plan_torus(s, "");
	struct loads *l = loads_of(&p);
	unsigned int hops, port;

	for (uint32_t a = 0; a < p.nics; a++)
		for (uint32_t b = 0; b < p.nics; b++) {
			hops = 0;
			for (unsigned int d = 0; d < s->dims; d++)
				hops += ring_distance(s, d, coord(s, a, d),
						      coord(s, b, d));
			if (a != b)
				EXPECT_EQ(follow(&l->m, a, b, 0, count, l),
					  hops);
		}
	for (unsigned int sw = 0; sw < p.switches; sw++)
		for (port = 0; port < p.sw[sw].ports; port++) {
			const struct weft_end *far;
			unsigned int d = 0;

			far = &l->m.far[l->m.first[sw] + port];
			if (far->is_nic)
				continue;
			while (coord(s, sw, d) == coord(s, far->id, d))
				d++;
			EXPECT_EQ(l->load[l->m.first[sw] + port],
				  load_law(s, d, coord(s, sw, d),
					   beside(s, sw, d) == far->id &&
					   (s->size[d] > 2 ||
					    !coord(s, sw, d))));
		}
	loads_free(l);
	weft_plan_free(&p);
}

TEST(dimension_order)
{
	static const struct shape shapes[] = {
		RING(3, IB), RING(4, IB), RING(5, IB), RING(6, IB), RING(9, PFC),
		{ 2, { 3, 4 }, false, IB }, { 2, { 4, 4 }, false, PFC },
		{ 2, { 5, 3 }, false, IB }, { 3, { 4, 2, 3 }, false, IB },
		{ 3, { 3, 3, 3 }, false, IB }, { 2, { 4, 3 }, true, IB },
		{ 1, { 7 }, true, IB },
	};

	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		dimension_order(&shapes[i]);
}

/*
 * A ring of n whose top is switch 0 has its bottom at b = (n + 1) / 2, the one
 * farthest from the top, the later of two. No way leads through it: down into it
 * and up out of it. So others are as far apart as on the line without it; to and
 * from it the shorter way round is open.
 */
static void up_down_ring(unsigned int n, unsigned int top, const char *more)
{
	const struct shape s = RING(n, PFC);
	struct weft_plan p = plan_torus(&s, more);
	struct loads *l = loads_of(&p);
	unsigned int b = (n + 1) / 2;

	for (unsigned int i = 0; i < n * n; i++) {
		unsigned int x = i / n, y = i % n, hops;
		int on_line = (int)(x < b ? x : x - n) -
			      (int)(y < b ? y : y - n);

		if (x == y)
			continue;
		hops = follow(&l->m, (x + top) % n, (y + top) % n, 0, count,
			      l);
		if (x == b || y == b)
			EXPECT_EQ(hops, ring_distance(&s, 0, x, y));
		else
			EXPECT_EQ(hops, (unsigned int)abs(on_line));
	}
	loads_free(l);
	weft_plan_free(&p);
}

TEST(up_down_ring)
{
	static const unsigned int sizes[] = { 3, 4, 5, 6, 7, 8 };

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		up_down_ring(sizes[i], 0, "routing: {policy: up-down}\n");
	up_down_ring(4, 2, "routing: {policy: up-down, roots: [s2]}\n");
	up_down_ring(6, 5, "routing: {policy: up-down, roots: [s5]}\n");
}

#define TREE(keys, policy)						\
	"name: tree\nprofile: pfc\nrouting: {policy: " policy "}\n"	\
	"generate: {kind: fat-tree, " keys "}\n"

static void same_routes(const char *a, const char *b)
{
	struct weft_plan x = plan_of(a), y = plan_of(b);
	json_t *v = weft_plan_json(&x), *w = weft_plan_json(&y);

	EXPECT(json_equal(json_object_get(v, "routes"),
			  json_object_get(w, "routes")));
	json_decref(v);
	json_decref(w);
	weft_plan_free(&x);
	weft_plan_free(&y);
}

/* In a tree of which only the leaves have hosts, all shortest ways are legal. */
TEST(up_down_tree)
{
#define SAME(keys)	same_routes(TREE(keys, "min-hop"), TREE(keys, "up-down"))
	SAME("leaves: 2, spines: 2, hosts-per-leaf: 4");
	SAME("leaves: 4, spines: 3, hosts-per-leaf: 2");
	SAME("leaves: 8, spines: 4, hosts-per-leaf: 4, uplinks-per-spine: 2");
#undef SAME
}

/*
 * Leaf a has spine x above it, b has y, c has both: from a to b by the levels
 * there is only a way down to c and up again. By the distance to the middle, c,
 * there is one. (x is above a and c, so a path over it is a valley at c.)
 */
#define GAP(policy)							\
	"name: gap\nprofile: pfc\nrouting: {policy: " policy "}\n"	\
	"nodes: [{name: \"h[0-2]\"}]\n"					\
	"switches: [{name: a}, {name: b}, {name: c}, {name: x}, {name: y}]\n" \
	"links: [{ends: [h0, a]}, {ends: [h1, b]}, {ends: [h2, c]},\n"	\
	"  {ends: [a, x]}, {ends: [c, x]}, {ends: [b, y]}, {ends: [c, y]}]\n"

TEST(up_down_gap)
{
	struct weft_plan p = plan_of(GAP("up-down"));
	struct loads *l = loads_of(&p);

	EXPECT_EQ(follow(&l->m, 0, 1, 0, count, l), 4);
	EXPECT_EQ(follow(&l->m, 1, 0, 0, count, l), 4);
	EXPECT_EQ(follow(&l->m, 0, 2, 0, count, l), 2);
	loads_free(l);
	weft_plan_free(&p);
}

/* Shifts by any distance: the most that a link between switches carries. */
static unsigned int worst_shift(const char *text)
{
	struct weft_plan p = plan_of(text);
	unsigned int worst = 0;
	struct loads *l;

	for (uint32_t shift = 1; shift < p.nics; shift++) {
		l = loads_of(&p);
		for (uint32_t i = 0; i < p.nics; i++)
			follow(&l->m, i, (i + shift) % p.nics, 0, count, l);
		for (unsigned int i = 0; i < l->m.ports; i++)
			if (!l->m.far[i].is_nic && l->load[i] > worst)
				worst = l->load[i];
		loads_free(l);
	}
	weft_plan_free(&p);
	return worst;
}

/* Two hosts to a leaf, three levels of four switches, two links up from each. */
#define KARY								\
	"name: tree\nprofile: pfc\nrouting: {policy: fat-tree}\n"	\
	"nodes: [{name: \"h[0-7]\"}]\n"					\
	"switches: [{name: \"l[0-3]\"}, {name: \"m[0-3]\"}, {name: \"c[0-3]\"}]\n" \
	"links:\n"							\
	"  - {ends: [\"h[0-1]\", l0]}\n  - {ends: [\"h[2-3]\", l1]}\n"	\
	"  - {ends: [\"h[4-5]\", l2]}\n  - {ends: [\"h[6-7]\", l3]}\n"	\
	"  - {ends: [\"l[0-1]\", \"m[0-1]\"], join: all}\n"		\
	"  - {ends: [\"l[2-3]\", \"m[2-3]\"], join: all}\n"		\
	"  - {ends: [m0, \"c[0-1]\"]}\n  - {ends: [m1, \"c[2-3]\"]}\n"	\
	"  - {ends: [m2, \"c[0-1]\"]}\n  - {ends: [m3, \"c[2-3]\"]}\n"

/*
 * D-mod-k: with as many uplinks as hosts, no two packets of a shift meet; with
 * half as many, two (Zahavi 2010).
 */
TEST(fat_tree_shifts)
{
#define WORST(keys)	worst_shift(TREE(keys, "fat-tree"))
	EXPECT_EQ(WORST("leaves: 2, spines: 2, hosts-per-leaf: 2"), 1);
	EXPECT_EQ(WORST("leaves: 4, spines: 4, hosts-per-leaf: 4"), 1);
	EXPECT_EQ(WORST("leaves: 3, spines: 2, hosts-per-leaf: 4, uplinks-per-spine: 2"), 1);
	EXPECT_EQ(WORST("leaves: 4, spines: 2, hosts-per-leaf: 4"), 2);
	EXPECT_EQ(WORST("leaves: 2, spines: 1, hosts-per-leaf: 3, uplinks-per-spine: 3"), 1);
	EXPECT_EQ(worst_shift(KARY), 1);
#undef WORST
}

/* All to all among l leaves of h hosts with u uplinks: h h (l - 1) / u each. */
TEST(fat_tree_loads)
{
	struct weft_plan p = plan_of(TREE("leaves: 4, spines: 2, hosts-per-leaf: 4", "fat-tree"));
	struct loads *l = loads_of(&p);

	all_to_all(l, 1);
	for (unsigned int i = 0; i < l->m.ports; i++)
		EXPECT_EQ(l->load[i], l->m.far[i].is_nic ? 15 : 24);
	EXPECT(!has_cycle(l));
	loads_free(l);
	weft_plan_free(&p);
}

#define HEAD	"name: x\nprofile: ib\n"
#define OBJECTS								\
	"nodes: [{name: \"h[0-3]\"}]\n"					\
	"switches: [{name: \"s[0-3]\"}]\n"				\
	"links: [{ends: [\"h[0-3]\", \"s[0-3]\"]}, {ends: [s0, s1]},\n"	\
	"  {ends: [s1, s2]}, {ends: [s2, s3]}, {ends: [s3, s0]}]\n"
#define PLACES								\
	"torus: [4]\nnodes: [{name: \"h[0-3]\"}]\n"			\
	"switches: [{name: s0, at: [0]}, {name: s1, at: [1]},\n"	\
	"  {name: s2, at: [2]}, {name: s3, at: [3]}]\n"			\
	"links: [{ends: [\"h[0-3]\", \"s[0-3]\"]}, {ends: [s0, s1]},\n"	\
	"  {ends: [s1, s2]}, {ends: [s3, s0]}"

static const struct mistake mistakes[] = {
	{ "policy",
	  HEAD "routing: {policy: shortest}\n" OBJECTS,
	  "t.yaml:3:19: policy: \"shortest\": expected min-hop or up-down or fat-tree or dimension-order"
	},
	{ "no coordinates",
	  HEAD "routing: {policy: dimension-order}\n" OBJECTS,
	  "t.yaml:3:19: policy: dimension-order needs coordinates: expected \"torus\", and \"at\" of each switch"
	},
	{ "datelines without",
	  HEAD "routing: {policy: up-down, datelines: on}\n" OBJECTS,
	  "t.yaml:3:39: datelines: only policy dimension-order has them"
	},
	{ "datelines maybe",
	  HEAD "routing: {datelines: maybe}\n" PLACES "]\n",
	  "t.yaml:3:22: datelines: \"maybe\": expected off or on"
	},
	{ "allow-cycles",
	  HEAD "routing: {allow-cycles: 1}\n" OBJECTS,
	  "t.yaml:3:25: allow-cycles: \"1\": expected off or on"
	},
	{ "convergence without a unit",
	  HEAD "routing: {convergence: 10}\n" OBJECTS,
	  "t.yaml:3:24: convergence: \"10\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "convergence too long",
	  HEAD "routing: {convergence: 1001s}\n" OBJECTS,
	  "t.yaml:3:24: convergence: \"1001s\": expected 1000s at most"
	},
	{ "convergence of a managed fabric",
	  HEAD "subnet-manager: external\nrouting: {convergence: 10ms}\n" OBJECTS,
	  "t.yaml:4:24: convergence: with subnet-manager: external, the subnet manager computes routes"
	},
	{ "unknown subnet manager",
	  HEAD "subnet-manager: opensm\n" OBJECTS,
	  "t.yaml:3:17: subnet-manager: \"opensm\": expected internal or external"
	},
	{ "roots without",
	  HEAD "routing: {roots: [s0]}\n" OBJECTS,
	  "t.yaml:3:18: roots: only policy up-down has them"
	},
	{ "root unknown",
	  HEAD "routing: {policy: up-down, roots: [s9]}\n" OBJECTS,
	  "t.yaml:3:36: there is no node or switch \"s9\""
	},
	{ "root is a node",
	  HEAD "routing: {policy: up-down, roots: [h1]}\n" OBJECTS,
	  "t.yaml:3:36: \"h1\" is a node, expected a switch"
	},
	{ "root twice",
	  HEAD "routing: {policy: up-down, roots: [s1, s1]}\n" OBJECTS,
	  "t.yaml:3:40: \"s1\" is given twice"
	},
	{ "no fat-tree",
	  HEAD "routing: {policy: fat-tree}\n" OBJECTS,
	  "routing: policy fat-tree: link s0-s1 joins two switches of one level: this is no fat-tree"
	},
	{ "a tree with a gap",
	  GAP("fat-tree"),
	  "routing: policy fat-tree: there is no path from b to a that leads up first and then down"
	},
	{ "a gap below the roots",
	  GAP("up-down, roots: [x, y]"),
	  "routing: policy up-down: there is no path from b to a that leads up first and then down"
	},
	{ "a line that is none",
	  HEAD PLACES "]\n",
	  "routing: policy dimension-order: s2 has no link up in dimension 0, which the path to s0 needs"
	},
	{ "one lossless class",
	  "name: x\nprofile: pfc\nport: {pfc: [3]}\nrouting: {datelines: on}\n"
	  PLACES ", {ends: [s2, s3]}]\n",
	  "routing: datelines need pairs of lossless classes, and s0 has only one such class"
	},
	{ "sl2vl of its own",
	  HEAD "switch: {sl2vl: sl}\nrouting: {datelines: on}\n" PLACES
	  ", {ends: [s2, s3]}]\n",
	  "routing: datelines set the classes of s0: remove its sl2vl"
	},
	{ "a ring",
	  HEAD OBJECTS,
	  "lossless classes may deadlock: ports can wait for each other, class 0: s0:1 > s1:2 > s2:2 > s3:2 > s0:1; to accept that, say \"routing: {allow-cycles: on}\""
	},
	{ "a torus without date lines",
	  HEAD "routing: {datelines: off}\n" PLACES ", {ends: [s2, s3]}]\n",
	  "lossless classes may deadlock: ports can wait for each other, class 0: s0:1 > s1:2 > s2:2 > s3:1 > s0:1; to accept that, say \"routing: {allow-cycles: on}\""
	},
};

TEST(mistakes)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}
