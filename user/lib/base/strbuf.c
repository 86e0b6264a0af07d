// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A string buffer that grows.
 *
 * If memory runs out, weft_strbuf_take() fails; calls before it need not be checked.
 */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_MIN	256

/* Make room for @n more bytes and the terminating zero. */
static bool make_room(struct weft_strbuf *s, size_t n)
{
	size_t room = s->room ? s->room : ROOM_MIN;
	char *text;

	while (room - s->len <= n)
		room *= 2;
	if (s->failed || room == s->room)
		return !s->failed;
	text = realloc(s->text, room);
	s->failed = !text;
	if (!text)
		return false;
	s->text = text;
	s->room = room;
	return true;
}

/**
 * weft_strbuf_add() - append a string
 * @s: the text
 * @text: the string
 */
void weft_strbuf_add(struct weft_strbuf *s, const char *text)
{
	size_t n = strlen(text);

	if (!make_room(s, n))
		return;
	memcpy(s->text + s->len, text, n + 1);
	s->len += n;
}

/**
 * weft_strbuf_addf() - append formatted text
 * @s: the text
 * @fmt: printf() format
 */
void weft_strbuf_addf(struct weft_strbuf *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !make_room(s, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(s->text + s->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t)n;
}

/**
 * weft_strbuf_take() - take the text out of a buffer and leave the buffer empty
 * @s: the text
 * @text: result, to be freed by free(); NULL on error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_strbuf_take(struct weft_strbuf *s, char **text, struct weft_err *err)
{
	bool good = make_room(s, 0);

	if (good) {
		s->text[s->len] = '\0';
		*text = s->text;
	} else {
		free(s->text);
		*text = NULL;
	}
	*s = (struct weft_strbuf) { 0 };
	return good ? 0 : weft_err_nomem(err);
}
