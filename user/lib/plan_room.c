// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Buffers and credits of a plan: what comes, and what is said about it.
 *
 * A fabric that is called lossless and cannot be is refused, with the arithmetic,
 * unless the topology accepts it with "lossless: false".
 *
 * The largest packet that may come to a port is that of any NIC that hangs
 * together with it. A NIC that sends trains hands down up to 64 KiB at once; the
 * smallest MTU decides how many frames these are, and each has its headers.
 */
#include "plan_room.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define ETH_HEADER	14
#define TCPIP_HEADER	52	/* IPv4 20, TCP 20, time stamps 12 */
#define IP_MAX		65535

/**
 * struct part - NICs that hang together
 * @mtu_min: smallest MTU
 * @mtu_max: largest MTU
 * @train: one of them sends trains
 */
struct part {
	uint32_t mtu_min;
	uint32_t mtu_max;
	bool train;
};

/**
 * weft_plan_note() - add a remark to a plan
 * @plan: the plan
 * @err: error
 * @fmt: the remark, one line
 *
 * Return: 0 or -ENOMEM.
 */
int weft_plan_note(struct weft_plan *plan, struct weft_err *err,
		   const char *fmt, ...)
{
	void *more = weft_array_grow(plan->note, plan->notes,
				     sizeof(*plan->note));
	va_list ap;

	if (!more)
		return weft_err_nomem(err);
	plan->note = more;
	va_start(ap, fmt);
	vsnprintf(plan->note[plan->notes++], sizeof(*plan->note), fmt, ap);
	va_end(ap);
	return 0;
}

/**
 * weft_rooms_fault() - something may be lost
 * @r: the plan
 * @fmt: what and why
 *
 * Return: 0 when the topology accepts that, or -EINVAL.
 */
int weft_rooms_fault(struct weft_rooms *r, const char *fmt, ...)
{
	char text[sizeof(*r->plan->note)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!r->topo->lossy)
		return weft_err_set(r->err, WEFT_ERR_USAGE, -EINVAL,
				    "%s; to accept that, say \"lossless: false\"",
				    text);
	r->plan->lossless = false;
	return weft_plan_note(r->plan, r->err, "%s", text);
}

/**
 * weft_load_wire() - bytes that a packet takes on a wire
 * @l: the packet
 * @w: the wire
 *
 * Return: bytes.
 */
uint64_t weft_load_wire(const struct weft_load *l, const struct weft_wire *w)
{
	return l->segs * weft_wire_bytes(w, (l->len + l->segs - 1) / l->segs);
}

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

static void add_nic(struct part *part, const struct weft_plan_nic *nic)
{
	if (!part->mtu_min || nic->mtu < part->mtu_min)
		part->mtu_min = nic->mtu;
	if (nic->mtu > part->mtu_max)
		part->mtu_max = nic->mtu;
	if (nic->nic.segmentation == WEFT_SEGMENTATION_TRAIN)
		part->train = true;
}

static struct weft_load load_of(const struct part *part)
{
	struct weft_load l = { part->mtu_max + ETH_HEADER, 1 };
	uint32_t mss;

	if (!part->train)
		return l;
	mss = part->mtu_min - TCPIP_HEADER;
	l.segs = (IP_MAX - TCPIP_HEADER + mss - 1) / mss;
	l.len = IP_MAX - TCPIP_HEADER +
		l.segs * (ETH_HEADER + TCPIP_HEADER);
	return l;
}

/* Which objects hang together, and what the NICs among them send. */
static void find_loads(struct weft_rooms *r, unsigned int *up,
		       struct part *part)
{
	const struct weft_plan *p = r->plan;
	unsigned int n = p->switches + p->nics;

	for (unsigned int i = 0; i < n; i++)
		up[i] = i;
	for (unsigned int i = 0; i < p->links; i++) {
		const struct weft_end *end = p->link[i].end;

		up[root_of(up, index_of(p, &end[0]))] =
			root_of(up, index_of(p, &end[1]));
	}
	for (unsigned int i = 0; i < p->nics; i++)
		add_nic(&part[root_of(up, p->switches + i)], &p->nic[i]);
	for (unsigned int i = 0; i < n; i++) {
		const struct part *mine = &part[root_of(up, i)];

		if (mine->mtu_max)
			r->load[i] = load_of(mine);
		else
			r->load[i] = (struct weft_load) { ETH_HEADER, 1 };
	}
}

static int make_loads(struct weft_rooms *r)
{
	unsigned int n = r->plan->switches + r->plan->nics;
	struct part *part = calloc(n + 1, sizeof(*part));
	unsigned int *up = calloc(n + 1, sizeof(*up));
	int ret = 0;

	r->load = calloc(n + 1, sizeof(*r->load));
	if (part && up && r->load)
		find_loads(r, up, part);
	else
		ret = weft_err_nomem(r->err);
	free(part);
	free(up);
	return ret;
}

/**
 * weft_plan_rooms() - plan the buffers, and see whether they are enough
 * @plan: the plan, ports and links complete
 * @topo: the topology
 * @err: the arithmetic, if not
 *
 * Return: 0 or negative errno.
 */
int weft_plan_rooms(struct weft_plan *plan, const struct weft_topo *topo,
		    struct weft_err *err)
{
	struct weft_rooms r = { .plan = plan, .topo = topo, .err = err };
	int ret = make_loads(&r);

	if (!ret)
		ret = weft_rooms_buffers(&r);
	if (!ret)
		ret = weft_rooms_credits(&r);
	free(r.load);
	return ret;
}
