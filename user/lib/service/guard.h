/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may see the web page: what a request must have with it.
 */
#ifndef WEFT_GUARD_H
#define WEFT_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* 256 bits as hexadecimal digits, without the terminator. */
#define WEFT_TOKEN_LEN	64

bool weft_guard_equal(const char *given, const char *token);
bool weft_guard_host(const char *host, uint16_t port);
bool weft_guard_bearer(const char *authorization, const char *token);
const char *weft_guard_file_type(const char *name);

#endif
