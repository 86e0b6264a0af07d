// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared buffers of a plan: reserves, thresholds and headrooms.
 *
 * With the disciplines pause and pfc, packets that arrive after the decision to
 * pause need headroom, which weft_headroom_enough() computes. If the topology
 * does not set the headroom, it is that of the worst link of the switch.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netlink/discipline.h"
#include "plan/headroom.h"
#include "plan/plan_room.h"
#include "topology/topo_port.h"

#define BUFFER_DEFAULT	33554432	/* bytes; the kernel's default */

static const struct weft_port_params *port_at(const struct weft_plan *p,
					      const struct weft_end *end)
{
	return end->is_nic ? &p->nic[end->id].nic.port : &p->sw[end->id].port;
}

static const struct weft_room *room_at(const struct weft_rooms *r,
				       const struct weft_end *end)
{
	const struct weft_plan_node *node;
	unsigned int index;

	if (!end->is_nic)
		return &r->topo->sw[end->id].room;
	index = r->plan->nic[end->id].node;
	node = &r->plan->node[index];
	return &r->topo->node[index].nic[end->id - node->first].room;
}

static struct weft_headroom_in headroom_in(const struct weft_rooms *r,
					   const struct weft_link *link,
					   unsigned int side)
{
	const struct weft_end *here = &link->end[side];
	const struct weft_wire *w = &link->wire[0];
	const struct weft_load *l;
	uint64_t bytes;

	l = &r->load[here->is_nic ? r->plan->switches + here->id : here->id];
	bytes = weft_load_wire(l, w);
	return (struct weft_headroom_in) {
		.rate = weft_wire_rate(w),
		.propagation = w->propagation,
		.react = port_at(r->plan, &link->end[!side])->react,
		.mtu = (uint32_t)bytes,
		.reverse = (uint32_t)bytes,
	};
}

static struct weft_buffer_class lossless_class(const struct weft_room *room,
					       uint32_t cls, uint32_t headroom)
{
	struct weft_buffer_class c = {
		.has = WEFT_HAS(WEFT_A_BUFFER_CLASS_CLASS) |
		       WEFT_HAS(WEFT_A_BUFFER_CLASS_RESERVE) |
		       WEFT_HAS(WEFT_A_BUFFER_CLASS_HEADROOM) |
		       WEFT_HAS(WEFT_A_BUFFER_CLASS_XON),
		.cls = cls,
		.reserve = room->reserve,
		.headroom = headroom,
		.xon = room->xon,
		.threshold = room->threshold,
		.alpha = room->alpha,
	};

	if (room->has & WEFT_ROOM_HAS_THRESHOLD)
		c.has |= WEFT_HAS(WEFT_A_BUFFER_CLASS_THRESHOLD);
	if (room->has & WEFT_ROOM_HAS_ALPHA)
		c.has |= WEFT_HAS(WEFT_A_BUFFER_CLASS_ALPHA);
	return c;
}

/* Set the limits of all classes of a port; lossless ones get @headroom. */
static void set_classes(struct weft_buffer *b, const struct weft_room *room,
			const struct weft_port_params *p, uint32_t headroom)
{
	uint32_t lossless = weft_port_lossless(p);

	b->n = 0;
	for (uint32_t i = 0; i < weft_port_classes(p); i++) {
		if (lossless & 1U << i)
			b->cls[b->n++] = lossless_class(room, i, headroom);
		else if (room->has & WEFT_ROOM_HAS_LOSSY_ALPHA)
			b->cls[b->n++] = (struct weft_buffer_class) {
				.has = WEFT_HAS(WEFT_A_BUFFER_CLASS_CLASS) |
				       WEFT_HAS(WEFT_A_BUFFER_CLASS_ALPHA),
				.cls = i,
				.alpha = room->lossy_alpha,
			};
	}
}

/* The buffer must hold all reserves and headrooms at the same time. */
static int check_sum(struct weft_rooms *r, const char *what, const char *name,
		     const struct weft_buffer *b, uint32_t ports, uint64_t total)
{
	uint64_t reserve = 0, headroom = 0, sum;

	for (uint32_t i = 0; i < b->n; i++) {
		reserve += b->cls[i].reserve;
		headroom += b->cls[i].headroom;
	}
	sum = ports * (reserve + headroom);
	if (sum <= total)
		return 0;
	return weft_err_set(r->err, WEFT_ERR_USAGE, -EINVAL,
			    "%s %s: reserves %" PRIu64 " + headrooms %" PRIu64
			    " of each port, %u ports, make %" PRIu64
			    " and the buffer has %" PRIu64,
			    what, name, reserve, headroom, ports, sum, total);
}

static uint32_t most(uint64_t need)
{
	return need < UINT32_MAX ? (uint32_t)need : UINT32_MAX;
}

static uint32_t class_headroom(const struct weft_buffer *b)
{
	uint32_t headroom = 0;

	for (uint32_t i = 0; i < b->n; i++)
		if (b->cls[i].headroom > headroom)
			headroom = b->cls[i].headroom;
	return headroom;
}

/* Raise the headroom of a port to the need of @link, unless it is given. */
static void raise_headroom(struct weft_rooms *r, const struct weft_link *link,
			   unsigned int side)
{
	struct weft_headroom_in in = headroom_in(r, link, side);
	const struct weft_end *here = &link->end[side];
	const struct weft_room *room = room_at(r, here);
	struct weft_nic *nic = here->is_nic ? &r->plan->nic[here->id].nic : NULL;
	struct weft_buffer *b = nic ? &nic->classes :
				      &r->plan->sw[here->id].classes;
	uint32_t need = most(weft_headroom_enough(&in));

	if (nic && !(nic->has & WEFT_NIC_HAS_RX_BUFFER))
		return;
	if (!weft_port_pauses(port_at(r->plan, here)))
		need = 0;
	else if (room->has & WEFT_ROOM_HAS_HEADROOM)
		need = room->headroom;
	if (!b->n || need > class_headroom(b))
		set_classes(b, room, port_at(r->plan, here), need);
}

static int check_headroom(struct weft_rooms *r, const struct weft_link *link,
			  unsigned int side)
{
	struct weft_headroom_in in = headroom_in(r, link, side);
	const struct weft_end *here = &link->end[side];
	const struct weft_room *room = room_at(r, here);
	char explained[256];

	if (!(room->has & WEFT_ROOM_HAS_HEADROOM) ||
	    !weft_port_lossless(port_at(r->plan, here)) ||
	    !weft_port_pauses(port_at(r->plan, here)) ||
	    room->headroom >= weft_headroom_enough(&in))
		return 0;
	if (here->is_nic &&
	    !(r->plan->nic[here->id].nic.has & WEFT_NIC_HAS_RX_BUFFER))
		return 0;
	return weft_rooms_fault(r, "%s, link %s: headroom %u is below its %s",
				here->is_nic ? r->plan->nic[here->id].nic.name :
					       r->plan->sw[here->id].name,
				link->name, room->headroom,
				weft_headroom_explain(explained,
						      sizeof(explained), &in));
}

static int check_sums(struct weft_rooms *r)
{
	struct weft_plan *p = r->plan;

	for (unsigned int i = 0; i < p->switches; i++) {
		const struct weft_switch *sw = &p->sw[i];
		bool has = sw->has & WEFT_SWITCH_HAS_BUFFER;

		if (check_sum(r, "switch", sw->name, &sw->classes, sw->ports,
			      has ? sw->buffer : BUFFER_DEFAULT))
			return r->err->code;
	}
	for (unsigned int i = 0; i < p->nics; i++) {
		const struct weft_nic *nic = &p->nic[i].nic;

		if (check_sum(r, "NIC", nic->name, &nic->classes, 1,
			      nic->rx_buffer))
			return r->err->code;
	}
	return 0;
}

/**
 * weft_rooms_buffers() - plan the buffer limits of all classes
 * @r: the plan
 *
 * Return: 0 or negative errno.
 */
int weft_rooms_buffers(struct weft_rooms *r)
{
	struct weft_plan *p = r->plan;

	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++)
			if (!weft_port_credits(port_at(p, &p->link[i].end[s])))
				raise_headroom(r, &p->link[i], s);
	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++)
			if (check_headroom(r, &p->link[i], s))
				return r->err->code;
	return check_sums(r);
}
