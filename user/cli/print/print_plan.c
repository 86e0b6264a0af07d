// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plan as text: one operation in a line, in order.
 */
#include "print/print_plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "cli.h"
#include "plan/plan.h"
#include "plan/plan_reach.h"

static void print_switch(const struct weft_switch *sw)
{
	char latency[32];

	printf("switch %s ports %u latency %s %s %s %s %s\n", sw->name,
	       sw->ports,
	       weft_format_time(latency, sizeof(latency), sw->latency),
	       weft_forward_text(sw->forward), weft_arbiter_text(sw->arbiter),
	       weft_select_text(sw->select),
	       *sw->port.discipline ? sw->port.discipline : "drop-tail");
}

static void print_classes(const struct weft_plan *p,
			  const struct weft_plan_vl *row)
{
	printf("classes %s in %u out %u:", p->sw[row->sw].name, row->in,
	       row->out);
	for (unsigned int i = 0; i < WEFT_CLASSES_MAX; i++)
		printf(" %u", row->vl[i]);
	putchar('\n');
}

static void print_node(const struct weft_plan *p,
		       const struct weft_plan_node *node)
{
	char mac[WEFT_MAC_TEXT], ip[WEFT_IP_TEXT];

	printf("node %s", node->name);
	if (node->ip)
		printf(" ip %s", weft_ip_text(ip, node->ip));
	putchar('\n');
	for (unsigned int i = 0; i < node->settings; i++)
		printf("  set %s = %s\n", node->setting[i].key,
		       node->setting[i].value);
	for (unsigned int i = 0; i < node->nics; i++) {
		const struct weft_plan_nic *n = &p->nic[node->first + i];

		printf("  nic %s endpoint %u mac %s ip %s/%u mtu %u",
		       n->nic.ifname, n->nic.id, weft_mac_text(mac, n->mac),
		       weft_ip_text(ip, n->ip), n->prefix, n->mtu);
		if (*n->device)
			printf(" rdma %sN", n->device);
		putchar('\n');
	}
}

static void print_end(const struct weft_plan *p, const struct weft_end *end)
{
	if (end->is_nic)
		printf(" %s", p->nic[end->id].nic.name);
	else
		printf(" %s:%u", p->sw[end->id].name, end->port);
}

static void print_link(const struct weft_plan *p, const struct weft_link *link)
{
	const struct weft_wire *w = &link->wire[0];
	char rate[32], time[32];

	printf("link %s", link->name);
	print_end(p, &link->end[0]);
	print_end(p, &link->end[1]);
	printf(" rate %s propagation %s overhead %u\n",
	       weft_format_rate(rate, sizeof(rate), w->rate),
	       weft_format_time(time, sizeof(time), w->propagation),
	       w->overhead);
}

static void print_route(const struct weft_plan *p, const struct weft_route *r)
{
	printf("route %s", p->sw[r->sw].name);
	if (r->flood)
		printf(" flood");
	else if (r->dst == r->dst_last)
		printf(" to %u", r->dst);
	else
		printf(" to %u-%u", r->dst, r->dst_last);
	printf(" ports");
	for (unsigned int i = 0; i < r->ports; i++)
		printf(" %u", r->port[i]);
	putchar('\n');
}

static void print_peers(const struct weft_plan *p, unsigned int from,
			const struct weft_peers *peers)
{
	printf("path %s to %s", p->node[from].name,
	       p->node[peers->first].name);
	if (peers->end - peers->first > 1)
		printf("..%s", p->node[peers->end - 1].name);
	printf(" nics");
	for (unsigned int i = 0; i < peers->n; i++)
		printf(" %s", p->nic[peers->path[i].nic].nic.ifname);
	puts(peers->n ? "" : " none");
}

/* Where nodes have addresses of their own. */
static void print_paths(const struct weft_plan *p)
{
	for (unsigned int i = 0; i < p->nodes && p->node[i].ip; i++) {
		struct weft_peers peers = { 0 };

		while (weft_plan_next_peers(p, i, &peers))
			print_peers(p, i, &peers);
	}
}

static void print_notes(const struct weft_plan *p)
{
	for (unsigned int i = 0; i < p->notes; i++)
		printf("note %s\n", p->note[i]);
}

static void print_auto(const struct weft_plan *p)
{
	char clock[32];

	printf("real/auto %s\n",
	       weft_format_clock(clock, sizeof(clock), weft_plan_dilation(p)));
}

static int print_text(const struct weft_plan *plan)
{
	char clock[32];

	for (unsigned int i = 0; i < plan->nodes; i++)
		print_node(plan, &plan->node[i]);
	printf("fabric %s clock %s seed %" PRIu64 "\n", plan->fabric.name,
	       weft_format_clock(clock, sizeof(clock), plan->clock),
	       plan->fabric.seed);
	print_auto(plan);
	printf("lossless %s\n", plan->lossless ? "true" : "false");
	print_notes(plan);
	for (unsigned int i = 0; i < plan->switches; i++)
		print_switch(&plan->sw[i]);
	for (unsigned int i = 0; i < plan->vls; i++)
		print_classes(plan, &plan->vl[i]);
	for (unsigned int i = 0; i < plan->links; i++)
		print_link(plan, &plan->link[i]);
	for (unsigned int i = 0; i < plan->routes; i++)
		print_route(plan, &plan->route[i]);
	print_paths(plan);
	return cli_done();
}

static int print_check(const struct weft_plan *plan)
{
	printf("%s can be brought up: %u nodes, %u switches, %u links\n",
	       plan->fabric.name, plan->nodes, plan->switches, plan->links);
	printf("lossless %s\n", plan->lossless ? "true" : "false");
	printf("deadlock-free %s\n", plan->cyclic ? "false" : "true");
	print_notes(plan);
	return cli_done();
}

/**
 * print_plan() - plan a topology, and print what comes of it
 * @up: what the user said
 * @check: only whether it can be brought up, and what it promises
 * @json: as JSON
 *
 * Return: exit code; where there is no plan, it has been said why.
 */
int print_plan(const struct bring_up *up, bool check, bool json)
{
	struct weft_plan plan;
	struct weft_err err;
	int ret;

	if (bring_up_plan(up, &plan, &err))
		ret = cli_fail(&err);
	else if (json)
		ret = cli_json(check ? weft_plan_check_json(&plan) :
				       weft_plan_json(&plan));
	else
		ret = check ? print_check(&plan) : print_text(&plan);
	weft_plan_free(&plan);
	return ret;
}
