/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are read or written as a whole.
 */
#ifndef WEFT_FILE_H
#define WEFT_FILE_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"

int weft_file_write(const char *path, mode_t mode, struct weft_strbuf *text,
		    struct weft_err *err);
int weft_file_write_json(const char *path, mode_t mode, const json_t *value,
			 size_t flags, struct weft_err *err);
int weft_stream_read(FILE *f, size_t max, char **text, size_t *len);

#endif
