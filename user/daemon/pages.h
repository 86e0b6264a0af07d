/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the web server has.
 */
#ifndef WEFT_DAEMON_PAGES_H
#define WEFT_DAEMON_PAGES_H

#include <stddef.h>

#include "daemon.h"
#include "report/record_reader.h"

/**
 * struct page_request - what is asked for
 */
struct page_request {
	/** @path: decoded, without what is behind a question mark */
	const char *path;
	/** @after: of the query, NULL if it is not there */
	const char *after;
	/** @post: whether the method is POST; else it is GET */
	bool post;
	/** @trusted: whether the token is there */
	bool trusted;
};

/**
 * struct page - an answer
 */
struct page {
	/** @type: its media type */
	const char *type;
	/** @text: the answer */
	char *text;
	/** @len: its length */
	size_t len;
	/** @reader: makes the answer, in place of @text, where it is not NULL */
	struct weft_record_reader *reader;
	/** @allow: after -EOPNOTSUPP: the method that there is */
	const char *allow;
};

int page_get(struct daemon *d, const struct page_request *request,
	     struct page *page, struct weft_err *err);
void page_free(struct page *page);

#endif
