// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses faults as people write them: a kind, a place, words KEY=VALUE.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "facts/facts.h"
#include "facts/port_view.h"
#include "netlink/fault.h"
#include "netlink/fault_fields.h"

#define PPB	1e9
#define CLASSES	16	/* VLs of InfiniBand, the most classes of any link */

/**
 * weft_fault_parse_kind() - parse the kind of a fault
 * @fault: its kind is set
 * @text: the kind, or flap
 * @err: the kinds that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_fault_parse_kind(struct weft_fault *fault, const char *text,
			  struct weft_err *err)
{
	fault->has |= WEFT_HAS(WEFT_A_FAULT_KIND);
	fault->kind = WEFT_FAULT_KIND_DOWN;
	if (!strcmp(text, "flap"))
		return 0;
	for (uint32_t i = 0; weft_fault_kind_words[i]; i++) {
		fault->kind = i;
		if (!strcmp(text, weft_fault_kind_words[i]))
			return 0;
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected down, flap, rate, delay, loss, corrupt, duplicate, reorder, credit-loss, pause-storm, hang, slow, ecn, blackhole, forget, misroute, reboot, buffer, sharp-down or sharp-slow",
			    text);
}

/**
 * weft_fault_complete() - does a fault have all words that its kind needs?
 * @fault: the fault, with all its words
 * @kind: its kind, as written
 * @err: the missing words
 *
 * Words that the kernel itself requires are not checked here.
 *
 * Return: 0 or negative errno.
 */
int weft_fault_complete(const struct weft_fault *fault, const char *kind,
			struct weft_err *err)
{
	if (strcmp(kind, "flap") ||
	    fault->has & WEFT_HAS(WEFT_A_FAULT_PERIOD))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "flap: expected duration= (how long the link is down) and period= (how often)");
}

/**
 * weft_fault_by() - let a fault start by a trigger
 * @fault: the fault, with all its words
 * @at: the trigger, known to the kernel; nothing is done unless it is given
 * @err: error: the fault has a start= already
 *
 * Return: 0 or negative errno.
 */
int weft_fault_by(struct weft_fault *fault, const struct weft_at *at,
		  struct weft_err *err)
{
	if (!at->given)
		return 0;
	if (fault->has & (WEFT_HAS(WEFT_A_FAULT_START) |
			  WEFT_HAS(WEFT_A_FAULT_AFTER)))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "either start= or at=, not both");
	fault->trigger = at->trigger.id;
	fault->after = at->after;
	fault->has |= WEFT_HAS(WEFT_A_FAULT_TRIGGER) |
		      WEFT_HAS(WEFT_A_FAULT_AFTER);
	return 0;
}

/* @name is the name of a NIC or of its node, or of a port or of its switch. */
static bool is_called(const char *full, const char *name, size_t len)
{
	return !strncmp(full, name, len) &&
	       (!full[len] || full[len] == '.' || full[len] == ':');
}

/**
 * struct place - the place of a fault
 * @name: name of a link or of one of its ends; with @to, of the end that sends
 * @len: its length
 * @to: name of the other end, NULL if only one was written
 * @both: both wires
 */
struct place {
	const char *name;
	size_t len;
	const char *to;
	bool both;
};

static struct place split(const char *text)
{
	const char *arrow = strchr(text, '>');
	struct place p = { text, strlen(text), NULL, true };

	if (!arrow)
		return p;
	p.both = arrow > text && arrow[-1] == '<';
	p.len = (size_t)(arrow - text) - p.both;
	p.to = arrow + 1;
	return p;
}

/* Does @p name the wire @dir of @link, or both wires of it? */
static bool matches(const struct place *p, const struct weft_facts *facts,
		    const struct weft_link *link, unsigned int dir)
{
	struct weft_port_view v;

	weft_port_view(&v, facts, link, dir);
	if (p->to)
		return is_called(v.name, p->name, p->len) &&
		       is_called(v.peer, p->to, strlen(p->to));
	return !dir && *p->name &&
	       (!strcmp(link->name, p->name) ||
		is_called(v.name, p->name, p->len) ||
		is_called(v.peer, p->name, p->len));
}

/* A fault of a NIC concerns the end that was named, if an end was named. */
static void settle_nic(struct weft_fault *fault, const struct place *p,
		       const struct weft_facts *facts,
		       const struct weft_link *link)
{
	struct weft_port_view v;

	if (p->to || (fault->kind != WEFT_FAULT_KIND_HANG &&
		      fault->kind != WEFT_FAULT_KIND_SLOW))
		return;
	for (unsigned int dir = 0; dir < 2; dir++) {
		weft_port_view(&v, facts, link, dir);
		if (!is_called(v.name, p->name, p->len))
			continue;
		fault->direction = dir;
		fault->has |= WEFT_HAS(WEFT_A_FAULT_DIRECTION);
	}
}

static int parse_switch(struct weft_fault *fault, const char *text,
			const struct weft_facts *facts, struct weft_err *err)
{
	for (unsigned int i = 0; i < facts->switches; i++) {
		if (strcmp(facts->sw[i].name, text))
			continue;
		fault->fabric = facts->fabric.id;
		fault->sw = facts->sw[i].id;
		fault->has |= WEFT_HAS(WEFT_A_FAULT_FABRIC) |
			      WEFT_HAS(WEFT_A_FAULT_SWITCH);
		return 0;
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "no switch is called \"%.80s\": `weft show switches` lists them",
			    text);
}

static int parse_wires(struct weft_fault *fault, const char *text,
		       const struct weft_facts *facts, struct weft_err *err)
{
	const struct weft_link *link = NULL;
	struct place p = split(text);
	unsigned int found = 0;

	for (unsigned int i = 0; i < facts->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			if (!matches(&p, facts, &facts->link[i], dir))
				continue;
			found++;
			link = &facts->link[i];
			fault->link = link->id;
			fault->direction = dir;
		}
	if (!found)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "no link is at \"%.80s\": `weft show links` lists them",
				    text);
	if (found > 1)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.80s\" is %u links: name one of their ports",
				    text, found);
	fault->fabric = facts->fabric.id;
	fault->has |= WEFT_HAS(WEFT_A_FAULT_FABRIC) |
		      WEFT_HAS(WEFT_A_FAULT_LINK);
	if (!p.both)
		fault->has |= WEFT_HAS(WEFT_A_FAULT_DIRECTION);
	settle_nic(fault, &p, facts, link);
	return 0;
}

/**
 * weft_fault_parse_place() - find the switch or the wires of a fault
 * @fault: its place is set; its kind is known
 * @text: a switch, for the kinds of switches. Otherwise a link, a NIC, a port, or a
 *	node with one NIC: both wires; "A>B": the wire from A to B; "A<>B": both wires
 *	between A and B
 * @facts: the lab
 * @err: the reason if there is no such place
 *
 * Return: 0 or negative errno.
 */
int weft_fault_parse_place(struct weft_fault *fault, const char *text,
			   const struct weft_facts *facts,
			   struct weft_err *err)
{
	return weft_fault_of_switch(fault) ?
	       parse_switch(fault, text, facts, err) :
	       parse_wires(fault, text, facts, err);
}

/* Parse dst=: a NIC, all NICs of a node, or all NICs. */
static int parse_dst(struct weft_fault *fault, const char *name,
		     const struct weft_facts *facts, struct weft_err *err)
{
	struct weft_list *dst = &fault->dst;
	unsigned int found = 0;

	if (!strcmp(name, "all"))
		return 0;
	for (unsigned int i = 0; i < facts->nics; i++) {
		if (!*name ||
		    !is_called(facts->nic[i].name, name, strlen(name)))
			continue;
		found++;
		if (dst->n == WEFT_LIST_MAX)
			return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
					    "dst: at most %u NICs",
					    WEFT_LIST_MAX);
		dst->v[dst->n++] = facts->nic[i].id;
		fault->has |= WEFT_HAS(WEFT_A_FAULT_DST);
	}
	if (found)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "dst: \"%.40s\": expected a node, a NIC, or all",
			    name);
}

static int parse_ppb(const char *text, uint64_t *ppb, const char *what,
		     struct weft_err *err)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 1 / PPB && v <= 1))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected a %s such as 0.001 or 1e-3 (1e-9 to 1)",
				    text, what);
	*ppb = (uint64_t)llround(v * PPB);
	return 0;
}

static int parse_probability(const char *text, uint64_t *ppb,
			     struct weft_err *err)
{
	return parse_ppb(text, ppb, "probability", err);
}

static int parse_share(const char *text, uint64_t *ppb, struct weft_err *err)
{
	return parse_ppb(text, ppb, "share", err);
}

static int parse_start(const char *text, uint64_t *ps, struct weft_err *err)
{
	return weft_parse_time(text + (*text == '+'), ps, err);
}

static int parse_errors(const char *text, uint64_t *bits, struct weft_err *err)
{
	int ret = weft_parse_ber(text, bits, err);

	if (ret || *bits)
		return ret;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a bit error rate above 0",
			    text);
}

static int parse_classes(const char *text, uint64_t *mask, struct weft_err *err)
{
	uint32_t bits;

	*mask = 0;
	if (!weft_parse_classes(text, CLASSES, &bits))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected classes of 0 to %d such as 0,3-5",
				    text, CLASSES - 1);
	*mask = bits;
	return 0;
}

static int parse_pmax(const char *text, uint64_t *ppm, struct weft_err *err)
{
	uint32_t v = 0;
	int ret = weft_parse_fraction(text, &v, err);

	*ppm = v;
	return ret;
}

/**
 * struct key - a parameter of a fault
 * @name: its key
 * @attr: its netlink attribute
 * @parse: parses the value
 */
struct key {
	const char *name;
	uint16_t attr;
	int (*parse)(const char *text, uint64_t *value, struct weft_err *err);
};

static const struct key keys[] = {
	{ "rate", WEFT_A_FAULT_RATE, weft_parse_rate },
	{ "lanes", WEFT_A_FAULT_LANES, weft_parse_number },
	{ "delay", WEFT_A_FAULT_DELAY, weft_parse_time },
	{ "jitter", WEFT_A_FAULT_JITTER, weft_parse_time },
	{ "probability", WEFT_A_FAULT_PROBABILITY, parse_probability },
	{ "burst", WEFT_A_FAULT_BURST, weft_parse_number },
	{ "ber", WEFT_A_FAULT_BITS_PER_ERROR, parse_errors },
	{ "class", WEFT_A_FAULT_CLASSES, parse_classes },
	{ "classes", WEFT_A_FAULT_CLASSES, parse_classes },
	{ "kmin", WEFT_A_FAULT_KMIN, weft_parse_size },
	{ "kmax", WEFT_A_FAULT_KMAX, weft_parse_size },
	{ "pmax", WEFT_A_FAULT_PMAX, parse_pmax },
	{ "flows", WEFT_A_FAULT_FLOWS, parse_share },
	{ "port", WEFT_A_FAULT_PORT, weft_parse_number },
	{ "size", WEFT_A_FAULT_SIZE, weft_parse_size },
	{ "start", WEFT_A_FAULT_START, parse_start },
	{ "duration", WEFT_A_FAULT_DURATION, weft_parse_time },
	{ "period", WEFT_A_FAULT_PERIOD, weft_parse_time },
	{ "count", WEFT_A_FAULT_COUNT, weft_parse_number },
	{ "seed", WEFT_A_FAULT_SEED, weft_parse_number },
};

#define KEYS (sizeof(keys) / sizeof(*keys))

static int put_value(struct weft_fault *fault, uint16_t attr, uint64_t value,
		     struct weft_err *err)
{
	const struct weft_field *f = weft_fault_fields;
	void *member;

	while (f->attr != attr)
		f++;
	member = (char *)fault + f->offset;
	if (f->kind == WEFT_FIELD_U64 || f->kind == WEFT_FIELD_SEED)
		*(uint64_t *)member = value;
	else if (value <= UINT32_MAX)
		*(uint32_t *)member = (uint32_t)value;
	else
		return weft_err_set(err, WEFT_ERR_USAGE, -ERANGE,
				    "%s: at most %u", f->key, UINT32_MAX);
	fault->has |= WEFT_HAS(attr);
	return 0;
}

static const struct key *find_key(const char *word, size_t len)
{
	for (size_t i = 0; i < KEYS; i++)
		if (strlen(keys[i].name) == len &&
		    !strncmp(keys[i].name, word, len))
			return &keys[i];
	return NULL;
}

/**
 * weft_fault_parse_word() - parse a word of a fault
 * @fault: the value is stored here
 * @word: "KEY=VALUE"; start=+5ms counts from now; dst= can be given more than once
 * @facts: the lab
 * @err: the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_fault_parse_word(struct weft_fault *fault, const char *word,
			  const struct weft_facts *facts,
			  struct weft_err *err)
{
	const char *equals = strchr(word, '=');
	const struct key *key;
	uint64_t value;
	uint16_t attr;

	if (!strncmp(word, "dst=", 4))
		return parse_dst(fault, word + 4, facts, err);
	key = equals ? find_key(word, (size_t)(equals - word)) : NULL;
	if (!key)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected KEY=VALUE with rate, lanes, delay, jitter, probability, burst, ber, classes, kmin, kmax, pmax, dst, flows, port, size, start, at, duration, period, count or seed",
				    word);
	if (key->parse(equals + 1, &value, err)) {
		weft_err_prefix(err, "%s", key->name);
		return err->code;
	}
	attr = key->attr;
	/* A rate of 0 is no rate: a slow host stops, other kinds need one and say so. */
	if (attr == WEFT_A_FAULT_RATE && !value)
		return 0;
	if (attr == WEFT_A_FAULT_START && equals[1] == '+')
		attr = WEFT_A_FAULT_AFTER;
	return put_value(fault, attr, value, err);
}

#define HAS(attr)	WEFT_HAS(WEFT_A_FAULT_##attr)

/* Words of all kinds: when it acts, and where. */
#define ALL_TAKE	(HAS(FABRIC) | HAS(LINK) | HAS(SWITCH) | HAS(DIRECTION) | \
			 HAS(KIND) | HAS(START) | HAS(AFTER) | HAS(TRIGGER) | \
			 HAS(DURATION) | HAS(PERIOD) | HAS(COUNT) | HAS(SEED))

/**
 * struct kind_words - the words of a kind of fault
 * @takes: attributes that it may have
 * @needs: of these, it must have one
 */
struct kind_words {
	uint32_t takes;
	uint32_t needs;
};

static const struct kind_words kind_words[WEFT_FAULT_KIND_SHARP_SLOW + 1] = {
	[WEFT_FAULT_KIND_RATE] = { HAS(RATE) | HAS(LANES), HAS(RATE) | HAS(LANES) },
	[WEFT_FAULT_KIND_DELAY] = { HAS(DELAY) | HAS(JITTER), HAS(DELAY) | HAS(JITTER) },
	[WEFT_FAULT_KIND_LOSS] = { HAS(PROBABILITY) | HAS(BURST), HAS(PROBABILITY) },
	[WEFT_FAULT_KIND_CORRUPT] = { HAS(BITS_PER_ERROR), HAS(BITS_PER_ERROR) },
	[WEFT_FAULT_KIND_DUPLICATE] = { HAS(PROBABILITY), HAS(PROBABILITY) },
	[WEFT_FAULT_KIND_REORDER] = { HAS(PROBABILITY) | HAS(DELAY), HAS(PROBABILITY) },
	[WEFT_FAULT_KIND_CREDIT_LOSS] = { HAS(PROBABILITY), HAS(PROBABILITY) },
	[WEFT_FAULT_KIND_PAUSE_STORM] = { HAS(CLASSES), 0 },
	[WEFT_FAULT_KIND_SLOW] = { HAS(RATE), 0 },
	[WEFT_FAULT_KIND_ECN] = { HAS(CLASSES) | HAS(KMIN) | HAS(KMAX) | HAS(PMAX), HAS(KMAX) },
	[WEFT_FAULT_KIND_BLACKHOLE] = { HAS(DST) | HAS(FLOWS), 0 },
	[WEFT_FAULT_KIND_MISROUTE] = { HAS(DST) | HAS(FLOWS) | HAS(PORT), HAS(PORT) },
	[WEFT_FAULT_KIND_BUFFER] = { HAS(SIZE), HAS(SIZE) },
	[WEFT_FAULT_KIND_SHARP_SLOW] = { HAS(DELAY), HAS(DELAY) },
};

/* The word of an attribute, as it is written. */
static const char *word_of(uint32_t attr)
{
	size_t i = 0;

	while (i < KEYS && WEFT_HAS(keys[i].attr) != attr)
		i++;
	return i < KEYS ? keys[i].name : "dst";
}

/**
 * weft_fault_check() - does a fault have the words of its kind, and no others?
 * @fault: the fault, with all its words
 * @err: a word that its kind does not take, or one that it lacks
 *
 * The kernel says the same of faults that it is given.
 *
 * Return: 0 or negative errno.
 */
int weft_fault_check(const struct weft_fault *fault, struct weft_err *err)
{
	const struct kind_words *k = &kind_words[fault->kind];
	uint32_t extra = fault->has & ~(k->takes | ALL_TAKE);
	const char *kind = weft_fault_kind_words[fault->kind];

	if (extra)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: not a parameter of kind %s",
				    word_of(extra & -extra), kind);
	if (k->needs && !(fault->has & k->needs))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "kind %s needs %s%s%s", kind,
				    word_of(k->needs & -k->needs),
				    k->needs & (k->needs - 1) ? " or " : "",
				    k->needs & (k->needs - 1) ?
				    word_of(k->needs & (k->needs - 1)) : "");
	return 0;
}
