// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft run: bring a topology up, run a program, report, take it away.
 *
 * Where the running kernel has the module, all of it happens there. Otherwise,
 * or when the virtual clock is asked for, the command starts itself again
 * inside the virtual machine, with --inside.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli.h"
#include "netlink/nl.h"
#include "run/play.h"
#include "run/recorder.h"
#include "run/run_here.h"
#include "run/run_vm.h"

#define RANKS_MAX 65536

enum {
	OPT_INSIDE = 256, OPT_MPI, OPT_NP, OPT_PPN, OPT_REPORT, OPT_MEM,
	OPT_SCENARIO, OPT_JUNIT, OPT_TIMEOUT, OPT_RW, OPT_FLAVOR, OPT_USERSPACE,
	OPT_LOG, OPT_NET, OPT_RECORD,
	OPT_INTERVAL, OPT_WEB, OPT_PROGRESS,
};

static const struct option longopts[] = {
	{ "clock", required_argument, NULL, 'c' },
	{ "name", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "report", required_argument, NULL, OPT_REPORT },
	{ "record", required_argument, NULL, OPT_RECORD },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "web", required_argument, NULL, OPT_WEB },
	{ "scenario", required_argument, NULL, OPT_SCENARIO },
	{ "junit", required_argument, NULL, OPT_JUNIT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "mpi", no_argument, NULL, OPT_MPI },
	{ "np", required_argument, NULL, OPT_NP },
	{ "ppn", required_argument, NULL, OPT_PPN },
	{ "net", required_argument, NULL, OPT_NET },
	{ "mem", required_argument, NULL, OPT_MEM },
	{ "rw", required_argument, NULL, OPT_RW },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "flavor", required_argument, NULL, OPT_FLAVOR },
	{ "userspace", required_argument, NULL, OPT_USERSPACE },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "log", required_argument, NULL, OPT_LOG },
	{ "inside", no_argument, NULL, OPT_INSIDE },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_vm(const struct command *cmd, struct run_options *o, int c)
{
	switch (c) {
	case OPT_MEM:
		return run_vm_add(cmd, o, "--mem", optarg);
	case OPT_TIMEOUT:
		return run_vm_add(cmd, o, "--timeout", optarg);
	case OPT_RW:
		return run_vm_add(cmd, o, "--rw", optarg);
	case OPT_FLAVOR:
		o->flavor = optarg;
		return run_vm_add(cmd, o, "--flavor", optarg);
	case OPT_USERSPACE:
		return run_vm_add(cmd, o, "--userspace", optarg);
	case OPT_LOG:
		return run_vm_add(cmd, o, "--log", optarg);
	case OPT_PROGRESS:
		return run_vm_add(cmd, o, "--progress-file", optarg);
	default:
		return EXIT_USAGE;
	}
}

static int parse_number(const struct command *cmd, const char *name,
			unsigned int max, unsigned int *value)
{
	unsigned long long v = 0;
	int ret = cli_number(cmd, name, optarg, 1, max, &v);

	*value = (unsigned int)v;
	return ret;
}

static int parse_net(const struct command *cmd, struct run_options *o)
{
	if (strcmp(optarg, "tcp") && strcmp(optarg, "verbs"))
		return cli_usage(cmd, "--net \"%s\": expected tcp or verbs",
				 optarg);
	o->net = optarg;
	return 0;
}

static int parse_one(const struct command *cmd, struct run_options *o, int c)
{
	switch (c) {
	case 'c':
		o->up.clock = optarg;
		return 0;
	case 'n':
		o->up.name = optarg;
		return 0;
	case 's':
		o->up.seed = optarg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->up.verbose = true;
		return 0;
	case OPT_REPORT:
		o->report = optarg;
		return 0;
	case OPT_RECORD:
		o->record = optarg;
		return 0;
	case OPT_INTERVAL:
		return recorder_interval(cmd, optarg, &o->interval);
	case OPT_WEB:
		return parse_number(cmd, "--web", 65535, &o->web);
	case OPT_SCENARIO:
		o->scenario = optarg;
		return 0;
	case OPT_JUNIT:
		o->junit = optarg;
		return 0;
	case OPT_MPI:
		o->mpi = true;
		return 0;
	case OPT_NP:
		return parse_number(cmd, "--np", RANKS_MAX, &o->np);
	case OPT_PPN:
		return parse_number(cmd, "--ppn", RANKS_MAX, &o->ppn);
	case OPT_NET:
		return parse_net(cmd, o);
	case OPT_INSIDE:
		o->inside = true;
		return 0;
	case 'h':
		exit(cli_help(cmd));
	default:
		return parse_vm(cmd, o, c);
	}
}

/* Options end at "--": what follows belongs to the program. */
static int parse(const struct command *cmd, int argc, char **argv,
		 struct run_options *o)
{
	int c, ret, end = 1;

	while (end < argc && strcmp(argv[end], "--"))
		end++;
	while ((c = getopt_long(end, argv, "qvh", longopts, NULL)) != -1) {
		ret = parse_one(cmd, o, c);
		if (ret)
			return ret;
	}
	if (end - optind != 1)
		return cli_usage(cmd, "expected one TOPOLOGY before --");
	if (end + 1 >= argc)
		return cli_usage(cmd, "expected -- COMMAND");
	if (o->np && !o->mpi)
		return cli_usage(cmd, "--np needs --mpi");
	if (o->interval && !o->record && !o->web)
		return cli_usage(cmd, "--interval needs --record or --web");
	if (o->junit && !o->scenario)
		return cli_usage(cmd, "--junit needs --scenario");
	o->up.topology = argv[optind];
	o->command = argv + end + 1;
	return 0;
}

static bool module_loaded(void)
{
	struct weft_err err;
	struct weft_nl nl;

	if (weft_nl_open(&nl, &err))
		return false;
	weft_nl_close(&nl);
	return true;
}

/* The user's choice, the topology's, or what is there. */
static bool wants_vm(const struct run_options *o, const struct weft_plan *plan)
{
	if (o->inside || cli_on_virtual_clock())
		return false;
	if (o->up.clock || plan->has_clock)
		return !plan->clock;
	return !module_loaded();
}

/* So that a mistake shows before the virtual machine starts. */
static int check_scenario(const struct run_options *o, struct weft_err *err)
{
	struct play play;
	int ret = 0;

	if (o->scenario && !o->inside) {
		ret = play_read(&play, o->scenario, o->up.topology, err);
		play_free(&play);
	}
	return ret;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct run_options o = { .ppn = 1 };
	struct weft_plan plan;
	struct weft_err err;
	bool vm = false;
	int ret;

	ret = parse(cmd, argc, argv, &o);
	if (ret)
		return ret;
	if (bring_up_plan(&o.up, &plan, &err) || check_scenario(&o, &err))
		ret = cli_fail(&err);
	else
		vm = wants_vm(&o, &plan);
	o.seed = plan.fabric.seed;
	weft_plan_free(&plan);
	if (ret)
		return ret;
	return vm ? run_vm(&o) : run_here(&o);
}

const struct command cmd_run = {
	.name = "run",
	.run = run,
	.summary = "bring a topology up, run a program, report, take it away",
	.usage =
"usage: weft run TOPOLOGY [OPTION]... -- COMMAND [ARG]...\n"
"\n"
"Bring TOPOLOGY (a file, or a name from `weft topologies`) up, run COMMAND in its\n"
"first node, print the report, take everything away. mpirun finds the nodes by\n"
"itself; `weft exec` reaches the others.\n"
"\n"
"  --clock virtual|real|real/K|real/auto\n"
"                   default: the topology's choice; else real/auto where the\n"
"                   running kernel has the module, and virtual, in the virtual\n"
"                   machine, elsewhere\n"
"  --seed N         seed of all randomness (default: the topology's, or 1)\n"
"  --report FILE    write the report to FILE as JSON\n"
"  --record FILE    write a recording of the run to FILE: `weft report --html`\n"
"                   makes a page of it\n"
"  --web PORT       serve the web page of the run meanwhile, on 127.0.0.1:PORT; its\n"
"                   address is told\n"
"  --interval T     with --record or --web: fabric time between samples (default\n"
"                   100us, with --web 1ms; doubles whenever a recording is full)\n"
"  --scenario FILE  play FILE meanwhile, and judge what is expected there; also\n"
"                   the name of one that comes with Weft\n"
"  --junit FILE     write what came of that to FILE as JUnit XML\n"
"  -q, --quiet      print neither the report nor progress\n"
"  --ppn N          ranks that mpirun may put on each node (default 1)\n"
"  --mpi            COMMAND is an MPI program: run it with mpirun\n"
"  --np N           with --mpi: ranks (default: nodes x N of --ppn)\n"
"  --net NET        tcp or verbs: which way MPI, UCX, libfabric and NCCL are\n"
"                   told to take (default: $WEFT_NET, or tcp)\n"
"  --name LAB       name of the lab (default: the topology's)\n"
"  -v, --verbose    say each step\n"
"\n"
"For the virtual machine:\n"
"  --mem SIZE       memory\n"
"  --rw DIR         a directory that COMMAND may write to, beside this one\n"
"  --timeout SEC    end it after so much real time\n"
"  --flavor KERNEL  fast (default); debug or kasan, which look for bugs of their\n"
"                   own and of the module: locks and lifetimes, or memory\n"
"  --userspace HOW  how it runs processes: inside (default, or $WEFT_USERSPACE), or\n"
"                   ptrace, which is slower, and used where the host cannot do the\n"
"                   other: weft doctor\n"
"  --log FILE       the kernel's messages\n"
"  --progress FILE  write to FILE each second how far it is: boot, run or end; real\n"
"                   seconds, ns of fabric time, packets that hosts have sent\n"
"\n"
"While COMMAND says nothing, a line on the terminal has the same.\n"
"\n"
"The exit code is COMMAND's; 3 an expectation was not met; 125 weft failed, 126\n"
"COMMAND cannot be run, 127 it is not found; 1 the command line or a file is\n"
"wrong.\n",
};
