// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wires that wait for each other: a deadlock.
 *
 * A wire waits if one of its classes has been held back for WEFT_RING_WAIT_PS. It is held
 * back by the switch at its end, whose buffer is full of packets for other wires. So a
 * wire waits for each waiting wire that leaves that switch. Wires that wait for none, and
 * wires that none waits for, are removed repeatedly. The rest are rings and the wires
 * between rings.
 */
#include "scenario/expect_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct wait - a wire that waits
 * @link: its link
 * @dir: its direction
 * @since: start of the wait, fabric time
 */
struct wait {
	const struct weft_link *link;
	unsigned int dir;
	uint64_t since;
};

/* Start of the wait of a wire; 0 if it does not wait, or not for long enough. */
static uint64_t held_since(const struct weft_facts *f,
			   const struct weft_wire *w)
{
	uint64_t first = 0, since;

	for (unsigned int i = 0; i < w->cls.n; i++) {
		since = weft_counters_get(&w->cls.state[i].counters,
					  "held_since_ps");
		if (since && (!first || since < first))
			first = since;
	}
	return first && f->fabric.now - first >= WEFT_RING_WAIT_PS ? first : 0;
}

static unsigned int find_waits(const struct weft_facts *f, struct wait *wait)
{
	unsigned int n = 0;
	uint64_t since;

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			since = held_since(f, &f->link[i].wire[dir]);
			if (since)
				wait[n++] = (struct wait) { &f->link[i], dir,
							    since };
		}
	return n;
}

/* Does @a wait for @b, which leaves the switch that @a leads to? */
static bool waits_for(const struct wait *a, const struct wait *b)
{
	const struct weft_end *to = &a->link->end[!a->dir];
	const struct weft_end *from = &b->link->end[b->dir];

	return !to->is_nic && !from->is_nic && to->id == from->id &&
	       a->link != b->link;
}

static bool is_between(const struct wait *wait, unsigned int n, unsigned int i)
{
	bool before = false, behind = false;

	for (unsigned int k = 0; k < n; k++) {
		before |= waits_for(&wait[k], &wait[i]);
		behind |= waits_for(&wait[i], &wait[k]);
	}
	return before && behind;
}

static unsigned int keep_rings(struct wait *wait, unsigned int n)
{
	unsigned int i = 0;

	while (i < n) {
		if (is_between(wait, n, i)) {
			i++;
			continue;
		}
		memmove(&wait[i], &wait[i + 1], (--n - i) * sizeof(*wait));
		i = 0;
	}
	return n;
}

static void describe(struct weft_ring *ring, const struct weft_facts *f,
		     const struct wait *wait)
{
	struct weft_port_view v;
	size_t len = 0;

	for (unsigned int i = 0; i < ring->wires; i++) {
		weft_port_view(&v, f, wait[i].link, wait[i].dir);
		if (len < sizeof(ring->names))
			len += (size_t)snprintf(ring->names + len,
						sizeof(ring->names) - len,
						"%s%s", i ? ", " : "", v.name);
		if (i && wait[i].since >= ring->since)
			continue;
		ring->since = wait[i].since;
		memcpy(ring->port, v.name, sizeof(ring->port));
	}
}

/**
 * weft_ring_find() - look for wires that wait for each other
 * @ring: result
 * @facts: the lab
 *
 * Return: false without memory.
 */
bool weft_ring_find(struct weft_ring *ring, const struct weft_facts *facts)
{
	struct wait *wait = calloc(2 * (size_t)facts->links + 1, sizeof(*wait));

	*ring = (struct weft_ring) { 0 };
	if (!wait)
		return false;
	ring->wires = keep_rings(wait, find_waits(facts, wait));
	describe(ring, facts, wait);
	free(wait);
	return true;
}
