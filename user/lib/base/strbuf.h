/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A string buffer that grows.
 */
#ifndef WEFT_STRBUF_H
#define WEFT_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/**
 * struct weft_strbuf - a string buffer; all zero is empty
 */
struct weft_strbuf {
	/** @text: the text, zero-terminated; NULL while empty */
	char *text;
	/** @len: its length */
	size_t len;
	/** @room: bytes of @text */
	size_t room;
	/** @failed: memory ran out, so the text is incomplete */
	bool failed;
};

void weft_strbuf_add(struct weft_strbuf *s, const char *text);
void weft_strbuf_addf(struct weft_strbuf *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int weft_strbuf_take(struct weft_strbuf *s, char **text, struct weft_err *err);

#endif
