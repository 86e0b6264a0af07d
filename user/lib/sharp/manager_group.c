// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A group of processes whose switches reduce: its tree in the fabric.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <linux/weft.h>

#include "netlink/discipline.h"
#include "plan/plan_tree.h"
#include "sharp/aggregator.h"
#include "sharp/manager.h"

#define NONE	UINT32_MAX
#define TRIES	100U

/**
 * weft_sharp_group_find() - find the group of a key, or begin it
 * @s: the manager
 * @key: what its members call it
 * @size: how many members it will have
 * @err: error
 *
 * Return: the group, NULL on error.
 */
struct weft_sharp_group *weft_sharp_group_find(struct weft_sharp *s, uint64_t key,
					       uint32_t size, struct weft_err *err)
{
	struct weft_sharp_group *g = s->group;

	while (g && g->key != key)
		g = g->next;
	if (g && (g->size != size || g->members == size)) {
		weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			     "another group has the same key");
		return NULL;
	}
	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (g)
		g->member = calloc(size, sizeof(*g->member));
	if (!g || !g->member) {
		free(g);
		weft_err_nomem(err);
		return NULL;
	}
	g->key = key;
	g->size = size;
	g->next = s->group;
	s->group = g;
	return g;
}

/**
 * weft_sharp_nodes() - list the aggregation nodes of the fabric
 * @s: the manager
 * @list: result, to be freed even after an error
 * @n: how many
 * @err: error
 *
 * If the fabric changes meanwhile, it is read again.
 *
 * Return: 0 or negative errno.
 */
int weft_sharp_nodes(struct weft_sharp *s, struct weft_aggregator **list, unsigned int *n,
		     struct weft_err *err)
{
	int ret;

	for (unsigned int i = 0; i < TRIES; i++) {
		ret = weft_aggregator_list(&s->routes.nl, s->routes.fabric, list, n, err);
		if (ret != -EAGAIN)
			break;
		free(*list);
		*list = NULL;
	}
	return ret;
}

/* The first NIC of a node that is of NVLink or InfiniBand, and has a link. */
static uint32_t find_nic(const struct weft_sharp *s, unsigned int node)
{
	enum weft_family family = s->store ? WEFT_NVLINK : WEFT_INFINIBAND;
	const struct weft_plan *p = &s->routes.plan;
	const struct weft_plan_node *n = &p->node[node];

	for (unsigned int i = n->first; i < n->first + n->nics; i++)
		if (weft_port_discipline(&p->nic[i].nic.port)->family == family &&
		    s->routes.at[s->routes.first[p->switches] + i] != NONE)
			return i;
	return NONE;
}

/* One process of a node: what it sends is one operand of its switch. */
static int find_nics(struct weft_sharp *s, struct weft_sharp_group *g, uint32_t *nic,
		     struct weft_err *err)
{
	for (uint32_t i = 0; i < g->size; i++) {
		const char *name = s->routes.plan.node[g->member[i]->node].name;

		for (uint32_t k = 0; k < i; k++)
			if (g->member[k]->node == g->member[i]->node)
				return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
						    "two processes of %s are in one group",
						    name);
		nic[i] = find_nic(s, g->member[i]->node);
		if (nic[i] == NONE)
			return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
					    "%s has no NIC of %s with a link", name,
					    s->store ? "NVLink" : "InfiniBand");
		g->member[i]->nic = nic[i];
	}
	return 0;
}

static bool number_is_used(const struct weft_aggregator *list, unsigned int n, uint32_t number)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i].group == number)
			return true;
	return false;
}

static int check_room(const struct weft_sharp *s, const struct weft_tree_node *node,
		      const struct weft_aggregator *list, unsigned int n, struct weft_err *err)
{
	uint32_t groups = 0;

	for (unsigned int i = 0; i < n; i++)
		groups += list[i].sw == s->routes.sw[node->sw];
	if (groups < node->groups)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EBUSY,
			    "%s has %u groups already, which is its reduce-groups",
			    s->routes.plan.sw[node->sw].name, groups);
}

/**
 * weft_sharp_group_has() - is an aggregation node one of a group?
 * @g: the group
 * @id: number of the aggregation node
 *
 * Return: true if it is.
 */
bool weft_sharp_group_has(const struct weft_sharp_group *g, uint32_t id)
{
	for (unsigned int i = 0; i < g->nodes; i++)
		if (g->node[i] == id)
			return true;
	return false;
}

/* Is an aggregation node one of a group of this manager's that streams? */
static bool streams(const struct weft_sharp *s, const struct weft_aggregator *ag)
{
	const struct weft_sharp_group *g = s->group;

	while (g && !weft_sharp_group_has(g, ag->id))
		g = g->next;
	return g && !g->small;
}

/* May a group have a streaming tree, as far as one switch is concerned? */
static bool may_stream(const struct weft_sharp *s, const struct weft_tree_node *node,
		       const struct weft_aggregator *list, unsigned int n)
{
	uint32_t others = 0;

	for (unsigned int i = 0; i < n; i++)
		others += list[i].sw == s->routes.sw[node->sw] && streams(s, &list[i]);
	return others < node->streams;
}

/*
 * The lowest number that no aggregation node of the fabric has, whoever made it, if the
 * switches have room; and whether they have room for a streaming tree.
 */
static int find_number(struct weft_sharp *s, struct weft_sharp_group *g,
		       const struct weft_tree *t, struct weft_err *err)
{
	struct weft_aggregator *list = NULL;
	unsigned int n = 0;
	int ret = weft_sharp_nodes(s, &list, &n, err);

	for (g->number = 0; !ret && number_is_used(list, n, g->number); g->number++)
		;
	for (unsigned int i = 0; !ret && i < t->nodes; i++) {
		ret = check_room(s, &t->node[i], list, n, err);
		if (!may_stream(s, &t->node[i], list, n))
			g->small = t->small;
	}
	free(list);
	return ret;
}

static void note_link(const struct weft_sharp *s, struct weft_sharp_group *g, uint32_t sw,
		      uint32_t port)
{
	const struct weft_lab_routes *r = &s->routes;

	if (port < r->plan.sw[sw].ports && r->at[r->first[sw] + port] != NONE)
		g->link[g->links++] = r->at[r->first[sw] + port];
}

static int add_node(struct weft_sharp *s, struct weft_sharp_group *g,
		    const struct weft_tree_node *node, struct weft_err *err)
{
	struct weft_aggregator ag = {
		.has = WEFT_HAS(WEFT_A_AGGREGATOR_FABRIC) | WEFT_HAS(WEFT_A_AGGREGATOR_GROUP) |
		       WEFT_HAS(WEFT_A_AGGREGATOR_SWITCH) | WEFT_HAS(WEFT_A_AGGREGATOR_CHILD) |
		       WEFT_HAS(WEFT_A_AGGREGATOR_SLOTS) | WEFT_HAS(WEFT_A_AGGREGATOR_QKEY) |
		       WEFT_HAS(WEFT_A_AGGREGATOR_LATENCY) | WEFT_HAS(WEFT_A_AGGREGATOR_TO),
		.fabric = s->routes.fabric, .group = g->number, .sw = s->routes.sw[node->sw],
		.slots = g->slots, .qkey = g->qkey, .latency = node->latency,
		.to = s->store ? WEFT_REDUCE_TO_OWNER : WEFT_REDUCE_TO_ALL,
	};

	if (node->children > WEFT_U16S_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
				    "%s would have %u children, more than %u",
				    s->routes.plan.sw[node->sw].name, node->children,
				    WEFT_U16S_MAX);
	ag.child.n = node->children;
	for (uint32_t i = 0; i < node->children; i++) {
		ag.child.v[i] = node->child[i];
		note_link(s, g, node->sw, node->child[i]);
	}
	if (node->parent != WEFT_TREE_ROOT) {
		ag.has |= WEFT_HAS(WEFT_A_AGGREGATOR_PARENT);
		ag.parent = node->parent;
	}
	if (weft_aggregator_new(&s->routes.nl, &ag, err)) {
		weft_err_prefix(err, "%s", s->routes.plan.sw[node->sw].name);
		return err->code;
	}
	g->node[g->nodes++] = ag.id;
	return 0;
}

static int add_nodes(struct weft_sharp *s, struct weft_sharp_group *g,
		     const struct weft_tree *t, struct weft_err *err)
{
	unsigned int children = 0;
	int ret = 0;

	g->slots = t->slots;
	for (unsigned int i = 0; i < t->nodes; i++)
		children += t->node[i].children;
	g->node = calloc(t->nodes + 1, sizeof(*g->node));
	g->link = calloc(children + 1, sizeof(*g->link));
	if (!g->node || !g->link)
		return weft_err_nomem(err);
	for (unsigned int i = 0; !ret && i < t->nodes; i++)
		ret = add_node(s, g, &t->node[i], err);
	return ret;
}

/* The kernel lets nobody without privileges use keys with the highest bit. */
static int make_qkey(struct weft_sharp_group *g, struct weft_err *err)
{
	if (getrandom(&g->qkey, sizeof(g->qkey), 0) != sizeof(g->qkey))
		return weft_err_sys(err, errno, "random numbers");
	g->qkey &= 0x7fffffff;
	return 0;
}

/**
 * weft_sharp_group_down() - is an aggregation node of a group down, or has it lost a packet?
 * @s: the manager
 * @g: the group
 * @list: all aggregation nodes of the fabric
 * @n: entries of @list
 * @text: set to which
 * @len: size of @text
 *
 * Return: true if one is.
 */
bool weft_sharp_group_down(const struct weft_sharp *s, const struct weft_sharp_group *g,
			   const struct weft_aggregator *list, unsigned int n,
			   char *text, size_t len)
{
	const struct weft_lab_routes *r = &s->routes;

	for (unsigned int i = 0; g->nodes && i < n; i++) {
		if (list[i].group != g->number || (!list[i].down && !list[i].lost))
			continue;
		if (list[i].down)
			snprintf(text, len, "the aggregation node of %s is down",
				 list[i].sw < r->numbers && r->planned[list[i].sw] != NONE ?
				 r->plan.sw[r->planned[list[i].sw]].name : "a switch");
		else
			snprintf(text, len, "a packet was lost, which nobody repeats");
		return true;
	}
	return false;
}

/* A switch that does not reduce at present is no reason to wait for it. */
static int check_nodes(struct weft_sharp *s, struct weft_sharp_group *g, struct weft_err *err)
{
	struct weft_aggregator *list = NULL;
	unsigned int n = 0;
	char why[128];
	int ret = weft_sharp_nodes(s, &list, &n, err);

	if (!ret && weft_sharp_group_down(s, g, list, n, why, sizeof(why)))
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP, "%s", why);
	free(list);
	return ret;
}

/**
 * weft_sharp_group_build() - make the tree of a group
 * @s: the manager
 * @g: the group, with all its members
 * @err: error; -EBUSY for lack of resources
 *
 * Return: 0 or negative errno; in any case weft_sharp_group_destroy() removes what was made.
 */
int weft_sharp_group_build(struct weft_sharp *s, struct weft_sharp_group *g,
			   struct weft_err *err)
{
	uint32_t *nic = calloc(g->size, sizeof(*nic));
	struct weft_tree t = { 0 };
	int ret;

	ret = nic ? find_nics(s, g, nic, err) : weft_err_nomem(err);
	if (!ret)
		ret = weft_tree_make(&t, &s->routes.plan, s->routes.down, nic, g->size, err);
	if (!ret && s->store)
		ret = weft_tree_check_owners(&t, err);
	if (!ret)
		ret = make_qkey(g, err);
	if (!ret)
		ret = find_number(s, g, &t, err);
	if (!ret)
		ret = add_nodes(s, g, &t, err);
	if (!ret)
		ret = check_nodes(s, g, err);
	weft_tree_free(&t);
	free(nic);
	return ret;
}

static void end_text(const struct weft_plan *p, const struct weft_end *e, char *buf, size_t len)
{
	if (e->is_nic)
		snprintf(buf, len, "%s", p->nic[e->id].nic.name);
	else
		snprintf(buf, len, "%s:%u", p->sw[e->id].name, e->port);
}

/**
 * weft_sharp_group_cut() - is a link of the tree of a group down?
 * @s: the manager
 * @g: the group
 * @text: set to which
 * @len: size of @text
 *
 * Return: true if one is.
 */
bool weft_sharp_group_cut(const struct weft_sharp *s, const struct weft_sharp_group *g,
			  char *text, size_t len)
{
	const struct weft_plan *p = &s->routes.plan;
	char a[2 * WEFT_NAME_SIZE], b[2 * WEFT_NAME_SIZE];

	for (unsigned int i = 0; i < g->links; i++) {
		const struct weft_link *link = &p->link[g->link[i]];

		if (!s->routes.down[g->link[i]])
			continue;
		end_text(p, &link->end[0], a, sizeof(a));
		end_text(p, &link->end[1], b, sizeof(b));
		snprintf(text, len, "the link of %s and %s is down", a, b);
		return true;
	}
	return false;
}

/**
 * weft_sharp_group_destroy() - remove the tree of a group, and the group
 * @s: the manager
 * @g: the group; its members are in none then
 *
 * A node that is gone already is no error.
 */
void weft_sharp_group_destroy(struct weft_sharp *s, struct weft_sharp_group *g)
{
	struct weft_sharp_group **at = &s->group;
	struct weft_err ignored;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	for (unsigned int i = 0; i < g->nodes; i++) {
		const struct weft_aggregator ag = {
			.fabric = s->routes.fabric, .id = g->node[i],
		};

		weft_aggregator_del(&s->routes.nl, &ag, &ignored);
	}
	for (uint32_t i = 0; i < g->members; i++)
		if (g->member[i])
			g->member[i]->group = NULL;
	free(g->member);
	free(g->node);
	free(g->link);
	free(g);
}
