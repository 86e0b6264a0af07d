/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of back-pressure in a lab, and losses in lossless classes.
 */
#ifndef WEFT_LOSSLESS_H
#define WEFT_LOSSLESS_H

#include <jansson.h>

#include "facts/facts.h"

json_t *weft_lossless_report(const struct weft_facts *facts);

#endif
