/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the web server has.
 */
#ifndef WEFT_DAEMON_PAGES_H
#define WEFT_DAEMON_PAGES_H

#include <stddef.h>

#include "daemon.h"

/**
 * struct page - an answer
 */
struct page {
	/** @type: its media type */
	const char *type;
	/** @text: to be freed by free() */
	char *text;
	/** @len: its length */
	size_t len;
};

int page_get(struct daemon *d, const char *path, struct page *page,
	     struct weft_err *err);

#endif
