// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives as workloads: the messages of the algorithms that `weft bound` knows.
 *
 * Each node is a rank. What it sends in a round waits for all that it received in
 * the rounds before. A message of no bytes from a rank to itself joins what one round
 * brought and what came before, so that each message waits for one other only.
 */
#include "workload/workload_rounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define NONE		UINT32_MAX

static void on_send(void *ctx, unsigned int from, unsigned int to, uint64_t bytes)
{
	struct weft_work_rounds *r = ctx;
	struct weft_message like = { .bytes = bytes }, *m;

	if (r->failed)
		return;
	like.from = r->node ? r->node[from] : from;
	like.to = r->node ? r->node[to] : to;
	m = weft_work_add(r->work, &like, r->err);
	if (m)
		m->line = r->work->messages;
	if (!m || (r->joined[like.from] != NONE &&
		   weft_work_wait(r->work, r->joined[like.from], r->err)))
		r->failed = true;
}

/* Message @i came to a rank in this round: it joins what the rank had before. */
static int join(struct weft_work_rounds *r, uint32_t i)
{
	uint32_t to = r->work->message[i].to;
	const struct weft_message like = { .from = to, .to = to };
	struct weft_work *w = r->work;

	if (!weft_work_add(w, &like, r->err))
		return r->err->code;
	w->message[w->messages - 1].line = w->messages;
	if (r->joined[to] != NONE && weft_work_wait(w, r->joined[to], r->err))
		return r->err->code;
	r->joined[to] = w->messages - 1;
	return weft_work_wait(w, i, r->err);
}

static void on_next(void *ctx)
{
	struct weft_work_rounds *r = ctx;
	uint32_t end = r->work->messages;

	for (uint32_t i = r->first; i < end && !r->failed; i++)
		r->failed = join(r, i);
	r->first = r->work->messages;
}

/**
 * struct spec - COLLECTIVE:ALGORITHM:SIZE:TIMES, taken apart
 * @collective: which it is
 * @hierarchical: it goes over NVLink and rails
 * @reduces: switches reduce it
 * @store: with @reduces: as NVLS does
 * @algorithm: its algorithm; with @hierarchical that on the rails; NULL if switches reduce
 * @bytes: its buffer
 * @times: how often it is done, one after the other
 */
struct spec {
	enum weft_collective collective;
	bool hierarchical;
	bool reduces;
	bool store;
	const struct weft_algorithm *algorithm;
	uint64_t bytes;
	uint64_t times;
};

static int find_collective(const char *spec, size_t len)
{
	for (int i = 0; weft_collective_words[i]; i++)
		if (strlen(weft_collective_words[i]) == len &&
		    !strncmp(weft_collective_words[i], spec, len))
			return i;
	return -1;
}

/**
 * weft_work_is_collective() - is a workload a collective, not a file?
 * @spec: as the user gives it
 *
 * Return: true if it begins with the name of a collective and a colon.
 */
bool weft_work_is_collective(const char *spec)
{
	size_t len = strcspn(spec, ":");

	return spec[len] && find_collective(spec, len) >= 0;
}

static void refuse_algorithm(const struct spec *s, const char *name, size_t len,
			     struct weft_err *err)
{
	char known[256] = "";
	size_t n = 0;

	for (unsigned int i = 0; i < weft_algorithms_n; i++)
		if (weft_algorithms[i].collective == s->collective)
			n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s",
					      n ? ", " : "", weft_algorithms[i].name);
	if (s->collective == WEFT_ALLREDUCE)
		snprintf(known + n, sizeof(known) - n,
			 ", sharp, nvls, hierarchical, or hierarchical- before one of them");
	else if (s->collective == WEFT_BARRIER)
		snprintf(known + n, sizeof(known) - n, ", sharp");
	weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
		     "algorithm \"%.*s\": of %s, expected one of %s", (int)len,
		     name, weft_collective_words[s->collective], known);
}

/* Bytes of "hierarchical", or of "hierarchical-", at the begin of a name. */
static size_t hierarchical(const char *name, size_t len)
{
	static const char word[] = "hierarchical";
	size_t n = sizeof(word) - 1;

	if (len < n || strncmp(name, word, n))
		return 0;
	if (len > n && name[n] != '-')
		return 0;
	return len > n ? n + 1 : n;
}

/* "sharp" and "nvls" are no messages: switches reduce. */
static bool find_reduction(struct spec *s, const char *name, size_t len)
{
	bool sharp = len == 5 && !strncmp(name, "sharp", len);

	s->store = len == 4 && !strncmp(name, "nvls", len);
	s->reduces = (s->collective == WEFT_ALLREDUCE && (sharp || s->store)) ||
		     (s->collective == WEFT_BARRIER && sharp);
	return s->reduces;
}

static int find_algorithm(struct spec *s, const char *name, size_t len,
			  struct weft_err *err)
{
	size_t prefix = s->collective == WEFT_ALLREDUCE ? hierarchical(name, len) : 0;

	s->hierarchical = prefix;
	if (find_reduction(s, name + prefix, len - prefix) && !(prefix && s->store))
		return 0;
	s->reduces = false;
	s->algorithm = prefix && prefix == len ?
			       weft_bound_algorithm(s->collective, "ring", 4) :
			       weft_bound_algorithm(s->collective, name + prefix, len - prefix);
	if (s->algorithm)
		return 0;
	refuse_algorithm(s, name, len, err);
	return -EINVAL;
}

static int parse_bytes(struct spec *s, const char *text, struct weft_err *err)
{
	if (weft_parse_size(text, &s->bytes, err))
		return err->code;
	if (s->bytes && s->bytes <= WEFT_MESSAGE_MAX)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "\"%s\": expected 1B to 1TiB", text);
}

static int parse_times(struct spec *s, const char *text, struct weft_err *err)
{
	if (!weft_parse_number(text, &s->times, err) && s->times &&
	    s->times <= WEFT_MESSAGES_MAX)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "\"%.40s\": expected how often, %s",
			    text, s->collective == WEFT_BARRIER ?
			    "and no size, as a barrier has no data" : "1 to 10000000");
}

/* The fields are taken apart in @text. */
static int parse(struct spec *s, char *text, struct weft_err *err)
{
	char *rest = text, *collective = strsep(&rest, ":");
	char *name = strsep(&rest, ":");
	bool barrier;

	s->times = 1;
	s->collective = (enum weft_collective)find_collective(collective, strlen(collective));
	barrier = s->collective == WEFT_BARRIER;
	if (find_algorithm(s, name, strlen(name), err))
		return err->code;
	if (!barrier && !rest)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%s:%s\": expected COLLECTIVE:ALGORITHM:SIZE, as in allreduce:ring:64MiB",
				    collective, name);
	if (!barrier && parse_bytes(s, strsep(&rest, ":"), err))
		return err->code;
	return rest ? parse_times(s, rest, err) : 0;
}

static int check_ranks(const struct weft_algorithm *a, const struct weft_rounds *r,
		       struct weft_err *err)
{
	if (r->ranks < 2)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "a collective needs 2 nodes, and there are %u",
				    r->ranks);
	if (weft_bound_has(r, a))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "algorithm %s with %u nodes: expected a power of two, and at most %u nodes",
			    a->name, r->ranks, WEFT_KNOWN_NODES_MAX);
}

/**
 * weft_work_rounds_begin() - prepare to make messages in rounds
 * @r: result, to be ended with weft_work_rounds_end()
 * @w: the workload that they are added to
 * @nodes: nodes of the plan
 * @err: error, also for later calls
 *
 * Return: 0 or negative errno.
 */
int weft_work_rounds_begin(struct weft_work_rounds *r, struct weft_work *w,
			   unsigned int nodes, struct weft_err *err)
{
	*r = (struct weft_work_rounds) {
		.work = w, .ranks = nodes, .err = err, .first = w->messages,
		.joined = malloc((nodes + 1) * sizeof(*r->joined)),
	};
	if (!r->joined)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i <= nodes; i++)
		r->joined[i] = NONE;
	return 0;
}

/**
 * weft_work_rounds_run() - add the messages of a collective
 * @r: the rounds, with its ranks
 * @a: its algorithm
 * @bytes: its buffer
 *
 * What a node sends first waits for what it received in the collective before.
 *
 * Return: 0 or negative errno.
 */
int weft_work_rounds_run(struct weft_work_rounds *r, const struct weft_algorithm *a,
			 uint64_t bytes)
{
	struct weft_rounds_sink sink = {
		.send = on_send, .next = on_next, .ctx = r,
	};
	struct weft_rounds rounds = { .sink = &sink, .ranks = r->ranks };

	if (check_ranks(a, &rounds, r->err))
		return r->err->code;
	a->run(&rounds, bytes);
	if (r->failed)
		return r->err->code;
	if (sink.streamed)
		return weft_err_set(r->err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "algorithm %s passes pieces on while they arrive: its size of pieces is not known, so it is not simulated",
				    a->name);
	return 0;
}

/**
 * weft_work_rounds_reduce() - add what each rank brings to a reduction in switches
 * @r: the rounds, with its ranks
 * @group: number of the group, from 1
 * @store: as NVLS does, else as SHARP
 * @bytes: its buffer
 *
 * It waits for what the rank received before.
 *
 * Return: 0 or negative errno.
 */
int weft_work_rounds_reduce(struct weft_work_rounds *r, uint32_t group, bool store,
			    uint64_t bytes)
{
	struct weft_work *w = r->work;

	for (uint32_t i = 0; i < r->ranks; i++) {
		uint32_t node = r->node ? r->node[i] : i;
		const struct weft_message like = {
			.from = node, .to = node, .bytes = bytes, .group = group,
			.store = store, .line = w->messages + 1,
		};

		if (!weft_work_add(w, &like, r->err) ||
		    (r->joined[node] != NONE &&
		     weft_work_wait(w, r->joined[node], r->err)))
			return r->err->code;
		r->joined[node] = w->messages - 1;
	}
	r->first = w->messages;
	return 0;
}

/**
 * weft_work_rounds_end() - free
 * @r: the rounds
 */
void weft_work_rounds_end(struct weft_work_rounds *r)
{
	free(r->joined);
}

static int make(struct weft_work *w, const struct spec *s, const struct weft_plan *plan,
		const char *nodes, struct weft_err *err)
{
	struct weft_work_rounds made;
	uint32_t *node = NULL;
	unsigned int n = 0;
	int ret;

	if (weft_work_ranks(nodes, plan, &node, &n, err))
		return err->code;
	ret = weft_work_rounds_begin(&made, w, plan->nodes, err);
	if (!ret && node) {
		made.ranks = n;
		made.node = node;
	}
	for (uint64_t i = 0; !ret && i < s->times; i++)
		ret = s->reduces ? weft_work_rounds_reduce(&made, 1, s->store, s->bytes) :
				   weft_work_rounds_run(&made, s->algorithm, s->bytes);
	weft_work_rounds_end(&made);
	free(node);
	return ret;
}

static int make_hierarchy(struct weft_work *w, const struct spec *s,
			  const struct weft_plan *plan, const char *nodes, struct weft_err *err)
{
	uint32_t *rank = NULL;
	unsigned int n = 0;
	int ret;

	if (weft_work_ranks(nodes, plan, &rank, &n, err))
		return err->code;
	ret = weft_work_hierarchy(w, s->algorithm, s->bytes, s->times, plan, rank, n, err);
	free(rank);
	return ret;
}

static int collective(struct weft_work *w, char *spec, const struct weft_plan *plan,
		      struct weft_err *err)
{
	char *nodes = strchr(spec, '@');
	struct spec s = { 0 };

	if (nodes)
		*nodes++ = '\0';
	if (parse(&s, spec, err))
		return err->code;
	return s.hierarchical ? make_hierarchy(w, &s, plan, nodes, err) :
				make(w, &s, plan, nodes, err);
}

/**
 * weft_work_collective() - make the messages of a collective
 * @w: result, to be freed by weft_work_free() even after an error
 * @spec: COLLECTIVE:ALGORITHM:SIZE, with :TIMES or @NODES behind it, or both in this order
 * @plan: the plan; each node is a rank, or each of NODES
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_collective(struct weft_work *w, const char *spec,
			 const struct weft_plan *plan, struct weft_err *err)
{
	char *copy = strdup(spec);
	int ret;

	*w = (struct weft_work) { 0 };
	if (!copy)
		return weft_err_nomem(err);
	ret = collective(w, copy, plan, err);
	free(copy);
	return ret;
}
