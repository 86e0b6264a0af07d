// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a topology file to a topology.
 *
 * Values are inherited. An object has its own values first, then those of the profile
 * that it names. If it names none, it has those of the file's groups "port", "link",
 * "switch" and "nic", then those of the file's profile. A NIC inherits from the profile
 * of its link, if the link names one.
 */
#include "topology/topo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "base/units.h"
#include "topology/topo_build.h"
#include "topology/topo_open.h"
#include "topology/topo_port.h"

/* Overhead of an Ethernet frame: FCS 4, preamble 8, gap 12; at least 60 bytes without FCS. */
static const struct weft_defaults builtin = {
	.wire = {
		.has = WEFT_WIRE_HAS_RATE | WEFT_WIRE_HAS_PROPAGATION |
		       WEFT_WIRE_HAS_OVERHEAD | WEFT_WIRE_HAS_MIN_FRAME |
		       WEFT_WIRE_HAS_BITS_PER_ERROR | WEFT_WIRE_HAS_UP |
		       WEFT_WIRE_HAS_PAYLOAD | WEFT_WIRE_HAS_UNIT |
		       WEFT_WIRE_HAS_LANES | WEFT_WIRE_HAS_LANES_UP,
		.overhead = 24, .min_frame = 60, .up = 1,
		.unit = 16, .lanes = 1, .lanes_up = 1,
	},
	.nic = { .mtu = 1500, .device = "weft" },
	.port = {
		.p = { .has = WEFT_HAS(WEFT_A_PORT_PARAMS_DISCIPLINE),
		       .discipline = "drop-tail" },
	},
};

/**
 * struct groups - the groups of a file
 * @lossless: text of "lossless", NULL if not given
 * @port: parameters of all ports
 * @link: parameters of all links
 * @sw: parameters of all switches
 * @nic: parameters of all NICs
 */
struct groups {
	const char *lossless;
	const struct weft_raw_port *port;
	const struct weft_raw_link_params *link;
	const struct weft_raw_switch_params *sw;
	const struct weft_raw_nic_params *nic;
};

static int apply_groups(struct weft_yaml *y, const struct groups *g,
			struct weft_defaults *d, struct weft_err *err)
{
	static const char *const lossless[] = { "true", "false", NULL };
	struct weft_place top = { y, "" }, port = { y, "port" };
	struct weft_place link = { y, "link" }, sw = { y, "switch" };
	struct weft_place nic = { y, "nic" };

	if (weft_take_choice(&top, "lossless", g->lossless, lossless, &d->lossy,
			     err) ||
	    weft_port_group(&port, g->port, &d->port, err) ||
	    weft_link_params(&link, g->link, &d->wire, err) ||
	    weft_switch_params(&sw, g->sw, &d->sw, &d->room, err))
		return err->code;
	return weft_nic_params(&nic, g->nic, &d->nic, err);
}

static int apply_profile(struct weft_yaml *y, const struct weft_raw_profile *p,
			 struct weft_defaults *d, struct weft_err *err)
{
	const struct groups g = {
		p->lossless, &p->port, &p->link, &p->sw, &p->nic
	};

	return apply_groups(y, &g, d, err);
}

static int load_profile(const char *file, const char *text, size_t len,
			struct weft_defaults *d, struct weft_err *err)
{
	struct weft_raw_profile *p = NULL;
	struct weft_yaml y;
	int ret;

	ret = weft_yaml_open(&y, file, text, len, err);
	if (!ret)
		ret = weft_yaml_load(&y, &weft_raw_profile_schema, &p, err);
	if (!ret)
		ret = apply_profile(&y, p, d, err);
	weft_yaml_free(&weft_raw_profile_schema, p);
	weft_yaml_close(&y);
	return ret;
}

/**
 * weft_topo_profile() - replace inherited values by those of a profile
 * @b: the topology
 * @at: entry that names the profile, for errors
 * @name: its name, NULL for none
 * @d: the values; not changed if there is no profile
 *
 * Return: 0 or negative errno.
 */
int weft_topo_profile(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, struct weft_defaults *d)
{
	char *file = NULL, *text = NULL;
	size_t len = 0;
	int ret;

	if (!name)
		return 0;
	*d = builtin;
	ret = b->profile(b->ctx, name, &file, &text, &len, b->err);
	if (!ret)
		ret = load_profile(file, text, len, d, b->err);
	else
		ret = weft_place_fail(at, "profile", b->err, "profile: %s",
				      b->err->msg);
	b->topo->lossy |= d->lossy;
	free(file);
	free(text);
	return ret;
}

static int take_defaults(struct weft_topo_build *b)
{
	const struct weft_raw_topo *raw = b->raw;
	const struct groups g = {
		raw->lossless, &raw->port, &raw->link, &raw->sw, &raw->nic
	};
	struct weft_place top = { b->yaml, "" };

	b->defaults = builtin;
	if (weft_topo_profile(b, &top, raw->profile, &b->defaults) ||
	    apply_groups(b->yaml, &g, &b->defaults, b->err))
		return b->err->code;
	b->topo->lossy = b->defaults.lossy;
	return 0;
}

static int take_clock(struct weft_topo_build *b, const struct weft_place *top)
{
	const char *text = b->raw->clock;

	if (!text)
		return 0;
	b->topo->has_clock = true;
	if (weft_parse_clock(text, &b->topo->clock, b->err))
		return weft_place_fail(top, "clock", b->err, "clock: %s",
				       b->err->msg);
	return 0;
}

static int take_top(struct weft_topo_build *b)
{
	struct weft_place top = { b->yaml, "" };
	static const char *const managers[] = { "internal", "external", NULL };
	struct weft_topo *t = b->topo;
	uint32_t external = 0;

	if (weft_name_check(b->raw->name, b->err))
		return weft_place_fail(&top, "name", b->err, "name: %s",
				       b->err->msg);
	snprintf(t->name, sizeof(t->name), "%s", b->raw->name);
	t->seed = 1;
	if (take_clock(b, &top) ||
	    weft_take_number(&top, "seed", b->raw->seed, 0, UINT64_MAX,
			     &t->seed, b->err) ||
	    weft_take_choice(&top, "subnet-manager", b->raw->subnet_manager,
			     managers, &external, b->err))
		return b->err->code;
	t->managed = external;
	return weft_take_time(&top, "late-bound", b->raw->late_bound,
			      &t->late_bound, b->err);
}

/* TCP_CA_NAME_MAX of the kernel is 16. The name is written to a sysctl. */
static bool is_algorithm(const char *s)
{
	return strlen(s) < 16 &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

static int take_addresses(struct weft_topo_build *b,
			  const struct weft_place *at)
{
	static const char *const addresses[] = { "nic", "node", NULL };
	static const char *const onoff[] = { "off", "on", NULL };
	const struct weft_raw_settings *raw = &b->raw->settings;
	struct weft_topo_settings *s = &b->topo->settings;
	uint32_t node = 0, multipath = 0;

	if (weft_take_choice(at, "addresses", raw->addresses, addresses, &node,
			     b->err) ||
	    weft_take_choice(at, "multipath", raw->multipath, onoff,
			     &multipath, b->err))
		return b->err->code;
	if (multipath && !node)
		return weft_place_fail(at, "multipath", b->err,
				       "multipath: needs \"addresses: node\"");
	s->node_addresses = node;
	s->multipath = multipath;
	return 0;
}

static int take_settings(struct weft_topo_build *b)
{
	static const char *const neighbours[] = { "static", "arp", NULL };
	static const char *const onoff[] = { "off", "on", NULL };
	const struct weft_raw_settings *raw = &b->raw->settings;
	struct weft_topo_settings *s = &b->topo->settings;
	struct weft_place at = { b->yaml, "settings" };
	uint32_t arp = 0, ipv6 = 0;

	if (take_addresses(b, &at) ||
	    weft_take_choice(&at, "neighbours", raw->neighbours, neighbours,
			     &arp, b->err) ||
	    weft_take_choice(&at, "ipv6", raw->ipv6, onoff, &ipv6, b->err) ||
	    weft_take_size(&at, "tcp-buffer", raw->tcp_buffer, 65536,
			   1 << 30, &s->tcp_buffer, b->err))
		return b->err->code;
	s->arp = arp;
	s->ipv6 = ipv6;
	if (raw->congestion && !is_algorithm(raw->congestion))
		return weft_place_fail(&at, "congestion", b->err,
				       "congestion: \"%.40s\": expected the name of a TCP congestion control such as cubic",
				       raw->congestion);
	if (raw->congestion)
		snprintf(s->congestion, sizeof(s->congestion), "%s",
			 raw->congestion);
	return 0;
}

static int expand(struct weft_topo_build *b, const struct weft_place *at,
		  const char *pattern, struct weft_names *names)
{
	if (!weft_names_expand(names, pattern, b->err))
		return 0;
	if (b->err->kind != WEFT_ERR_USAGE)
		return b->err->code;
	return weft_place_fail(at, "name", b->err, "name: %s", b->err->msg);
}

static int take_node(struct weft_topo_build *b, const struct weft_place *at,
		     const struct weft_raw_node *raw)
{
	struct weft_defaults d = b->defaults;
	struct weft_names names = { 0 };
	int ret;

	ret = weft_topo_profile(b, at, raw->profile, &d);
	if (!ret)
		ret = weft_build_entry(b, at, raw, &d);
	if (!ret)
		ret = expand(b, at, raw->name, &names);
	for (size_t i = 0; !ret && i < names.n; i++)
		ret = weft_build_node(b, names.name[i]);
	weft_names_free(&names);
	return ret;
}

static int switch_params(struct weft_topo_build *b, const struct weft_place *at,
			 const struct weft_raw_switch *raw,
			 struct weft_defaults *d)
{
	struct weft_place port = *at;

	strcat(port.path, ".port");
	if (weft_topo_profile(b, at, raw->profile, d) ||
	    weft_port_group(&port, &raw->port, &d->port, b->err))
		return b->err->code;
	return weft_switch_params(at, &raw->p, &d->sw, &d->room, b->err);
}

static int take_switch(struct weft_topo_build *b, const struct weft_place *at,
		       const struct weft_raw_switch *raw)
{
	struct weft_defaults d = b->defaults;
	struct weft_names names = { 0 };
	struct weft_topo_switch like;
	int ret;

	ret = switch_params(b, at, raw, &d);
	like = weft_switch_like(&d);
	if (!ret)
		ret = weft_topo_place(b, at, &raw->at, &like);
	if (!ret)
		ret = expand(b, at, raw->name, &names);
	for (size_t i = 0; !ret && i < names.n; i++)
		ret = weft_build_switch(b, at, names.name[i], &like);
	weft_names_free(&names);
	return ret;
}

static int take_objects(struct weft_topo_build *b)
{
	struct weft_place at = { .yaml = b->yaml };
	int ret = 0;

	for (unsigned int i = 0; !ret && i < b->raw->nodes_count; i++) {
		snprintf(at.path, sizeof(at.path), "nodes[%u]", i);
		ret = take_node(b, &at, &b->raw->nodes[i]);
	}
	for (unsigned int i = 0; !ret && i < b->raw->switches_count; i++) {
		snprintf(at.path, sizeof(at.path), "switches[%u]", i);
		ret = take_switch(b, &at, &b->raw->switches[i]);
	}
	return ret;
}

/* Make a sorted table of all names, for the ends of links and to find duplicates. */
static int index_names(struct weft_topo_build *b)
{
	const struct weft_place nodes = { b->yaml, "nodes" };
	struct weft_topo *t = b->topo;
	unsigned int n = t->nodes + t->switches;

	b->name = calloc(n + 1, sizeof(*b->name));
	if (!b->name)
		return weft_err_nomem(b->err);
	for (unsigned int i = 0; i < n; i++) {
		bool is_node = i < t->nodes;
		unsigned int index = is_node ? i : i - t->nodes;

		b->name[i] = (struct weft_name_index) {
			is_node ? t->node[index].name : t->sw[index].sw.name,
			is_node, index
		};
	}
	b->names = n;
	qsort(b->name, n, sizeof(*b->name),
	      weft_name_index_compare);
	for (unsigned int i = 1; i < n; i++)
		if (!weft_name_index_compare(&b->name[i - 1], &b->name[i]))
			return weft_place_fail(&nodes, "", b->err,
					       "the name \"%s\" is given twice",
					       b->name[i].name);
	return 0;
}

/* Each node and each switch must have a link. */
static int check_linked(struct weft_topo_build *b)
{
	const struct weft_place nodes = { b->yaml, "nodes" };
	const struct weft_place switches = { b->yaml, "switches" };
	struct weft_topo *t = b->topo;

	if (!t->nodes)
		return weft_place_fail(&nodes, "", b->err,
				       "there are no nodes: expected \"nodes\" or \"generate\"");
	for (unsigned int i = 0; i < t->nodes; i++)
		if (!t->node[i].nics)
			return weft_place_fail(&nodes, "", b->err,
					       "node \"%s\" has no link",
					       t->node[i].name);
	for (unsigned int i = 0; i < t->switches; i++)
		if (!t->sw[i].sw.ports)
			return weft_place_fail(&switches, "", b->err,
					       "switch \"%s\" has no link",
					       t->sw[i].sw.name);
	return 0;
}

static int build(struct weft_topo_build *b)
{
	int ret = take_top(b);

	if (!ret)
		ret = take_settings(b);
	if (!ret)
		ret = take_defaults(b);
	if (!ret)
		ret = weft_topo_torus(b);
	if (!ret)
		ret = take_objects(b);
	if (!ret)
		ret = index_names(b);
	if (!ret)
		ret = weft_topo_links(b);
	if (!ret)
		ret = check_linked(b);
	if (!ret)
		ret = weft_topo_torus_check(b);
	if (!ret)
		ret = weft_topo_routing(b);
	if (!ret)
		ret = weft_topo_routes(b);
	free(b->name);
	free(b->entry);
	free(b->from);
	return ret;
}

/**
 * weft_topo_make() - make a topology from an open file
 * @topo: result, to be freed by weft_topo_free() even after an error
 * @y: the file, with generated entries written out
 * @profile: function that reads profiles
 * @ctx: for @profile
 * @err: error, with file, line, column and what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_topo_make(struct weft_topo *topo, struct weft_yaml *y,
		   weft_profile_fn profile, void *ctx, struct weft_err *err)
{
	struct weft_topo_build b = {
		.topo = topo, .yaml = y, .profile = profile, .ctx = ctx,
		.err = err,
	};
	struct weft_raw_topo *raw = NULL;
	int ret;

	*topo = (struct weft_topo) { 0 };
	ret = weft_yaml_load(y, &weft_raw_topo_schema, &raw, err);
	if (!ret) {
		b.raw = raw;
		ret = build(&b);
	}
	weft_yaml_free(&weft_raw_topo_schema, raw);
	return ret;
}

/**
 * weft_topo_parse() - read a topology
 * @topo: result, to be freed by weft_topo_free() even after an error
 * @file: name of the file, for messages
 * @text: its content
 * @len: length of @text
 * @profile: function that reads profiles
 * @ctx: for @profile
 * @err: error, with file, line, column and what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_topo_parse(struct weft_topo *topo, const char *file, const char *text,
		    size_t len, weft_profile_fn profile, void *ctx,
		    struct weft_err *err)
{
	const struct weft_topo_source from = {
		.file = file, .text = text, .len = len,
	};
	struct weft_yaml y;
	int ret;

	*topo = (struct weft_topo) { 0 };
	ret = weft_topo_open(&y, &from, err);
	if (!ret)
		ret = weft_topo_make(topo, &y, profile, ctx, err);
	weft_yaml_close(&y);
	return ret;
}

/**
 * weft_topo_free() - free a topology
 * @topo: the topology
 */
void weft_topo_free(struct weft_topo *topo)
{
	for (unsigned int i = 0; i < topo->nodes; i++)
		free(topo->node[i].nic);
	free(topo->node);
	free(topo->sw);
	free(topo->link);
	free(topo->route);
	free(topo->routing.root);
	*topo = (struct weft_topo) { 0 };
}
