// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts and stops a pattern of traffic as a whole.
 */
#include <stdlib.h>

#include <linux/weft.h>

#include "netlink/nl_fields.h"
#include "netlink/traffic.h"

/* Start a generator at the same time as the first one of the group. */
static int start_with(struct weft_nl *nl, struct weft_traffic *first,
		      struct weft_traffic *t, struct weft_err *err)
{
	int ret;

	t->group = first->group;
	t->has |= WEFT_HAS(WEFT_A_TRAFFIC_GROUP);
	if (t->has & WEFT_HAS(WEFT_A_TRAFFIC_AFTER) &&
	    !(t->has & WEFT_HAS(WEFT_A_TRAFFIC_TRIGGER))) {
		ret = weft_traffic_get(nl, first, err);
		if (ret)
			return ret;
		t->start = first->start;
		t->has |= WEFT_HAS(WEFT_A_TRAFFIC_START);
		t->has &= ~WEFT_HAS(WEFT_A_TRAFFIC_AFTER);
	}
	return weft_traffic_new(nl, t, err);
}

static void take_back(struct weft_nl *nl, struct weft_traffic *list,
		      unsigned int n)
{
	struct weft_err ignored;

	for (unsigned int i = 0; i < n; i++)
		weft_traffic_del(nl, &list[i], &ignored);
}

/**
 * weft_traffic_start() - start a pattern
 * @nl: socket
 * @plan: the pattern, which weft_traffic_complete() accepts
 * @facts: the lab
 * @group: result, number of the pattern
 * @err: an error of the pattern, or the kernel's message
 *
 * Return: 0 or negative errno; after an error, no part of it runs.
 */
int weft_traffic_start(struct weft_nl *nl, const struct weft_traffic_plan *plan,
		       const struct weft_facts *facts, uint32_t *group,
		       struct weft_err *err)
{
	struct weft_traffic *list = NULL;
	unsigned int n = 0, i = 0;
	int ret = weft_traffic_resolve(plan, facts, &list, &n, err);

	for (; !ret && i < n; i++)
		ret = i ? start_with(nl, &list[0], &list[i], err) :
			  weft_traffic_new(nl, &list[0], err);
	if (ret && i)
		take_back(nl, list, i - 1);
	else if (!ret)
		*group = list[0].group;
	weft_traffic_list_free(list, n);
	return ret;
}

/* Move the generators of the group to the front. Return: number of them. */
static unsigned int sort_out(struct weft_traffic *list, unsigned int n,
			     uint32_t group)
{
	struct weft_traffic t;
	unsigned int found = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (list[i].group != group)
			continue;
		t = list[i];
		list[i] = list[found];
		list[found++] = t;
	}
	return found;
}

/**
 * weft_traffic_stop() - stop a pattern
 * @nl: socket
 * @fabric: the fabric
 * @group: number of the pattern
 * @list: result: its generators with their counters, to be freed by
 *	weft_traffic_list_free() even after an error
 * @n: result, number of generators; 0 if there is no such pattern
 * @err: the kernel's message
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_stop(struct weft_nl *nl, uint32_t fabric, uint32_t group,
		      struct weft_traffic **list, unsigned int *n,
		      struct weft_err *err)
{
	unsigned int all, found;
	int ret = weft_traffic_list(nl, fabric, list, n, err);

	if (ret)
		return ret;
	all = *n;
	found = sort_out(*list, all, group);
	for (unsigned int i = found; i < all; i++)
		free((*list)[i].dst);
	*n = found;
	for (unsigned int i = 0; !ret && i < found; i++)
		ret = weft_traffic_del(nl, &(*list)[i], err);
	return ret;
}
