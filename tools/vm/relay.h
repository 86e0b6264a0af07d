/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_RELAY_H
#define WEFT_VM_RELAY_H

struct machine;

void relay_block_signals(void);
int relay_run(struct machine *m, double timeout);

#endif
