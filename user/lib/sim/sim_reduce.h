/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reductions in switches: the trees of a workload, and what its nodes send.
 */
#ifndef WEFT_SIM_REDUCE_H
#define WEFT_SIM_REDUCE_H

#include "sim/sim_run.h"

int weft_sim_reduce_build(struct weft_sim *sim, struct weft_err *err);
void weft_sim_reduce_free(struct weft_sim *sim);
void weft_sim_reduce_start(struct weft_sim *sim, struct weft_sim_message *m);
void weft_sim_reduce_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
			     const struct weft_sim_pkt *pkt);
struct fab_pkt *weft_sim_reduce_pkts(struct fab *fab, struct fab_reduce *r,
				     struct fab_pkt *first);

#endif
