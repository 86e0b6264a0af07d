// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where to look when something does not come in time: where most waits, or else
 * where something was lost first. Where neither is, the network is not why.
 */
#include "scenario/expect_suspect.h"

#include <string.h>

/**
 * struct search - for a port
 * @s: the one until now
 * @since: earlier losses do not count, fabric time
 * @first: its first loss, fabric time
 */
struct search {
	struct weft_suspect *s;
	uint64_t since;
	uint64_t first;
};

static bool lost_earlier(const struct search *x, const struct weft_port_view *v,
			 uint64_t *at)
{
	return weft_port_first(v, UINT32_MAX, "dropped", "first_drop_ps", at) &&
	       *at >= x->since && *at < x->first;
}

static void suspect(struct search *x, const struct weft_port_view *v)
{
	uint64_t queued = weft_counters_get(&v->wire->counters, "queue"), at;

	if (queued > x->s->queued)
		x->s->queued = queued;
	else if (!x->s->queued && lost_earlier(x, v, &at))
		x->first = at;
	else
		return;
	memcpy(x->s->port, v->name, sizeof(x->s->port));
}

/**
 * weft_suspect_find() - find the port to look at
 * @s: result; the first of equals, in the order of the links
 * @facts: the lab at that time
 * @since: losses before that, fabric time, are of something else
 */
void weft_suspect_find(struct weft_suspect *s, const struct weft_facts *facts,
		       uint64_t since)
{
	struct search x = { .s = s, .since = since, .first = UINT64_MAX };
	struct weft_port_view v;

	*s = (struct weft_suspect) { 0 };
	for (unsigned int i = 0; i < facts->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			weft_port_view(&v, facts, &facts->link[i], dir);
			suspect(&x, &v);
		}
}
