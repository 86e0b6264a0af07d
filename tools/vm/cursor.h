/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_CURSOR_H
#define WEFT_VM_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

/** enum cursor_part - what the next byte belongs to */
enum cursor_part {
	CURSOR_TEXT,
	CURSOR_ESCAPE,		/* ESC has come */
	CURSOR_CONTROL,		/* ESC [ has come, its last byte has not */
};

/**
 * struct cursor - where output has left a terminal's cursor
 * @part: what the next byte belongs to
 * @returned: a carriage return was the last that moved it
 * @empty: it is at the begin of an empty line
 * @moved: a program has moved it about the screen
 */
struct cursor {
	enum cursor_part part;
	bool returned;
	bool empty;
	bool moved;
};

void cursor_init(struct cursor *c);
void cursor_take(struct cursor *c, const char *bytes, size_t len);
bool cursor_is_free(const struct cursor *c);

#endif
