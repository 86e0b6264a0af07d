/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to the daemon.
 */
#ifndef WEFT_DAEMON_REQUESTS_H
#define WEFT_DAEMON_REQUESTS_H

#include "daemon.h"

int request_lab(const struct daemon *d, const json_t *request,
		struct daemon_lab **lab, struct weft_err *err);
json_t *labs_json(const struct daemon *d);
json_t *request_answer(struct daemon *d, const char *line, size_t len);

#endif
