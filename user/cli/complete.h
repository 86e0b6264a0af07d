/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion: the words that can end a command line.
 */
#ifndef WEFT_COMPLETE_H
#define WEFT_COMPLETE_H

#include "cli.h"

void complete_begin(int n, char **word);
bool complete_asked(void);
int complete_line(const struct command *cmd, const struct cli_option *opt);
void complete_offer(const char *word, const char *about);
void complete_tell(const char *what);

#endif
