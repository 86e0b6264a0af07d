// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses triggers as people write them: words KEY=VALUE, separated by commas.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "facts/facts.h"
#include "netlink/trigger.h"

#define PHASE_WORD	"traffic-"	/* and a number */
#define LEAST_MAX	(1ULL << 30)	/* bytes above a rate */

/** enum at_key - the keys, in the order of at_keys */
enum at_key {
	AT_MARK, AT_PHASE, AT_TRAFFIC, AT_BYTES, AT_ABOVE, AT_LEAST, AT_OF,
	AT_AFTER, AT_KEYS
};

static const char *const at_keys[AT_KEYS] = {
	"mark", "phase", "traffic", "bytes", "above", "least", "of", "after",
};

#define BIT(key)	(1U << AT_##key)

/* By the first key of each: the keys that it needs, and all keys that it takes. */
static const struct {
	uint32_t kind;
	uint32_t needs;
	uint32_t takes;
	const char *what;
} conditions[] = {
	[AT_MARK] = { WEFT_TRIGGER_KIND_MARK, 0, BIT(AFTER), "" },
	[AT_PHASE] = { WEFT_TRIGGER_KIND_PHASE, 0, BIT(AFTER), "" },
	[AT_TRAFFIC] = { WEFT_TRIGGER_KIND_RATE, BIT(ABOVE),
			 BIT(ABOVE) | BIT(LEAST) | BIT(AFTER),
			 "above (a rate)" },
	[AT_BYTES] = { WEFT_TRIGGER_KIND_BYTES, BIT(OF), BIT(OF) | BIT(AFTER),
		       "of (a NIC or node)" },
};

#define CONDITIONS	(sizeof(conditions) / sizeof(*conditions))

/* The kernel's rule for names of marks. */
static bool is_mark(const char *s)
{
	size_t n = strlen(s);

	if (!n || n >= WEFT_NAME_SIZE || !isalnum((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._:+-", *s))
			return false;
	return true;
}

static int take_mark(struct weft_at *at, const char *text, struct weft_err *err)
{
	if (!is_mark(text))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": a name has up to 31 letters, digits and . _ : + -, the first one a letter or digit",
				    text);
	snprintf(at->trigger.name, sizeof(at->trigger.name), "%s", text);
	return 0;
}

static int take_phase(struct weft_at *at, const char *text, struct weft_err *err)
{
	const char *digits = text + strlen(PHASE_WORD);
	uint64_t n = 0;

	if (strncmp(text, PHASE_WORD, strlen(PHASE_WORD)) ||
	    !isdigit((unsigned char)*digits) ||
	    weft_parse_number(digits, &n, err) || !n || n > UINT32_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected traffic-1, traffic-2, ...; a phase that a program marks is \"mark\"",
				    text);
	at->trigger.number = (uint32_t)n;
	at->trigger.has |= WEFT_HAS(WEFT_A_TRIGGER_NUMBER);
	return 0;
}

static int take_nic(struct weft_at *at, const char *text, struct weft_err *err)
{
	if (!*text || strlen(text) >= sizeof(at->nic))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected a NIC such as host0.eth0, or a node",
				    text);
	snprintf(at->nic, sizeof(at->nic), "%s", text);
	return 0;
}

static int take_size(struct weft_at *at, const char *text, uint64_t most,
		     struct weft_err *err)
{
	if (weft_parse_size(text, &at->trigger.size, err))
		return err->code;
	if (!at->trigger.size || at->trigger.size > most)
		return weft_err_set(err, WEFT_ERR_USAGE, -ERANGE,
				    "\"%.40s\": expected at least one byte%s",
				    text, most == LEAST_MAX ? ", and at most 1GiB" : "");
	at->trigger.has |= WEFT_HAS(WEFT_A_TRIGGER_SIZE);
	return 0;
}

static int take_rate(struct weft_at *at, const char *text, struct weft_err *err)
{
	if (weft_parse_rate(text, &at->trigger.rate, err))
		return err->code;
	if (!at->trigger.rate)
		return weft_err_set(err, WEFT_ERR_USAGE, -ERANGE,
				    "\"%.40s\": expected a rate above 0", text);
	at->trigger.has |= WEFT_HAS(WEFT_A_TRIGGER_RATE);
	return 0;
}

static int take_after(struct weft_at *at, const char *text, struct weft_err *err)
{
	if (weft_parse_time(text, &at->after, err))
		return err->code;
	if (at->after > WEFT_DELAY_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -ERANGE,
				    "\"%.40s\": expected 1000s at most", text);
	return 0;
}

static int take_value(struct weft_at *at, int key, const char *text,
		      struct weft_err *err)
{
	switch (key) {
	case AT_MARK:
		return take_mark(at, text, err);
	case AT_PHASE:
		return take_phase(at, text, err);
	case AT_TRAFFIC:
	case AT_OF:
		return take_nic(at, text, err);
	case AT_ABOVE:
		return take_rate(at, text, err);
	case AT_AFTER:
		return take_after(at, text, err);
	default:
		return take_size(at, text, key == AT_LEAST ? LEAST_MAX : UINT64_MAX,
				 err);
	}
}

static int find_key(const char *word, size_t len)
{
	for (int i = 0; i < AT_KEYS; i++)
		if (strlen(at_keys[i]) == len && !strncmp(at_keys[i], word, len))
			return i;
	return -1;
}

static int take_word(struct weft_at *at, const char *word, uint32_t *has,
		     struct weft_err *err)
{
	const char *equals = strchr(word, '=');
	int key = equals ? find_key(word, (size_t)(equals - word)) : -1;

	if (key < 0)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected mark=, phase=, traffic= with above=, or bytes= with of=; and after=",
				    word);
	if (*has & 1U << key)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: given twice", at_keys[key]);
	*has |= 1U << key;
	if (!take_value(at, key, equals + 1, err))
		return 0;
	weft_err_prefix(err, "%s", at_keys[key]);
	return err->code;
}

static int settle(struct weft_at *at, uint32_t has, struct weft_err *err)
{
	unsigned int i = 0;

	while (i < CONDITIONS && !(has & 1U << i))
		i++;
	if (i == CONDITIONS)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "expected one of mark, phase, traffic and bytes");
	if ((has & conditions[i].needs) != conditions[i].needs)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: expected %s, too", at_keys[i],
				    conditions[i].what);
	has &= ~(conditions[i].takes | 1U << i);
	for (int k = 0; k < AT_KEYS; k++)
		if (has & 1U << k)
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "%s: not together with %s",
					    at_keys[k], at_keys[i]);
	at->given = true;
	at->trigger.kind = conditions[i].kind;
	at->trigger.has |= WEFT_HAS(WEFT_A_TRIGGER_KIND);
	return 0;
}

/**
 * weft_at_parse() - parse the trigger that starts a fault or traffic
 * @at: result
 * @text: "mark=NAME", "phase=traffic-N", "traffic=NIC,above=RATE" (and "least=SIZE") or
 *	"bytes=SIZE,of=NIC", each with ",after=TIME"
 * @err: the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_at_parse(struct weft_at *at, const char *text, struct weft_err *err)
{
	char *copy = strdup(text), *rest = copy, *word;
	uint32_t has = 0;
	int ret = 0;

	if (!copy)
		return weft_err_nomem(err);
	*at = (struct weft_at) { 0 };
	while (!ret && (word = strsep(&rest, ",")))
		ret = take_word(at, word, &has, err);
	free(copy);
	if (!ret)
		ret = settle(at, has, err);
	if (ret)
		weft_err_prefix(err, "at");
	return ret;
}

/**
 * weft_at_bind() - find the NIC of a trigger
 * @at: the trigger
 * @facts: the lab
 * @err: the reason if there is no such NIC
 *
 * Return: 0 or negative errno.
 */
int weft_at_bind(struct weft_at *at, const struct weft_facts *facts,
		 struct weft_err *err)
{
	const struct weft_nic *nic;
	unsigned int found;

	at->trigger.fabric = facts->fabric.id;
	at->trigger.has |= WEFT_HAS(WEFT_A_TRIGGER_FABRIC);
	if (!*at->nic)
		return 0;
	nic = weft_traffic_nic(facts, at->nic, &found);
	if (!nic)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "at: there is no NIC \"%.40s\": `weft show nics` lists them",
				    at->nic);
	if (found > 1)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "at: \"%.40s\" has %u NICs: name one, such as %s",
				    at->nic, found, nic->name);
	at->trigger.nic = nic->id;
	at->trigger.has |= WEFT_HAS(WEFT_A_TRIGGER_NIC);
	return 0;
}
