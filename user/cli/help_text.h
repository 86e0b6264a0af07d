/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the help of a command, for the completion.
 */
#ifndef WEFT_HELP_TEXT_H
#define WEFT_HELP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define HELP_LINE	160

/* Called for each word found. */
typedef void (*help_word_fn)(void *ctx, const char *word);

bool help_option(const char *usage, const char *name, char value[HELP_LINE],
		 char about[HELP_LINE]);
void help_argument(const char *usage, int number, const char *first,
		   help_word_fn fn, void *ctx);
void help_list(const char *usage, const char *head, help_word_fn fn, void *ctx);
void help_sentence(const char *usage, const char *head, help_word_fn fn, void *ctx);
void help_keys(const char *usage, const char *head, const char *kind,
	       help_word_fn fn, void *ctx);

#endif
