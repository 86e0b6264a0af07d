/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_MEMORY_H
#define WEFT_VM_MEMORY_H

int memory_make(void);
void memory_ahead(int file, int used);

#endif
