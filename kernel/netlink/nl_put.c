// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: numbers, counters and histograms in messages.
 */
#include <linux/string.h>

#include "fabric/counters.h"
#include "fabric/fabric.h"
#include "netlink/nl_priv.h"

/**
 * weft_nl_put_u64() - put a 64-bit number, as in the specification
 * @skb: the message
 * @attr: the attribute
 * @value: the number
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put(skb, attr, sizeof(value), &value);
}

/**
 * weft_nl_put_u32_set() - put a number, unless it is 0 (not set)
 * @skb: the message
 * @attr: the attribute
 * @value: the number
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_u32_set(struct sk_buff *skb, int attr, u32 value)
{
	return value ? nla_put_u32(skb, attr, value) : 0;
}

/**
 * weft_nl_put_u64_set() - the same with 64 bits
 * @skb: the message
 * @attr: the attribute
 * @value: the number
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_u64_set(struct sk_buff *skb, int attr, u64 value)
{
	return value ? weft_nl_put_u64(skb, attr, value) : 0;
}

/**
 * weft_nl_put_name() - put a name, unless it is empty
 * @skb: the message
 * @attr: the attribute
 * @name: the name
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_name(struct sk_buff *skb, int attr, const char *name)
{
	return *name ? nla_put_string(skb, attr, name) : 0;
}

static int put_counter(struct sk_buff *skb, int attr, const char *name,
		       u64 value)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || nla_put_string(skb, WEFT_A_COUNTER_NAME, name) ||
	    weft_nl_put_u64(skb, WEFT_A_COUNTER_VALUE, value))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weft_nl_put_counters() - put an array of counters
 * @skb: the message
 * @attr: the attribute that each is nested in
 * @name: their names
 * @value: their values
 * @n: their number
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_counters(struct sk_buff *skb, int attr,
			 const char *const *name, const u64 *value, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (put_counter(skb, attr, name[i], value[i]))
			return -EMSGSIZE;
	return 0;
}

/**
 * weft_nl_put_port_counters() - put the counters of a port
 * @skb: the message
 * @counter: the attribute that a counter is nested in
 * @drop: the attribute that a reason for drops is nested in
 * @c: the counters
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_port_counters(struct sk_buff *skb, int counter, int drop,
			      const struct fab_port_counters *c)
{
	u32 drops = FAB_DROP_COUNT;

	/* The last reason is listed only where a subnet manager was at work. */
	BUILD_BUG_ON(FAB_DROP_INACTIVE + 1 != FAB_DROP_COUNT);
	if (!c->drops[FAB_DROP_INACTIVE])
		drops--;
	return weft_nl_put_counters(skb, counter, weft_port_counter_name,
				    (const u64 *)c, WEFT_PORT_COUNTERS) ?:
	       weft_nl_put_counters(skb, drop, weft_drop_name, c->drops,
				    drops);
}

static int put_class(struct sk_buff *skb, int attr, u32 cls,
		     const u64 value[WEFT_CLASS_COUNTERS])
{
	struct nlattr *nest;
	u32 i;

	if (!memchr_inv(value, 0, WEFT_CLASS_COUNTERS * sizeof(*value)))
		return 0;
	nest = nla_nest_start(skb, attr);
	if (!nest || nla_put_u32(skb, WEFT_A_CLASS_STATE_CLASS, cls))
		return -EMSGSIZE;
	for (i = 0; i < WEFT_CLASS_COUNTERS; i++)
		if (value[i] && put_counter(skb, WEFT_A_CLASS_STATE_COUNTER,
					    weft_class_counter_name[i],
					    value[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weft_nl_put_classes() - put the counters of a port's classes
 * @skb: the message
 * @attr: the attribute that a class is nested in
 * @port: the port
 *
 * Counters that are 0 are left out, so that many classes fit a reader's buffer.
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_classes(struct sk_buff *skb, int attr,
			const struct fab_port *port)
{
	u32 left, cls;

	for (left = fab_port_classes(port); left; left &= left - 1) {
		cls = __ffs(left);
		if (put_class(skb, attr, cls, (const u64 *)&port->cls[cls].c))
			return -EMSGSIZE;
	}
	return 0;
}

static int put_bucket(struct sk_buff *skb, const struct fab_hist *h, u32 i)
{
	struct nlattr *nest;

	if (!h->bucket[i])
		return 0;
	nest = nla_nest_start(skb, WEFT_A_HIST_BUCKET);
	if (!nest ||
	    weft_nl_put_u64(skb, WEFT_A_BUCKET_END, fab_hist_bucket_end(i)) ||
	    weft_nl_put_u64(skb, WEFT_A_BUCKET_COUNT, h->bucket[i]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weft_nl_put_hist() - put a histogram
 * @skb: the message
 * @attr: the attribute that it is nested in
 * @h: the histogram
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_hist(struct sk_buff *skb, int attr, const struct fab_hist *h)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	u32 i;

	if (!nest || weft_nl_put_u64(skb, WEFT_A_HIST_COUNT, h->count))
		return -EMSGSIZE;
	if (h->count && (weft_nl_put_u64(skb, WEFT_A_HIST_SMALLEST, h->min) ||
			 weft_nl_put_u64(skb, WEFT_A_HIST_LARGEST, h->max)))
		return -EMSGSIZE;
	for (i = 0; i < FAB_HIST_BUCKETS; i++)
		if (put_bucket(skb, h, i))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
