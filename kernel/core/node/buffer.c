// SPDX-License-Identifier: GPL-2.0
/*
 * Shared packet buffer of a switch or of a NIC, accounted at ingress.
 *
 * DOC: theory of operation
 *
 * A packet is accounted with its length at its ingress port, from its arrival (the
 * head in cut-through, the tail in store-and-forward) to the start of its
 * transmission. mlxsw and the MMU of the ns-3 models count in the same way. All
 * limits are hard.
 *
 * Without accounts there are two limits: that of a port and the total.
 *
 * With accounts each class of each ingress port has a reserve and, if it is
 * lossless, headroom, both out of the total. The rest is shared. A class may take
 * shared bytes up to a threshold T, which is a number of bytes, or 2^alpha times
 * the free shared bytes:
 *
 *	- a packet fills up the reserve; if the rest of it keeps the class
 *	  within T, the port within its share and the shared part within its
 *	  size, it takes it there
 *	- otherwise it takes its whole length from the headroom
 *	- otherwise it is dropped
 *	- its bytes are given back to the headroom first, then to the shared
 *	  part, then to the reserve
 *	- the class is over when it is in its headroom or has reached T, and
 *	  under when it is out of its headroom and xon bytes below T, or holds
 *	  nothing shared
 *
 * These are the rules of the "Broadcom" MMU of the HPCC authors' ns-3 model
 * (switch-mmu.cc), with two differences. There a class that holds nothing shared is
 * over while T is 0, which pauses and resumes with every packet. And there a port has
 * no share; here it is devlink's limit of a pool at a port.
 *
 * Limits may change while bytes are held. A class or port above a new limit keeps its
 * bytes and gets no more. A fault may remove a part of the memory: the shared part
 * first, and after that reserves are no longer guaranteed.
 *
 * Invariants: used is the sum of held over the ports, and of the lengths of the
 * packets queued in the switch; with accounts, held is the sum of the accounts
 * of the port's classes; no limit is exceeded, unless it was lowered.
 *
 * Not modelled: cells (a packet takes its exact length), pools at egress, a
 * headroom that several ports share.
 */
#include "core/node/buffer.h"
#include "core/node/room.h"

static bool account_params_ok(const struct fab_account_params *p)
{
	return p->alpha >= FAB_ALPHA_MIN && p->alpha <= FAB_ALPHA_MAX &&
	       p->threshold <= FAB_BUFFER_MAX;
}

static u64 account_fixed(const struct fab_account_params *p)
{
	return (u64)p->reserve + p->headroom;
}

/**
 * fab_buffer_params_check() - can the model carry these parameters?
 * @p: the parameters
 * @ports: ports that share the buffer
 * @classes: classes of each
 *
 * Return: 0; -ERANGE for a value out of range; -ENOSPC when reserves and
 * headrooms of all ports need more than the total.
 */
int fab_buffer_params_check(const struct fab_buffer_params *p, u32 ports,
			    u32 classes)
{
	u64 fixed = 0;
	u32 i;

	if (p->total > FAB_BUFFER_MAX)
		return -ERANGE;
	if (!p->accounts)
		return 0;
	for (i = 0; i < classes && i < FAB_CLASSES_MAX; i++) {
		if (!account_params_ok(&p->cls[i]))
			return -ERANGE;
		fixed += account_fixed(&p->cls[i]);
	}
	return ports * fixed > p->total ? -ENOSPC : 0;
}

/* Bytes of all reserves and headrooms. */
static u64 buffer_fixed(const struct fab_buffer *b)
{
	u64 fixed = 0;
	u32 i, cls;

	for (i = 0; i < b->ports; i++)
		for (cls = 0; cls < b->port[i].p->classes; cls++)
			fixed += account_fixed(&b->port[i].cls[cls].account.p);
	return fixed;
}

/* Limits have changed. */
static void buffer_settle(struct fab_buffer *b)
{
	b->limit = min(b->p.total, b->cap);
	b->pool = b->limit > b->fixed ? b->limit - b->fixed : 0;
	b->shrunk = b->used;
}

/**
 * fab_buffer_init() - initialise an empty buffer
 * @b: the buffer
 * @p: parameters, which fab_buffer_params_check() accepts
 * @port: ports that share it, initialised
 * @ports: how many
 */
void fab_buffer_init(struct fab_buffer *b, const struct fab_buffer_params *p,
		     struct fab_port *port, u32 ports)
{
	u32 i, cls;

	memset(b, 0, sizeof(*b));
	b->p = *p;
	b->port = port;
	b->ports = ports;
	b->cap = U64_MAX;
	for (i = 0; p->accounts && i < ports; i++)
		for (cls = 0; cls < port[i].p->classes; cls++)
			port[i].cls[cls].account.p = p->cls[cls];
	b->fixed = p->accounts ? buffer_fixed(b) : 0;
	buffer_settle(b);
}

/**
 * fab_buffer_cap() - limit a buffer to less than its size
 * @b: the buffer
 * @cap: bytes; U64_MAX: its size again
 */
void fab_buffer_cap(struct fab_buffer *b, u64 cap)
{
	b->cap = cap;
	buffer_settle(b);
}

/**
 * fab_buffer_resize() - change the size of a buffer
 * @b: the buffer
 * @total: bytes in all
 * @per_port: bytes that one ingress port may hold
 *
 * Return: 0; -ERANGE when that is too much; -ENOSPC when reserves and headrooms
 * no longer fit.
 */
int fab_buffer_resize(struct fab_buffer *b, u64 total, u64 per_port)
{
	if (total > FAB_BUFFER_MAX)
		return -ERANGE;
	if (b->fixed > total)
		return -ENOSPC;
	b->p.total = total;
	b->p.per_port = per_port;
	buffer_settle(b);
	return 0;
}

/* What reserves and headrooms are when @cls has @p at @port or everywhere. */
static u64 buffer_fixed_with(const struct fab_buffer *b,
			     const struct fab_port *port, u32 cls,
			     const struct fab_account_params *p)
{
	u64 fixed = b->fixed;
	u32 i;

	for (i = 0; i < b->ports; i++) {
		if (port && port != &b->port[i])
			continue;
		fixed -= account_fixed(&b->port[i].cls[cls].account.p);
		fixed += account_fixed(p);
	}
	return fixed;
}

/**
 * fab_buffer_limit() - change the limits of a class
 * @b: the buffer
 * @port: the ingress port; NULL for each
 * @cls: the class
 * @p: its limits
 *
 * Return: 0; -EINVAL without accounts or without such a class; -ERANGE for a
 * value out of range; -ENOSPC when reserves and headrooms do not fit the total.
 */
int fab_buffer_limit(struct fab_buffer *b, struct fab_port *port, u32 cls,
		     const struct fab_account_params *p)
{
	u64 fixed;
	u32 i;

	if (!b->p.accounts || cls >= b->port[0].p->classes)
		return -EINVAL;
	if (!account_params_ok(p))
		return -ERANGE;
	fixed = buffer_fixed_with(b, port, cls, p);
	if (fixed > b->p.total)
		return -ENOSPC;
	for (i = 0; i < b->ports; i++)
		if (!port || port == &b->port[i])
			b->port[i].cls[cls].account.p = *p;
	if (!port)
		b->p.cls[cls] = *p;
	b->fixed = fixed;
	buffer_settle(b);
	return 0;
}

/**
 * fab_buffer_share() - set the limit of one port
 * @b: the buffer
 * @port: the port
 * @bytes: its limit, instead of the common one; 0: the common one
 */
void fab_buffer_share(struct fab_buffer *b, struct fab_port *port, u64 bytes)
{
	port->share = bytes;
	b->own_shares = true;
	b->shrunk = b->used;
}

/**
 * fab_buffer_forget() - reset all peaks to the present occupancy
 * @b: the buffer
 */
void fab_buffer_forget(struct fab_buffer *b)
{
	struct fab_port *port;
	struct fab_class *c;
	u32 cls;

	b->peak = b->used;
	for (port = b->port; port < b->port + b->ports; port++) {
		port->held_peak = port->held;
		for (cls = 0; cls < port->p->classes; cls++) {
			c = &port->cls[cls];
			c->account.peak = fab_account_held(&c->account);
			c->c.buffer_peak = c->account.peak;
		}
	}
}

/* Bytes that all classes of a port hold of the shared part. */
static u64 port_shared(const struct fab_port *in)
{
	u64 shared = 0;
	u32 cls;

	for (cls = 0; cls < in->p->classes; cls++)
		shared += in->cls[cls].account.shared;
	return shared;
}

/* Why @bytes cannot come from the shared part, FAB_DROP_COUNT if they can. */
static enum fab_drop shared_refuses(const struct fab_buffer *b,
				    const struct fab_port *in,
				    const struct fab_account *a, u32 bytes)
{
	if (b->shared + bytes > b->pool)
		return FAB_DROP_BUFFER_FULL;
	if (a->shared + bytes > fab_buffer_threshold(b, a))
		return FAB_DROP_PORT_LIMIT;
	if (fab_port_share(b, in) < b->pool &&
	    port_shared(in) + bytes > fab_port_share(b, in))
		return FAB_DROP_PORT_LIMIT;
	return FAB_DROP_COUNT;
}

/* Take a packet into the headroom of its class, if it has some. */
static enum fab_drop account_overflow(struct fab_port *in,
				      struct fab_account *a,
				      const struct fab_pkt *pkt,
				      enum fab_drop why)
{
	if (!(in->lossless & BIT(pkt->cls_in)))
		return why;
	if ((u64)a->headroom + pkt->len > a->p.headroom)
		return FAB_DROP_HEADROOM;
	a->headroom += pkt->len;
	return FAB_DROP_COUNT;
}

/* Take a packet into the account of its class. */
static enum fab_drop account_admit(struct fab_buffer *b, struct fab_port *in,
				   const struct fab_pkt *pkt)
{
	struct fab_account *a = &in->cls[pkt->cls_in].account;
	u32 reserve = 0, rest;
	enum fab_drop why;

	/* Only after limits were lowered. */
	if (b->used + pkt->len > b->limit)
		return FAB_DROP_BUFFER_FULL;
	if (a->reserved < a->p.reserve)
		reserve = min(pkt->len, a->p.reserve - a->reserved);
	rest = pkt->len - reserve;
	why = rest ? shared_refuses(b, in, a, rest) : FAB_DROP_COUNT;
	if (why == FAB_DROP_COUNT) {
		a->reserved += reserve;
		a->shared += rest;
		b->shared += rest;
	} else {
		why = account_overflow(in, a, pkt, why);
	}
	if (why != FAB_DROP_COUNT)
		return why;
	fab_room_taken(b, in, a, pkt->len);
	return FAB_DROP_COUNT;
}

/**
 * fab_buffer_admit() - take room for a packet
 * @b: the buffer
 * @in: its ingress port
 * @pkt: the packet
 *
 * Return: FAB_DROP_COUNT if the room was taken, else the reason for a drop.
 */
enum fab_drop fab_buffer_admit(struct fab_buffer *b, struct fab_port *in,
			       const struct fab_pkt *pkt)
{
	if (b->p.accounts)
		return account_admit(b, in, pkt);
	if (in->held + pkt->len > fab_port_share(b, in))
		return FAB_DROP_PORT_LIMIT;
	if (b->used + pkt->len > b->limit)
		return FAB_DROP_BUFFER_FULL;
	fab_room_held(b, in, pkt->len);
	return FAB_DROP_COUNT;
}

/* Headroom first, as it is scarce, then what is shared. */
static void account_free(struct fab_buffer *b, struct fab_account *a, u32 bytes)
{
	u32 part = min(bytes, a->headroom);

	a->headroom -= part;
	bytes -= part;
	part = a->shared < bytes ? a->shared : bytes;
	a->shared -= part;
	b->shared -= part;
	a->reserved -= bytes - part;
}

/**
 * fab_buffer_free() - give room back
 * @b: the buffer
 * @in: port whose room it is
 * @cls: class whose room it is
 * @bytes: how much
 */
void fab_buffer_free(struct fab_buffer *b, struct fab_port *in, u32 cls,
		     u32 bytes)
{
	in->held -= bytes;
	b->used -= bytes;
	if (b->p.accounts)
		account_free(b, &in->cls[cls].account, bytes);
}

/**
 * fab_buffer_release() - give the room of a packet back
 * @b: the buffer
 * @in: port that it came in through
 * @pkt: the packet
 */
void fab_buffer_release(struct fab_buffer *b, struct fab_port *in,
			const struct fab_pkt *pkt)
{
	fab_buffer_free(b, in, pkt->cls_in, pkt->len);
}

/**
 * fab_buffer_under() - may the sender of a class that was stopped go on?
 * @b: the buffer
 * @a: account of the class at the port that it sends to
 *
 * Return: true if it is far enough below its threshold; never together with
 * fab_buffer_over().
 */
bool fab_buffer_under(const struct fab_buffer *b, const struct fab_account *a)
{
	if (fab_buffer_over(b, a))
		return false;
	return !a->shared ||
	       a->shared + a->p.xon <= fab_buffer_threshold(b, a);
}
