// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workload files of Weft: a message on each line.
 *
 *	[NAME:] FROM TO SIZE [at TIME] [after NAME[,NAME]...] [delay TIME] [channel N]
 *
 * Documentation/simulate.rst describes them. A message waits for earlier lines only,
 * so there are no circles.
 */
#include "workload/workload_line.h"

#include <string.h>

#include "base/units.h"

/* Nodes and messages share a table: names of messages have this in front. */
#define MARK	':'

static int remember(struct weft_lines *l, char *name, uint32_t number)
{
	ENTRY entry = { .key = name, .data = (void *)(uintptr_t)(number + 1) };
	ENTRY *found;

	if (hsearch_r(entry, FIND, &found, &l->known))
		return weft_line_fail(l, "%s: there is another message of this name", name + 1);
	if (!hsearch_r(entry, ENTER, &found, &l->known))
		return weft_err_nomem(l->err);
	return 0;
}

static bool find(struct weft_lines *l, char *name, uint32_t *number)
{
	ENTRY entry = { .key = name }, *found;

	if (!hsearch_r(entry, FIND, &found, &l->known))
		return false;
	*number = (uint32_t)(uintptr_t)found->data - 1;
	return true;
}

static int take_node(struct weft_lines *l, char *word, uint32_t *node)
{
	if (find(l, word, node))
		return 0;
	return weft_line_fail(l, "\"%.40s\": the topology has no such node", word);
}

static int take_time(struct weft_lines *l, const char *key, const char *word,
		     uint64_t *ps)
{
	struct weft_err why;

	if (weft_parse_time(word, ps, &why))
		return weft_line_fail(l, "%s: %s", key, why.msg);
	if (*ps > WEFT_WORK_TIME_MAX)
		return weft_line_fail(l, "%s: \"%.40s\": expected up to 1000s", key, word);
	return 0;
}

static int take_size(struct weft_lines *l, const char *word, uint64_t *bytes)
{
	struct weft_err why;

	if (weft_parse_size(word, bytes, &why))
		return weft_line_fail(l, "%s", why.msg);
	if (*bytes > WEFT_MESSAGE_MAX)
		return weft_line_fail(l, "\"%.40s\": expected up to 1TiB", word);
	return 0;
}

static int take_after(struct weft_lines *l, const char *list)
{
	char name[128];
	uint32_t number;

	while (*list) {
		size_t n = strcspn(list, ",");

		if (!n || n + 2 > sizeof(name))
			return weft_line_fail(l, "after: \"%.40s\": expected names with commas between",
					      list);
		name[0] = MARK;
		memcpy(name + 1, list, n);
		name[n + 1] = '\0';
		if (!find(l, name, &number))
			return weft_line_fail(l, "after: \"%.40s\": expected the name of an earlier message",
					      name + 1);
		if (weft_work_wait(l->work, number, l->err))
			return l->err->code;
		list += n + (list[n] == ',');
	}
	return 0;
}

static int take_key(struct weft_lines *l, const char *key, const char *word,
		    struct weft_message *m)
{
	uint64_t v;

	if (!strcmp(key, "at"))
		return take_time(l, key, word, &m->at);
	if (!strcmp(key, "delay"))
		return take_time(l, key, word, &m->delay);
	if (!strcmp(key, "after"))
		return take_after(l, word);
	if (strcmp(key, "channel"))
		return weft_line_fail(l, "\"%.40s\": expected at, after, delay or channel", key);
	if (weft_line_number(l, word, key, UINT32_MAX, &v))
		return l->err->code;
	m->channel = (uint32_t)v;
	return 0;
}

/*
 * "NAME:" becomes ":NAME" in place, which is how the table knows messages. Return:
 * it, or NULL without a name.
 */
static char *take_name(struct weft_lines *l)
{
	char *word = l->word[0];
	size_t n = strlen(word);

	if (word[n - 1] != MARK)
		return NULL;
	memmove(word + 1, word, n - 1);
	word[0] = MARK;
	memmove(l->word, l->word + 1, --l->words * sizeof(*l->word));
	return word;
}

static int take_line(struct weft_lines *l)
{
	uint32_t number = l->work->messages;
	struct weft_message like = { 0 }, *m;
	char *name = take_name(l);

	if (l->words < 3 || !(l->words % 2))
		return weft_line_fail(l, "expected [NAME:] FROM TO SIZE, then pairs of a key and a value");
	if (take_node(l, l->word[0], &like.from) ||
	    take_node(l, l->word[1], &like.to) ||
	    take_size(l, l->word[2], &like.bytes))
		return l->err->code;
	m = weft_line_message(l, &like);
	if (!m)
		return l->err->code;
	for (unsigned int i = 3; i < l->words; i += 2)
		if (take_key(l, l->word[i], l->word[i + 1], m))
			return l->err->code;
	if (!name)
		return 0;
	if (weft_work_name(l->work, name + 1, l->err))
		return l->err->code;
	return remember(l, name, number);
}

static int remember_nodes(struct weft_lines *l)
{
	for (uint32_t i = 0; i < l->plan->nodes; i++)
		if (remember(l, (char *)(uintptr_t)l->plan->node[i].name, i))
			return l->err->code;
	return 0;
}

/**
 * weft_work_text() - read a workload file of Weft
 * @l: its lines
 *
 * Return: 0 or negative errno.
 */
int weft_work_text(struct weft_lines *l)
{
	int ret = remember_nodes(l);

	while (!ret && (ret = weft_line_next(l)) > 0)
		ret = take_line(l);
	return ret;
}
