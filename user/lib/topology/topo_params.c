// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of links, switches and NICs: from text to numbers.
 *
 * A parameter that is absent leaves the result unchanged. So calls for the profile, then
 * for the topology, then for the object give the innermost value.
 */
#include "topology/topo_params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "topology/topo_verbs.h"

#define RATE_MIN	1000ULL
#define RATE_MAX	1000000000000000ULL
#define OVERHEAD_MAX	256
#define FRAME_MIN_MAX	4096
#define QUEUE_MAX	2147483648ULL
#define BUFFER_MAX	1099511627776ULL
#define PAYLOAD_MAX	4096
#define UNIT_MAX	256
#define LANES_MAX	1024
#define ALPHA_MAX	20
#define LMC_MAX		7
#define USECS_MAX	4095
#define FRAMES_MAX	65535
#define FLOWLETS_MAX	65536
#define REDUCE_SLOTS_MAX	8192U	/* a queue pair of a lab has room for so many */
#define REDUCE_GROUPS_MAX	64U
#define REDUCE_SMALL_MIN	64U	/* bytes of a chunk: whole elements of any type */
#define REDUCE_SMALL_MAX	4096U
#define FLOWLETS	1024
/* The least MTU of IPv4 (RFC 791), and the largest of a frame. */
#define MTU_MIN		68
#define MTU_MAX		65521

/**
 * weft_place_fail() - report an error at a key of an entry
 * @at: place of the entry
 * @key: the key, "" for the entry itself
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
 * weft_take_time() - parse an optional time
 * @at: place of the entry
 * @key: its key
 * @text: the text, NULL if absent
 * @v: the time, ps; not changed if absent
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
 * weft_take_number() - parse an optional whole number
 * @at: place of the entry
 * @key: its key
 * @text: the text, NULL if absent
 * @lo: least value allowed
 * @hi: largest value allowed
 * @v: the number; not changed if absent
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
 * weft_take_size() - parse an optional number of bytes
 * @at: place of the entry
 * @key: its key
 * @text: the text, NULL if absent
 * @lo: least value allowed, bytes
 * @hi: largest value allowed, bytes
 * @v: the number, bytes; not changed if absent
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
 * weft_take_choice() - parse an optional word
 * @at: place of the entry
 * @key: its key
 * @text: the text, NULL if absent
 * @choices: the words, NULL-terminated
 * @v: index of the word; not changed if absent
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

static int check_packets(const struct weft_place *at, const struct weft_wire *w,
			 struct weft_err *err)
{
	if (w->payload && w->payload < w->overhead)
		return weft_place_fail(at, "payload", err,
				       "payload: %u: expected 0 or at least the overhead, %u",
				       w->payload, w->overhead);
	if (w->rate && weft_wire_rate(w) < RATE_MIN)
		return weft_place_fail(at, "lanes-up", err,
				       "lanes-up: %u of %u lanes carry less than 1kbps",
				       w->lanes_up, w->lanes);
	if (w->lanes_up > w->lanes)
		return weft_place_fail(at, "lanes-up", err,
				       "lanes-up: %u: there are %u lanes",
				       w->lanes_up, w->lanes);
	return 0;
}

static int take_packets(const struct weft_place *at,
			const struct weft_raw_link_params *raw,
			struct weft_wire *w, struct weft_err *err)
{
	if (take_u32(at, "payload", raw->payload, 0, PAYLOAD_MAX, &w->payload,
		     err) ||
	    take_u32(at, "unit", raw->unit, 1, UNIT_MAX, &w->unit, err) ||
	    take_count(at, "lanes", raw->lanes, 1, LANES_MAX, &w->lanes, err))
		return err->code;
	if (raw->lanes)
		w->lanes_up = w->lanes;
	if (take_count(at, "lanes-up", raw->lanes_up, 1, LANES_MAX,
		       &w->lanes_up, err))
		return err->code;
	return check_packets(at, w, err);
}

/**
 * weft_link_params() - parse the parameters of a link
 * @at: place of the entry
 * @raw: their text
 * @w: result; a parameter that is absent is not changed
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
	return take_packets(at, raw, w, err);
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
	if (queue_limit)
		p->has |= WEFT_HAS(WEFT_A_PORT_PARAMS_QUEUE_LIMIT);
	if (classes)
		p->has |= WEFT_HAS(WEFT_A_PORT_PARAMS_CLASSES);
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
		[WEFT_SELECT_ECMP] = "ecmp", [WEFT_SELECT_SPRAY] = "spray",
		[WEFT_SELECT_ADAPTIVE] = "adaptive",
		[WEFT_SELECT_FLOWLET] = "flowlet",
		[WEFT_SELECT_RANDOM] = "random", NULL
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

/* An exponent of 2, which may be negative. */
static int take_alpha(const struct weft_place *at, const char *key,
		      const char *text, int32_t *alpha, struct weft_err *err)
{
	uint64_t n;

	if (!text)
		return 0;
	if (weft_parse_number(text + (*text == '-'), &n, err) || n > ALPHA_MAX)
		return weft_place_fail(at, key, err,
				       "%s: \"%.40s\": expected an exponent from %d to %d",
				       key, text, -ALPHA_MAX, ALPHA_MAX);
	*alpha = *text == '-' ? -(int32_t)n : (int32_t)n;
	return 0;
}

/**
 * struct room_keys - keys of the limits of a buffer, and their text
 * @reserve: key of the bytes for one class only
 * @reserve_text: its text; NULL if absent, as below
 * @headroom: key of the bytes for packets that arrive after the decision to pause
 * @headroom_text: its text
 * @xon: key of the offset below the threshold at which a class resumes
 * @xon_text: its text
 * @threshold: key of the fixed limit in the shared buffer
 * @threshold_text: its text
 * @alpha: key of the limit relative to the free shared bytes, an exponent of 2
 * @alpha_text: its text
 */
struct room_keys {
	const char *reserve, *reserve_text;
	const char *headroom, *headroom_text;
	const char *xon, *xon_text;
	const char *threshold, *threshold_text;
	const char *alpha, *alpha_text;
};

/* Threshold and alpha exclude each other: the one given last replaces the other. */
static void room_has(struct weft_room *room, const struct room_keys *k)
{
	if (k->threshold_text || k->alpha_text)
		room->has &= ~(uint32_t)(WEFT_ROOM_HAS_THRESHOLD |
					 WEFT_ROOM_HAS_ALPHA);
	room->has |= (k->reserve_text ? WEFT_ROOM_HAS_RESERVE : 0) |
		     (k->headroom_text ? WEFT_ROOM_HAS_HEADROOM : 0) |
		     (k->xon_text ? WEFT_ROOM_HAS_XON : 0) |
		     (k->threshold_text ? WEFT_ROOM_HAS_THRESHOLD : 0) |
		     (k->alpha_text ? WEFT_ROOM_HAS_ALPHA : 0);
}

static int take_room(const struct weft_place *at, const struct room_keys *k,
		     struct weft_room *room, struct weft_err *err)
{
	if (k->threshold_text && k->alpha_text)
		return weft_place_fail(at, k->alpha, err,
				       "%s: expected this or %s, not both",
				       k->alpha, k->threshold);
	if (take_u32(at, k->reserve, k->reserve_text, 0, UINT32_MAX,
		     &room->reserve, err) ||
	    take_u32(at, k->headroom, k->headroom_text, 0, UINT32_MAX,
		     &room->headroom, err) ||
	    take_u32(at, k->xon, k->xon_text, 0, UINT32_MAX, &room->xon,
		     err) ||
	    weft_take_size(at, k->threshold, k->threshold_text, 0, BUFFER_MAX,
			   &room->threshold, err) ||
	    take_alpha(at, k->alpha, k->alpha_text, &room->alpha, err))
		return err->code;
	room_has(room, k);
	return 0;
}

static int take_switch_room(const struct weft_place *at,
			    const struct weft_raw_switch_params *raw,
			    struct weft_room *room, struct weft_err *err)
{
	const struct room_keys k = {
		"buffer-reserve", raw->buffer_reserve,
		"headroom", raw->headroom,
		"xon-offset", raw->xon_offset,
		"buffer-threshold", raw->buffer_threshold,
		"buffer-alpha", raw->buffer_alpha,
	};

	if (take_room(at, &k, room, err) ||
	    take_alpha(at, "lossy-alpha", raw->lossy_alpha, &room->lossy_alpha,
		       err))
		return err->code;
	if (raw->lossy_alpha)
		room->has |= WEFT_ROOM_HAS_LOSSY_ALPHA;
	return 0;
}

static int take_nic_room(const struct weft_place *at,
			 const struct weft_raw_nic_params *raw,
			 struct weft_room *room, struct weft_err *err)
{
	const struct room_keys k = {
		"", NULL,
		"rx-headroom", raw->rx_headroom,
		"rx-xon", raw->rx_xon,
		"rx-threshold", raw->rx_threshold,
		"rx-alpha", raw->rx_alpha,
	};

	return take_room(at, &k, room, err);
}

/* The kernel requires a power of two with select: flowlet, and no table otherwise. */
static int check_flowlets(const struct weft_place *at, struct weft_switch *sw,
			  struct weft_err *err)
{
	if (sw->select == WEFT_SELECT_FLOWLET && !sw->flowlets)
		sw->flowlets = FLOWLETS;
	if (sw->flowlets & (sw->flowlets - 1))
		return weft_place_fail(at, "flowlets", err,
				       "flowlets: %u: expected a power of two",
				       sw->flowlets);
	sw->has &= ~(uint32_t)(WEFT_SWITCH_HAS_FLOWLETS |
			       WEFT_SWITCH_HAS_FLOWLET_GAP);
	if (sw->select != WEFT_SELECT_FLOWLET)
		return 0;
	sw->has |= WEFT_SWITCH_HAS_FLOWLETS |
		   (sw->flowlet_gap ? WEFT_SWITCH_HAS_FLOWLET_GAP : 0);
	return 0;
}

static int take_reduce(const struct weft_place *at,
		       const struct weft_raw_switch_params *raw,
		       struct weft_switch *sw, struct weft_err *err)
{
	if (take_count(at, "reduce-slots", raw->reduce_slots, 1, REDUCE_SLOTS_MAX,
		       &sw->reduce_slots, err) ||
	    weft_take_time(at, "reduce-latency", raw->reduce_latency,
			   &sw->reduce_latency, err) ||
	    take_count(at, "reduce-groups", raw->reduce_groups, 1, REDUCE_GROUPS_MAX,
		       &sw->reduce_groups, err) ||
	    take_count(at, "reduce-streams", raw->reduce_streams, 1, REDUCE_GROUPS_MAX,
		       &sw->reduce_streams, err) ||
	    take_count(at, "reduce-small", raw->reduce_small, REDUCE_SMALL_MIN,
		       REDUCE_SMALL_MAX, &sw->reduce_small, err))
		return err->code;
	if (sw->reduce_small % REDUCE_SMALL_MIN)
		return weft_place_fail(at, "reduce-small", err,
				       "reduce-small: %u: expected a multiple of %u",
				       sw->reduce_small, REDUCE_SMALL_MIN);
	sw->has |= raw->reduce_latency ? WEFT_SWITCH_HAS_REDUCE_LATENCY : 0;
	return 0;
}

static int take_arn(const struct weft_place *at, const struct weft_raw_switch_params *raw,
		    struct weft_switch *sw, struct weft_err *err)
{
	uint64_t queue = sw->arn_queue;

	if (weft_take_time(at, "arn-hold", raw->arn_hold, &sw->arn_hold, err) ||
	    weft_take_size(at, "arn-queue", raw->arn_queue, 0, UINT32_MAX, &queue, err))
		return err->code;
	sw->arn_queue = (uint32_t)queue;
	sw->has |= (raw->arn_hold ? WEFT_SWITCH_HAS_ARN_HOLD : 0) |
		   (raw->arn_queue ? WEFT_SWITCH_HAS_ARN_QUEUE : 0);
	return 0;
}

static int take_ways(const struct weft_place *at,
		     const struct weft_raw_switch_params *raw,
		     struct weft_switch *sw, struct weft_err *err)
{
	static const char *const sl2vl[] = {
		[WEFT_SL2VL_KEEP] = "keep", [WEFT_SL2VL_SL] = "sl",
		[WEFT_SL2VL_PORTS] = "ports", [WEFT_SL2VL_CLASS] = "class",
		NULL
	};

	if (weft_take_choice(at, "sl2vl", raw->sl2vl, sl2vl, &sw->sl2vl,
			     err) ||
	    take_count(at, "lmc", raw->lmc, 0, LMC_MAX, &sw->lmc, err) ||
	    take_count(at, "flowlets", raw->flowlets, 1, FLOWLETS_MAX,
		       &sw->flowlets, err) ||
	    weft_take_time(at, "flowlet-gap", raw->flowlet_gap,
			   &sw->flowlet_gap, err) ||
	    take_u32(at, "adaptive-quantum", raw->adaptive_quantum, 1,
		     UINT32_MAX, &sw->quantum, err) ||
	    weft_take_time(at, "sma-latency", raw->sma_latency,
			   &sw->sma_latency, err))
		return err->code;
	if (take_arn(at, raw, sw, err))
		return err->code;
	sw->has |= (raw->sl2vl ? WEFT_SWITCH_HAS_SL2VL : 0) |
		   (raw->lmc ? WEFT_SWITCH_HAS_LMC : 0) |
		   (raw->adaptive_quantum ? WEFT_SWITCH_HAS_QUANTUM : 0) |
		   (raw->sma_latency ? WEFT_SWITCH_HAS_SMA_LATENCY : 0);
	return check_flowlets(at, sw, err);
}

/**
 * weft_switch_params() - parse the parameters of a switch
 * @at: place of the entry
 * @raw: their text
 * @sw: result; a parameter that is absent is not changed
 * @room: limits in its buffer, in the same way
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_switch_params(const struct weft_place *at,
		       const struct weft_raw_switch_params *raw,
		       struct weft_switch *sw, struct weft_room *room,
		       struct weft_err *err)
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
	if (take_switch_room(at, raw, room, err) || take_reduce(at, raw, sw, err))
		return err->code;
	return take_ways(at, raw, sw, err);
}

static int take_receive(const struct weft_place *at,
			const struct weft_raw_nic_params *raw,
			struct weft_topo_nic *to, struct weft_err *err)
{
	struct weft_nic *nic = &to->nic;

	if (take_rate(at, "rx-rate", raw->rx_rate, &nic->rx_rate, err) ||
	    weft_take_size(at, "rx-buffer", raw->rx_buffer, 1, BUFFER_MAX,
			   &nic->rx_buffer, err))
		return err->code;
	nic->has |= (raw->rx_rate ? WEFT_NIC_HAS_RX_RATE : 0) |
		    (raw->rx_buffer ? WEFT_NIC_HAS_RX_BUFFER : 0);
	return take_nic_room(at, raw, &to->room, err);
}

static int take_moderation(const struct weft_place *at,
			   const struct weft_raw_moderation *raw,
			   struct weft_moderation *m, struct weft_err *err)
{
	static const char *const onoff[] = { "off", "on", NULL };

	if (take_count(at, "moderation.rx-usecs", raw->rx_usecs, 0, USECS_MAX,
		       &m->rx_usecs, err) ||
	    take_count(at, "moderation.rx-frames", raw->rx_frames, 0,
		       FRAMES_MAX, &m->rx_frames, err) ||
	    weft_take_choice(at, "moderation.adaptive-rx", raw->adaptive_rx,
			     onoff, &m->adaptive_rx, err))
		return err->code;
	if (raw->rx_usecs)
		m->has |= WEFT_HAS(WEFT_A_MODERATION_RX_USECS);
	if (raw->rx_frames)
		m->has |= WEFT_HAS(WEFT_A_MODERATION_RX_FRAMES);
	if (raw->adaptive_rx)
		m->has |= WEFT_HAS(WEFT_A_MODERATION_ADAPTIVE_RX);
	return 0;
}

/**
 * weft_nic_params() - parse the parameters of a NIC
 * @at: place of the entry
 * @raw: their text
 * @to: result; a parameter that is absent is not changed
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_nic_params(const struct weft_place *at,
		    const struct weft_raw_nic_params *raw,
		    struct weft_topo_nic *to, struct weft_err *err)
{
	static const char *const segmentation[] = {
		[WEFT_SEGMENTATION_MTU] = "mtu",
		[WEFT_SEGMENTATION_TRAIN] = "train", NULL
	};
	struct weft_nic *nic = &to->nic;

	if (take_count(at, "mtu", raw->mtu, MTU_MIN, MTU_MAX, &to->mtu, err) ||
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
	if (take_receive(at, raw, to, err) ||
	    take_moderation(at, &raw->moderation, &nic->moderation, err))
		return err->code;
	return weft_verbs_group(at, &raw->verbs, to, err);
}
