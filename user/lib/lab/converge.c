// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When routes follow links that went down or came up.
 */
#include "lab/converge.h"

/**
 * weft_converge_feed() - a link changed
 * @c: the state
 * @now: when
 */
void weft_converge_feed(struct weft_converge *c, uint64_t now)
{
	if (c->pending)
		return;
	c->pending = true;
	c->since = now;
}

/**
 * weft_converge_deadline() - when there is something to do
 * @c: the state
 *
 * Return: the time, WEFT_NO_DEADLINE for never.
 */
uint64_t weft_converge_deadline(const struct weft_converge *c)
{
	return c->pending ? c->since + c->wait : WEFT_NO_DEADLINE;
}

/**
 * weft_converge_due() - is it time for new routes?
 * @c: the state; if so, what comes next begins a wait of its own
 * @now: what time it is
 *
 * Return: whether it is.
 */
bool weft_converge_due(struct weft_converge *c, uint64_t now)
{
	if (!c->pending || now < weft_converge_deadline(c))
		return false;
	c->pending = false;
	return true;
}
