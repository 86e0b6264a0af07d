/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client of the control socket of weftd.
 *
 * A request is a JSON object on one line, {"do": WHAT, ...}. The reply is one,
 * too: the result, or {"error": TEXT, "kind": enum weft_err_kind}.
 */
#ifndef WEFT_CONTROL_H
#define WEFT_CONTROL_H

#include <jansson.h>

#include "base/err.h"
#include "lab/lab.h"

#define WEFT_CONTROL_SOCKET	WEFT_RUN_DIR "/weftd.sock"
#define WEFT_CONTROL_LOCK	WEFT_RUN_DIR "/weftd.pid"
#define WEFT_CONTROL_LOG	WEFT_RUN_DIR "/weftd.log"
#define WEFT_CONTROL_TOKEN	WEFT_RUN_DIR "/http.token"
/* Longest request in bytes, with its newline. */
#define WEFT_CONTROL_LINE	65536

int weft_control_call(json_t *request, json_t **reply, struct weft_err *err);
int weft_control_reply(json_t *reply, struct weft_err *err);

#endif
