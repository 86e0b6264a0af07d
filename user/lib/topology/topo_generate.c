// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators: a complete network from a few numbers.
 *
 * The key "generate" of a file is replaced by entries of "nodes", "switches" and
 * "links", before those that the file has. So the output of a generator can be printed,
 * and could be written by hand.
 *
 * The links of a design are grouped into parts, such as the links of hosts. A part may
 * have parameters. If it names a profile, the switches above its links have it, too.
 */
#include "topology/topo_generate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/yaml_check.h"
#include "topology/topo.h"
#include "topology/topo_raw.h"

#define KEYS_MAX	16

/**
 * struct kind - a kind of generator
 * @name: its name
 * @profile: default profile, for a design without a file
 * @make: writes the entries
 * @keys: keys with a number or a word
 * @parts: keys of parts of the design
 */
struct kind {
	const char *name;
	const char *profile;
	int (*make)(struct weft_gen *g);
	const char *keys[KEYS_MAX];
	const char *parts[KEYS_MAX];
};

static const struct kind kinds[] = {
	{ "single-switch", "ethernet-400g", weft_gen_single_switch,
	  { "hosts" },
	  { "host-link", "front-end" } },
	{ "fat-tree", "ethernet-400g", weft_gen_fat_tree,
	  { "leaves", "spines", "hosts-per-leaf", "uplinks-per-spine",
	    "oversubscription", "k" },
	  { "host-link", "uplink", "front-end" } },
	{ "rail-optimized", "ib-ndr", weft_gen_rail_optimized,
	  { "hosts", "gpus", "node", "rails", "hosts-per-su", "spines",
	    "uplinks-per-spine", "oversubscription" },
	  { "nvlink", "host-link", "uplink", "front-end" } },
	{ "nvl72", "ib-ndr", weft_gen_nvl72,
	  { "racks", "gpus", "rails", "racks-per-su", "spines",
	    "uplinks-per-spine", "oversubscription" },
	  { "nvlink", "host-link", "uplink", "front-end" } },
	{ "torus", "ib-ndr", weft_gen_torus,
	  { "size" },
	  { "host-link", "switch-link", "front-end" } },
	{ "dragonfly", "ib-ndr", weft_gen_dragonfly,
	  { "p", "a", "h", "arrangement" },
	  { "host-link", "switch-link", "global", "front-end" } },
};

#define KINDS	(sizeof(kinds) / sizeof(*kinds))

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/**
 * weft_gen_kind() - list the kinds of generators
 * @i: index, from 0
 *
 * Return: name of that kind, NULL if there are no more.
 */
const char *weft_gen_kind(unsigned int i)
{
	return i < KINDS ? kinds[i].name : NULL;
}

/**
 * weft_gen_profile() - default profile of a kind
 * @kind: its name
 *
 * Return: name of the profile, NULL if there is no such kind.
 */
const char *weft_gen_profile(const char *kind)
{
	const struct kind *k = find_kind(kind);

	return k ? k->profile : NULL;
}

/**
 * weft_gen_name() - make a name
 * @fmt: printf() format
 *
 * Return: the name.
 */
struct weft_gen_name weft_gen_name(const char *fmt, ...)
{
	struct weft_gen_name name;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name.s, sizeof(name.s), fmt, ap);
	va_end(ap);
	return name;
}

/**
 * weft_gen_range() - make a range of names
 * @prefix: text before the number
 * @first: first number
 * @n: how many, from 1
 *
 * Return: the range; if @n is 1, a plain name.
 */
struct weft_gen_name weft_gen_range(const char *prefix, uint64_t first,
				    uint64_t n)
{
	if (n == 1)
		return weft_gen_name("%s%" PRIu64, prefix, first);
	return weft_gen_name("%s[%" PRIu64 "-%" PRIu64 "]", prefix, first,
			     first + n - 1);
}

/**
 * weft_gen_has() - does a generator have a key?
 * @g: the design
 * @key: the key
 *
 * Return: true if it has.
 */
bool weft_gen_has(const struct weft_gen *g, const char *key)
{
	return weft_yaml_key(g->y, g->map, key);
}

/**
 * weft_gen_option() - read an optional number
 * @g: the design
 * @key: its key
 * @lo: least value
 * @hi: largest value
 * @v: the number; not changed if it is absent
 *
 * Return: 0 or negative errno.
 */
int weft_gen_option(struct weft_gen *g, const char *key, uint64_t lo,
		    uint64_t hi, uint64_t *v)
{
	const char *text = weft_yaml_text(g->y,
					  weft_yaml_key(g->y, g->map, key));

	return weft_take_number(&g->at, key, text, lo, hi, v, g->err);
}

/**
 * weft_gen_number() - read a required number
 * @g: the design
 * @key: its key
 * @lo: least value
 * @hi: largest value
 * @v: the number
 *
 * Return: 0 or negative errno.
 */
int weft_gen_number(struct weft_gen *g, const char *key, uint64_t lo,
		    uint64_t hi, uint64_t *v)
{
	if (!weft_gen_has(g, key))
		return weft_place_fail(&g->at, "", g->err,
				       "generate lacks the key \"%s\"", key);
	return weft_gen_option(g, key, lo, hi, v);
}

/**
 * weft_gen_choice() - read an optional word
 * @g: the design
 * @key: its key
 * @words: the words, NULL-terminated
 * @v: index of the word; not changed if it is absent
 *
 * Return: 0 or negative errno.
 */
int weft_gen_choice(struct weft_gen *g, const char *key,
		    const char *const *words, uint32_t *v)
{
	const char *text = weft_yaml_text(g->y,
					  weft_yaml_key(g->y, g->map, key));

	return weft_take_choice(&g->at, key, text, words, v, g->err);
}

/* Parse "3" or "3:1"; false if it is neither. */
static bool parse_ratio(const char *text, uint64_t *down, uint64_t *up)
{
	unsigned int a, b = 1;
	int n = 0, m = 0;

	if (sscanf(text, "%4u%n:%4u%n", &a, &n, &b, &m) < 1)
		return false;
	*down = a;
	*up = b;
	return a && b && !text[m ? m : n];
}

static int take_ratio(struct weft_gen *g, uint64_t down, uint64_t spines,
		      uint64_t *uplinks)
{
	static const char key[] = "oversubscription";
	const char *text = weft_yaml_text(g->y,
					  weft_yaml_key(g->y, g->map, key));
	uint64_t from, to;

	if (weft_gen_has(g, "uplinks-per-spine"))
		return weft_place_fail(&g->at, key, g->err,
				       "%s: expected this or uplinks-per-spine, not both",
				       key);
	if (!parse_ratio(text, &from, &to))
		return weft_place_fail(&g->at, key, g->err,
				       "%s: \"%.40s\": expected a ratio such as 2 or 3:2",
				       key, text);
	if (down * to % (from * spines) ||
	    down * to / (from * spines) > WEFT_GEN_UPLINKS_MAX)
		return weft_place_fail(&g->at, key, g->err,
				       "%s: %u links down at %u:%u are not 1 to %d links up to each of %u spines",
				       key, (unsigned int)down,
				       (unsigned int)from, (unsigned int)to,
				       WEFT_GEN_UPLINKS_MAX,
				       (unsigned int)spines);
	*uplinks = down * to / (from * spines);
	return 0;
}

/**
 * weft_gen_uplinks() - find the number of links from a leaf to each spine
 * @g: the design
 * @down: links from a leaf to hosts
 * @spines: number of spines, from 1
 * @uplinks: result
 *
 * It is "uplinks-per-spine", or follows from the ratio "oversubscription". The default
 * is 1.
 *
 * Return: 0 or negative errno.
 */
int weft_gen_uplinks(struct weft_gen *g, uint64_t down, uint64_t spines,
		     uint64_t *uplinks)
{
	*uplinks = 1;
	if (weft_gen_has(g, "oversubscription"))
		return take_ratio(g, down, spines, uplinks);
	return weft_gen_option(g, "uplinks-per-spine", 1, WEFT_GEN_UPLINKS_MAX,
			       uplinks);
}

/**
 * weft_gen_fits() - check a design against the limits of a topology
 * @g: the design
 * @nodes: number of its nodes
 * @switches: number of its switches
 * @links: number of its links
 *
 * Return: 0 or negative errno.
 */
int weft_gen_fits(struct weft_gen *g, uint64_t nodes, uint64_t switches,
		  uint64_t links)
{
	const char *what = NULL;
	int max = 0;

	if (links > WEFT_LINKS_MAX) {
		what = "links";
		max = WEFT_LINKS_MAX;
	}
	if (switches > WEFT_SWITCHES_MAX) {
		what = "switches";
		max = WEFT_SWITCHES_MAX;
	}
	if (nodes > WEFT_NODES_MAX) {
		what = "nodes";
		max = WEFT_NODES_MAX;
	}
	if (!what)
		return 0;
	return weft_place_fail(&g->at, "", g->err, "more than %d %s", max,
			       what);
}

/* The profile of a part: its own, else that of "host-link"; NVLink and front-end: own only. */
static int part_profile(struct weft_gen *g, const char *part)
{
	int map = weft_yaml_key(g->y, g->map, part), own;

	own = weft_yaml_key(g->y, map, "profile");
	if (!own && strcmp(part, "nvlink") && strcmp(part, "front-end")) {
		map = weft_yaml_key(g->y, g->map, "host-link");
		own = weft_yaml_key(g->y, map, "profile");
	}
	return weft_yaml_copy(g->y, g->y, own);
}

static void append(struct weft_gen *g, int list, int map,
		   struct weft_gen_name name, const char *part)
{
	weft_yaml_put(g->y, map, "name", weft_yaml_add_text(g->y, "%s", name.s));
	if (part)
		weft_yaml_put(g->y, map, "profile", part_profile(g, part));
	weft_yaml_append(g->y, list, map);
}

/**
 * weft_gen_nodes() - add nodes
 * @g: the design
 * @name: their names
 */
void weft_gen_nodes(struct weft_gen *g, struct weft_gen_name name)
{
	int map = weft_yaml_add_map(g->y);

	append(g, g->nodes, map, name, NULL);
	g->everybody = weft_yaml_text(g->y, weft_yaml_key(g->y, map, "name"));
}

/**
 * weft_gen_switches() - add switches
 * @g: the design
 * @part: part of the links below them, for their profile
 * @name: their names
 *
 * Return: YAML node of the entry.
 */
int weft_gen_switches(struct weft_gen *g, const char *part,
		      struct weft_gen_name name)
{
	int map = weft_yaml_add_map(g->y);

	append(g, g->switches, map, name, part);
	return map;
}

static const yaml_node_pair_t *pair_at(const struct weft_yaml *y, int map,
				       size_t i)
{
	const yaml_node_t *n = weft_yaml_node(y, map);

	if (!n || i >= (size_t)(n->data.mapping.pairs.top -
				n->data.mapping.pairs.start))
		return NULL;
	return &n->data.mapping.pairs.start[i];
}

/* Add the parameters of a part to a mapping, in the order in which they were given. */
static void add_part(struct weft_gen *g, const char *part, int to)
{
	struct weft_yaml *y = g->y;
	int from = weft_yaml_copy(y, y, weft_yaml_key(y, g->map, part));
	const yaml_node_pair_t *pair;

	weft_yaml_put(y, to, "profile", part_profile(g, part));
	for (size_t i = 0; (pair = pair_at(y, from, i)); i++)
		weft_yaml_put(y, to, weft_yaml_text(y, pair->key), pair->value);
}

static int add_link(struct weft_gen *g, const char *part,
		    struct weft_gen_name a, struct weft_gen_name b)
{
	int ends = weft_yaml_add_list(g->y, YAML_FLOW_SEQUENCE_STYLE);
	int map = weft_yaml_add_map(g->y);

	weft_yaml_append(g->y, ends, weft_yaml_add_text(g->y, "%s", a.s));
	weft_yaml_append(g->y, ends, weft_yaml_add_text(g->y, "%s", b.s));
	weft_yaml_put(g->y, map, "ends", ends);
	add_part(g, part, map);
	weft_yaml_append(g->y, g->links, map);
	return map;
}

/**
 * weft_gen_link() - add links, one to one or all to a single object
 * @g: the design
 * @part: part of the design that they belong to
 * @a: one end
 * @b: the other end
 */
void weft_gen_link(struct weft_gen *g, const char *part, struct weft_gen_name a,
		   struct weft_gen_name b)
{
	add_link(g, part, a, b);
}

/**
 * weft_gen_join() - add links from each object of one side to each of the other
 * @g: the design
 * @part: part of the design that they belong to
 * @count: number of parallel links
 * @a: one side
 * @b: the other side
 */
void weft_gen_join(struct weft_gen *g, const char *part, uint64_t count,
		   struct weft_gen_name a, struct weft_gen_name b)
{
	int map = add_link(g, part, a, b);

	weft_yaml_put(g->y, map, "join", weft_yaml_add_text(g->y, "all"));
	if (count > 1)
		weft_yaml_put(g->y, map, "count",
			      weft_yaml_add_text(g->y, "%" PRIu64, count));
}

static bool in_list(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

static int unknown_key(struct weft_gen *g, const struct kind *k,
		       const char *key)
{
	char list[512] = "";
	size_t n = 0;

	for (size_t i = 0; k->keys[i]; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, ", %s",
				      k->keys[i]);
	for (size_t i = 0; k->parts[i]; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, ", %s",
				      k->parts[i]);
	return weft_place_fail(&g->at, key, g->err,
			       "unknown key \"%.40s\" in generate of kind %s: expected one of kind%s",
			       key, k->name, list);
}

static int check_key(struct weft_gen *g, const struct kind *k,
		     const yaml_node_pair_t *pair)
{
	const char *key = weft_yaml_text(g->y, pair->key);
	const cyaml_schema_value_t *schema;

	if (!key)
		return weft_place_fail(&g->at, "", g->err,
				       "expected keys that are single values");
	if (!in_list(k->keys, key) && !in_list(k->parts, key) &&
	    strcmp(key, "kind"))
		return unknown_key(g, k, key);
	if (weft_yaml_key(g->y, g->map, key) != pair->value)
		return weft_place_fail(&g->at, key, g->err,
				       "key \"%s\" is given twice", key);
	schema = in_list(k->parts, key) ? &weft_raw_part_schema :
					  &weft_raw_text_schema;
	return weft_yaml_check_node(g->y, weft_yaml_node(g->y, pair->value),
				    key, schema, g->err);
}

static int check_keys(struct weft_gen *g, const struct kind *k)
{
	const yaml_node_t *n = weft_yaml_node(g->y, g->map);

	for (const yaml_node_pair_t *pair = n->data.mapping.pairs.start;
	     pair < n->data.mapping.pairs.top; pair++)
		if (check_key(g, k, pair))
			return g->err->code;
	return 0;
}

static int take_kind(struct weft_gen *g, const struct kind **kind)
{
	const char *names[KINDS + 1] = { NULL };
	uint32_t i = 0;

	for (size_t k = 0; k < KINDS; k++)
		names[k] = kinds[k].name;
	if (weft_yaml_node(g->y, g->map)->type != YAML_MAPPING_NODE)
		return weft_place_fail(&g->at, "", g->err,
				       "generate: expected a mapping");
	g->kind = weft_yaml_text(g->y, weft_yaml_key(g->y, g->map, "kind"));
	if (!g->kind)
		return weft_place_fail(&g->at, "", g->err,
				       "generate lacks the key \"kind\"");
	if (weft_gen_choice(g, "kind", names, &i))
		return g->err->code;
	*kind = &kinds[i];
	return check_keys(g, *kind);
}

/* Add the front-end network: one switch with a link to each node. */
static void add_front_end(struct weft_gen *g)
{
	if (!weft_gen_has(g, "front-end"))
		return;
	weft_gen_switches(g, "front-end", weft_gen_name("front"));
	weft_gen_link(g, "front-end", weft_gen_name("%s", g->everybody),
		      weft_gen_name("front"));
}

static void begin_lists(struct weft_gen *g)
{
	g->nodes = weft_yaml_add_list(g->y, YAML_BLOCK_SEQUENCE_STYLE);
	g->switches = weft_yaml_add_list(g->y, YAML_BLOCK_SEQUENCE_STYLE);
	g->links = weft_yaml_add_list(g->y, YAML_BLOCK_SEQUENCE_STYLE);
}

/* Append the entries of the file to the generated ones. */
static void end_list(struct weft_gen *g, const char *key, int list)
{
	int old = weft_yaml_take(g->y, 1, key);
	const yaml_node_t *n = weft_yaml_node(g->y, old);

	for (size_t i = 0; n && i < (size_t)(n->data.sequence.items.top -
					     n->data.sequence.items.start); i++)
		weft_yaml_append(g->y, list, n->data.sequence.items.start[i]);
	weft_yaml_put(g->y, 1, key, list);
}

/**
 * weft_topo_generate() - replace "generate" of a file by the generated entries
 * @y: the file, checked against the schema of a topology; changed if it has "generate"
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_topo_generate(struct weft_yaml *y, struct weft_err *err)
{
	struct weft_gen g = {
		.y = y, .at = { y, "generate" }, .err = err,
		.map = weft_yaml_key(y, 1, "generate"),
	};
	const struct kind *kind = NULL;

	if (!g.map)
		return 0;
	if (take_kind(&g, &kind))
		return err->code;
	y->mark = weft_yaml_node(y, g.map)->start_mark;
	begin_lists(&g);
	if (kind->make(&g))
		return err->code;
	add_front_end(&g);
	end_list(&g, "nodes", g.nodes);
	end_list(&g, "switches", g.switches);
	end_list(&g, "links", g.links);
	weft_yaml_take(y, 1, "generate");
	return weft_yaml_render(y, err);
}
