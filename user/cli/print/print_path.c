// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The critical path of a workload: how its time is made up.
 */
#include "print/print_path.h"

#include <stdio.h>

#include "base/units.h"
#include "netlink/json.h"

#define WORTH	1000	/* a part is worth a line if it is 1 / 1000 of all */

static void print_share(const char *what, uint64_t ps, uint64_t all)
{
	char text[32];

	if (ps)
		printf("  %-22s%s, %.1f %%\n", what, weft_format_time(text, sizeof(text), ps),
		       100.0 * (double)ps / (double)all);
}

/* Between which nodes most of the time was lost; not for a packet behind another. */
static void print_worst(const struct weft_plan *plan, const struct weft_work_path *p,
			uint64_t all)
{
	char text[32];

	if (p->worst.longer * WORTH >= all)
		printf("    most: %s from %s to %s\n",
		       weft_format_time(text, sizeof(text), p->worst.longer),
		       plan->node[p->worst.from].name, plan->node[p->worst.to].name);
}

/**
 * print_path() - print how the time of a critical path is made up
 * @plan: the plan
 * @p: the path; nothing is printed of one without messages
 */
void print_path(const struct weft_plan *plan, const struct weft_work_path *p)
{
	uint64_t all = p->computing + p->alone + p->longer + p->held;
	char text[32];

	if (!p->moves)
		return;
	printf("%-24s%s, %u message%s\n", "critical path",
	       weft_format_time(text, sizeof(text), all), p->moves, p->moves == 1 ? "" : "s");
	print_share("computing", p->computing, all);
	print_share("messages, as alone", p->alone, all);
	print_share("messages, longer", p->longer, all);
	print_worst(plan, p, all);
	print_share("held", p->held, all);
}

static json_t *worst_json(const struct weft_plan *plan, const struct weft_work_pair *p)
{
	if (!p->longer)
		return json_null();
	return json_pack("{s:s, s:s, s:o}", "from", plan->node[p->from].name,
			 "to", plan->node[p->to].name, "longer_ps", weft_json_u64(p->longer));
}

/**
 * path_json() - the same as JSON
 * @plan: the plan
 * @p: the path
 *
 * Return: the object; NULL without memory.
 */
json_t *path_json(const struct weft_plan *plan, const struct weft_work_path *p)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "messages", weft_json_u64(p->moves),
			 "computing_ps", weft_json_u64(p->computing),
			 "alone_ps", weft_json_u64(p->alone),
			 "longer_ps", weft_json_u64(p->longer),
			 "held_ps", weft_json_u64(p->held),
			 "worst", worst_json(plan, &p->worst));
}
