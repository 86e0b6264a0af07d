/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a capture: a link and its two ends.
 */
#ifndef WEFT_CAPTURE_POINT_H
#define WEFT_CAPTURE_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "netlink/fabric.h"
#include "netlink/nic.h"

#define WEFT_POINT_NAME	48

/**
 * struct weft_capture_end - one end of the link
 */
struct weft_capture_end {
	/**
	 * @name: name of the NIC, such as "host0.eth0", or of the port, such as
	 * "leaf0:3"
	 */
	char name[WEFT_POINT_NAME];
	/** @mac: source address of its control frames */
	uint8_t mac[6];
	/** @rate: rate of the wire on which it sends, bit/s */
	uint64_t rate;
};

/**
 * struct weft_capture_point - a link
 */
struct weft_capture_point {
	/** @fabric: the fabric */
	uint32_t fabric;
	/** @link: the link */
	uint32_t link;
	/** @dilation: time dilation of the fabric */
	uint32_t dilation;
	/** @now: fabric time when the fabric was read, ps */
	uint64_t now;
	/** @infiniband: the link is of the InfiniBand family */
	bool infiniband;
	/** @end: its ends, a and b */
	struct weft_capture_end end[2];
	/** @nic: all NICs of the fabric */
	struct weft_nic *nic;
	/** @nics: entries of @nic */
	unsigned int nics;
};

int weft_capture_point(struct weft_capture_point *p, const struct weft_lab *lab,
		       const char *name, struct weft_err *err);
void weft_capture_point_free(struct weft_capture_point *p);
uint16_t weft_capture_lid(const struct weft_capture_point *p,
			  const uint8_t mac[6]);

#endif
