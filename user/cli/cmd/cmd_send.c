// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft send: the messages of a workload, sent in a lab by verbs or TCP.
 */
#include <string.h>

#include "cli.h"
#include "lab/lab_sources.h"
#include "messages/messages.h"
#include "print/plot_flows.h"
#include "print/print_flows.h"
#include "run/recorder.h"
#include "run/workloads.h"
#include "signals.h"

/**
 * struct sending - the command line, and the lab
 */
struct sending {
	struct workloads workloads;
	const char *lab_name;
	const char *cdf;
	const char *transport;
	struct weft_messages_options how;
	struct weft_lab lab;
	struct weft_topo topo;
	struct weft_plan plan;
	struct weft_work work;
};

static int parse_net(const struct command *cmd, const char *net, struct sending *s)
{
	static const char *const words[] = {
		[WEFT_BY_ANY] = "any", [WEFT_BY_VERBS] = "verbs", [WEFT_BY_TCP] = "tcp",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!net || !strcmp(net, words[i])) {
			s->how.by = (enum weft_messages_by)i;
			return 0;
		}
	return cli_usage(cmd, "--net %s: expected any, verbs or tcp", net);
}

static int parse_values(const struct command *cmd, const char *period, struct sending *s)
{
	struct reliable r;

	if (workloads_values(cmd, &s->workloads, &r) ||
	    (period && cli_duration(cmd, "--for", period, &s->how.until)))
		return EXIT_USAGE;
	s->how.sl = r.sl;
	s->how.ack_timeout = r.ack_timeout;
	s->how.retries = r.retries;
	return 0;
}

static int parse(const struct command *cmd, int argc, char **argv, struct sending *s, int *code)
{
	const char *period = NULL, *net = NULL;
	const struct cli_option opt[] = {
		WORKLOADS_OPTIONS(&s->workloads), CLI_TEXT("for", &period),
		CLI_TEXT("net", &net),
		CLI_TEXT("lab", &s->lab_name), CLI_TEXT("cdf", &s->cdf),
		CLI_END,
	};

	if (!cli_options(cmd, argc, argv, opt, code))
		return -1;
	*code = parse_net(cmd, net, s);
	if (!*code)
		*code = parse_values(cmd, period, s);
	if (!*code)
		*code = cli_no_words(cmd, argc, argv);
	return *code ? -1 : 0;
}

static int read_dilation(struct sending *s, struct weft_err *err)
{
	struct weft_fabric f;
	struct weft_nl nl;
	int ret;

	if (weft_lab_nl(&s->lab, &nl, err))
		return err->code;
	ret = weft_fabric_find(&nl, s->lab.name, &f, err);
	s->how.dilation = f.dilation;
	weft_fabric_free(&f);
	weft_nl_close(&nl);
	return ret;
}

static json_t *all_json(const struct sending *s)
{
	json_t *all = flows_json(&s->plan, &s->work, s->transport, workloads_table(&s->workloads));

	if (!all)
		return NULL;
	json_object_set_new(all, "lab", json_string(s->lab.name));
	json_object_set_new(all, "sl", json_integer(s->how.sl));
	return all;
}

static int give(const struct sending *s, struct weft_err *err)
{
	if (s->cdf && plot_flows(s->cdf, s->plan.fabric.name, &s->work, err))
		return cli_fail(err);
	if (s->workloads.csv)
		return print_flows_csv(&s->plan, &s->work, workloads_table(&s->workloads));
	if (s->workloads.json)
		return cli_json(all_json(s));
	return print_flows(&s->plan, &s->work, s->transport, NULL, workloads_table(&s->workloads));
}

static int send_all(struct sending *s, struct weft_err *err)
{
	if (s->cdf && recorder_try(s->cdf, err))
		return err->code;
	if (cli_lab(&s->lab, s->lab_name, err) ||
	    weft_lab_plan(&s->lab, &s->topo, &s->plan, err) ||
	    workloads_read(&s->workloads, &s->plan, &s->work, err) || read_dilation(s, err))
		return err->code;
	s->how.hold = signals_hold;
	s->how.stop = signals_came;
	return weft_messages_run(&s->lab, &s->plan, &s->work, &s->how, &s->transport, err);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct sending s = { .lab_name = NULL };
	struct weft_err err;
	int ret;

	if (parse(cmd, argc, argv, &s, &ret))
		return ret;
	ret = send_all(&s, &err) ? cli_fail(&err) : give(&s, &err);
	weft_work_free(&s.work);
	weft_plan_free(&s.plan);
	weft_topo_free(&s.topo);
	weft_lab_close(&s.lab);
	return ret;
}

const struct command cmd_send = {
	.name = "send",
	.run = run,
	.summary = "a workload in a lab, by verbs or TCP, without programs",
	.usage =
"usage: weft send --workload WORKLOAD [OPTION]... [--lab LAB]\n"
"\n"
"Send the messages of WORKLOAD between the nodes of a lab, beside programs, and\n"
"print when each ends. WORKLOAD is as of weft simulate: a file, or\n"
"COLLECTIVE:ALGORITHM:SIZE as in allreduce:ring:64MiB, training:MODEL, or\n"
"poisson:SIZES:LOAD:TIME, and @NODES behind it. Documentation/traffic.rst has\n"
"the laws.\n"
"\n"
"      --workload WORKLOAD  what is sent; more than once: jobs that run at the\n"
"                         same time, and when each has ended\n"
"      --net NET          verbs, tcp, or any: verbs where both NICs have RDMA\n"
"                         devices, else TCP (default any)\n"
"      --sl N             service level of all packets, the priority on Ethernet\n"
"                         (default 0)\n"
"      --ack-timeout N    packets are sent again without acknowledgement for\n"
"                         4096 ns * 2^N; 0: never (default 14: 67 ms)\n"
"      --retries N        it fails after so many tries without an acknowledgement\n"
"                         (default 7)\n"
"      --for T            end after T of fabric time\n"
"      --cdf FILE         draw the distributions of times and slowdowns to FILE\n"
"                         as SVG, by size, or by job\n"
"      --summary          no table of messages\n"
"      --critical         list only the messages of the critical path\n"
"      --csv              the table as CSV, times in ps\n"
"  -l, --lab LAB          the lab (default: $WEFT_LAB, or the only one)\n"
"  -j, --json             as JSON\n"
"  -p, --pretty           JSON with indents\n",
};
