/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to the web server: checks of a request.
 */
#ifndef WEFT_WEB_ACCESS_H
#define WEFT_WEB_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* 256 bits as hexadecimal digits, without the terminator. */
#define WEFT_TOKEN_LEN	64

bool weft_web_token_equal(const char *given, const char *token);
bool weft_web_host_is_ours(const char *host, uint16_t port);
bool weft_web_bearer_ok(const char *authorization, const char *token);
const char *weft_web_file_type(const char *name);

#endif
