/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs in nodes.
 */
#ifndef WEFT_INSIDE_H
#define WEFT_INSIDE_H

#include "lab.h"

int inside_exec(const struct weft_lab *lab, const char *node, unsigned int slots,
		char **argv);

#endif
