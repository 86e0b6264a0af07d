/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DCQCN: the reaction point of one flow, and the notification point.
 *
 * It has no events. A call first executes the timers that expired since the last
 * call, one by one and at their own times.
 */
#ifndef FAB_DCQCN_H
#define FAB_DCQCN_H

#include "core/types.h"

/**
 * struct fab_dcqcn_params - parameters, as NICs name them
 */
struct fab_dcqcn_params {
	/** @g: weight of a new sample in alpha, in 1024ths */
	u32 g;
	/** @initial_alpha: alpha at a flow's first CNP, in 1024ths */
	u32 initial_alpha;
	/** @alpha_timer: alpha decays, or rises, once in this time, ps (dce_tcp_rtt) */
	fab_time alpha_timer;
	/** @reduce_period: at most one cut of the rate in this time, ps */
	fab_time reduce_period;
	/** @increase_timer: time between increases, ps (rpg_time_reset) */
	fab_time increase_timer;
	/** @byte_reset: bytes between increases; 0: timer only */
	u64 byte_reset;
	/** @threshold: stages of fast recovery, F (rpg_threshold) */
	u32 threshold;
	/** @ai_bps: additive increase of the target rate */
	u64 ai_bps;
	/** @hai_bps: hyper increase of the target rate */
	u64 hai_bps;
	/** @min_bps: lowest rate */
	u64 min_bps;
	/** @clamp_target: each cut also sets the target rate */
	bool clamp_target;
	/** @cnp_interval: notification point: at most one CNP per flow in this time, ps */
	fab_time cnp_interval;
};

/**
 * struct fab_dcqcn - reaction point of one flow
 */
struct fab_dcqcn {
	/** @line_bps: rate of the port */
	u64 line_bps;
	/** @rc: current rate, bits per second */
	u64 rc;
	/** @rt: target rate */
	u64 rt;
	/** @alpha: estimate of congestion, in 2^-32 */
	u64 alpha;
	/** @alpha_at: when alpha is updated next */
	fab_time alpha_at;
	/** @reduce_at: no cut before; with @again, the time of the next one */
	fab_time reduce_at;
	/** @increase_at: next increase by the timer */
	fab_time increase_at;
	/** @bytes: sent since the byte counter last increased */
	u64 bytes;
	/** @timer_stage: increases by the timer since the last cut */
	u32 timer_stage;
	/** @byte_stage: increases by the byte counter since the last cut */
	u32 byte_stage;
	/** @active: a CNP came, and the rate is still below the line rate */
	bool active;
	/** @cnp: a CNP came since the last update of alpha */
	bool cnp;
	/** @again: a CNP came too early for a cut, which is made at @reduce_at */
	bool again;
	/** @raised: there was an increase since the last cut */
	bool raised;
	/** @cuts: number of cuts */
	u64 cuts;
};

int fab_dcqcn_params_check(const struct fab_dcqcn_params *p);
void fab_dcqcn_defaults(struct fab_dcqcn_params *p);
void fab_dcqcn_init(struct fab_dcqcn *d, u64 line_bps);
void fab_dcqcn_on_cnp(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		      fab_time now);
void fab_dcqcn_on_sent(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		       fab_time now, u32 bytes);
u64 fab_dcqcn_rate(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		   fab_time now);
fab_time fab_dcqcn_pass(const struct fab_dcqcn *d,
			const struct fab_dcqcn_params *p, fab_time now,
			u32 bytes);
bool fab_dcqcn_notify(fab_time *next, const struct fab_dcqcn_params *p,
		      fab_time now);

#endif
