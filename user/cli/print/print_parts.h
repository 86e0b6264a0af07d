/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printing where a fabric is cut into parts.
 */
#ifndef WEFT_PRINT_PARTS_H
#define WEFT_PRINT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

int print_parts(const struct weft_share_choice *topology, uint32_t parts, bool json);

#endif
