/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disciplines: what a link is, by a name that users write.
 *
 * A discipline is a choice on each of three axes: how packets travel, and
 * whether the link sends again what an error hit (framing); how a class is kept
 * from overrunning the far end of a wire (flow control); and what runs over the
 * link (family). The rest of the model and the module ask these tables and know
 * no discipline by name. Adding one touches the list in discipline.c only.
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
 * enum fab_say - what a control frame is sent for
 * @FAB_SAY_URGENT: for news that are worth the time of packets
 * @FAB_SAY_NEWS: for any news, as the wire is idle
 * @FAB_SAY_ANY: for something else: fill in what there is, news or not
 */
enum fab_say {
	FAB_SAY_URGENT,
	FAB_SAY_NEWS,
	FAB_SAY_ANY,
};

/**
 * struct fab_framing - how packets travel
 *
 * Where @size is there, what an error hit is sent once more (retry.c).
 */
struct fab_framing {
	/** @size: bytes that a packet takes in the replay buffer; NULL: no retry */
	u32 (*size)(const struct fab_port_params *rx,
		    const struct fab_pkt *pkt);
	/** @shares: a frame of flow control also acknowledges */
	bool shares;
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
	/** @reliable: what is lost would never be granted again: retry only */
	bool reliable;
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
	bool (*may_send)(const struct fab_port *port, const struct fab_pkt *pkt);
	/** @on_send: sending: @pkt goes onto the wire */
	void (*on_send)(struct fab *fab, struct fab_port *port,
			struct fab_pkt *pkt);
	/**
	 * @control: sending: the wire is free; fill @c with the control frame
	 * that goes next. Returns its bytes on the wire, 0 for none. Asked after
	 * fab_control_want().
	 */
	u32 (*control)(struct fab *fab, struct fab_port *port, enum fab_say say,
		       struct fab_control *c);
	/**
	 * @rides: sending, with retry: is there news that may ride on @pkt, which
	 * goes onto the wire? @also: an acknowledgement is to ride, news or not.
	 * It acts when @time of the packet is sent.
	 */
	bool (*rides)(const struct fab_port *port, const struct fab_pkt *pkt,
		      bool also, fab_time *time);
	/**
	 * @repeat: receiving, with retry: what the far end has not heard is news
	 * again. @also: so is an acknowledgement, which needs a frame. Returns
	 * whether there is anything.
	 */
	bool (*repeat)(struct fab_port *port, bool also);
	/** @on_control: receiving: a control frame of the far end acts */
	void (*on_control)(struct fab *fab, struct fab_port *port,
			   const struct fab_control *c);
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
	/** @framing: how packets travel, with or without retry */
	const struct fab_framing *framing;
	/** @flow: flow control */
	const struct fab_flow_control *flow;
	/** @family: what runs over the link */
	enum fab_family family;
};

extern const struct fab_framing fab_frames;
extern const struct fab_framing fab_replayed_frames;
extern const struct fab_flow_control fab_flow_none;

extern const struct fab_discipline fab_credit;
extern const struct fab_discipline fab_drop_tail;
extern const struct fab_discipline fab_nvlink;
extern const struct fab_discipline fab_pause;
extern const struct fab_discipline fab_pcie;
extern const struct fab_discipline fab_pfc;

bool fab_discipline_sensible(const struct fab_discipline *disc);
const struct fab_discipline *fab_discipline_find(const char *name);
const char *fab_discipline_name(u32 i);

#endif
