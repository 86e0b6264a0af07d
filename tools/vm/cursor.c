// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracks the cursor of a terminal, as far as the line of progress needs it.
 */
#include "cursor.h"

/**
 * cursor_init() - set the cursor to the begin of an empty line
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

/* Colours do not move the cursor. Erasing the line from its begin makes it empty. */
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
 * cursor_take() - update the cursor for output
 * @c: the cursor
 * @bytes: the output
 * @len: length of the output, bytes
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
 * cursor_is_free() - can a line be shown without overwriting other output?
 * @c: the cursor
 *
 * Return: true if it can.
 */
bool cursor_is_free(const struct cursor *c)
{
	return c->empty && !c->moved && c->part == CURSOR_TEXT;
}
