// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of links, switches and NICs: from text to numbers.
 *
 * What is absent leaves the result as it was, so that calling a function for
 * the profile, then for the topology, then for the object gives the innermost
 * value.
 */
#include "topo_params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "units.h"

#define RATE_MIN	1000ULL
#define RATE_MAX	1000000000000000ULL
#define OVERHEAD_MAX	256
#define FRAME_MIN_MAX	4096
#define QUEUE_MAX	2147483648ULL
#define BUFFER_MAX	1099511627776ULL
/* The smallest that IPv4 must carry, and the largest that a frame may. */
#define MTU_MIN		68
#define MTU_MAX		65521

/**
 * weft_place_fail() - say what is wrong at a key of a place
 * @at: the place
 * @key: the key, "" for the place itself
 * @err: error
 * @fmt: what is wrong and what was expected; may print @err->msg
 *
 * Return: -EINVAL.
 */
int weft_place_fail(const struct weft_place *at, const char *key,
		    struct weft_err *err, const char *fmt, ...)
{
	char path[WEFT_PATH_MAX + 32], text[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s%s%s", at->path,
		 *at->path && *key ? "." : "", key);
	return weft_yaml_fail(at->yaml, path, err, "%s", text);
}

static int fail_value(const struct weft_place *at, const char *key,
		      struct weft_err *err)
{
	return weft_place_fail(at, key, err, "%s: %s", key, err->msg);
}

static int take_rate(const struct weft_place *at, const char *key,
		     const char *text, uint64_t *v, struct weft_err *err)
{
	uint64_t bps;

	if (!text)
		return 0;
	if (weft_parse_rate(text, &bps, err))
		return fail_value(at, key, err);
	if (bps < RATE_MIN || bps > RATE_MAX)
		return weft_place_fail(at, key, err,
				       "%s: \"%s\": expected 1kbps to 1000Tbps",
				       key, text);
	*v = bps;
	return 0;
}

/**
 * weft_take_time() - parse a time, if it is there
 * @at: where it stands
 * @key: under which key
 * @text: the text, NULL if absent
 * @v: picoseconds
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_take_time(const struct weft_place *at, const char *key,
		   const char *text, uint64_t *v, struct weft_err *err)
{
	uint64_t ps;

	if (!text)
		return 0;
	if (weft_parse_time(text, &ps, err))
		return fail_value(at, key, err);
	if (ps > WEFT_DELAY_MAX)
		return weft_place_fail(at, key, err,
				       "%s: \"%s\": expected 1000s at most",
				       key, text);
	*v = ps;
	return 0;
}

/**
 * weft_take_number() - parse a whole number, if it is there
 * @at: where it stands
 * @key: under which key
 * @text: the text, NULL if absent
 * @lo: least value allowed
 * @hi: largest value allowed
 * @v: the number
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_take_number(const struct weft_place *at, const char *key,
		     const char *text, uint64_t lo, uint64_t hi, uint64_t *v,
		     struct weft_err *err)
{
	uint64_t n;

	if (!text)
		return 0;
	if (weft_parse_number(text, &n, err))
		return fail_value(at, key, err);
	if (n < lo || n > hi)
		return weft_place_fail(at, key, err,
				       "%s: %" PRIu64 ": expected %" PRIu64 " to %" PRIu64,
				       key, n, lo, hi);
	*v = n;
	return 0;
}

/**
 * weft_take_size() - parse a number of bytes, if it is there
 * @at: where it stands
 * @key: under which key
 * @text: the text, NULL if absent
 * @lo: least value allowed
 * @hi: largest value allowed
 * @v: the number
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_take_size(const struct weft_place *at, const char *key,
		   const char *text, uint64_t lo, uint64_t hi, uint64_t *v,
		   struct weft_err *err)
{
	char least[32], most[32];
	uint64_t n;

	if (!text)
		return 0;
	if (weft_parse_size(text, &n, err))
		return fail_value(at, key, err);
	if (n < lo || n > hi)
		return weft_place_fail(at, key, err,
				       "%s: \"%s\": expected %s to %s", key,
				       text,
				       weft_format_size(least, sizeof(least), lo),
				       weft_format_size(most, sizeof(most), hi));
	*v = n;
	return 0;
}

/**
 * weft_take_choice() - parse one of several words, if it is there
 * @at: where it stands
 * @key: under which key
 * @text: the text, NULL if absent
 * @choices: the words, NULL-terminated
 * @v: index of the word
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_take_choice(const struct weft_place *at, const char *key,
		     const char *text, const char *const *choices, uint32_t *v,
		     struct weft_err *err)
{
	char list[128] = "";
	size_t n = 0;

	if (!text)
		return 0;
	for (uint32_t i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], text)) {
			*v = i;
			return 0;
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? " or " : "", choices[i]);
	}
	return weft_place_fail(at, key, err, "%s: \"%.40s\": expected %s", key,
			       text, list);
}

static int take_u32(const struct weft_place *at, const char *key,
		    const char *text, uint64_t lo, uint64_t hi, uint32_t *v,
		    struct weft_err *err)
{
	uint64_t n = *v;

	if (weft_take_size(at, key, text, lo, hi, &n, err))
		return err->code;
	*v = (uint32_t)n;
	return 0;
}

static int take_count(const struct weft_place *at, const char *key,
		      const char *text, uint64_t lo, uint64_t hi, uint32_t *v,
		      struct weft_err *err)
{
	uint64_t n = *v;

	if (weft_take_number(at, key, text, lo, hi, &n, err))
		return err->code;
	*v = (uint32_t)n;
	return 0;
}

static int take_ber(const struct weft_place *at, const char *text,
		    uint64_t *bits, struct weft_err *err)
{
	if (!text)
		return 0;
	if (weft_parse_ber(text, bits, err))
		return fail_value(at, "ber", err);
	return 0;
}

/**
 * weft_link_params() - parameters of a link
 * @at: where they stand
 * @raw: their text
 * @w: result; what is absent stays
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_link_params(const struct weft_place *at,
		     const struct weft_raw_link_params *raw,
		     struct weft_wire *w, struct weft_err *err)
{
	static const char *const states[] = { "down", "up", NULL };

	if (take_rate(at, "rate", raw->rate, &w->rate, err) ||
	    weft_take_time(at, "propagation", raw->propagation,
			   &w->propagation, err) ||
	    take_count(at, "overhead", raw->overhead, 0, OVERHEAD_MAX,
		       &w->overhead, err) ||
	    take_count(at, "min-frame", raw->min_frame, 0, FRAME_MIN_MAX,
		       &w->min_frame, err) ||
	    take_ber(at, raw->ber, &w->bits_per_error, err) ||
	    weft_take_choice(at, "state", raw->state, states, &w->up, err))
		return err->code;
	return 0;
}

static int take_port(const struct weft_place *at, const char *queue_limit,
		     const char *classes, struct weft_port_params *p,
		     struct weft_err *err)
{
	if (take_u32(at, "queue-limit", queue_limit, 1, QUEUE_MAX,
		     &p->queue_limit, err) ||
	    take_count(at, "classes", classes, 1, WEFT_CLASSES_MAX,
		       &p->classes, err))
		return err->code;
	p->has |= (queue_limit ? WEFT_PORT_HAS_QUEUE_LIMIT : 0) |
		  (classes ? WEFT_PORT_HAS_CLASSES : 0);
	return 0;
}

static int take_switch_choices(const struct weft_place *at,
			       const struct weft_raw_switch_params *raw,
			       struct weft_switch *sw, struct weft_err *err)
{
	static const char *const forward[] = {
		[WEFT_FORWARD_CUT_THROUGH] = "cut-through",
		[WEFT_FORWARD_STORE_FORWARD] = "store-forward", NULL
	};
	static const char *const arbiter[] = {
		[WEFT_ARBITER_FIFO] = "fifo",
		[WEFT_ARBITER_ROUND_ROBIN] = "round-robin", NULL
	};
	static const char *const select[] = {
		[WEFT_SELECT_ECMP] = "ecmp", [WEFT_SELECT_SPRAY] = "spray", NULL
	};

	if (weft_take_choice(at, "forward", raw->forward, forward,
			     &sw->forward, err) ||
	    weft_take_choice(at, "arbiter", raw->arbiter, arbiter,
			     &sw->arbiter, err) ||
	    weft_take_choice(at, "select", raw->select, select, &sw->select,
			     err))
		return err->code;
	sw->has |= (raw->forward ? WEFT_SWITCH_HAS_FORWARD : 0) |
		   (raw->arbiter ? WEFT_SWITCH_HAS_ARBITER : 0) |
		   (raw->select ? WEFT_SWITCH_HAS_SELECT : 0);
	return 0;
}

/**
 * weft_switch_params() - parameters of a switch
 * @at: where they stand
 * @raw: their text
 * @sw: result; what is absent stays
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_switch_params(const struct weft_place *at,
		       const struct weft_raw_switch_params *raw,
		       struct weft_switch *sw, struct weft_err *err)
{
	if (weft_take_time(at, "latency", raw->latency, &sw->latency, err) ||
	    take_switch_choices(at, raw, sw, err) ||
	    weft_take_size(at, "buffer", raw->buffer, 1, BUFFER_MAX,
			   &sw->buffer, err) ||
	    weft_take_size(at, "buffer-per-port", raw->buffer_per_port, 1,
			   BUFFER_MAX, &sw->buffer_per_port, err) ||
	    take_port(at, raw->queue_limit, raw->classes, &sw->port, err))
		return err->code;
	sw->has |= (raw->latency ? WEFT_SWITCH_HAS_LATENCY : 0) |
		   (raw->buffer ? WEFT_SWITCH_HAS_BUFFER : 0) |
		   (raw->buffer_per_port ? WEFT_SWITCH_HAS_BUFFER_PER_PORT : 0);
	return 0;
}

/**
 * weft_nic_params() - parameters of a node's NICs
 * @at: where they stand
 * @raw: their text
 * @node: result; what is absent stays
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_nic_params(const struct weft_place *at,
		    const struct weft_raw_nic_params *raw,
		    struct weft_topo_node *node, struct weft_err *err)
{
	static const char *const segmentation[] = {
		[WEFT_SEGMENTATION_MTU] = "mtu",
		[WEFT_SEGMENTATION_TRAIN] = "train", NULL
	};
	struct weft_nic *nic = &node->nic;

	if (take_count(at, "mtu", raw->mtu, MTU_MIN, MTU_MAX, &node->mtu, err) ||
	    weft_take_choice(at, "segmentation", raw->segmentation,
			     segmentation, &nic->segmentation, err) ||
	    weft_take_time(at, "tx-latency", raw->tx_latency,
			   &nic->tx_latency, err) ||
	    weft_take_time(at, "rx-latency", raw->rx_latency,
			   &nic->rx_latency, err) ||
	    take_port(at, raw->queue_limit, raw->classes, &nic->port, err))
		return err->code;
	nic->has |= (raw->segmentation ? WEFT_NIC_HAS_SEGMENTATION : 0) |
		    (raw->tx_latency ? WEFT_NIC_HAS_TX_LATENCY : 0) |
		    (raw->rx_latency ? WEFT_NIC_HAS_RX_LATENCY : 0);
	return 0;
}
