// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel parameters of the nodes.
 *
 * A TCP connection fills a path if its window holds the bandwidth-delay
 * product. The kernel measures a buffer by the memory of its packets, of which
 * only a quarter may be payload, and uses half of it as window. So a buffer of
 * eight times the product always suffices. The minimum is the kernel's default.
 *
 * The bytes of a socket below the IP layer are limited to the product, too. The
 * kernel's default, 4 MiB, takes 84 us of a 400 Gb/s link. The acknowledgements
 * of the other direction wait in the same queue for that time, and traffic in
 * both directions reached half of the rate. Packets count until they are
 * delivered, so the limit must not be below the product.
 */
#include "plan/plan_settings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"

#define TCP_BUFFER_MIN	(6ULL << 20)
#define TCP_BUFFER_MAX	1073741824ULL
#define BDP_FACTOR	8
#define TCP_OUTPUT_MIN	(128ULL << 10)	/* two super-packets */

/**
 * struct extremes - worst parameters of a fabric, for an upper bound of the RTT
 * @rate: rate of the fastest link, bit/s
 * @slowest: rate of the slowest link, bit/s
 * @propagation: delay of the longest link, ps
 * @latency: latency of the slowest switch, ps
 * @host: sum of both latencies of the slowest NIC, ps
 * @hops: links of the longest of all shortest paths
 * @mtu: largest MTU, bytes
 */
struct extremes {
	uint64_t rate;
	uint64_t slowest;
	uint64_t propagation;
	uint64_t latency;
	uint64_t host;
	uint64_t hops;
	uint64_t mtu;
};

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void object_extremes(const struct weft_plan *p, struct extremes *x)
{
	for (unsigned int i = 0; i < p->links; i++) {
		const struct weft_wire *w = &p->link[i].wire[0];

		x->rate = max(x->rate, w->rate);
		if (!x->slowest || w->rate < x->slowest)
			x->slowest = w->rate;
		x->propagation = max(x->propagation, w->propagation);
	}
	for (unsigned int i = 0; i < p->switches; i++)
		x->latency = max(x->latency, p->sw[i].latency);
	for (unsigned int i = 0; i < p->nics; i++) {
		x->host = max(x->host, p->nic[i].nic.tx_latency +
				       p->nic[i].nic.rx_latency);
		x->mtu = max(x->mtu, p->nic[i].mtu);
	}
}

static uint64_t longest_path(const struct weft_plan *p, struct weft_graph *g)
{
	uint64_t hops = 0;

	for (uint32_t i = 0; i < p->switches; i++) {
		weft_graph_search(g, i);
		for (uint32_t j = 0; j < p->switches; j++)
			if (g->hops[j] != WEFT_FAR)
				hops = max(hops, g->hops[j]);
	}
	return hops + 2;
}

/* Bandwidth-delay product, bytes; limits of parameters keep it within 128 bits. */
static __uint128_t bdp(const struct weft_plan *p, struct weft_graph *g)
{
	struct extremes x = { 0 };
	__uint128_t rtt;

	object_extremes(p, &x);
	if (!x.slowest)
		return 0;
	x.hops = longest_path(p, g);
	rtt = (__uint128_t)x.hops * (x.propagation + x.latency +
				     x.mtu * 8 * WEFT_PS_PER_S / x.slowest);
	rtt = 2 * (rtt + x.host);
	return rtt / 1000 * x.rate / 8 / (WEFT_PS_PER_S / 1000);
}

/* Double @size until it holds @need. */
static uint64_t grow(uint64_t size, __uint128_t need)
{
	while (size < TCP_BUFFER_MAX && size < need)
		size *= 2;
	return size < TCP_BUFFER_MAX ? size : TCP_BUFFER_MAX;
}

static void __attribute__((format(printf, 3, 4)))
set(struct weft_plan_node *node, const char *key, const char *fmt, ...)
{
	struct weft_setting *s = &node->setting[node->settings];
	va_list ap;

	if (node->settings == WEFT_SETTINGS_MAX)
		return;
	node->settings++;
	snprintf(s->key, sizeof(s->key), "%s", key);
	va_start(ap, fmt);
	vsnprintf(s->value, sizeof(s->value), fmt, ap);
	va_end(ap);
}

static void node_settings(struct weft_plan_node *node,
			  const struct weft_topo_settings *s, uint64_t buffer,
			  uint64_t output)
{
	set(node, "net.ipv4.tcp_rmem", "4096 131072 %" PRIu64, buffer);
	set(node, "net.ipv4.tcp_wmem", "4096 65536 %" PRIu64, buffer);
	set(node, "net.ipv4.tcp_limit_output_bytes", "%" PRIu64, output);
	/* A connection must not depend on earlier ones. */
	set(node, "net.ipv4.tcp_no_metrics_save", "1");
	set(node, "net.ipv4.tcp_slow_start_after_idle", "0");
	/* A node with several NICs answers on any of them. */
	set(node, "net.ipv4.conf.all.rp_filter", "0");
	set(node, "net.ipv4.conf.default.rp_filter", "0");
	/* The hash includes the ports of a flow. */
	if (s->multipath)
		set(node, "net.ipv4.fib_multipath_hash_policy", "1");
	set(node, "net.ipv6.conf.all.disable_ipv6", "%d", !s->ipv6);
	set(node, "net.ipv6.conf.default.disable_ipv6", "%d", !s->ipv6);
	if (s->ipv6)
		set(node, "net.ipv6.conf.default.accept_dad", "0");
	if (*s->congestion)
		set(node, "net.ipv4.tcp_congestion_control", "%s",
		    s->congestion);
}

/**
 * weft_plan_settings() - plan the kernel parameters of all nodes
 * @plan: the plan, links complete
 * @g: its graph
 * @topo: the topology
 */
void weft_plan_settings(struct weft_plan *plan, struct weft_graph *g,
			const struct weft_topo *topo)
{
	uint64_t buffer = topo->settings.tcp_buffer;
	__uint128_t product = bdp(plan, g);
	uint64_t output = grow(TCP_OUTPUT_MIN, product);

	if (!buffer)
		buffer = grow(TCP_BUFFER_MIN, BDP_FACTOR * product);
	for (unsigned int i = 0; i < plan->nodes; i++)
		node_settings(&plan->node[i], &topo->settings, buffer, output);
}
