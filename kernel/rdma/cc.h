/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control of a queue pair: marks, notifications, pace.
 */
#ifndef WEFT_RDMA_CC_H
#define WEFT_RDMA_CC_H

#include "core/cc/dcqcn.h"
#include "core/cc/ibcc.h"
#include "rdma/pkt.h"

struct weft_qp;

/**
 * struct weft_qp_cc - part of a queue pair
 */
struct weft_qp_cc {
	/** @dcqcn: reaction point */
	struct fab_dcqcn dcqcn;
	/** @ibcc: the same of InfiniBand */
	struct fab_ibcc ibcc;
	/** @cnp_at: notification point: no CNP before */
	fab_time cnp_at;
	/** @becn: the next acknowledgement carries BECN */
	bool becn;
};

void weft_cc_init(struct weft_qp *qp);
/* A packet of @bytes on the wire is sent now: when may the next one go? */
fab_time weft_cc_pace(struct weft_qp *qp, const struct weft_rpkt *p, u32 bytes);
/* A packet for @qp came marked. */
void weft_cc_marked(struct weft_qp *qp, const struct weft_rpkt *p);
/* An acknowledgement is about to be sent, or is made newer. */
void weft_cc_add_becn(struct weft_qp *qp, struct weft_rpkt *ack);
/* A CNP, or a packet with BECN, came. */
void weft_cc_notified(struct weft_qp *qp);

#endif
