/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_CPU_H
#define WEFT_VM_CPU_H

int cpu_claim(void);

#endif
