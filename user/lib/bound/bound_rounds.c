// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least time of messages that depend on each other.
 *
 * It is the largest of three: the longest chain of rounds each of which needs what
 * the one before brought; what a NIC sends or receives, at the rate of its wire;
 * what crosses a cut, at the rate of its links. Ranks on one node need no time.
 */
#include "bound/bound_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static unsigned int node_of(const struct weft_rounds *r, unsigned int rank)
{
	return rank / r->per_node;
}

static int alloc(struct weft_rounds *r, struct weft_err *err)
{
	const struct weft_plan *p = r->lanes.plan;

	for (unsigned int i = 0; i < r->floor.cuts; i++)
		r->groups += r->floor.cut[i].groups;
	r->ready = calloc(r->ranks, sizeof(*r->ready));
	r->next = calloc(r->ranks, sizeof(*r->next));
	r->turn = calloc(r->ranks, sizeof(*r->turn));
	r->tx = calloc(p->nics + 1, sizeof(*r->tx));
	r->rx = calloc(p->nics + 1, sizeof(*r->rx));
	r->out = calloc(r->groups + 1, sizeof(*r->out));
	r->in = calloc(r->groups + 1, sizeof(*r->in));
	if (r->nodes <= WEFT_KNOWN_NODES_MAX)
		r->known = calloc((size_t)r->nodes * r->nodes,
				  sizeof(*r->known));
	if (!r->ready || !r->next || !r->turn || !r->tx || !r->rx || !r->out || !r->in ||
	    (!r->known && r->nodes <= WEFT_KNOWN_NODES_MAX))
		return weft_err_nomem(err);
	return 0;
}

/**
 * weft_rounds_make() - prepare for messages on a planned fabric
 * @r: result, to be freed by weft_rounds_free() even after an error
 * @plan: the plan
 * @ranks: ranks, in the order of nodes
 * @per_node: ranks on each node
 * @verbs: messages are sent by verbs, not by sockets
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_rounds_make(struct weft_rounds *r, const struct weft_plan *plan,
		     unsigned int ranks, unsigned int per_node, bool verbs,
		     struct weft_err *err)
{
	*r = (struct weft_rounds) {
		.ranks = ranks, .per_node = per_node, .nodes = plan->nodes,
	};
	if (weft_lanes_make(&r->lanes, plan, verbs, err) ||
	    weft_floor_make(&r->floor, &r->lanes, ranks, per_node, err))
		return err->code;
	return alloc(r, err);
}

/**
 * weft_rounds_free() - free
 * @r: to be freed
 */
void weft_rounds_free(struct weft_rounds *r)
{
	for (unsigned int i = 0; i < r->kinds; i++)
		free(r->kind[i].lane.hop);
	free(r->kind);
	free(r->known);
	free(r->ready);
	free(r->next);
	free(r->turn);
	free(r->tx);
	free(r->rx);
	free(r->out);
	free(r->in);
	weft_floor_free(&r->floor);
	weft_lanes_free(&r->lanes);
}

static void fail(struct weft_rounds *r)
{
	r->failed = true;
}

static bool same_wire(const struct weft_wire *a, const struct weft_wire *b)
{
	return weft_wire_rate(a) == weft_wire_rate(b) &&
	       a->propagation == b->propagation && a->overhead == b->overhead &&
	       a->min_frame == b->min_frame && a->payload == b->payload &&
	       a->unit == b->unit;
}

static bool same_lane(const struct weft_lane *a, const struct weft_lane *b)
{
	if (a->tx != b->tx || a->rx != b->rx || a->payload != b->payload ||
	    a->header != b->header || a->hops != b->hops)
		return false;
	for (unsigned int i = 0; i < a->hops; i++)
		if (a->hop[i].latency != b->hop[i].latency ||
		    a->hop[i].stored != b->hop[i].stored ||
		    !same_wire(a->hop[i].wire, b->hop[i].wire))
			return false;
	return true;
}

/* Its number; what it had of times is of no message yet. */
static uint32_t kind_of(struct weft_rounds *r, const struct weft_lane *lane)
{
	struct weft_kind *more, *k;
	size_t size = lane->hops * sizeof(*lane->hop);

	for (unsigned int i = 0; i < r->kinds; i++)
		if (same_lane(&r->kind[i].lane, lane))
			return i;
	more = realloc(r->kind, (r->kinds + 1) * sizeof(*more));
	if (!more)
		goto err;
	r->kind = more;
	k = &r->kind[r->kinds];
	*k = (struct weft_kind) {
		.lane = *lane, .bytes = UINT64_MAX,
		.latency = weft_lane_latency(lane),
	};
	k->lane.hop = malloc(size);
	if (!k->lane.hop)
		goto err;
	memcpy(k->lane.hop, lane->hop, size);
	return r->kinds++;
err:
	weft_err_nomem(r->err);
	fail(r);
	return 0;
}

/**
 * struct pair - two nodes, and the path from the one to the other
 * @kind: the path
 * @nic: NIC of the sender
 * @peer: NIC of the receiver
 */
struct pair {
	struct weft_kind *kind;
	unsigned int nic;
	unsigned int peer;
};

/* What is known of a pair: the kind and, of each node, which of its NICs. */
static uint32_t pack(const struct weft_plan *p, unsigned int a, unsigned int b,
		     const struct weft_lane *lane, uint32_t kind)
{
	return (kind + 1) << 8 | (lane->nic - p->node[a].first) << 4 |
	       (lane->peer - p->node[b].first);
}

static bool find_pair(struct weft_rounds *r, unsigned int a, unsigned int b,
		      struct pair *pair)
{
	uint32_t *known = r->known ? &r->known[(size_t)a * r->nodes + b] : NULL;
	const struct weft_plan *p = r->lanes.plan;
	struct weft_lane lane;
	uint32_t kind, what = known ? *known : 0;

	if (!what) {
		if (weft_lanes_find(&r->lanes, a, b, &lane, r->err))
			fail(r);
		kind = r->failed ? 0 : kind_of(r, &lane);
		if (r->failed)
			return false;
		what = pack(p, a, b, &lane, kind);
		if (known)
			*known = what;
	}
	*pair = (struct pair) {
		&r->kind[(what >> 8) - 1], p->node[a].first + (what >> 4 & 15),
		p->node[b].first + (what & 15),
	};
	return true;
}

static void measure(struct weft_kind *k, uint64_t bytes)
{
	const struct weft_lane *l = &k->lane;

	if (k->bytes == bytes)
		return;
	k->bytes = bytes;
	k->time = weft_lane_time(l, bytes);
	k->wire = weft_lane_wire_time(l, l->hop[0].wire, bytes);
	k->last = weft_lane_wire_time(l, l->hop[l->hops - 1].wire, bytes);
}

static void add_load(struct weft_load *l, uint64_t busy, uint64_t latency)
{
	if (!l->busy || latency < l->latency)
		l->latency = latency;
	l->busy += busy;
}

static void cross_cuts(struct weft_rounds *r, unsigned int a, unsigned int b,
		       uint64_t bytes)
{
	unsigned int first = 0;

	for (unsigned int i = 0; i < r->floor.cuts; i++) {
		const struct weft_cut *c = &r->floor.cut[i];

		if (c->of[a] != c->of[b]) {
			r->out[first + c->of[a]] += bytes;
			r->in[first + c->of[b]] += bytes;
		}
		first += c->groups;
	}
}

/*
 * Count @times messages of @bytes. Return the path with the time of one of them,
 * NULL where the ranks are on one node, or after an error.
 */
static struct weft_kind *count(struct weft_rounds *r, unsigned int from,
			       unsigned int to, uint64_t bytes,
			       unsigned int times)
{
	unsigned int a = node_of(r, from), b = node_of(r, to);
	struct pair p;

	if (a == b || r->failed || !find_pair(r, a, b, &p))
		return NULL;
	measure(p.kind, bytes);
	add_load(&r->tx[p.nic], p.kind->wire * times, p.kind->latency);
	add_load(&r->rx[p.peer], p.kind->last * times, p.kind->latency);
	cross_cuts(r, a, b, bytes * times);
	return p.kind;
}

/* A rank needs all that it receives in a round, and its NIC takes it in turn. */
static void take_turns(struct weft_rounds *r, unsigned int from, unsigned int to,
		       const struct weft_kind *k)
{
	struct weft_turn *tx = &r->turn[from], *rx = &r->turn[to];
	uint64_t begin = r->ready[from] + k->latency;

	if (!tx->sent || k->latency < tx->sent_latency)
		tx->sent_latency = k->latency;
	tx->sent += k->wire;
	if (!rx->received || begin < rx->begin)
		rx->begin = begin;
	rx->received += k->last;
}

/* Rank @to has something at @t. */
static void arrive(struct weft_rounds *r, unsigned int to, uint64_t t)
{
	if (t > r->next[to])
		r->next[to] = t;
}

/**
 * weft_rounds_begin() - forget all messages
 * @r: rounds
 * @err: error of the rounds to come
 */
void weft_rounds_begin(struct weft_rounds *r, struct weft_err *err)
{
	unsigned int nics = r->lanes.plan->nics;

	r->err = err;
	r->failed = false;
	memset(r->ready, 0, r->ranks * sizeof(*r->ready));
	memset(r->next, 0, r->ranks * sizeof(*r->next));
	memset(r->turn, 0, r->ranks * sizeof(*r->turn));
	r->end = 0;
	memset(r->tx, 0, nics * sizeof(*r->tx));
	memset(r->rx, 0, nics * sizeof(*r->rx));
	memset(r->out, 0, r->groups * sizeof(*r->out));
	memset(r->in, 0, r->groups * sizeof(*r->in));
}

/**
 * weft_rounds_send() - a message of this round
 * @r: rounds
 * @from: rank that sends
 * @to: rank that receives
 * @bytes: of the message
 */
void weft_rounds_send(struct weft_rounds *r, unsigned int from, unsigned int to,
		      uint64_t bytes)
{
	struct weft_kind *k;

	if (r->sink) {
		r->sink->send(r->sink->ctx, from, to, bytes);
		return;
	}
	k = count(r, from, to, bytes, 1);
	if (k)
		take_turns(r, from, to, k);
	arrive(r, to, r->ready[from] + (k ? k->time : 0));
}

/**
 * weft_rounds_stream() - a message that is passed on while it arrives
 * @r: rounds
 * @from: rank that sends
 * @to: rank that receives
 * @bytes: of the message
 *
 * The next round waits for its first byte only. The last one counts at the NICs.
 */
void weft_rounds_stream(struct weft_rounds *r, unsigned int from,
			unsigned int to, uint64_t bytes)
{
	struct weft_kind *k;

	if (r->sink) {
		r->sink->streamed = true;
		return;
	}
	k = count(r, from, to, bytes, 1);
	arrive(r, to, r->ready[from] + (k ? k->latency : 0));
}

/**
 * weft_rounds_next() - the round is over
 * @r: rounds
 */
void weft_rounds_next(struct weft_rounds *r)
{
	if (r->sink) {
		r->sink->next(r->sink->ctx);
		return;
	}
	for (unsigned int i = 0; i < r->ranks; i++) {
		struct weft_turn *t = &r->turn[i];
		uint64_t sent = r->ready[i] + t->sent_latency + t->sent;

		if (t->sent && sent > r->end)
			r->end = sent;
		if (t->received)
			arrive(r, i, t->begin + t->received);
		*t = (struct weft_turn) { 0 };
	}
	for (unsigned int i = 0; i < r->ranks; i++)
		if (r->next[i] > r->ready[i])
			r->ready[i] = r->next[i];
}

/* The ring's messages, one by one. */
static void pass_on(struct weft_rounds *r, unsigned int steps, uint64_t bytes)
{
	for (unsigned int k = 0; k < steps; k++) {
		for (unsigned int i = 0; i < r->ranks; i++)
			weft_rounds_send(r, i, (i + 1) % r->ranks, bytes);
		weft_rounds_next(r);
	}
}

/**
 * weft_rounds_ring() - each rank passes blocks on to the next one
 * @r: rounds
 * @steps: how often
 * @bytes: of a block
 *
 * A block crosses @steps neighbouring pairs, one after the other; and all blocks
 * of a pair follow each other on its path.
 */
void weft_rounds_ring(struct weft_rounds *r, unsigned int steps, uint64_t bytes)
{
	unsigned int n = r->ranks;
	uint64_t *pair, sum = 0;

	if (r->sink) {
		pass_on(r, steps, bytes);
		return;
	}
	pair = calloc(n, sizeof(*pair));
	if (!pair) {
		weft_err_nomem(r->err);
		fail(r);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		struct weft_kind *k = count(r, i, (i + 1) % n, bytes, steps);

		if (!k)
			continue;
		pair[i] = k->time;
		arrive(r, (i + 1) % n, r->ready[i] +
		       weft_lane_time(&k->lane, bytes * steps));
	}
	for (unsigned int i = 0; i < steps; i++)
		sum += pair[i % n];
	for (unsigned int i = 0; i < n; i++) {
		arrive(r, (i + steps) % n, r->ready[i] + sum);
		sum += pair[(i + steps) % n] - pair[i];
	}
	free(pair);
	weft_rounds_next(r);
}

static double most_load(const struct weft_load *l, unsigned int n)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < n; i++)
		if (l[i].busy && l[i].busy + l[i].latency > most)
			most = l[i].busy + l[i].latency;
	return (double)most;
}

static double most_crossing(const struct weft_rounds *r)
{
	unsigned int first = 0;
	double most = 0, t;

	for (unsigned int i = 0; i < r->floor.cuts; i++) {
		const struct weft_cut *c = &r->floor.cut[i];

		for (unsigned int g = 0; g < c->groups; g++) {
			uint64_t out = r->out[first + g], in = r->in[first + g];

			if (!out && !in)
				continue;
			t = (double)(out > in ? out : in) / c->rate[g] +
			    (double)r->floor.nearest;
			if (t > most)
				most = t;
		}
		first += c->groups;
	}
	return most;
}

/**
 * weft_rounds_time() - least time of all messages
 * @r: rounds, the last of which is over
 * @seconds: result
 *
 * Return: 0 or negative errno; weft_rounds_begin() said where the message is.
 */
int weft_rounds_time(const struct weft_rounds *r, double *seconds)
{
	unsigned int nics = r->lanes.plan->nics;
	double most, t;

	if (r->failed)
		return r->err->code;
	most = most_crossing(r);
	most = (double)r->end > most ? (double)r->end : most;
	t = most_load(r->tx, nics);
	most = t > most ? t : most;
	t = most_load(r->rx, nics);
	most = t > most ? t : most;
	for (unsigned int i = 0; i < r->ranks; i++)
		if ((double)r->ready[i] > most)
			most = (double)r->ready[i];
	*seconds = most / WEFT_PS_PER_S;
	return 0;
}
