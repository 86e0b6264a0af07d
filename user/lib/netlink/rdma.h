/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMA devices, by the interface that `rdma link` and `rdma dev` use.
 */
#ifndef WEFT_RDMA_H
#define WEFT_RDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/nl.h"

int weft_rdma_new(struct weft_nl *nl, const char *name, const char *ifname,
		  struct weft_err *err);
int weft_rdma_find(struct weft_nl *nl, const char *name, uint32_t *index,
		   struct weft_err *err);
int weft_rdma_del(struct weft_nl *nl, uint32_t index, struct weft_err *err);
int weft_rdma_connections(struct weft_nl *nl, uint32_t index, unsigned int *n,
			  struct weft_err *err);
int weft_rdma_exclusive(struct weft_nl *nl, bool *exclusive,
			struct weft_err *err);

#endif
