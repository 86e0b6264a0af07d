// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses expectations as people write them.
 */
#include "scenario/expect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "scenario/expect_phase.h"

/** enum unit - unit of the bound of an expectation */
enum unit { NONE, TIME, RATE, SHARE };

static const struct {
	const char *name;
	enum unit unit;
	bool job;
} kinds[WEFT_EXPECT_KINDS] = {
	[WEFT_EXPECT_LOSSLESS] = { "lossless", NONE, false },
	[WEFT_EXPECT_NO_DROPS] = { "no-drops", NONE, false },
	[WEFT_EXPECT_NO_DEADLOCK] = { "no-deadlock", NONE, false },
	[WEFT_EXPECT_FINISHED_WITHIN] = { "finished-within", TIME, true },
	[WEFT_EXPECT_BUSBW] = { "busbw", RATE, true },
	[WEFT_EXPECT_RECOVERY_WITHIN] = { "recovery-within", TIME, true },
	[WEFT_EXPECT_RECOVERY_SHARE] = { "recovery-share", SHARE, true },
	[WEFT_EXPECT_UTILISATION_BELOW] = { "utilisation-below", SHARE, false },
	[WEFT_EXPECT_IN_SWITCHES] = { "in-switches", SHARE, true },
	[WEFT_EXPECT_PHASE_WITHIN] = { "phase-within", TIME, false },
};

static int parse_flag(const char *text, bool *flag, struct weft_err *err)
{
	*flag = !strcmp(text, "true");
	if (*flag || !strcmp(text, "false"))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected true or false", text);
}

static int parse_share(const char *text, uint64_t *share, struct weft_err *err)
{
	uint32_t ppm;

	if (weft_parse_fraction(text, &ppm, err))
		return err->code;
	if (!ppm)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected more than 0", text);
	*share = ppm;
	return 0;
}

static int parse_time(const char *text, uint64_t *ps, struct weft_err *err)
{
	if (weft_parse_time(text, ps, err))
		return err->code;
	if (*ps)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected more than 0", text);
}

static int parse_value(struct weft_expect *e, unsigned int kind,
		       const char *text, struct weft_err *err)
{
	bool *has = &e->has[kind];
	uint64_t *v = &e->value[kind];

	*has = true;
	switch (kinds[kind].unit) {
	case NONE:
		return parse_flag(text, has, err);
	case TIME:
		return parse_time(text, v, err);
	case RATE:
		return weft_parse_rate(text, v, err);
	default:
		return parse_share(text, v, err);
	}
}

static int put_phase(struct weft_expect *e, const char *name,
		     struct weft_err *err)
{
	if (!*name || strlen(name) >= sizeof(e->phase))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "phase: \"%.40s\": expected a name of 1 to %zu characters",
				    name, sizeof(e->phase) - 1);
	snprintf(e->phase, sizeof(e->phase), "%s", name);
	return 0;
}

/**
 * weft_expect_put() - add an expectation
 * @e: the expectations
 * @key: its name, such as "lossless" or "finished-within"
 * @value: its bound; "true" or "false" for a kind without a bound
 * @err: the keys or values that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_expect_put(struct weft_expect *e, const char *key, const char *value,
		    struct weft_err *err)
{
	if (!strcmp(key, "phase"))
		return put_phase(e, value, err);
	for (unsigned int i = 0; i < WEFT_EXPECT_KINDS; i++) {
		if (strcmp(kinds[i].name, key))
			continue;
		if (!parse_value(e, i, value, err))
			return 0;
		weft_err_prefix(err, "%s", key);
		return err->code;
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected lossless, no-drops, no-deadlock, finished-within, busbw, recovery-within, recovery-share, utilisation-below, in-switches, phase or phase-within",
			    key);
}

/**
 * weft_expect_word() - add an expectation from a command line
 * @e: the expectations
 * @word: such as "lossless" or "utilisation-below=0.9"
 * @err: the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_expect_word(struct weft_expect *e, const char *word,
		     struct weft_err *err)
{
	size_t len = strcspn(word, "=");
	const char *value = "true";
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)len, word);
	if (word[len])
		value = word + len + 1;
	else if (!strcmp(key, "phase"))
		value = "";
	return weft_expect_put(e, key, value, err);
}

/**
 * weft_expect_check() - are the expectations complete and consistent?
 * @e: the expectations
 * @err: what is missing
 *
 * Return: 0 or negative errno.
 */
int weft_expect_check(const struct weft_expect *e, struct weft_err *err)
{
	if (e->has[WEFT_EXPECT_PHASE_WITHIN] && !*e->phase)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "phase-within: expected phase, too: which one");
	for (unsigned int i = 0; *e->phase && i < WEFT_EXPECT_KINDS; i++)
		if (e->has[i] &&
		    weft_expect_of_phase(e, (enum weft_expect_kind)i))
			return 0;
	if (!*e->phase)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "phase: expected what is expected of it: phase-within, busbw, utilisation-below or no-drops");
}

/**
 * weft_expect_needs_job() - does an expectation need a run of a program?
 * @e: the expectations
 * @kind: the one to look at
 *
 * Return: true if it is about a program or about the time around a fault.
 */
bool weft_expect_needs_job(const struct weft_expect *e,
			   enum weft_expect_kind kind)
{
	return kinds[kind].job && !weft_expect_of_phase(e, kind);
}

/**
 * weft_expect_name() - name of an expectation
 * @kind: the expectation
 *
 * Return: its name.
 */
const char *weft_expect_name(enum weft_expect_kind kind)
{
	return kinds[kind].name;
}

/**
 * weft_expect_text() - format an expectation as people write it
 * @e: the expectations
 * @kind: the one to format
 * @buf: result
 * @len: size of @buf, bytes
 */
void weft_expect_text(const struct weft_expect *e, enum weft_expect_kind kind,
		      char *buf, size_t len)
{
	uint64_t v = e->value[kind];
	char value[32] = "";

	if (kinds[kind].unit == TIME)
		weft_format_time(value, sizeof(value), v);
	else if (kinds[kind].unit == RATE)
		weft_format_rate(value, sizeof(value), v);
	else if (kinds[kind].unit == SHARE)
		snprintf(value, sizeof(value), "%g", (double)v / 1e6);
	snprintf(buf, len, "%s%s%s%s%s", kinds[kind].name, *value ? "=" : "",
		 value, weft_expect_of_phase(e, kind) ? " in " : "",
		 weft_expect_of_phase(e, kind) ? e->phase : "");
}
