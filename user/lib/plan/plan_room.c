// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Buffers and credits of a plan: the largest packets, and remarks about them.
 *
 * A fabric with lossless classes that may lose packets is refused, with the
 * arithmetic, unless the topology accepts it with "lossless: false".
 *
 * The largest packet of a port is the largest packet of all NICs in its
 * connected component. A NIC that sends trains sends up to 64 KiB at once. The
 * number of their frames follows from the smallest MTU, and each frame has its
 * headers.
 */
#include "plan/plan_room.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/plan_components.h"

#define ETH_HEADER	14
#define TCPIP_HEADER	52	/* IPv4 20, TCP 20, time stamps 12 */
#define IP_MAX		65535

/**
 * struct component - NICs of a connected component
 * @mtu_min: smallest MTU
 * @mtu_max: largest MTU
 * @train: one of them sends trains
 */
struct component {
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
 * weft_rooms_fault() - report that packets may be lost
 * @r: the plan
 * @fmt: the reason
 *
 * Return: 0 if the topology accepts loss; -EINVAL or -ENOMEM.
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
 * weft_load_wire() - size of a packet on a wire
 * @l: the packet
 * @w: the wire
 *
 * Return: bytes, with the overhead of each frame.
 */
uint64_t weft_load_wire(const struct weft_load *l, const struct weft_wire *w)
{
	return l->segs * weft_wire_bytes(w, (l->len + l->segs - 1) / l->segs);
}

static void add_nic(struct component *component, const struct weft_plan_nic *nic)
{
	if (!component->mtu_min || nic->mtu < component->mtu_min)
		component->mtu_min = nic->mtu;
	if (nic->mtu > component->mtu_max)
		component->mtu_max = nic->mtu;
	if (nic->nic.segmentation == WEFT_SEGMENTATION_TRAIN)
		component->train = true;
}

static struct weft_load load_of(const struct component *component)
{
	struct weft_load l = { component->mtu_max + ETH_HEADER, 1 };
	uint32_t mss;

	if (!component->train)
		return l;
	mss = component->mtu_min - TCPIP_HEADER;
	l.segs = (IP_MAX - TCPIP_HEADER + mss - 1) / mss;
	l.len = IP_MAX - TCPIP_HEADER +
		l.segs * (ETH_HEADER + TCPIP_HEADER);
	return l;
}

/* @of is the component of each switch, then of each NIC. */
static void find_loads(struct weft_rooms *r, const unsigned int *of,
		       struct component *component)
{
	const struct weft_plan *p = r->plan;

	for (unsigned int i = 0; i < p->nics; i++)
		add_nic(&component[of[p->switches + i]], &p->nic[i]);
	for (unsigned int i = 0; i < p->switches + p->nics; i++) {
		const struct component *mine = &component[of[i]];

		if (mine->mtu_max)
			r->load[i] = load_of(mine);
		else
			r->load[i] = (struct weft_load) { ETH_HEADER, 1 };
	}
}

static int make_loads(struct weft_rooms *r)
{
	unsigned int n = r->plan->switches + r->plan->nics, *of;
	struct component *component;
	int ret = 0;

	if (weft_plan_components(r->plan, &of, r->err))
		return r->err->code;
	component = calloc(n + 1, sizeof(*component));
	r->load = calloc(n + 1, sizeof(*r->load));
	if (component && r->load)
		find_loads(r, of, component);
	else
		ret = weft_err_nomem(r->err);
	free(of);
	free(component);
	return ret;
}

/**
 * weft_plan_rooms() - plan buffers and credits, and check whether they suffice
 * @plan: the plan, ports and links complete
 * @topo: the topology
 * @err: error, with the arithmetic
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
