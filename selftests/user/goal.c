// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Schedules in GOAL: what their operations wait for, to the picosecond.
 *
 * Links have 400 Gb/s, 20 ps a byte, and 25 ns of cable. The switch forwards the first bit
 * after 400 ns, NICs take 100 ns to send and 50 ns to receive. A message of n bytes, up to
 * 1472, is one frame of n + 42 bytes and 24 of overhead, at least 84 in all. Alone it takes
 *
 *	TX + 2 CABLE + CUT + RX + 20 ps * max(n + 66, 84)
 */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"

#define NS	1000ULL
#define ALONE	(100 * NS + 2 * 25 * NS + 400 * NS + 50 * NS)

static const char star[] =
	"name: x\nprofile: test\nport: {discipline: drop-tail}\n"
	"nic: {mtu: 1500, tx-latency: 100ns, rx-latency: 50ns}\n"
	"nodes: [{name: \"h[0-31]\"}]\nswitches: [{name: s}]\n"
	"links: [{ends: [\"h[0-31]\", s]}]\n";

static uint64_t alone(uint64_t bytes)
{
	return ALONE + 20 * (bytes + 66 > 84 ? bytes + 66 : 84);
}

static struct weft_work played(const char *text)
{
	const struct weft_sim_options o = { .transport = "frames", .seed = 1 };
	struct weft_plan p = plan_of(star);
	struct weft_err err = { 0 };
	struct weft_sim_result r;
	struct weft_work w;

	if (load_work(&w, "g", text, &p, &err) || weft_sim_run(&p, &w, &o, &r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	else
		expect_starts(&w);
	weft_plan_free(&p);
	return w;
}

static const struct weft_message *named(const struct weft_work *w, const char *name)
{
	static const struct weft_message none;

	for (unsigned int i = 0; i < w->messages; i++)
		if (!strcmp(w->names + w->message[i].name, name))
			return &w->message[i];
	ktap_fail(__FILE__, __LINE__, "there is no %s", name);
	return &none;
}

/* A chain over three ranks, the last of which comes first in the file. */
TEST(chain)
{
	struct weft_work w = played("# a chain\n"
		"num_ranks 3\n"
		"rank 2 {\n"
		"got: recv 1000b from 1 tag 7\n"
		"}\n"
		"rank 0 {\n"
		"a: calc 100 cpu 1\n"
		"b: send 500b to 1 tag 3 nic 0\n"
		"b requires a\n"
		"}\n"
		"rank 1 {\n"
		"c requires b\n"
		"d requires c\n"
		"d: send 1000b to 2 tag 7\n"
		"b: recv 500b from 0 tag 3\n"
		"c: calc 50\n"
		"}\n");

	EXPECT_EQ(w.messages, 6);
	EXPECT_EQ(named(&w, "0.b")->start, 100 * NS);
	EXPECT_EQ(named(&w, "1.b")->end, 100 * NS + alone(500));
	EXPECT_EQ(named(&w, "1.d")->start, 150 * NS + alone(500));
	EXPECT_EQ(named(&w, "2.got")->end, 150 * NS + alone(500) + alone(1000));
	EXPECT_EQ(named(&w, "2.got")->line, 4);
	weft_work_free(&w);
}

/* What "irequires" another operation starts with it; of a receive, when it is ready. */
TEST(started)
{
	struct weft_work w = played("num_ranks 2\n"
		"rank 0 {\n"
		"a: calc 300\n"
		"b: send 100b to 1\n"
		"b requires a\n"
		"with: calc 40\n"
		"with irequires b\n"
		"next: calc 2\n"
		"next irequires with\n"
		"next irequires b\n"
		"}\n"
		"rank 1 {\n"
		"w: calc 10\n"
		"r: recv 100b from 0\n"
		"r requires w\n"
		"early: calc 5\n"
		"early irequires r\n"
		"late: calc 5\n"
		"late requires r\n"
		"}\n");

	EXPECT_EQ(named(&w, "0.b")->start, 300 * NS);
	EXPECT_EQ(named(&w, "0.with")->end, 340 * NS);
	EXPECT_EQ(named(&w, "0.next")->end, 302 * NS);
	EXPECT_EQ(named(&w, "1.early")->end, 15 * NS);
	EXPECT_EQ(named(&w, "1.r")->end, 300 * NS + alone(100));
	EXPECT_EQ(named(&w, "1.late")->end, 305 * NS + alone(100));
	weft_work_free(&w);
}

/* Of one way and tag the first send is for the first receive; tags keep them apart. */
TEST(tags)
{
	struct weft_work w = played("num_ranks 2\n"
		"rank 0 {\n"
		"calc 5\n"
		"a: send 10b to 1 tag 1\n"
		"b: send 20b to 1 tag 2\n"
		"c: send 30b to 1 tag 1\n"
		"}\n"
		"rank 1 {\n"
		"x: recv 64b from 0 tag 2\n"
		"y: recv 64b from 0 tag 1\n"
		"z: recv 64b from 0 tag 1\n"
		"}\n");

	EXPECT_EQ(named(&w, "1.x")->end, named(&w, "0.b")->end);
	EXPECT_EQ(named(&w, "1.y")->end, named(&w, "0.a")->end);
	EXPECT_EQ(named(&w, "1.z")->end, named(&w, "0.c")->end);
	EXPECT(named(&w, "0.b")->end > named(&w, "0.a")->end);
	weft_work_free(&w);
}

/* Twenty operations, each of which waits twice for two before it: not 2^20 entries. */
TEST(no_more_than_said)
{
	char text[4096] = "num_ranks 1\nrank 0 {\na0: calc 1\nb0: calc 1\n", *end;
	unsigned int claims = 0;
	struct weft_work w;

	for (unsigned int i = 1; i <= 20; i++) {
		end = text + strlen(text);
		end += sprintf(end, "a%u: calc 1\nb%u: calc 1\n", i, i);
		for (unsigned int k = 0; k < 4; k++)
			end += sprintf(end, "%c%u irequires %c%u\n", "aabb"[k], i,
				       "abab"[k], i - 1);
		claims += 4;
	}
	strcat(text, "}\n");
	w = played(text);
	EXPECT_EQ(w.messages, 42 + 40);
	EXPECT(w.afters <= claims + 42);
	EXPECT_EQ(named(&w, "0.a20")->end, 1 * NS);
	weft_work_free(&w);
}

TEST(bad)
{
	static const struct { const char *text, *msg; } bad[] = {
		{ "num_ranks 33\n", "g:1: num_ranks 33: the topology has 32 nodes" },
		{ "num_ranks 0\n", "g:1: num_ranks 0: the topology has 32 nodes" },
		{ "num_ranks\n", "g:1: expected num_ranks N" },
		{ "num_ranks 2\n", "g: there is no message in it" },
		{ "num_ranks 2\nl1: calc 1\n", "g:2: \"l1:\": expected rank N {" },
		{ "num_ranks 2\nrank 2 {\n", "g:2: rank \"2\": expected a number from 0 to 1" },
		{ "num_ranks 2\nrank 0 {\n}\nrank 0 {\n", "g:4: rank 0: it had a block before" },
		{ "num_ranks 2\nrank 0 {\ncalc 1\n",
		  "g:3: rank 0: expected } at the end of its block" },
		{ "num_ranks 2\nrank 0 {\na: wait 3\n",
		  "g:3: \"wait\": expected send, recv, calc, requires, irequires or }" },
		{ "num_ranks 2\nrank 0 {\na:\n",
		  "g:3: \"\": expected send, recv, calc, requires, irequires or }" },
		{ "num_ranks 2\nrank 0 {\ncalc\n", "g:3: expected calc NANOSECONDS" },
		{ "num_ranks 2\nrank 0 {\ncalc 1e3\n",
		  "g:3: calc \"1e3\": expected a number from 0 to 1000000000000" },
		{ "num_ranks 2\nrank 0 {\nsend 1b from 1\n", "g:3: expected send BYTESb to RANK" },
		{ "num_ranks 2\nrank 0 {\nsend 1 to 1\n",
		  "g:3: \"1\": expected bytes, as in 1024b" },
		{ "num_ranks 2\nrank 0 {\nsend b to 1\n",
		  "g:3: \"b\": expected bytes, as in 1024b" },
		{ "num_ranks 2\nrank 0 {\nsend 1b to 0\n",
		  "g:3: rank 0 to itself: expected another rank" },
		{ "num_ranks 2\nrank 0 {\nsend 1b to 1 tag\n",
		  "g:3: \"tag\": expected a number behind it" },
		{ "num_ranks 2\nrank 0 {\nsend 1b to 1 with 3\n",
		  "g:3: \"with\": expected tag, cpu or nic" },
		{ "num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 1\nb requires a\n}\n",
		  "g:7: \"a\": rank 1 has no operation of this label" },
		{ "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 2\na: calc 3\n}\n",
		  "g:5: a: rank 0 has another operation of this label" },
		{ "num_ranks 2\nrank 0 {\ncalc 1\nsend 1b to 1 tag 3\n}\nrank 1 {\n"
		  "recv 1b from 0 tag 4\n}\n",
		  "g:4: rank 1 has no receive for this send" },
		{ "num_ranks 2\nrank 1 {\nrecv 1b from 0\nrecv 1b from 0\n}\nrank 0 {\n"
		  "send 1b to 1\n}\n",
		  "g:4: rank 0 has no send for this receive" },
		{ "num_ranks 2\nrank 0 {\nsend 2b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n",
		  "g:6: a receive of 1 bytes from rank 0, which sends 2" },
		{ "num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n",
		  "g:3: this one never starts: it waits for itself, or for one that does" },
		{ "num_ranks 2\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
		  "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n",
		  "g:3: this one never starts: it waits for itself, or for one that does" },
	};
	struct weft_plan p = plan_of(star);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct weft_err err = { 0 };
		struct weft_work w;

		EXPECT(load_work(&w, "g", bad[i].text, &p, &err));
		if (strcmp(err.msg, bad[i].msg))
			ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg,
				  bad[i].msg);
		weft_work_free(&w);
	}
	weft_plan_free(&p);
}
