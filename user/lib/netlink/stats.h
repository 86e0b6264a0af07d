/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters and histograms that the kernel reports.
 */
#ifndef WEFT_STATS_H
#define WEFT_STATS_H

#include <stdint.h>

#include "base/err.h"

#define WEFT_COUNTERS_MAX	48

struct nlattr;

/**
 * struct weft_counter - one counter
 */
struct weft_counter {
	/** @name: its name in the kernel's table; never freed, as others have the same */
	const char *name;
	/** @value: its value */
	uint64_t value;
};

/**
 * struct weft_counters - counters in the kernel's order
 */
struct weft_counters {
	/** @n: how many */
	unsigned int n;
	/** @c: the counters */
	struct weft_counter c[WEFT_COUNTERS_MAX];
};

/**
 * struct weft_class_state - counters of one class of a port
 */
struct weft_class_state {
	/** @cls: the class */
	uint32_t cls;
	/** @counters: the counters that are not 0 */
	struct weft_counters counters;
};

/**
 * struct weft_class_states - the classes of a port that have counters
 */
struct weft_class_states {
	/** @n: entries of @state */
	unsigned int n;
	/** @state: the classes, in ascending order */
	struct weft_class_state *state;
};

/**
 * struct weft_bucket - a bucket of a histogram that is not empty
 */
struct weft_bucket {
	/** @end: exclusive upper bound, ps */
	uint64_t end;
	/** @count: number of samples */
	uint64_t count;
};

/**
 * struct weft_hist - a histogram of times in ps
 */
struct weft_hist {
	/** @count: samples */
	uint64_t count;
	/** @min: smallest sample, 0 without samples */
	uint64_t min;
	/** @max: largest sample */
	uint64_t max;
	/** @n: entries of @bucket */
	unsigned int n;
	/** @bucket: the buckets, in ascending order */
	struct weft_bucket *bucket;
};

int weft_counters_add(struct weft_counters *cs, struct nlattr *nest,
		      struct weft_err *err);
uint64_t weft_counters_get(const struct weft_counters *cs, const char *name);
uint64_t weft_counters_sum(const struct weft_counters *cs);

int weft_class_states_add(struct weft_class_states *s, struct nlattr *nest,
			  struct weft_err *err);
uint64_t weft_class_states_get(const struct weft_class_states *s, uint32_t cls,
			       const char *name);
void weft_class_states_free(struct weft_class_states *s);

int weft_hist_parse(struct weft_hist *h, struct nlattr *nest,
		    struct weft_err *err);
uint64_t weft_hist_percentile(const struct weft_hist *h, unsigned int per_mille);
int weft_hist_merge(struct weft_hist *into, const struct weft_hist *from,
		    struct weft_err *err);
void weft_hist_free(struct weft_hist *h);

#endif
