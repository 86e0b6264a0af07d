// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least time of a message between two nodes of a planned fabric.
 *
 * A message is cut into packets. The first bit crosses wires and switches
 * without waiting, and no wire ends before it has sent all packets:
 * Documentation/bound.rst has the law.
 */
#include "bound/bound_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "plan/plan_reach.h"

#define ETH_HEADER	14
/* IPv4 20, TCP 20, time stamps 12 */
#define TCPIP_HEADER	52
/* RoCE v2: IPv4 20, UDP 8, BTH 12, ICRC 4 */
#define ROCE_HEADER	(ETH_HEADER + 44)
/* LRH 8, BTH 12, ICRC 4, VCRC 2, less the 24 that are the wire's overhead */
#define IB_HEADER	2
/* IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4: the MTU has room for them */
#define ROCE_MTU_HEADERS	80
#define VERBS_MTU_MAX	4096

/**
 * struct head - a message on its way
 * @first: when its first bit is at the present port, ps
 * @packet: when the last bit of its first packet is
 * @last: when its last bit is
 */
struct head {
	uint64_t first;
	uint64_t packet;
	uint64_t last;
};

static uint64_t serialise(uint64_t bytes, uint64_t rate)
{
	__uint128_t bits = (__uint128_t)bytes * 8 * WEFT_PS_PER_S;

	return (uint64_t)((bits + rate - 1) / rate);
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t packet_time(const struct weft_lane *lane,
			    const struct weft_wire *w, uint64_t bytes)
{
	return serialise(weft_wire_bytes(w, bytes + lane->header),
			 weft_wire_rate(w));
}

/* Bytes of the last packet; a message of none has a packet, too. */
static uint64_t last_packet(const struct weft_lane *lane, uint64_t bytes)
{
	return bytes ? (bytes - 1) % lane->payload + 1 : 0;
}

/**
 * weft_lane_wire_time() - time that all packets of a message take on a wire
 * @lane: the path, which says how packets are cut
 * @w: the wire
 * @bytes: of the message
 *
 * Return: ps.
 */
uint64_t weft_lane_wire_time(const struct weft_lane *lane,
			     const struct weft_wire *w, uint64_t bytes)
{
	uint64_t last = last_packet(lane, bytes);
	uint64_t full = (bytes - last) / lane->payload;

	return serialise(full * weft_wire_bytes(w, lane->payload + lane->header) +
			 weft_wire_bytes(w, last + lane->header),
			 weft_wire_rate(w));
}

static void cross(struct head *h, const struct weft_lane *lane,
		  const struct weft_hop *hop, uint64_t bytes)
{
	const struct weft_wire *w = hop->wire;
	uint64_t last = last_packet(lane, bytes);
	uint64_t first = bytes > last ? lane->payload : last;

	if (hop->stored) {
		h->first = h->packet;
		h->last += packet_time(lane, w, last);
	}
	/* A faster wire waits for the bits that a slower one brings. */
	h->packet = max64(h->packet, h->first + packet_time(lane, w, first));
	h->last = max64(h->last,
			h->first + weft_lane_wire_time(lane, w, bytes));
	h->first += hop->latency + w->propagation;
	h->packet += hop->latency + w->propagation;
	h->last += hop->latency + w->propagation;
}

/**
 * weft_lane_time() - least time of a message
 * @lane: the path
 * @bytes: of the message
 *
 * Return: ps.
 */
uint64_t weft_lane_time(const struct weft_lane *lane, uint64_t bytes)
{
	struct head h = { lane->tx, lane->tx, lane->tx };

	for (unsigned int i = 0; i < lane->hops; i++)
		cross(&h, lane, &lane->hop[i], bytes);
	return h.last + lane->rx;
}

/**
 * weft_lane_latency() - time of a bit, whatever the rates are
 * @lane: the path
 *
 * Return: ps.
 */
uint64_t weft_lane_latency(const struct weft_lane *lane)
{
	uint64_t sum = lane->tx + lane->rx;

	for (unsigned int i = 0; i < lane->hops; i++)
		sum += lane->hop[i].latency + lane->hop[i].wire->propagation;
	return sum;
}

static void find_links(struct weft_lanes *l)
{
	const struct weft_plan *p = l->plan;

	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++) {
			const struct weft_end *e = &p->link[i].end[s];
			struct weft_link_at *at = e->is_nic ?
				&l->at_nic[e->id] :
				&l->at_port[l->port[e->id] + e->port];

			*at = (struct weft_link_at) { &p->link[i], s };
		}
}

static int by_place(const void *a, const void *b)
{
	const struct weft_route *r = *(const struct weft_route *const *)a;
	const struct weft_route *q = *(const struct weft_route *const *)b;

	if (r->sw != q->sw)
		return r->sw < q->sw ? -1 : 1;
	return r->dst < q->dst ? -1 : r->dst > q->dst;
}

static void find_routes(struct weft_lanes *l)
{
	for (unsigned int i = 0; i < l->plan->routes; i++)
		if (!l->plan->route[i].flood)
			l->route[l->routes++] = &l->plan->route[i];
	qsort(l->route, l->routes, sizeof(*l->route), by_place);
}

/**
 * weft_lanes_make() - prepare to find paths
 * @l: result, to be freed by weft_lanes_free() even after an error
 * @plan: the plan
 * @verbs: messages are sent by verbs, not by sockets
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lanes_make(struct weft_lanes *l, const struct weft_plan *plan,
		    bool verbs, struct weft_err *err)
{
	unsigned int ports = 0;

	*l = (struct weft_lanes) { .plan = plan, .verbs = verbs };
	l->port = calloc(plan->switches + 1, sizeof(*l->port));
	if (!l->port)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < plan->switches; i++) {
		l->port[i] = ports;
		ports += plan->sw[i].ports;
	}
	l->at_nic = calloc(plan->nics + 1, sizeof(*l->at_nic));
	l->at_port = calloc(ports + 1, sizeof(*l->at_port));
	l->route = calloc(plan->routes + 1, sizeof(*l->route));
	l->hop = calloc(plan->switches + 1, sizeof(*l->hop));
	if (!l->at_nic || !l->at_port || !l->route || !l->hop)
		return weft_err_nomem(err);
	find_links(l);
	find_routes(l);
	return 0;
}

/**
 * weft_lanes_free() - free
 * @l: to be freed
 */
void weft_lanes_free(struct weft_lanes *l)
{
	free(l->at_nic);
	free(l->port);
	free(l->at_port);
	free(l->route);
	free(l->hop);
}

/* The last of the switch's routes that begins at or before @nic, if it has it. */
static const struct weft_route *route_at(const struct weft_lanes *l, uint32_t sw,
					 uint32_t nic)
{
	unsigned int lo = 0, hi = l->routes, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (l->route[mid]->sw < sw || (l->route[mid]->sw == sw &&
					       l->route[mid]->dst <= nic))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || l->route[lo - 1]->sw != sw || l->route[lo - 1]->dst_last < nic)
		return NULL;
	return l->route[lo - 1];
}

/* What RoCE packets carry: powers of two from 256 to 4096, headers beside them. */
static uint32_t verbs_mtu(uint32_t mtu)
{
	uint32_t size = VERBS_MTU_MAX;

	while (size > 256 && size + ROCE_MTU_HEADERS > mtu)
		size /= 2;
	return size;
}

/**
 * weft_lanes_nic() - how a NIC cuts messages into packets, and its latencies
 * @l: paths of the plan
 * @nic: the NIC
 * @lane: result: all but the hops and the far end
 */
void weft_lanes_nic(const struct weft_lanes *l, unsigned int nic,
		    struct weft_lane *lane)
{
	const struct weft_plan_nic *n = &l->plan->nic[nic];
	bool ib = !strcmp(n->nic.port.discipline, "credit");

	*lane = (struct weft_lane) {
		.tx = n->nic.tx_latency,
		.rx = n->nic.rx_latency,
		.payload = n->mtu - TCPIP_HEADER,
		.header = ETH_HEADER + TCPIP_HEADER,
		.nic = nic,
	};
	if (!l->verbs)
		return;
	lane->tx += n->nic.verbs.doorbell;
	lane->rx += n->nic.verbs.process;
	lane->payload = ib ? VERBS_MTU_MAX : verbs_mtu(n->mtu);
	lane->header = ib ? IB_HEADER : ROCE_HEADER;
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

/* The first of the equally good paths. */
static bool walk(struct weft_lanes *l, struct weft_lane *lane)
{
	struct weft_link_at at = l->at_nic[lane->nic];
	struct weft_hop hop = { NULL, 0, false };

	lane->hop = l->hop;
	while (at.link && lane->hops <= l->plan->switches) {
		const struct weft_end *far = &at.link->end[!at.side];
		const struct weft_route *r;

		hop.wire = &at.link->wire[0];
		lane->hop[lane->hops++] = hop;
		if (far->is_nic)
			return far->id == lane->peer;
		r = route_at(l, far->id, lane->peer);
		if (!r)
			return false;
		hop.latency = l->plan->sw[far->id].latency;
		hop.stored = l->plan->sw[far->id].forward ==
			     WEFT_FORWARD_STORE_FORWARD;
		at = l->at_port[l->port[far->id] + r->port[0]];
	}
	return false;
}

/**
 * weft_lanes_find() - find the path between two nodes
 * @l: paths of the plan
 * @from: node that sends
 * @to: another one, which receives
 * @lane: result; its hops are valid until the next call
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lanes_find(struct weft_lanes *l, unsigned int from, unsigned int to,
		    struct weft_lane *lane, struct weft_err *err)
{
	struct weft_path path = ends(l->plan, from, to);
	struct weft_lane far;

	*lane = (struct weft_lane) { 0 };
	if (!l->plan->node[from].nics || !l->plan->node[to].nics)
		goto none;
	if (l->verbs && (!*l->plan->nic[path.nic].device ||
			 !*l->plan->nic[path.peer].device))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s and %s meet at NICs without RDMA devices: expected --net tcp",
				    l->plan->node[from].name,
				    l->plan->node[to].name);
	weft_lanes_nic(l, path.nic, lane);
	weft_lanes_nic(l, path.peer, &far);
	lane->rx = far.rx;
	lane->peer = path.peer;
	if (walk(l, lane))
		return 0;
none:
	return weft_err_set(err, WEFT_ERR_USAGE, -EHOSTUNREACH,
			    "there is no path from %s to %s",
			    l->plan->node[from].name, l->plan->node[to].name);
}
