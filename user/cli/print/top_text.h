/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weft top as lines of text, for the screen and for --once.
 */
#ifndef WEFT_TOP_TEXT_H
#define WEFT_TOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"
#include "view/top.h"

#define TOP_LINE	512	/* bytes of the longest line */
#define TOP_COLUMNS	14

/**
 * struct top_layout - the columns that fit
 * @n: number of them
 * @column: indices of them
 */
struct top_layout {
	size_t n;
	size_t column[TOP_COLUMNS];
};

void top_layout(struct top_layout *l, size_t width, bool classes);
void top_head(char *buf, const struct weft_facts *facts);
void top_totals(char *buf, const struct weft_facts *facts,
		const struct weft_top_rows *rows,
		const struct weft_top_view *view);
void top_titles(char *buf, const struct top_layout *l);
void top_line(char *buf, const struct top_layout *l,
	      const struct weft_top_row *row);

#endif
