/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_TERMINAL_H
#define WEFT_VM_TERMINAL_H

#include <stdint.h>

unsigned int terminal_mask(void);
int terminal_fd(void);
void terminal_size(uint16_t *rows, uint16_t *cols);
void terminal_raw(void);
void terminal_restore(void);

#endif
