/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios played by weftd.
 */
#ifndef WEFT_SCENARIO_REMOTE_H
#define WEFT_SCENARIO_REMOTE_H

#include <stdbool.h>

bool scenario_is_remote(const char *what, int words);
int scenario_remote(const char *what, const char *lab, const char *file,
		    bool json);

#endif
