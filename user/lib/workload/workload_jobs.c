// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several jobs on one fabric: workloads that run side by side, and the nodes of each.
 */
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"

static int find_node(const struct weft_plan *plan, const char *name, uint32_t *node,
		     struct weft_err *err)
{
	*node = weft_plan_node_number(plan, name);
	if (*node < plan->nodes)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT, "the topology has no node \"%s\"",
			    name);
}

/**
 * struct place - the nodes of a job
 * @plan: the plan
 * @node: number of the node of each rank
 * @n: entries of @node
 * @taken: of each node of the plan, whether it is in @node
 */
struct place {
	const struct weft_plan *plan;
	uint32_t *node;
	unsigned int n;
	bool *taken;
};

static int add_node(struct place *p, const char *name, struct weft_err *err)
{
	uint32_t *more, node;

	if (find_node(p->plan, name, &node, err))
		return err->code;
	if (p->taken[node])
		return weft_err_set(err, WEFT_ERR_USAGE, -EEXIST, "node \"%s\" is there twice",
				    name);
	more = weft_array_grow(p->node, p->n, sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	p->node = more;
	p->node[p->n++] = node;
	p->taken[node] = true;
	return 0;
}

static int add_pattern(struct place *p, const char *pattern, struct weft_err *err)
{
	struct weft_names names;
	int ret = weft_names_expand(&names, pattern, err);

	for (size_t i = 0; !ret && i < names.n; i++)
		ret = add_node(p, names.name[i], err);
	weft_names_free(&names);
	return ret;
}

static int find_ranks(const char *list, const struct weft_plan *plan, uint32_t **node,
		      unsigned int *n, struct weft_err *err)
{
	struct place p = {
		.plan = plan, .taken = calloc(plan->nodes + 1, sizeof(*p.taken)),
	};
	char *copy = strdup(list), *rest = copy, *pattern;
	int ret = 0;

	if (!copy || !p.taken) {
		ret = weft_err_nomem(err);
		goto out;
	}
	while (!ret && (pattern = strsep(&rest, "+")))
		ret = add_pattern(&p, pattern, err);
out:
	free(copy);
	free(p.taken);
	if (ret) {
		free(p.node);
		p.node = NULL;
	}
	*node = p.node;
	*n = p.n;
	return ret;
}

/**
 * weft_work_ranks() - find the nodes of a job, or take all
 * @list: names with ranges, such as host[0-3]+host9; NULL: all nodes. The ranks are in
 *	this order
 * @plan: the plan
 * @node: result, number of the node of each rank, to be freed; NULL after an error
 * @n: result, how many
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_ranks(const char *list, const struct weft_plan *plan, uint32_t **node,
		    unsigned int *n, struct weft_err *err)
{
	if (list)
		return find_ranks(list, plan, node, n, err);
	*n = plan->nodes;
	*node = calloc(plan->nodes + (size_t)1, sizeof(**node));
	if (!*node)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < *n; i++)
		(*node)[i] = i;
	return 0;
}

/* The greatest channel and group in use, plus 1. */
static void free_numbers(const struct weft_work *w, uint32_t *channel, uint32_t *group)
{
	*channel = 0;
	*group = 0;
	for (unsigned int i = 0; i < w->messages; i++) {
		if (w->message[i].channel >= *channel)
			*channel = w->message[i].channel + 1;
		if (w->message[i].group > *group)
			*group = w->message[i].group;
	}
}

static int add_one(struct weft_work *w, const struct weft_work *job, unsigned int i,
		   uint32_t before, struct weft_err *err)
{
	const struct weft_message *m = &job->message[i];

	for (unsigned int k = 0; k < m->afters; k++)
		if (weft_work_wait(w, before + job->after[m->after + k], err))
			return err->code;
	return m->name ? weft_work_name(w, job->names + m->name, err) : 0;
}

/**
 * weft_work_add_job() - let another job run at the same time
 * @w: the jobs so far
 * @job: the job
 * @err: error
 *
 * Its messages share no queue pair and no group with those of the others, and wait for
 * none of them.
 *
 * Return: 0 or negative errno.
 */
int weft_work_add_job(struct weft_work *w, const struct weft_work *job, struct weft_err *err)
{
	uint32_t before = w->messages, channel, group;

	free_numbers(w, &channel, &group);
	for (unsigned int i = 0; i < job->messages; i++) {
		struct weft_message like = job->message[i];

		like.job = w->jobs;
		like.channel += channel;
		like.name = 0;
		if (like.group)
			like.group += group;
		if (!weft_work_add(w, &like, err) || add_one(w, job, i, before, err))
			return err->code;
	}
	w->jobs++;
	return 0;
}
