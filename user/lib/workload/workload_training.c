// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A step of the training of a transformer, as a workload.
 *
 * The ranks are divided as Megatron-LM does it: tensor * data * pipeline, neighbours share
 * a layer. Each stage has its layers and does the forward and backward passes of its
 * micro-batches in the order 1F1B. A layer has two halves, attention and MLP, with an
 * all-reduce of the activations behind each, forward and backward. Stages send activations
 * on and their gradients back. At last the ranks that have the same parameters reduce
 * their gradients. Work is a message from a node to itself.
 *
 * Sources: Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters
 * Using Megatron-LM, SC 2021 (order, operations); Korthikanti et al., Reducing Activation
 * Recomputation in Large Transformer Models, 2022 (sequence parallelism).
 */
#include "workload/training.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml_file.h"
#include "topology/share.h"
#include "workload/workload_rounds.h"

#define PREFIX		"training:"
#define NONE		UINT32_MAX

/**
 * struct steps - a step, while its messages are made
 *
 * Rank (stage * data + replica) * tensor + i is at @node. Of each stage and micro-batch
 * all ranks have the same operation, and their messages follow each other.
 */
struct steps {
	/** @t: what is trained */
	const struct weft_training *t;
	/** @work: the workload */
	struct weft_work *work;
	/** @r: its rounds; joined: of each node, the message behind which it works on */
	struct weft_work_rounds r;
	/** @node: node of each rank */
	const uint32_t *node;
	/** @group: nodes of the group that reduces gradients */
	uint32_t *group;
	/** @data: replicas of the parameters */
	uint32_t data;
	/** @forward: first message with activations, by stage that gets it and micro-batch */
	uint32_t *forward;
	/** @backward: first message with their gradients, by stage that gets it and micro-batch */
	uint32_t *backward;
	/** @reduced: of each node, the message behind which its gradients are reduced, or NONE */
	uint32_t *reduced;
	/** @err: error */
	struct weft_err *err;
};

/* --- how much there is to do ---------------------------------------------------------- */

/* Tokens of a micro-batch. */
static uint64_t tokens(const struct weft_training *t)
{
	return t->micro_batch * t->sequence;
}

/* Time of @each operations for each token of a micro-batch, which a layer's ranks share, ps. */
static uint64_t time_of(const struct weft_training *t, uint64_t each)
{
	unsigned __int128 ps = (unsigned __int128)tokens(t) * each / t->tensor / t->tflops;

	return ps > WEFT_WORK_TIME_MAX ? WEFT_NOT_YET : (uint64_t)ps;
}

/*
 * Forward, 2 operations for each product: queries, keys, values and the projection are 4
 * matrices of hidden * hidden; each token meets each of its sequence twice.
 */
static uint64_t attention(const struct weft_training *t)
{
	return time_of(t, (8 * t->hidden + 4 * t->sequence) * t->hidden);
}

/* Two matrices of hidden * 4 hidden. */
static uint64_t mlp(const struct weft_training *t)
{
	return time_of(t, 16 * t->hidden * t->hidden);
}

static uint64_t logits(const struct weft_training *t)
{
	return time_of(t, 2 * t->hidden * t->vocabulary);
}

/* Activations between layers: a number for each token and hidden dimension. */
static uint64_t activations(const struct weft_training *t)
{
	return tokens(t) * t->hidden * t->bytes;
}

/* Gradients of a layer that a rank has: 12 hidden^2 in matrices, 13 hidden beside them. */
static uint64_t layer_gradients(const struct weft_training *t)
{
	return (12 * t->hidden + 13) * t->hidden / t->tensor * t->gradient_bytes;
}

static uint64_t embedding_gradients(const struct weft_training *t)
{
	return t->vocabulary * t->hidden / t->tensor * t->gradient_bytes;
}

static uint64_t layers_of_stage(const struct weft_training *t)
{
	return t->layers / t->pipeline;
}

/* Has a stage an embedding? The last one has that of the logits, which is the same. */
static bool has_embedding(const struct weft_training *t, uint32_t stage)
{
	return t->vocabulary && (!stage || stage + 1 == t->pipeline);
}

/* --- messages ------------------------------------------------------------------------- */

static uint32_t rank_of(const struct steps *x, uint32_t stage, uint32_t replica, uint32_t i)
{
	return (uint32_t)((stage * x->data + replica) * x->t->tensor + i);
}

static uint32_t ranks_of_stage(const struct steps *x)
{
	return (uint32_t)(x->data * x->t->tensor);
}

/* Add a message of a node; it waits for what the node did before, and for @after. */
static int add(struct steps *x, const struct weft_message *like, uint32_t after)
{
	uint32_t before = x->r.joined[like->from];

	if (!weft_work_add(x->work, like, x->err))
		return x->err->code;
	x->work->message[x->work->messages - 1].line = x->work->messages;
	if ((before != NONE && weft_work_wait(x->work, before, x->err)) ||
	    (after != NONE && weft_work_wait(x->work, after, x->err)))
		return x->err->code;
	return 0;
}

/* A node works for a time, once what it did before has ended, and @after. */
static int work(struct steps *x, uint32_t node, uint64_t ps, uint32_t after)
{
	const struct weft_message like = { .from = node, .to = node, .delay = ps };

	if (add(x, &like, after))
		return x->err->code;
	x->r.joined[node] = x->work->messages - 1;
	return 0;
}

/* All ranks of a stage work. @first: what came to the first of them, or NONE. */
static int work_all(struct steps *x, uint32_t stage, uint64_t ps, uint32_t first)
{
	uint32_t ranks = ranks_of_stage(x);
	const uint32_t *node = x->node + rank_of(x, stage, 0, 0);

	for (uint32_t i = 0; i < ranks; i++)
		if (work(x, node[i], ps, first == NONE ? NONE : first + i))
			return x->err->code;
	return 0;
}

/* The nodes of the rounds reduce. @group: their number, if switches do it. */
static int reduce(struct steps *x, const struct weft_training_reduction *how, uint32_t group,
		  uint64_t bytes)
{
	x->r.first = x->work->messages;
	return how->algorithm ? weft_work_rounds_run(&x->r, how->algorithm, bytes) :
				weft_work_rounds_reduce(&x->r, group, how->store, bytes);
}

/* The ranks that share the layers of a stage reduce activations. */
static int reduce_activations(struct steps *x, uint32_t stage)
{
	int ret = 0;

	if (x->t->tensor == 1)
		return 0;
	x->r.ranks = (unsigned int)x->t->tensor;
	for (uint32_t replica = 0; replica < x->data && !ret; replica++) {
		x->r.node = x->node + rank_of(x, stage, replica, 0);
		ret = reduce(x, &x->t->activations, stage * x->data + replica + 1,
			     activations(x->t));
	}
	return ret;
}

/* Half of a layer: work, and the all-reduce behind it. */
static int half(struct steps *x, uint32_t stage, uint64_t ps, uint32_t *first)
{
	int ret = work_all(x, stage, ps, *first);

	*first = NONE;
	return ret ? ret : reduce_activations(x, stage);
}

/* Send what a stage has computed to another one. @sent: set to the first message. */
static int pass(struct steps *x, uint32_t stage, uint32_t to, uint32_t *sent)
{
	uint32_t ranks = ranks_of_stage(x);
	const uint32_t *node = x->node + rank_of(x, stage, 0, 0);
	const uint32_t *peer = x->node + rank_of(x, to, 0, 0);
	uint64_t bytes = activations(x->t);

	if (x->t->sequence_parallel)
		bytes /= x->t->tensor;
	*sent = x->work->messages;
	for (uint32_t i = 0; i < ranks; i++) {
		const struct weft_message like = {
			.from = node[i], .to = peer[i], .bytes = bytes,
		};

		if (add(x, &like, NONE))
			return x->err->code;
	}
	return 0;
}

/* Name the present of the first rank of a stage: its last operation has ended. */
static int mark(struct steps *x, uint32_t stage, const char *what, uint32_t batch)
{
	char name[64];

	if (work(x, x->node[rank_of(x, stage, 0, 0)], 0, NONE))
		return x->err->code;
	snprintf(name, sizeof(name), "%s%u.stage%u", what, batch, stage);
	return weft_work_name(x->work, name, x->err);
}

/* --- gradients ------------------------------------------------------------------------ */

/* Gradients are there: from now on what they wait for is of its own. */
static int fork_node(struct steps *x, uint32_t node)
{
	const struct weft_message like = { .from = node, .to = node };

	if (add(x, &like, x->reduced[node]))
		return x->err->code;
	x->reduced[node] = x->work->messages - 1;
	return 0;
}

/* Behind the groups that share layers, if switches reduce for these. */
static uint32_t gradient_group(const struct steps *x, uint32_t stage, uint32_t i)
{
	uint64_t before = x->t->activations.algorithm || x->t->tensor == 1 ?
				  0 : x->t->pipeline * x->data;

	return (uint32_t)(before + stage * x->t->tensor + i + 1);
}

/* The ranks with the same parameters reduce their gradients, beside their work. */
static int reduce_gradients(struct steps *x, uint32_t stage, uint64_t bytes)
{
	uint32_t *joined = x->r.joined;
	int ret = 0;

	if (x->data == 1 || !bytes)
		return 0;
	for (uint32_t i = 0; i < x->t->tensor && !ret; i++) {
		for (uint32_t replica = 0; replica < x->data && !ret; replica++) {
			x->group[replica] = x->node[rank_of(x, stage, replica, i)];
			ret = fork_node(x, x->group[replica]);
		}
		x->r.ranks = x->data;
		x->r.node = x->group;
		x->r.joined = x->reduced;
		if (!ret)
			ret = reduce(x, &x->t->gradients, gradient_group(x, stage, i), bytes);
		x->r.joined = joined;
	}
	return ret;
}

/* The work of a stage goes on when its gradients are reduced. */
static int join_gradients(struct steps *x, uint32_t stage)
{
	uint32_t ranks = ranks_of_stage(x);
	const uint32_t *node = x->node + rank_of(x, stage, 0, 0);

	for (uint32_t i = 0; i < ranks; i++)
		if (x->reduced[node[i]] != NONE && work(x, node[i], 0, x->reduced[node[i]]))
			return x->err->code;
	return 0;
}

/* The first and the last stage have the same embedding: two of a ring add up its gradients. */
static int tie_embedding(struct steps *x)
{
	const struct weft_training_reduction ring = {
		.algorithm = weft_bound_algorithm(WEFT_ALLREDUCE, "ring", 4),
	};
	uint32_t ranks = ranks_of_stage(x), pair[2];
	int ret = 0;

	if (!x->t->vocabulary || x->t->pipeline == 1)
		return 0;
	x->r.ranks = 2;
	x->r.node = pair;
	for (uint32_t i = 0; i < ranks && !ret; i++) {
		pair[0] = x->node[i];
		pair[1] = x->node[rank_of(x, (uint32_t)x->t->pipeline - 1, 0, 0) + i];
		ret = reduce(x, &ring, 0, embedding_gradients(x->t));
	}
	x->r.node = NULL;
	return ret;
}

/* --- operations of a stage ------------------------------------------------------------ */

static uint32_t *slot(const struct steps *x, uint32_t *list, uint32_t stage, uint32_t batch)
{
	return &list[stage * x->t->micro_batches + batch];
}

/* Forward through the layers. Where nobody shares them that is one piece of work. */
static int forward_layers(struct steps *x, uint32_t stage, uint32_t first, uint64_t more)
{
	const struct weft_training *t = x->t;
	uint64_t layers = layers_of_stage(t);
	int ret = 0;

	if (t->tensor == 1)
		return work_all(x, stage, layers * (attention(t) + mlp(t)) + more, first);
	for (uint64_t i = 0; i < layers && !ret; i++) {
		ret = half(x, stage, attention(t), &first);
		ret = ret ? ret : half(x, stage, mlp(t), &first);
	}
	return ret || !more ? ret : work_all(x, stage, more, NONE);
}

static int forward(struct steps *x, uint32_t stage, uint32_t batch)
{
	bool last = stage + 1 == x->t->pipeline;
	int ret = forward_layers(x, stage, *slot(x, x->forward, stage, batch),
				 last ? logits(x->t) : 0);

	ret = ret ? ret : mark(x, stage, "forward", batch);
	if (ret || last)
		return ret;
	return pass(x, stage, stage + 1, slot(x, x->forward, stage + 1, batch));
}

/* Backward through a layer: twice the work, for what comes in and for the weights. */
static int backward_layer(struct steps *x, uint32_t stage, uint32_t *first)
{
	const struct weft_training *t = x->t;
	int ret = 0;

	if (t->recompute) {
		ret = half(x, stage, attention(t), first);
		ret = ret ? ret : half(x, stage, mlp(t), first);
	}
	ret = ret ? ret : half(x, stage, 2 * mlp(t), first);
	return ret ? ret : half(x, stage, 2 * attention(t), first);
}

static int backward_layers(struct steps *x, uint32_t stage, uint32_t batch)
{
	const struct weft_training *t = x->t;
	bool overlap = t->overlap && batch + 1 == t->micro_batches;
	uint32_t first = *slot(x, x->backward, stage, batch);
	uint64_t layers = layers_of_stage(t);
	int ret = 0;

	if (stage + 1 == t->pipeline && t->vocabulary) {
		ret = work_all(x, stage, 2 * logits(t), first);
		first = NONE;
	}
	if (!ret && t->tensor == 1 && !overlap)
		return work_all(x, stage, layers * (2 + t->recompute) * (attention(t) + mlp(t)),
				first);
	for (uint64_t i = 0; i < layers && !ret; i++) {
		ret = backward_layer(x, stage, &first);
		if (!ret && overlap)
			ret = reduce_gradients(x, stage, layer_gradients(t));
	}
	return ret;
}

/* The stage has done its last backward pass. */
static int finish(struct steps *x, uint32_t stage)
{
	const struct weft_training *t = x->t;
	uint64_t bytes = t->overlap ? 0 : layers_of_stage(t) * layer_gradients(t);
	int ret;

	if (has_embedding(t, stage))
		bytes += embedding_gradients(t);
	ret = reduce_gradients(x, stage, bytes);
	return ret ? ret : join_gradients(x, stage);
}

static int backward(struct steps *x, uint32_t stage, uint32_t batch)
{
	int ret = backward_layers(x, stage, batch);

	ret = ret ? ret : mark(x, stage, "backward", batch);
	if (!ret && stage)
		ret = pass(x, stage, stage - 1, slot(x, x->backward, stage - 1, batch));
	if (!ret && batch + 1 == x->t->micro_batches)
		ret = finish(x, stage);
	return ret;
}

/* --- the order ------------------------------------------------------------------------ */

/*
 * Operation @n of a stage in the order 1F1B: forward passes until the last stage has
 * something to give back, then one forward and one backward, then the rest backward.
 */
static bool is_forward(const struct weft_training *t, uint32_t stage, uint64_t n,
		       uint32_t *batch)
{
	uint64_t warm = t->pipeline - stage - 1, steady;

	if (warm > t->micro_batches)
		warm = t->micro_batches;
	steady = 2 * (t->micro_batches - warm);
	if (n < warm) {
		*batch = (uint32_t)n;
		return true;
	}
	n -= warm;
	if (n < steady) {
		*batch = (uint32_t)(n % 2 ? n / 2 : warm + n / 2);
		return n % 2 == 0;
	}
	*batch = (uint32_t)(steady / 2 + n - steady);
	return false;
}

/* Do the next operations of a stage, as long as what they need has been sent. */
static int go_on(struct steps *x, uint32_t stage, uint64_t *done)
{
	bool last = stage + 1 == x->t->pipeline, ahead;
	uint32_t batch;
	int ret = 0;

	while (!ret && *done < 2 * x->t->micro_batches) {
		ahead = is_forward(x->t, stage, *done, &batch);
		if (ahead ? stage && *slot(x, x->forward, stage, batch) == NONE :
			    !last && *slot(x, x->backward, stage, batch) == NONE)
			return 0;
		ret = ahead ? forward(x, stage, batch) : backward(x, stage, batch);
		++*done;
	}
	return ret;
}

static int all_stages(struct steps *x)
{
	uint64_t *done = calloc(x->t->pipeline, sizeof(*done));
	uint64_t left = x->t->pipeline;
	int ret = 0;

	if (!done)
		return weft_err_nomem(x->err);
	while (!ret && left) {
		left = 0;
		for (uint32_t s = 0; s < x->t->pipeline && !ret; s++) {
			ret = go_on(x, s, &done[s]);
			left += done[s] < 2 * x->t->micro_batches;
		}
	}
	free(done);
	ret = ret ? ret : tie_embedding(x);
	for (uint32_t s = 0; s < x->t->pipeline && !ret; s++)
		ret = mark(x, s, "step", 0);
	return ret;
}

/* --- the whole ------------------------------------------------------------------------ */

static int check(const struct weft_training *t, uint64_t ranks, struct weft_err *err)
{
	uint64_t each = t->tensor * t->pipeline;
	uint64_t most = layers_of_stage(t) * layer_gradients(t) + embedding_gradients(t);

	if (!ranks || ranks % each)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "training: %" PRIu64
				    " nodes: expected a multiple of tensor * pipeline = %" PRIu64,
				    ranks, each);
	if (activations(t) > WEFT_MESSAGE_MAX || most > WEFT_MESSAGE_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
				    "training: expected messages of up to 1TiB");
	if (time_of(t, layers_of_stage(t) * 3 * t->hidden *
		       (24 * t->hidden + 4 * t->sequence + 2 * t->vocabulary)) == WEFT_NOT_YET)
		return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
				    "training: expected up to 1000 s of work for a micro-batch");
	return 0;
}

static uint32_t *numbers(size_t n)
{
	uint32_t *list = malloc((n + 1) * sizeof(*list));

	for (size_t i = 0; list && i < n; i++)
		list[i] = NONE;
	return list;
}

static int make(struct weft_work *w, const struct weft_training *t, const uint32_t *node,
		uint32_t ranks, uint32_t nodes, struct weft_err *err)
{
	size_t passes = t->pipeline * t->micro_batches;
	struct steps x = {
		.t = t, .work = w, .node = node, .err = err,
		.data = (uint32_t)(ranks / t->tensor / t->pipeline),
		.forward = numbers(passes), .backward = numbers(passes),
		.reduced = numbers(nodes), .group = numbers(ranks),
	};
	int ret = weft_work_rounds_begin(&x.r, w, nodes, err);

	if (!ret && x.forward && x.backward && x.reduced && x.group)
		ret = all_stages(&x);
	else if (!ret)
		ret = weft_err_nomem(err);
	weft_work_rounds_end(&x.r);
	free(x.forward);
	free(x.backward);
	free(x.reduced);
	free(x.group);
	return ret;
}

/**
 * weft_work_train() - make the messages of a step of training
 * @w: result, empty; to be freed by weft_work_free() even after an error
 * @t: what is trained, and how it is divided
 * @nodes: names of the nodes of its ranks, as for weft_work_ranks(); NULL: all
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_train(struct weft_work *w, const struct weft_training *t, const char *nodes,
		    const struct weft_plan *plan, struct weft_err *err)
{
	uint32_t ranks, *node;
	int ret;

	if (weft_work_ranks(nodes, plan, &node, &ranks, err))
		return err->code;
	ret = check(t, ranks, err);
	if (!ret)
		ret = make(w, t, node, ranks, plan->nodes, err);
	free(node);
	return ret;
}

/* --- as the user gives it ------------------------------------------------------------- */

static int read_shape(struct weft_training *t, const char *name, const char *set,
		      struct weft_err *err)
{
	char path[PATH_MAX], file[NAME_MAX + 1], *text = NULL;
	struct weft_training_source from = { .file = path, .set = set };
	int ret;

	snprintf(file, sizeof(file), "%.200s.yaml", name);
	if (strchr(name, '/') || weft_share_file("models", file, path, err))
		snprintf(path, sizeof(path), "%s", name);
	ret = weft_file_read(path, &text, &from.len, err);
	if (ret)
		return ret;
	from.text = text;
	ret = weft_training_parse(t, &from, err);
	free(text);
	return ret;
}

/**
 * weft_work_is_training() - is a workload a step of training?
 * @spec: as the user gives it
 *
 * Return: true if it is.
 */
bool weft_work_is_training(const char *spec)
{
	return !strncmp(spec, PREFIX, strlen(PREFIX));
}

/**
 * weft_work_training() - make the messages of a step of training
 * @w: result, to be freed by weft_work_free() even after an error
 * @spec: training:MODEL[:KEY=VALUE[,KEY=VALUE]...][@NODES]
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_training(struct weft_work *w, const char *spec, const struct weft_plan *plan,
		       struct weft_err *err)
{
	char *copy = strdup(spec + strlen(PREFIX)), *set, *nodes;
	struct weft_training t;
	int ret;

	*w = (struct weft_work) { 0 };
	if (!copy)
		return weft_err_nomem(err);
	nodes = strrchr(copy, '@');
	if (nodes)
		*nodes++ = '\0';
	set = strrchr(copy, ':');
	if (set)
		*set++ = '\0';
	ret = read_shape(&t, copy, set, err);
	if (!ret)
		ret = weft_work_train(w, &t, nodes, plan, err);
	free(copy);
	return ret;
}
