// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft run: bring a topology up, run a program, report, take it down.
 *
 * If the running kernel has the module, all of it happens there. Without the module, or
 * with the virtual clock, the command starts itself again inside the virtual machine,
 * with --inside.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli.h"
#include "lab/lab_net.h"
#include "netlink/nl.h"
#include "run/play.h"
#include "run/recorder.h"
#include "run/run_here.h"
#include "run/run_vm.h"

#define RANKS_MAX 65536

/* Values that are parsed after all options are read. */
struct texts {
	const char *interval, *web, *np, *ppn;
};

static int parse_number(const struct command *cmd, const char *name,
			const char *text, unsigned int max, unsigned int *value)
{
	unsigned long long v = *value;
	int ret = text ? cli_number(cmd, name, text, 1, max, &v) : 0;

	*value = (unsigned int)v;
	return ret;
}

/* The parsed words refer to a copy of the text, which is never freed. */
static int parse_phases(const struct command *cmd, struct run_options *o)
{
	char *text = o->phases ? strdup(o->phases) : NULL;
	struct weft_err err;

	if (o->phases && !text) {
		weft_err_nomem(&err);
		return cli_fail(&err);
	}
	if (!text || !weft_phase_words_parse(&o->phase_words, text, &err))
		return 0;
	return cli_usage(cmd, "--phases %s: %s", o->phases, err.msg);
}

static int parse_texts(const struct command *cmd, const struct texts *text,
		       struct run_options *o)
{
	if (text->interval && recorder_interval(cmd, text->interval, &o->interval))
		return EXIT_USAGE;
	if (o->net && !weft_lab_net_is_known(o->net))
		return cli_usage(cmd, "--net \"%s\": expected " WEFT_LAB_NETS, o->net);
	return parse_phases(cmd, o) ||
	       parse_number(cmd, "--web", text->web, 65535, &o->web) ||
	       parse_number(cmd, "--np", text->np, RANKS_MAX, &o->np) ||
	       parse_number(cmd, "--ppn", text->ppn, RANKS_MAX, &o->ppn);
}

static int check(const struct command *cmd, const struct run_options *o)
{
	if (o->np && !o->mpi)
		return cli_usage(cmd, "--np needs --mpi");
	if (o->interval && !o->record && !o->web)
		return cli_usage(cmd, "--interval needs --record or --web");
	if (o->junit && !o->scenario)
		return cli_usage(cmd, "--junit needs --scenario");
	return 0;
}

/* Options end at "--"; the words after it are the program's. */
static int parse(const struct command *cmd, int argc, char **argv,
		 struct run_options *o, int *code)
{
	struct texts text = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("clock", &o->up.clock), CLI_TEXT("name", &o->up.name),
		CLI_TEXT("seed", &o->up.seed), CLI_TEXT("report", &o->report),
		CLI_TEXT("record", &o->record), CLI_TEXT("interval", &text.interval),
		CLI_TEXT("web", &text.web), CLI_TEXT("phases", &o->phases),
		CLI_TEXT("scenario", &o->scenario),
		CLI_TEXT("junit", &o->junit), CLI_FLAG("quiet", &o->quiet),
		CLI_FLAG("mpi", &o->mpi), CLI_TEXT("np", &text.np),
		CLI_TEXT("ppn", &text.ppn), CLI_TEXT("net", &o->net),
		CLI_EACH("mem", run_vm_add, o), CLI_EACH("rw", run_vm_add, o),
		CLI_EACH("timeout", run_vm_add, o),
		CLI_EACH("flavor", run_vm_add, o),
		CLI_EACH("userspace", run_vm_add, o),
		CLI_EACH("log", run_vm_add, o),
		CLI_EACH("progress", run_vm_add, o),
		CLI_INTERNAL("inside", &o->inside), CLI_FLAG("verbose", &o->up.verbose),
		CLI_END,
	};
	int end = 1;

	while (end < argc && strcmp(argv[end], "--"))
		end++;
	if (!cli_options(cmd, end, argv, opt, code))
		return -1;
	if (end == optind)
		*code = cli_usage(cmd, "expected TOPOLOGY before --");
	else if (end + 1 >= argc)
		*code = cli_usage(cmd, "expected -- COMMAND");
	else
		*code = parse_texts(cmd, &text, o) || check(cmd, o);
	cli_topology(&o->up.topology, end, argv);
	o->command = argv + end + 1;
	return *code ? -1 : 0;
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

/* The clock is the user's choice, else the topology's, else the module decides. */
static bool wants_vm(const struct run_options *o, const struct weft_plan *plan)
{
	if (o->inside || cli_on_virtual_clock())
		return false;
	if (o->up.clock || plan->has_clock)
		return !plan->clock;
	return !module_loaded();
}

/* Find mistakes in the scenario before the virtual machine starts. */
static int check_scenario(const struct run_options *o, struct weft_err *err)
{
	struct play play;
	int ret = 0;

	if (o->scenario && !o->inside) {
		ret = play_read(&play, o->scenario, &o->up.topology, err);
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

	if (parse(cmd, argc, argv, &o, &ret))
		return ret ? EXIT_RUN_FAILED : 0;
	if (bring_up_plan(&o.up, &plan, &err) || check_scenario(&o, &err))
		ret = cli_fail(&err);
	else
		vm = wants_vm(&o, &plan);
	o.seed = plan.fabric.seed;
	weft_plan_free(&plan);
	if (ret)
		return EXIT_RUN_FAILED;
	if (!vm && o.vm_options) {
		cli_usage(cmd, "on a real clock there is no virtual machine: --mem, --rw, --timeout, --flavor, --userspace, --log and --progress need it");
		return EXIT_RUN_FAILED;
	}
	return vm ? run_vm(&o) : run_here(&o);
}

const struct command cmd_run = {
	.name = "run",
	.run = run,
	.summary = "bring a topology up, run a program, report, take it down",
	.usage =
"usage: weft run TOPOLOGY [KEY=VALUE]... [OPTION]... -- COMMAND [ARG]...\n"
"\n"
"Bring TOPOLOGY (a file, or a name from `weft topologies`) up, run COMMAND in its\n"
"first node, print the report, take everything down. mpirun finds the nodes by\n"
"itself; `weft exec` reaches the others.\n"
"\n"
"      --clock virtual|real|real/K|real/auto\n"
"                       default: the topology's choice; else real/auto if the\n"
"                       running kernel has the module; else virtual, in the\n"
"                       virtual machine\n"
"      --seed N         seed of all randomness (default: the topology's, or 1)\n"
"      --report FILE    write the report to FILE as JSON\n"
"      --record FILE    write a recording of the run to FILE: `weft report\n"
"                       --html` makes a page of it\n"
"      --web PORT       serve the web page during the run, on 127.0.0.1:PORT;\n"
"                       print its address first\n"
"      --interval T     with --record or --web: fabric time between samples\n"
"                       (default 100us, with --web 1ms; doubles whenever a\n"
"                       recording is full)\n"
"      --phases RULE    when traffic makes a phase of the report: auto\n"
"                       (default), none, or above=RATE, least=SIZE, quiet=TIME\n"
"                       and ports=NIC,NIC with commas between them. auto: a\n"
"                       tenth of the rate of the slowest host's link; 256KiB;\n"
"                       the time that the link takes for 512KiB, or 1ms on a\n"
"                       real clock; all NICs\n"
"      --scenario FILE  play FILE during the run and judge its expectations;\n"
"                       FILE may be the name of a scenario that comes with Weft\n"
"      --junit FILE     write the results of the expectations to FILE as JUnit\n"
"                       XML\n"
"  -q, --quiet          print neither the report nor progress\n"
"      --ppn N          ranks that mpirun may put on each node (default 1)\n"
"      --mpi            COMMAND is an MPI program: run it with mpirun\n"
"      --np N           with --mpi: ranks (default: nodes x N of --ppn)\n"
"      --net NET        tcp or verbs: the transport that MPI, UCX, libfabric and\n"
"                       NCCL are set to use; efa: libfabric, and MPI by it, over\n"
"                       NICs of the EFA kind; sharp: verbs, and switches of\n"
"                       InfiniBand reduce; nvls: switches of NVLink do\n"
"                       (default: $WEFT_NET, or tcp)\n"
"      --name LAB       name of the lab (default: the topology's)\n"
"  -v, --verbose        print each step, and all of the report: also wires and\n"
"                       NICs that are idle or alike\n"
"\n"
"For the virtual machine:\n"
"      --mem SIZE       memory, such as 8G (default 4G)\n"
"      --rw DIR         a directory that COMMAND may write to, besides this one\n"
"      --timeout SEC    end the run after SEC seconds of real time; `timeout`\n"
"                       inside counts fabric time, which can be minutes of real\n"
"                       time\n"
"      --flavor KERNEL  fast (default); debug or kasan, which check the kernel\n"
"                       and the module: locks and lifetimes, or memory accesses\n"
"      --userspace HOW  how processes run: inside (default, or $WEFT_USERSPACE),\n"
"                       or ptrace, which is slower, and used if the host does\n"
"                       not support inside (see weft doctor)\n"
"      --log FILE       write the kernel's messages to FILE\n"
"      --progress FILE  write progress to FILE each second: boot, run or end;\n"
"                       real seconds, ns of fabric time, packets that hosts have\n"
"                       sent\n"
"\n"
"While COMMAND prints nothing, a line on the terminal shows the same.\n"
"\n"
"The exit code is COMMAND's, 128+n if signal n ended it; or 123 an expectation\n"
"was not met, 124 the time of --timeout is over, 125 weft failed or the command\n"
"line or a file is wrong, 126 COMMAND cannot be run, 127 it is not found.\n",
};
