// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations of ranks become messages. A message waits for earlier ones only, so the
 * operations are put in such an order first.
 */
#include "workload/workload_ops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/**
 * weft_ops_add() - add an operation
 * @o: the operations
 * @like: the operation
 *
 * Return: 0 or negative errno.
 */
int weft_ops_add(struct weft_ops *o, const struct weft_op *like)
{
	struct weft_op *more;

	if (o->ops == WEFT_MESSAGES_MAX)
		return weft_err_set(o->err, WEFT_ERR_USAGE, -E2BIG,
				    "expected up to %u operations", WEFT_MESSAGES_MAX);
	more = weft_array_grow(o->op, o->ops, sizeof(*more));
	if (!more)
		return weft_err_nomem(o->err);
	o->op = more;
	o->op[o->ops++] = *like;
	return 0;
}

/**
 * weft_ops_wait() - an operation waits for another one
 * @o: the operations
 * @op: number of the one that waits
 * @on: number of the one that it waits for, earlier or later
 * @how: WEFT_OP_END or WEFT_OP_START
 *
 * Return: 0 or negative errno.
 */
int weft_ops_wait(struct weft_ops *o, uint32_t op, uint32_t on, enum weft_op_how how)
{
	struct weft_op_edge *more = weft_array_grow(o->edge, o->edges, sizeof(*more));

	if (!more)
		return weft_err_nomem(o->err);
	o->edge = more;
	o->edge[o->edges++] = (struct weft_op_edge) { .op = op, .on = on, .how = how };
	return 0;
}

/**
 * weft_ops_free() - free operations
 * @o: the operations
 */
void weft_ops_free(struct weft_ops *o)
{
	free(o->op);
	free(o->edge);
	o->op = NULL;
	o->edge = NULL;
	o->ops = 0;
	o->edges = 0;
}

__attribute__((format(printf, 3, 4)))
static int fail(const struct weft_ops *o, const struct weft_op *op, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return o->fail(o->reader, op, text);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static bool is_message(const struct weft_op *op)
{
	return op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_PUT;
}

static uint32_t from(const struct weft_op *op)
{
	return op->kind == WEFT_OP_SEND ? op->rank : op->peer;
}

static uint32_t to(const struct weft_op *op)
{
	return op->kind == WEFT_OP_SEND ? op->peer : op->rank;
}

/* Transfers by sender, receiver and tag. */
static int by_way(const struct weft_op *x, const struct weft_op *y)
{
	int order = compare(from(x), from(y));

	order = order ? order : compare(to(x), to(y));
	return order ? order : compare(x->tag, y->tag);
}

/* The sends of a way, and then its receives, each in the order of the file. */
static int by_match(const void *a, const void *b, void *ops)
{
	const struct weft_op *op = ((struct weft_ops *)ops)->op;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = by_way(&op[i], &op[k]);

	order = order ? order : compare(op[i].kind, op[k].kind);
	return order ? order : compare(i, k);
}

/* Return: how many of @order are of this kind and of the way of @like. */
static uint32_t count(const struct weft_ops *o, const uint32_t *order, uint32_t n,
		      const struct weft_op *like, enum weft_op_kind kind)
{
	uint32_t i = 0;

	while (i < n && o->op[order[i]].kind == kind && !by_way(&o->op[order[i]], like))
		i++;
	return i;
}

static int join(struct weft_ops *o, uint32_t send, uint32_t recv)
{
	const struct weft_op *s = &o->op[send], *r = &o->op[recv];

	if (s->size <= r->size)
		return weft_ops_wait(o, recv, send, WEFT_OP_SENT);
	return fail(o, r, "a receive of %" PRIu64 " bytes from rank %" PRIu32
		    ", which sends %" PRIu64, r->size, s->rank, s->size);
}

/* The transfers of a way. Return: how many there are, or negative errno. */
static int64_t match_way(struct weft_ops *o, const uint32_t *order, uint32_t n)
{
	const struct weft_op first = o->op[order[0]];
	uint32_t sends = count(o, order, n, &first, WEFT_OP_SEND);
	uint32_t recvs = count(o, order + sends, n - sends, &first, WEFT_OP_RECV);
	int ret;

	if (recvs > sends)
		return fail(o, &o->op[order[(size_t)2 * sends]],
			    "rank %" PRIu32 " has no send for this receive", from(&first));
	if (sends > recvs)
		return fail(o, &o->op[order[recvs]],
			    "rank %" PRIu32 " has no receive for this send", to(&first));
	for (uint32_t i = 0; i < sends; i++) {
		ret = join(o, order[i], order[sends + i]);
		if (ret)
			return ret;
	}
	return sends + recvs;
}

/* The first send of a rank to another one with a tag is for the first such receive. */
static int match(struct weft_ops *o, uint32_t *order)
{
	uint32_t n = 0, i = 0;
	int64_t ret = 0;

	for (uint32_t k = 0; k < o->ops; k++)
		if (o->op[k].kind == WEFT_OP_SEND || o->op[k].kind == WEFT_OP_RECV)
			order[n++] = k;
	qsort_r(order, n, sizeof(*order), by_match, o);
	for (; ret >= 0 && i < n; i += (uint32_t)ret)
		ret = match_way(o, order + i, n - i);
	return ret < 0 ? (int)ret : 0;
}

static int by_op(const void *a, const void *b)
{
	const struct weft_op_edge *x = a, *y = b;
	int order = compare(x->op, y->op);

	return order ? order : compare(x->on, y->on);
}

static int by_on(const void *a, const void *b)
{
	const struct weft_op_edge *x = a, *y = b;
	int order = compare(x->on, y->on);

	return order ? order : compare(x->op, y->op);
}

/* A message of this operation; its name is the label, with @end. */
static int add(struct weft_ops *o, const struct weft_op *op, struct weft_work *w,
	       const struct weft_message *like, const char *end, uint32_t *number)
{
	char name[128];

	if (!weft_work_add(w, like, o->err))
		return o->err->code;
	*number = w->messages - 1;
	if (!op->label)
		return 0;
	snprintf(name, sizeof(name), "%" PRIu32 ".%.100s%s", op->rank, op->label, end);
	return weft_work_name(w, name, o->err);
}

/* The last message waits for what its operation waits for: its send, or all but that. */
static int wait_for(struct weft_ops *o, const struct weft_op *op, struct weft_work *w,
		    bool sent)
{
	for (uint32_t i = op->edges; i < o->edges && &o->op[o->edge[i].op] == op; i++) {
		const struct weft_op *on = &o->op[o->edge[i].on];
		enum weft_op_how how = o->edge[i].how;
		uint32_t number = how == WEFT_OP_START ? on->begin : on->message;
		bool is_send = how == WEFT_OP_SENT;

		if (is_send == sent && weft_work_wait(w, number, o->err))
			return o->err->code;
	}
	return 0;
}

/* Those that it waits for have their messages. */
static int add_message(struct weft_ops *o, struct weft_op *op, struct weft_work *w)
{
	const struct weft_message begin = {
		.from = op->rank, .to = op->rank, .line = op->line,
	};
	const struct weft_message like = {
		.from = op->rank, .to = is_message(op) ? op->peer : op->rank,
		.bytes = is_message(op) ? op->size : 0,
		.delay = op->kind == WEFT_OP_CALC ? op->size : 0, .line = op->line,
	};

	if (op->begins && (add(o, op, w, &begin, ".start", &op->begin) ||
			   wait_for(o, op, w, false)))
		return o->err->code;
	if (add(o, op, w, &like, op->kind == WEFT_OP_PUT ? ".message" : "", &op->message))
		return o->err->code;
	if (op->begins ? weft_work_wait(w, op->begin, o->err) : wait_for(o, op, w, false))
		return o->err->code;
	return wait_for(o, op, w, true);
}

/* Put those that wait for nothing into @order. Return: how many there are. */
static uint32_t find_ready(struct weft_ops *o, uint32_t *order)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->edges; i++) {
		o->op[o->edge[i].op].waits++;
		o->op[o->edge[i].on].begins |= o->edge[i].how == WEFT_OP_START;
	}
	for (uint32_t i = 0; i < o->ops; i++)
		if (!o->op[i].waits)
			order[n++] = i;
	return n;
}

/* Each after those that it waits for; of several, in the order of the file. */
static int add_messages(struct weft_ops *o, struct weft_work *w, uint32_t *order,
			const struct weft_op_edge *waiter)
{
	uint32_t ready = find_ready(o, order), done;
	int ret = 0;

	for (done = 0; !ret && done < ready; done++) {
		uint32_t on = order[done];

		ret = add_message(o, &o->op[on], w);
		for (uint32_t i = o->op[on].waiters; i < o->edges && waiter[i].on == on; i++)
			if (!--o->op[waiter[i].op].waits)
				order[ready++] = waiter[i].op;
	}
	if (ret || done == o->ops)
		return ret;
	for (done = 0; !o->op[done].waits; done++)
		;
	return fail(o, &o->op[done], "this one never starts: it waits for itself, or for one that does");
}

/* Transfers have their other sides. */
static int order_all(struct weft_ops *o, struct weft_work *w, uint32_t *order)
{
	struct weft_op_edge *waiter = malloc((o->edges + 1) * sizeof(*waiter));
	int ret;

	if (!waiter)
		return weft_err_nomem(o->err);
	if (o->edges) {
		qsort(o->edge, o->edges, sizeof(*o->edge), by_op);
		memcpy(waiter, o->edge, o->edges * sizeof(*waiter));
		qsort(waiter, o->edges, sizeof(*waiter), by_on);
	}
	for (uint32_t i = o->edges; i--;) {
		o->op[o->edge[i].op].edges = i;
		o->op[waiter[i].on].waiters = i;
	}
	ret = add_messages(o, w, order, waiter);
	free(waiter);
	return ret;
}

/**
 * weft_ops_work() - make a workload of operations
 * @o: the operations
 * @w: result; rank n is node n
 *
 * Return: 0 or negative errno, if a transfer has no other side or operations wait for
 * each other.
 */
int weft_ops_work(struct weft_ops *o, struct weft_work *w)
{
	uint32_t *order = malloc((o->ops + 1) * sizeof(*order));
	int ret;

	if (!order)
		return weft_err_nomem(o->err);
	ret = match(o, order);
	if (!ret)
		ret = order_all(o, w, order);
	free(order);
	return ret;
}
