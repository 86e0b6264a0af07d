// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads scenario files.
 *
 * libcyaml reads the top of the file. An entry of the time line takes the same words as a
 * fault or traffic, so these are not in the schema. They are kept with their positions,
 * and weft_scenario_bind() parses them, as it knows the lab.
 */
#include "scenario/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "base/yaml_make.h"

#define TEXT(key, member)						\
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER_NULL |		\
			       CYAML_FLAG_OPTIONAL, struct raw, member, 0, 256)

/** struct raw - the top of the file */
struct raw {
	char *name;
	char *description;
	char *seed;
};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct raw, name, 1,
			       64),
	TEXT("description", description),
	TEXT("seed", seed),
	CYAML_FIELD_IGNORE("timeline", CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_IGNORE("expect", CYAML_FLAG_OPTIONAL),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw, fields),
};

static const char *const kind_keys[] = {
	[WEFT_ENTRY_FAULT] = "fault", [WEFT_ENTRY_TRAFFIC] = "traffic",
	[WEFT_ENTRY_NODE] = "node", [WEFT_ENTRY_SET] = "set",
};

#define KINDS (sizeof(kind_keys) / sizeof(*kind_keys))

/**
 * struct reader - state of reading a file
 * @y: the file
 * @s: the scenario
 * @e: the current entry
 * @map: its node in the YAML document
 * @path: its path in the YAML document
 * @err: error
 */
struct reader {
	struct weft_yaml y;
	struct weft_scenario *s;
	struct weft_entry *e;
	int map;
	char path[32];
	struct weft_err *err;
};

static int __attribute__((format(printf, 3, 4)))
fail(struct reader *r, const char *key, const char *fmt, ...)
{
	char path[sizeof(r->path) + 64], text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s%s%.60s", r->path,
		 *r->path && *key ? "." : "", key);
	return weft_yaml_fail(&r->y, path, r->err, "%s", text);
}

static int take_text(struct reader *r, const char *text, char **copy)
{
	*copy = strdup(text);
	return *copy ? 0 : weft_err_nomem(r->err);
}

static int take_time(struct reader *r, const char *key, const char *text,
		     uint64_t *ps)
{
	if (weft_parse_time(text, ps, r->err))
		return fail(r, key, "%s: %s", key, r->err->msg);
	if (*ps > WEFT_DELAY_MAX)
		return fail(r, key, "%s: \"%.40s\": expected 1000s at most",
			    key, text);
	return 0;
}

static int take_count(struct reader *r, const char *text)
{
	uint64_t n;

	if (weft_parse_number(text, &n, r->err) || !n || n > WEFT_TIMES_MAX)
		return fail(r, "times", "times: \"%.40s\": expected 1 to %d",
			    text, WEFT_TIMES_MAX);
	r->e->count = (uint32_t)n;
	return 0;
}

static int take_act(struct reader *r, const char *text)
{
	for (size_t i = 0; i < WEFT_NODE_ACTS; i++) {
		r->e->act = (enum weft_node_act)i;
		if (!strcmp(weft_node_act_name[i], text))
			return 0;
	}
	return fail(r, "do",
		    "do: \"%.40s\": expected freeze, thaw, kill or return",
		    text);
}

/* Add the text of a value; a list becomes values separated by commas. */
static int add_value(struct reader *r, struct weft_strbuf *text,
		     const yaml_node_t *v, const char *key)
{
	const yaml_node_item_t *item;
	const char *one;

	if (v->type == YAML_SCALAR_NODE)
		weft_strbuf_add(text, (const char *)v->data.scalar.value);
	else if (v->type != YAML_SEQUENCE_NODE)
		return fail(r, key,
			    "%.40s: expected a value or a list, found a mapping",
			    key);
	for (item = v->data.sequence.items.start;
	     v->type == YAML_SEQUENCE_NODE &&
	     item < v->data.sequence.items.top; item++) {
		one = weft_yaml_text(&r->y, *item);
		if (!one)
			return fail(r, key, "%.40s: expected a list of values",
				    key);
		weft_strbuf_addf(text, "%s%s",
				 item > v->data.sequence.items.start ? "," : "",
				 one);
	}
	return 0;
}

static int add_word(struct reader *r, const char *key, int value)
{
	const yaml_node_t *v = weft_yaml_node(&r->y, value);
	struct weft_strbuf text = { 0 };
	struct weft_entry_word *more;
	char *word = NULL;
	int ret;

	weft_strbuf_addf(&text, "%s=", key);
	ret = add_value(r, &text, v, key);
	if (!ret)
		ret = weft_strbuf_take(&text, &word, r->err);
	else
		free(text.text);
	if (ret)
		return ret;
	more = weft_array_grow(r->e->word, r->e->words, sizeof(*more));
	if (!more) {
		free(word);
		return weft_err_nomem(r->err);
	}
	r->e->word = more;
	more[r->e->words++] = (struct weft_entry_word) {
		word, v->start_mark.line + 1, v->start_mark.column + 1
	};
	return 0;
}

/* Parse {mark: step-3, after: 2ms} like "mark=step-3,after=2ms" on a command line. */
static int take_trigger(struct reader *r, const yaml_node_pair_t *pair)
{
	const yaml_node_t *map = weft_yaml_node(&r->y, pair->value);
	const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	struct weft_strbuf text = { 0 };
	const char *key, *value;
	char *words = NULL;
	int ret = 0;

	for (; !ret && p < map->data.mapping.pairs.top; p++) {
		key = weft_yaml_text(&r->y, p->key);
		value = weft_yaml_text(&r->y, p->value);
		if (!key || !value || strpbrk(value, ",="))
			ret = fail(r, "at", "at: expected a time, or a mapping of single values");
		else
			weft_strbuf_addf(&text, "%s%s=%s", text.text ? "," : "",
					 key, value);
	}
	if (ret) {
		free(text.text);
		return ret;
	}
	if (weft_strbuf_take(&text, &words, r->err))
		return r->err->code;
	if (weft_at_parse(&r->e->by, words, r->err))
		ret = fail(r, "at", "%s", r->err->msg);
	free(words);
	return ret;
}

/* Keys with two spellings: one for scenarios, and the one of `weft fault add`. */
static const struct {
	const char *key;
	const char *word;
} aliases[] = {
	{ "for", "duration" }, { "every", "period" }, { "times", "count" },
};

static const char *word_of(const char *key)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (!strcmp(aliases[i].key, key))
			return aliases[i].word;
	return key;
}

/* "every" and "times" are not for traffic, which has a parameter "times" of its own. */
static int take_when(struct reader *r, const char *key, const char *text,
		     bool *mine)
{
	const char *word = word_of(key);

	*mine = true;
	if (!strcmp(word, "at"))
		return take_time(r, key, text, &r->e->at);
	if (r->e->kind == WEFT_ENTRY_SET) {
		*mine = false;
		return 0;
	}
	if (!strcmp(word, "duration"))
		return take_time(r, key, text, &r->e->duration);
	*mine = r->e->kind != WEFT_ENTRY_TRAFFIC;
	if (*mine && !strcmp(word, "period"))
		return take_time(r, key, text, &r->e->period);
	if (*mine && !strcmp(word, "count"))
		return take_count(r, text);
	*mine = false;
	return 0;
}

static int take_what(struct reader *r, const char *key, const char *text,
		     bool *mine)
{
	bool node = r->e->kind == WEFT_ENTRY_NODE;

	*mine = true;
	if (!strcmp(key, kind_keys[r->e->kind]))
		return take_text(r, text, node ? &r->e->on : &r->e->what);
	if ((r->e->kind == WEFT_ENTRY_FAULT || r->e->kind == WEFT_ENTRY_SET) &&
	    !strcmp(key, "on"))
		return take_text(r, text, &r->e->on);
	if (node && !strcmp(key, "do"))
		return take_act(r, text);
	*mine = false;
	return 0;
}

static bool is_mapping(struct reader *r, int value)
{
	return weft_yaml_node(&r->y, value)->type == YAML_MAPPING_NODE;
}

static bool seen_before(struct reader *r, const yaml_node_pair_t *end,
			const char *key)
{
	const yaml_node_t *map = weft_yaml_node(&r->y, r->map);
	const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	const char *other;

	for (; p < end; p++) {
		other = weft_yaml_text(&r->y, p->key);
		if (other && !strcmp(word_of(other), word_of(key)))
			return true;
	}
	return false;
}

static int take_pair(struct reader *r, const yaml_node_pair_t *pair)
{
	const char *key = weft_yaml_text(&r->y, pair->key);
	const char *text = weft_yaml_text(&r->y, pair->value);
	bool mine = false;

	if (!key)
		return fail(r, "", "expected a key");
	if (seen_before(r, pair, key))
		return fail(r, key, "%.40s: given twice", key);
	if (!text && !strcmp(key, "at") && is_mapping(r, pair->value))
		return take_trigger(r, pair);
	if (text && take_what(r, key, text, &mine))
		return r->err->code;
	if (text && !mine && take_when(r, key, text, &mine))
		return r->err->code;
	if (mine)
		return 0;
	if (r->e->kind == WEFT_ENTRY_NODE)
		return fail(r, key,
			    "unknown key \"%.40s\" of a node event: expected at, node, do, for, every or times",
			    key);
	if (!strcmp(key, "start"))
		return fail(r, key, "start: use \"at\"");
	if (!strcmp(key, "at"))
		return fail(r, key, "at: expected a time, or a mapping");
	return add_word(r, key, pair->value);
}

static int check_node_times(struct reader *r)
{
	const struct weft_entry *e = r->e;
	bool begins = e->act == WEFT_NODE_FREEZE || e->act == WEFT_NODE_KILL;

	if (e->duration && !begins)
		return fail(r, "for", "for: only freeze and kill have it");
	if (!e->period != !e->count)
		return fail(r, "", "expected both every and times");
	if (e->period && (!e->duration || e->duration >= e->period))
		return fail(r, "every",
			    "every: expected more than \"for\", which must be there");
	return 0;
}

static int check_fault(struct reader *r)
{
	const struct weft_entry *e = r->e;
	struct weft_fault fault = { 0 };

	if (!e->on)
		return fail(r, "", "the entry lacks the key \"on\"");
	if (weft_fault_parse_kind(&fault, e->what, r->err))
		return fail(r, "fault", "fault: %s", r->err->msg);
	if (e->count && !e->period)
		return fail(r, "times", "times: needs every");
	return 0;
}

static int check_traffic(struct reader *r)
{
	struct weft_traffic_plan plan = { 0 };

	if (weft_traffic_parse_pattern(&plan, r->e->what, r->err))
		return fail(r, "traffic", "traffic: %s", r->err->msg);
	return 0;
}

static int check_set(struct reader *r)
{
	const struct weft_entry *e = r->e;

	if (strcmp(e->what, "nic") && strcmp(e->what, "link"))
		return fail(r, "set", "set: \"%.40s\": expected nic or link",
			    e->what);
	if (!e->on)
		return fail(r, "", "the entry lacks the key \"on\"");
	if (!e->words)
		return fail(r, "", "expected what to set, too: %s",
			    *e->what == 'n' ? "rx-rate, rx-stop or verbs.KEY" :
					      "rate or lanes-up");
	return 0;
}

static int check_entry(struct reader *r)
{
	if (r->e->kind == WEFT_ENTRY_FAULT)
		return check_fault(r);
	if (r->e->kind == WEFT_ENTRY_SET)
		return check_set(r);
	if (r->e->kind == WEFT_ENTRY_TRAFFIC)
		return check_traffic(r);
	if (!weft_yaml_key(&r->y, r->map, "do"))
		return fail(r, "", "the entry lacks the key \"do\"");
	return check_node_times(r);
}

static int take_kind(struct reader *r)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < KINDS; i++) {
		if (!weft_yaml_key(&r->y, r->map, kind_keys[i]))
			continue;
		r->e->kind = (enum weft_entry_kind)i;
		found++;
	}
	if (found == 1)
		return 0;
	return fail(r, "", "expected one of the keys fault, traffic, node and set");
}

static int take_entry(struct reader *r, int map)
{
	const yaml_node_t *n = weft_yaml_node(&r->y, map);
	const yaml_node_pair_t *pair;
	int ret;

	r->map = map;
	r->e->line = n->start_mark.line + 1;
	r->e->column = n->start_mark.column + 1;
	if (n->type != YAML_MAPPING_NODE)
		return fail(r, "", "an entry of timeline: expected a mapping");
	ret = take_kind(r);
	for (pair = n->data.mapping.pairs.start;
	     !ret && pair < n->data.mapping.pairs.top; pair++)
		ret = take_pair(r, pair);
	return ret ? ret : check_entry(r);
}

static int take_timeline(struct reader *r)
{
	int list = weft_yaml_key(&r->y, 1, "timeline");
	const yaml_node_t *n = weft_yaml_node(&r->y, list);
	size_t items;

	if (!list)
		return 0;
	if (n->type != YAML_SEQUENCE_NODE)
		return fail(r, "timeline", "timeline: expected a list");
	items = (size_t)(n->data.sequence.items.top -
			 n->data.sequence.items.start);
	if (items > WEFT_ENTRIES_MAX)
		return fail(r, "timeline", "timeline: expected %d entries at most",
			    WEFT_ENTRIES_MAX);
	r->s->entry = calloc(items + 1, sizeof(*r->s->entry));
	if (!r->s->entry)
		return weft_err_nomem(r->err);
	for (size_t i = 0; i < items; i++) {
		snprintf(r->path, sizeof(r->path), "timeline[%zu]", i);
		r->e = &r->s->entry[r->s->entries++];
		if (take_entry(r, n->data.sequence.items.start[i]))
			return r->err->code;
	}
	return 0;
}

static int take_expect(struct reader *r)
{
	int map = weft_yaml_key(&r->y, 1, "expect");
	const yaml_node_t *n = weft_yaml_node(&r->y, map);
	const yaml_node_pair_t *pair;
	const char *key, *value;

	if (!map)
		return 0;
	snprintf(r->path, sizeof(r->path), "expect");
	r->map = map;
	if (n->type != YAML_MAPPING_NODE)
		return fail(r, "", "expect: expected a mapping");
	for (pair = n->data.mapping.pairs.start;
	     pair < n->data.mapping.pairs.top; pair++) {
		key = weft_yaml_text(&r->y, pair->key);
		value = weft_yaml_text(&r->y, pair->value);
		if (!key || !value)
			return fail(r, key ? key : "",
				    "expected a key and a single value");
		if (seen_before(r, pair, key))
			return fail(r, key, "%.40s: given twice", key);
		if (weft_expect_put(&r->s->expect, key, value, r->err))
			return fail(r, key, "%s", r->err->msg);
	}
	if (weft_expect_check(&r->s->expect, r->err))
		return fail(r, "", "%s", r->err->msg);
	return 0;
}

static int take_top(struct reader *r, const struct raw *raw)
{
	if (take_text(r, raw->name, &r->s->name) ||
	    take_text(r, r->y.file, &r->s->file))
		return r->err->code;
	r->s->has_seed = raw->seed;
	if (raw->seed && weft_parse_number(raw->seed, &r->s->seed, r->err))
		return fail(r, "seed", "seed: %s", r->err->msg);
	return 0;
}

/* Goodput before a fault is measured between its trigger and its start. */
static int check_recovery(struct reader *r)
{
	if (!r->s->expect.has[WEFT_EXPECT_RECOVERY_WITHIN])
		return 0;
	for (unsigned int i = 0; i < r->s->entries; i++) {
		const struct weft_entry *e = &r->s->entry[i];

		if (!weft_entry_harms(e) || !e->by.given || e->by.after)
			continue;
		snprintf(r->path, sizeof(r->path), "timeline[%u]", i);
		return fail(r, "at", "at: with recovery-within, expected \"after\", too: goodput before it is measured from the trigger on");
	}
	return 0;
}

/**
 * weft_scenario_parse() - parse the text of a scenario file
 * @s: result, to be freed by weft_scenario_free() even after an error
 * @file: its name, for messages
 * @text: the text
 * @len: length of @text
 * @err: file, line, column and the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_scenario_parse(struct weft_scenario *s, const char *file,
			const char *text, size_t len, struct weft_err *err)
{
	struct reader r = { .s = s, .err = err };
	struct raw *raw = NULL;
	int ret;

	*s = (struct weft_scenario) { 0 };
	ret = weft_yaml_open(&r.y, file, text, len, err);
	if (!ret)
		ret = weft_yaml_load(&r.y, &schema, &raw, err);
	if (!ret)
		ret = take_top(&r, raw);
	if (!ret)
		ret = take_timeline(&r);
	if (!ret)
		ret = take_expect(&r);
	if (!ret)
		ret = check_recovery(&r);
	weft_yaml_free(&schema, raw);
	weft_yaml_close(&r.y);
	return ret;
}

/**
 * weft_scenario_read() - read a scenario file
 * @s: result, to be freed by weft_scenario_free() even after an error
 * @path: the file
 * @err: file, line, column and the words that were expected
 *
 * Return: 0 or negative errno.
 */
int weft_scenario_read(struct weft_scenario *s, const char *path,
		       struct weft_err *err)
{
	char *text;
	size_t len;
	int ret;

	*s = (struct weft_scenario) { 0 };
	ret = weft_file_read(path, &text, &len, err);
	if (ret)
		return ret;
	ret = weft_scenario_parse(s, path, text, len, err);
	free(text);
	return ret;
}

/**
 * weft_scenario_free() - free a scenario
 * @s: the scenario
 */
void weft_scenario_free(struct weft_scenario *s)
{
	for (unsigned int i = 0; i < s->entries; i++) {
		struct weft_entry *e = &s->entry[i];

		for (unsigned int k = 0; k < e->words; k++)
			free(e->word[k].text);
		free(e->word);
		free(e->what);
		free(e->on);
	}
	free(s->entry);
	free(s->name);
	free(s->file);
	*s = (struct weft_scenario) { 0 };
}
