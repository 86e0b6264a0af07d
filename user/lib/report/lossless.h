/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What back-pressure did in a lab, and whether it kept its promise.
 */
#ifndef WEFT_LOSSLESS_H
#define WEFT_LOSSLESS_H

#include <jansson.h>

#include "facts/facts.h"

json_t *weft_lossless_report(const struct weft_facts *facts);

#endif
