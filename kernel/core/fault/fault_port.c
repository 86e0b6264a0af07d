// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of the port that sends on a wire: its flow control, its marks, its NIC.
 *
 * DOC: theory of operation
 *
 * These faults are stored, begun and ended like those of the wire (fault.c). The
 * combined effect of the active ones is computed again whenever one begins or ends:
 * the classes that the port pauses (@storm) or marks by other thresholds (@marks),
 * whether its NIC hangs, and the rate at which the host takes packets. The port's
 * own settings are stored separately and never written. They apply again when the
 * last fault ends.
 *
 * Credit loss. A frame that grants credits is lost on the wire. Credits that ride in
 * the header of a packet are lost too, but not the packet. Both families count
 * credits since the link came up, so the next frame that arrives also grants the lost
 * credits.
 *
 * Pause storm. The port sends XOFF and repeats it in time, whatever its buffer holds.
 * When that ends it sends no XON: the far end resumes when the last pause expires,
 * unless the buffer requires another pause.
 *
 * Hang. The NIC takes no packet out of its receive buffer or its rings. The rest of
 * the NIC works: the packet on the wire, one that is already on its way to the host,
 * pauses, credits, replays. So its buffer fills. The discipline determines whether
 * that stops the far end or loses packets.
 *
 * Slow. The host empties the buffer at the lowest of its own rate and those of the
 * faults, or not at all. The NIC still sends.
 *
 * ECN. A class is marked by the thresholds of the fault that was added last. The port
 * draws for its own thresholds as well and ignores the result. So its later draws do
 * not depend on the fault.
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

static bool fault_hangs(const struct fab_port *port)
{
	const struct fab_fault *f;

	for (f = port->faults.first; f; f = f->next)
		if (fault_acts(f, FAB_FAULT_HANG))
			return true;
	return false;
}

/* The limits that the active faults set to the receive side. */
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
	if (port->faults.marks || fab_mark_used(port))
		port->special |= FAB_SPECIAL_MARK;
	else
		port->special &= ~FAB_SPECIAL_MARK;
}

/**
 * fab_fault_change_port() - update a port when a fault of it begins or ends
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
 * fab_fault_ride() - expose credits that ride on a packet to faults
 * @port: port that sends the packet, which has faults
 *
 * Return: true if the credits are lost.
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
 * fab_fault_stormed() - count a pause frame of a storm
 * @port: port that sends it
 * @classes: bit per class that it pauses due to faults
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
 * fab_fault_received() - count a packet that arrived at a NIC with faults
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
 * fab_fault_marks() - find the fault whose thresholds apply to a class
 * @port: the port
 * @cls: the class
 *
 * Return: the fault; NULL if the port's own thresholds apply.
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
 * fab_fault_check_port() - check the state of a port against its faults
 * @port: the port
 *
 * Return: NULL, or the violated invariant as text.
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
