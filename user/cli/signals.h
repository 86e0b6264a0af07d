/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that end with Ctrl-C.
 */
#ifndef WEFT_SIGNALS_H
#define WEFT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

void signals_hold(sigset_t *before);
bool signals_came(void);

#endif
