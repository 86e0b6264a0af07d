// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON values as text, whole or not at all.
 *
 * A key that there is no memory for is just not there: json_object_set_new() says so
 * by its result, which hundreds of callers would have to look at. So it is noted that an
 * allocation of jansson failed, and whoever writes a value looks once.
 */
#include "base/json_text.h"

#include <stdlib.h>

static _Thread_local bool lost;
static _Thread_local long until_failure = -1;

static void *allocate(size_t bytes)
{
	void *p = until_failure == 0 ? NULL : malloc(bytes);

	if (until_failure >= 0)
		until_failure--;
	if (!p)
		lost = true;
	return p;
}

__attribute__((constructor)) static void watch(void)
{
	json_set_alloc_funcs(allocate, free);
}

/**
 * weft_json_lost() - whether values that this thread has made lack something
 *
 * Return: true if memory ran out for one since this was asked last.
 */
bool weft_json_lost(void)
{
	bool was = lost;

	lost = false;
	return was;
}

/**
 * weft_json_text() - a value as text
 * @value: the value, may be NULL
 * @flags: how to write it, of json_dumps()
 *
 * Return: the text, to be freed by free(); NULL without memory, for it or for a value
 * that this thread has made since the last one.
 */
char *weft_json_text(const json_t *value, size_t flags)
{
	char *text = json_dumps(value, flags);

	if (!weft_json_lost())
		return text;
	free(text);
	return NULL;
}

/**
 * weft_json_fail_after() - have an allocation for a value fail, in tests
 * @n: after so many that do not; negative: none
 */
void weft_json_fail_after(long n)
{
	until_failure = n;
}
