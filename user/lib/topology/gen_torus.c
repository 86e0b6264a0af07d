// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generator of rings and tori: one host on each switch, and in each dimension a link
 * from each switch to the next one, also from the last to the first.
 *
 * In a dimension of two switches there is one link between them, as in a hypercube.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "topology/topo.h"
#include "topology/topo_generate.h"

/**
 * struct torus - sizes of a torus
 * @dims: number of dimensions
 * @dim: switches along each dimension
 * @all: number of switches
 */
struct torus {
	unsigned int dims;
	uint64_t dim[WEFT_DIMS_MAX];
	uint64_t all;
};

static int bad_size(struct weft_gen *g, const char *text)
{
	return weft_place_fail(&g->at, "size", g->err,
			       "size: \"%.40s\": expected 1 to %d sizes from 2 to %d, such as 4x4x4",
			       text, WEFT_DIMS_MAX, WEFT_SWITCHES_MAX);
}

static int take_size(struct weft_gen *g, struct torus *t)
{
	const char *text = weft_yaml_text(g->y, weft_yaml_key(g->y, g->map,
							      "size"));
	const char *s = text;
	unsigned int v;
	int n;

	if (!text)
		return weft_place_fail(&g->at, "", g->err,
				       "generate lacks the key \"size\"");
	t->all = 1;
	for (t->dims = 0; t->dims < WEFT_DIMS_MAX; s++) {
		n = 0;
		if (strspn(s, "0123456789") > 6 ||
		    sscanf(s, "%6u%n", &v, &n) != 1 || *s == '-' ||
		    v < 2 || v > WEFT_SWITCHES_MAX)
			return bad_size(g, text);
		t->dim[t->dims++] = v;
		t->all *= v;
		s += n;
		if (!*s)
			return 0;
		if (*s != 'x')
			break;
	}
	return bad_size(g, text);
}

/* A name with coordinates: @v in dimension @fixed, a range in all others. */
static struct weft_gen_name name_at(const struct torus *t, const char *prefix,
				    unsigned int fixed, uint64_t v)
{
	struct weft_gen_name name = weft_gen_name("%s", prefix);
	size_t n = strlen(name.s);

	for (unsigned int i = 0; i < t->dims; i++) {
		const char *sep = i ? "-" : "";

		if (i == fixed)
			n += (size_t)snprintf(name.s + n, sizeof(name.s) - n,
					      "%s%" PRIu64, sep, v);
		else
			n += (size_t)snprintf(name.s + n, sizeof(name.s) - n,
					      "%s[0-%" PRIu64 "]", sep,
					      t->dim[i] - 1);
	}
	return name;
}

static void add_switch(struct weft_gen *g, const struct torus *t, uint64_t i)
{
	int at = weft_yaml_add_list(g->y, YAML_FLOW_SEQUENCE_STYLE);
	struct weft_gen_name name = weft_gen_name("s");
	uint64_t rest = t->all, v;
	size_t n = 1;

	for (unsigned int k = 0; k < t->dims; k++) {
		rest /= t->dim[k];
		v = i / rest % t->dim[k];
		n += (size_t)snprintf(name.s + n, sizeof(name.s) - n,
				      "%s%" PRIu64, k ? "-" : "", v);
		weft_yaml_append(g->y, at,
				 weft_yaml_add_text(g->y, "%" PRIu64, v));
	}
	weft_yaml_put(g->y, weft_gen_switches(g, "host-link", name), "at", at);
}

static void add_rings(struct weft_gen *g, const struct torus *t, unsigned int d)
{
	uint64_t n = t->dim[d] == 2 ? 1 : t->dim[d];

	for (uint64_t i = 0; i < n; i++)
		weft_gen_link(g, "switch-link", name_at(t, "s", d, i),
			      name_at(t, "s", d, (i + 1) % t->dim[d]));
}

static uint64_t count_links(const struct torus *t)
{
	uint64_t links = t->all;

	for (unsigned int i = 0; i < t->dims; i++)
		links += t->dim[i] == 2 ? t->all / 2 : t->all;
	return links;
}

static void add_sizes(struct weft_gen *g, const struct torus *t)
{
	int list = weft_yaml_add_list(g->y, YAML_FLOW_SEQUENCE_STYLE);

	for (unsigned int i = 0; i < t->dims; i++)
		weft_yaml_append(g->y, list,
				 weft_yaml_add_text(g->y, "%" PRIu64,
						    t->dim[i]));
	weft_yaml_put(g->y, 1, "torus", list);
}

/**
 * weft_gen_torus() - generate a ring or a torus
 * @g: the design
 *
 * Return: 0 or negative errno.
 */
int weft_gen_torus(struct weft_gen *g)
{
	struct torus t = { 0 };

	if (take_size(g, &t) ||
	    weft_gen_fits(g, t.all, t.all, count_links(&t)))
		return g->err->code;
	if (weft_yaml_key(g->y, 1, "torus"))
		return weft_place_fail(&g->at, "", g->err,
				       "the file has \"torus\", and generate makes one: expected only one of them");
	add_sizes(g, &t);
	weft_gen_nodes(g, name_at(&t, "host", WEFT_DIMS_MAX, 0));
	for (uint64_t i = 0; i < t.all; i++)
		add_switch(g, &t, i);
	weft_gen_link(g, "host-link", name_at(&t, "host", WEFT_DIMS_MAX, 0),
		      name_at(&t, "s", WEFT_DIMS_MAX, 0));
	for (unsigned int d = 0; d < t.dims; d++)
		add_rings(g, &t, d);
	return 0;
}
