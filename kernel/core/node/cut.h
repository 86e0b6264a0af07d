/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cut links: a fabric in parts, each with a clock and events of its own.
 */
#ifndef FAB_CUT_H
#define FAB_CUT_H

#include "core/wire/control.h"

struct fab_endpoint;
struct fab_port;
struct fab_switch;

/* Kinds of objects that have events with names, for fab_name() */
#define FAB_NAME_SWITCH		0U
#define FAB_NAME_ENDPOINT	1U
#define FAB_NAME_HOST		2U	/* the first of the host's own kinds, up to 63 */

/**
 * struct fab_cut_lane - what the far end of a cut wire knows of a class
 */
struct fab_cut_lane {
	/** @packet: arrival of the last packet that was sent; 0: none was */
	fab_time packet;
	/** @since: since when it knows @fccl; FAB_NEVER: it was told nothing yet */
	fab_time since;
	/** @fccl: limit of InfiniBand's credits that it was told last */
	u16 fccl;
};

/**
 * struct fab_cut - one wire of a cut link
 *
 * The part of the sender has @lane, the part of the receiver @far. What is on the wire
 * as a packet is in fab_wire.in_flight, which belongs to the part of the receiver.
 */
struct fab_cut {
	/** @id: number of the wire, the host's */
	u32 id;
	/** @from: port that sends on it */
	struct fab_port *from;
	/** @lane: by class of the port, with credits; else NULL */
	struct fab_cut_lane *lane;
	/** @far: control frames that came from the other part, and when they take effect */
	struct fab_control_wire far;
};

/**
 * fab_name() - name of an event, from what it belongs to
 * @seed: seed of the fabric
 * @kind: FAB_NAME_*
 * @object: number of the object among those of its kind, less than 2^42
 * @event: number of the event in its object, less than 2^16
 *
 * Return: the name, for fab_event_name().
 */
static inline u64 fab_name(u64 seed, u32 kind, u64 object, u32 event)
{
	u64 name = fab_mix(seed ^ fab_mix((u64)kind << 58 | object << 16 | event));

	return name ? name : 1;
}

void fab_switch_name(const struct fab *fab, struct fab_switch *sw);
void fab_endpoint_name(const struct fab *fab, struct fab_endpoint *ep);
void fab_switch_change(struct fab *from, struct fab *to, struct fab_switch *sw);
void fab_endpoint_change(struct fab *from, struct fab *to,
			 struct fab_endpoint *ep);
bool fab_cut_possible(const struct fab_port *port);
size_t fab_cut_mem(const struct fab_port *port);
size_t fab_cut_ring_mem(const struct fab_port *port);
void fab_cut_init(struct fab_cut *cut, u32 id, struct fab_port *port, void *mem, void *ring);
void fab_cut_carry(struct fab *fab, struct fab_port *port, struct fab_pkt *pkt);
void fab_cut_tell(struct fab *fab, struct fab_port *port,
		  const struct fab_control *c);
void fab_cut_arrive(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt);
void fab_cut_hear(struct fab *fab, struct fab_cut *cut,
		  const struct fab_control *c);
bool fab_cut_lacks(const struct fab *fab, const struct fab_port *port, u32 cls,
		   u16 fccl);

#endif
