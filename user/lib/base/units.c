// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quantities as people write them: 400Gbps, 500ns, 16MiB.
 *
 * Values are exact: "2.5Gbps" is parsed as an integer and a power of ten, never
 * as a floating-point number. A value that is not a whole number of the base unit,
 * such as "0.5B", is refused. The exception is a bit error rate.
 */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

/**
 * struct unit - one unit of a quantity
 * @name: as written
 * @scale: base units in one unit
 */
struct unit {
	const char *name;
	uint64_t scale;
};

static const struct unit rate_units[] = {
	{ "bps", 1 },
	{ "kbps", 1000 },
	{ "Mbps", 1000000 },
	{ "Gbps", 1000000000 },
	{ "Tbps", 1000000000000 },
	{ NULL, 0 },
};

static const struct unit time_units[] = {
	{ "ps", 1 },
	{ "ns", WEFT_PS_PER_NS },
	{ "us", WEFT_PS_PER_US },
	{ "ms", 1000 * WEFT_PS_PER_US },
	{ "s", WEFT_PS_PER_S },
	{ NULL, 0 },
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "kB", 1000 },
	{ "MB", 1000000 },
	{ "GB", 1000000000 },
	{ "KiB", 1ULL << 10 },
	{ "MiB", 1ULL << 20 },
	{ "GiB", 1ULL << 30 },
	{ NULL, 0 },
};

static const struct unit count_units[] = {
	{ "", 1 },
	{ "k", 1000 },
	{ "M", 1000000 },
	{ "G", 1000000000 },
	{ NULL, 0 },
};

/* The number is *@value / 10^*@tens. Returns the text behind it, NULL if none. */
static const char *parse_digits(const char *s, uint64_t *value,
				unsigned int *tens)
{
	bool digits = false, point = false;

	*value = 0;
	*tens = 0;
	for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *s - '0', value))
			return NULL;
		*tens += point;
		digits = true;
	}
	return digits ? s : NULL;
}

static int scale_value(uint64_t *value, uint64_t scale, unsigned int tens)
{
	__uint128_t v = (__uint128_t)*value * scale;

	for (; tens; tens--) {
		if (v % 10)
			return -EINVAL;
		v /= 10;
	}
	if (v > UINT64_MAX)
		return -ERANGE;
	*value = (uint64_t)v;
	return 0;
}

static int parse_quantity(const char *text, const struct unit *units,
			  uint64_t *value)
{
	const char *rest;
	unsigned int tens;

	rest = parse_digits(text, value, &tens);
	if (!rest)
		return -EINVAL;
	if (*rest == ' ')
		rest++;
	for (; units->name; units++)
		if (!strcmp(rest, units->name))
			return scale_value(value, units->scale, tens);
	return -EINVAL;
}

/**
 * weft_parse_rate() - parse a data rate
 * @text: such as "400Gbps"
 * @bps: bits per second
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_rate(const char *text, uint64_t *bps, struct weft_err *err)
{
	if (!parse_quantity(text, rate_units, bps))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)",
			    text);
}

/**
 * weft_parse_time() - parse a time
 * @text: such as "500ns"
 * @ps: picoseconds
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_time(const char *text, uint64_t *ps, struct weft_err *err)
{
	if (!parse_quantity(text, time_units, ps))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a time such as 500ns (ps, ns, us, ms, s)",
			    text);
}

/**
 * weft_parse_size() - parse a number of bytes
 * @text: such as "16MiB"
 * @bytes: bytes
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_size(const char *text, uint64_t *bytes, struct weft_err *err)
{
	if (!parse_quantity(text, size_units, bytes))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a size such as 16MiB (B, kB, MB, GB, KiB, MiB, GiB)",
			    text);
}

/**
 * weft_parse_number() - parse a whole number
 * @text: decimal digits
 * @value: the number
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_number(const char *text, uint64_t *value, struct weft_err *err)
{
	unsigned int tens;
	const char *rest;

	rest = parse_digits(text, value, &tens);
	if (rest && !*rest && !strchr(text, '.'))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a whole number", text);
}

/**
 * weft_parse_count() - parse a number with a decimal prefix
 * @text: such as "215M"
 * @n: the number
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_count(const char *text, uint64_t *n, struct weft_err *err)
{
	if (!parse_quantity(text, count_units, n))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a number such as 215M (k, M, G)",
			    text);
}

/**
 * weft_parse_ber() - parse a bit error rate
 * @text: such as "1e-12"; "0": no bit errors
 * @bits: mean distance between bit errors, bits; 0: no bit errors
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_ber(const char *text, uint64_t *bits, struct weft_err *err)
{
	char *end;
	double v;

	v = strtod(text, &end);
	if (end == text || *end || !(v == 0 || (v >= 1 / 1e16 && v <= 0.5)))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected a bit error rate such as 1e-12 (0, or 1e-16 to 0.5)",
				    text);
	*bits = v == 0 ? 0 : (uint64_t)llround(1 / v);
	return 0;
}

/**
 * weft_parse_fraction() - parse a probability
 * @text: such as "0.2"
 * @ppm: millionths
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_fraction(const char *text, uint32_t *ppm, struct weft_err *err)
{
	static const struct unit units[] = { { "", 1000000 }, { NULL, 0 } };
	uint64_t v;

	if (!parse_quantity(text, units, &v) && v <= 1000000) {
		*ppm = (uint32_t)v;
		return 0;
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected 0 to 1 with up to 6 decimals, such as 0.2",
			    text);
}

/**
 * weft_parse_classes() - parse a list of classes
 * @text: such as "0,3-5"
 * @classes: number of classes, up to 32
 * @mask: result, a bit per class
 *
 * Return: true if @text is such a list.
 */
bool weft_parse_classes(const char *text, uint32_t classes, uint32_t *mask)
{
	char *end;

	for (*mask = 0; ; text = end + 1) {
		unsigned long from = strtoul(text, &end, 10), to = from;

		if (end == text || *text == '-' || *text == '+')
			return false;
		if (*end == '-') {
			text = end + 1;
			to = strtoul(text, &end, 10);
			if (end == text || *text == '-' || *text == '+')
				return false;
		}
		if (from > to || to >= classes)
			return false;
		for (; from <= to; from++)
			*mask |= 1U << from;
		if (*end != ',')
			return !*end;
	}
}

/**
 * weft_parse_clock() - parse the name of a clock
 * @text: "virtual", "real", "real/K" or "real/auto"
 * @dilation: 0 for virtual, 1 for real, K for real/K, WEFT_CLOCK_AUTO for real/auto
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_parse_clock(const char *text, uint32_t *dilation,
		     struct weft_err *err)
{
	uint64_t k = strcmp(text, "virtual") ? 1 : 0;

	if (!k || !strcmp(text, "real")) {
		*dilation = (uint32_t)k;
		return 0;
	}
	if (!strcmp(text, "real/auto")) {
		*dilation = WEFT_CLOCK_AUTO;
		return 0;
	}
	if (strncmp(text, "real/", 5) ||
	    weft_parse_number(text + 5, &k, err) ||
	    k < 1 || k > WEFT_DILATION_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected a clock: virtual, real, real/auto or real/K with K from 1 to %d",
				    text, WEFT_DILATION_MAX);
	*dilation = (uint32_t)k;
	return 0;
}

/* Write @value in the largest of @n units that is at most @value, else the first. */
static const char *format_scaled(char *buf, size_t len, uint64_t value,
				 const struct unit *units, unsigned int n,
				 const char *suffix)
{
	unsigned int i = 0;

	while (i + 1 < n && value >= units[i + 1].scale)
		i++;
	snprintf(buf, len, "%.6g%s%s",
		 (double)value / (double)units[i].scale, units[i].name, suffix);
	return buf;
}

/**
 * weft_format_rate() - write a rate for people
 * @buf: result
 * @len: its size
 * @bps: bits per second
 *
 * Return: @buf.
 */
const char *weft_format_rate(char *buf, size_t len, uint64_t bps)
{
	static const struct unit units[] = {
		{ "", 1 }, { "k", 1000 }, { "M", 1000000 },
		{ "G", 1000000000 },
	};

	return format_scaled(buf, len, bps, units, 4, "bps");
}

/**
 * weft_format_time() - write a time for people
 * @buf: result
 * @len: its size
 * @ps: picoseconds
 *
 * Return: @buf.
 */
const char *weft_format_time(char *buf, size_t len, uint64_t ps)
{
	return format_scaled(buf, len, ps, time_units, 5, "");
}

/**
 * weft_format_size() - write a number of bytes for people
 * @buf: result
 * @len: its size
 * @bytes: bytes
 *
 * Return: @buf.
 */
const char *weft_format_size(char *buf, size_t len, uint64_t bytes)
{
	static const struct unit units[] = {
		{ "B", 1 }, { "KiB", 1ULL << 10 }, { "MiB", 1ULL << 20 },
		{ "GiB", 1ULL << 30 },
	};

	return format_scaled(buf, len, bytes, units, 4, "");
}

/**
 * weft_format_clock() - write the name of a clock
 * @buf: result
 * @len: its size
 * @dilation: as weft_parse_clock() sets it
 *
 * Return: @buf.
 */
const char *weft_format_clock(char *buf, size_t len, uint32_t dilation)
{
	if (dilation > 1)
		snprintf(buf, len, "real/%" PRIu32, dilation);
	else
		snprintf(buf, len, "%s", dilation ? "real" : "virtual");
	return buf;
}
