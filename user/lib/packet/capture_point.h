/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place that a capture is made at: a link, and who is at its ends.
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
	/** @name: of a NIC, such as "host0.eth0", or a port, such as "leaf0:3" */
	char name[WEFT_POINT_NAME];
	/** @mac: address that its control frames come from */
	uint8_t mac[6];
	/** @rate: of the wire that it sends on, bit/s */
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
	/** @dilation: of the fabric */
	uint32_t dilation;
	/** @now: fabric time when this was read, ps */
	uint64_t now;
	/** @infiniband: of that family */
	bool infiniband;
	/** @end: its ends, a and b */
	struct weft_capture_end end[2];
	/** @nic: all NICs of the fabric */
	struct weft_nic *nic;
	/** @nics: how many */
	unsigned int nics;
};

int weft_capture_point(struct weft_capture_point *p, const struct weft_lab *lab,
		       const char *name, struct weft_err *err);
void weft_capture_point_free(struct weft_capture_point *p);
uint16_t weft_capture_lid(const struct weft_capture_point *p,
			  const uint8_t mac[6]);

#endif
