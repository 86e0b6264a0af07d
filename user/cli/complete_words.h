/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion: the values of placeholders in capitals, such as LAB.
 */
#ifndef WEFT_COMPLETE_WORDS_H
#define WEFT_COMPLETE_WORDS_H

#include "cli.h"

/**
 * struct complete_place - position of the cursor on the command line
 * @cmd: the command
 * @lab: value of --lab, or NULL
 * @arg: arguments before the cursor, without options and their values
 * @args: number of them
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
