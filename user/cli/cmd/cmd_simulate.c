// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft simulate: a workload on the model of a topology.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli.h"
#include "print/print_flows.h"
#include "sim/sim.h"
#include "sim/workload.h"

#define SL_MAX		15
#define TELL_MS		200

/**
 * struct options - the command line
 */
struct options {
	struct weft_share_choice topology;
	const char *workload;
	bool json;
	bool csv;
	bool summary;
	bool seeded;
	struct weft_sim_options sim;
};

/**
 * struct words - options that are not parsed yet
 */
struct words {
	const char *seed;
	const char *sl;
	const char *period;
};

static int parse_values(const struct command *cmd, const struct words *w,
			struct options *o)
{
	unsigned long long v = 0;

	if (w->seed && cli_number(cmd, "--seed", w->seed, 0, UINT64_MAX, &v))
		return EXIT_USAGE;
	o->seeded = w->seed;
	o->sim.seed = v;
	v = 0;
	if (w->sl && cli_number(cmd, "--sl", w->sl, 0, SL_MAX, &v))
		return EXIT_USAGE;
	o->sim.sl = (uint32_t)v;
	if (w->period && cli_duration(cmd, "--for", w->period, &o->sim.until))
		return EXIT_USAGE;
	if (!o->workload)
		return cli_usage(cmd, "--workload: expected a file, or COLLECTIVE:ALGORITHM:SIZE");
	if (o->csv && (o->json || o->summary))
		return cli_usage(cmd, "--csv: expected neither --json nor --summary");
	return 0;
}

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o, int *code)
{
	struct words w = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("workload", &o->workload),
		CLI_TEXT("transport", &o->sim.transport),
		CLI_TEXT("seed", &w.seed), CLI_TEXT("sl", &w.sl),
		CLI_TEXT("for", &w.period), CLI_FLAG("summary", &o->summary),
		CLI_FLAG("csv", &o->csv), CLI_FLAG("json", &o->json), CLI_END,
	};

	if (!cli_options(cmd, argc, argv, opt, code))
		return -1;
	*code = parse_values(cmd, &w, o);
	if (*code)
		return -1;
	if (argc == optind) {
		*code = cli_usage(cmd, "expected TOPOLOGY");
		return -1;
	}
	cli_topology(&o->topology, argc, argv);
	return 0;
}

/**
 * struct line - the progress line on a terminal
 * @begun: when the simulation began, ms
 * @told: when the line was last written, ms
 * @shown: it is not empty
 */
struct line {
	uint64_t begun;
	uint64_t told;
	bool shown;
};

static void write_line(struct line *l, const struct weft_sim_progress *p, uint64_t now)
{
	char time[32], left[32] = "";
	uint64_t took = now - l->begun;

	if (p->bytes && p->bytes < p->total)
		snprintf(left, sizeof(left), ", %" PRIu64 " s left",
			 (uint64_t)((double)took / (double)p->bytes *
				    (double)(p->total - p->bytes) / 1000));
	fprintf(stderr, "\rweft: %s of fabric time, %" PRIu64 "%% of the bytes, %" PRIu64 " hops%s\033[K",
		weft_format_time(time, sizeof(time), p->now),
		p->total ? (uint64_t)((double)p->bytes * 100 / (double)p->total) : 100,
		p->hops, left);
	l->shown = true;
}

static bool on_progress(void *ctx, const struct weft_sim_progress *p)
{
	uint64_t now = cli_clock_ms();
	struct line *l = ctx;

	if (now - l->told >= TELL_MS) {
		write_line(l, p, now);
		l->told = now;
	}
	return true;
}

static int simulate(struct options *o, const struct weft_plan *plan,
		    struct weft_work *work, struct weft_err *err)
{
	struct line line = { .begun = cli_clock_ms(), .told = cli_clock_ms() };
	struct weft_sim_result r;
	int ret;

	if (!o->seeded)
		o->sim.seed = plan->fabric.seed;
	if (isatty(STDERR_FILENO)) {
		o->sim.progress = on_progress;
		o->sim.ctx = &line;
	}
	ret = weft_sim_run(plan, work, &o->sim, &r, err);
	if (line.shown)
		fputs("\r\033[K", stderr);
	if (ret)
		return cli_fail(err);
	if (o->csv)
		return print_flows_csv(plan, work);
	if (o->json)
		return cli_json(flows_json(plan, work, &o->sim, &r, !o->summary));
	return print_flows(plan, work, &r, !o->summary);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct weft_share_design design;
	struct options o = { 0 };
	struct weft_work work = { 0 };
	struct weft_plan plan;
	struct weft_err err;
	int ret;

	if (parse(cmd, argc, argv, &o, &ret))
		return ret;
	if (cli_plan(&o.topology, &design, &plan, &err) ||
	    weft_work_read(&work, o.workload, &plan, &err))
		ret = cli_fail(&err);
	else
		ret = simulate(&o, &plan, &work, &err);
	weft_work_free(&work);
	weft_plan_free(&plan);
	weft_share_design_free(&design);
	return ret;
}

const struct command cmd_simulate = {
	.name = "simulate",
	.run = run,
	.summary = "the times of messages on a topology, by the model alone",
	.usage =
"usage: weft simulate TOPOLOGY [KEY=VALUE]... --workload WORKLOAD [OPTION]...\n"
"\n"
"Send the messages of WORKLOAD over the model of TOPOLOGY, without a kernel and\n"
"without programs, and print when each ends. Documentation/simulate.rst has the\n"
"formats and the laws.\n"
"\n"
"WORKLOAD is a file, or COLLECTIVE:ALGORITHM:SIZE as in allreduce:ring:64MiB,\n"
"with a rank on each node. Collectives and algorithms: see weft bound --help.\n"
"Files:\n"
"  [NAME:] FROM TO SIZE [at TIME] [after NAME[,NAME]...] [delay TIME] [channel N]\n"
"                         on each line\n"
"  *.cm                   a connection matrix of htsim, starts in ps\n"
"  a number, then flows   a flow file of HPCC's ns-3 simulator\n"
"  num_ranks, then ranks  a schedule in GOAL, as LogGOPSim and ATLAHS have it\n"
"  PREFIX.0.et            traces of Chakra, as ASTRA-sim has them: that of rank\n"
"                         0, with those of the other ranks beside it\n"
"\n"
"      --workload WORKLOAD    what is sent\n"
"      --transport rc|frames  rc: sends of a reliable connection, as by verbs\n"
"                             (default where all NICs have RDMA devices); frames:\n"
"                             datagrams that fill the MTU of the NIC\n"
"      --sl N                 service level of all packets, the priority on\n"
"                             Ethernet (default 0)\n"
"      --seed N               seed of all randomness (the topology's, or 1)\n"
"      --for T                end after T of fabric time\n"
"      --summary              no table of messages\n"
"      --csv                  the table as CSV, times in ps\n"
"  -j, --json                 as JSON\n"
"  -p, --pretty               JSON with indents\n",
};
