/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unreliable datagrams, QP0 and QP1 among them; multicast.
 */
#ifndef WEFT_RDMA_UD_H
#define WEFT_RDMA_UD_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

struct weft_qp;
struct weft_rdma_dev;
struct weft_rpkt;

/**
 * struct weft_member - a queue pair in a multicast group
 */
struct weft_member {
	/** @node: in weft_group.members */
	struct list_head node;
	/** @qp: the queue pair */
	struct weft_qp *qp;
	/** @join_count: how often it joined, less how often it left */
	u32 join_count;
};

/**
 * struct weft_group - a multicast group with members at a device
 */
struct weft_group {
	/** @node: in weft_rdma_dev.groups */
	struct hlist_node node;
	/** @gid: MGID */
	union ib_gid gid;
	/** @members: struct weft_member */
	struct list_head members;
	/** @num: number of members */
	u32 num;
};

/* ud.c */
bool weft_ud_ready(const struct weft_qp *qp);
u8 weft_ud_class(const struct weft_qp *qp);	/* class of its next packet */
struct weft_rpkt *weft_ud_next_packet(struct weft_qp *qp);
void weft_ud_sent(struct weft_qp *qp, const struct weft_rpkt *p);
void weft_ud_receive(struct weft_qp *qp, const struct weft_rpkt *p);

/* mcast.c */
int weft_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);
int weft_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);
void weft_mcast_receive(struct weft_rdma_dev *dev, const struct weft_rpkt *p);

#endif
