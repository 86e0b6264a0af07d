/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disciplines: how a class is kept from overrunning the far end of a wire.
 *
 * A discipline is one table of functions in one file. All of a port's calls go
 * through the table; adding a discipline touches the list in discipline.c only.
 */
#ifndef FAB_DISCIPLINE_H
#define FAB_DISCIPLINE_H

#include "types.h"

/**
 * struct fab_discipline - the rules of one link family
 *
 * "Sending" functions act on the port that owns the outgoing wire, "receiving"
 * ones on the port at its far end. NULL means: nothing to do, or "yes".
 */
struct fab_discipline {
	/** @name: what users write in profiles */
	const char *name;
	/** @state_size: bytes of per-port state behind fab_port.disc_state */
	u32 state_size;
	/** @init: sending and receiving: prepare the zeroed state of @port */
	void (*init)(struct fab *fab, struct fab_port *port);
	/** @may_send: sending: may @pkt, head of its class, go onto the wire now? */
	bool (*may_send)(struct fab_port *port, const struct fab_pkt *pkt);
	/** @on_send: sending: @pkt goes onto the wire */
	void (*on_send)(struct fab *fab, struct fab_port *port,
			struct fab_pkt *pkt);
	/**
	 * @on_receive: receiving: @pkt arrived at a switch and its room in the
	 * buffer was taken, or refused with @verdict (FAB_DROP_COUNT: taken)
	 */
	void (*on_receive)(struct fab *fab, struct fab_port *port,
			   struct fab_pkt *pkt, enum fab_drop verdict);
	/** @on_release: receiving: the room of @pkt, accounted at @port, is free again */
	void (*on_release)(struct fab *fab, struct fab_port *port,
			   const struct fab_pkt *pkt);
	/** @on_timer: the timer of the discipline, fab_port.disc_timer, fired */
	void (*on_timer)(struct fab *fab, struct fab_port *port);
	/** @check: invariants of the state; NULL or what is wrong */
	const char *(*check)(const struct fab_port *port);
};

extern const struct fab_discipline fab_drop_tail;

const struct fab_discipline *fab_discipline_find(const char *name);

#endif
