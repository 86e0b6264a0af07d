/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Polls of completion queues that are memory, on the virtual clock.
 */
#ifndef WEFT_EFA_WATCH_H
#define WEFT_EFA_WATCH_H

#include <linux/mm.h>

struct weft_efa_cq;
struct weft_efa_watch;

int weft_watch_start(struct weft_efa_cq *cq);
void weft_watch_stop(struct weft_efa_cq *cq);
void weft_watch_event(struct weft_efa_watch *w);
void weft_watch_get(struct weft_efa_watch *w);
void weft_watch_put(struct weft_efa_watch *w);
vm_fault_t weft_watch_read(struct weft_efa_watch *w, struct vm_fault *vmf);

#endif
