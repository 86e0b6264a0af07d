/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantities as people write them: 400Gbps, 500ns, 16MiB.
 */
#ifndef WEFT_UNITS_H
#define WEFT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WEFT_PS_PER_NS		1000ULL
#define WEFT_PS_PER_US		1000000ULL
#define WEFT_PS_PER_S		1000000000000ULL

#define WEFT_CLOCK_AUTO		UINT32_MAX	/* real/K; weft_plan_dilation() gives K */

int weft_parse_rate(const char *text, uint64_t *bps, struct weft_err *err);
int weft_parse_time(const char *text, uint64_t *ps, struct weft_err *err);
int weft_parse_size(const char *text, uint64_t *bytes, struct weft_err *err);
int weft_parse_number(const char *text, uint64_t *value, struct weft_err *err);
int weft_parse_count(const char *text, uint64_t *n, struct weft_err *err);
int weft_parse_ber(const char *text, uint64_t *bits, struct weft_err *err);
int weft_parse_fraction(const char *text, uint32_t *ppm, struct weft_err *err);
bool weft_parse_classes(const char *text, uint32_t classes, uint32_t *mask);
int weft_parse_clock(const char *text, uint32_t *dilation,
		     struct weft_err *err);

const char *weft_format_rate(char *buf, size_t len, uint64_t bps);
const char *weft_format_time(char *buf, size_t len, uint64_t ps);
const char *weft_format_size(char *buf, size_t len, uint64_t bytes);
const char *weft_format_clock(char *buf, size_t len, uint32_t dilation);

#endif
