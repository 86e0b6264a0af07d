// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Convergence: when routes are recomputed after links went down or came up.
 */
#include "lab/converge.h"

/**
 * weft_converge_feed() - note that a link changed
 * @c: the state
 * @now: time of the change, ps of fabric time
 */
void weft_converge_feed(struct weft_converge *c, uint64_t now)
{
	if (c->pending)
		return;
	c->pending = true;
	c->since = now;
}

/**
 * weft_converge_deadline() - time at which new routes are due
 * @c: the state
 *
 * Return: fabric time in ps, WEFT_NO_DEADLINE if none are due.
 */
uint64_t weft_converge_deadline(const struct weft_converge *c)
{
	return c->pending ? c->since + c->wait : WEFT_NO_DEADLINE;
}

/**
 * weft_converge_due() - are new routes due?
 * @c: the state; if they are, the next change begins a new wait
 * @now: current fabric time, ps
 *
 * Return: whether they are due.
 */
bool weft_converge_due(struct weft_converge *c, uint64_t now)
{
	if (!c->pending || now < weft_converge_deadline(c))
		return false;
	c->pending = false;
	return true;
}
