/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Import of an InfiniBand network: from the output of ibnetdiscover to a topology file.
 */
#ifndef WEFT_IBNETDISCOVER_H
#define WEFT_IBNETDISCOVER_H

#include <stddef.h>

#include "base/err.h"

int weft_ibnetdiscover(const char *file, const char *text, size_t len,
		       const char *name, char **yaml, struct weft_err *err);

#endif
