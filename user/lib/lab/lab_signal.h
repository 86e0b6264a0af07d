/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes in the nodes of a lab.
 */
#ifndef WEFT_LAB_SIGNAL_H
#define WEFT_LAB_SIGNAL_H

#include "lab/lab.h"

unsigned int weft_lab_signal(const struct weft_lab *lab, const char *node,
			     int sig);
void weft_lab_freeze(const struct weft_lab *lab, const char *node);

#endif
