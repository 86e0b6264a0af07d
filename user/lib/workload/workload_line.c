// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of workload files, and their words.
 */
#include "workload/workload_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/workload_chakra.h"

#define BLANKS	" \t\r"

static char *cut_line(struct weft_lines *l)
{
	char *line = l->rest, *end = strchr(line, '\n');

	l->rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static int split(struct weft_lines *l, char *line)
{
	char *rest, *word;

	line[strcspn(line, "#")] = '\0';
	l->words = 0;
	for (word = strtok_r(line, BLANKS, &rest); word;
	     word = strtok_r(NULL, BLANKS, &rest)) {
		if (l->words == WEFT_LINE_WORDS)
			return weft_line_fail(l, "expected up to %d words",
					      WEFT_LINE_WORDS);
		l->word[l->words++] = word;
	}
	return l->words > 0;
}

/**
 * weft_line_next() - go on to the next line that has words
 * @l: the lines
 *
 * Return: 1; 0 at the end of the file; negative errno after an error.
 */
int weft_line_next(struct weft_lines *l)
{
	int ret = 0;

	while (!ret && *l->rest) {
		l->line++;
		ret = split(l, cut_line(l));
	}
	return ret;
}

/**
 * weft_line_fail() - an error of the present line
 * @l: the lines
 * @fmt: the message
 *
 * Return: negative errno.
 */
int weft_line_fail(struct weft_lines *l, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return weft_err_set(l->err, WEFT_ERR_USAGE, -EINVAL, "%s:%" PRIu32 ": %s",
			    l->file, l->line, text);
}

/**
 * weft_line_number() - read a whole number
 * @l: the lines
 * @word: the word
 * @what: what it stands for, for messages
 * @most: largest value
 * @v: result
 *
 * Return: 0 or negative errno.
 */
int weft_line_number(struct weft_lines *l, const char *word, const char *what,
		     uint64_t most, uint64_t *v)
{
	struct weft_err ignored;

	if (!weft_parse_number(word, v, &ignored) && *v <= most)
		return 0;
	return weft_line_fail(l, "%s \"%.40s\": expected a number from 0 to %" PRIu64,
			      what, word, most);
}

/**
 * weft_line_node() - read the number of a node
 * @l: the lines
 * @word: the word
 * @node: result
 *
 * Return: 0 or negative errno.
 */
int weft_line_node(struct weft_lines *l, const char *word, uint32_t *node)
{
	uint64_t v;

	if (weft_line_number(l, word, "node", l->plan->nodes - 1, &v))
		return l->err->code;
	*node = (uint32_t)v;
	return 0;
}

/**
 * weft_line_bytes() - read a plain number of bytes
 * @l: the lines
 * @word: the word
 * @bytes: result
 *
 * Return: 0 or negative errno.
 */
int weft_line_bytes(struct weft_lines *l, const char *word, uint64_t *bytes)
{
	return weft_line_number(l, word, "size", WEFT_MESSAGE_MAX, bytes);
}

/**
 * weft_line_message() - add the message of the present line
 * @l: the lines
 * @like: the message
 *
 * Return: it, or NULL after an error.
 */
struct weft_message *weft_line_message(struct weft_lines *l,
				       const struct weft_message *like)
{
	struct weft_message *m;

	if (like->from == like->to && like->bytes) {
		weft_line_fail(l, "from node %s to itself: expected another node, or 0 bytes for work there",
			       l->plan->node[like->from].name);
		return NULL;
	}
	m = weft_work_add(l->work, like, l->err);
	if (m)
		m->line = l->line;
	return m;
}

/* Lines of the file: at most so many names are in the table. */
static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* HPCC's files begin with a number alone: how many flows they have. */
static bool begins_with_number(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && text[n + strspn(text + n, BLANKS)] == '\n';
}

/* GOAL begins with "num_ranks", behind comments or not. */
static bool is_goal(const char *text)
{
	static const char word[] = "num_ranks";

	for (;;) {
		text += strspn(text, BLANKS "\n");
		if (*text != '#')
			return !strncmp(text, word, sizeof(word) - 1);
		text += strcspn(text, "\n");
	}
}

/**
 * weft_work_parse() - read a workload from text
 * @w: result, to be freed by weft_work_free() even after an error
 * @file: name of the file; ".cm" at its end makes it a connection matrix
 * @text: its content, which is changed
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_parse(struct weft_work *w, const char *file, char *text,
		    const struct weft_plan *plan, struct weft_err *err)
{
	struct weft_lines l = {
		.file = file, .rest = text, .work = w, .plan = plan, .err = err,
	};
	int ret;

	*w = (struct weft_work) { 0 };
	if (!hcreate_r(2 * (count_lines(text) + plan->nodes), &l.known))
		return weft_err_nomem(err);
	if (weft_ends_with(file, ".cm"))
		ret = weft_work_matrix(&l);
	else if (begins_with_number(text))
		ret = weft_work_flows(&l);
	else if (is_goal(text))
		ret = weft_work_goal(&l);
	else
		ret = weft_work_text(&l);
	hdestroy_r(&l.known);
	if (!ret && !w->messages)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				   "%s: there is no message in it", file);
	return ret;
}

static int read_text(FILE *f, char **text)
{
	size_t len;
	int ret = weft_stream_read(f, SIZE_MAX, text, &len);

	if (ret)
		return ret;
	return strlen(*text) == len ? 0 : -EILSEQ;
}

/**
 * weft_work_read() - read a workload
 * @w: result, to be freed by weft_work_free() even after an error
 * @spec: a file, that of rank 0 for traces of Chakra, or COLLECTIVE:ALGORITHM:SIZE,
 *	poisson:... or training:...
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_read(struct weft_work *w, const char *spec,
		   const struct weft_plan *plan, struct weft_err *err)
{
	char *text = NULL;
	FILE *f;
	int ret;

	*w = (struct weft_work) { 0 };
	if (weft_work_is_collective(spec))
		return weft_work_collective(w, spec, plan, err);
	if (weft_work_is_training(spec))
		return weft_work_training(w, spec, plan, err);
	if (weft_work_is_poisson(spec))
		return weft_work_poisson(w, spec, plan, err);
	if (weft_work_is_chakra(spec))
		return weft_work_chakra(w, spec, plan, err);
	f = fopen(spec, "re");
	if (!f)
		return weft_err_set(err, WEFT_ERR_USAGE, -errno, "%s: %s", spec,
				    strerror(errno));
	ret = read_text(f, &text);
	fclose(f);
	if (ret == -EILSEQ)
		weft_err_set(err, WEFT_ERR_USAGE, ret, "%s: not a text file", spec);
	else if (ret)
		weft_err_set(err, WEFT_ERR_USAGE, ret, "%s: %s", spec, strerror(-ret));
	else
		ret = weft_work_parse(w, spec, text, plan, err);
	free(text);
	return ret;
}
