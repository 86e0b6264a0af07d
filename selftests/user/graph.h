/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distances and flows in a topology, for the tests.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdint.h>

#include "topology/topo.h"

unsigned int graph_hops(const struct weft_topo *t);
uint64_t graph_cut(const struct weft_topo *t, unsigned int half);

#endif
