/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disciplines: what a link is, by a name that users write.
 *
 * A discipline is a choice on each of several axes: how a class is kept from
 * overrunning the far end of a wire (flow control), and the family, which says
 * what runs over the link. An axis is a table; the rest of the model and the
 * module ask the table and know no discipline by name. Adding one touches the
 * list in discipline.c only.
 */
#ifndef FAB_DISCIPLINE_H
#define FAB_DISCIPLINE_H

#include "core/types.h"

/**
 * enum fab_flow_kind - which parameters a flow control goes by
 * @FAB_FLOW_NONE: none
 * @FAB_FLOW_PFC: fab_flow_params.pfc
 * @FAB_FLOW_CREDIT: fab_flow_params.credit
 * @FAB_FLOW_FLIT: fab_flow_params.flit
 */
enum fab_flow_kind {
	FAB_FLOW_NONE,
	FAB_FLOW_PFC,
	FAB_FLOW_CREDIT,
	FAB_FLOW_FLIT,
};

/**
 * enum fab_pauses - what the far end can be told to stop
 * @FAB_PAUSES_NONE: nothing
 * @FAB_PAUSES_LINK: all classes together
 * @FAB_PAUSES_CLASS: each lossless class on its own
 */
enum fab_pauses {
	FAB_PAUSES_NONE,
	FAB_PAUSES_LINK,
	FAB_PAUSES_CLASS,
};

/**
 * enum fab_family - what runs over a link
 * @FAB_ETHERNET: addresses of NICs, RoCE
 * @FAB_INFINIBAND: LIDs, InfiniBand's verbs
 * @FAB_NVLINK: between accelerators, without verbs
 * @FAB_PCIE: inside a host, without verbs
 */
enum fab_family {
	FAB_ETHERNET,
	FAB_INFINIBAND,
	FAB_NVLINK,
	FAB_PCIE,
};

/**
 * struct fab_flow_control - how a class is kept from overrunning the far end
 *
 * "Sending" functions act on the port that owns the outgoing wire, "receiving"
 * ones on the port at its far end. NULL means: nothing to do, or "yes".
 */
struct fab_flow_control {
	/** @kind: its parameters */
	enum fab_flow_kind kind;
	/** @pauses: what the far end can be told to stop */
	enum fab_pauses pauses;
	/** @credits: the far end sends what was granted, in order and once */
	bool credits;
	/** @state_size: bytes of per-port state behind fab_port.flow_state */
	u32 state_size;
	/** @control_slots: control frames that one wire can carry at a time */
	u32 control_slots;
	/**
	 * @own_room: it keeps account of the room itself, so that the shared
	 * buffer limits nothing
	 */
	bool own_room;
	/** @params_check: 0, or a negative error for parameters that cannot be */
	int (*params_check)(const struct fab_port_params *p);
	/** @agree: can a port with @a and one with @b understand each other? */
	bool (*agree)(const struct fab_port_params *a,
		      const struct fab_port_params *b);
	/** @init: sending and receiving: prepare the zeroed state of @port */
	void (*init)(struct fab *fab, struct fab_port *port);
	/**
	 * @reset: the outgoing wire of @port, or that of its far end, came up,
	 * went down, or was unplugged: begin anew. What waited is gone.
	 */
	void (*reset)(struct fab *fab, struct fab_port *port);
	/**
	 * @fits: sending: can the far end ever take @pkt, however long it waits?
	 * NULL: any packet
	 */
	bool (*fits)(const struct fab_port *port, const struct fab_pkt *pkt);
	/** @may_send: sending: may @pkt, head of its class, go onto the wire now? */
	bool (*may_send)(struct fab_port *port, const struct fab_pkt *pkt);
	/** @on_send: sending: @pkt goes onto the wire */
	void (*on_send)(struct fab *fab, struct fab_port *port,
			struct fab_pkt *pkt);
	/**
	 * @control: sending: the wire is free; fill @c with the control frame
	 * that goes next. @idle: no packet can go now. Returns its bytes on the
	 * wire, 0 for none. Asked after fab_control_want().
	 */
	u32 (*control)(struct fab *fab, struct fab_port *port, bool idle,
		       struct fab_control *c);
	/** @on_control: receiving: a control frame of the far end acts */
	void (*on_control)(struct fab *fab, struct fab_port *port,
			   const struct fab_control *c);
	/**
	 * @on_arrive: @pkt, sent by @from, is at the far end. True: the link
	 * refused it, and it is in @from's queue of packets to be replayed.
	 */
	bool (*on_arrive)(struct fab *fab, struct fab_port *from,
			  struct fab_pkt *pkt);
	/**
	 * @take: receiving, with @own_room: take room for @pkt, which arrived or
	 * is a copy, or say why not; NULL: there is always room
	 */
	enum fab_drop (*take)(struct fab_port *port, const struct fab_pkt *pkt);
	/**
	 * @on_receive: receiving: @pkt arrived and its room in the buffer was
	 * taken, or refused with @verdict (FAB_DROP_COUNT: taken)
	 */
	void (*on_receive)(struct fab *fab, struct fab_port *port,
			   struct fab_pkt *pkt, enum fab_drop verdict);
	/** @on_copy: receiving: @pkt, a copy of one that arrived, took room */
	void (*on_copy)(struct fab *fab, struct fab_port *port,
			const struct fab_pkt *pkt);
	/** @on_release: receiving: the room of @pkt, accounted at @port, is free again */
	void (*on_release)(struct fab *fab, struct fab_port *port,
			   const struct fab_pkt *pkt);
	/** @on_timer: the timer of the flow control, fab_port.flow_timer, fired */
	void (*on_timer)(struct fab *fab, struct fab_port *port);
	/** @check: invariants of the state; NULL or what is wrong */
	const char *(*check)(const struct fab_port *port);
};

/**
 * struct fab_discipline - a link by name
 */
struct fab_discipline {
	/** @name: what users write in profiles */
	const char *name;
	/** @flow: flow control */
	const struct fab_flow_control *flow;
	/** @family: what runs over the link */
	enum fab_family family;
};

extern const struct fab_flow_control fab_flow_none;

extern const struct fab_discipline fab_credit;
extern const struct fab_discipline fab_drop_tail;
extern const struct fab_discipline fab_nvlink;
extern const struct fab_discipline fab_pause;
extern const struct fab_discipline fab_pcie;
extern const struct fab_discipline fab_pfc;

const struct fab_discipline *fab_discipline_find(const char *name);
const char *fab_discipline_name(u32 i);

#endif
