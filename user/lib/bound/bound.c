// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives and their usual algorithms, as messages in rounds.
 *
 * Blocks are rounded down, so that no program can have less to send.
 * Documentation/bound.rst has the law of each algorithm, and its source.
 */
#include "bound/bound.h"

#include <errno.h>
#include <string.h>

const char *const weft_collective_words[] = {
	[WEFT_ALLREDUCE] = "allreduce",
	[WEFT_ALLGATHER] = "allgather",
	[WEFT_REDUCE_SCATTER] = "reduce-scatter",
	[WEFT_BROADCAST] = "broadcast",
	[WEFT_REDUCE] = "reduce",
	[WEFT_ALLTOALL] = "alltoall",
	[WEFT_BARRIER] = "barrier",
	[WEFT_POINT_TO_POINT] = "point-to-point",
	NULL
};

/* The largest power of two that is at most @n. */
static unsigned int power_below(unsigned int n)
{
	unsigned int p = 1;

	while (p <= n / 2)
		p *= 2;
	return p;
}

/*
 * Where the ranks are no power of two, the first ones pair up: one of each pair
 * gives its data to the other one, and gets the result from it.
 */
static unsigned int folded(unsigned int ranks, unsigned int i)
{
	unsigned int extra = ranks - power_below(ranks);

	return i < extra ? 2 * i + 1 : i + extra;
}

static void fold(struct weft_rounds *r, uint64_t bytes, bool back)
{
	unsigned int extra = r->ranks - power_below(r->ranks);

	for (unsigned int i = 0; i < extra; i++)
		weft_rounds_send(r, 2 * i + back, 2 * i + !back, bytes);
	weft_rounds_next(r);
}

/* Those whose numbers differ in one bit exchange @bytes. */
static void exchange(struct weft_rounds *r, unsigned int bit, uint64_t bytes)
{
	unsigned int p = power_below(r->ranks);

	for (unsigned int i = 0; i < p; i++)
		weft_rounds_send(r, folded(r->ranks, i), folded(r->ranks, i ^ bit),
				 bytes);
	weft_rounds_next(r);
}

/* Half, a quarter, ... of the buffer. */
static void halve(struct weft_rounds *r, uint64_t bytes)
{
	unsigned int p = power_below(r->ranks);

	for (unsigned int bit = p / 2; bit; bit /= 2)
		exchange(r, bit, bytes * bit / p);
}

static void redouble(struct weft_rounds *r, uint64_t bytes)
{
	unsigned int p = power_below(r->ranks);

	for (unsigned int bit = 1; bit < p; bit *= 2)
		exchange(r, bit, bytes * bit / p);
}

/* The binomial tree of the first rank: its child at distance @bit sends to those
 * nearer. @down: from the root; the subtree of a child has @share of each rank.
 */
static void binomial(struct weft_rounds *r, bool down, uint64_t bytes,
		     uint64_t share)
{
	unsigned int n = r->ranks, top = power_below(n), i, bit, size;

	for (unsigned int k = 1; k <= top; k *= 2) {
		bit = down ? top / k : k;
		for (i = 0; i + bit < n; i += 2 * bit) {
			size = n - i - bit < bit ? n - i - bit : bit;
			weft_rounds_send(r, down ? i : i + bit,
					 down ? i + bit : i,
					 bytes + size * share);
		}
		weft_rounds_next(r);
	}
}

/* All send to the first rank, or it sends to all. */
static void star(struct weft_rounds *r, bool down, uint64_t bytes)
{
	for (unsigned int i = 1; i < r->ranks; i++)
		weft_rounds_send(r, down ? 0 : i, down ? i : 0, bytes);
	weft_rounds_next(r);
}

/* Each to all others, at once. */
static void linear(struct weft_rounds *r, uint64_t bytes)
{
	for (unsigned int i = 0; i < r->ranks; i++)
		for (unsigned int k = 1; k < r->ranks; k++)
			weft_rounds_send(r, i, (i + k) % r->ranks, bytes);
	weft_rounds_next(r);
}

/* Each to the one at distance k, a round for each k. */
static void pairwise(struct weft_rounds *r, uint64_t bytes)
{
	for (unsigned int k = 1; k < r->ranks; k++) {
		for (unsigned int i = 0; i < r->ranks; i++)
			weft_rounds_send(r, i, (i + k) % r->ranks, bytes);
		weft_rounds_next(r);
	}
}

/* Each to the one at distance 1, 2, 4, ...; @blocks(ranks, distance) of @bytes. */
static void doubling_distance(struct weft_rounds *r, uint64_t bytes,
			      unsigned int (*blocks)(unsigned int, unsigned int))
{
	for (unsigned int k = 1; k < r->ranks; k *= 2) {
		uint64_t sent = blocks(r->ranks, k) * bytes;

		for (unsigned int i = 0; i < r->ranks; i++)
			weft_rounds_send(r, i, (i + k) % r->ranks, sent);
		weft_rounds_next(r);
	}
}

/* As many as a rank has, or as are missing. */
static unsigned int blocks_so_far(unsigned int ranks, unsigned int k)
{
	return k < ranks - k ? k : ranks - k;
}

/* Those whose way has this bit. */
static unsigned int blocks_with_bit(unsigned int ranks, unsigned int k)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ranks; i++)
		n += (i & k) != 0;
	return n;
}

/*
 * Two binary trees over the ranks from @base on, each of which carries half; who
 * has children in one is a leaf of the other. Rank i of a tree has the children
 * 2i + 1 and 2i + 2; the second tree counts from the last rank.
 */
static void tree_level(struct weft_rounds *r, unsigned int base,
		       unsigned int level, bool down, uint64_t bytes)
{
	unsigned int n = r->ranks - base, end = (2U << level) - 1;

	for (unsigned int i = (1U << level) - 1; i < end && i < n; i++)
		for (unsigned int tree = 0; tree < 2; tree++) {
			unsigned int up = (i - 1) / 2;
			unsigned int child = base + (tree ? n - 1 - i : i);
			unsigned int parent = base + (tree ? n - 1 - up : up);

			weft_rounds_stream(r, down ? parent : child,
					   down ? child : parent, bytes / 2);
		}
	weft_rounds_next(r);
}

static void trees(struct weft_rounds *r, unsigned int base, bool down,
		  uint64_t bytes)
{
	unsigned int levels = 0;

	while ((2U << levels) - 1 < r->ranks - base)
		levels++;
	for (unsigned int k = 1; k <= levels; k++)
		tree_level(r, base, down ? k : levels + 1 - k, down, bytes);
}

/* The first rank is above both roots. */
static void tree_top(struct weft_rounds *r, bool down, uint64_t bytes)
{
	for (unsigned int tree = 0; tree < 2; tree++) {
		unsigned int root = tree ? r->ranks - 1 : 1;

		weft_rounds_stream(r, down ? 0 : root, down ? root : 0,
				   bytes / 2);
	}
	weft_rounds_next(r);
}

/* Pieces go along all ranks in a row. */
static void chain(struct weft_rounds *r, bool down, uint64_t bytes)
{
	unsigned int n = r->ranks;

	for (unsigned int i = 0; i + 1 < n; i++) {
		if (down)
			weft_rounds_stream(r, i, i + 1, bytes);
		else
			weft_rounds_stream(r, n - 1 - i, n - 2 - i, bytes);
		weft_rounds_next(r);
	}
}

static void allreduce_ring(struct weft_rounds *r, uint64_t bytes)
{
	weft_rounds_ring(r, 2 * (r->ranks - 1), bytes / r->ranks);
}

static void allreduce_doubling(struct weft_rounds *r, uint64_t bytes)
{
	fold(r, bytes, false);
	for (unsigned int bit = 1; bit < power_below(r->ranks); bit *= 2)
		exchange(r, bit, bytes);
	fold(r, bytes, true);
}

static void allreduce_rabenseifner(struct weft_rounds *r, uint64_t bytes)
{
	fold(r, bytes, false);
	halve(r, bytes);
	redouble(r, bytes);
	fold(r, bytes, true);
}

static void allreduce_binomial(struct weft_rounds *r, uint64_t bytes)
{
	binomial(r, false, bytes, 0);
	binomial(r, true, bytes, 0);
}

static void allreduce_trees(struct weft_rounds *r, uint64_t bytes)
{
	trees(r, 0, false, bytes);
	trees(r, 0, true, bytes);
}

static void allreduce_linear(struct weft_rounds *r, uint64_t bytes)
{
	star(r, false, bytes);
	star(r, true, bytes);
}

static void gather_ring(struct weft_rounds *r, uint64_t bytes)
{
	weft_rounds_ring(r, r->ranks - 1, bytes / r->ranks);
}

static void gather_bruck(struct weft_rounds *r, uint64_t bytes)
{
	doubling_distance(r, bytes / r->ranks, blocks_so_far);
}

static void each_to_all(struct weft_rounds *r, uint64_t bytes)
{
	linear(r, bytes / r->ranks);
}

static void each_in_turn(struct weft_rounds *r, uint64_t bytes)
{
	pairwise(r, bytes / r->ranks);
}

/* Those left out by the folding get their block of the result. */
static void scatter_halving(struct weft_rounds *r, uint64_t bytes)
{
	fold(r, bytes, false);
	halve(r, bytes);
	fold(r, bytes / r->ranks, true);
}

static void broadcast_binomial(struct weft_rounds *r, uint64_t bytes)
{
	binomial(r, true, bytes, 0);
}

static void broadcast_scatter(struct weft_rounds *r, uint64_t bytes)
{
	binomial(r, true, 0, bytes / r->ranks);
	weft_rounds_ring(r, r->ranks - 1, bytes / r->ranks);
}

static void broadcast_trees(struct weft_rounds *r, uint64_t bytes)
{
	tree_top(r, true, bytes);
	trees(r, 1, true, bytes);
}

static void broadcast_chain(struct weft_rounds *r, uint64_t bytes)
{
	chain(r, true, bytes);
}

static void broadcast_linear(struct weft_rounds *r, uint64_t bytes)
{
	star(r, true, bytes);
}

static void reduce_binomial(struct weft_rounds *r, uint64_t bytes)
{
	binomial(r, false, bytes, 0);
}

/* Reduce-scatter, then the blocks are gathered along the halving's way back. */
static void reduce_rabenseifner(struct weft_rounds *r, uint64_t bytes)
{
	unsigned int p = power_below(r->ranks);

	fold(r, bytes, false);
	halve(r, bytes);
	for (unsigned int bit = 1; bit < p; bit *= 2) {
		for (unsigned int i = 0; i < p; i += 2 * bit)
			weft_rounds_send(r, folded(r->ranks, i + bit),
					 folded(r->ranks, i), bytes * bit / p);
		weft_rounds_next(r);
	}
}

static void reduce_trees(struct weft_rounds *r, uint64_t bytes)
{
	trees(r, 1, false, bytes);
	tree_top(r, false, bytes);
}

static void reduce_chain(struct weft_rounds *r, uint64_t bytes)
{
	chain(r, false, bytes);
}

static void reduce_linear(struct weft_rounds *r, uint64_t bytes)
{
	star(r, false, bytes);
}

static void alltoall_bruck(struct weft_rounds *r, uint64_t bytes)
{
	doubling_distance(r, bytes / r->ranks, blocks_with_bit);
}

/* One message from the first rank to the last one. */
static void direct(struct weft_rounds *r, uint64_t bytes)
{
	weft_rounds_send(r, 0, r->ranks - 1, bytes);
	weft_rounds_next(r);
}

const struct weft_algorithm weft_algorithms[] = {
	{ WEFT_ALLREDUCE, "ring", false, false, allreduce_ring },
	{ WEFT_ALLREDUCE, "recursive-doubling", false, false, allreduce_doubling },
	{ WEFT_ALLREDUCE, "rabenseifner", false, false, allreduce_rabenseifner },
	{ WEFT_ALLREDUCE, "binomial", false, false, allreduce_binomial },
	{ WEFT_ALLREDUCE, "double-tree", false, false, allreduce_trees },
	{ WEFT_ALLREDUCE, "linear", false, false, allreduce_linear },
	{ WEFT_ALLGATHER, "ring", false, false, gather_ring },
	{ WEFT_ALLGATHER, "recursive-doubling", false, true, redouble },
	{ WEFT_ALLGATHER, "bruck", false, false, gather_bruck },
	{ WEFT_ALLGATHER, "linear", true, false, each_to_all },
	{ WEFT_REDUCE_SCATTER, "ring", false, false, gather_ring },
	{ WEFT_REDUCE_SCATTER, "recursive-halving", false, false, scatter_halving },
	{ WEFT_REDUCE_SCATTER, "pairwise", true, false, each_in_turn },
	{ WEFT_REDUCE_SCATTER, "linear", true, false, each_to_all },
	{ WEFT_BROADCAST, "binomial", false, false, broadcast_binomial },
	{ WEFT_BROADCAST, "scatter-ring", false, false, broadcast_scatter },
	{ WEFT_BROADCAST, "double-tree", false, false, broadcast_trees },
	{ WEFT_BROADCAST, "chain", false, false, broadcast_chain },
	{ WEFT_BROADCAST, "linear", false, false, broadcast_linear },
	{ WEFT_REDUCE, "binomial", false, false, reduce_binomial },
	{ WEFT_REDUCE, "rabenseifner", false, false, reduce_rabenseifner },
	{ WEFT_REDUCE, "double-tree", false, false, reduce_trees },
	{ WEFT_REDUCE, "chain", false, false, reduce_chain },
	{ WEFT_REDUCE, "linear", false, false, reduce_linear },
	{ WEFT_ALLTOALL, "pairwise", true, false, each_in_turn },
	{ WEFT_ALLTOALL, "bruck", false, false, alltoall_bruck },
	{ WEFT_ALLTOALL, "linear", true, false, each_to_all },
	{ WEFT_BARRIER, "recursive-doubling", false, false, allreduce_doubling },
	{ WEFT_BARRIER, "dissemination", false, false, gather_bruck },
	{ WEFT_BARRIER, "binomial", false, false, allreduce_binomial },
	{ WEFT_BARRIER, "linear", false, false, allreduce_linear },
	{ WEFT_BARRIER, "double-ring", false, false, allreduce_ring },
	{ WEFT_POINT_TO_POINT, "direct", false, false, direct },
};

const unsigned int weft_algorithms_n =
	sizeof(weft_algorithms) / sizeof(*weft_algorithms);

/**
 * weft_bound_algorithm() - find an algorithm
 * @collective: its collective
 * @name: its name
 * @len: characters of the name
 *
 * Return: the algorithm; NULL: there is none.
 */
const struct weft_algorithm *weft_bound_algorithm(enum weft_collective collective,
						  const char *name, size_t len)
{
	for (unsigned int i = 0; i < weft_algorithms_n; i++) {
		const struct weft_algorithm *a = &weft_algorithms[i];

		if (a->collective == collective && strlen(a->name) == len &&
		    !strncmp(a->name, name, len))
			return a;
	}
	return NULL;
}

/**
 * weft_bound_make() - prepare for the bounds of some ranks
 * @r: result, to be freed by weft_rounds_free() even after an error
 * @plan: the plan
 * @ranks: ranks, in the order of nodes
 * @per_node: ranks on each node
 * @verbs: messages are sent by verbs, not by sockets
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_bound_make(struct weft_rounds *r, const struct weft_plan *plan,
		    unsigned int ranks, unsigned int per_node, bool verbs,
		    struct weft_err *err)
{
	*r = (struct weft_rounds) { 0 };
	if (ranks < 2 || per_node < 1 ||
	    (ranks - 1) / per_node >= plan->nodes)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%u ranks, %u on each node: the topology has %u nodes, and a collective needs 2 ranks",
				    ranks, per_node, plan->nodes);
	if (ranks <= per_node)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "all %u ranks are on one node: no link bounds them",
				    ranks);
	return weft_rounds_make(r, plan, ranks, per_node, verbs, err);
}

/**
 * weft_bound_has() - can an algorithm be looked at?
 * @r: the fabric and its ranks
 * @a: the algorithm
 *
 * Return: true, unless it is for powers of two only, or has too many messages.
 */
bool weft_bound_has(const struct weft_rounds *r, const struct weft_algorithm *a)
{
	return (!a->powers || r->ranks == power_below(r->ranks)) &&
	       (!a->square || r->ranks <= WEFT_KNOWN_NODES_MAX);
}

/**
 * weft_bound_time() - least time of an algorithm
 * @r: the fabric and its ranks
 * @a: the algorithm
 * @bytes: size of the buffer
 * @seconds: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_bound_time(struct weft_rounds *r, const struct weft_algorithm *a,
		    uint64_t bytes, double *seconds, struct weft_err *err)
{
	weft_rounds_begin(r, err);
	a->run(r, bytes);
	return weft_rounds_time(r, seconds);
}
