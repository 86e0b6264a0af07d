// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzer of the readers of workloads: Weft's own, GOAL, the lists of other simulators, and
 * traces of Chakra, and shapes of training. Those of two ranks begin with a zero byte, which
 * no text has, and a shape with a byte of 1.
 *
 * Whatever the text, there is a workload or an error with a text. A workload keeps what a
 * simulation will want: nodes exist, what a message waits for comes before it, times have
 * their limits. Whether a message can start at all then needs no check: the first can.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "workload/training.h"
#include "workload/workload.h"
#include "workload/workload_chakra.h"
#include "topology/topo.h"

#define CHECK(cond) do { if (!(cond)) abort(); } while (0)

static const char star[] =
	"name: x\nprofile: d\nnodes: [{name: \"h[0-7]\"}]\nswitches: [{name: s}]\n"
	"links: [{ends: [\"h[0-7]\", s]}]\n";

static int profile(void *ctx, const char *name, char **file, char **text, size_t *len,
		   struct weft_err *err)
{
	(void)ctx;
	(void)err;
	(void)name;
	*file = strdup("d.yaml");
	*text = strdup("name: d\nlink: {rate: 400Gbps}\nnic: {mtu: 9000}\n");
	*len = strlen(*text);
	return 0;
}

static const struct weft_plan *the_plan(void)
{
	static struct weft_plan plan;
	struct weft_err err = { 0 };
	struct weft_topo topo;

	if (plan.nodes)
		return &plan;
	CHECK(!weft_topo_parse(&topo, "x.yaml", star, strlen(star), profile, NULL, &err));
	CHECK(!weft_plan_make(&plan, &topo, &err));
	weft_topo_free(&topo);
	return &plan;
}

static void check_work(const struct weft_work *w, const struct weft_plan *p)
{
	CHECK(w->messages);
	for (unsigned int i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];

		CHECK(m->from < p->nodes && m->to < p->nodes);
		CHECK(m->from != m->to || !m->bytes);
		CHECK(m->bytes <= WEFT_MESSAGE_MAX && m->delay <= WEFT_WORK_TIME_MAX &&
		      m->at <= WEFT_WORK_TIME_MAX);
		CHECK(!m->name || m->name < w->names_len);
		for (uint32_t k = 0; k < m->afters; k++)
			CHECK(w->after[m->after + k] < i);
	}
}

/* The second byte says which part of the rest is the first rank's. */
static int read_traces(struct weft_work *w, const uint8_t *data, size_t size,
		       struct weft_err *err)
{
	struct weft_chakra c = { .prefix = "w", .total = 2, .err = err };
	size_t cut = size < 2 ? 0 : (size - 2) * data[1] / UINT8_MAX;
	int ret;

	*w = (struct weft_work) { 0 };
	if (size < 2)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "too short");
	ret = weft_chakra_rank(&c, data + 2, cut);
	ret = ret ? ret : weft_chakra_rank(&c, data + 2 + cut, size - 2 - cut);
	ret = ret ? ret : weft_chakra_end(&c, w);
	weft_chakra_free(&c);
	return ret;
}

/* A step of many messages is no other one than one of few. */
static int read_training(struct weft_work *w, const uint8_t *data, size_t size,
			 struct weft_err *err)
{
	const struct weft_training_source from = {
		.file = "w.yaml", .text = (const char *)data + 1, .len = size - 1,
	};
	struct weft_training t;

	*w = (struct weft_work) { 0 };
	if (weft_training_parse(&t, &from, err))
		return err->code;
	if (t.layers * t.micro_batches > 256)
		return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG, "too long");
	return weft_work_train(w, &t, NULL, the_plan(), err);
}

static int read_text(struct weft_work *w, const uint8_t *data, size_t size,
		     struct weft_err *err)
{
	char *text = strndup((const char *)data, size);
	int ret;

	CHECK(text);
	/* The name of the file decides as well. */
	ret = weft_work_parse(w, *data & 1 ? "w.cm" : "w", text, the_plan(), err);
	free(text);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weft_err err = { 0 };
	struct weft_work w;
	int ret;

	if (!size || (*data && memchr(data, 0, size)))
		return 0;
	if (*data > 1)
		ret = read_text(&w, data, size, &err);
	else
		ret = *data ? read_training(&w, data, size, &err) :
			      read_traces(&w, data, size, &err);
	CHECK(!ret == !err.kind && (!ret || *err.msg));
	if (!ret)
		check_work(&w, the_plan());
	weft_work_free(&w);
	return 0;
}
