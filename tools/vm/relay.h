/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_RELAY_H
#define WEFT_VM_RELAY_H

struct forward;
struct machine;

void relay_block_signals(void);
int relay_run(struct machine *m, struct forward *forward, double timeout);

#endif
