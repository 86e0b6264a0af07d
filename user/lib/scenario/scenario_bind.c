// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Binds a scenario to a lab: finds the links, switches and nodes that it names.
 */
#include "scenario/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#define WORD_MAX	64

/**
 * struct binder - state of binding a scenario to a lab
 * @s: the scenario
 * @facts: the lab
 * @e: the current entry
 * @err: error
 */
struct binder {
	struct weft_scenario *s;
	const struct weft_facts *facts;
	struct weft_entry *e;
	struct weft_err *err;
};

static int fail(struct binder *b, size_t line, size_t column)
{
	char text[sizeof(b->err->msg)];

	memcpy(text, b->err->msg, sizeof(text));
	return weft_err_set(b->err, WEFT_ERR_USAGE, b->err->code,
			    "%s:%zu:%zu: %s", b->s->file, line, column, text);
}

static int __attribute__((format(printf, 2, 3)))
put(struct binder *b, const char *fmt, ...)
{
	char word[WORD_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(word, sizeof(word), fmt, ap);
	va_end(ap);
	return weft_fault_parse_word(&b->e->fault, word, b->facts, b->err);
}

static int put_words(struct binder *b)
{
	const struct weft_entry *e = b->e;

	for (unsigned int i = 0; i < e->words; i++)
		if (weft_fault_parse_word(&b->e->fault, e->word[i].text,
					  b->facts, b->err))
			return fail(b, e->word[i].line, e->word[i].column);
	return 0;
}

static int put_times(struct binder *b)
{
	const struct weft_entry *e = b->e;

	if ((e->duration && put(b, "duration=%" PRIu64 "ps", e->duration)) ||
	    (e->period && put(b, "period=%" PRIu64 "ps", e->period)) ||
	    (e->count && put(b, "count=%" PRIu32, e->count)))
		return b->err->code;
	return 0;
}

/*
 * Each fault and traffic has its own seed: a step of splitmix64 from the scenario's seed
 * (Steele, Lea and Flood 2014).
 */
static uint64_t own_seed(const struct binder *b)
{
	uint64_t n = (uint64_t)(b->e - b->s->entry) + 1;
	uint64_t z = b->s->seed + n * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static int bind_fault(struct binder *b)
{
	struct weft_fault *f = &b->e->fault;
	const struct weft_entry *e = b->e;

	*f = (struct weft_fault) { 0 };
	if (weft_fault_parse_kind(f, e->what, b->err) ||
	    weft_fault_parse_place(f, e->on, b->facts, b->err))
		return fail(b, e->line, e->column);
	if (put_words(b))
		return b->err->code;
	if (put_times(b) || weft_fault_complete(f, e->what, b->err) ||
	    weft_fault_check(f, b->err))
		return fail(b, e->line, e->column);
	if (b->s->has_seed && !(f->has & WEFT_HAS(WEFT_A_FAULT_SEED))) {
		f->seed = own_seed(b);
		f->has |= WEFT_HAS(WEFT_A_FAULT_SEED);
	}
	return 0;
}

static void put_value(struct weft_traffic_plan *plan,
		      enum weft_traffic_key key, uint64_t value)
{
	plan->has |= 1U << key;
	plan->value[key] = value;
}

static int put_traffic_words(struct binder *b)
{
	const struct weft_entry *e = b->e;

	for (unsigned int i = 0; i < e->words; i++)
		if (weft_traffic_parse_word(&b->e->traffic, e->word[i].text,
					    b->err))
			return fail(b, e->word[i].line, e->word[i].column);
	return 0;
}

static int bind_traffic(struct binder *b)
{
	struct weft_traffic_plan *plan = &b->e->traffic;
	const struct weft_entry *e = b->e;
	struct weft_traffic *list = NULL;
	unsigned int n = 0;

	*plan = (struct weft_traffic_plan) { 0 };
	if (weft_traffic_parse_pattern(plan, e->what, b->err))
		return fail(b, e->line, e->column);
	if (put_traffic_words(b))
		return b->err->code;
	if (e->duration)
		put_value(plan, WEFT_TRAFFIC_DURATION, e->duration);
	if (b->s->has_seed && !(plan->has & 1U << WEFT_TRAFFIC_SEED))
		put_value(plan, WEFT_TRAFFIC_SEED, own_seed(b));
	if (weft_traffic_complete(plan, b->err) ||
	    weft_traffic_resolve(plan, b->facts, &list, &n, b->err))
		return fail(b, e->line, e->column);
	weft_traffic_list_free(list, n);
	return 0;
}

static int bind_trigger(struct binder *b)
{
	if (!b->e->by.given || !weft_at_bind(&b->e->by, b->facts, b->err))
		return 0;
	return fail(b, b->e->line, b->e->column);
}

/* A node exists if it has a NIC, NODE.ethN. */
static int bind_node(struct binder *b)
{
	const struct weft_facts *f = b->facts;
	size_t len = strlen(b->e->on);

	for (unsigned int i = 0; i < f->nics; i++)
		if (!strncmp(f->nic[i].name, b->e->on, len) &&
		    f->nic[i].name[len] == '.')
			return 0;
	weft_err_set(b->err, WEFT_ERR_USAGE, -ENOENT,
		     "there is no node \"%.40s\": `weft show nodes` lists them",
		     b->e->on);
	return fail(b, b->e->line, b->e->column);
}

static int bind_set(struct binder *b)
{
	const struct weft_entry_word *at;

	if (!weft_entry_set_check(b->e, b->facts, &at, b->err))
		return 0;
	return fail(b, at ? at->line : b->e->line,
		    at ? at->column : b->e->column);
}

/**
 * weft_scenario_bind() - bind a scenario to a lab
 * @s: the scenario; faults and traffic of its entries are set
 * @facts: the lab
 * @err: file, line, column and the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_scenario_bind(struct weft_scenario *s, const struct weft_facts *facts,
		       struct weft_err *err)
{
	struct binder b = { s, facts, NULL, err };
	int ret = 0;

	for (b.e = s->entry; !ret && b.e < s->entry + s->entries; b.e++) {
		ret = bind_trigger(&b);
		if (ret)
			break;
		if (b.e->kind == WEFT_ENTRY_FAULT)
			ret = bind_fault(&b);
		else if (b.e->kind == WEFT_ENTRY_TRAFFIC)
			ret = bind_traffic(&b);
		else if (b.e->kind == WEFT_ENTRY_NODE)
			ret = bind_node(&b);
		else
			ret = bind_set(&b);
	}
	return ret;
}

/**
 * weft_scenario_names() - what a scenario may name in a topology
 * @f: result: switches, links and NICs, with their numbers in the plan; to be freed with
 *	weft_scenario_names_free(), also after an error
 * @plan: the plan of the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_scenario_names(struct weft_facts *f, const struct weft_plan *plan,
			struct weft_err *err)
{
	*f = (struct weft_facts) { 0 };
	f->sw = calloc(plan->switches + 1, sizeof(*f->sw));
	f->link = calloc(plan->links + 1, sizeof(*f->link));
	f->nic = calloc(plan->nics + 1, sizeof(*f->nic));
	if (!f->sw || !f->link || !f->nic)
		return weft_err_nomem(err);
	for (; f->switches < plan->switches; f->switches++) {
		f->sw[f->switches] = plan->sw[f->switches];
		f->sw[f->switches].id = f->switches;
	}
	for (; f->links < plan->links; f->links++) {
		f->link[f->links] = plan->link[f->links];
		f->link[f->links].id = f->links;
	}
	for (; f->nics < plan->nics; f->nics++)
		f->nic[f->nics] = plan->nic[f->nics].nic;
	return 0;
}

/**
 * weft_scenario_names_free() - free names
 * @f: the names
 */
void weft_scenario_names_free(struct weft_facts *f)
{
	free(f->sw);
	free(f->link);
	free(f->nic);
}

/**
 * weft_scenario_check() - does a scenario fit a topology?
 * @s: the scenario
 * @plan: the plan of the topology
 * @err: file, line, column and the words that were expected
 *
 * The ids in @s->entry[].fault are those of the plan.
 *
 * Return: 0 or negative errno.
 */
int weft_scenario_check(struct weft_scenario *s, const struct weft_plan *plan,
			struct weft_err *err)
{
	struct weft_facts facts;
	int ret;

	ret = weft_scenario_names(&facts, plan, err);
	if (!ret)
		ret = weft_scenario_bind(s, &facts, err);
	weft_scenario_names_free(&facts);
	return ret;
}
