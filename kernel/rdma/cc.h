/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control of a queue pair: marks, notifications, pacing.
 */
#ifndef WEFT_RDMA_CC_H
#define WEFT_RDMA_CC_H

#include "core/cc/dcqcn.h"
#include "core/cc/ibcc.h"
#include "core/cc/swift.h"
#include "rdma/pkt.h"

struct weft_qp;

/**
 * struct weft_qp_cc - congestion control of a queue pair
 */
struct weft_qp_cc {
	/** @dcqcn: RoCE: reaction point of DCQCN */
	struct fab_dcqcn dcqcn;
	/** @ibcc: InfiniBand: state of Annex A10 */
	struct fab_ibcc ibcc;
	/** @swift: RC: the window of Swift */
	struct fab_swift swift;
	/** @stamp: when the newest packet that was taken began on the wire */
	fab_time stamp;
	/** @cnp_at: RoCE: notification point: no CNP is sent before */
	fab_time cnp_at;
	/** @becn: the next acknowledgement carries BECN */
	bool becn;
};

void weft_cc_init(struct weft_qp *qp);
/* A packet of @bytes on the wire is sent now: when may the next one be taken? */
fab_time weft_cc_pace(struct weft_qp *qp, const struct weft_rpkt *p, u32 bytes);
/* A marked packet arrived for @qp. */
void weft_cc_marked(struct weft_qp *qp, const struct weft_rpkt *p);
/* An acknowledgement is sent or updated. */
void weft_cc_add_news(struct weft_qp *qp, struct weft_rpkt *ack);
/* @packets more than before are acknowledged. */
void weft_cc_acked(struct weft_qp *qp, const struct weft_rpkt *ack, u32 packets);
/* A packet is missing, or nothing came back for long. */
void weft_cc_lost(struct weft_qp *qp);
/* Has the window room for a packet? */
bool weft_cc_fits(const struct weft_qp *qp);
/* A CNP, or a packet with BECN, arrived. */
void weft_cc_notified(struct weft_qp *qp);

/* A packet of a request is new, and is taken now or later. */
static inline void weft_cc_note(struct weft_qp_cc *cc, const struct weft_rpkt *p)
{
	cc->stamp = p->stamp;
}

#endif
