/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values as text, whole or not at all.
 */
#ifndef WEFT_JSON_TEXT_H
#define WEFT_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

bool weft_json_lost(void);
char *weft_json_text(const json_t *value, size_t flags);
void weft_json_fail_after(long n);

#endif
