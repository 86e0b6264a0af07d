// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON values as text, whole or not at all.
 *
 * Without memory, json_object_set_new() returns an error and the key is missing.
 * Hundreds of callers would have to check that. Instead, a failed allocation of jansson
 * is recorded per thread, and only the writer of a value checks it.
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
 * weft_json_lost() - are JSON values of this thread incomplete?
 *
 * Return: true if an allocation for a value failed in this thread since the last call.
 */
bool weft_json_lost(void)
{
	bool was = lost;

	lost = false;
	return was;
}

/**
 * weft_json_text() - write a value as text
 * @value: the value, may be NULL
 * @flags: flags of json_dumps()
 *
 * Return: the text, to be freed by free(). NULL if memory ran out, now or for any value
 * that this thread made since the last call of this or weft_json_lost().
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
 * weft_json_fail_after() - make an allocation for a JSON value fail, for tests
 * @n: number of allocations that succeed before it; negative: none fails
 *
 * It applies to the calling thread.
 */
void weft_json_fail_after(long n)
{
	until_failure = n;
}
