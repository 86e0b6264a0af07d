/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine: lock, clock and timer around the model of a fabric.
 */
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include <linux/compiler.h>

#include "fabric/fabric.h"

fab_time weft_time_from_ns(u64 ns, u32 dilation);
u64 weft_time_to_ns(fab_time t, u32 dilation);

int weft_engine_setup(void);
void weft_engine_end(void);
void weft_engine_init(struct weft_fabric *f);
void weft_engine_stop(struct weft_fabric *f);
int weft_engine_pin(struct weft_fabric *f, u32 cpu,
		    struct netlink_ext_ack *extack);
fab_time weft_engine_run(struct weft_fabric *f, fab_time now, u64 ns);
void weft_engine_lock(struct weft_fabric *f) __acquires(&f->lock);
void weft_engine_unlock(struct weft_fabric *f) __releases(&f->lock);

#endif
