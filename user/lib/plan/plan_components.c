// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The connected components of a fabric.
 */
#include "plan/plan_components.h"

#include <stdlib.h>

static unsigned int index_of(const struct weft_plan *p,
			     const struct weft_end *end)
{
	return end->is_nic ? p->switches + end->id : end->id;
}

static unsigned int root_of(unsigned int *up, unsigned int i)
{
	while (up[i] != i) {
		up[i] = up[up[i]];
		i = up[i];
	}
	return i;
}

/**
 * weft_plan_components() - find the connected components
 * @plan: the plan, links complete
 * @component: result, to be freed by free(): for each switch, then for each NIC,
 * the index of the first member of its connected component
 * @err: error
 *
 * Return: 0 or -ENOMEM.
 */
int weft_plan_components(const struct weft_plan *plan, unsigned int **component,
			 struct weft_err *err)
{
	unsigned int n = plan->switches + plan->nics, a, b;
	unsigned int *up = malloc((n + 1) * sizeof(*up));

	*component = up;
	if (!up)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < n; i++)
		up[i] = i;
	for (unsigned int i = 0; i < plan->links; i++) {
		a = root_of(up, index_of(plan, &plan->link[i].end[0]));
		b = root_of(up, index_of(plan, &plan->link[i].end[1]));
		up[a < b ? b : a] = a < b ? a : b;
	}
	for (unsigned int i = 0; i < n; i++)
		up[i] = root_of(up, i);
	return 0;
}
