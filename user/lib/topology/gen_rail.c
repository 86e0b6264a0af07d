// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of GPU pods: NVLink inside a domain, rails between domains.
 *
 * A domain is a host (DGX or HGX: 8 GPUs) or a rack (NVL72: 72 GPUs). One switch stands
 * for all NVSwitches of a domain, and one link with as many lanes for all NVLinks of a
 * GPU: hardware stripes the traffic of a GPU over all of them, so a flow is not bound
 * to one NVSwitch. A DGX H100 has 4 NVSwitches and an NVL72 has 18. The failure of one
 * of them is modelled by lanes-up.
 *
 * GPU i of a domain is on rail i mod rails. In each scalable unit (SU), each rail has
 * a leaf, linked to all GPUs of the SU that are on the rail. All leaves have the same
 * number of links to each spine. Without spines there is no path between rails.
 */
#include <inttypes.h>

#include "topology/topo.h"
#include "topology/topo_generate.h"

/**
 * struct pod - numbers of a pod
 * @domain: prefix of the names of domains
 * @lone: if there is one domain, names of GPUs have no prefix
 * @profile: profile of NVLink
 * @domains: number of domains
 * @gpus: GPUs per domain
 * @by_gpu: a node is a GPU, not a host
 * @rails: rails, and leaves per SU; 0: no network besides NVLink
 * @per_su: domains per SU
 * @spines: number of spines
 * @uplinks: links from a leaf to each spine
 */
struct pod {
	const char *domain;
	bool lone;
	const char *profile;
	uint64_t domains;
	uint64_t gpus;
	uint32_t by_gpu;
	uint64_t rails;
	uint64_t per_su;
	uint64_t spines;
	uint64_t uplinks;
};

/* Links of a domain to each rail: one per GPU on it, or one NIC of the host. */
static uint64_t per_domain(const struct pod *p)
{
	return p->by_gpu ? p->gpus / p->rails : 1;
}

static int check_pod(struct weft_gen *g, const struct pod *p,
		     const char *su_key)
{
	if (p->domains % p->per_su)
		return weft_place_fail(&g->at, su_key, g->err,
				       "%s: %" PRIu64 " does not divide %" PRIu64 " %ss",
				       su_key, p->per_su, p->domains,
				       p->domain);
	if (p->rails && p->gpus % p->rails)
		return weft_place_fail(&g->at, "rails", g->err,
				       "rails: %" PRIu64 " does not divide %" PRIu64 " GPUs",
				       p->rails, p->gpus);
	return 0;
}

static int take_rails(struct weft_gen *g, struct pod *p, const char *su_key)
{
	p->per_su = p->domains;
	p->uplinks = 1;
	if (weft_gen_option(g, su_key, 1, p->domains, &p->per_su) ||
	    check_pod(g, p, su_key) ||
	    weft_gen_number(g, "spines", 0, WEFT_SWITCHES_MAX, &p->spines))
		return g->err->code;
	if (!p->spines)
		return 0;
	return weft_gen_uplinks(g, p->per_su * per_domain(p), p->spines,
				&p->uplinks);
}

static uint64_t count_leaves(const struct pod *p)
{
	return p->rails ? p->rails * (p->domains / p->per_su) : 0;
}

static int check_size(struct weft_gen *g, const struct pod *p)
{
	uint64_t nodes = p->domains * (p->by_gpu ? p->gpus : 1);
	uint64_t leaves = count_leaves(p);
	uint64_t links = (p->by_gpu ? nodes : 0) +
			 leaves * p->spines * p->uplinks;

	if (p->rails)
		links += leaves * p->per_su * per_domain(p);
	return weft_gen_fits(g, nodes,
			     (p->by_gpu ? p->domains : 0) + leaves + p->spines,
			     links);
}

/* "host[0-3]-gpu[0-7]", "host[0-3]", or "gpu[0-71]" in a lone rack. */
static struct weft_gen_name members(const struct pod *p, uint64_t first,
				    uint64_t n, const char *gpus)
{
	struct weft_gen_name d = weft_gen_range(p->domain, first, n);

	if (!p->by_gpu)
		return d;
	if (p->lone && p->domains == 1)
		return weft_gen_name("%s", gpus);
	return weft_gen_name("%s-%s", d.s, gpus);
}

/* Write the default profile into the part, unless the user gave one. */
static void set_profile(struct weft_gen *g, const struct pod *p)
{
	int part = weft_yaml_key(g->y, g->map, "nvlink");

	if (!part) {
		part = weft_yaml_add_map(g->y);
		weft_yaml_put(g->y, g->map, "nvlink", part);
	}
	if (!weft_yaml_key(g->y, part, "profile"))
		weft_yaml_put(g->y, part, "profile",
			      weft_yaml_add_text(g->y, "%s", p->profile));
}

static void add_domains(struct weft_gen *g, const struct pod *p)
{
	struct weft_gen_name gpus = weft_gen_range("gpu", 0, p->gpus);

	set_profile(g, p);
	weft_gen_switches(g, "nvlink",
			  weft_gen_range("nvswitch", 0, p->domains));
	for (uint64_t i = 0; i < p->domains; i++)
		weft_gen_link(g, "nvlink", members(p, i, 1, gpus.s),
			      weft_gen_range("nvswitch", i, 1));
}

/* Link the GPUs, or NICs of hosts, of an SU that are on a rail to its leaf. */
static void add_rail(struct weft_gen *g, const struct pod *p, uint64_t su,
		     uint64_t rail)
{
	uint64_t leaf = su * p->rails + rail;

	for (uint64_t i = 0; i < per_domain(p); i++)
		weft_gen_link(g, "host-link",
			      members(p, su * p->per_su, p->per_su,
				      weft_gen_range("gpu", rail + i * p->rails,
						     1).s),
			      weft_gen_range("leaf", leaf, 1));
}

static void add_rails(struct weft_gen *g, const struct pod *p)
{
	uint64_t leaves = count_leaves(p);

	weft_gen_switches(g, "host-link", weft_gen_range("leaf", 0, leaves));
	for (uint64_t rail = 0; rail < p->rails; rail++)
		for (uint64_t su = 0; su < leaves / p->rails; su++)
			add_rail(g, p, su, rail);
	if (!p->spines)
		return;
	weft_gen_switches(g, "uplink", weft_gen_range("spine", 0, p->spines));
	weft_gen_join(g, "uplink", p->uplinks,
		      weft_gen_range("leaf", 0, leaves),
		      weft_gen_range("spine", 0, p->spines));
}

static int make(struct weft_gen *g, const struct pod *p)
{
	if (check_size(g, p))
		return g->err->code;
	weft_gen_nodes(g, members(p, 0, p->domains,
				  weft_gen_range("gpu", 0, p->gpus).s));
	if (p->by_gpu)
		add_domains(g, p);
	if (p->rails)
		add_rails(g, p);
	return 0;
}

/**
 * weft_gen_rail_optimized() - generate DGX or HGX hosts with a leaf for each rail
 * @g: the design
 *
 * Return: 0 or negative errno.
 */
int weft_gen_rail_optimized(struct weft_gen *g)
{
	static const char *const nodes[] = { "host", "gpu", NULL };
	struct pod p = { .domain = "host", .profile = "nvlink4", .gpus = 8 };

	if (weft_gen_number(g, "hosts", 1, WEFT_NODES_MAX, &p.domains) ||
	    weft_gen_option(g, "gpus", 1, WEFT_NODES_MAX, &p.gpus) ||
	    weft_gen_choice(g, "node", nodes, &p.by_gpu))
		return g->err->code;
	p.rails = p.gpus;
	if (weft_gen_option(g, "rails", 1,
			    p.by_gpu ? p.gpus : WEFT_NODE_NICS_MAX, &p.rails))
		return g->err->code;
	if (!p.by_gpu && weft_gen_has(g, "nvlink"))
		return weft_place_fail(&g->at, "nvlink", g->err,
				       "nvlink: needs node: gpu, as NVLink is inside a host");
	if (take_rails(g, &p, "hosts-per-su"))
		return g->err->code;
	return make(g, &p);
}

static int refuse(struct weft_gen *g)
{
	static const char *const keys[] = {
		"racks-per-su", "spines", "uplinks-per-spine",
		"oversubscription", "host-link", "uplink", NULL
	};

	for (unsigned int i = 0; keys[i]; i++)
		if (weft_gen_has(g, keys[i]))
			return weft_place_fail(&g->at, keys[i], g->err,
					       "%s: there are no rails: set \"rails\"",
					       keys[i]);
	return 0;
}

/**
 * weft_gen_nvl72() - generate NVLink racks, with or without rails between them
 * @g: the design
 *
 * Return: 0 or negative errno.
 */
int weft_gen_nvl72(struct weft_gen *g)
{
	struct pod p = {
		.domain = "rack", .lone = true, .profile = "nvlink5",
		.domains = 1, .gpus = 72, .by_gpu = 1,
	};

	if (weft_gen_option(g, "racks", 1, WEFT_NODES_MAX, &p.domains) ||
	    weft_gen_option(g, "gpus", 1, WEFT_NODES_MAX, &p.gpus) ||
	    weft_gen_option(g, "rails", 0, p.gpus, &p.rails))
		return g->err->code;
	p.per_su = p.domains;
	if (p.rails ? take_rails(g, &p, "racks-per-su") : refuse(g))
		return g->err->code;
	return make(g, &p);
}
