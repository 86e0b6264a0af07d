/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The other end of a link, as subnet management sees it.
 *
 * DOC: laws
 *
 * Both ends of a link train together. A port that is set to DOWN takes the port at
 * the other end with it: that one is DOWN, and goes to INIT when the link has trained
 * again, at the same instant of fabric time. While a port is disabled its other end
 * stays DOWN and polls.
 */
#ifndef WEFT_RDMA_FAR_H
#define WEFT_RDMA_FAR_H

#include <linux/types.h>

struct fab_port;

bool weft_far_trains(const struct fab_port *port);
void weft_far_retrain(struct fab_port *port);

#endif
