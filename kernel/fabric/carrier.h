/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that are no socket buffers, and who sends them.
 *
 * DOC: theory of operation
 *
 * What goes through the fabric is a struct fab_pkt. In a NIC's packet it lies in
 * a socket buffer; in one of another kind, with FAB_PKT_HOST set, it is part of
 * a struct weft_carrier, whose operations the host calls instead.
 *
 * A client is who sends and receives carriers at a NIC: the verbs. An endpoint
 * has at most one. Background traffic needs none (traffic.c).
 */
#ifndef WEFT_CARRIER_H
#define WEFT_CARRIER_H

#include <linux/types.h>

#include "core/pkt.h"

struct net_device;
struct weft_carrier;
struct weft_client;
struct weft_endpoint;
struct weft_fabric;

/**
 * struct weft_carrier_ops - what becomes of a carrier
 *
 * Context of all: softirqs off, the fabric's lock is held. They may send, but
 * not remove objects.
 */
struct weft_carrier_ops {
	/** @deliver: it arrived at a NIC; the carrier is the client's again */
	void (*deliver)(struct weft_endpoint *wep, struct weft_carrier *c);
	/** @drop: it is lost; the carrier is the client's again */
	void (*drop)(struct weft_carrier *c, enum fab_drop why);
	/** @clone: a copy for replication, handle included; NULL without memory */
	struct weft_carrier *(*clone)(const struct weft_carrier *c);
	/** @sent: its first bit goes onto the wire of the NIC that sends it */
	void (*sent)(struct weft_endpoint *wep, struct weft_carrier *c);
	/** @length: bytes of its frame, as captures show it */
	u32 (*length)(const struct weft_carrier *c);
	/** @frame: write the first @len bytes of its frame, at most length() */
	void (*frame)(const struct weft_carrier *c, void *buf, u32 len);
	/** @bare: it is delivered at NICs without a client, too */
	bool bare;
};

/**
 * struct weft_carrier - a packet that is no socket buffer
 */
struct weft_carrier {
	/** @ops: what to do with it; constant */
	const struct weft_carrier_ops *ops;
	/** @pkt: the model's handle; FAB_PKT_HOST is set */
	struct fab_pkt pkt;
	/** @mem: bytes that the fabric's users are charged with while it is there */
	u32 mem;
};

/**
 * weft_carrier_of() - the carrier that a handle belongs to
 * @pkt: the handle, with FAB_PKT_HOST
 *
 * Context: any.
 * Return: the carrier.
 */
static inline struct weft_carrier *weft_carrier_of(const struct fab_pkt *pkt)
{
	return container_of((void *)pkt, struct weft_carrier, pkt);
}

/**
 * struct weft_client_ops - what a client wants to know of its NIC
 */
struct weft_client_ops {
	/**
	 * @room: the ring of class @cls, which was full when the client tried,
	 * has room. Context: fabric's lock held.
	 */
	void (*room)(struct weft_client *c, u8 cls);
	/** @carrier: the link came up, or went down. Context: RTNL held. */
	void (*carrier)(struct weft_client *c, bool up);
	/**
	 * @name: name of its device, NULL while that has none. Context: RTNL
	 * held.
	 */
	const char *(*name)(const struct weft_client *c);
	/**
	 * @gone: the endpoint goes; the client is detached when this returns,
	 * and must not touch the endpoint after. Its reference on the fabric
	 * stays. Context: RTNL and the fabric's lock held.
	 */
	void (*gone)(struct weft_client *c);
};

/**
 * struct weft_client - who sends and receives carriers at a NIC
 */
struct weft_client {
	/** @ops: what it wants to know; constant */
	const struct weft_client_ops *ops;
	/** @wep: the endpoint, NULL when detached (RTNL and the fabric's lock) */
	struct weft_endpoint *wep;
	/** @fabric: its fabric, on which the client holds a reference; constant */
	struct weft_fabric *fabric;
};

int weft_client_attach(struct net_device *dev, struct weft_client *c);
void weft_client_detach(struct weft_client *c);
#define WEFT_CARRIER_MEM	512	/* bytes beside the payload, about */

/* The memory that a carrier takes, or a copy of it, with its payload. */
static inline u32 weft_carrier_mem(const struct weft_carrier *c)
{
	return WEFT_CARRIER_MEM + (c->ops->bare ? 0 : c->ops->length(c));
}

void weft_client_release(struct weft_client *c);
void weft_client_gone(struct weft_endpoint *wep);
int weft_carrier_send(struct weft_endpoint *wep, struct weft_carrier *c);

#endif
