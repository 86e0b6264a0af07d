// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flow lists of other simulators. Each flow has a queue pair of its own.
 *
 * htsim, connection matrix (csg-htsim, sim/datacenter/connection_matrix.cpp): "Nodes
 * N", "Connections N", then "FROM->TO [id N] start PS size BYTES [prio N]". Nodes
 * count from 0; its later versions read the start as picoseconds.
 *
 * HPCC, flow file (traffic_gen.py and third.cc of its ns-3 simulator): the number of
 * flows, then "FROM TO PRIORITY PORT BYTES SECONDS". Priorities and ports are not
 * used: all packets of a simulation have one service level.
 */
#include "workload/workload_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* A number of seconds or picoseconds, with or without a fraction, to ps. */
static int take_decimal(struct weft_lines *l, const char *word, uint64_t unit,
			uint64_t *ps)
{
	uint64_t place = unit, v = 0;
	const char *c = word;

	for (; *c >= '0' && *c <= '9' && v <= WEFT_WORK_TIME_MAX / 10; c++)
		v = 10 * v + (uint64_t)(*c - '0');
	if (c == word || v > WEFT_WORK_TIME_MAX / unit)
		goto bad;
	v *= unit;
	if (*c == '.')
		for (c++; *c >= '0' && *c <= '9'; c++) {
			place /= 10;
			v += (uint64_t)(*c - '0') * place;
		}
	if (*c)
		goto bad;
	*ps = v;
	return 0;
bad:
	return weft_line_fail(l, "start \"%.40s\": expected a number of %s up to 1000 s",
			      word, unit == 1 ? "picoseconds" : "seconds");
}

static int add_flow(struct weft_lines *l, const struct weft_message *like)
{
	struct weft_message *m = weft_line_message(l, like);

	if (!m)
		return l->err->code;
	m->channel = l->work->messages - 1;
	return 0;
}

static int take_ends(struct weft_lines *l, char *word, struct weft_message *m)
{
	char *arrow = strstr(word, "->");

	if (!arrow)
		return weft_line_fail(l, "\"%.40s\": expected FROM->TO, as in 0->1", word);
	*arrow = '\0';
	if (weft_line_node(l, word, &m->from))
		return l->err->code;
	return weft_line_node(l, arrow + 2, &m->to);
}

static int matrix_key(struct weft_lines *l, const char *key, const char *word,
		      struct weft_message *m)
{
	uint64_t ignored;

	if (!strcmp(key, "start"))
		return take_decimal(l, word, 1, &m->at);
	if (!strcmp(key, "size"))
		return weft_line_bytes(l, word, &m->bytes);
	if (!strcmp(key, "id") || !strcmp(key, "prio"))
		return weft_line_number(l, word, key, UINT32_MAX, &ignored);
	return weft_line_fail(l, "\"%.40s\": expected start, size, id or prio; others are not simulated",
			      key);
}

static int matrix_line(struct weft_lines *l)
{
	struct weft_message like = { .bytes = WEFT_NOT_YET, .at = WEFT_NOT_YET };

	if (l->words % 2 == 0)
		return weft_line_fail(l, "expected FROM->TO, then pairs of a key and a value");
	if (take_ends(l, l->word[0], &like))
		return l->err->code;
	for (unsigned int i = 1; i < l->words; i += 2)
		if (matrix_key(l, l->word[i], l->word[i + 1], &like))
			return l->err->code;
	if (like.bytes == WEFT_NOT_YET || like.at == WEFT_NOT_YET)
		return weft_line_fail(l, "expected both start and size");
	return add_flow(l, &like);
}

/* "Nodes 16": more than the topology has are refused before their flows are. */
static int matrix_head(struct weft_lines *l, uint64_t *connections)
{
	uint64_t nodes;

	if (l->words != 2)
		return weft_line_fail(l, "expected %s and a number", l->word[0]);
	if (!strcmp(l->word[0], "Connections"))
		return weft_line_number(l, l->word[1], "Connections",
					WEFT_MESSAGES_MAX, connections);
	if (weft_line_number(l, l->word[1], "Nodes", UINT32_MAX, &nodes))
		return l->err->code;
	if (nodes <= l->plan->nodes)
		return 0;
	return weft_line_fail(l, "Nodes %" PRIu64 ": the topology has %u", nodes,
			      l->plan->nodes);
}

static int check_count(struct weft_lines *l, uint64_t said)
{
	if (said == l->work->messages)
		return 0;
	return weft_line_fail(l, "the file has %u flows, and says %" PRIu64,
			      l->work->messages, said);
}

/**
 * weft_work_matrix() - read a connection matrix of htsim
 * @l: its lines
 *
 * Return: 0 or negative errno.
 */
int weft_work_matrix(struct weft_lines *l)
{
	uint64_t connections = 0;
	int ret = 0;

	while (!ret && (ret = weft_line_next(l)) > 0)
		ret = !strcmp(l->word[0], "Nodes") || !strcmp(l->word[0], "Connections") ?
			matrix_head(l, &connections) : matrix_line(l);
	return ret ? ret : check_count(l, connections);
}

static int flow_line(struct weft_lines *l)
{
	struct weft_message like = { 0 };

	if (l->words != 6)
		return weft_line_fail(l, "expected FROM TO PRIORITY PORT BYTES SECONDS");
	if (weft_line_node(l, l->word[0], &like.from) ||
	    weft_line_node(l, l->word[1], &like.to) ||
	    weft_line_bytes(l, l->word[4], &like.bytes) ||
	    take_decimal(l, l->word[5], WEFT_PS_PER_S, &like.at))
		return l->err->code;
	return add_flow(l, &like);
}

/**
 * weft_work_flows() - read a flow file of HPCC
 * @l: its lines
 *
 * Return: 0 or negative errno.
 */
int weft_work_flows(struct weft_lines *l)
{
	uint64_t flows = 0;
	int ret = weft_line_next(l);

	if (ret > 0)
		ret = weft_line_number(l, l->word[0], "flows", WEFT_MESSAGES_MAX, &flows);
	while (!ret && (ret = weft_line_next(l)) > 0)
		ret = flow_line(l);
	return ret ? ret : check_count(l, flows);
}
