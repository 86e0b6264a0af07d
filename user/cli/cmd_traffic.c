// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft traffic: have the fabric make packets by itself.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "print_traffic.h"
#include "report.h"
#include "traffic.h"
#include "units.h"

/**
 * struct session - a lab, and a socket to its fabric
 * @facts: the lab
 * @nl: the socket
 * @json: print JSON
 */
struct session {
	struct weft_facts facts;
	struct weft_nl nl;
	bool json;
};

static int print_groups(struct session *s, const struct weft_traffic *list,
			unsigned int n, void (*print)(FILE *f, json_t *group))
{
	json_t *all = weft_traffic_json(&s->facts, list, n), *o;
	size_t i;

	if (s->json)
		return cli_json(all);
	json_array_foreach(all, i, o)
		print(stdout, o);
	json_decref(all);
	return cli_done();
}

/* What has just begun, as the kernel has it. */
static int print_begun(struct session *s, uint32_t group, struct weft_err *err)
{
	struct weft_traffic *list;
	unsigned int n, found = 0;
	int ret;

	ret = weft_traffic_list(&s->nl, s->facts.fabric.id, &list, &n, err);
	for (unsigned int i = 0; i < n; i++) {
		struct weft_traffic t = list[i];

		if (t.group != group)
			continue;
		list[i] = list[found];
		list[found++] = t;
	}
	ret = ret ? cli_fail(err) :
		    print_groups(s, list, found, print_traffic_plan);
	weft_traffic_list_free(list, n);
	return ret;
}

static int add(struct session *s, char **word, struct weft_err *err)
{
	struct weft_traffic_plan plan = { 0 };
	uint32_t group;
	int ret;

	ret = weft_traffic_parse_pattern(&plan, *word++, err);
	for (; !ret && *word; word++)
		ret = weft_traffic_parse_word(&plan, *word, err);
	if (!ret)
		ret = weft_traffic_complete(&plan, err);
	if (!ret)
		ret = weft_traffic_start(&s->nl, &plan, &s->facts, &group, err);
	return ret ? cli_fail(err) : print_begun(s, group, err);
}

static int del_all(struct session *s, struct weft_err *err)
{
	struct weft_facts *f = &s->facts;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < f->traffics; i++)
		ret = weft_traffic_del(&s->nl, &f->traffic[i], err);
	return ret ? cli_fail(err) :
		     print_groups(s, f->traffic, f->traffics,
				  print_traffic_done);
}

static int del(struct session *s, uint32_t group, struct weft_err *err)
{
	struct weft_traffic *list;
	unsigned int n;
	int ret;

	ret = weft_traffic_stop(&s->nl, s->facts.fabric.id, group, &list, &n,
				err);
	if (!ret && !n)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				   "there is no traffic %u: `weft traffic list` has them",
				   group);
	ret = ret ? cli_fail(err) :
		    print_groups(s, list, n, print_traffic_done);
	weft_traffic_list_free(list, n);
	return ret;
}

static int del_word(struct session *s, const char *word, struct weft_err *err)
{
	uint64_t group;

	if (!weft_parse_number(word, &group, err) && group <= UINT32_MAX)
		return del(s, (uint32_t)group, err);
	weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
		     "\"%.40s\": expected the number of traffic: `weft traffic list` has them",
		     word);
	return cli_fail(err);
}

static int list(struct session *s)
{
	json_t *all = weft_traffic_json(&s->facts, s->facts.traffic,
					s->facts.traffics);

	if (s->json)
		return cli_json(all);
	print_traffic(stdout, all);
	json_decref(all);
	return cli_done();
}

static int act(struct session *s, char **word, bool all, struct weft_err *err)
{
	if (!strcmp(*word, "add"))
		return add(s, word + 1, err);
	if (!strcmp(*word, "list"))
		return list(s);
	return all ? del_all(s, err) : del_word(s, word[1], err);
}

static int session_open(struct session *s, const struct weft_lab *lab,
			struct weft_err *err)
{
	int ret = weft_facts_read(&s->facts, lab, err);

	return ret ? ret : weft_lab_nl(lab, &s->nl, err);
}

static int act_in(const char *lab_name, char **word, bool all, bool json)
{
	struct session s = { .json = json };
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (cli_lab(&lab, lab_name, &err))
		return cli_fail(&err);
	if (session_open(&s, &lab, &err)) {
		ret = cli_fail(&err);
	} else {
		ret = act(&s, word, all, &err);
		weft_nl_close(&s.nl);
	}
	weft_facts_free(&s.facts);
	weft_lab_close(&lab);
	return ret;
}

/* How many words, at least and at most, are behind the first. */
static bool words_fit(const char *what, int n, bool all)
{
	if (!strcmp(what, "add"))
		return n >= 1 && !all;
	if (!strcmp(what, "del"))
		return n == !all;
	return !n && !all && !strcmp(what, "list");
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *lab_name = NULL;
	bool all = false, json = false;
	const struct cli_option opt[] = {
		{ "lab", NULL, &lab_name }, { "all", &all, NULL },
		{ "json", &json, NULL }, { NULL, NULL, NULL },
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (optind == argc)
		return cli_usage(cmd, "expected add, del or list");
	if (!words_fit(argv[optind], argc - optind - 1, all))
		return cli_usage(cmd, "expected add PATTERN, del ID or --all, or list");
	return act_in(lab_name, argv + optind, all, json);
}

const struct command cmd_traffic = {
	.name = "traffic",
	.run = run,
	.summary = "have the fabric make background traffic by itself",
	.usage =
"usage: weft traffic add PATTERN [KEY=VALUE]... [--lab LAB] [--json]\n"
"       weft traffic del ID|--all [--lab LAB] [--json]\n"
"       weft traffic list [--lab LAB] [--json]\n"
"\n"
"Packets that no process sends or receives; they take wire, buffer and credit like\n"
"any other, and are gone where they arrive.\n"
"\n"
"PATTERN, and what it takes:\n"
"  incast to= from=       many send to one (from: default all others)\n"
"  permutation from=      each sends to another one, each receives (default all)\n"
"  all-to-all from= order= each sends to all others\n"
"  on-off from= to= on= off= the first to the first, the second to the second, ...\n"
"  trace file=            lines time_us,src,dst,bytes\n"
"\n"
"Names are those of nodes or NICs, host[0-7],host9.eth1 or all.\n"
"\n"
"and all: sl=N (service level or priority), size=BYTES of a frame (default that of\n"
"the MTU), depth=N packets that wait at a NIC, window=N packets in the fabric,\n"
"start=TIME of the fabric, or start=+TIME from now on, seed=N;\n"
"but trace: rate=RATE on the wire of each NIC (default as fast as it can),\n"
"on=TIME off=TIME times=fixed|exponential, duration=TIME, bytes=SIZE of each.\n"
"order=turn|random: whom to send to.\n"
"\n"
"  --all      all traffic of the lab\n"
"  --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n"
"  --json     as JSON\n",
};
