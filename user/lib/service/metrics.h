/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labs as metrics of Prometheus, text format 0.0.4.
 */
#ifndef WEFT_METRICS_H
#define WEFT_METRICS_H

#include <stdint.h>

#include "base/err.h"
#include "facts/facts.h"

struct weft_metrics_family;

/**
 * struct weft_metrics - metrics that are gathered; all zero is none
 */
struct weft_metrics {
	/** @n: entries of @family */
	size_t n;
	/** @family: all samples of one name, in the order of their first ones */
	struct weft_metrics_family *family;
	/** @next: where the next sample is likely to belong */
	size_t next;
	/** @failed: there was no memory, and something is missing */
	bool failed;
};

void weft_metrics_value(struct weft_metrics *m, const char *name,
			const char *help, uint64_t value);
void weft_metrics_lab(struct weft_metrics *m, const struct weft_facts *facts);
void weft_metrics_lost(struct weft_metrics *m, const char *lab);
int weft_metrics_take(struct weft_metrics *m, char **text,
		      struct weft_err *err);

#endif
