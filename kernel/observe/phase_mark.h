/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: programs mark phases in /proc/net/weft_mark.
 */
#ifndef WEFT_PHASE_MARK_H
#define WEFT_PHASE_MARK_H

struct net;

int weft_phase_mark_init(struct net *net);
void weft_phase_mark_exit(struct net *net);

#endif
