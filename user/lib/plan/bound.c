// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least time that a ring all-reduce can take on a planned fabric.
 *
 * Documentation/report.rst derives the formula.
 */
#include "plan/bound.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/weft.h>

#include "base/units.h"
#include "plan/plan_reach.h"

#define ETH_HEADER	14
/* IPv4 20, TCP 20, time stamps 12 */
#define TCPIP_HEADER	52

/**
 * struct head - a packet on its way
 * @first: when its first bit is at the present port, ps
 * @last: when its last bit is
 */
struct head {
	uint64_t first;
	uint64_t last;
};

static uint64_t serialise(uint64_t bytes, uint64_t rate)
{
	__uint128_t bits = (__uint128_t)bytes * 8 * WEFT_PS_PER_S;

	return (uint64_t)((bits + rate - 1) / rate);
}

/* Is a wire that carries packets of @mtu slower than the slowest so far? */
static void bound_by(struct weft_ring *ring, const struct weft_wire *w,
		     uint32_t mtu)
{
	uint64_t rate = weft_wire_rate(w);
	uint64_t wire = weft_wire_bytes(w, mtu + ETH_HEADER);
	uint32_t payload = mtu - TCPIP_HEADER;

	if (ring->rate &&
	    (__uint128_t)rate * payload * ring->wire >=
	    (__uint128_t)ring->rate * ring->payload * wire)
		return;
	ring->rate = rate;
	ring->payload = payload;
	ring->wire = (uint32_t)wire;
}

static void cross_wire(struct head *h, const struct weft_wire *w)
{
	uint64_t time = serialise(weft_wire_bytes(w, ETH_HEADER + TCPIP_HEADER),
				  weft_wire_rate(w));

	/* A faster wire waits for the bits that a slower one brings. */
	if (h->last < h->first + time)
		h->last = h->first + time;
	h->first += w->propagation;
	h->last += w->propagation;
}

static void cross_switch(struct head *h, const struct weft_switch *sw)
{
	if (sw->forward == WEFT_FORWARD_STORE_FORWARD)
		h->first = h->last;
	h->first += sw->latency;
	h->last += sw->latency;
}

static const struct weft_link *link_at(const struct weft_plan *p,
				       const struct weft_end *end,
				       const struct weft_end **far)
{
	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &p->link[i].end[s];

			if (e->is_nic != end->is_nic || e->id != end->id ||
			    (!e->is_nic && e->port != end->port))
				continue;
			*far = &p->link[i].end[!s];
			return &p->link[i];
		}
	return NULL;
}

static const struct weft_route *route_at(const struct weft_plan *p, uint32_t sw,
					 uint32_t nic)
{
	for (unsigned int i = 0; i < p->routes; i++) {
		const struct weft_route *r = &p->route[i];

		if (r->sw == sw && !r->flood && r->dst <= nic &&
		    nic <= r->dst_last)
			return r;
	}
	return NULL;
}

/* The first of the equally good paths. */
static bool walk(const struct weft_plan *p, uint32_t from, uint32_t to,
		 struct head *h, struct weft_ring *ring)
{
	struct weft_end end = { .is_nic = true, .id = from };
	const struct weft_end *far;

	h->first = p->nic[from].nic.tx_latency;
	h->last = h->first;
	for (unsigned int hops = 0; hops <= p->switches; hops++) {
		const struct weft_link *link = link_at(p, &end, &far);
		const struct weft_route *r;

		if (!link)
			return false;
		cross_wire(h, &link->wire[0]);
		bound_by(ring, &link->wire[0], p->nic[from].mtu);
		if (far->is_nic)
			return far->id == to;
		cross_switch(h, &p->sw[far->id]);
		r = route_at(p, far->id, to);
		if (!r)
			return false;
		end = (struct weft_end) { .id = far->id, .port = r->port[0] };
	}
	return false;
}

/* The NICs that a node's name leads from and to; of several, the first. */
static struct weft_path ends(const struct weft_plan *p, unsigned int a,
			     unsigned int b)
{
	struct weft_path path[WEFT_NODE_NICS_MAX] = {
		{ p->node[a].first, p->node[b].first },
	};

	if (p->node[a].ip)
		weft_plan_paths(p, a, b, path);
	return path[0];
}

static int add_pair(struct weft_ring *ring, const struct weft_plan *p,
		    unsigned int a, unsigned int b, uint64_t *latency,
		    struct weft_err *err)
{
	struct weft_path path = ends(p, a, b);
	struct head h;

	if (!walk(p, path.nic, path.peer, &h, ring))
		return weft_err_set(err, WEFT_ERR_USAGE, -EHOSTUNREACH,
				    "there is no path from %s to %s",
				    p->node[a].name, p->node[b].name);
	*latency = h.last + p->nic[path.peer].nic.rx_latency;
	return 0;
}

/*
 * A piece that is passed on 2(n-1) times crosses as many neighbouring pairs, one
 * after the other: the longest such chain.
 */
static uint64_t longest_chain(const uint64_t *pair, unsigned int ranks)
{
	uint64_t most = 0, sum;

	for (unsigned int start = 0; start < ranks; start++) {
		sum = 0;
		for (unsigned int i = 0; i < 2 * (ranks - 1); i++)
			sum += pair[(start + i) % ranks];
		if (sum > most)
			most = sum;
	}
	return most;
}

static int add_pairs(struct weft_ring *ring, const struct weft_plan *plan,
		     unsigned int per_node, struct weft_err *err)
{
	unsigned int n = ring->ranks;
	uint64_t *pair = calloc(n, sizeof(*pair));
	int ret = 0;

	if (!pair)
		return weft_err_nomem(err);
	for (unsigned int i = 0; !ret && i < n; i++) {
		unsigned int a = i / per_node, b = (i + 1) % n / per_node;

		if (a != b)
			ret = add_pair(ring, plan, a, b, &pair[i], err);
	}
	if (!ret)
		ring->latency = longest_chain(pair, n);
	free(pair);
	return ret;
}

/**
 * weft_ring_make() - find what bounds a ring of ranks
 * @ring: result
 * @plan: the plan
 * @ranks: ranks, in the order of nodes
 * @per_node: ranks on each node
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ring_make(struct weft_ring *ring, const struct weft_plan *plan,
		   unsigned int ranks, unsigned int per_node,
		   struct weft_err *err)
{
	*ring = (struct weft_ring) { .ranks = ranks };
	if (ranks < 2 || per_node < 1 ||
	    (ranks - 1) / per_node >= plan->nodes)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%u ranks, %u on each node: the topology has %u nodes, and a ring needs 2 ranks",
				    ranks, per_node, plan->nodes);
	if (add_pairs(ring, plan, per_node, err))
		return err->code;
	if (!ring->rate)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "all %u ranks are on one node: no link bounds them",
				    ranks);
	return 0;
}

/**
 * weft_ring_allreduce() - least time of an all-reduce on a ring
 * @ring: the ring
 * @bytes: size of the buffer
 *
 * Return: seconds.
 */
double weft_ring_allreduce(const struct weft_ring *ring, uint64_t bytes)
{
	double steps = 2.0 * (ring->ranks - 1);
	double rate = (double)ring->rate / 8 * ring->payload / ring->wire;

	return steps / ring->ranks * (double)bytes / rate +
	       (double)ring->latency / (double)WEFT_PS_PER_S;
}
