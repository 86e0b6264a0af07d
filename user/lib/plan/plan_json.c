// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plan as JSON.
 */
#include "base/text.h"
#include "base/units.h"
#include "netlink/ipoib.h"
#include "netlink/json.h"
#include "plan/plan.h"
#include "plan/plan_reach.h"

static json_t *ipoib_json(const struct weft_plan_nic *n)
{
	char ip[WEFT_IP_TEXT];

	return json_pack("{s:s, s:s, s:s, s:i}", "ifname", n->ipoib_name,
			 "mode", weft_ipoib_words[n->ipoib],
			 "ip", weft_ip_text(ip, n->ipoib_ip),
			 "prefix", (int)n->prefix);
}

static json_t *nic_json(const struct weft_plan *p,
			const struct weft_plan_nic *n)
{
	char mac[WEFT_MAC_TEXT], ip[WEFT_IP_TEXT];
	json_t *o = weft_json_nic(&n->nic);

	json_object_set_new(o, "node", json_string(p->node[n->node].name));
	json_object_set_new(o, "mac", json_string(weft_mac_text(mac, n->mac)));
	json_object_set_new(o, "ip", json_string(weft_ip_text(ip, n->ip)));
	json_object_set_new(o, "prefix", json_integer(n->prefix));
	json_object_set_new(o, "ifindex", json_integer(n->ifindex));
	json_object_set_new(o, "mtu", json_integer(n->mtu));
	if (*n->device)
		json_object_set_new(o, "device", json_string(n->device));
	if (n->ipoib != WEFT_IPOIB_OFF)
		json_object_set_new(o, "ipoib", ipoib_json(n));
	return o;
}

static json_t *node_json(const struct weft_plan *p,
			 const struct weft_plan_node *node)
{
	json_t *nics = json_array(), *settings = json_object(), *o;
	char ip[WEFT_IP_TEXT];

	for (unsigned int i = 0; i < node->nics; i++)
		json_array_append_new(nics,
				      nic_json(p, &p->nic[node->first + i]));
	for (unsigned int i = 0; i < node->settings; i++)
		json_object_set_new(settings, node->setting[i].key,
				    json_string(node->setting[i].value));
	o = json_pack("{s:s, s:o, s:o}", "name", node->name, "nics", nics,
		      "settings", settings);
	if (node->ip)
		json_object_set_new(o, "ip",
				    json_string(weft_ip_text(ip, node->ip)));
	return o;
}

static json_t *switches_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->switches; i++)
		json_array_append_new(a, weft_json_switch(&p->sw[i]));
	return a;
}

static json_t *nodes_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->nodes; i++)
		json_array_append_new(a, node_json(p, &p->node[i]));
	return a;
}

static json_t *links_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->links; i++)
		json_array_append_new(a, weft_json_link(&p->link[i]));
	return a;
}

static json_t *classes_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->vls; i++) {
		const struct weft_plan_vl *row = &p->vl[i];

		json_array_append_new(a, json_pack("{s:i, s:i, s:i, s:o}",
						   "switch", (int)row->sw,
						   "in_port", (int)row->in,
						   "out_port", (int)row->out,
						   "vl",
						   weft_json_vl(row->vl)));
	}
	return a;
}

static json_t *routes_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->routes; i++)
		json_array_append_new(a, weft_json_route(&p->route[i]));
	return a;
}

static json_t *peers_json(const struct weft_plan *p, unsigned int from,
			  const struct weft_peers *peers)
{
	json_t *nics = json_array();

	for (unsigned int i = 0; i < peers->n; i++) {
		const struct weft_plan_nic *n = &p->nic[peers->path[i].nic];

		json_array_append_new(nics, json_string(n->nic.ifname));
	}
	return json_pack("{s:s, s:s, s:s, s:o}", "node", p->node[from].name,
			 "first", p->node[peers->first].name,
			 "last", p->node[peers->end - 1].name, "nics", nics);
}

/* NICs between nodes; only if nodes have addresses of their own. */
static json_t *paths_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->nodes && p->node[i].ip; i++) {
		struct weft_peers peers = { 0 };

		while (weft_plan_next_peers(p, i, &peers))
			json_array_append_new(a, peers_json(p, i, &peers));
	}
	return a;
}

static json_t *notes_json(const struct weft_plan *p)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < p->notes; i++)
		json_array_append_new(a, json_string(p->note[i]));
	return a;
}

/**
 * weft_plan_json() - represent a plan as JSON
 * @plan: the plan
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_plan_json(const struct weft_plan *plan)
{
	json_t *o = json_object();
	char clock[32];

	weft_format_clock(clock, sizeof(clock), plan->clock);
	json_object_set_new(o, "clock", json_string(clock));
	weft_format_clock(clock, sizeof(clock), weft_plan_dilation(plan));
	json_object_set_new(o, "real_auto", json_string(clock));
	json_object_set_new(o, "neighbours",
			    json_string(plan->arp ? "arp" : "static"));
	json_object_set_new(o, "lossless", json_boolean(plan->lossless));
	json_object_set_new(o, "notes", notes_json(plan));
	json_object_set_new(o, "convergence_ps", plan->converges ?
			    weft_json_u64(plan->convergence) : json_null());
	json_object_set_new(o, "fabric", weft_json_fabric(&plan->fabric));
	json_object_set_new(o, "switches", switches_json(plan));
	json_object_set_new(o, "nodes", nodes_json(plan));
	json_object_set_new(o, "links", links_json(plan));
	json_object_set_new(o, "classes", classes_json(plan));
	json_object_set_new(o, "routes", routes_json(plan));
	json_object_set_new(o, "paths", paths_json(plan));
	return o;
}

/**
 * weft_plan_check_json() - represent the checked properties of a plan as JSON
 * @plan: the plan
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_plan_check_json(const struct weft_plan *plan)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string(plan->fabric.name));
	json_object_set_new(o, "nodes", json_integer(plan->nodes));
	json_object_set_new(o, "switches", json_integer(plan->switches));
	json_object_set_new(o, "links", json_integer(plan->links));
	json_object_set_new(o, "lossless", json_boolean(plan->lossless));
	json_object_set_new(o, "deadlock_free", json_boolean(!plan->cyclic));
	json_object_set_new(o, "notes", notes_json(plan));
	return o;
}
