// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The group "verbs": parameters of the RDMA device of a NIC.
 *
 * A table has for each key the type of its value and the member that it sets. Topology
 * files and `weft set` have the same keys.
 */
#include "topology/topo_verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "netlink/ipoib.h"

#define DEVICE_MAX	40	/* leaves room for a number */
#define COUNT_MAX	1000000000000ULL
#define RATE_MIN	1000ULL
#define RATE_MAX	1000000000000000ULL
#define SHIFT_MAX	3
#define MULTIPLIER_MAX	16383

static const char *const onoff[] = { "off", "on", NULL };

/**
 * enum kind - type of the value of a key
 * @NUMBER: a number, u32
 * @COUNT: a number with k, M or G, or "unlimited"; u64
 * @TIME: a time, u64
 * @SIZE: bytes, u64
 * @RATE: a rate, or "unlimited" if @lo is 0; u64
 * @CHOICE: one of several words, u32
 * @TABLE: a list of SHIFT:MULTIPLIER, struct weft_u16s
 */
enum kind {
	NUMBER,
	COUNT,
	TIME,
	SIZE,
	RATE,
	CHOICE,
	TABLE,
};

/**
 * struct key - one key
 * @name: the key; "dcqcn.g" for one in a group
 * @raw: offset of its text in struct weft_raw_verbs
 * @to: offset of its value in struct weft_verbs
 * @has: offset of the bits of set values in struct weft_verbs
 * @lo: least value
 * @hi: largest value
 * @words: words of a choice, NULL-terminated
 * @kind: type of its value
 * @bit: its bit at @has
 */
struct key {
	const char *name;
	size_t raw;
	size_t to;
	size_t has;
	uint64_t lo;
	uint64_t hi;
	const char *const *words;
	enum kind kind;
	uint32_t bit;
};

#define RAW(member)	offsetof(struct weft_raw_verbs, member)
#define TO(member)	offsetof(struct weft_verbs, member)
#define V(name, kind, member, attr, lo, hi, words)			\
	{ name, RAW(member), TO(member), TO(has), lo, hi, words, kind,	\
	  WEFT_HAS(WEFT_A_VERBS_##attr) }
#define D(name, kind, member, attr, lo, hi, words)			\
	{ name, RAW(dcqcn.member), TO(dcqcn.member), TO(dcqcn.has), lo,	\
	  hi, words, kind, WEFT_HAS(WEFT_A_DCQCN_##attr) }
#define I(name, kind, member, attr, lo, hi, words)			\
	{ name, RAW(ibcc.member), TO(ibcc.member), TO(ibcc.has), lo,	\
	  hi, words, kind, WEFT_HAS(WEFT_A_IBCC_##attr) }

static const struct key keys[] = {
	V("doorbell", TIME, doorbell, DOORBELL, 0, WEFT_DELAY_MAX, NULL),
	V("process", TIME, process, PROCESS, 0, WEFT_DELAY_MAX, NULL),
	V("message-rate", COUNT, message_rate, MESSAGE_RATE, 1, COUNT_MAX,
	  NULL),
	V("pcie-rate", RATE, pcie_rate, PCIE_RATE, 0, RATE_MAX, NULL),
	V("qp-cache", NUMBER, qp_cache, QP_CACHE, 0, 16777216, NULL),
	V("qp-miss", TIME, qp_miss, QP_MISS, 0, WEFT_DELAY_MAX, NULL),
	V("ack-every", NUMBER, ack_every, ACK_EVERY, 0, 8388607, NULL),
	V("ordering", CHOICE, ordering, ORDERING, 0, 0, weft_ordering_words),
	V("reorder-time", TIME, reorder_time, REORDER_TIME, 0, WEFT_DELAY_MAX,
	  NULL),
	V("congestion", CHOICE, congestion, CONGESTION, 0, 0,
	  weft_congestion_words),
	V("target-delay", TIME, target_delay, TARGET_DELAY, 1, WEFT_DELAY_MAX, NULL),
	V("kind", CHOICE, kind, KIND, 0, 0, weft_verbs_kind_words),
	V("paths", NUMBER, paths, PATHS, 1, WEFT_PATHS_MAX, NULL),
	V("retransmit-time", TIME, retransmit_time, RETRANSMIT_TIME, WEFT_PS_PER_NS,
	  WEFT_DELAY_MAX, NULL),
	{ "cnp-priority", RAW(cnp_priority), TO(cnp_sl), TO(has), 0, 7, NULL,
	  NUMBER, WEFT_HAS(WEFT_A_VERBS_CNP_SL) },
	D("dcqcn.g", NUMBER, g, G, 1, 1023, NULL),
	D("dcqcn.initial-alpha", NUMBER, initial_alpha, INITIAL_ALPHA, 0, 1023,
	  NULL),
	D("dcqcn.alpha-timer", TIME, alpha_timer, ALPHA_TIMER, WEFT_PS_PER_NS,
	  WEFT_DELAY_MAX, NULL),
	D("dcqcn.reduce-period", TIME, reduce_period, REDUCE_PERIOD, 0,
	  WEFT_DELAY_MAX, NULL),
	D("dcqcn.increase-timer", TIME, increase_timer, INCREASE_TIMER,
	  WEFT_PS_PER_NS, WEFT_DELAY_MAX, NULL),
	D("dcqcn.byte-reset", SIZE, byte_reset, BYTE_RESET, 0, 1ULL << 40,
	  NULL),
	D("dcqcn.threshold", NUMBER, threshold, THRESHOLD, 0, 31, NULL),
	D("dcqcn.ai-rate", RATE, ai_rate, AI_RATE, RATE_MIN, RATE_MAX, NULL),
	D("dcqcn.hai-rate", RATE, hai_rate, HAI_RATE, RATE_MIN, RATE_MAX,
	  NULL),
	D("dcqcn.min-rate", RATE, min_rate, MIN_RATE, RATE_MIN, RATE_MAX,
	  NULL),
	D("dcqcn.clamp-target", CHOICE, clamp_target, CLAMP_TARGET, 0, 0,
	  onoff),
	D("dcqcn.cnp-interval", TIME, cnp_interval, CNP_INTERVAL, 0,
	  WEFT_DELAY_MAX, NULL),
	I("ibcc.increase", NUMBER, increase, INCREASE, 0, 65535, NULL),
	I("ibcc.limit", NUMBER, limit, LIMIT, 0, 255, NULL),
	I("ibcc.min", NUMBER, min, MIN, 0, 255, NULL),
	I("ibcc.timer", TIME, timer, TIMER, 1, WEFT_DELAY_MAX, NULL),
	I("ibcc.cct", TABLE, cct, CCT, 0, 0, NULL),
};

#define KEYS	(sizeof(keys) / sizeof(*keys))

static int expected(const struct key *k, const char *text, const char *what,
		    struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s: \"%.40s\": expected %s", k->name, text, what);
}

static int parse(const struct key *k, const char *text, uint64_t *v,
		 struct weft_err *err)
{
	int ret;

	if (k->kind == TIME)
		ret = weft_parse_time(text, v, err);
	else if (k->kind == SIZE)
		ret = weft_parse_size(text, v, err);
	else if (k->kind == RATE)
		ret = weft_parse_rate(text, v, err);
	else if (k->kind == COUNT)
		ret = weft_parse_count(text, v, err);
	else
		ret = weft_parse_number(text, v, err);
	if (ret)
		weft_err_prefix(err, "%s", k->name);
	return ret;
}

static void format(const struct key *k, uint64_t v, char buf[32])
{
	if (k->kind == TIME)
		weft_format_time(buf, 32, v);
	else if (k->kind == SIZE)
		weft_format_size(buf, 32, v);
	else
		snprintf(buf, 32, "%" PRIu64, v);
}

static bool is_unlimited(const struct key *k, const char *text)
{
	return (k->kind == COUNT || (k->kind == RATE && !k->lo)) &&
	       !strcmp(text, "unlimited");
}

static int take_quantity(const struct key *k, const char *text, uint64_t *v,
			 struct weft_err *err)
{
	uint64_t lo = k->kind == RATE ? RATE_MIN : k->lo;
	char least[32], most[32], range[80];

	*v = 0;
	if (is_unlimited(k, text))
		return 0;
	if (parse(k, text, v, err))
		return err->code;
	if (*v >= lo && *v <= k->hi)
		return 0;
	if (k->kind == RATE)
		return expected(k, text, "1kbps to 1000Tbps", err);
	format(k, lo, least);
	format(k, k->hi, most);
	snprintf(range, sizeof(range), "%s to %s", least, most);
	return expected(k, text, range, err);
}

static int take_choice(const struct key *k, const char *text, uint32_t *v,
		       struct weft_err *err)
{
	char list[80] = "";
	size_t n = 0;

	for (uint32_t i = 0; k->words[i]; i++) {
		if (!strcmp(k->words[i], text)) {
			*v = i;
			return 0;
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? " or " : "", k->words[i]);
	}
	return expected(k, text, list, err);
}

/* In the notation of OpenSM: the delay is MULTIPLIER / 2^SHIFT packet times. */
static int take_entry(const struct key *k, const char *text,
		      struct weft_u16s *to, struct weft_err *err)
{
	unsigned int shift, multiplier;
	int n = 0;

	if (sscanf(text, "%1u:%5u%n", &shift, &multiplier, &n) == 2 &&
	    !text[n] && shift <= SHIFT_MAX && multiplier <= MULTIPLIER_MAX &&
	    to->n < WEFT_U16S_MAX) {
		to->v[to->n++] = (uint16_t)(shift << 14 | multiplier);
		return 0;
	}
	return expected(k, text,
			"SHIFT:MULTIPLIER, 0 to 3 and 0 to 16383, such as 0:1",
			err);
}

static void *begin(const struct key *k, struct weft_verbs *v)
{
	*(uint32_t *)((char *)v + k->has) |= k->bit;
	return (char *)v + k->to;
}

static int take_value(const struct key *k, const char *text,
		      struct weft_verbs *v, struct weft_err *err)
{
	void *to = begin(k, v);
	uint64_t n;

	if (k->kind == CHOICE)
		return take_choice(k, text, to, err);
	if (take_quantity(k, text, &n, err))
		return err->code;
	if (k->kind == NUMBER)
		*(uint32_t *)to = (uint32_t)n;
	else
		*(uint64_t *)to = n;
	return 0;
}

/* A list of entries, such as "0:0,0:1,0:2". */
static int take_words(const struct key *k, const char *text,
		      struct weft_verbs *v, struct weft_err *err)
{
	struct weft_u16s *to = begin(k, v);
	char word[16];
	size_t len;

	for (to->n = 0; ; text += len + 1) {
		len = strcspn(text, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		if (take_entry(k, word, to, err))
			return err->code;
		if (!text[len])
			return 0;
	}
}

/**
 * weft_verbs_key() - list the keys of the parameters
 * @i: index, from 0
 * @words: result: the words of a choice, NULL-terminated; NULL if it is not a choice
 *
 * Return: the key, NULL if there are no more.
 */
const char *weft_verbs_key(unsigned int i, const char *const **words)
{
	if (i >= KEYS)
		return NULL;
	*words = keys[i].words;
	return keys[i].name;
}

/**
 * weft_verbs_set() - parse one parameter
 * @v: the parameters, in which it is set
 * @key: its key, "dcqcn.g" for one in a group
 * @text: its value
 * @err: error, with what was expected
 *
 * Return: 0 or negative errno; -ENOENT if there is no such key.
 */
int weft_verbs_set(struct weft_verbs *v, const char *key, const char *text,
		   struct weft_err *err)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].name, key))
			continue;
		if (keys[i].kind == TABLE)
			return take_words(&keys[i], text, v, err);
		return take_value(&keys[i], text, v, err);
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "there is no parameter \"%.40s\" of verbs", key);
}

static int take_table(const struct weft_place *at, const struct key *k,
		      const struct weft_raw_list *raw, struct weft_verbs *v,
		      struct weft_err *err)
{
	struct weft_u16s *to;
	char place[32];

	if (!raw->n)
		return 0;
	to = begin(k, v);
	to->n = 0;
	for (unsigned int i = 0; i < raw->n; i++) {
		snprintf(place, sizeof(place), "%s[%u]", k->name, i);
		if (take_entry(k, raw->v[i], to, err))
			return weft_place_fail(at, place, err, "%s", err->msg);
	}
	return 0;
}

static int take_key(const struct weft_place *at, const struct key *k,
		    const struct weft_raw_verbs *raw, struct weft_verbs *v,
		    struct weft_err *err)
{
	const void *from = (const char *)raw + k->raw;
	const char *text;

	if (k->kind == TABLE)
		return take_table(at, k, from, v, err);
	text = *(char *const *)from;
	if (!text || !take_value(k, text, v, err))
		return 0;
	return weft_place_fail(at, k->name, err, "%s", err->msg);
}

/* A number is appended to the name, so it must not end with a digit. */
static bool is_device(const char *s)
{
	size_t n = strlen(s), letters;

	letters = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	return n && n <= DEVICE_MAX && letters == n &&
	       !strchr("0123456789_-", s[0]) &&
	       !strchr("0123456789", s[n - 1]);
}

static int take_device(const struct weft_place *at, const char *text,
		       char device[WEFT_DEVICE_SIZE], struct weft_err *err)
{
	if (!text)
		return 0;
	*device = '\0';
	if (!strcmp(text, "none"))
		return 0;
	if (!is_device(text))
		return weft_place_fail(at, "device", err,
				       "device: \"%.40s\": expected none, or the start of device names, such as mlx5_",
				       text);
	snprintf(device, WEFT_DEVICE_SIZE, "%s", text);
	return 0;
}

static int check_together(const struct weft_place *at,
			  const struct weft_verbs *v, struct weft_err *err)
{
	uint32_t both = WEFT_HAS(WEFT_A_IBCC_LIMIT) |
			WEFT_HAS(WEFT_A_IBCC_MIN);

	if ((v->ibcc.has & both) == both && v->ibcc.min > v->ibcc.limit)
		return weft_place_fail(at, "ibcc.min", err,
				       "ibcc.min: %u is above limit %u",
				       v->ibcc.min, v->ibcc.limit);
	return 0;
}

/**
 * weft_verbs_group() - parse a group "verbs"
 * @at: place of the NIC's parameters
 * @raw: its text
 * @nic: result; a parameter that is absent is not changed
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_verbs_group(const struct weft_place *at,
		     const struct weft_raw_verbs *raw,
		     struct weft_topo_nic *nic, struct weft_err *err)
{
	struct weft_place group = *at;

	strcat(group.path, ".verbs");
	if (take_device(&group, raw->device, nic->device, err) ||
	    weft_take_choice(&group, "ipoib", raw->ipoib, weft_ipoib_words,
			     &nic->ipoib, err))
		return err->code;
	for (size_t i = 0; i < KEYS; i++)
		if (take_key(&group, &keys[i], raw, &nic->nic.verbs, err))
			return err->code;
	return check_together(&group, &nic->nic.verbs, err);
}
