/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that the NIC's hardware makes, and the clients that send them.
 *
 * DOC: theory of operation
 *
 * The model moves a struct fab_pkt. For a packet of the network stack it is in a
 * socket buffer. A packet that the NIC's hardware makes, of the verbs or of
 * background traffic, has no socket buffer. There it is part of a struct
 * weft_hwpkt and FAB_PKT_HW is set, and the host calls the packet's operations.
 *
 * A client sends and receives hardware packets at a NIC: the verbs do. An endpoint
 * has at most one. Background traffic needs none (traffic.c).
 */
#ifndef WEFT_HWPKT_H
#define WEFT_HWPKT_H

#include <linux/types.h>

#include "core/pkt.h"

struct net_device;
struct weft_hwpkt;
struct weft_client;
struct weft_endpoint;
struct weft_fabric;
struct weft_switch;

/**
 * struct weft_hwpkt_ops - operations of a hardware packet
 *
 * Context of all: softirqs off, the fabric's lock is held. They may send, but
 * not remove objects.
 */
struct weft_hwpkt_ops {
	/** @deliver: it arrived at a NIC; the client owns it again */
	void (*deliver)(struct weft_endpoint *wep, struct weft_hwpkt *c);
	/** @drop: it is lost; the client owns it again */
	void (*drop)(struct weft_hwpkt *c, enum fab_drop why);
	/** @clone: copy it for replication, handle included; NULL without memory */
	struct weft_hwpkt *(*clone)(const struct weft_hwpkt *c);
	/** @sent: the NIC that sends it starts to transmit it */
	void (*sent)(struct weft_endpoint *wep, struct weft_hwpkt *c);
	/**
	 * @punt: optional; the agent of a switch has processed it (agent.c). It came
	 * in by port @in. The operation may rewrite it and the handle, but not the
	 * length or the class. Return: the port to send it by, or a negative number:
	 * it is dropped. Ports count from 0
	 */
	int (*punt)(struct weft_switch *sw, u32 in, struct weft_hwpkt *c);
	/** @length: bytes of its frame in captures */
	u32 (*length)(const struct weft_hwpkt *c);
	/** @frame: write the first @len bytes of its frame, at most length() */
	void (*frame)(const struct weft_hwpkt *c, void *buf, u32 len);
	/**
	 * @reducible: optional; may an aggregation node of this Q_Key reduce it? @other is
	 * another packet of its chunk, of any operations, or NULL
	 */
	bool (*reducible)(const struct weft_hwpkt *c, u32 qkey, const struct weft_hwpkt *other);
	/** @absorb: with @reducible: reduce @other into @c, and free it */
	void (*absorb)(struct weft_hwpkt *c, struct weft_hwpkt *other);
	/** @trimmed: it is delivered after a switch has trimmed it; else it is lost */
	bool trimmed;
	/** @bare: it has no payload and is delivered at NICs without a client too */
	bool bare;
};

/**
 * struct weft_hwpkt - a packet that the NIC's hardware makes
 */
struct weft_hwpkt {
	/** @ops: operations; constant */
	const struct weft_hwpkt_ops *ops;
	/** @pkt: the model's handle; FAB_PKT_HW is set */
	struct fab_pkt pkt;
	/** @mem: bytes charged to the users of the fabric until it is freed */
	u32 mem;
};

/**
 * weft_hwpkt_of() - the hardware packet of a handle
 * @pkt: the handle, with FAB_PKT_HW
 *
 * Context: any.
 * Return: the packet.
 */
static inline struct weft_hwpkt *weft_hwpkt_of(const struct fab_pkt *pkt)
{
	return container_of((void *)pkt, struct weft_hwpkt, pkt);
}

/**
 * struct weft_client_ops - what a NIC tells its client
 */
struct weft_client_ops {
	/**
	 * @wake: the ring of class @cls, which was full when the client sent,
	 * has room. Context: fabric's lock held.
	 */
	void (*wake)(struct weft_client *c, u8 cls);
	/** @carrier: the link came up, or went down. Context: RTNL held. */
	void (*carrier)(struct weft_client *c, bool up);
	/**
	 * @link: a wire may have gone down, or come up, at this fabric time.
	 * Context: softirqs off, the fabric's lock is held.
	 */
	void (*link)(struct weft_client *c);
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
 * struct weft_client - sends and receives hardware packets at a NIC
 */
struct weft_client {
	/** @ops: operations; constant */
	const struct weft_client_ops *ops;
	/** @wep: the endpoint, NULL when detached (RTNL and the fabric's lock) */
	struct weft_endpoint *wep;
	/** @fabric: its fabric, on which the client holds a reference; constant */
	struct weft_fabric *fabric;
};

int weft_client_attach(struct net_device *dev, struct weft_client *c);
void weft_client_detach(struct weft_client *c);
#define WEFT_HWPKT_MEM	512	/* bytes beside the payload, about */

/* Memory of a packet, or of a copy of it, with its payload. */
static inline u32 weft_hwpkt_mem(const struct weft_hwpkt *c)
{
	return WEFT_HWPKT_MEM + (c->ops->bare ? 0 : c->ops->length(c));
}

void weft_client_release(struct weft_client *c);
void weft_client_gone(struct weft_endpoint *wep);
int weft_hwpkt_send(struct weft_endpoint *wep, struct weft_hwpkt *c);
int weft_hwpkt_originate(struct weft_switch *sw, u32 out, struct weft_hwpkt *c);

#endif
