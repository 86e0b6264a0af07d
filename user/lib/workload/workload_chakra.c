// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chakra's execution traces, as MLCommons defines them and ASTRA-sim reads them.
 *
 * Each rank has a file, PREFIX.RANK.et, of protobuf messages with their lengths before
 * them: first the metadata, then nodes. A node has a number and those of the nodes that it
 * depends on. It is work for a time, a send, a receive, or a collective, of which all ranks
 * have one. Documentation/simulate.rst says what each means.
 */
#include "workload/workload_chakra.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/chakra.pb-c.h"

#define ENDING	".et"

/**
 * struct weft_chakra_node - a node of the present file
 */
struct weft_chakra_node {
	/** @id: its number */
	uint64_t id;
	/** @begin: operation that waits for what it depends on */
	uint32_t begin;
	/** @end: operation that those wait for which depend on it */
	uint32_t end;
	/** @at: byte of the file */
	size_t at;
};

/**
 * struct weft_chakra_claim - a node depends on another one
 */
struct weft_chakra_claim {
	/** @op: operation that waits */
	uint32_t op;
	/** @id: number of the other node, which may come later in the file */
	uint64_t id;
	/** @at: byte of the file */
	size_t at;
};

/**
 * struct weft_chakra_call - a rank's part of a collective
 */
struct weft_chakra_call {
	/** @rank: the rank */
	uint32_t rank;
	/** @number: how many it has before */
	uint32_t number;
	/** @algorithm: how it is done */
	const struct weft_algorithm *algorithm;
	/** @bytes: its buffer */
	uint64_t bytes;
	/** @begin: operation that its messages wait for */
	uint32_t begin;
	/** @end: operation that waits for them */
	uint32_t end;
};

/* What a collective of a trace becomes. */
static const struct {
	Chakra__Collective type;
	enum weft_collective collective;
	const char *algorithm;
} calls[] = {
	{ CHAKRA__COLLECTIVE__ALL_REDUCE, WEFT_ALLREDUCE, "ring" },
	{ CHAKRA__COLLECTIVE__REDUCE, WEFT_REDUCE, "binomial" },
	{ CHAKRA__COLLECTIVE__ALL_GATHER, WEFT_ALLGATHER, "ring" },
	{ CHAKRA__COLLECTIVE__BROADCAST, WEFT_BROADCAST, "binomial" },
	{ CHAKRA__COLLECTIVE__ALL_TO_ALL, WEFT_ALLTOALL, "linear" },
	{ CHAKRA__COLLECTIVE__REDUCE_SCATTER, WEFT_REDUCE_SCATTER, "ring" },
	{ CHAKRA__COLLECTIVE__REDUCE_SCATTER_BLOCK, WEFT_REDUCE_SCATTER, "ring" },
	{ CHAKRA__COLLECTIVE__BARRIER, WEFT_BARRIER, "dissemination" },
};

__attribute__((format(printf, 2, 3)))
static int fail(struct weft_chakra *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return weft_err_set(c->err, WEFT_ERR_USAGE, -EINVAL, "%s.%" PRIu32 ENDING ": byte %zu: %s",
			    c->prefix, c->rank, c->at, text);
}

/* An operation's line is the byte at which its node begins, as far as it has room for it. */
static int fail_op(void *reader, const struct weft_op *op, const char *text)
{
	struct weft_chakra *c = reader;

	c->rank = op->rank;
	c->at = op->line;
	return fail(c, "%s", text);
}

/* --- attributes ----------------------------------------------------------- */

static const Chakra__Attribute *find(const Chakra__Node *n, const char *name)
{
	for (size_t i = 0; i < n->n_attr; i++)
		if (!strcmp(n->attr[i]->name, name))
			return n->attr[i];
	return NULL;
}

/* Writers of traces do not agree on the types of integers. */
static bool integer(const Chakra__Attribute *a, int64_t *v)
{
	switch (a->value_case) {
	case CHAKRA__ATTRIBUTE__VALUE_INT32:
		*v = a->int32;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_INT64:
		*v = a->int64;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_UINT32:
		*v = a->uint32;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_UINT64:
		*v = a->uint64 > INT64_MAX ? -1 : (int64_t)a->uint64;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SINT32:
		*v = a->sint32;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SINT64:
		*v = a->sint64;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_FIXED32:
		*v = a->fixed32;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_FIXED64:
		*v = a->fixed64 > INT64_MAX ? -1 : (int64_t)a->fixed64;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SFIXED32:
		*v = a->sfixed32;
		break;
	case CHAKRA__ATTRIBUTE__VALUE_SFIXED64:
		*v = a->sfixed64;
		break;
	default:
		return false;
	}
	return true;
}

/* An attribute from 0 to @most, which the node must have. */
static int take(struct weft_chakra *c, const Chakra__Node *n, const char *name, uint64_t most,
		uint64_t *v)
{
	const Chakra__Attribute *a = find(n, name);
	int64_t found = 0;

	if (!a || !integer(a, &found))
		return fail(c, "node %" PRIu64 ": expected an attribute %s, an integer",
			    n->id, name);
	if (found < 0 || (uint64_t)found > most)
		return fail(c, "node %" PRIu64 ": %s %" PRId64 ": expected 0 to %" PRIu64,
			    n->id, name, found, most);
	*v = (uint64_t)found;
	return 0;
}

/* --- nodes ---------------------------------------------------------------- */

/* Return: a copy that lives as long as the operations; NULL after an error. */
static const char *keep_name(struct weft_chakra *c, const char *name)
{
	char **more = weft_array_grow(c->name, c->names, sizeof(*more));

	if (more) {
		c->name = more;
		more[c->names] = strdup(name);
		if (more[c->names])
			return more[c->names++];
	}
	weft_err_nomem(c->err);
	return NULL;
}

static int add(struct weft_chakra *c, struct weft_op *op, const char *name)
{
	op->rank = c->rank;
	op->line = c->at < UINT32_MAX ? (uint32_t)c->at : UINT32_MAX;
	if (name && *name) {
		op->label = keep_name(c, name);
		if (!op->label)
			return c->err->code;
	}
	return weft_ops_add(&c->ops, op);
}

static int add_work(struct weft_chakra *c, const Chakra__Node *n)
{
	struct weft_op op = { .peer = c->rank, .size = n->duration_micros };

	if (n->duration_micros > WEFT_WORK_TIME_MAX / WEFT_PS_PER_US)
		return fail(c, "node %" PRIu64 ": duration_micros %" PRIu64 ": expected up to %llu",
			    n->id, n->duration_micros, WEFT_WORK_TIME_MAX / WEFT_PS_PER_US);
	op.size *= WEFT_PS_PER_US;
	return add(c, &op, n->name);
}

static int add_transfer(struct weft_chakra *c, const Chakra__Node *n, enum weft_op_kind kind,
			const char *peer)
{
	struct weft_op op = { .kind = kind };
	uint64_t other = 0, tag = 0;

	if (take(c, n, peer, c->total - 1, &other) ||
	    take(c, n, "comm_size", WEFT_MESSAGE_MAX, &op.size) ||
	    (find(n, "comm_tag") && take(c, n, "comm_tag", UINT32_MAX, &tag)))
		return c->err->code;
	if (other == c->rank)
		return fail(c, "node %" PRIu64 ": %s: from rank %" PRIu32 " to itself",
			    n->id, peer, c->rank);
	op.peer = (uint32_t)other;
	op.tag = (uint32_t)tag;
	return add(c, &op, n->name);
}

static const struct weft_algorithm *algorithm_of(uint64_t type)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (calls[i].type != type)
			continue;
		for (unsigned int k = 0; k < weft_algorithms_n; k++)
			if (weft_algorithms[k].collective == calls[i].collective &&
			    !strcmp(weft_algorithms[k].name, calls[i].algorithm))
				return &weft_algorithms[k];
	}
	return NULL;
}

/* How many collectives the present rank has. */
static uint32_t calls_of_rank(const struct weft_chakra *c)
{
	const struct weft_chakra_call *last = c->calls ? &c->call[c->calls - 1] : NULL;

	return last && last->rank == c->rank ? last->number + 1 : 0;
}

static int add_part(struct weft_chakra *c, const struct weft_chakra_call *call)
{
	struct weft_chakra_call *more = weft_array_grow(c->call, c->calls, sizeof(*more));

	if (!more)
		return weft_err_nomem(c->err);
	c->call = more;
	more[c->calls++] = *call;
	return 0;
}

/* Its messages come when the parts of all ranks are known, between the two operations. */
static int add_call(struct weft_chakra *c, const Chakra__Node *n)
{
	struct weft_chakra_call call = {
		.rank = c->rank, .number = calls_of_rank(c),
		.begin = c->ops.ops, .end = c->ops.ops + 1,
	};
	struct weft_op begin = { .peer = c->rank }, end = begin;
	uint64_t type = 0;

	if (find(n, "pg_name"))
		return fail(c, "node %" PRIu64 ": pg_name: collectives of some ranks only are not simulated",
			    n->id);
	if (take(c, n, "comm_type", CHAKRA__COLLECTIVE__BARRIER, &type))
		return c->err->code;
	call.algorithm = algorithm_of(type);
	if (!call.algorithm)
		return fail(c, "node %" PRIu64 ": comm_type %" PRIu64 ": gather and scatter are not simulated",
			    n->id, type);
	if (call.algorithm->collective != WEFT_BARRIER &&
	    take(c, n, "comm_size", WEFT_MESSAGE_MAX, &call.bytes))
		return c->err->code;
	if (add(c, &begin, NULL) || add(c, &end, n->name) ||
	    weft_ops_wait(&c->ops, call.end, call.begin, WEFT_OP_END))
		return c->err->code;
	return add_part(c, &call);
}

static int add_node(struct weft_chakra *c, const Chakra__Node *n)
{
	switch (n->type) {
	case CHAKRA__TYPE__METADATA:
	case CHAKRA__TYPE__MEM_LOAD:
	case CHAKRA__TYPE__MEM_STORE:
	case CHAKRA__TYPE__COMP:
		return add_work(c, n);
	case CHAKRA__TYPE__COMM_SEND:
		return add_transfer(c, n, WEFT_OP_SEND, "comm_dst");
	case CHAKRA__TYPE__COMM_RECV:
		return add_transfer(c, n, WEFT_OP_RECV, "comm_src");
	case CHAKRA__TYPE__COMM_COLL:
		return add_call(c, n);
	default:
		return fail(c, "node %" PRIu64 ": type %d: expected 1 to 7", n->id, (int)n->type);
	}
}

static int add_claims(struct weft_chakra *c, uint32_t op, const uint64_t *id, size_t n)
{
	struct weft_chakra_claim *more;

	for (size_t i = 0; i < n; i++) {
		more = weft_array_grow(c->claim, c->claims, sizeof(*more));
		if (!more)
			return weft_err_nomem(c->err);
		c->claim = more;
		more[c->claims++] = (struct weft_chakra_claim) {
			.op = op, .id = id[i], .at = c->at,
		};
	}
	return 0;
}

static int take_node(struct weft_chakra *c, const Chakra__Node *n)
{
	struct weft_chakra_node *more = weft_array_grow(c->node, c->nodes, sizeof(*more));
	uint32_t begin = c->ops.ops;
	int ret;

	if (!more)
		return weft_err_nomem(c->err);
	c->node = more;
	ret = add_node(c, n);
	if (ret)
		return ret;
	more[c->nodes++] = (struct weft_chakra_node) {
		.id = n->id, .begin = begin, .end = c->ops.ops - 1, .at = c->at,
	};
	ret = add_claims(c, begin, n->ctrl_deps, n->n_ctrl_deps);
	return ret ? ret : add_claims(c, begin, n->data_deps, n->n_data_deps);
}

/* --- files ---------------------------------------------------------------- */

static int take_message(struct weft_chakra *c, const uint8_t *bytes, size_t len, bool first)
{
	Chakra__Metadata *metadata;
	Chakra__Node *node;
	int ret;

	if (first) {
		metadata = chakra__metadata__unpack(NULL, len, bytes);
		if (!metadata)
			return fail(c, "expected the metadata of a trace");
		chakra__metadata__free_unpacked(metadata, NULL);
		return 0;
	}
	node = chakra__node__unpack(NULL, len, bytes);
	if (!node)
		return fail(c, "expected a node");
	ret = take_node(c, node);
	chakra__node__free_unpacked(node, NULL);
	return ret;
}

/* The length before a message, seven bits in each byte. Return: bytes taken; 0: it is bad. */
static size_t take_length(const uint8_t *bytes, size_t len, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < len && i < 5; i++) {
		*v |= (uint64_t)(bytes[i] & 0x7f) << 7 * i;
		if (!(bytes[i] & 0x80))
			return i + 1;
	}
	return 0;
}

static int take_messages(struct weft_chakra *c, const uint8_t *bytes, size_t len)
{
	uint64_t n = 0;
	int ret;

	for (size_t i = 0; i < len; i += n) {
		size_t head = take_length(bytes + i, len - i, &n);

		c->at = i;
		if (!head || n > len - i - head)
			return fail(c, "expected a message with its length before it");
		ret = take_message(c, bytes + i + head, n, !i);
		if (ret)
			return ret;
		n += head;
	}
	return len ? 0 : fail(c, "the file is empty");
}

static int by_id(const void *a, const void *b)
{
	const struct weft_chakra_node *x = a, *y = b;

	return x->id == y->id ? (x->at > y->at) - (x->at < y->at) : x->id < y->id ? -1 : 1;
}

static int by_number(const void *key, const void *node)
{
	uint64_t id = *(const uint64_t *)key, other = ((const struct weft_chakra_node *)node)->id;

	return (id > other) - (id < other);
}

static int take_claims(struct weft_chakra *c)
{
	for (size_t i = 0; i < c->claims; i++) {
		const struct weft_chakra_claim *claim = &c->claim[i];
		const struct weft_chakra_node *on = bsearch(&claim->id, c->node, c->nodes,
							    sizeof(*on), by_number);

		c->at = claim->at;
		if (!on)
			return fail(c, "it depends on node %" PRIu64 ", which is not in this file",
				    claim->id);
		if (weft_ops_wait(&c->ops, claim->op, on->end, WEFT_OP_END))
			return c->err->code;
	}
	return 0;
}

/**
 * weft_chakra_rank() - read the trace of the next rank
 * @c: the traces
 * @bytes: its file
 * @len: length of that
 *
 * Return: 0 or negative errno.
 */
int weft_chakra_rank(struct weft_chakra *c, const uint8_t *bytes, size_t len)
{
	int ret;

	c->nodes = 0;
	c->claims = 0;
	c->ops.fail = fail_op;
	c->ops.reader = c;
	c->ops.err = c->err;
	ret = take_messages(c, bytes, len);
	if (!ret && c->nodes)
		qsort(c->node, c->nodes, sizeof(*c->node), by_id);
	for (size_t i = 1; i < c->nodes && !ret; i++) {
		c->at = c->node[i].at;
		if (c->node[i].id == c->node[i - 1].id)
			ret = fail(c, "there is another node %" PRIu64, c->node[i].id);
	}
	ret = ret ? ret : take_claims(c);
	c->rank++;
	return ret;
}

static int by_call(const void *a, const void *b)
{
	const struct weft_chakra_call *x = a, *y = b;

	return x->number == y->number ? (x->rank > y->rank) - (x->rank < y->rank) :
	       x->number < y->number ? -1 : 1;
}

/* @call: that of rank 0 and, behind it, those of the other ranks. */
static int check_call(struct weft_chakra *c, const struct weft_chakra_call *call, size_t n)
{
	for (uint32_t i = 0; i < c->total; i++) {
		if (i >= n || call[i].number != call->number || call[i].rank != i)
			return fail_op(c, &c->ops.op[call->end],
				       "a collective that not all ranks have");
		if (call[i].algorithm != call->algorithm || call[i].bytes != call->bytes)
			return fail_op(c, &c->ops.op[call[i].end],
				       "a collective that is another one, or has another size, for rank 0");
	}
	return 0;
}

static int add_messages(struct weft_chakra *c, const struct weft_chakra_call *call,
			uint32_t *begin, uint32_t *end)
{
	const struct weft_ops_call all = {
		.algorithm = call->algorithm, .bytes = call->bytes, .ranks = c->total,
		.begin = begin, .end = end,
	};
	int ret;

	for (uint32_t i = 0; i < c->total; i++) {
		begin[i] = call[i].begin;
		end[i] = call[i].end;
	}
	ret = weft_ops_call(&c->ops, &all);
	return ret == -EOPNOTSUPP ? fail_op(c, &c->ops.op[call->end], "too many ranks") : ret;
}

static int add_calls(struct weft_chakra *c)
{
	uint32_t *rank = malloc((2 * (size_t)c->total + 1) * sizeof(*rank));
	int ret = 0;

	if (!rank)
		return weft_err_nomem(c->err);
	if (c->calls)
		qsort(c->call, c->calls, sizeof(*c->call), by_call);
	for (size_t i = 0; i < c->calls && !ret; i += c->total) {
		ret = check_call(c, &c->call[i], c->calls - i);
		if (!ret && c->total > 1)
			ret = add_messages(c, &c->call[i], rank, rank + c->total);
	}
	free(rank);
	return ret;
}

/**
 * weft_chakra_end() - make a workload when all ranks have been read
 * @c: the traces
 * @w: result
 *
 * Return: 0 or negative errno.
 */
int weft_chakra_end(struct weft_chakra *c, struct weft_work *w)
{
	int ret = add_calls(c);

	if (!ret && !c->ops.ops)
		ret = weft_err_set(c->err, WEFT_ERR_USAGE, -EINVAL,
				   "%s.0" ENDING ": no rank has a node", c->prefix);
	return ret ? ret : weft_ops_work(&c->ops, w);
}

/**
 * weft_chakra_free() - free traces
 * @c: the traces
 */
void weft_chakra_free(struct weft_chakra *c)
{
	weft_ops_free(&c->ops);
	for (size_t i = 0; i < c->names; i++)
		free(c->name[i]);
	free(c->name);
	free(c->call);
	free(c->node);
	free(c->claim);
}

/* The file of a rank. Return: NULL with errno if it cannot be opened. */
static FILE *open_rank(const char *prefix, uint32_t rank)
{
	FILE *f = NULL;
	char *path;

	if (asprintf(&path, "%s.%" PRIu32 ENDING, prefix, rank) >= 0) {
		f = fopen(path, "re");
		free(path);
	}
	return f;
}

static int read_rank(struct weft_chakra *c, FILE *f)
{
	char *bytes;
	size_t len;
	int ret = weft_stream_read(f, SIZE_MAX, &bytes, &len);

	if (ret)
		return weft_err_set(c->err, WEFT_ERR_USAGE, ret, "%s.%" PRIu32 ENDING ": %s",
				    c->prefix, c->rank, strerror(-ret));
	ret = weft_chakra_rank(c, (const uint8_t *)bytes, len);
	free(bytes);
	return ret;
}

/* Ranks from 0 on that have a file. */
static uint32_t count_ranks(const char *prefix, uint32_t most)
{
	uint32_t n = 0;
	FILE *f;

	for (; n <= most && (f = open_rank(prefix, n)); n++)
		fclose(f);
	return n;
}

static int read_ranks(struct weft_chakra *c)
{
	int ret = 0;
	FILE *f;

	while (!ret && c->rank < c->total) {
		f = open_rank(c->prefix, c->rank);
		if (!f)
			return weft_err_set(c->err, WEFT_ERR_USAGE, -errno, "%s.%" PRIu32 ENDING ": %s",
					    c->prefix, c->rank, strerror(errno));
		ret = read_rank(c, f);
		fclose(f);
	}
	return ret;
}

/**
 * weft_work_is_chakra() - is a workload a trace of Chakra?
 * @spec: as the user gives it
 *
 * Return: true if it is the name of such a file.
 */
bool weft_work_is_chakra(const char *spec)
{
	return weft_ends_with(spec, ENDING);
}

/**
 * weft_work_chakra() - read traces of Chakra
 * @w: result, to be freed by weft_work_free() even after an error
 * @spec: the file of rank 0, PREFIX.0.et
 * @plan: the plan; its first nodes are the ranks
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_work_chakra(struct weft_work *w, const char *spec,
		     const struct weft_plan *plan, struct weft_err *err)
{
	static const char first[] = ".0" ENDING;
	struct weft_chakra c = { .err = err };
	char *prefix;
	int ret;

	if (!weft_ends_with(spec, first))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: expected the trace of rank 0, PREFIX.0" ENDING, spec);
	prefix = strndup(spec, strlen(spec) - strlen(first));
	if (!prefix)
		return weft_err_nomem(err);
	c.prefix = prefix;
	c.total = count_ranks(prefix, plan->nodes);
	if (!c.total)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -errno, "%s: %s", spec, strerror(errno));
	else if (c.total > plan->nodes)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				   "%s.%" PRIu32 ENDING ": the topology has %u nodes, and each rank is one",
				   prefix, plan->nodes, plan->nodes);
	else
		ret = read_ranks(&c);
	ret = ret ? ret : weft_chakra_end(&c, w);
	weft_chakra_free(&c);
	free(prefix);
	return ret;
}
