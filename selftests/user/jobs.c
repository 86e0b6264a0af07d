// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several jobs of a simulation, against closed forms. Links and NICs are those of
 * simulate.c: a message of K packets takes TX + K P + 2 CABLE + CUT + RX alone.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define PAYLOAD		(1500 - 28)
#define PACKET		((1514 + 24) * BYTE)
#define K		40ULL
#define MESSAGE		(K * PAYLOAD)
#define EMPTY		(TX + 84 * BYTE + 2 * CABLE + CUT + RX)
#define ONE(k)		(TX + (k) * PACKET + 2 * CABLE + CUT + RX)

static struct weft_plan star(void)
{
	return plan_of("name: x\nprofile: test\nport: {discipline: drop-tail}\n" SHARED
		       "nic: {mtu: 1500, tx-latency: 100ns, rx-latency: 50ns}\n" STAR);
}

static void add_job(struct weft_work *w, const char *spec, const struct weft_plan *p)
{
	struct weft_work job;
	struct weft_err err = { 0 };

	if (weft_work_read(&job, spec, p, &err) || weft_work_add_job(w, &job, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	weft_work_free(&job);
}

static void run(const struct weft_plan *p, struct weft_work *w)
{
	const struct weft_sim_options o = { .transport = "frames" };
	struct weft_sim_result r;
	struct weft_err err = { 0 };

	if (weft_sim_run(p, w, &o, &r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	EXPECT_EQ(r.ended, w->messages);
}

static uint64_t end_of(const struct weft_work *w, uint32_t job)
{
	uint64_t end = 0;

	for (unsigned int i = 0; i < w->messages; i++)
		if (w->message[i].job == job && w->message[i].end > end)
			end = w->message[i].end;
	return end;
}

/*
 * A ring of n ranks reduces and gathers in 2 (n - 1) steps of a piece of 1/n each. Rings on
 * other nodes of a switch do not touch it.
 */
TEST(jobs_beside_each_other)
{
	struct weft_plan p = star();
	struct weft_work w = { 0 };
	char spec[64];

	snprintf(spec, sizeof(spec), "allreduce:ring:%llu@h[0-3]", 4 * MESSAGE);
	add_job(&w, spec, &p);
	snprintf(spec, sizeof(spec), "allreduce:ring:%llu@h[12-16]+h7+h5+h6", 8 * MESSAGE);
	add_job(&w, spec, &p);
	run(&p, &w);
	EXPECT_EQ(w.jobs, 2);
	EXPECT_EQ(end_of(&w, 0), 6 * ONE(K));
	EXPECT_EQ(end_of(&w, 1), 14 * ONE(K));
	weft_work_free(&w);
	weft_plan_free(&p);
}

/*
 * Done again, a rank begins when its own part has ended. In a ring of equal pieces all end
 * at once, so each takes as long as one alone.
 */
TEST(jobs_again)
{
	static const struct {
		const char *spec;
		uint64_t times;
		uint64_t steps;
		uint64_t packets;
	} cases[] = {
		/* 4 * K packets */
		{ "allreduce:ring:235520@h[0-3]", 1, 6, K },
		{ "allreduce:ring:235520:1@h[0-3]", 1, 6, K },
		{ "allreduce:ring:235520:5@h[0-3]", 5, 6, K },
		/* 17 * 8 */
		{ "allreduce:ring:200192:3", 3, 32, 8 },
		{ "barrier:dissemination:7@h[0-3]", 7, 2, 0 },
	};
	struct weft_plan p = star();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct weft_err err = { 0 };
		uint64_t step = EMPTY;
		struct weft_work w;

		if (cases[i].packets)
			step = ONE(cases[i].packets);
		EXPECT_EQ(weft_work_read(&w, cases[i].spec, &p, &err), 0);
		run(&p, &w);
		EXPECT_EQ(end_of(&w, 0), cases[i].times * cases[i].steps * step);
		weft_work_free(&w);
	}
	weft_plan_free(&p);
}

/* The ranks are in the order of the list: the root of a broadcast is its first node. */
TEST(jobs_in_their_order)
{
	struct weft_plan p = star();
	struct weft_work w;
	struct weft_err err = { 0 };

	EXPECT_EQ(weft_work_read(&w, "broadcast:binomial:1000@h9+h[2-4]", &p, &err), 0);
	EXPECT_EQ(w.message[0].from, 9);
	for (unsigned int i = 0; i < w.messages; i++)
		EXPECT(w.message[i].to == 9 || (w.message[i].to >= 2 && w.message[i].to <= 4));
	weft_work_free(&w);
	weft_plan_free(&p);
}

/*
 * Two jobs that send from h0 to h1 and from h2 to h1 at once share the wire to h1: the last of
 * them ends when it has carried both. The same job twice has queue pairs of its own each.
 */
TEST(jobs_that_share_a_wire)
{
	struct weft_plan p = star();
	struct weft_work w = { 0 }, one = { 0 }, two = { 0 };
	struct weft_err err = { 0 };
	uint64_t a, b;

	add_message(&one, 0, 1, MESSAGE, 0);
	add_message(&two, 2, 1, MESSAGE, 0);
	EXPECT_EQ(weft_work_add_job(&w, &one, &err), 0);
	EXPECT_EQ(weft_work_add_job(&w, &two, &err), 0);
	EXPECT_EQ(weft_work_add_job(&w, &one, &err), 0);
	EXPECT(w.message[0].channel != w.message[2].channel);
	w.messages--;
	run(&p, &w);
	a = end_of(&w, 0);
	b = end_of(&w, 1);
	EXPECT_EQ(a > b ? a : b, ONE(2 * K));
	weft_work_free(&one);
	weft_work_free(&two);
	weft_work_free(&w);
	weft_plan_free(&p);
}

/* What a message waits for is of its own job. */
TEST(jobs_wait_for_their_own)
{
	static const char text[] = "a: h0 h1 1kB\nb: h1 h2 1kB after a delay 5us\n";
	struct weft_plan p = star();
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	for (unsigned int i = 0; i < 2; i++) {
		struct weft_work job;

		EXPECT_EQ(load_work(&job, "w", text, &p, &err), 0);
		EXPECT_EQ(weft_work_add_job(&w, &job, &err), 0);
		weft_work_free(&job);
	}
	EXPECT_EQ(w.message[3].afters, 1);
	EXPECT_EQ(w.after[w.message[3].after], 2);
	EXPECT(!strcmp(w.names + w.message[3].name, "b"));
	run(&p, &w);
	expect_starts(&w);
	weft_work_free(&w);
	weft_plan_free(&p);
}

/*
 * Two domains of four, of which three each take part: h0, h2, h3 and h4, h5, h7. Each
 * domain sends 3 * 2 messages for a reduce-scatter and as many for the all-gather, and each
 * of the three rails 2 * 1 * 2 for a ring of two.
 */
TEST(jobs_hierarchy)
{
	struct weft_plan p = plan_of("name: x\nprofile: test\nport: {discipline: drop-tail}\n"
				     "nodes: [{name: \"h[0-7]\"}]\nswitches: [{name: s},\n"
				     "  {name: \"nv[0-1]\", profile: nv}]\n"
				     "links: [{ends: [\"h[0-7]\", s]},\n"
				     "  {ends: [\"h[0-3]\", nv0], profile: nv},\n"
				     "  {ends: [\"h[4-7]\", nv1], profile: nv}]\n");
	static const uint32_t peer[] = { 7, 0, 4, 5, 2, 3, 0, 0 };
	unsigned int all = 0, inside = 0, rails[8] = { 0 };
	struct weft_work w;
	struct weft_err err = { 0 };

	if (weft_work_read(&w, "allreduce:hierarchical:1MiB@h[2-3]+h[4-5]+h0+h7", &p, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	for (unsigned int i = 0; i < w.messages; i++) {
		const struct weft_message *m = &w.message[i];

		EXPECT(m->from != 1 && m->from != 6 && m->to != 1 && m->to != 6);
		all += weft_message_moves(m);
		if (!weft_message_moves(m))
			continue;
		if (m->from / 4 == m->to / 4)
			inside++;
		else
			rails[m->from] += m->to == peer[m->from];
	}
	EXPECT_EQ(inside, 2 * 2 * 6);
	EXPECT_EQ(all, inside + 3 * 4);
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(rails[i], i == 1 || i == 6 ? 0 : 2);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(jobs_with_mistakes)
{
	static const char *const bad[][2] = {
		{ "allreduce:ring:1MiB@h[0-17]", "the topology has no node \"h17\"" },
		{ "allreduce:ring:1MiB@h1+h1", "node \"h1\" is there twice" },
		{ "allreduce:ring:1MiB@h1", "a collective needs 2 nodes, and there are 1" },
		{ "allreduce:ring:1MiB@h[3",
		  "\"h[3\": expected a range such as host[0-7] or host[0-3,8]" },
		{ "allreduce:ring:1MiB:0", "\"0\": expected how often, 1 to 10000000" },
		{ "allreduce:ring:1MiB:2:3", "\"2:3\": expected how often, 1 to 10000000" },
		{ "allreduce:ring:1MiB:100000", "expected up to 10000000 messages" },
		{ "barrier:linear:1KiB",
		  "\"1KiB\": expected how often, and no size, as a barrier has no data" },
		{ "allreduce:hierarchical:1MiB@h[0-3]",
		  "algorithm hierarchical: the NVLink domain of h0 has 1 nodes; "
		  "expected 2 or more" },
	};
	struct weft_plan p = star();

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct weft_err err = { 0 };
		struct weft_work w;

		EXPECT(weft_work_read(&w, bad[i][0], &p, &err));
		if (strcmp(err.msg, bad[i][1]))
			ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, bad[i][1]);
		weft_work_free(&w);
	}
	weft_plan_free(&p);
}
