// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where output has left a terminal's cursor, as far as a line of progress must know.
 */
#include "cursor.h"

/**
 * cursor_init() - at the begin of an empty line
 * @c: the cursor
 */
void cursor_init(struct cursor *c)
{
	*c = (struct cursor) { .empty = true };
}

static void take_text(struct cursor *c, char byte)
{
	if (byte == '\033') {
		c->part = CURSOR_ESCAPE;
		return;
	}
	c->empty = byte == '\n' || (byte == '\r' && c->empty);
	c->returned = byte == '\r' || byte == '\n';
}

/* Colours move nothing; to erase the line, at its begin, makes it empty. */
static void take_control(struct cursor *c, char byte)
{
	if (byte < '@')
		return;
	c->part = CURSOR_TEXT;
	if (byte == 'K')
		c->empty = c->empty || c->returned;
	else if (byte != 'm')
		c->moved = true;
}

/**
 * cursor_take() - follow output
 * @c: the cursor
 * @bytes: the output
 * @len: how many
 */
void cursor_take(struct cursor *c, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (c->part == CURSOR_TEXT) {
			take_text(c, bytes[i]);
		} else if (c->part == CURSOR_CONTROL) {
			take_control(c, bytes[i]);
		} else {
			c->part = bytes[i] == '[' ? CURSOR_CONTROL : CURSOR_TEXT;
			c->moved = c->moved || bytes[i] != '[';
		}
	}
}

/**
 * cursor_is_free() - whether a line can be shown without touching another
 * @c: the cursor
 *
 * Return: that.
 */
bool cursor_is_free(const struct cursor *c)
{
	return c->empty && !c->moved && c->part == CURSOR_TEXT;
}
