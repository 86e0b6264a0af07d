/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reductions in switches, by datagrams.
 */
#ifndef WEFT_RDMA_REDUCE_H
#define WEFT_RDMA_REDUCE_H

#include <linux/types.h>

struct weft_hwpkt;
struct weft_rdma_dev;
struct weft_rpkt;

void weft_reduce_address(const struct weft_rdma_dev *dev, struct weft_rpkt *p);
void weft_reduce_store(struct weft_rdma_dev *dev, struct weft_rpkt *p);
bool weft_reduce_may(const struct weft_hwpkt *c, u32 qkey, const struct weft_hwpkt *other);
void weft_reduce_absorb(struct weft_hwpkt *c, struct weft_hwpkt *other);

#endif
