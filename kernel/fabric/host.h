/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callbacks of the model.
 */
#ifndef WEFT_HOST_H
#define WEFT_HOST_H

#include "core/host.h"

struct weft_fabric;
struct work_struct;

extern const struct fab_host_ops weft_host_ops;

struct weft_fabric *weft_host_fabric(const struct fab_port *port);
void weft_host_bury(struct work_struct *work);

#endif
