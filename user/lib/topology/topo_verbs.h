/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The group "verbs": parameters of the RDMA device of a NIC.
 */
#ifndef WEFT_TOPO_VERBS_H
#define WEFT_TOPO_VERBS_H

#include "base/err.h"
#include "netlink/verbs.h"
#include "topology/topo.h"
#include "topology/topo_params.h"
#include "topology/topo_raw.h"

int weft_verbs_group(const struct weft_place *at,
		     const struct weft_raw_verbs *raw,
		     struct weft_topo_nic *nic, struct weft_err *err);
const char *weft_verbs_key(unsigned int i, const char *const **words);
int weft_verbs_set(struct weft_verbs *v, const char *key, const char *text,
		   struct weft_err *err);

#endif
