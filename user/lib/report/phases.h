/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The phases of a lab, in the form of a report.
 */
#ifndef WEFT_REPORT_PHASES_H
#define WEFT_REPORT_PHASES_H

#include <jansson.h>

#include "facts/facts.h"

json_t *weft_phases_json(const struct weft_facts *facts, unsigned int from);
unsigned int weft_phases_settled(const struct weft_facts *facts);
uint32_t weft_phases_check(const struct weft_facts *facts, unsigned int n);

#endif
