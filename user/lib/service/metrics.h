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
 * struct weft_metrics - metrics; zeroed if there are none
 */
struct weft_metrics {
	/** @n: entries of @family */
	size_t n;
	/**
	 * @family: samples by name, in the order of the first sample of each name
	 */
	struct weft_metrics_family *family;
	/** @next: index of the likely family of the next sample */
	size_t next;
	/** @failed: an allocation failed; metrics are incomplete */
	bool failed;
};

void weft_metrics_value(struct weft_metrics *m, const char *name,
			const char *help, uint64_t value);
void weft_metrics_lab(struct weft_metrics *m, const struct weft_facts *facts);
void weft_metrics_lost(struct weft_metrics *m, const char *lab);
int weft_metrics_take(struct weft_metrics *m, char **text,
		      struct weft_err *err);

#endif
