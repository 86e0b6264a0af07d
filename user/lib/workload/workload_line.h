/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of workload files, and their words.
 */
#ifndef WEFT_WORKLOAD_LINE_H
#define WEFT_WORKLOAD_LINE_H

#include <search.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"
#include "workload/workload.h"

#define WEFT_LINE_WORDS	24

/**
 * struct weft_lines - a workload file that is being read
 */
struct weft_lines {
	/** @file: its name, for messages */
	const char *file;
	/** @rest: what is still to be read; lines are cut off in place */
	char *rest;
	/** @line: number of the line */
	uint32_t line;
	/** @words: entries of @word */
	unsigned int words;
	/** @word: the words of the line, comments excluded */
	char *word[WEFT_LINE_WORDS];
	/** @work: the workload */
	struct weft_work *work;
	/** @plan: its nodes */
	const struct weft_plan *plan;
	/** @known: names of messages and of nodes */
	struct hsearch_data known;
	/** @err: error */
	struct weft_err *err;
};

int weft_line_next(struct weft_lines *l);
int weft_line_fail(struct weft_lines *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int weft_line_number(struct weft_lines *l, const char *word, const char *what,
		     uint64_t most, uint64_t *v);
int weft_line_node(struct weft_lines *l, const char *word, uint32_t *node);
int weft_line_bytes(struct weft_lines *l, const char *word, uint64_t *bytes);
struct weft_message *weft_line_message(struct weft_lines *l,
				       const struct weft_message *like);

/* What the formats are made of. */
int weft_work_text(struct weft_lines *l);
int weft_work_matrix(struct weft_lines *l);
int weft_work_flows(struct weft_lines *l);
int weft_work_goal(struct weft_lines *l);

#endif
