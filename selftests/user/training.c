// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps of training, against closed forms. Links and NICs are those of simulate.c: a
 * message of K packets takes ONE(K) = TX + K P + 2 CABLE + CUT + RX alone, and a ring of n
 * ranks 2 (n - 1) times that of its pieces.
 *
 * A layer of H hidden dimensions does (8 H + 4 S) H operations for each token in its
 * attention and 16 H^2 in its MLP, forward; twice as many backward.
 */
#include "workload/training.h"

#include <stdio.h>
#include <string.h>

#include "ktap.h"
#include "load.h"
#include "sim/sim.h"
#include "wires.h"

#define PAYLOAD		(1500 - 28)
#define PACKET		((1514 + 24) * BYTE)
#define ONE(k)		(TX + (k) * PACKET + 2 * CABLE + CUT + RX)
#define H		PAYLOAD			/* so that messages are whole packets */
#define SEQUENCE	4
#define GRADIENTS	(12ULL * H + 13)	/* of a layer, in units of H */
#define STAGES_MAX	8
#define BATCHES_MAX	16

static struct weft_training shape(void)
{
	return (struct weft_training) {
		.layers = 2, .hidden = H, .sequence = SEQUENCE, .micro_batch = 1,
		.micro_batches = 2, .tensor = 1, .pipeline = 1, .bytes = 2,
		.gradient_bytes = 2, .tflops = 1,
		.activations.algorithm = weft_bound_algorithm(WEFT_ALLREDUCE, "ring", 4),
		.gradients.algorithm = weft_bound_algorithm(WEFT_ALLREDUCE, "ring", 4),
	};
}

static uint64_t attention(const struct weft_training *t)
{
	return t->micro_batch * t->sequence * (8 * H + 4 * t->sequence) * H / t->tensor /
	       t->tflops;
}

static uint64_t mlp(const struct weft_training *t)
{
	return t->micro_batch * t->sequence * 16 * H * H / t->tensor / t->tflops;
}

static uint64_t logits(const struct weft_training *t)
{
	return t->micro_batch * t->sequence * 2 * H * t->vocabulary / t->tensor / t->tflops;
}

/* Simulate a step. */
static struct weft_work step_of(const struct weft_training *t, const char *nodes)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\nport: {discipline: drop-tail}\n"
				     "nic: {mtu: 1500, tx-latency: 100ns, rx-latency: 50ns}\n"
				     SHARED STAR);
	const struct weft_sim_options o = { .transport = "frames" };
	struct weft_work w = { 0 };
	struct weft_sim_result r;
	struct weft_err err = { 0 };

	if (weft_work_train(&w, t, nodes, &p, &err) || weft_sim_run(&p, &w, &o, &r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	expect_starts(&w);
	weft_plan_free(&p);
	return w;
}

/* When work with a name ended; it has to be there once. */
static uint64_t end_of(const struct weft_work *w, const char *name)
{
	uint64_t end = WEFT_NOT_YET;
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->messages; i++)
		if (!strcmp(w->names + w->message[i].name, name)) {
			end = w->message[i].end;
			n++;
		}
	EXPECT_EQ(n, 1);
	return end;
}

static uint64_t time_of_step(const struct weft_training *t, const char *nodes)
{
	struct weft_work w = step_of(t, nodes);
	uint64_t end = end_of(&w, "step0.stage0");

	weft_work_free(&w);
	return end;
}

/**
 * struct pipeline - when each pass of a pipeline ends, by the law
 * @forward: by stage and micro-batch, ps
 * @backward: the same
 */
struct pipeline {
	uint64_t forward[STAGES_MAX][BATCHES_MAX];
	uint64_t backward[STAGES_MAX][BATCHES_MAX];
};

/**
 * struct stage - what a stage has done
 * @forwards: forward passes
 * @backwards: backward passes
 * @now: end of the last one, ps
 */
struct stage {
	uint64_t forwards;
	uint64_t backwards;
	uint64_t now;
};

/*
 * The next pass of a stage, or none yet. It goes forward as long as fewer of its
 * micro-batches are on their way than stages are behind it, itself included.
 */
static bool law_pass(const struct weft_training *t, struct pipeline *law, struct stage *all,
		     unsigned int s, uint64_t message)
{
	uint64_t work = t->layers / t->pipeline * (attention(t) + mlp(t)), *end, from = 0;
	bool last = s + 1 == t->pipeline;
	struct stage *me = &all[s];

	if (me->backwards == t->micro_batches)
		return false;
	if (me->forwards < t->micro_batches &&
	    me->forwards - me->backwards < t->pipeline - s) {
		if (s && all[s - 1].forwards <= me->forwards)
			return false;
		from = s ? law->forward[s - 1][me->forwards] + message : 0;
		work += last ? logits(t) : 0;
		end = &law->forward[s][me->forwards++];
	} else {
		if (!last && all[s + 1].backwards <= me->backwards)
			return false;
		from = last ? 0 : law->backward[s + 1][me->backwards] + message;
		work = 2 * work + (last ? 2 * logits(t) : 0);
		end = &law->backward[s][me->backwards++];
	}
	me->now = (from > me->now ? from : me->now) + work;
	*end = me->now;
	return true;
}

static struct pipeline law_of(const struct weft_training *t, uint64_t message)
{
	struct stage all[STAGES_MAX] = { 0 };
	struct pipeline law = { 0 };

	for (bool more = true; more;) {
		more = false;
		for (unsigned int s = 0; s < t->pipeline; s++)
			while (law_pass(t, &law, all, s, message))
				more = true;
	}
	return law;
}

static void expect_pipeline(const struct weft_training *t, const char *nodes)
{
	/* Activations are a packet for each token and byte of a number. */
	const struct pipeline law = law_of(t, ONE(t->sequence * t->bytes));
	struct weft_work w = step_of(t, nodes);
	char name[64];

	for (unsigned int s = 0; s < t->pipeline; s++)
		for (unsigned int i = 0; i < t->micro_batches; i++) {
			snprintf(name, sizeof(name), "forward%u.stage%u", i, s);
			EXPECT_EQ(end_of(&w, name), law.forward[s][i]);
			snprintf(name, sizeof(name), "backward%u.stage%u", i, s);
			EXPECT_EQ(end_of(&w, name), law.backward[s][i]);
		}
	weft_work_free(&w);
}

TEST(training_pipeline)
{
	static const uint64_t batches[] = { 1, 2, 3, 4, 9 };
	struct weft_training t = shape();

	t.layers = 8;
	t.pipeline = 4;
	for (unsigned int i = 0; i < 5; i++) {
		t.micro_batches = batches[i];
		expect_pipeline(&t, "h[0-3]");
	}
	expect_pipeline(&t, "h[5-7]+h1");
	/* The gradients of the embedding follow on the same queue pair. */
	t.vocabulary = 5000;
	t.pipeline = 2;
	expect_pipeline(&t, "h[0-1]");
}

/* One micro-batch goes through all stages and back: nothing overlaps. */
TEST(training_pipeline_alone)
{
	struct weft_training t = shape();

	t.layers = 4;
	t.pipeline = 4;
	t.micro_batches = 1;
	EXPECT_EQ(time_of_step(&t, "h[0-3]"),
		  3 * 4 * (attention(&t) + mlp(&t)) + 2 * 3 * ONE(SEQUENCE * 2));
}

/* Four all-reduces for each layer and micro-batch; their pieces are two packets. */
TEST(training_tensor)
{
	struct weft_training t = shape();
	uint64_t reduce = 6 * ONE(SEQUENCE * 2 / 4), work;

	t.tensor = 4;
	work = attention(&t) + mlp(&t);
	EXPECT_EQ(time_of_step(&t, "h[0-3]"), 2 * 2 * (3 * work + 4 * reduce));
	t.recompute = true;
	EXPECT_EQ(time_of_step(&t, "h[0-3]"), 2 * 2 * (4 * work + 6 * reduce));
	t.vocabulary = 3000;
	EXPECT_EQ(time_of_step(&t, "h[0-3]"),
		  2 * (2 * (4 * work + 6 * reduce) + 3 * logits(&t)));
	/* Two rings on their own nodes; with a replica, the gradients follow. */
	t = shape();
	t.tensor = 4;
	t.gradient_bytes = 8;
	EXPECT_EQ(time_of_step(&t, "h[0-7]"),
		  2 * 2 * (3 * work + 4 * reduce) + 2 * ONE(2 * GRADIENTS));
}

/* Two replicas add up their gradients in two steps of half of them. */
TEST(training_data)
{
	struct weft_training t = shape();
	uint64_t work = attention(&t) + mlp(&t), reduce = 2 * ONE(GRADIENTS);

	EXPECT_EQ(time_of_step(&t, "h[0-1]"), 2 * 2 * 3 * work + 2 * ONE(2 * GRADIENTS));
	/* One layer after the other; the wire is slower, */
	t.overlap = true;
	EXPECT(reduce > 2 * work);
	EXPECT_EQ(time_of_step(&t, "h[0-1]"), 2 * 2 * 3 * work - 2 * work + 2 * reduce);
	/* or the work is. */
	t.sequence = 64;
	work = attention(&t) + mlp(&t);
	EXPECT(reduce < 2 * work);
	EXPECT_EQ(time_of_step(&t, "h[0-1]"), 2 * 2 * 3 * work + reduce);
}

/*
 * Both ends of a pipeline add up the gradients of the embedding when the first stage is
 * ready, which is the later one: half of them there, and half of the sum back.
 */
TEST(training_embedding)
{
	struct weft_training t = shape();
	struct pipeline law;

	t.pipeline = 2;
	t.vocabulary = 4;
	law = law_of(&t, ONE(SEQUENCE * 2));
	EXPECT_EQ(time_of_step(&t, "h[0-1]"), law.backward[0][1] + 2 * ONE(4));
}

/* With a part of the sequence each, stages pass on as many parts. */
TEST(training_sequence_parallel)
{
	struct weft_training t = shape();
	uint64_t reduce = 2 * ONE(SEQUENCE * 2 / 2), work;

	t.tensor = 2;
	t.pipeline = 2;
	t.micro_batches = 1;
	work = attention(&t) + mlp(&t);
	EXPECT_EQ(time_of_step(&t, "h[0-3]"),
		  2 * (3 * work + 4 * reduce) + 2 * ONE(SEQUENCE * 2));
	t.sequence_parallel = true;
	EXPECT_EQ(time_of_step(&t, "h[0-3]"),
		  2 * (3 * work + 4 * reduce) + 2 * ONE(SEQUENCE * 2 / 2));
}

static void expect_text(const char *got, const char *want)
{
	if (strcmp(got, want))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", got, want);
}

static void expect_shape(const char *text, const char *set, const char *msg)
{
	const struct weft_training_source from = {
		.file = "m.yaml", .text = text, .len = strlen(text), .set = set,
	};
	struct weft_training t;
	struct weft_err err = { 0 };
	int ret = weft_training_parse(&t, &from, &err);

	EXPECT_EQ(ret, msg ? err.code : 0);
	expect_text(msg ? err.msg : "", msg ? msg : "");
}

#define GOOD	"layers: 4\nhidden: 8\nsequence: 2\ntflops: 1\n"

TEST(training_mistakes)
{
	expect_shape(GOOD, NULL, NULL);
	expect_shape(GOOD, "pipeline=2,overlap=true", NULL);
	expect_shape("layers: 4\nhidden: 8\ntflops: 1\n", NULL,
		     "m.yaml:1:1: sequence is missing: expected 1 to 10000000");
	expect_shape(GOOD "tensor: 0\n", NULL, "m.yaml:5:9: tensor \"0\": expected 1 to 65536");
	expect_shape(GOOD "pipeline: 3\n", NULL,
		     "m.yaml:1:9: layers 4: expected a multiple of pipeline, which is 3");
	expect_shape(GOOD "overlap: 1\n", NULL, "m.yaml:5:10: overlap \"1\": expected true or false");
	expect_shape(GOOD, "hidden=x", "hidden \"x\": expected 1 to 1000000");
	expect_shape(GOOD, "hidden", "\"hidden\": expected KEY=VALUE, as in pipeline=4");
}

static void expect_refused(const struct weft_training *t, const char *nodes, const char *msg)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\n" STAR);
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	EXPECT(weft_work_train(&w, t, nodes, &p, &err) < 0);
	expect_text(err.msg, msg);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(training_refused)
{
	struct weft_training t = shape();

	t.tensor = 3;
	expect_refused(&t, NULL,
		       "training: 17 nodes: expected a multiple of tensor * pipeline = 3");
	expect_refused(&t, "h0+h1", "training: 2 nodes: expected a multiple of tensor * pipeline = 3");
	t = shape();
	t.activations.algorithm = weft_bound_algorithm(WEFT_ALLREDUCE, "double-tree", 11);
	t.tensor = 4;
	expect_refused(&t, "h[0-3]",
		       "algorithm double-tree passes pieces on while they arrive: its size of pieces is not known, so it is not simulated");
	t = shape();
	t.hidden = 1000000;
	t.layers = 10000;
	expect_refused(&t, NULL, "training: expected messages of up to 1TiB");
	t = shape();
	t.layers = 10000;
	t.sequence = 1000000;
	expect_refused(&t, NULL, "training: expected up to 1000 s of work for a micro-batch");
}
