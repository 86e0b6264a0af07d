/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion: the words that names in capitals stand for.
 */
#ifndef WEFT_COMPLETE_WORDS_H
#define WEFT_COMPLETE_WORDS_H

#include "cli.h"

/**
 * struct complete_place - where on the command line the cursor is
 * @cmd: the command
 * @lab: of --lab, or NULL
 * @arg: the arguments before, neither options nor their values
 * @args: how many
 */
struct complete_place {
	const struct command *cmd;
	const char *lab;
	char **arg;
	int args;
};

void complete_words(const struct complete_place *p, const char *what);
void complete_set(const struct complete_place *p, const char *before);

#endif
