/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disciplines: kinds of links, by the name that users write.
 *
 * A discipline is a choice on each of three axes. Framing is how packets travel, and
 * whether the link retransmits packets with errors. Flow control keeps a class from
 * overrunning the far end of a wire. The family is the protocol over the link. The
 * rest of the model and the module use these tables and know no discipline by name.
 * Adding one touches the list in discipline.c only.
 */
#ifndef FAB_DISCIPLINE_H
#define FAB_DISCIPLINE_H

#include "core/types.h"

/**
 * enum fab_flow_kind - parameters of a flow control
 * @FAB_FLOW_NONE: none
 * @FAB_FLOW_PFC: fab_flow_params.pfc
 * @FAB_FLOW_CREDIT: fab_flow_params.credit
 * @FAB_FLOW_FLIT: fab_flow_params.flit
 * @FAB_FLOW_CBFC: fab_flow_params.cbfc
 */
enum fab_flow_kind {
	FAB_FLOW_NONE,
	FAB_FLOW_PFC,
	FAB_FLOW_CREDIT,
	FAB_FLOW_FLIT,
	FAB_FLOW_CBFC,
};

/**
 * enum fab_pauses - scope of pauses
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
 * enum fab_family - protocol over a link
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
 * enum fab_say - reason to send a control frame
 * @FAB_SAY_URGENT: only updates that may delay packets
 * @FAB_SAY_NEWS: any update, as the wire is idle
 * @FAB_SAY_ANY: the frame is sent anyway: fill in the state, changed or not
 */
enum fab_say {
	FAB_SAY_URGENT,
	FAB_SAY_NEWS,
	FAB_SAY_ANY,
};

/**
 * struct fab_framing - how packets travel
 *
 * With @size, packets hit by an error are retransmitted (retry.c).
 */
struct fab_framing {
	/** @size: bytes that a packet takes in the replay buffer; NULL: no retry */
	u32 (*size)(const struct fab_port_params *rx,
		    const struct fab_pkt *pkt);
	/** @shares: a frame of flow control also acknowledges */
	bool shares;
};

/**
 * struct fab_flow_control - operations of a flow control
 *
 * "Sending" functions act on the port that owns the outgoing wire, "receiving"
 * ones on the port at its far end. A function that is NULL does nothing, or answers
 * "yes".
 */
struct fab_flow_control {
	/** @kind: its parameters */
	enum fab_flow_kind kind;
	/** @pauses: scope of its pauses */
	enum fab_pauses pauses;
	/** @credits: the far end only sends packets with credit, each once and in order */
	bool credits;
	/** @reliable: credits of lost packets never return, so it needs framing with retry */
	bool reliable;
	/** @best_effort: with @own_room: classes that are not lossless drop and trim in queues */
	bool best_effort;
	/** @state_size: bytes of per-port state behind fab_port.flow_state */
	u32 state_size;
	/** @class_size: bytes of state per class of the port, behind the former */
	u32 class_size;
	/** @control_slots: maximum number of control frames on one wire */
	u32 control_slots;
	/** @class_slots: with few classes: so many for each, and once more; 0: no matter */
	u32 class_slots;
	/**
	 * @own_room: it accounts for buffer space itself; the limits of the shared
	 * buffer do not apply
	 */
	bool own_room;
	/**
	 * @at_threshold: it only looks at the threshold of the buffer. @on_receive is not
	 * called for a packet that got room in a class below it, nor @on_release while no
	 * class of the port is over it (fab_port.over)
	 */
	bool at_threshold;
	/**
	 * @mgmt: FAB_VL_MGMT is for subnet management. Each port has it, whatever
	 * its classes, and it goes before them
	 */
	bool mgmt;
	/** @params_check: returns 0, or a negative error for invalid parameters */
	int (*params_check)(const struct fab_port_params *p);
	/** @agree: can a port with @a and one with @b be linked? */
	bool (*agree)(const struct fab_port_params *a,
		      const struct fab_port_params *b);
	/** @init: sending and receiving: initialise the zeroed state of @port */
	void (*init)(struct fab *fab, struct fab_port *port);
	/**
	 * @reset: reset the state: the outgoing wire of @port, or that of its far
	 * end, came up, went down, or was unplugged. Its queues are empty.
	 */
	void (*reset)(struct fab *fab, struct fab_port *port);
	/**
	 * @fits: sending: can the far end take @pkt at all, when its buffer is empty?
	 * NULL: any packet
	 */
	bool (*fits)(const struct fab_port *port, const struct fab_pkt *pkt);
	/** @may_send: sending: may @pkt, head of its class, be transmitted now? */
	bool (*may_send)(const struct fab_port *port, const struct fab_pkt *pkt);
	/** @on_send: sending: the transmission of @pkt begins */
	void (*on_send)(struct fab *fab, struct fab_port *port,
			struct fab_pkt *pkt);
	/**
	 * @control: sending: the wire is free; fill @c with the next control
	 * frame. Returns its bytes on the wire, 0 for none. Called after
	 * fab_control_want().
	 */
	u32 (*control)(struct fab *fab, struct fab_port *port, enum fab_say say,
		       struct fab_control *c);
	/**
	 * @rides: sending, with retry: is there an update that the header of @pkt
	 * can carry, whose transmission begins? @also: an acknowledgement is to be
	 * carried anyway. The update acts @time (ps) after the start of the packet.
	 */
	bool (*rides)(const struct fab_port *port, const struct fab_pkt *pkt,
		      bool also, fab_time *time);
	/**
	 * @repeat: receiving, with retry: mark updates that the far end lacks as
	 * pending again. @also: an acknowledgement needs a frame too. Returns true
	 * if any is pending.
	 */
	bool (*repeat)(struct fab_port *port, bool also);
	/** @on_control: receiving: a control frame of the far end takes effect */
	void (*on_control)(struct fab *fab, struct fab_port *port,
			   const struct fab_control *c);
	/**
	 * @take: receiving, with @own_room: take room for @pkt, which arrived or
	 * is a copy. Returns FAB_DROP_COUNT, or the reason for a drop. NULL: there
	 * is always room.
	 */
	enum fab_drop (*take)(struct fab_port *port, const struct fab_pkt *pkt);
	/**
	 * @on_receive: receiving: @pkt arrived; @verdict is FAB_DROP_COUNT if it got
	 * room in the buffer, else the reason for its drop
	 */
	void (*on_receive)(struct fab *fab, struct fab_port *port,
			   struct fab_pkt *pkt, enum fab_drop verdict);
	/** @on_copy: receiving: @pkt, a copy of an arrived packet, took room */
	void (*on_copy)(struct fab *fab, struct fab_port *port,
			const struct fab_pkt *pkt);
	/** @on_release: receiving: the room of @pkt, accounted at @port, is free again */
	void (*on_release)(struct fab *fab, struct fab_port *port,
			   const struct fab_pkt *pkt);
	/** @shut: receiving, with @mgmt: packets of @classes are dropped when they arrive */
	void (*shut)(struct fab_port *port, u16 classes);
	/** @on_timer: the timer of the flow control, fab_port.flow_timer, fired */
	void (*on_timer)(struct fab *fab, struct fab_port *port);
	/** @check: check the invariants of the state: NULL, or the violated one as text */
	const char *(*check)(const struct fab_port *port);
};

/**
 * struct fab_discipline - a kind of link
 */
struct fab_discipline {
	/** @name: what users write in profiles */
	const char *name;
	/** @framing: how packets travel, with or without retry */
	const struct fab_framing *framing;
	/** @flow: flow control */
	const struct fab_flow_control *flow;
	/** @family: protocol over the link */
	enum fab_family family;
};

extern const struct fab_framing fab_frames;
extern const struct fab_framing fab_replayed_frames;
extern const struct fab_flow_control fab_flow_none;

extern const struct fab_discipline fab_cbfc;
extern const struct fab_discipline fab_credit;
extern const struct fab_discipline fab_drop_tail;
extern const struct fab_discipline fab_nvlink;
extern const struct fab_discipline fab_pause;
extern const struct fab_discipline fab_pcie;
extern const struct fab_discipline fab_pfc;
extern const struct fab_discipline fab_uec;

bool fab_discipline_sensible(const struct fab_discipline *disc);
const struct fab_discipline *fab_discipline_find(const char *name);
const char *fab_discipline_name(u32 i);

#endif
