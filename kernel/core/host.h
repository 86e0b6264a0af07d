/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callbacks that a host of the model provides: the module, a simulator, a test.
 */
#ifndef FAB_HOST_H
#define FAB_HOST_H

#include "core/types.h"

/**
 * struct fab_host_ops - callbacks of the host
 *
 * Context: called from inside fab_run() and the fab_*() calls that change the
 * fabric, with whatever the host holds to serialise them. A callback may call
 * fab_endpoint_send(); it must not call fab_run() or remove objects.
 */
struct fab_host_ops {
	/** @deliver: the last bit of @pkt reached @ep; the host owns the packet again */
	void (*deliver)(struct fab_endpoint *ep, struct fab_pkt *pkt);
	/** @drop: @pkt is lost at @port (NULL: at no port); the host owns it again */
	void (*drop)(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, enum fab_drop why);
	/** @clone: copy @pkt for replication, handle included; NULL without memory */
	struct fab_pkt *(*clone)(struct fab *fab, const struct fab_pkt *pkt);
	/**
	 * @flow_hash: optional; fab_pkt.flow_hash of a packet that has none yet.
	 * Called only where something depends on it. Return: the hash
	 */
	u32 (*flow_hash)(const struct fab *fab, const struct fab_pkt *pkt);
	/**
	 * @punt: optional; the agent of @sw has processed @pkt, which came in by
	 * port @in and is for the switch itself (agent.c). The host may rewrite the
	 * packet and its fab_pkt.dst, sl, flow_hash and born, but not its length or
	 * class. Return: the port to send it by, or a negative number: it is dropped
	 */
	int (*punt)(struct fab *fab, struct fab_switch *sw, u32 in,
		    struct fab_pkt *pkt);
	/**
	 * @reducible: optional; may @pkt be reduced by @r? @other is one of its chunk that
	 * came before, of the same length, or NULL. Return: false: it is dropped
	 */
	bool (*reducible)(const struct fab *fab, const struct fab_reduce *r,
			  const struct fab_pkt *pkt, const struct fab_pkt *other);
	/**
	 * @reduce: for a host that adds aggregation nodes: the packets of a chunk, linked
	 * in the order of the children; the host owns them again. Return: the packet that
	 * has the result, with dst, flow_hash, sl, cls, len and segs of one of them; NULL:
	 * there is none
	 */
	struct fab_pkt *(*reduce)(struct fab *fab, struct fab_reduce *r,
				  struct fab_pkt *first);
	/** @tx_wake: the queue of class @cls of @ep has room again */
	void (*tx_wake)(struct fab_endpoint *ep, u8 cls);
	/** @trace: optional; @pkt did @what at @port */
	void (*trace)(struct fab_port *port, const struct fab_pkt *pkt,
		      enum fab_trace what);
	/**
	 * @interrupt: for a host that calls fab_moderation_frames(): packets wait
	 * at @ep. Return: false if none does, or if the host knows already
	 */
	bool (*interrupt)(struct fab_endpoint *ep);
	/** @notice: optional; @what happened to class @cls at @port */
	void (*notice)(struct fab_port *port, u8 cls, enum fab_notice what);
	/** @aggregation: optional; a fault took the aggregation nodes of @sw down, or up again */
	void (*aggregation)(struct fab_switch *sw);
	/** @link: optional; a fault took the wire of @port down, or up again */
	void (*link)(struct fab_port *port);
	/** @phase: optional; @ph was found, or is over */
	void (*phase)(struct fab *fab, const struct fab_phase *ph);
	/** @trigger: optional; the moment of @t came */
	void (*trigger)(struct fab *fab, struct fab_trigger *t);
	/** @leave: if links are cut: @pkt goes to another part; the host owns it */
	void (*leave)(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt);
	/** @tell: if links are cut: so does a copy of @c */
	void (*tell)(struct fab *fab, struct fab_cut *cut,
		     const struct fab_control *c);
	/** @control: optional; @c started on the wire of @port */
	void (*control)(struct fab_port *port, const struct fab_control *c);
};

#endif
