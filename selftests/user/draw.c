// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drawings: all of it is there once, nothing lies on anything else, and a shape
 * that has a name can be recognised.
 */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"

#define TEXT_SIZE	16384

/* Coordinates are rounded to tenths, so two of them are off by one tenth. */
#define ROUNDING	0.11

static struct weft_draw draw_of(const struct weft_topo *t)
{
	struct weft_err err = { 0 };
	struct weft_draw d;

	if (weft_draw_make(&d, t, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return d;
}

static bool inside(const struct weft_draw_box *a, const struct weft_draw_box *b)
{
	return a->x >= b->x - ROUNDING && a->y >= b->y - ROUNDING &&
	       a->x + a->w <= b->x + b->w + ROUNDING &&
	       a->y + a->h <= b->y + b->h + ROUNDING;
}

static bool apart(const struct weft_draw_box *a, const struct weft_draw_box *b)
{
	return a->x >= b->x + b->w || b->x >= a->x + a->w ||
	       a->y >= b->y + b->h || b->y >= a->y + a->h;
}

static void expect_boxes(const struct weft_draw *d)
{
	struct weft_draw_box all = { 0, 0, d->width, d->height };
	unsigned int s = d->topo->switches, hits = 0;

	for (unsigned int i = 0; i < d->units; i++) {
		EXPECT(inside(&d->unit[i].box, &all));
		for (unsigned int k = 0; k < i; k++)
			hits += !apart(&d->unit[i].box, &d->unit[k].box);
	}
	for (unsigned int i = 0; i < d->topo->nodes; i++) {
		EXPECT(inside(&d->node[i], &d->unit[d->unit_of[s + i]].box));
		for (unsigned int k = 0; k < i; k++)
			hits += !apart(&d->node[i], &d->node[k]);
	}
	EXPECT_EQ(hits, 0);
}

static bool at_end(const struct weft_draw *d, const struct weft_topo_end *e,
		   const struct weft_draw_line *l)
{
	unsigned int u = d->unit_of[(e->is_node ? d->topo->switches : 0) +
				    e->index];

	return u == l->unit[0] || u == l->unit[1];
}

/* Each link has one line, which joins its ends and is of its kind. */
static void expect_links(const struct weft_draw *d)
{
	unsigned int *seen = calloc(d->topo->links + 1, sizeof(*seen)), n = 0;

	for (unsigned int i = 0; i < d->lines; i++) {
		const struct weft_draw_line *l = &d->line[i];

		n += l->n;
		for (unsigned int k = 0; k < l->n; k++) {
			unsigned int link = d->link[l->first + k];
			const struct weft_topo_link *t = &d->topo->link[link];

			seen[link]++;
			EXPECT(at_end(d, &t->end[0], l));
			EXPECT(at_end(d, &t->end[1], l));
			EXPECT_EQ(l->rate, t->wire.rate);
		}
		EXPECT(l->x[1] >= 0 && l->x[1] <= d->width);
		EXPECT(l->y[1] >= 0 && l->y[1] <= d->height);
	}
	EXPECT_EQ(n, d->topo->links);
	for (unsigned int i = 0; i < d->topo->links; i++)
		EXPECT_EQ(seen[i], 1);
	free(seen);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* The picture has what the drawing has, and comes out the same twice. */
static void expect_svg(const struct weft_draw *d)
{
	struct weft_draw again = draw_of(d->topo);
	char *text, *second, name[80];
	struct weft_err err;

	EXPECT(!weft_draw_svg(d, &text, &err));
	EXPECT(!weft_draw_svg(&again, &second, &err));
	EXPECT(!strcmp(text, second));
	EXPECT_EQ(count(text, "<g class=\"node\""), d->topo->nodes);
	EXPECT_EQ(count(text, "<g class=\"switch\""), d->topo->switches);
	EXPECT_EQ(count(text, "\"><title>"), d->topo->nodes +
		  d->topo->switches + d->lines);
	for (unsigned int i = 0; i < d->topo->nodes; i++) {
		snprintf(name, sizeof(name), "data-name=\"%s\"",
			 d->topo->node[i].name);
		EXPECT_EQ(count(text, name), 1);
	}
	free(text);
	free(second);
	weft_draw_free(&again);
}

static void expect_sound(const struct weft_draw *d)
{
	expect_boxes(d);
	expect_links(d);
	expect_svg(d);
}

static double mid_x(const struct weft_draw_box *b)
{
	return b->x + b->w / 2;
}

static double mid_y(const struct weft_draw_box *b)
{
	return b->y + b->h / 2;
}

static struct weft_topo fat_tree(unsigned int leaves, unsigned int spines,
				 unsigned int hosts)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "name: ft\nprofile: ib\ngenerate: {kind: fat-tree, leaves: %u, spines: %u, hosts-per-leaf: %u}\n",
		 leaves, spines, hosts);
	return topo_of(text);
}

/* Spines above leaves above hosts; a leaf is over the middle of its hosts. */
static void expect_fat_tree(unsigned int leaves, unsigned int spines,
			    unsigned int hosts)
{
	struct weft_topo t = fat_tree(leaves, spines, hosts);
	struct weft_draw d = draw_of(&t);

	expect_sound(&d);
	EXPECT(d.layout == WEFT_DRAW_TIERS);
	for (unsigned int i = 0; i < leaves; i++) {
		const struct weft_draw_box *leaf = &d.unit[i].box;
		const struct weft_draw_box *first = &d.node[i * hosts];
		unsigned int u = d.unit_of[leaves + spines + i * hosts];
		double x = d.unit[u].n > 1 ? mid_x(&d.unit[u].box) :
			   (mid_x(first) + mid_x(first + hosts - 1)) / 2;

		EXPECT(leaf->y + leaf->h < first->y);
		EXPECT(d.unit[leaves].box.y + d.unit[leaves].box.h < leaf->y);
		EXPECT_NEAR(mid_x(leaf), x, ROUNDING);
		EXPECT(!i || leaf->x > d.unit[i - 1].box.x);
	}
	weft_draw_free(&d);
	weft_topo_free(&t);
}

TEST(fat_trees)
{
	expect_fat_tree(2, 2, 4);	/* 8 nodes */
	expect_fat_tree(6, 3, 12);	/* 72 */
	expect_fat_tree(16, 8, 16);	/* 256 */
	expect_fat_tree(32, 16, 32);	/* 1024, as dots */
}

static double x_of(const struct weft_draw *d, const char *name)
{
	for (unsigned int i = 0; i < d->topo->switches; i++)
		if (!strcmp(d->topo->sw[i].sw.name, name))
			return mid_x(&d->unit[i].box);
	ktap_fail(__FILE__, __LINE__, "there is no %s", name);
	return 0;
}

/* In three tiers of k-port switches, each pod's k / 2 stand over its leaves. */
static void expect_pods(unsigned int k)
{
	struct weft_draw d;
	struct weft_topo t;
	char text[128], agg[16], leaf[16];
	double x, before = -1, above, below;

	snprintf(text, sizeof(text),
		 "name: k\nprofile: ib\ngenerate: {kind: fat-tree, k: %u}\n", k);
	t = topo_of(text);
	d = draw_of(&t);
	expect_sound(&d);
	for (unsigned int pod = 0; pod < k; pod++) {
		above = below = 0;
		for (unsigned int i = pod * k / 2; i < (pod + 1) * k / 2; i++) {
			snprintf(agg, sizeof(agg), "agg%u", i);
			snprintf(leaf, sizeof(leaf), "leaf%u", i);
			x = x_of(&d, agg);
			EXPECT(x > before);
			before = x;
			above += x / (k / 2.0);
			below += x_of(&d, leaf) / (k / 2.0);
		}
		EXPECT_NEAR(above, below, ROUNDING);
	}
	weft_draw_free(&d);
	weft_topo_free(&t);
}

TEST(pods_stay_together)
{
	expect_pods(4);
	expect_pods(6);
	expect_pods(8);
}

/* 72 nodes on a switch: one frame, one line. Eight stand for themselves. */
TEST(equal_nodes_share_a_frame)
{
	struct weft_topo t = topo_of("name: one\nprofile: ib\ngenerate: {kind: single-switch, hosts: 72}\n");
	struct weft_draw d = draw_of(&t);

	expect_sound(&d);
	EXPECT_EQ(d.units, 2);
	EXPECT_EQ(d.unit[1].n, 72);
	EXPECT_EQ(d.lines, 1);
	EXPECT_EQ(d.line[0].n, 72);
	weft_draw_free(&d);
	weft_topo_free(&t);
	t = topo_of("name: one\nprofile: ib\ngenerate: {kind: single-switch, hosts: 8}\n");
	d = draw_of(&t);
	expect_sound(&d);
	EXPECT_EQ(d.units, 9);
	EXPECT_EQ(d.lines, 8);
	weft_draw_free(&d);
	weft_topo_free(&t);
}

/*
 * Neighbours on a regular polygon of n corners are 2 r sin(pi / n) apart, and
 * each corner is r from the middle.
 */
static void expect_ring(unsigned int n)
{
	double x = 0, y = 0, r, side, dx, dy;
	char text[TEXT_SIZE];
	struct weft_draw d;
	struct weft_topo t;

	snprintf(text, sizeof(text),
		 "name: ring\nprofile: test\nnodes: [{name: \"h[0-%u]\"}]\nswitches: [{name: \"s[0-%u]\"}]\n"
		 "links:\n  - {ends: [\"h[0-%u]\", \"s[0-%u]\"]}\n  - {ends: [\"s[0-%u]\", \"s[1-%u]\"]}\n  - {ends: [s%u, s0]}\n",
		 n - 1, n - 1, n - 1, n - 1, n - 2, n - 1, n - 1);
	t = topo_of(text);
	d = draw_of(&t);
	expect_sound(&d);
	EXPECT(d.layout == WEFT_DRAW_CIRCLE);
	for (unsigned int i = 0; i < n; i++) {
		x += mid_x(&d.unit[i].box) / n;
		y += mid_y(&d.unit[i].box) / n;
	}
	r = hypot(mid_x(&d.unit[0].box) - x, mid_y(&d.unit[0].box) - y);
	side = 2 * r * sin(M_PI / n);
	for (unsigned int i = 0; i < n; i++) {
		dx = mid_x(&d.unit[i].box) - mid_x(&d.unit[(i + 1) % n].box);
		dy = mid_y(&d.unit[i].box) - mid_y(&d.unit[(i + 1) % n].box);
		EXPECT_NEAR(hypot(dx, dy), side, 3 * ROUNDING);
	}
	weft_draw_free(&d);
	weft_topo_free(&t);
}

TEST(rings_are_round)
{
	expect_ring(3);
	expect_ring(4);
	expect_ring(7);
	expect_ring(32);
}

static void add(char *text, const char *more)
{
	strncat(text, more, TEXT_SIZE - strlen(text) - 1);
}

/* Switches s0... of a torus of @dims sizes, x fastest, a host each. */
static struct weft_topo torus(unsigned int dims, const unsigned int *dim)
{
	unsigned int n = dim[0] * (dims > 1 ? dim[1] : 1) *
			 (dims > 2 ? dim[2] : 1), step;
	char text[TEXT_SIZE] = "name: t\nprofile: ib\ntorus: [", line[128];

	for (unsigned int k = 0; k < dims; k++) {
		snprintf(line, sizeof(line), "%s%u", k ? ", " : "", dim[k]);
		add(text, line);
	}
	snprintf(line, sizeof(line), "]\nnodes: [{name: \"h[0-%u]\"}]\nswitches:\n", n - 1);
	add(text, line);
	for (unsigned int i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "  - {name: s%u, at: [%u", i, i % dim[0]);
		add(text, line);
		for (unsigned int k = 1, s = dim[0]; k < dims; s *= dim[k++]) {
			snprintf(line, sizeof(line), ", %u", i / s % dim[k]);
			add(text, line);
		}
		add(text, "]}\n");
	}
	snprintf(line, sizeof(line),
		 "links:\n  - {ends: [\"h[0-%u]\", \"s[0-%u]\"]}\n", n - 1, n - 1);
	add(text, line);
	for (unsigned int k = 0; k < dims; k++)
		for (unsigned int i = 0; i < n; i++) {
			step = k > 1 ? dim[0] * dim[1] : k ? dim[0] : 1;
			snprintf(line, sizeof(line),
				 "  - {ends: [s%u, s%u]}\n", i,
				 i / step % dim[k] + 1 < dim[k] ? i + step :
				 i - step * (dim[k] - 1));
			add(text, line);
		}
	return topo_of(text);
}

/* A row of switches is level, a column upright; wraps of a dimension are curves. */
static void expect_torus(unsigned int dims, const unsigned int *dim)
{
	struct weft_topo t = torus(dims, dim);
	struct weft_draw d = draw_of(&t);
	unsigned int curves = 0, want = 0;

	expect_sound(&d);
	EXPECT(d.layout == WEFT_DRAW_TORUS);
	for (unsigned int i = 0; i < t.switches; i++)
		for (unsigned int k = 0; k < i; k++) {
			const uint32_t *a = t.sw[i].coord, *b = t.sw[k].coord;
			bool z = dims < 3 || a[2] == b[2];

			if (z && (dims < 2 || a[1] == b[1]))
				EXPECT_NEAR(mid_y(&d.unit[i].box),
					    mid_y(&d.unit[k].box), ROUNDING);
			if (z && a[0] == b[0])
				EXPECT_NEAR(mid_x(&d.unit[i].box),
					    mid_x(&d.unit[k].box), ROUNDING);
		}
	for (unsigned int i = 0; i < d.lines; i++)
		curves += d.line[i].curved;
	for (unsigned int k = 0; k < dims; k++)
		want += t.switches / dim[k];
	EXPECT_EQ(curves, want);
	weft_draw_free(&d);
	weft_topo_free(&t);
}

TEST(tori_by_coordinates)
{
	expect_torus(1, (const unsigned int []){ 5 });
	expect_torus(2, (const unsigned int []){ 4, 4 });
	expect_torus(2, (const unsigned int []){ 3, 6 });
	expect_torus(3, (const unsigned int []){ 3, 4, 3 });
}

/*
 * Two hosts of four GPUs: each host's are beside one another, over its own
 * switch, and their areas do not meet. Their network is above.
 */
TEST(fabrics_inside_hosts_are_below)
{
	struct weft_topo t = topo_of("name: dgx\nprofile: ib\nnodes: [{name: \"a[0-3]\"}, {name: \"b[0-3]\"}]\n"
				     "switches: [{name: \"leaf[0-3]\"}, {name: \"n[0-1]\", profile: nv}]\n"
				     "links:\n  - {ends: [\"a[0-3]\", \"leaf[0-3]\"]}\n  - {ends: [\"b[0-3]\", \"leaf[0-3]\"]}\n"
				     "  - {ends: [\"a[0-3]\", n0], profile: nv}\n  - {ends: [\"b[0-3]\", n1], profile: nv}\n");
	struct weft_draw d = draw_of(&t);

	expect_sound(&d);
	EXPECT_EQ(d.domains, 2);
	for (unsigned int i = 0; i < 8; i++) {
		const struct weft_draw_box *in = &d.unit[4 + i / 4].box;

		EXPECT(d.node[i].y > d.unit[0].box.y);
		EXPECT(d.node[i].y < in->y);
		EXPECT((2 * mid_x(&d.node[i]) < mid_x(&d.unit[4].box) +
					       mid_x(&d.unit[5].box)) == (i < 4));
	}
	EXPECT_NEAR(mid_x(&d.unit[4].box),
		    (mid_x(&d.node[0]) + mid_x(&d.node[3])) / 2, ROUNDING);
	EXPECT(apart(&d.domain[0], &d.domain[1]));
	weft_draw_free(&d);
	weft_topo_free(&t);
}

/*
 * Three groups of three, switch i in group i % 3, and a link between each two
 * groups: whatever is nearest to a switch is of its group.
 */
TEST(groups_stand_together)
{
	struct weft_topo t = topo_of("name: df\nprofile: ib\nnodes: [{name: \"h[0-8]\"}]\nswitches: [{name: \"s[0-8]\"}]\n"
				     "links:\n  - {ends: [\"h[0-8]\", \"s[0-8]\"]}\n"
				     "  - {ends: [\"s[0-2]\", \"s[3-5]\"]}\n  - {ends: [\"s[3-5]\", \"s[6-8]\"]}\n"
				     "  - {ends: [\"s[6-8]\", \"s[0-2]\"]}\n"
				     "  - {ends: [s0, s1]}\n  - {ends: [s4, s5]}\n  - {ends: [s8, s6]}\n");
	struct weft_draw d = draw_of(&t);

	expect_sound(&d);
	EXPECT(d.layout == WEFT_DRAW_CIRCLE);
	for (unsigned int i = 0; i < 9; i++) {
		double least = INFINITY, far;
		unsigned int near = i;

		for (unsigned int k = 0; k < 9; k++) {
			far = hypot(mid_x(&d.unit[i].box) - mid_x(&d.unit[k].box),
				    mid_y(&d.unit[i].box) - mid_y(&d.unit[k].box));
			if (k != i && far < least) {
				least = far;
				near = k;
			}
		}
		EXPECT(near != i);
		EXPECT_EQ(near % 3, i % 3);
	}
	weft_draw_free(&d);
	weft_topo_free(&t);
}

/* Links in a row, several at once, and nodes without a switch. */
TEST(odd_shapes)
{
	static const char *const text[] = {
		"name: o\nprofile: ib\nnodes: [{name: a}, {name: b}]\nlinks: [{ends: [a, b], count: 3}]\n",
		"name: o\nprofile: ib\nnodes: [{name: \"h[0-3]\"}, {name: a}, {name: b}]\nswitches: [{name: \"s[0-1]\"}]\n"
		"links: [{ends: [\"h[0-1]\", s0]}, {ends: [\"h[2-3]\", s1]}, {ends: [s0, s1], count: 9}, {ends: [a, b]}]\n",
		"name: o\nprofile: ib\nnodes: [{name: \"h[0-3]\"}]\nswitches: [{name: \"s[0-1]\"}, {name: \"t[0-1]\"}]\n"
		"links: [{ends: [\"h[0-1]\", s0]}, {ends: [\"h[2-3]\", s1]}, {ends: [s0, s1], count: 3}, {ends: [\"s[0-1]\", \"t[0-1]\"], join: all},\n"
		"  {ends: [t0, t1], count: 7}, {ends: [h0, h1]}]\n",
	};

	for (unsigned int i = 0; i < sizeof(text) / sizeof(*text); i++) {
		struct weft_topo t = topo_of(text[i]);
		struct weft_draw d = draw_of(&t);

		expect_sound(&d);
		weft_draw_free(&d);
		weft_topo_free(&t);
	}
}
