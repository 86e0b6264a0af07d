/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trails: the paths of packets through a fabric, for a netlink socket.
 */
#ifndef WEFT_TRAIL_H
#define WEFT_TRAIL_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/types.h"

struct netlink_ext_ack;
struct weft_fabric;

/**
 * struct weft_trail - one fabric, followed for one socket
 */
struct weft_trail {
	/** @list: in trail_list (trail_mutex) */
	struct list_head list;
	/** @node: in weft_fabric.trails (fabric's lock) */
	struct hlist_node node;
	/** @fabric: the fabric, which outlives the trail; constant */
	struct weft_fabric *fabric;
	/** @portid: port id of the socket in the fabric's namespace; constant */
	u32 portid;
	/** @snaplen: bytes of each packet at most; constant */
	u32 snaplen;
	/** @lost: steps without room in the socket (fabric's lock) */
	u64 lost;
};

/**
 * enum weft_step - what happened to a packet, or to a class of a port
 * @WEFT_STEP_ENQUEUE: it joined a queue
 * @WEFT_STEP_TRANSMIT: it started on the wire
 * @WEFT_STEP_MARK: it was marked
 * @WEFT_STEP_TRIM: it was trimmed to its header
 * @WEFT_STEP_REPLAY: it starts on the wire again
 * @WEFT_STEP_DELIVER: its host has it
 * @WEFT_STEP_DROP: it was lost
 * @WEFT_STEP_COPY: it is a copy
 * @WEFT_STEP_STALL: the class is held back
 * @WEFT_STEP_UNSTALL: it sends again
 */
enum weft_step {
	WEFT_STEP_ENQUEUE = FAB_TRACE_ENQUEUE,
	WEFT_STEP_TRANSMIT = FAB_TRACE_TRANSMIT,
	WEFT_STEP_MARK = FAB_TRACE_MARK,
	WEFT_STEP_TRIM = FAB_TRACE_TRIM,
	WEFT_STEP_REPLAY = FAB_TRACE_REPLAY,
	WEFT_STEP_DELIVER,
	WEFT_STEP_DROP,
	WEFT_STEP_COPY,
	WEFT_STEP_STALL,
	WEFT_STEP_UNSTALL,
};

/**
 * struct weft_trail_step - one step of a packet, or of a class
 */
struct weft_trail_step {
	/** @what: what happened */
	enum weft_step what;
	/** @port: its port, NULL: none */
	const struct fab_port *port;
	/** @pkt: the packet, NULL for a step of a class */
	const struct fab_pkt *pkt;
	/** @parent: copy: the original of @pkt */
	const struct fab_pkt *parent;
	/** @cls: the class, without a packet */
	u8 cls;
	/** @why: drop: the reason */
	enum fab_drop why;
};

DECLARE_STATIC_KEY_FALSE(weft_trail_key);

/**
 * weft_trail_any() - is there a trail in any fabric?
 *
 * Context: any.
 * Return: true if there is.
 */
static inline bool weft_trail_any(void)
{
	return static_branch_unlikely(&weft_trail_key);
}

int weft_trail_init(void);
void weft_trail_exit(void);
int weft_trail_start(struct weft_fabric *f, u32 portid, u32 snaplen,
		     struct netlink_ext_ack *extack);
int weft_trail_stop(const struct weft_fabric *f, u32 portid);
void weft_trail_fabric_gone(const struct weft_fabric *f);
void weft_trail_tell(struct weft_fabric *f, const struct weft_trail_step *s);

#endif
