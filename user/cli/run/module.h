/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel modules inside the virtual machine.
 */
#ifndef WEFT_MODULE_H
#define WEFT_MODULE_H

#include <limits.h>

#include "base/err.h"

int module_find(char path[PATH_MAX], struct weft_err *err);
int module_load(struct weft_err *err);

#endif
