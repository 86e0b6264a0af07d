// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft simulate: a workload on the model of a topology.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli.h"
#include "netlink/json.h"
#include "print/plot_flows.h"
#include "print/print_flows.h"
#include "run/play.h"
#include "run/recorder.h"
#include "run/simulated.h"
#include "run/simulated_play.h"
#include "run/workloads.h"
#include "sim/sim.h"
#include "workload/workload.h"

#define TELL_MS		200
#define EVERY		1000000000	/* ps, between checkpoints */
#define INTERVAL	1000000	/* ps, of a recording; it doubles as the recording grows */

/**
 * struct options - the command line
 */
struct options {
	struct weft_share_choice topology;
	struct workloads workloads;
	const char *scenario;
	struct simulated_files files;
	uint64_t interval;
	bool seeded;
	bool parts;
	struct weft_sim_options sim;
};

/**
 * struct words - options that are not parsed yet
 */
struct words {
	const char *seed;
	const char *parts;
	const char *cells;
	const char *period;
	const char *interval;
	const char *every;
};

static int parse_values(const struct command *cmd, const struct words *w,
			struct options *o)
{
	struct reliable r;
	unsigned long long v = 0;

	if (workloads_values(cmd, &o->workloads, &r))
		return EXIT_USAGE;
	o->sim.sl = r.sl;
	o->sim.ack_timeout = r.ack_timeout;
	o->sim.retries = r.retries;
	if (w->seed && cli_number(cmd, "--seed", w->seed, 0, UINT64_MAX, &v))
		return EXIT_USAGE;
	o->seeded = w->seed;
	o->sim.seed = v;
	v = 1;
	if (w->parts && cli_number(cmd, "--parts", w->parts, 1, WEFT_SIM_PARTS_MAX, &v))
		return EXIT_USAGE;
	o->sim.parts = (uint32_t)v;
	o->parts = w->parts;
	v = 0;
	if (w->cells && cli_number(cmd, "--cells", w->cells, 1, WEFT_SIM_CELLS_MAX, &v))
		return EXIT_USAGE;
	o->sim.cells = (uint32_t)v;
	if (w->period && cli_duration(cmd, "--for", w->period, &o->sim.until))
		return EXIT_USAGE;
	o->sim.every = EVERY;
	if (w->every && cli_duration(cmd, "--every", w->every, &o->sim.every))
		return EXIT_USAGE;
	if (w->every && !o->sim.checkpoint)
		return cli_usage(cmd, "--every needs --checkpoint");
	if (o->files.record && (o->sim.checkpoint || o->sim.resume))
		return cli_usage(cmd, "--record: expected neither --checkpoint nor --resume, as a recording does not go on");
	if (w->cells && o->sim.resume)
		return cli_usage(cmd, "--cells: expected none with --resume, as a checkpoint has cells");
	o->interval = INTERVAL;
	if (w->interval && recorder_interval(cmd, w->interval, &o->interval))
		return EXIT_USAGE;
	if (w->interval && !o->files.record)
		return cli_usage(cmd, "--interval needs --record");
	if (o->files.junit && !o->scenario)
		return cli_usage(cmd, "--junit needs --scenario");
	return 0;
}

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o, int *code)
{
	struct words w = { 0 };
	const struct cli_option opt[] = {
		WORKLOADS_OPTIONS(&o->workloads),
		CLI_TEXT("transport", &o->sim.transport),
		CLI_TEXT("congestion", &o->sim.congestion),
		CLI_TEXT("scenario", &o->scenario),
		CLI_TEXT("report", &o->files.report), CLI_TEXT("junit", &o->files.junit),
		CLI_TEXT("record", &o->files.record), CLI_TEXT("interval", &w.interval),
		CLI_TEXT("cdf", &o->files.cdf),
		CLI_TEXT("seed", &w.seed),
		CLI_TEXT("for", &w.period),
		CLI_TEXT("parts", &w.parts), CLI_TEXT("cells", &w.cells),
		CLI_TEXT("checkpoint", &o->sim.checkpoint), CLI_TEXT("every", &w.every),
		CLI_TEXT("resume", &o->sim.resume),
		CLI_END,
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

/* A checkpoint was not written. */
static void on_warning(void *ctx, const struct weft_err *err)
{
	struct line *l = ctx;

	fprintf(stderr, "%sweft: no checkpoint: %s; the run goes on\n", l->shown ? "\r\033[K" : "",
		err->msg);
	l->shown = false;
}

static json_t *all_json(const struct options *o, const struct weft_plan *plan,
			const struct weft_work *work, const struct weft_sim_result *r)
{
	json_t *all = flows_json(plan, work, r->transport, workloads_table(&o->workloads));

	if (!all)
		return NULL;
	json_object_set_new(all, "seed", weft_json_seed(o->sim.seed));
	json_object_set_new(all, "sl", json_integer(o->sim.sl));
	json_object_set_new(all, "now_ps", weft_json_u64(r->now));
	json_object_set_new(all, "hops", weft_json_u64(r->hops));
	json_object_set_new(all, "delivered_packets", weft_json_u64(r->packets));
	json_object_set_new(all, "marked_packets", weft_json_u64(r->marked));
	json_object_set_new(all, "lost_packets", weft_json_u64(r->lost));
	json_object_set_new(all, "repeated_packets", weft_json_u64(r->repeated));
	return all;
}

static int give_flows(const struct options *o, const struct weft_plan *plan,
		      const struct weft_work *work, const struct weft_sim_result *r,
		      const struct simulated *s)
{
	json_t *all;

	if (o->workloads.csv)
		return print_flows_csv(plan, work, workloads_table(&o->workloads));
	if (!o->workloads.json)
		return print_flows(plan, work, r->transport, r, workloads_table(&o->workloads));
	all = all_json(o, plan, work, r);
	if (all && s->scenario)
		json_object_set_new(all, "expectations", weft_results_json(&s->results));
	return cli_json(all);
}

/* Messages that have not ended; the work of a node is none. */
static unsigned int unfinished(const struct weft_work *work)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < work->messages; i++)
		n += weft_message_moves(&work->message[i]) &&
		     work->message[i].end == WEFT_NOT_YET;
	return n;
}

static bool writes(const struct options *o)
{
	return !o->sim.team || !o->sim.team->rank;
}

/* Judge, and write what there is. Return: exit code. */
static int give_all(const struct options *o, const struct weft_plan *plan,
		    const struct weft_work *work, const struct weft_sim_result *r,
		    struct simulated *s, struct weft_err *err)
{
	int ret;

	s->unfinished = unfinished(work);
	s->ended = s->unfinished ? s->objects.fabric.now : r->now;
	if (o->sim.objects && simulated_judge(s, err))
		return cli_fail(err);
	ret = give_flows(o, plan, work, r, s);
	if (ret)
		return ret;
	if (writes(o) && simulated_save(s, &o->files, err))
		return cli_fail(err);
	if (writes(o) && o->files.cdf &&
	    plot_flows(o->files.cdf, plan->fabric.name, work, err))
		return cli_fail(err);
	if (!s->scenario)
		return 0;
	print_results(stderr, &s->results, 0);
	return weft_results_failed(&s->results) ? EXIT_UNMET : 0;
}

static int simulate(struct options *o, const struct weft_plan *plan,
		    struct weft_work *work, struct simulated *s, struct weft_err *err)
{
	struct line line = { .begun = cli_clock_ms(), .told = cli_clock_ms() };
	struct weft_sim_result r;
	int ret;

	o->sim.warn = on_warning;
	o->sim.ctx = &line;
	if (isatty(STDERR_FILENO))
		o->sim.progress = on_progress;
	if (s->scenario || o->files.report || o->files.record)
		o->sim.objects = &s->objects;
	if (o->files.record) {
		o->sim.sample = simulated_sample;
		o->sim.sample_ctx = s;
	}
	ret = weft_sim_run(plan, work, &o->sim, &r, err);
	if (line.shown)
		fputs("\r\033[K", stderr);
	return ret ? cli_fail(err) : give_all(o, plan, work, &r, s, err);
}

/* Each rank of MPI has a part, and the first one writes. */
static int use_team(const struct command *cmd, struct options *o, const struct weft_team *t)
{
	o->sim.team = t;
	if (t->size == 1)
		return 0;
	if (o->parts && o->sim.parts != t->size)
		return cli_usage(cmd, "--parts %u: expected as many as ranks of MPI, %u",
				 o->sim.parts, t->size);
	o->sim.parts = t->size;
	if (t->rank && (!freopen("/dev/null", "w", stdout) ||
			!freopen("/dev/null", "w", stderr)))
		return EXIT_OTHER;
	return 0;
}

static int read_scenario(struct options *o, const struct weft_plan *plan, struct play *play,
			 struct simulated_play *line, struct weft_err *err)
{
	struct weft_scenario *s = &play->scenario;

	if (play_read(play, o->scenario, NULL, err) || weft_scenario_check(s, plan, err) ||
	    simulated_check(s, err) || simulated_play_take(line, s, plan, o->sim.seed, err))
		return err->code;
	o->sim.fault = line->fault;
	o->sim.faults = line->faults;
	o->sim.traffic = line->traffic;
	o->sim.traffics = line->traffics;
	o->sim.freeze = line->freeze;
	o->sim.freezes = line->freezes;
	return 0;
}

static int read_all(struct options *o, const struct weft_plan *plan, struct weft_work *work,
		    struct play *play, struct simulated_play *line, struct weft_err *err)
{
	int ret = workloads_read(&o->workloads, plan, work, err);

	if (!o->seeded)
		o->sim.seed = plan->fabric.seed;
	return ret || !o->scenario ? ret : read_scenario(o, plan, play, line, err);
}

static int run_all(struct options *o)
{
	struct weft_share_design design = { 0 };
	struct simulated_play line = { 0 };
	struct play play = { 0 };
	struct weft_plan plan;
	struct simulated s = {
		.topology = o->topology.name,
		.scenario = o->scenario ? &play.scenario : NULL,
		.plan = &plan, .interval = o->interval,
	};
	struct weft_work work = { 0 };
	struct weft_err err;
	int ret;

	ret = cli_plan(&o->topology, &design, &plan, &err);
	if (!ret)
		ret = read_all(o, &plan, &work, &play, &line, &err);
	if (!ret && writes(o))
		ret = simulated_try(&o->files, &err);
	if (!ret && o->files.record)
		ret = simulated_draw(&s, &design.topo, &err);
	/* A large topology is large memory, and the plan has all of it. */
	weft_share_design_free(&design);
	if (weft_team_agree(o->sim.team, ret, &err))
		ret = cli_fail(&err);
	else
		ret = simulate(o, &plan, &work, &s, &err);
	simulated_free(&s);
	play_free(&play);
	simulated_play_free(&line);
	weft_work_free(&work);
	weft_plan_free(&plan);
	return ret;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { 0 };
	struct weft_team team;
	struct weft_err err;
	int ret;

	if (parse(cmd, argc, argv, &o, &ret))
		return ret;
	if (weft_team_join(&team, &err)) {
		ret = cli_fail(&err);
	} else {
		ret = use_team(cmd, &o, &team);
		if (!ret)
			ret = run_all(&o);
	}
	weft_team_leave(&team);
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
"with a rank on each node, or on those of @NODES behind it, in their order, as in\n"
"@host[0-3]+host9. With :TIMES behind SIZE it is done so often. Collectives and\n"
"algorithms: see weft bound --help; also allreduce:hierarchical:SIZE, over NVLink\n"
"and rails, and in switches allreduce:sharp:SIZE, allreduce:nvls:SIZE and\n"
"barrier:sharp.\n"
"Or training:MODEL[:KEY=VALUE[,KEY=VALUE]...], as in\n"
"training:gpt3-175b:pipeline=2: a step of the training of a transformer, with its\n"
"computing. MODEL is one that comes with Weft, or a YAML file.\n"
"Or poisson:SIZES:LOAD:TIME[:SEED][@NODES], as in poisson:websearch:0.5:1ms: all\n"
"send flows to others at random, at a load of their links, for a time. SIZES is\n"
"websearch, hadoop, or a file of lines BYTES PERCENT. Files:\n"
"  [NAME:] FROM TO SIZE [at TIME] [after NAME[,NAME]...] [delay TIME] [channel N]\n"
"                         on each line\n"
"  *.cm                   a connection matrix of htsim, starts in ps\n"
"  a number, then flows   a flow file of HPCC's ns-3 simulator\n"
"  num_ranks, then ranks  a schedule in GOAL, as LogGOPSim and ATLAHS have it\n"
"  PREFIX.0.et            traces of Chakra, as ASTRA-sim has them: that of rank\n"
"                         0, with those of the other ranks beside it\n"
"\n"
"      --workload WORKLOAD    what is sent; more than once: jobs that run at the\n"
"                             same time, and when each has ended\n"
"      --transport rc|srd|frames\n"
"                             rc: sends of a reliable connection, as by verbs\n"
"                             (default of NICs with RDMA devices); srd: messages\n"
"                             of NICs of the EFA kind (their default); frames:\n"
"                             datagrams that fill the MTU of the NIC (of others)\n"
"      --congestion NAME      rc: congestion control of all queue pairs: none,\n"
"                             dcqcn, ibcc, dctcp, swift, hpcc or ndp (default:\n"
"                             the NICs')\n"
"      --ack-timeout N        rc: packets are sent again without acknowledgement\n"
"                             for 4096 ns * 2^N; 0: never (default 14: 67 ms)\n"
"      --retries N            rc: the run fails after so many tries without an\n"
"                             acknowledgement (default 7)\n"
"      --scenario FILE        the faults, background traffic and frozen nodes of\n"
"                             a scenario, from time 0 on, and its expectations;\n"
"                             no kills, settings, phases and recoveries\n"
"      --report FILE          write the report to FILE as JSON, as weft run does\n"
"      --record FILE          write a recording to FILE: weft report --html makes\n"
"                             a page of it\n"
"      --interval T           with --record: fabric time between samples (default\n"
"                             1us; doubles whenever a recording is full)\n"
"      --cdf FILE             draw the distributions of times and slowdowns to\n"
"                             FILE as SVG, by size, or by job\n"
"      --junit FILE           write the results of the expectations to FILE as\n"
"                             JUnit XML\n"
"      --sl N                 service level of all packets, the priority on\n"
"                             Ethernet (default 0)\n"
"      --seed N               seed of all randomness (the topology's, or 1)\n"
"      --for T                end after T of fabric time\n"
"      --parts N              cut the fabric into N parts (default 1), run by up\n"
"                             to N threads, at most one a CPU; the output is the\n"
"                             same. Under mpirun, each rank has a part\n"
"      --cells N              cut each part into up to N cells, which are run one\n"
"                             after the other, for the sake of the CPU's cache\n"
"                             (default: by size); the output is the same\n"
"      --checkpoint DIR       write a checkpoint to the directory DIR every T of\n"
"                             fabric time; the one before is removed then\n"
"      --every T              with --checkpoint: T (default 1ms)\n"
"      --resume DIR           go on from the checkpoint in DIR: topology,\n"
"                             workload and options as they were, any --parts,\n"
"                             --for and output; what is printed is the same\n"
"      --summary              no table of messages\n"
"      --critical             list only the messages of the critical path\n"
"      --csv                  the table as CSV, times in ps\n"
"  -j, --json                 as JSON\n"
"  -p, --pretty               JSON with indents\n"
"\n"
"The exit code is 123 if an expectation was not met.\n",
};
