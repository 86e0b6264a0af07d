// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An all-reduce over NVLink and rails, in three steps, as NCCL does it on such machines.
 *
 * Nodes are in one domain if NVLink connects them and both are ranks. In each domain a
 * reduce-scatter gives each node a piece of the sum. Then the nodes that are at the same
 * place of their domains, which share a rail, do an all-reduce of their piece, by messages or
 * in switches. In each domain an all-gather follows. What a node sends waits for what it
 * received before, and not for others: so the steps of different nodes overlap.
 */
#include "workload/workload_rounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"

/**
 * struct domains - the nodes by domain
 * @n: domains
 * @size: nodes of each
 * @node: nodes, those of a domain together, in their order
 * @ranks: entries of @rank
 * @rank: the nodes that take part
 * @root: while they are searched: the sets of nodes and switches that are together
 */
struct domains {
	uint32_t n;
	uint32_t size;
	uint32_t *node;
	uint32_t ranks;
	const uint32_t *rank;
	uint32_t *root;
};

static bool is_nvlink(const struct weft_plan *plan, const struct weft_end *end)
{
	const struct weft_port_params *p = end->is_nic ? &plan->nic[end->id].nic.port :
							 &plan->sw[end->id].port;

	return !strcmp(p->discipline, "nvlink");
}

/* The number of a node or switch among both. */
static uint32_t object_of(const struct weft_plan *plan, const struct weft_end *end)
{
	return end->is_nic ? plan->nic[end->id].node : plan->nodes + end->id;
}

static void find_roots(struct domains *d, const struct weft_plan *plan)
{
	weft_sets_init(d->root, plan->nodes + plan->switches);
	for (uint32_t i = 0; i < plan->links; i++) {
		const struct weft_end *end = plan->link[i].end;

		if (is_nvlink(plan, &end[0]))
			weft_sets_join(d->root, object_of(plan, &end[0]),
				       object_of(plan, &end[1]));
	}
}

static int refuse(const struct weft_plan *plan, uint32_t node, uint32_t size,
		  const char *want, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "algorithm hierarchical: the NVLink domain of %s has %u nodes; expected %s",
			    plan->node[node].name, size, want);
}

/**
 * struct domain - a domain that is being listed
 * @size: ranks in it
 * @at: with @listed: place of its next node
 * @listed: one of its nodes is listed
 */
struct domain {
	uint32_t size;
	uint32_t at;
	bool listed;
};

/* List the nodes of each domain, in the order of the ranks. @of: the domain of each root */
static int list(struct domains *d, const struct weft_plan *plan, struct domain *of,
		struct weft_err *err)
{
	for (uint32_t i = 0; i < d->ranks; i++)
		of[weft_sets_find(d->root, d->rank[i])].size++;
	for (uint32_t i = 0; i < d->ranks; i++) {
		struct domain *own = &of[weft_sets_find(d->root, d->rank[i])];

		if (!own->listed) {
			d->size = d->n ? d->size : own->size;
			if (own->size != d->size || own->size < 2)
				return refuse(plan, d->rank[i], own->size,
					      own->size < 2 ? "2 or more" :
					      "as many as in the others", err);
			own->listed = true;
			own->at = d->n++ * own->size;
		}
		d->node[own->at++] = d->rank[i];
	}
	if (d->n < 2)
		return refuse(plan, d->rank[0], d->size, "several domains", err);
	return 0;
}

static int find_domains(struct domains *d, const struct weft_plan *plan,
			struct weft_err *err)
{
	size_t objects = (size_t)plan->nodes + plan->switches + 1;
	struct domain *of = calloc(objects, sizeof(*of));
	int ret;

	d->root = calloc(objects, sizeof(*d->root));
	d->node = calloc(d->ranks + (size_t)1, sizeof(*d->node));
	if (of && d->root && d->node) {
		find_roots(d, plan);
		ret = list(d, plan, of, err);
	} else {
		ret = weft_err_nomem(err);
	}
	free(of);
	return ret;
}

/* In each domain, all to all at once. */
static int in_domains(struct weft_work_rounds *r, const struct domains *d,
		      enum weft_collective collective, uint64_t bytes)
{
	const struct weft_algorithm *linear = weft_bound_algorithm(collective, "linear", 6);
	int ret = 0;

	r->ranks = d->size;
	for (uint32_t i = 0; i < d->n && !ret; i++) {
		r->node = d->node + (size_t)i * d->size;
		ret = weft_work_rounds_run(r, linear, bytes);
	}
	return ret;
}

/* On each rail, an all-reduce. */
static int on_rails(struct weft_work_rounds *r, const struct domains *d,
		    const struct weft_algorithm *a, uint64_t bytes)
{
	uint32_t *rail = calloc(d->n + 1, sizeof(*rail));
	int ret = 0;

	if (!rail)
		return weft_err_nomem(r->err);
	r->ranks = d->n;
	r->node = rail;
	for (uint32_t k = 0; k < d->size && !ret; k++) {
		for (uint32_t i = 0; i < d->n; i++)
			rail[i] = d->node[(size_t)i * d->size + k];
		ret = a ? weft_work_rounds_run(r, a, bytes) :
			  weft_work_rounds_reduce(r, k + 1, false, bytes);
	}
	free(rail);
	return ret;
}

static int add_steps(struct weft_work_rounds *r, const struct domains *d,
		     const struct weft_algorithm *rails, uint64_t bytes)
{
	int ret = in_domains(r, d, WEFT_REDUCE_SCATTER, bytes);

	/* A domain has two nodes at least. */
	if (!ret && d->size)
		ret = on_rails(r, d, rails, bytes / d->size);
	return ret ? ret : in_domains(r, d, WEFT_ALLGATHER, bytes);
}

/**
 * weft_work_hierarchy() - make the messages of an all-reduce over NVLink and rails
 * @w: result, empty; to be freed by weft_work_free() even after an error
 * @rails: algorithm of the all-reduce on each rail; NULL: switches reduce
 * @bytes: its buffer
 * @times: how often it is done, one after the other
 * @plan: the plan
 * @rank: node of each rank, each once
 * @ranks: how many there are, at least 1
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_hierarchy(struct weft_work *w, const struct weft_algorithm *rails,
			uint64_t bytes, uint64_t times, const struct weft_plan *plan,
			const uint32_t *rank, uint32_t ranks, struct weft_err *err)
{
	struct domains d = { .ranks = ranks, .rank = rank };
	struct weft_work_rounds r;
	int ret = find_domains(&d, plan, err);

	if (!ret)
		ret = weft_work_rounds_begin(&r, w, plan->nodes, err);
	if (!ret) {
		for (uint64_t i = 0; !ret && i < times; i++)
			ret = add_steps(&r, &d, rails, bytes);
		weft_work_rounds_end(&r);
	}
	free(d.root);
	free(d.node);
	return ret;
}
