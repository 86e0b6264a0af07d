/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of a lab.
 */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include <jansson.h>

#include "base/err.h"
#include "facts/facts.h"

/* The share of events that may be late is 1 in this; see Documentation/report.rst. */
#define WEFT_LATE_TOLERANCE	1000

json_t *weft_report_make(const struct weft_facts *facts, struct weft_err *err);
json_t *weft_report_brief(const struct weft_facts *facts);
json_t *weft_verdict(const struct weft_facts *facts);

#endif
