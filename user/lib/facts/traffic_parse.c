// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses background traffic as people write it: a pattern, and words KEY=VALUE.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/units.h"
#include "netlink/traffic.h"
#include "netlink/trigger.h"

#define BIT(key)	(1U << WEFT_TRAFFIC_##key)
#define COMMON		(BIT(SL) | BIT(SIZE) | BIT(DEPTH) | BIT(WINDOW) | \
			 BIT(START) | BIT(SEED))
#define STREAM		(COMMON | BIT(RATE) | BIT(ON) | BIT(OFF) | \
			 BIT(TIMES) | BIT(DURATION) | BIT(BYTES))

/**
 * struct pattern - the keys of a pattern
 * @takes: bit per key that is allowed
 * @needs: bit per key that is required
 * @what: names of the required keys
 */
struct pattern {
	uint32_t takes;
	uint32_t needs;
	const char *what;
};

const char *const weft_traffic_pattern_words[] = {
	"incast", "permutation", "all-to-all", "on-off", "trace", NULL,
};

static const struct pattern patterns[] = {
	{ STREAM | BIT(FROM) | BIT(TO), BIT(TO), "to= (who receives)" },
	{ STREAM | BIT(FROM), 0, NULL },
	{ STREAM | BIT(FROM) | BIT(ORDER), 0, NULL },
	{ STREAM | BIT(FROM) | BIT(TO), BIT(FROM) | BIT(TO) | BIT(ON) | BIT(OFF),
	  "from= and to= (as many), on= and off=" },
	{ COMMON | BIT(FILE), BIT(FILE), "file=" },
};

/**
 * weft_traffic_parse_pattern() - parse the pattern of traffic
 * @plan: its pattern is set
 * @text: the pattern
 * @err: the patterns that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_parse_pattern(struct weft_traffic_plan *plan,
			       const char *text, struct weft_err *err)
{
	for (uint32_t i = 0; weft_traffic_pattern_words[i]; i++) {
		plan->pattern = i;
		if (!strcmp(text, weft_traffic_pattern_words[i]))
			return 0;
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected incast, permutation, all-to-all, on-off or trace",
			    text);
}

static int parse_start(const char *text, uint64_t *ps, struct weft_err *err)
{
	return weft_parse_time(text + (*text == '+'), ps, err);
}

/* Set @value to the index of @text in @words. */
static int parse_either(const char *text, const char *const words[2],
			uint64_t *value, struct weft_err *err)
{
	for (*value = 0; *value < 2; ++*value)
		if (!strcmp(text, words[*value]))
			return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected %s or %s", text, words[0],
			    words[1]);
}

static int parse_times(const char *text, uint64_t *value, struct weft_err *err)
{
	static const char *const words[] = { "fixed", "exponential" };

	return parse_either(text, words, value, err);
}

static int parse_order(const char *text, uint64_t *value, struct weft_err *err)
{
	static const char *const words[] = { "turn", "random" };

	return parse_either(text, words, value, err);
}

/**
 * struct key - a parameter of traffic
 * @name: its key
 * @parse: parses the value; NULL: it remains text
 * @max: largest value
 */
struct key {
	const char *name;
	int (*parse)(const char *text, uint64_t *value, struct weft_err *err);
	uint64_t max;
};

static const struct key keys[] = {
	[WEFT_TRAFFIC_FROM] = { "from", NULL, 0 },
	[WEFT_TRAFFIC_TO] = { "to", NULL, 0 },
	[WEFT_TRAFFIC_FILE] = { "file", NULL, 0 },
	[WEFT_TRAFFIC_SL] = { "sl", weft_parse_number, UINT32_MAX },
	[WEFT_TRAFFIC_SIZE] = { "size", weft_parse_size, UINT32_MAX },
	[WEFT_TRAFFIC_RATE] = { "rate", weft_parse_rate, UINT64_MAX },
	[WEFT_TRAFFIC_DEPTH] = { "depth", weft_parse_number, UINT32_MAX },
	[WEFT_TRAFFIC_WINDOW] = { "window", weft_parse_number, UINT32_MAX },
	[WEFT_TRAFFIC_ON] = { "on", weft_parse_time, UINT64_MAX },
	[WEFT_TRAFFIC_OFF] = { "off", weft_parse_time, UINT64_MAX },
	[WEFT_TRAFFIC_TIMES] = { "times", parse_times, UINT64_MAX },
	[WEFT_TRAFFIC_ORDER] = { "order", parse_order, UINT64_MAX },
	[WEFT_TRAFFIC_START] = { "start", parse_start, UINT64_MAX },
	[WEFT_TRAFFIC_DURATION] = { "duration", weft_parse_time, UINT64_MAX },
	[WEFT_TRAFFIC_BYTES] = { "bytes", weft_parse_size, UINT64_MAX },
	[WEFT_TRAFFIC_SEED] = { "seed", weft_parse_number, UINT64_MAX },
};

static int find_key(const char *word, size_t len)
{
	for (int i = 0; i < WEFT_TRAFFIC_KEYS; i++)
		if (strlen(keys[i].name) == len &&
		    !strncmp(keys[i].name, word, len))
			return i;
	return -1;
}

static int parse_text(struct weft_traffic_plan *plan, int key,
		      const char *text, struct weft_err *err)
{
	if (!*text)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: expected a value", keys[key].name);
	plan->text[key] = text;
	return 0;
}

static int parse_value(struct weft_traffic_plan *plan, int key,
		       const char *text, struct weft_err *err)
{
	uint64_t value;

	if (keys[key].parse(text, &value, err)) {
		weft_err_prefix(err, "%s", keys[key].name);
		return err->code;
	}
	if (value > keys[key].max)
		return weft_err_set(err, WEFT_ERR_USAGE, -ERANGE,
				    "%s: at most %u", keys[key].name,
				    UINT32_MAX);
	plan->value[key] = value;
	if (key == WEFT_TRAFFIC_START)
		plan->relative = *text == '+';
	return 0;
}

/**
 * weft_traffic_parse_word() - parse a word of a pattern
 * @plan: the value is stored here
 * @word: "KEY=VALUE", which must outlive @plan; start=+5ms counts from now
 * @err: the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_parse_word(struct weft_traffic_plan *plan, const char *word,
			    struct weft_err *err)
{
	const char *equals = strchr(word, '=');
	int key = equals ? find_key(word, (size_t)(equals - word)) : -1;
	int ret;

	if (key < 0)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected KEY=VALUE with from, to, file, sl, size, rate, depth, window, on, off, times, order, start, at, duration, bytes or seed",
				    word);
	ret = keys[key].parse ? parse_value(plan, key, equals + 1, err) :
				parse_text(plan, key, equals + 1, err);
	if (!ret)
		plan->has |= 1U << key;
	return ret;
}

/**
 * weft_traffic_by() - let a pattern start by a trigger
 * @plan: the pattern, with all its words
 * @at: the trigger, known to the kernel; nothing is done unless it is given
 * @err: error: the pattern has a start= already
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_by(struct weft_traffic_plan *plan, const struct weft_at *at,
		    struct weft_err *err)
{
	if (!at->given)
		return 0;
	if (plan->has & BIT(START))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "either start= or at=, not both");
	plan->triggered = true;
	plan->trigger = at->trigger.id;
	plan->relative = true;
	plan->value[WEFT_TRAFFIC_START] = at->after;
	plan->has |= BIT(START);
	return 0;
}

/**
 * weft_traffic_complete() - does a pattern have all keys that it needs, and no others?
 * @plan: the pattern, with all its words
 * @err: the keys that are missing or not allowed
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_complete(const struct weft_traffic_plan *plan,
			  struct weft_err *err)
{
	const char *name = weft_traffic_pattern_words[plan->pattern];
	const struct pattern *p = &patterns[plan->pattern];
	uint32_t more = plan->has & ~p->takes;

	if ((plan->has & p->needs) != p->needs)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: expected %s", name, p->what);
	for (int i = 0; i < WEFT_TRAFFIC_KEYS; i++)
		if (more & 1U << i)
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "%s takes no %s=", name,
					    keys[i].name);
	return 0;
}
