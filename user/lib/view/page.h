/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as one web page.
 */
#ifndef WEFT_PAGE_H
#define WEFT_PAGE_H

#include <jansson.h>

#include "base/err.h"

json_t *weft_run_load(const char *path, struct weft_err *err);
int weft_page_html(json_t *run, char **html, struct weft_err *err);

#endif
