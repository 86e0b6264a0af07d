// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A workload: messages between nodes, and what each waits for.
 */
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/**
 * weft_work_add() - add a message
 * @w: the workload
 * @like: the message; what it waits for follows by weft_work_wait()
 * @err: error
 *
 * Return: the message, valid until the next one is added; NULL after an error.
 */
struct weft_message *weft_work_add(struct weft_work *w,
				   const struct weft_message *like,
				   struct weft_err *err)
{
	struct weft_message *more, *m;

	if (w->messages >= WEFT_MESSAGES_MAX) {
		weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
			     "expected up to %u messages", WEFT_MESSAGES_MAX);
		return NULL;
	}
	more = weft_array_grow(w->message, w->messages, sizeof(*more));
	if (!more) {
		weft_err_nomem(err);
		return NULL;
	}
	w->message = more;
	m = &more[w->messages++];
	*m = *like;
	m->after = w->afters;
	m->afters = 0;
	return m;
}

/**
 * weft_work_wait() - the last message that was added waits for an earlier one
 * @w: the workload
 * @for_message: number of the earlier one
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_wait(struct weft_work *w, uint32_t for_message,
		   struct weft_err *err)
{
	uint32_t *more = weft_array_grow(w->after, w->afters, sizeof(*more));

	if (!more)
		return weft_err_nomem(err);
	w->after = more;
	w->after[w->afters++] = for_message;
	w->message[w->messages - 1].afters++;
	return 0;
}

/**
 * weft_work_name() - name the last message that was added
 * @w: the workload
 * @name: the name
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_name(struct weft_work *w, const char *name, struct weft_err *err)
{
	size_t begin = w->names_len ? w->names_len : 1, len = strlen(name) + 1;
	char *more = w->names;

	if (begin + len > UINT32_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
				    "expected names of up to 4 GiB in all");
	if (begin + len > w->names_room) {
		w->names_room = 2 * (begin + len);
		more = realloc(w->names, w->names_room);
	}
	if (!more)
		return weft_err_nomem(err);
	w->names = more;
	*w->names = '\0';
	memcpy(w->names + begin, name, len);
	w->names_len = begin + len;
	w->message[w->messages - 1].name = (uint32_t)begin;
	return 0;
}

/**
 * weft_work_free() - free a workload
 * @w: the workload
 */
void weft_work_free(struct weft_work *w)
{
	free(w->message);
	free(w->after);
	free(w->names);
	*w = (struct weft_work) { 0 };
}

/**
 * weft_work_followers() - find for each message who waits for it
 * @w: the workload
 * @followers: w->messages + 2 entries, zero: where the list of each message begins in
 *	@follower; that of the next one is where it ends
 * @follower: w->afters entries: the lists
 */
void weft_work_followers(const struct weft_work *w, uint32_t *followers, uint32_t *follower)
{
	/* Counted two places ahead, each begin is one place ahead until its list is full. */
	uint32_t *at = followers + 1;

	for (uint32_t i = 0; i < w->afters; i++)
		at[w->after[i] + 1]++;
	for (uint32_t i = 1; i <= w->messages; i++)
		at[i] += at[i - 1];
	for (uint32_t i = 0; i < w->messages; i++)
		for (uint32_t k = 0; k < w->message[i].afters; k++)
			follower[at[w->after[w->message[i].after + k]]++] = i;
}
