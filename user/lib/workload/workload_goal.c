// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Schedules in GOAL, the text that LogGOPSim and ATLAHS read: operations of each rank,
 * and what each requires.
 *
 *	num_ranks 2
 *	rank 0 {
 *	l1: calc 100
 *	l2: send 1024b to 1 tag 7
 *	l2 requires l1
 *	}
 *	rank 1 {
 *	l1: recv 1024b from 0 tag 7
 *	}
 *
 * Rank n is node n of the topology. A send is a message. A calc is work of so many ns. A
 * recv is work without time that waits for its send. An operation starts when those that
 * it requires have ended, and when those that it "irequires" have started.
 */
#include "workload/workload_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "workload/workload_ops.h"

#define NONE	UINT32_MAX

/**
 * struct claim - a line with "requires", whose labels are looked up at the block's end
 */
struct claim {
	/** @label: who waits */
	char *label;
	/** @on: for whom */
	char *on;
	/** @line: the line */
	uint32_t line;
	/** @how: for its end or its start */
	enum weft_op_how how;
};

/**
 * struct goal - a schedule that is being read
 */
struct goal {
	/** @l: its lines */
	struct weft_lines *l;
	/** @ranks: number of ranks */
	uint32_t ranks;
	/** @rank: whose block it is; NONE outside */
	uint32_t rank;
	/** @block: first operation of the block */
	uint32_t block;
	/** @seen: whether a rank has had its block */
	bool *seen;
	/** @ops: the operations */
	struct weft_ops ops;
	/** @claims: entries of @claim, those of the block */
	uint32_t claims;
	/** @claim: lines of the block with "requires" */
	struct claim *claim;
	/** @labels: entries of @label */
	uint32_t labels;
	/** @label: numbers of those operations of the block that have one, sorted by it */
	uint32_t *label;
};

static int take_rank(struct goal *g, const char *word, uint32_t *rank)
{
	uint64_t v;

	if (weft_line_number(g->l, word, "rank", g->ranks - 1, &v))
		return g->l->err->code;
	*rank = (uint32_t)v;
	return 0;
}

/* "1024b" */
static int take_bytes(struct goal *g, char *word, uint64_t *bytes)
{
	size_t n = strlen(word);

	if (n < 2 || word[n - 1] != 'b')
		return weft_line_fail(g->l, "\"%.40s\": expected bytes, as in 1024b", word);
	word[n - 1] = '\0';
	return weft_line_bytes(g->l, word, bytes);
}

static int take_keys(struct goal *g, unsigned int i, struct weft_op *op)
{
	struct weft_lines *l = g->l;
	uint64_t v;

	for (; i + 1 < l->words; i += 2) {
		if (strcmp(l->word[i], "tag") && strcmp(l->word[i], "cpu") &&
		    strcmp(l->word[i], "nic"))
			return weft_line_fail(l, "\"%.40s\": expected tag, cpu or nic", l->word[i]);
		if (weft_line_number(l, l->word[i + 1], l->word[i], UINT32_MAX, &v))
			return l->err->code;
		if (!strcmp(l->word[i], "tag"))
			op->tag = (uint32_t)v;
	}
	if (i == l->words)
		return 0;
	return weft_line_fail(l, "\"%.40s\": expected a number behind it", l->word[i]);
}

/* "send SIZEb to RANK" and "recv SIZEb from RANK" */
static int take_transfer(struct goal *g, unsigned int i, const char *way,
			 struct weft_op *op)
{
	struct weft_lines *l = g->l;

	if (l->words < i + 4 || strcmp(l->word[i + 2], way))
		return weft_line_fail(l, "expected %s BYTESb %s RANK", l->word[i], way);
	if (take_bytes(g, l->word[i + 1], &op->size) ||
	    take_rank(g, l->word[i + 3], &op->peer))
		return l->err->code;
	if (op->peer == op->rank)
		return weft_line_fail(l, "rank %" PRIu32 " to itself: expected another rank",
				      op->rank);
	return take_keys(g, i + 4, op);
}

static int take_calc(struct goal *g, unsigned int i, struct weft_op *op)
{
	struct weft_lines *l = g->l;

	if (l->words < i + 2)
		return weft_line_fail(l, "expected calc NANOSECONDS");
	if (weft_line_number(l, l->word[i + 1], "calc", WEFT_WORK_TIME_MAX / WEFT_PS_PER_NS,
			     &op->size))
		return l->err->code;
	op->size *= WEFT_PS_PER_NS;
	return take_keys(g, i + 2, op);
}

static int take_words(struct goal *g, unsigned int i, struct weft_op *op)
{
	const char *what = i < g->l->words ? g->l->word[i] : "";

	if (!strcmp(what, "send")) {
		op->kind = WEFT_OP_SEND;
		return take_transfer(g, i, "to", op);
	}
	if (!strcmp(what, "recv")) {
		op->kind = WEFT_OP_RECV;
		return take_transfer(g, i, "from", op);
	}
	if (!strcmp(what, "calc"))
		return take_calc(g, i, op);
	return weft_line_fail(g->l, "\"%.40s\": expected send, recv, calc, requires, irequires or }",
			      what);
}

/* "[LABEL:] calc ...", "[LABEL:] send ...", "[LABEL:] recv ..." */
static int take_op(struct goal *g)
{
	struct weft_op op = { .rank = g->rank, .peer = g->rank, .line = g->l->line };
	char *word = g->l->word[0];
	size_t n = strlen(word);
	bool labelled = n > 1 && word[n - 1] == ':';

	if (labelled) {
		word[n - 1] = '\0';
		op.label = word;
	}
	if (take_words(g, labelled, &op))
		return g->l->err->code;
	return weft_ops_add(&g->ops, &op);
}

/* "LABEL requires LABEL"; its labels may be those of later lines. */
static int take_claim(struct goal *g, enum weft_op_how how)
{
	struct claim *more = weft_array_grow(g->claim, g->claims, sizeof(*more));

	if (!more)
		return weft_err_nomem(g->l->err);
	g->claim = more;
	g->claim[g->claims++] = (struct claim) {
		.label = g->l->word[0], .on = g->l->word[2], .line = g->l->line,
		.how = how,
	};
	return 0;
}

static int by_label(const void *a, const void *b, void *goal)
{
	const struct weft_op *op = ((struct goal *)goal)->ops.op;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = strcmp(op[i].label, op[k].label);

	return order ? order : (i > k) - (i < k);
}

/* Two operations of one label are refused. */
static int sort_labels(struct goal *g)
{
	const struct weft_op *op = g->ops.op;
	uint32_t *more;

	g->labels = 0;
	if (!op)
		return 0;
	more = realloc(g->label, (g->ops.ops - g->block + 1) * sizeof(*more));
	if (!more)
		return weft_err_nomem(g->l->err);
	g->label = more;
	for (uint32_t i = g->block; i < g->ops.ops; i++)
		if (op[i].label)
			g->label[g->labels++] = i;
	qsort_r(g->label, g->labels, sizeof(*g->label), by_label, g);
	for (uint32_t i = 1; i < g->labels; i++) {
		const struct weft_op *one = &op[g->label[i]];

		if (strcmp(one->label, op[g->label[i - 1]].label))
			continue;
		g->l->line = one->line;
		return weft_line_fail(g->l, "%.40s: rank %" PRIu32 " has another operation of this label",
				      one->label, g->rank);
	}
	return 0;
}

/**
 * struct label_key - a label that is looked up
 */
struct label_key {
	/** @label: the label */
	const char *label;
	/** @op: all operations */
	const struct weft_op *op;
};

static int by_key(const void *key, const void *number)
{
	const struct label_key *k = key;

	return strcmp(k->label, k->op[*(const uint32_t *)number].label);
}

static int find_label(struct goal *g, const struct claim *c, const char *label,
		      uint32_t *op)
{
	const struct label_key key = { .label = label, .op = g->ops.op };
	const uint32_t *found = g->labels ? bsearch(&key, g->label, g->labels,
						    sizeof(*found), by_key) : NULL;

	if (found) {
		*op = *found;
		return 0;
	}
	g->l->line = c->line;
	return weft_line_fail(g->l, "\"%.40s\": rank %" PRIu32 " has no operation of this label",
			      label, g->rank);
}

/* "}" */
static int end_block(struct goal *g)
{
	uint32_t line = g->l->line, op = 0, on = 0;

	if (sort_labels(g))
		return g->l->err->code;
	for (uint32_t i = 0; i < g->claims; i++) {
		const struct claim *c = &g->claim[i];

		if (find_label(g, c, c->label, &op) || find_label(g, c, c->on, &on) ||
		    weft_ops_wait(&g->ops, op, on, c->how))
			return g->l->err->code;
	}
	g->l->line = line;
	g->claims = 0;
	g->rank = NONE;
	return 0;
}

/* "rank N {" */
static int begin_block(struct goal *g)
{
	struct weft_lines *l = g->l;

	if (l->words != 3 || strcmp(l->word[0], "rank") || strcmp(l->word[2], "{"))
		return weft_line_fail(l, "\"%.40s\": expected rank N {", l->word[0]);
	if (take_rank(g, l->word[1], &g->rank))
		return l->err->code;
	if (g->seen[g->rank])
		return weft_line_fail(l, "rank %" PRIu32 ": it had a block before", g->rank);
	g->seen[g->rank] = true;
	g->block = g->ops.ops;
	return 0;
}

static int take_line(struct goal *g)
{
	struct weft_lines *l = g->l;

	if (g->rank == NONE)
		return begin_block(g);
	if (l->words == 1 && !strcmp(l->word[0], "}"))
		return end_block(g);
	if (l->words == 3 && !strcmp(l->word[1], "requires"))
		return take_claim(g, WEFT_OP_END);
	if (l->words == 3 && !strcmp(l->word[1], "irequires"))
		return take_claim(g, WEFT_OP_START);
	return take_op(g);
}

/* "num_ranks N" */
static int take_ranks(struct goal *g)
{
	struct weft_lines *l = g->l;
	uint64_t v;
	int ret = weft_line_next(l);

	if (ret < 0)
		return ret;
	if (l->words != 2 || strcmp(l->word[0], "num_ranks"))
		return weft_line_fail(l, "expected num_ranks N");
	if (weft_line_number(l, l->word[1], "num_ranks", UINT32_MAX, &v))
		return l->err->code;
	if (!v || v > l->plan->nodes)
		return weft_line_fail(l, "num_ranks %" PRIu64 ": the topology has %u nodes",
				      v, l->plan->nodes);
	g->ranks = (uint32_t)v;
	return 0;
}

static int read_blocks(struct goal *g)
{
	int ret;

	while ((ret = weft_line_next(g->l)) > 0) {
		ret = take_line(g);
		if (ret)
			return ret;
	}
	if (ret || g->rank == NONE)
		return ret;
	return weft_line_fail(g->l, "rank %" PRIu32 ": expected } at the end of its block",
			      g->rank);
}

static int fail_op(void *reader, const struct weft_op *op, const char *text)
{
	struct goal *g = reader;

	g->l->line = op->line;
	return weft_line_fail(g->l, "%s", text);
}

/**
 * weft_work_goal() - read a schedule in GOAL
 * @l: its lines
 *
 * Return: 0 or negative errno.
 */
int weft_work_goal(struct weft_lines *l)
{
	struct goal g = {
		.l = l, .rank = NONE, .ops = { .fail = fail_op, .reader = &g, .err = l->err },
		.seen = calloc(l->plan->nodes, sizeof(*g.seen)),
	};
	int ret;

	if (!g.seen)
		return weft_err_nomem(l->err);
	ret = take_ranks(&g);
	ret = ret ? ret : read_blocks(&g);
	ret = ret ? ret : weft_ops_work(&g.ops, l->work);
	weft_ops_free(&g.ops);
	free(g.seen);
	free(g.claim);
	free(g.label);
	return ret;
}
