/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of the web server.
 */
#ifndef WEFT_DAEMON_PAGES_H
#define WEFT_DAEMON_PAGES_H

#include <stddef.h>

#include "daemon.h"
#include "report/record_reader.h"

/**
 * struct page_request - a request for a page
 */
struct page_request {
	/** @path: decoded path, without the query */
	const char *path;
	/** @after: value of "after" in the query, NULL if there is none */
	const char *after;
	/** @post: the method is POST, otherwise GET */
	bool post;
	/** @trusted: the request has the token */
	bool trusted;
};

/**
 * struct page - a page
 */
struct page {
	/** @type: its media type */
	const char *type;
	/** @text: its content */
	char *text;
	/** @len: bytes of @text */
	size_t len;
	/** @reader: if not NULL, makes the content in pieces, instead of @text */
	struct weft_record_reader *reader;
	/** @allow: after -EOPNOTSUPP: the allowed method */
	const char *allow;
};

int page_get(struct daemon *d, const struct page_request *request,
	     struct page *page, struct weft_err *err);
void page_free(struct page *page);

#endif
