/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Background traffic of a simulation.
 */
#ifndef WEFT_SIM_TRAFFIC_H
#define WEFT_SIM_TRAFFIC_H

#include "sim/sim_run.h"

/**
 * struct weft_sim_heard - what became of the packets of a generator, as far as a cell knows
 */
struct weft_sim_heard {
	/** @packets: packets delivered */
	u64 packets;
	/** @bytes: bytes of these */
	u64 bytes;
	/** @lost: packets lost behind the NIC that sent them */
	u64 lost;
	/** @marked: packets delivered with a mark */
	u64 marked;
	/** @sum: time from the NIC's hand to delivery, all together, ps */
	u64 sum;
	/** @min: the shortest, ps, if there is one */
	fab_time min;
	/** @max: the longest, ps */
	fab_time max;
};

u32 weft_sim_traffic_groups(const struct weft_sim_options *o);
int weft_sim_add_traffic(struct weft_sim *sim, struct weft_err *err);
void weft_sim_traffic_sent(struct weft_sim_pkt *pkt);
void weft_sim_traffic_delivered(const struct weft_sim_nic *nic, struct weft_sim_pkt *pkt);
void weft_sim_traffic_lost(struct weft_sim *sim, struct weft_sim_pkt *pkt);

/* The number of the trigger by which a generator begins. */
static inline u32 weft_sim_trigger_of(const struct weft_sim *sim,
				      const struct weft_sim_traffic *traffic)
{
	return sim->o->faults + traffic->traffic.group;
}

#endif
