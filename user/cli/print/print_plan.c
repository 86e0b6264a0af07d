// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plan as text: one operation per line, in order. Of consecutive nodes, switches or
 * links that are alike, only the first is printed, and the others are named. Long tables
 * are only counted.
 */
#include "print/print_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli.h"
#include "print/brief.h"
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

/* Print the paths between nodes that have addresses of their own. */
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

static void print_alike(unsigned int n, const char *first, const char *last)
{
	printf("%u more alike: %s%s%s\n", n, first, n > 1 ? ".." : "",
	       n > 1 ? last : "");
}

static bool nics_alike(const struct weft_plan_nic *a,
		       const struct weft_plan_nic *b)
{
	return !strcmp(a->nic.ifname, b->nic.ifname) &&
	       a->prefix == b->prefix && a->mtu == b->mtu &&
	       !strcmp(a->device, b->device);
}

static bool settings_alike(const struct weft_setting *a,
			   const struct weft_setting *b)
{
	return !strcmp(a->key, b->key) && !strcmp(a->value, b->value);
}

static bool nodes_alike(const struct weft_plan *p, unsigned int i,
			unsigned int k)
{
	const struct weft_plan_node *a = &p->node[i], *b = &p->node[k];

	if (a->nics != b->nics || a->settings != b->settings ||
	    !a->ip != !b->ip)
		return false;
	for (i = 0; i < a->nics; i++)
		if (!nics_alike(&p->nic[a->first + i], &p->nic[b->first + i]))
			return false;
	for (i = 0; i < a->settings; i++)
		if (!settings_alike(&a->setting[i], &b->setting[i]))
			return false;
	return true;
}

static bool switches_alike(const struct weft_plan *p, unsigned int i,
			   unsigned int k)
{
	const struct weft_switch *a = &p->sw[i], *b = &p->sw[k];

	return a->ports == b->ports && a->latency == b->latency &&
	       a->forward == b->forward && a->arbiter == b->arbiter &&
	       a->select == b->select &&
	       !strcmp(a->port.discipline, b->port.discipline);
}

static bool links_alike(const struct weft_plan *p, unsigned int i,
			unsigned int k)
{
	const struct weft_link *a = &p->link[i], *b = &p->link[k];
	const struct weft_wire *v = &a->wire[0], *w = &b->wire[0];

	return a->end[0].is_nic == b->end[0].is_nic &&
	       a->end[1].is_nic == b->end[1].is_nic && v->rate == w->rate &&
	       v->propagation == w->propagation && v->overhead == w->overhead;
}

/* The first index after @i that is not like @i; with @all the next index. */
static unsigned int alike_end(const struct weft_plan *p, unsigned int i,
			      unsigned int n, bool all,
			      bool (*alike)(const struct weft_plan *p,
					    unsigned int i, unsigned int k))
{
	unsigned int k = i + 1;

	while (!all && k < n && alike(p, i, k))
		k++;
	return k;
}

static void print_nodes(const struct weft_plan *p, bool all)
{
	unsigned int end;

	for (unsigned int i = 0; i < p->nodes; i = end) {
		end = alike_end(p, i, p->nodes, all, nodes_alike);
		print_node(p, &p->node[i]);
		if (end > i + 1)
			print_alike(end - i - 1, p->node[i + 1].name,
				    p->node[end - 1].name);
	}
}

static void print_switches(const struct weft_plan *p, bool all)
{
	unsigned int end;

	for (unsigned int i = 0; i < p->switches; i = end) {
		end = alike_end(p, i, p->switches, all, switches_alike);
		print_switch(&p->sw[i]);
		if (end > i + 1)
			print_alike(end - i - 1, p->sw[i + 1].name,
				    p->sw[end - 1].name);
	}
}

static void print_links(const struct weft_plan *p, bool all)
{
	unsigned int end;

	for (unsigned int i = 0; i < p->links; i = end) {
		end = alike_end(p, i, p->links, all, links_alike);
		print_link(p, &p->link[i]);
		if (end > i + 1)
			print_alike(end - i - 1, p->link[i + 1].name,
				    p->link[end - 1].name);
	}
}

static unsigned int count_paths(const struct weft_plan *p)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->nodes && p->node[i].ip; i++) {
		struct weft_peers peers = { 0 };

		while (weft_plan_next_peers(p, i, &peers))
			n++;
	}
	return n;
}

/* Does a table fit the screen? If not, print the number of its rows instead. */
static bool fits(unsigned int n, const char *what, bool all)
{
	if (all || n <= BRIEF_ROWS)
		return true;
	printf("%s %u; -v prints them\n", what, n);
	return false;
}

static void print_tables(const struct weft_plan *p, bool all)
{
	if (fits(p->routes, "routes", all))
		for (unsigned int i = 0; i < p->routes; i++)
			print_route(p, &p->route[i]);
	if (fits(count_paths(p), "paths", all))
		print_paths(p);
}

static int print_text(const struct weft_plan *plan, bool all)
{
	char clock[32];

	print_nodes(plan, all);
	printf("fabric %s clock %s seed %" PRIu64 "\n", plan->fabric.name,
	       weft_format_clock(clock, sizeof(clock), plan->clock),
	       plan->fabric.seed);
	print_auto(plan);
	printf("lossless %s\n", plan->lossless ? "true" : "false");
	print_notes(plan);
	print_switches(plan, all);
	if (fits(plan->vls, "classes", all))
		for (unsigned int i = 0; i < plan->vls; i++)
			print_classes(plan, &plan->vl[i]);
	print_links(plan, all);
	print_tables(plan, all);
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
 * print_plan() - plan a topology, and print the plan
 * @up: options of the user
 * @check: print only whether it can be brought up, and what it guarantees
 * @json: as JSON
 *
 * Return: exit code; without a plan, the error has been printed.
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
		ret = check ? print_check(&plan) : print_text(&plan, up->verbose);
	weft_plan_free(&plan);
	return ret;
}
