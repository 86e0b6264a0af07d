/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects by number, in sets that can be joined.
 */
#ifndef WEFT_SETS_H
#define WEFT_SETS_H

#include <stdint.h>

void weft_sets_init(uint32_t *root, uint32_t n);
uint32_t weft_sets_find(uint32_t *root, uint32_t x);
void weft_sets_join(uint32_t *root, uint32_t a, uint32_t b);

#endif
