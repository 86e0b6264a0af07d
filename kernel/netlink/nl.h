/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family "weft", for the rest of the module.
 */
#ifndef WEFT_NL_H
#define WEFT_NL_H

#include <linux/types.h>

struct fab_control;
struct fab_pkt;
struct weft_aggregator;
struct weft_capture;
struct weft_endpoint;
struct weft_fabric;
struct weft_fault;
struct weft_link;
struct weft_traffic;
struct weft_trail;
struct weft_trail_step;
struct weft_trigger;

int weft_nl_init(void);
void weft_nl_exit(void);
bool weft_nl_listened(const struct weft_fabric *f);
void weft_nl_aggregator_changed(struct weft_aggregator *ag);
void weft_nl_aggregator_gone(struct weft_aggregator *ag);
void weft_nl_fault_gone(struct weft_fault *fault);
void weft_nl_link_changed(struct weft_link *link);
void weft_nl_link_gone(struct weft_link *link);
void weft_nl_nic_changed(struct weft_endpoint *wep);
void weft_nl_nic_gone(struct weft_endpoint *wep);
void weft_nl_phase_changed(struct weft_fabric *f, u32 id);
void weft_nl_traffic_gone(struct weft_traffic *tr);
void weft_nl_trigger_met(struct weft_trigger *tg);
void weft_nl_trigger_gone(struct weft_trigger *tg);
int weft_nl_capture_frame(const struct weft_capture *c, u32 dir,
			  const struct fab_pkt *pkt,
			  const struct fab_control *control);
int weft_nl_trail_step(const struct weft_trail *t,
		       const struct weft_trail_step *s);

#endif
