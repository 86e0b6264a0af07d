/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_CURSOR_H
#define WEFT_VM_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

/** enum cursor_part - what the next byte belongs to */
enum cursor_part {
	CURSOR_TEXT,
	CURSOR_ESCAPE,		/* the byte after ESC */
	CURSOR_CONTROL,		/* a byte of a control sequence, after ESC [ */
};

/**
 * struct cursor - state of the cursor of a terminal
 * @part: what the next byte belongs to
 * @returned: it is at the begin of a line: the last byte was a CR or LF
 * @empty: it is at the begin of an empty line
 * @moved: a program has moved it by a control sequence
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
