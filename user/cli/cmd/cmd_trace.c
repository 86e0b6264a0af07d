// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft trace: the way of single packets through the fabric.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "packet/flow.h"
#include "packet/journey.h"
#include "packet/journey_view.h"
#include "packet/trail.h"
#include "print/print_journey.h"
#include "signals.h"

#define PS_PER_MS	1000000000ULL

/**
 * struct options - options of the user
 * @lab: name of the lab, NULL for the only one
 * @flow: the flow to trace, NULL for all packets
 * @count: number of packets, 0 for all
 * @duration: ps of fabric time, 0 for no end
 * @json: print an object for each packet, one on a line
 */
struct options {
	const char *lab;
	const char *flow;
	unsigned long long count;
	uint64_t duration;
	bool json;
};

/**
 * struct trace - state of a trace
 * @opt: options of the user
 * @facts: the lab
 * @flow: the flow to trace
 * @trail: source of the steps of packets
 * @packets: packets under way
 * @printed: number of packets printed
 * @end: fabric time of the end, UINT64_MAX for none
 */
struct trace {
	const struct options *opt;
	struct weft_facts facts;
	struct weft_flow flow;
	struct weft_trail trail;
	struct weft_journeys packets;
	unsigned long long printed;
	uint64_t end;
};

static bool is_over(const struct trace *t)
{
	return signals_came() || t->trail.gone ||
	       (t->opt->count && t->printed >= t->opt->count);
}

static bool is_wanted(const struct weft_journey *j, void *ctx)
{
	const struct trace *t = ctx;

	return !t->opt->flow || weft_flow_sets_out(&t->flow, j);
}

static int print_json(const struct trace *t, const struct weft_journey *j,
		      struct weft_err *err)
{
	json_t *o = weft_journey_json(j, &t->facts);
	int ret = cli_put_json(o, JSON_COMPACT | cli_json_flags(), err);

	json_decref(o);
	return ret;
}

static int take_journey(const struct weft_journey *j, void *ctx,
			struct weft_err *err)
{
	struct trace *t = ctx;

	if (t->opt->count && t->printed >= t->opt->count)
		return 0;
	if (t->opt->flow && !weft_flow_ends(&t->flow, j))
		return 0;
	t->printed++;
	if (t->opt->json)
		return print_json(t, j, err);
	print_journey(&t->facts, j);
	return 0;
}

static int take_step(const struct weft_step *s, void *ctx, struct weft_err *err)
{
	struct trace *t = ctx;

	if (s->time > t->end)
		return 0;
	return weft_journeys_step(&t->packets, s, err);
}

static int loop(struct trace *t, const sigset_t *mask, struct weft_err *err)
{
	uint64_t now = cli_clock_ms(), stop, duration = t->opt->duration;
	int ret = 0;

	/* The fabric's clock is slower than the kernel's by its dilation. */
	stop = now + duration / PS_PER_MS * t->facts.fabric.dilation + 1;
	while (!ret && !is_over(t) && (!duration || now < stop)) {
		int wait = duration ? (int)(stop - now) : -1;

		ret = weft_trail_wait(&t->trail, wait, mask, err);
		if (ret == -EINTR)
			ret = 0;
		if (!ret && fflush(stdout))
			ret = weft_err_sys(err, errno, "output");
		now = cli_clock_ms();
	}
	return ret;
}

static void warn_lost(const struct trace *t)
{
	uint64_t lost = weft_trail_lost(&t->trail);

	if (lost)
		fprintf(stderr, "warning: %" PRIu64 " steps were lost: the trace did not keep up\n",
			lost);
}

static int follow(struct trace *t, const struct weft_lab *lab,
		  struct weft_err *err)
{
	sigset_t before;
	int ret;

	signals_hold(&before);
	ret = weft_trail_open(&t->trail, lab, err);
	if (ret)
		return ret;
	fprintf(stderr, "tracing %s\n", lab->name);
	ret = loop(t, &before, err);
	if (!ret)
		ret = weft_journeys_rest(&t->packets, err);
	warn_lost(t);
	weft_trail_close(&t->trail);
	/* A pipe that nobody reads any more is a normal end. */
	return ret == -EPIPE ? 0 : ret;
}

static int trace_in(const struct weft_lab *lab, const struct options *opt,
		    struct weft_err *err)
{
	struct trace t = { .opt = opt, .end = UINT64_MAX };
	int ret;

	t.trail.fn = take_step;
	t.packets.wanted = is_wanted;
	t.packets.done = take_journey;
	t.trail.ctx = t.packets.ctx = &t;
	weft_journeys_init(&t.packets);
	ret = weft_facts_read(&t.facts, lab, err);
	if (!ret && opt->flow)
		ret = weft_flow_parse(&t.flow, opt->flow, &t.facts, err);
	if (!ret && opt->duration)
		t.end = t.facts.fabric.now + opt->duration;
	if (!ret)
		ret = follow(&t, lab, err);
	weft_journeys_free(&t.packets);
	weft_facts_free(&t.facts);
	return ret;
}

static int run_trace(const struct options *opt)
{
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (cli_lab(&lab, opt->lab, &err) || trace_in(&lab, opt, &err))
		ret = cli_fail(&err);
	else
		ret = cli_done();
	weft_lab_close(&lab);
	return ret;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *count = NULL, *duration = NULL;
	struct options o = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("lab", &o.lab), CLI_TEXT("flow", &o.flow),
		CLI_TEXT("count", &count), CLI_TEXT("for", &duration),
		CLI_FLAG("json", &o.json), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (count && cli_number(cmd, "--count", count, 1, UINT64_MAX, &o.count))
		return EXIT_USAGE;
	if (duration && cli_duration(cmd, "--for", duration, &o.duration))
		return EXIT_USAGE;
	ret = cli_no_words(cmd, argc, argv);
	return ret ? ret : run_trace(&o);
}

const struct command cmd_trace = {
	.name = "trace",
	.run = run,
	.summary = "the path of single packets through the fabric",
	.usage =
"usage: weft trace [OPTION]...\n"
"\n"
"Follow packets from NIC to NIC. A line for each port says when a packet joined\n"
"its queue (s of fabric time) and how long each part of its way to the next port\n"
"took (ns): the latency of NIC or switch, waiting, the part of it for which the\n"
"far end held it back, sending (in brackets if the far end forwards from the\n"
"first bit), the wire, and the rest: delays of faults, replays, the receiving\n"
"NIC. The last line says how the packet ended. The trace ends with Ctrl-C or with\n"
"the lab.\n"
"\n"
"      --flow 'SRC>DST[:PROTOCOL[/PORT]]'\n"
"                     only packets between these nodes or NICs (empty: any), of\n"
"                     tcp, udp, icmp, ip, arp or verbs, with this port, or to\n"
"                     this queue pair\n"
"  -c, --count N      end after N packets\n"
"      --for T        end after T of fabric time, such as 10ms\n"
"  -j, --json         print an object for each packet, one on a line\n"
"  -p, --pretty       JSON with indents\n"
"  -l, --lab LAB      the lab (default: $WEFT_LAB, or the only one)\n",
};
