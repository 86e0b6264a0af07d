/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of a simulation as a picture: how long they took.
 */
#ifndef WEFT_PLOT_FLOWS_H
#define WEFT_PLOT_FLOWS_H

#include "base/err.h"
#include "workload/workload.h"

int plot_flows(const char *path, const char *title, const struct weft_work *work,
	       struct weft_err *err);

#endif
