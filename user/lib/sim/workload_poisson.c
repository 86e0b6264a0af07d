// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open-loop flows: sizes from a distribution, begins of a Poisson process, at a load.
 *
 * Each node, or each of those that are listed, sends flows to others at random. The mean
 * time between two of its flows is that in which its links carry the mean size at the load;
 * times are exponentially distributed (fab_wire_draw()). Sizes are linear between the points
 * of the distribution. Each flow has a queue pair of its own. All draws of a node follow from
 * seed and node.
 */
#include "workload/workload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "core/sim/rng.h"
#include "core/wire/wire.h"
#include "topology/share.h"

#define PREFIX		"poisson:"
#define WHOLE		1000000U	/* 100 % */

/**
 * struct point - a point of a distribution
 * @bytes: a size
 * @share: share of the flows that have at most so many bytes, in 1e-6
 */
struct point {
	uint64_t bytes;
	uint32_t share;
};

/**
 * struct spec - what is to be made
 * @text: as the user wrote it
 * @name: the distribution: that of a file of Weft, or the path of a file
 * @load: share of the rate of a node's links, in 1e-6
 * @period: flows begin before, ps
 * @seed: of all draws
 * @points: entries of @point
 * @point: the distribution, from 0 to WHOLE
 * @mean: mean size, bytes
 * @list: the nodes as written; NULL: all
 * @nodes: entries of @node
 * @node: the nodes
 */
struct spec {
	const char *text;
	char name[PATH_MAX];
	uint32_t load;
	uint64_t period;
	uint64_t seed;
	unsigned int points;
	struct point *point;
	uint64_t mean;
	const char *list;
	unsigned int nodes;
	uint32_t *node;
};

static int refuse(const struct spec *s, const char *why, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%s\": %s; expected poisson:SIZES:LOAD:TIME[:SEED][@NODES], as in poisson:websearch:0.5:1ms",
			    s->text, why);
}

/* The next field of up to @len bytes, or an empty one; only the first may have a "@". */
static void next_field(const char **at, char *field, size_t len, const char *end)
{
	size_t n = strcspn(*at, end);

	snprintf(field, len, "%.*s", (int)n, *at);
	*at += n + ((*at)[n] == ':');
}

static int parse(struct spec *s, struct weft_err *err)
{
	const char *at = s->text + strlen(PREFIX);
	char load[32], period[32], seed[32];

	next_field(&at, s->name, sizeof(s->name), ":");
	next_field(&at, load, sizeof(load), ":@");
	next_field(&at, period, sizeof(period), ":@");
	next_field(&at, seed, sizeof(seed), ":@");
	if (*at == '@') {
		s->list = at + 1;
		at += strlen(at);
	}
	if (!*s->name || *at)
		return refuse(s, "fields are missing, or too many", err);
	if (weft_parse_fraction(load, &s->load, err) || !s->load)
		return refuse(s, "a load is above 0 and at most 1", err);
	if (weft_parse_time(period, &s->period, err) || !s->period ||
	    s->period > WEFT_WORK_TIME_MAX)
		return refuse(s, "a time is 1ps to 1000s", err);
	s->seed = 1;
	if (*seed && weft_parse_number(seed, &s->seed, err))
		return refuse(s, "a seed is a number", err);
	return 0;
}

static int bad_line(const char *path, unsigned int line, const char *what,
		    struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s:%u: expected %s", path, line,
			    what);
}

static int add_point(struct spec *s, const char *path, unsigned int line,
		     const char *text, struct weft_err *err)
{
	const struct point *last = s->points ? &s->point[s->points - 1] : NULL;
	unsigned long long bytes;
	struct point *more, new;
	double percent;
	int end = 0;

	if (sscanf(text, "%llu %lf %n", &bytes, &percent, &end) != 2 || text[end] ||
	    bytes > WEFT_MESSAGE_MAX || !(percent >= 0 && percent <= 100))
		return bad_line(path, line, "BYTES PERCENT", err);
	new = (struct point) {
		.bytes = bytes, .share = (uint32_t)(percent * (WHOLE / 100.0) + 0.5),
	};
	if (last ? new.bytes <= last->bytes || new.share < last->share : new.share != 0)
		return bad_line(path, line, "bytes and per cent that grow, from 0 per cent on",
				err);
	more = weft_array_grow(s->point, s->points, sizeof(*s->point));
	if (!more)
		return weft_err_nomem(err);
	s->point = more;
	s->point[s->points++] = new;
	return 0;
}

static int read_points(struct spec *s, const char *path, FILE *f, struct weft_err *err)
{
	char text[256];

	for (unsigned int line = 1; fgets(text, sizeof(text), f); line++) {
		text[strcspn(text, "#\n")] = '\0';
		if (text[strspn(text, " \t")] && add_point(s, path, line, text, err))
			return err->code;
	}
	if (s->points < 2 || s->point[s->points - 1].share != WHOLE)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: expected lines BYTES PERCENT, up to 100 per cent",
				    path);
	return 0;
}

/* The mean of what is linear between the points. */
static uint64_t mean_of(const struct spec *s)
{
	__uint128_t twice = 0;

	for (unsigned int i = 1; i < s->points; i++)
		twice += (__uint128_t)(s->point[i].bytes + s->point[i - 1].bytes) *
			 (s->point[i].share - s->point[i - 1].share);
	return (uint64_t)(twice / WHOLE / 2);
}

static int read_sizes(struct spec *s, struct weft_err *err)
{
	char file[PATH_MAX + 8], path[PATH_MAX];
	FILE *f;
	int ret;

	snprintf(file, sizeof(file), "%s.txt", s->name);
	if (strchr(s->name, '/') || weft_share_file("sizes", file, path, err))
		snprintf(path, sizeof(path), "%s", s->name);
	f = fopen(path, "re");
	if (!f)
		return weft_err_set(err, WEFT_ERR_USAGE, -errno,
				    "%s: %s; expected websearch, hadoop or a file of lines BYTES PERCENT",
				    path, strerror(errno));
	ret = read_points(s, path, f, err);
	fclose(f);
	s->mean = ret ? 0 : mean_of(s);
	if (!ret && !s->mean)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: a mean of 0 bytes", path);
	return ret;
}

static uint64_t draw_size(const struct spec *s, uint64_t *rng)
{
	uint64_t u = (fab_rng_next((u64 *)rng) >> 32) * WHOLE, share = u >> 32, in, wide;
	const struct point *to = &s->point[1];

	while (to->share <= share)
		to++;
	/* Within the segment, with 32 bits behind the point. */
	in = u - ((uint64_t)to[-1].share << 32);
	wide = (uint64_t)(to->share - to[-1].share) << 32;
	return to[-1].bytes +
	       (uint64_t)((__uint128_t)(to->bytes - to[-1].bytes) * in / wide) + 1;
}

/* One of the nodes, but not that at the place @own. */
static uint32_t draw_other(const struct spec *s, uint32_t own, uint64_t *rng)
{
	uint32_t to = (uint32_t)((fab_rng_next((u64 *)rng) >> 32) * (s->nodes - 1) >> 32);

	return s->node[to + (to >= own)];
}

/* The sum of the rates of each node's links, bits per second; NULL without memory. */
static uint64_t *rates_of(const struct weft_plan *plan)
{
	uint64_t *rate = calloc(plan->nodes + (size_t)1, sizeof(*rate));

	for (unsigned int i = 0; rate && i < plan->links; i++)
		for (unsigned int k = 0; k < 2; k++) {
			const struct weft_end *end = &plan->link[i].end[k];

			if (end->is_nic)
				rate[plan->nic[end->id].node] += plan->link[i].wire[0].rate;
		}
	return rate;
}

/* The flows of the node at the place @own. */
static int add_node(struct weft_work *w, const struct spec *s, uint32_t own, uint64_t bps,
		    struct weft_err *err)
{
	uint64_t rng = fab_mix(s->seed ^ fab_mix(s->node[own] + 1)), gap;
	struct weft_message m = { .from = s->node[own] };

	if (!bps)
		return 0;
	gap = (uint64_t)((__uint128_t)s->mean * 8 * WEFT_PS_PER_S / bps * WHOLE / s->load);
	for (;;) {
		m.at += fab_wire_draw((u64 *)&rng, gap);
		if (m.at >= s->period)
			return 0;
		m.bytes = draw_size(s, &rng);
		m.to = draw_other(s, own, &rng);
		m.channel = w->messages;
		if (!weft_work_add(w, &m, err))
			return err->code;
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct weft_message *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static int make(struct weft_work *w, const struct spec *s, const struct weft_plan *plan,
		struct weft_err *err)
{
	uint64_t *rate = rates_of(plan);
	int ret = 0;

	if (!rate)
		return weft_err_nomem(err);
	for (uint32_t i = 0; !ret && i < s->nodes; i++)
		ret = add_node(w, s, i, rate[s->node[i]], err);
	free(rate);
	if (ret)
		return ret;
	if (!w->messages)
		return refuse(s, "no flow begins in this time", err);
	qsort(w->message, w->messages, sizeof(*w->message), by_begin);
	for (uint32_t i = 0; i < w->messages; i++)
		w->message[i].line = i + 1;
	return 0;
}

/**
 * weft_work_is_poisson() - does a text say open-loop flows?
 * @spec: the text
 *
 * Return: true if it does.
 */
bool weft_work_is_poisson(const char *spec)
{
	return !strncmp(spec, PREFIX, strlen(PREFIX));
}

/**
 * weft_work_poisson() - make open-loop flows
 * @w: result, to be freed by weft_work_free() even after an error
 * @spec: poisson:SIZES:LOAD:TIME[:SEED][@NODES]
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_poisson(struct weft_work *w, const char *spec, const struct weft_plan *plan,
		      struct weft_err *err)
{
	struct spec s = { .text = spec };
	int ret = parse(&s, err);

	*w = (struct weft_work) { 0 };
	if (!ret)
		ret = weft_work_ranks(s.list, plan, &s.node, &s.nodes, err);
	if (!ret && s.nodes < 2)
		ret = refuse(&s, "flows need two nodes", err);
	if (!ret)
		ret = read_sizes(&s, err);
	if (!ret)
		ret = make(w, &s, plan, err);
	free(s.point);
	free(s.node);
	return ret;
}
