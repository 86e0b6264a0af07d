/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing arrays.
 */
#ifndef WEFT_ARRAY_H
#define WEFT_ARRAY_H

#include <stddef.h>

void *weft_array_grow(void *array, size_t n, size_t size);

#endif
