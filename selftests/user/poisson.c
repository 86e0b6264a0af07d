// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open-loop flows: how many there are, of which sizes, and when they begin.
 *
 * Of 32 nodes with a link of 400 Gb/s each, at load L, with a mean size of M bytes,
 * L * 400e9 / (8 M) flows a second begin at each node. In a time T there are
 * N = 32 T L 400e9 / (8 M) in all, by the law of Poisson: more than 7 sqrt(N) off has a
 * probability below 10^-11. The same holds for how many of them have a property whose
 * probability is known.
 */
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"
#include "load.h"

#define NODES	32
#define RATE	400e9

static const char star[] =
	"name: x\nprofile: test\nport: {discipline: drop-tail}\n"
	"nodes: [{name: \"h[0-31]\"}]\nswitches: [{name: s}]\n"
	"links: [{ends: [\"h[0-31]\", s]}]\n";

static struct weft_work flows(const char *spec)
{
	struct weft_plan p = plan_of(star);
	struct weft_err err = { 0 };
	struct weft_work w;

	if (weft_work_poisson(&w, spec, &p, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	weft_plan_free(&p);
	return w;
}

static void expect_number(double n, double mean)
{
	if (fabs(n - mean) > 7 * sqrt(mean))
		ktap_fail(__FILE__, __LINE__, "%g, want %g, by the law of Poisson", n, mean);
}

/* A file with a distribution; its name, to be freed and removed by done(). */
static char *sizes(const char *text)
{
	char *path = strdup("/tmp/weft-sizes-XXXXXX");
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fputs(text, f);
	fclose(f);
	return path;
}

static void done(char *path)
{
	unlink(path);
	free(path);
}

/*
 * Half of the flows have 1 to 1000 bytes, all alike, and half 1001 to 9000. The mean is
 * 500 / 2 + 5000 / 2.
 */
TEST(poisson_law)
{
	char *path = sizes("# two halves\n0 0\n1000 50\n9000 100\n"), spec[128];
	const double mean = NODES * 0.001 * 0.8 * RATE / (8 * 2750);
	unsigned int small = 0, quarter = 0, own = 0, first = 0;
	struct weft_work w;

	snprintf(spec, sizeof(spec), "poisson:%s:0.8:1ms", path);
	w = flows(spec);
	expect_number(w.messages, mean);
	for (unsigned int i = 0; i < w.messages; i++) {
		const struct weft_message *m = &w.message[i];

		EXPECT(m->bytes >= 1 && m->bytes <= 9000);
		EXPECT(m->at < 1000000000 && m->from != m->to && m->to < NODES);
		EXPECT(!i || m->at >= w.message[i - 1].at);
		small += m->bytes <= 1000;
		quarter += m->at < 250000000;
		own += m->from == 7;
		first += m->to == 3;
	}
	expect_number(small, mean / 2);
	expect_number(quarter, mean / 4);
	expect_number(own, mean / NODES);
	expect_number(first, mean / NODES);
	weft_work_free(&w);
	done(path);
}

/* The means of the distributions that come with Weft, by the law of trapezoids. */
TEST(poisson_shipped)
{
	struct weft_work w = flows("poisson:websearch:1:10ms");

	expect_number(w.messages, NODES * 0.01 * RATE / (8 * 1711250.));
	weft_work_free(&w);
	w = flows("poisson:hadoop:0.1:1ms");
	expect_number(w.messages, NODES * 0.001 * 0.1 * RATE / (8 * 120420.75));
	weft_work_free(&w);
}

static bool same(const struct weft_work *a, const struct weft_work *b)
{
	return a->messages == b->messages &&
	       !memcmp(a->message, b->message, a->messages * sizeof(*a->message));
}

/* Of some nodes only those send and receive, and each sends what it would send among all. */
TEST(poisson_nodes)
{
	struct weft_work all = flows("poisson:hadoop:0.5:100us");
	struct weft_work some = flows("poisson:hadoop:0.5:100us:1@h[4-7]+h30");
	unsigned int n = 0, to[NODES] = { 0 };

	for (unsigned int i = 0; i < all.messages; i++)
		n += (all.message[i].from >= 4 && all.message[i].from < 8) ||
		     all.message[i].from == 30;
	EXPECT_EQ(some.messages, n);
	for (unsigned int i = 0; i < some.messages; i++) {
		EXPECT(some.message[i].from != some.message[i].to);
		to[some.message[i].to]++;
	}
	for (unsigned int i = 0; i < NODES; i++)
		EXPECT(!to[i] == !((i >= 4 && i < 8) || i == 30));
	weft_work_free(&all);
	weft_work_free(&some);
}

/* A seed of its own, which is 1 if none is given. */
TEST(poisson_seeds)
{
	struct weft_work a = flows("poisson:hadoop:0.5:100us");
	struct weft_work b = flows("poisson:hadoop:0.5:100us:1");
	struct weft_work c = flows("poisson:hadoop:0.5:100us:2");

	EXPECT(same(&a, &b));
	EXPECT(!same(&a, &c));
	weft_work_free(&a);
	weft_work_free(&b);
	weft_work_free(&c);
}

static void expect_refused(const char *spec, const char *msg)
{
	struct weft_plan p = plan_of(star);
	struct weft_err err = { 0 };
	struct weft_work w;

	EXPECT(weft_work_poisson(&w, spec, &p, &err) != 0);
	if (!strstr(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, msg);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(poisson_refused)
{
	static const struct { const char *text, *msg; } bad[] = {
		{ "", ": expected lines BYTES PERCENT, up to 100 per cent" },
		{ "0 0\n10 99\n", ": expected lines BYTES PERCENT, up to 100 per cent" },
		{ "0 0\n10\n", ":2: expected BYTES PERCENT" },
		{ "0 0\n10 100 1\n", ":2: expected BYTES PERCENT" },
		{ "0 0\n10 101\n", ":2: expected BYTES PERCENT" },
		{ "0 0\n10 nan\n", ":2: expected BYTES PERCENT" },
		{ "5 10\n10 100\n", ":1: expected bytes and per cent that grow" },
		{ "0 0\n10 50\n10 100\n", ":3: expected bytes and per cent that grow" },
		{ "0 0\n10 50\n20 40\n", ":3: expected bytes and per cent that grow" },
	};
	char spec[128];

	expect_refused("poisson:", "fields are missing, or too many");
	expect_refused("poisson:hadoop:1:1ms:1:1", "fields are missing, or too many");
	expect_refused("poisson:hadoop:0:1ms", "a load is above 0 and at most 1");
	expect_refused("poisson:hadoop:1.5:1ms", "a load is above 0 and at most 1");
	expect_refused("poisson:hadoop:1:1000001ms", "a time is 1ps to 1000s");
	expect_refused("poisson:hadoop:1:1ms:x", "a seed is a number");
	expect_refused("poisson:hadoop:0.1:1ps", "no flow begins in this time");
	expect_refused("poisson:hadoop:1:1ms@h1", "flows need two nodes");
	expect_refused("poisson:hadoop:1:1ms:1@h99", "the topology has no node \"h99\"");
	expect_refused("poisson:hadoop:1:1ms@", "\"\": expected a name");
	expect_refused("poisson:cats:1:1ms", "expected websearch, hadoop or a file of lines");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *path = sizes(bad[i].text);

		snprintf(spec, sizeof(spec), "poisson:%s:1:1ms", path);
		expect_refused(spec, bad[i].msg);
		done(path);
	}
}
