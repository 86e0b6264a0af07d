// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the port to look at when something is late: the port with the most bytes queued,
 * else the port with the first loss. If there is neither, the network is not the cause.
 */
#include "scenario/expect_suspect.h"

#include <string.h>

/**
 * struct search - state of the search for a port
 * @s: the best port so far
 * @since: earlier losses are ignored, fabric time
 * @first: first loss of the best port, fabric time
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
 * @s: result; of equal ports the first one, in the order of the links
 * @facts: the lab at that time
 * @since: losses before this time are ignored, fabric time
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
