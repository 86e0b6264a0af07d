// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives among operations: the messages of the algorithms that `weft bound` knows.
 *
 * What a rank sends in a round waits for all that it received in the rounds before. An
 * operation without work joins what one message brought and what came before.
 */
#include "workload/workload_ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound_rounds.h"

/**
 * struct part - a collective that is being added
 */
struct part {
	/** @ops: the operations */
	struct weft_ops *ops;
	/** @call: the collective */
	const struct weft_ops_call *call;
	/** @joined: of each rank: the operation that joins all that came before this round */
	uint32_t *joined;
	/** @first: first operation of this round */
	uint32_t first;
	/** @ret: 0 or the first error */
	int ret;
};

static void on_send(void *ctx, unsigned int from, unsigned int to, uint64_t bytes)
{
	struct part *p = ctx;
	struct weft_op put = p->ops->op[p->call->end[from]];

	put.kind = WEFT_OP_PUT;
	put.peer = to;
	put.size = bytes;
	if (!p->ret)
		p->ret = weft_ops_add(p->ops, &put);
	if (!p->ret)
		p->ret = weft_ops_wait(p->ops, p->ops->ops - 1, p->joined[from], WEFT_OP_END);
}

/* Message @i came to a rank in this round: it joins what the rank had before. */
static int join(struct part *p, uint32_t i)
{
	uint32_t rank = p->ops->op[i].peer;
	const struct weft_op both = {
		.rank = rank, .peer = rank, .line = p->ops->op[p->call->end[rank]].line,
	};
	int ret = weft_ops_add(p->ops, &both);
	uint32_t last = p->ops->ops - 1;

	ret = ret ? ret : weft_ops_wait(p->ops, last, p->joined[rank], WEFT_OP_END);
	ret = ret ? ret : weft_ops_wait(p->ops, last, i, WEFT_OP_END);
	p->joined[rank] = last;
	return ret;
}

static void on_next(void *ctx)
{
	struct part *p = ctx;
	uint32_t end = p->ops->ops;

	for (uint32_t i = p->first; i < end && !p->ret; i++)
		p->ret = join(p, i);
	p->first = p->ops->ops;
}

/**
 * weft_ops_call() - add the messages of a collective
 * @o: the operations
 * @call: the collective
 *
 * Return: 0 or negative errno; -EOPNOTSUPP if the algorithm passes pieces on while they
 * arrive, or does not take so many ranks.
 */
int weft_ops_call(struct weft_ops *o, const struct weft_ops_call *call)
{
	struct part p = {
		.ops = o, .call = call, .first = o->ops,
		.joined = malloc(call->ranks * sizeof(*p.joined)),
	};
	struct weft_rounds_sink sink = { .send = on_send, .next = on_next, .ctx = &p };
	struct weft_rounds r = { .sink = &sink, .ranks = call->ranks };

	if (!p.joined)
		return weft_err_nomem(o->err);
	memcpy(p.joined, call->begin, call->ranks * sizeof(*p.joined));
	if (weft_bound_has(&r, call->algorithm))
		call->algorithm->run(&r, call->bytes);
	else
		p.ret = -EOPNOTSUPP;
	for (uint32_t i = 0; i < call->ranks && !p.ret; i++)
		p.ret = weft_ops_wait(o, call->end[i], p.joined[i], WEFT_OP_END);
	free(p.joined);
	return p.ret ? p.ret : sink.streamed ? -EOPNOTSUPP : 0;
}
