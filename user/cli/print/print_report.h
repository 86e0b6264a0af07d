/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report as text.
 */
#ifndef WEFT_PRINT_REPORT_H
#define WEFT_PRINT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "base/err.h"
#include "lab/lab.h"

json_t *report_of(const struct weft_lab *lab, struct weft_err *err);
void print_report(FILE *f, json_t *report, bool all);
int save_report(const char *path, json_t *report, struct weft_err *err);

#endif
