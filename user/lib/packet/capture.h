/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures: the frames on a link, as the kernel reports them.
 */
#ifndef WEFT_CAPTURE_H
#define WEFT_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/weft.h>

#include "base/err.h"
#include "lab/lab.h"
#include "netlink/nl.h"
#include "packet/frames.h"

/* fab_pkt.flags of the model, as messages carry them */
#define WEFT_FRAME_MULTICAST	0x01
#define WEFT_FRAME_ECT		0x02
#define WEFT_FRAME_CE		0x04
#define WEFT_FRAME_CORRUPT	0x08
#define WEFT_FRAME_TRIMMED	0x10
#define WEFT_FRAME_VERBS	0x40	/* from an RDMA device, not a socket */

/* flags of a control flit */
#define WEFT_FLIT_FLAG_INIT	1
#define WEFT_FLIT_FLAG_ACK	2
#define WEFT_FLIT_FLAG_NAK	4

/**
 * struct weft_capture_control - a control frame
 */
struct weft_capture_control {
	/** @type: enum weft_control_type */
	uint32_t type;
	/** @enable: pfc: bit N: @quanta[N] is valid */
	uint32_t enable;
	/**
	 * @quanta: pause: the first entry; pfc: one for each class; 512 bit times
	 */
	uint16_t quanta[WEFT_PFC_CLASSES];
	/** @op: credit: 0 normal, 1 initial */
	uint32_t op;
	/** @vl: credit: virtual lane; flit, cbfc: virtual channel */
	uint32_t vl;
	/** @fctbs: credit: blocks sent */
	uint32_t fctbs;
	/** @fccl: credit: limit for the far end */
	uint32_t fccl;
	/** @flags: flit, llr: WEFT_FLIT_FLAG_* */
	uint32_t flags;
	/**
	 * @seq: flit, llr: sequence number that is acknowledged, or the first to
	 * send again
	 */
	uint32_t seq;
	/** @hdr: flit: header credits since the link came up */
	uint32_t hdr;
	/** @data: flit: data credits since the link came up */
	uint32_t data;
	/** @is_consumed: cbfc: a CC_Update, else a CF_Update */
	bool is_consumed;
	/** @credits: cbfc: credits consumed or freed since the link came up */
	uint32_t credits;
};

/**
 * struct weft_capture_frame - a frame that went onto a wire
 */
struct weft_capture_frame {
	/** @direction: enum weft_direction */
	uint32_t direction;
	/** @time: fabric time of its first bit, ps */
	uint64_t time;
	/**
	 * @is_control: a control frame: of the members below, only @control is
	 * valid
	 */
	bool is_control;
	/** @control: the control frame */
	struct weft_capture_control control;
	/**
	 * @length: bytes from the Ethernet header, without FCS; on InfiniBand
	 * with WEFT_FRAME_VERBS: from LRH to VCRC
	 */
	uint32_t length;
	/** @data: first bytes of the frame; valid until the callback returns */
	const uint8_t *data;
	/** @len: bytes of @data */
	size_t len;
	/** @cls: class on this wire */
	uint32_t cls;
	/** @sl: service level or priority */
	uint32_t sl;
	/** @dst: endpoint id of the destination; not with WEFT_FRAME_MULTICAST */
	uint32_t dst;
	/** @flags: WEFT_FRAME_* */
	uint32_t flags;
};

/**
 * typedef weft_capture_fn - handles a frame
 * @f: the frame
 * @ctx: context of the capture
 * @err: to be set on error
 *
 * Return: 0 to go on, negative errno to end.
 */
typedef int (*weft_capture_fn)(const struct weft_capture_frame *f, void *ctx,
			       struct weft_err *err);

/**
 * struct weft_capture - a running capture
 */
struct weft_capture {
	/** @nl: socket that receives the frames */
	struct weft_nl nl;
	/**
	 * @events: socket that receives events, such as the removal of the link
	 */
	struct weft_nl events;
	/** @fabric: the fabric */
	uint32_t fabric;
	/** @link: the link */
	uint32_t link;
	/** @fn: called for each frame */
	weft_capture_fn fn;
	/** @ctx: for @fn */
	void *ctx;
	/**
	 * @lost: frames lost because the socket's buffer was full, by the last
	 * message
	 */
	uint64_t lost;
	/** @gone: the link is gone */
	bool gone;
};

int weft_capture_open(struct weft_capture *c, const struct weft_lab *lab,
		      uint32_t snaplen, struct weft_err *err);
int weft_capture_wait(struct weft_capture *c, int timeout_ms,
		      const sigset_t *mask, struct weft_err *err);
uint64_t weft_capture_lost(const struct weft_capture *c);
void weft_capture_close(struct weft_capture *c);

#endif
