/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of this process.
 */
#ifndef WEFT_LIMITS_H
#define WEFT_LIMITS_H

#include <stdint.h>

void weft_lift_files(uint64_t need);
void weft_lift_memlock(void);

#endif
