// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time that no algorithm can beat.
 *
 * Documentation/bound.rst has the laws and their sources.
 */
#include "bound/bound.h"

#include "base/units.h"

/**
 * struct need - bytes that have to cross the links of a group of ranks
 * @out: that leave it
 * @in: that come into it
 */
struct need {
	double out;
	double in;
};

/* @a of @n ranks are in the group, and the first rank is, if @root. */
static struct need need_of(enum weft_collective collective, double s, double a,
			   double n, bool root, bool last)
{
	switch (collective) {
	case WEFT_ALLREDUCE:
		return (struct need) { s, s };
	case WEFT_ALLGATHER:
		return (struct need) { a * s / n, (n - a) * s / n };
	case WEFT_REDUCE_SCATTER:
		return (struct need) { (n - a) * s / n, a * s / n };
	case WEFT_BROADCAST:
		return (struct need) { root ? s : 0, root ? 0 : s };
	case WEFT_REDUCE:
		return (struct need) { root ? 0 : s, root ? s : 0 };
	case WEFT_ALLTOALL:
		return (struct need) { a * (n - a) * s / n, a * (n - a) * s / n };
	case WEFT_POINT_TO_POINT:
		return (struct need) { root && !last ? s : 0,
				       last && !root ? s : 0 };
	default:
		return (struct need) { 0, 0 };
	}
}

static double most_needed(const struct weft_rounds *r, const struct weft_cut *c,
			  enum weft_collective collective, double s)
{
	unsigned int last = c->of[(r->ranks - 1) / r->per_node];
	double most = 0, t;

	for (unsigned int g = 0; g < c->groups; g++) {
		struct need need;

		if (!c->ranks[g] || c->ranks[g] == r->ranks)
			continue;
		need = need_of(collective, s, c->ranks[g], r->ranks,
			       g == c->of[0], g == last);
		t = (need.out > need.in ? need.out : need.in) / c->rate[g];
		if (t > most)
			most = t;
	}
	return most;
}

/*
 * All-reduce: each byte of the result is received 2 (g - 1) times by some of the
 * g groups: g - 1 times to add it up, g - 1 times to spread it.
 */
static double shared_out(const struct weft_cut *c, double s)
{
	unsigned int groups = 0;
	double rate = 0;

	for (unsigned int g = 0; g < c->groups; g++)
		if (c->ranks[g]) {
			groups++;
			rate += c->rate[g];
		}
	return groups > 1 ? 2.0 * (groups - 1) * s / rate : 0;
}

/* From the first rank to all, or from each to each. */
static double latency_of(const struct weft_rounds *r,
			 enum weft_collective collective)
{
	if (collective == WEFT_POINT_TO_POINT)
		return (double)r->floor.nearest;
	if (collective == WEFT_BROADCAST || collective == WEFT_REDUCE)
		return (double)r->floor.reach;
	return (double)(r->floor.diameter > r->floor.reach ?
			r->floor.diameter : r->floor.reach);
}

/**
 * weft_bound_floor() - time that no algorithm can beat
 * @r: the fabric and its ranks
 * @collective: what they do
 * @bytes: size of the buffer
 *
 * Return: seconds.
 */
double weft_bound_floor(const struct weft_rounds *r,
			enum weft_collective collective, uint64_t bytes)
{
	double most = latency_of(r, collective), t, near;

	near = (double)r->floor.nearest;
	for (unsigned int i = 0; i < r->floor.cuts; i++) {
		const struct weft_cut *c = &r->floor.cut[i];

		t = near + most_needed(r, c, collective, (double)bytes);
		most = t > most ? t : most;
		if (collective != WEFT_ALLREDUCE)
			continue;
		t = near + shared_out(c, (double)bytes);
		most = t > most ? t : most;
	}
	return most / WEFT_PS_PER_S;
}
