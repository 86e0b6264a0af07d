// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters and histograms that the kernel reports.
 */
#include "netlink/stats.h"

#include <netlink/attr.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "netlink/nl.h"

/**
 * struct names - the names of all counters that were ever seen
 * @lock: protects the others
 * @name: the names
 * @n: entries of @name
 * @next: where the one that is asked for is likely to be, as lists have one order
 */
struct names {
	pthread_mutex_t lock;
	char **name;
	unsigned int n;
	unsigned int next;
};

static struct names names = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *find_name(const char *name)
{
	char **more, *copy;

	for (unsigned int i = 0; i < names.n; i++) {
		unsigned int at = (names.next + i) % names.n;

		if (strcmp(names.name[at], name))
			continue;
		names.next = at + 1;
		return names.name[at];
	}
	more = weft_array_grow(names.name, names.n, sizeof(*names.name));
	if (!more)
		return NULL;
	names.name = more;
	copy = strdup(name);
	if (copy)
		names.name[names.n++] = copy;
	return copy;
}

/* The one copy of a name; NULL without memory. */
static const char *lasting_name(const char *name)
{
	const char *found;

	pthread_mutex_lock(&names.lock);
	found = find_name(name);
	pthread_mutex_unlock(&names.lock);
	return found;
}

/**
 * weft_counters_add() - decode a counter and append it
 * @cs: the counters
 * @nest: the attribute
 * @err: error
 *
 * Counters beyond WEFT_COUNTERS_MAX are ignored.
 *
 * Return: 0 or negative errno.
 */
int weft_counters_add(struct weft_counters *cs, struct nlattr *nest,
		      struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_COUNTER_MAX + 1];
	struct weft_counter *c = &cs->c[cs->n];

	if (weft_nl_nested(nest, tb, WEFT_A_COUNTER_MAX, err))
		return err->code;
	if (cs->n == WEFT_COUNTERS_MAX || !tb[WEFT_A_COUNTER_NAME] ||
	    !tb[WEFT_A_COUNTER_VALUE])
		return 0;
	c->name = lasting_name(nla_get_string(tb[WEFT_A_COUNTER_NAME]));
	if (!c->name)
		return weft_err_nomem(err);
	c->value = nla_get_u64(tb[WEFT_A_COUNTER_VALUE]);
	cs->n++;
	return 0;
}

/**
 * weft_counters_get() - value of a counter
 * @cs: the counters
 * @name: its name
 *
 * Return: the value, 0 if there is no such counter.
 */
uint64_t weft_counters_get(const struct weft_counters *cs, const char *name)
{
	for (unsigned int i = 0; i < cs->n; i++)
		if (!strcmp(cs->c[i].name, name))
			return cs->c[i].value;
	return 0;
}

/**
 * weft_counters_sum() - sum of all counters
 * @cs: the counters
 *
 * Return: the sum.
 */
uint64_t weft_counters_sum(const struct weft_counters *cs)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cs->n; i++)
		sum += cs->c[i].value;
	return sum;
}

/**
 * weft_class_states_add() - decode the counters of one class and append them
 * @s: the classes, to be freed by weft_class_states_free() even after an error
 * @nest: the attribute
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_class_states_add(struct weft_class_states *s, struct nlattr *nest,
			  struct weft_err *err)
{
	struct weft_class_state *more, *to;
	struct nlattr *nla;
	int rem;

	more = weft_array_grow(s->state, s->n, sizeof(*s->state));
	if (!more)
		return weft_err_nomem(err);
	s->state = more;
	to = &s->state[s->n++];
	nla_for_each_nested(nla, nest, rem) {
		if (nla_type(nla) == WEFT_A_CLASS_STATE_CLASS)
			to->cls = nla_get_u32(nla);
		else if (nla_type(nla) == WEFT_A_CLASS_STATE_COUNTER &&
			 weft_counters_add(&to->counters, nla, err))
			return err->code;
	}
	return 0;
}

/**
 * weft_class_states_get() - value of a counter of a class
 * @s: the classes
 * @cls: the class
 * @name: name of the counter
 *
 * Return: the value, 0 if there is no such class or counter.
 */
uint64_t weft_class_states_get(const struct weft_class_states *s, uint32_t cls,
			       const char *name)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->state[i].cls == cls)
			return weft_counters_get(&s->state[i].counters, name);
	return 0;
}

/**
 * weft_class_states_free() - free the counters of classes
 * @s: the classes
 */
void weft_class_states_free(struct weft_class_states *s)
{
	free(s->state);
	*s = (struct weft_class_states) { 0 };
}

static int parse_bucket(struct weft_bucket *b, struct nlattr *nest,
			struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_BUCKET_MAX + 1];

	if (weft_nl_nested(nest, tb, WEFT_A_BUCKET_MAX, err))
		return err->code;
	if (tb[WEFT_A_BUCKET_END])
		b->end = nla_get_u64(tb[WEFT_A_BUCKET_END]);
	if (tb[WEFT_A_BUCKET_COUNT])
		b->count = nla_get_u64(tb[WEFT_A_BUCKET_COUNT]);
	return 0;
}

static int parse_buckets(struct weft_hist *h, struct nlattr *nest,
			 struct weft_err *err)
{
	struct nlattr *nla;
	unsigned int n = 0;
	int rem;

	nla_for_each_nested(nla, nest, rem)
		n += nla_type(nla) == WEFT_A_HIST_BUCKET;
	h->bucket = calloc(n + 1, sizeof(*h->bucket));
	if (!h->bucket)
		return weft_err_nomem(err);
	nla_for_each_nested(nla, nest, rem)
		if (nla_type(nla) == WEFT_A_HIST_BUCKET &&
		    parse_bucket(&h->bucket[h->n++], nla, err))
			return err->code;
	return 0;
}

/**
 * weft_hist_parse() - decode a histogram
 * @h: result, to be freed by weft_hist_free() even after an error
 * @nest: the attribute
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_hist_parse(struct weft_hist *h, struct nlattr *nest,
		    struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_HIST_BUCKET + 1];

	*h = (struct weft_hist) { 0 };
	if (weft_nl_nested(nest, tb, WEFT_A_HIST_BUCKET, err))
		return err->code;
	if (tb[WEFT_A_HIST_COUNT])
		h->count = nla_get_u64(tb[WEFT_A_HIST_COUNT]);
	if (tb[WEFT_A_HIST_SMALLEST])
		h->min = nla_get_u64(tb[WEFT_A_HIST_SMALLEST]);
	if (tb[WEFT_A_HIST_LARGEST])
		h->max = nla_get_u64(tb[WEFT_A_HIST_LARGEST]);
	return parse_buckets(h, nest, err);
}

/**
 * weft_hist_percentile() - a percentile of a histogram
 * @h: the histogram
 * @per_mille: the percentile, 1/1000: 990 is the 99th percentile
 *
 * Return: upper bound of the bucket with that percentile, ps, at most the largest
 * sample; 0 without samples.
 */
uint64_t weft_hist_percentile(const struct weft_hist *h, unsigned int per_mille)
{
	__uint128_t need = (__uint128_t)h->count * per_mille;
	uint64_t seen = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		seen += h->bucket[i].count;
		if ((__uint128_t)seen * 1000 >= need)
			return h->bucket[i].end < h->max ? h->bucket[i].end :
							   h->max;
	}
	return h->max;
}

static unsigned int merge_buckets(struct weft_bucket *out,
				  const struct weft_hist *a,
				  const struct weft_hist *b)
{
	unsigned int i = 0, j = 0, n = 0;

	while (i < a->n || j < b->n) {
		if (j == b->n || (i < a->n &&
				  a->bucket[i].end < b->bucket[j].end)) {
			out[n++] = a->bucket[i++];
		} else {
			out[n] = b->bucket[j++];
			if (i < a->n && a->bucket[i].end == out[n].end)
				out[n].count += a->bucket[i++].count;
			n++;
		}
	}
	return n;
}

/**
 * weft_hist_merge() - add the samples of one histogram to another
 * @into: histogram that gets the samples
 * @from: histogram whose samples are added
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_hist_merge(struct weft_hist *into, const struct weft_hist *from,
		    struct weft_err *err)
{
	struct weft_bucket *out;

	if (!from->count)
		return 0;
	out = calloc(into->n + from->n + 1, sizeof(*out));
	if (!out)
		return weft_err_nomem(err);
	into->n = merge_buckets(out, into, from);
	free(into->bucket);
	into->bucket = out;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	return 0;
}

/**
 * weft_hist_free() - free a histogram
 * @h: the histogram
 */
void weft_hist_free(struct weft_hist *h)
{
	free(h->bucket);
	*h = (struct weft_hist) { 0 };
}
