/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Captures: frames of a link, for a netlink socket.
 */
#ifndef WEFT_CAPTURE_H
#define WEFT_CAPTURE_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/types.h>

struct fab_control;
struct fab_pkt;
struct fab_port;
struct netlink_ext_ack;
struct weft_capture;
struct weft_link;

/**
 * struct weft_capture_tap - a capture on one of the two wires
 */
struct weft_capture_tap {
	/** @node: in the fabric's table, by port (fabric's lock) */
	struct hlist_node node;
	/** @port: port that sends on the wire; constant */
	const struct fab_port *port;
	/** @capture: the capture; constant */
	struct weft_capture *capture;
};

/**
 * struct weft_capture - one link, captured for one socket
 */
struct weft_capture {
	/** @list: in capture_list (capture_mutex) */
	struct list_head list;
	/** @link: the link, which outlives the capture; constant */
	struct weft_link *link;
	/** @tap: from a to b, from b to a */
	struct weft_capture_tap tap[2];
	/** @portid: port id of the socket in the fabric's namespace; constant */
	u32 portid;
	/** @snaplen: captured bytes of each frame at most; constant */
	u32 snaplen;
	/** @lost: frames without room in the socket (fabric's lock) */
	u64 lost;
};

DECLARE_STATIC_KEY_FALSE(weft_capture_key);

/**
 * weft_capture_any() - is there a capture in any fabric?
 *
 * Context: any.
 * Return: true if there is.
 */
static inline bool weft_capture_any(void)
{
	return static_branch_unlikely(&weft_capture_key);
}

int weft_capture_init(void);
void weft_capture_exit(void);
int weft_capture_start(struct weft_link *link, u32 portid, u32 snaplen,
		       struct netlink_ext_ack *extack);
int weft_capture_stop(const struct weft_link *link, u32 portid);
void weft_capture_link_gone(const struct weft_link *link);
void weft_capture_pkt(const struct fab_port *port, const struct fab_pkt *pkt);
void weft_capture_control(const struct fab_port *port,
			  const struct fab_control *c);

#endif
