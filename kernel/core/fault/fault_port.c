// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of the port that sends on a wire: its flow control, its marks, its NIC.
 *
 * DOC: theory of operation
 *
 * These faults are kept, begun and ended like those of the wire (fault.c). What
 * those that are active make of the port is worked out anew whenever one begins
 * or ends: the classes that it stops (@storm) or marks in another way (@marks),
 * whether its NIC is frozen, and how fast the host takes packets. What was set
 * is kept beside that, never written, and holds again when the last one is gone.
 *
 * Credit loss. A frame that grants credits is lost on the wire, and so are
 * credits that ride in the header of a packet; the packet is not. Both families
 * count credits from the beginning of the link on, so that the next frame that
 * comes through grants all that the lost ones did.
 *
 * Pause storm. The port says XOFF, and says it again in time, whatever its
 * buffer says. When that ends it falls silent: the far end goes on when the last
 * pause is over, unless the buffer needs it stopped.
 *
 * Hang. The NIC takes nothing out of its receive buffer and no packet out of its
 * rings. What it does by itself goes on: the packet on the wire, one that is on
 * its way to the host already, pauses, credits, replays. So its buffer fills, and
 * whether that stops the far end or loses packets is the discipline's business.
 *
 * Slow. The host empties the buffer at a rate, the least of its own and theirs,
 * or not at all; the NIC sends.
 *
 * ECN. A class is marked by the thresholds of the fault that was added last. The
 * port draws for its own thresholds as well and ignores the result, so that it
 * goes on with the very draws that it would have made.
 */
#include "core/egress/mark.h"
#include "core/fabric.h"
#include "core/fault/fault.h"
#include "core/flow/pfc.h"
#include "core/node/port.h"

static bool fault_acts(const struct fab_fault *f, enum fab_fault_kind kind)
{
	return f->state == FAB_FAULT_ACTIVE && f->p.kind == kind;
}

static u16 fault_classes(const struct fab_fault *f)
{
	return f->p.classes ? f->p.classes : U16_MAX;
}

/* The classes of all active faults of a kind. */
static u16 fault_union(const struct fab_port *port, enum fab_fault_kind kind)
{
	const struct fab_fault *f;
	u16 classes = 0;

	for (f = port->faults.first; f; f = f->next)
		if (fault_acts(f, kind))
			classes |= fault_classes(f);
	return classes;
}

static u32 fault_hangs(const struct fab_port *port)
{
	const struct fab_fault *f;
	u32 n = 0;

	for (f = port->faults.first; f; f = f->next)
		n += fault_acts(f, FAB_FAULT_HANG);
	return n;
}

/* What the active faults leave of the rate at which the host takes packets. */
static struct fab_receive_params fault_receive(const struct fab_port *port)
{
	struct fab_receive_params left = {};
	const struct fab_fault *f;

	if (fault_hangs(port))
		left.stopped = U16_MAX;
	for (f = port->faults.first; f; f = f->next) {
		if (!fault_acts(f, FAB_FAULT_SLOW))
			continue;
		if (!f->p.rate_bps)
			left.stopped = U16_MAX;
		else if (!left.rate_bps || f->p.rate_bps < left.rate_bps)
			left.rate_bps = f->p.rate_bps;
	}
	return left;
}

static void fault_change_nic(struct fab *fab, struct fab_port *port)
{
	struct fab_receive_params left = fault_receive(port);

	port->faults.hangs = fault_hangs(port);
	fab_port_kick(fab, port, fab->now);
	fab_receive_limit(fab, port->ep, &left);
}

static void fault_change_marks(struct fab_port *port)
{
	port->faults.marks = fault_union(port, FAB_FAULT_ECN);
	if (port->faults.marks || fab_mark_used(&port->p->mark))
		port->special |= FAB_SPECIAL_MARK;
	else
		port->special &= ~FAB_SPECIAL_MARK;
}

/**
 * fab_fault_change_port() - a fault of a port began or ended
 * @fab: the fabric
 * @f: the fault, of any kind
 */
void fab_fault_change_port(struct fab *fab, struct fab_fault *f)
{
	struct fab_port *port = f->port;

	switch (f->p.kind) {
	case FAB_FAULT_PAUSE_STORM:
		fab_pfc_storm(fab, port,
			      fault_union(port, FAB_FAULT_PAUSE_STORM));
		break;
	case FAB_FAULT_HANG:
	case FAB_FAULT_SLOW:
		fault_change_nic(fab, port);
		break;
	case FAB_FAULT_ECN:
		fault_change_marks(port);
		break;
	default:
		break;
	}
}

/**
 * fab_fault_ride() - credits are about to ride on a packet
 * @port: port that sends it, which has faults
 *
 * Return: whether they are lost.
 */
bool fab_fault_ride(struct fab_port *port)
{
	struct fab_fault *f;
	bool lost = false;

	for (f = port->faults.first; f; f = f->next) {
		if (!fault_acts(f, FAB_FAULT_CREDIT_LOSS) ||
		    !fab_fault_chance(f, f->enter))
			continue;
		f->c.control++;
		lost = true;
	}
	return lost;
}

/**
 * fab_fault_stormed() - a storm has the far end stopped once more
 * @port: port that says so
 * @classes: bit per class that it is about
 */
void fab_fault_stormed(struct fab_port *port, u16 classes)
{
	struct fab_fault *f;

	for (f = port->faults.first; f; f = f->next)
		if (fault_acts(f, FAB_FAULT_PAUSE_STORM) &&
		    fault_classes(f) & classes)
			f->c.control++;
}

/**
 * fab_fault_received() - a packet came to a NIC with faults
 * @port: the NIC's port
 * @pkt: the packet
 */
void fab_fault_received(struct fab_port *port, const struct fab_pkt *pkt)
{
	struct fab_fault *f;

	for (f = port->faults.first; f; f = f->next)
		if (fault_acts(f, FAB_FAULT_HANG) ||
		    fault_acts(f, FAB_FAULT_SLOW))
			f->c.packets += pkt->segs;
}

/**
 * fab_fault_marks() - whose thresholds does a class go by?
 * @port: the port
 * @cls: the class
 *
 * Return: the fault, NULL: the port's own.
 */
struct fab_fault *fab_fault_marks(const struct fab_port *port, u32 cls)
{
	struct fab_fault *f, *last = NULL;

	if (likely(!(port->faults.marks & BIT(cls))))
		return NULL;
	for (f = port->faults.first; f; f = f->next)
		if (fault_acts(f, FAB_FAULT_ECN) &&
		    fault_classes(f) & BIT(cls))
			last = f;
	return last;
}

static const char *fault_check_nic(const struct fab_port *port)
{
	const struct fab_receive_params left = fault_receive(port);
	const struct fab_receive *rx = &port->ep->rx;

	if (left.rate_bps != rx->left.rate_bps ||
	    left.stopped != rx->left.stopped)
		return "fault: the host takes packets in another way than it may";
	return NULL;
}

/**
 * fab_fault_check_port() - prove the invariants of what faults make of a port
 * @port: the port
 *
 * Return: NULL, or what is wrong.
 */
const char *fab_fault_check_port(const struct fab_port *port)
{
	const struct fab_port_faults *all = &port->faults;

	if (all->storm != fault_union(port, FAB_FAULT_PAUSE_STORM))
		return "fault: the port storms for no reason, or does not";
	if (all->hangs != fault_hangs(port))
		return "fault: the NIC hangs for no reason, or does not";
	if (all->marks != fault_union(port, FAB_FAULT_ECN))
		return "fault: the port marks by the wrong thresholds";
	return port->ep ? fault_check_nic(port) : NULL;
}
