// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft fault: have links and switches fail, for a time, and take that back.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fault.h"
#include "print_faults.h"
#include "report.h"
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

static int print_one(struct session *s, const struct weft_fault *fault,
		     void (*print)(FILE *f, json_t *fault))
{
	json_t *o = weft_fault_json(&s->facts, fault);

	if (s->json)
		return cli_json(o);
	print(stdout, o);
	json_decref(o);
	return cli_done();
}

static int add(struct session *s, char **word, struct weft_err *err)
{
	struct weft_fault fault = { 0 };
	const char *kind = word[0];
	int ret;

	ret = weft_fault_parse_kind(&fault, kind, err);
	if (!ret)
		ret = weft_fault_parse_place(&fault, word[1], &s->facts, err);
	for (word += 2; !ret && *word; word++)
		ret = weft_fault_parse_word(&fault, *word, &s->facts, err);
	if (!ret)
		ret = weft_fault_complete(&fault, kind, err);
	if (!ret)
		ret = weft_fault_new(&s->nl, &fault, err);
	if (!ret)
		ret = weft_fault_get(&s->nl, &fault, err);
	return ret ? cli_fail(err) : print_one(s, &fault, print_fault_plan);
}

static int del(struct session *s, uint32_t id, struct weft_err *err)
{
	struct weft_fault fault = { .fabric = s->facts.fabric.id, .id = id };

	if (weft_fault_del(&s->nl, &fault, err))
		return cli_fail(err);
	return print_one(s, &fault, print_fault_done);
}

static int del_all(struct session *s, struct weft_err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < s->facts.faults; i++)
		ret = del(s, s->facts.fault[i].id, err);
	return ret;
}

static int del_word(struct session *s, const char *word, struct weft_err *err)
{
	uint64_t id;

	if (!weft_parse_number(word, &id, err) && id <= UINT32_MAX)
		return del(s, (uint32_t)id, err);
	weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
		     "\"%.40s\": expected the number of a fault: `weft fault list` has them",
		     word);
	return cli_fail(err);
}

static int list(struct session *s)
{
	json_t *all = weft_faults_json(&s->facts);

	if (s->json)
		return cli_json(all);
	print_faults(stdout, all);
	json_decref(all);
	return cli_done();
}

static int session_open(struct session *s, const struct weft_lab *lab,
			struct weft_err *err)
{
	int ret = weft_facts_read(&s->facts, lab, err);

	return ret ? ret : weft_lab_nl(lab, &s->nl, err);
}

static int act(struct session *s, char **word, bool all, struct weft_err *err)
{
	if (!strcmp(*word, "add"))
		return add(s, word + 1, err);
	if (!strcmp(*word, "list"))
		return list(s);
	return all ? del_all(s, err) : del_word(s, word[1], err);
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
		return n >= 2 && !all;
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
		return cli_usage(cmd, "expected add KIND WHERE, del ID or --all, or list");
	return act_in(lab_name, argv + optind, all, json);
}

const struct command cmd_fault = {
	.name = "fault",
	.run = run,
	.summary = "have links and switches fail for a time, and take it back",
	.usage =
"usage: weft fault add KIND WHERE [KEY=VALUE]... [--lab LAB] [--json]\n"
"       weft fault del ID|--all [--lab LAB] [--json]\n"
"       weft fault list [--lab LAB] [--json]\n"
"\n"
"WHERE is a link's name, a NIC's (NODE.ethN) or a port's (SWITCH:PORT): both its\n"
"wires. \"A>B\" is the wire from A to B only, \"A<>B\" both between these two. hang\n"
"and slow are of a NIC, pause-storm and ecn of the port that sends, the last five\n"
"kinds of a switch.\n"
"\n"
"KIND, and what it takes:\n"
"  down                        the link is down\n"
"  flap duration= period=      it is down for that long, that often\n"
"  rate rate=|lanes=           it carries at most that, or loses lanes\n"
"  delay delay= jitter=        packets come later, in order\n"
"  loss probability= burst=    frames are lost; burst: mean number in a row\n"
"  corrupt ber=                bit errors\n"
"  duplicate probability=      packets come twice; not on links with credits\n"
"  reorder probability= delay= packets are overtaken; not on links with credits\n"
"  credit-loss probability=    credits are lost, packets are not; with credits\n"
"  pause-storm classes=        the far end is paused without end; with pauses\n"
"  hang                        a NIC neither sends packets nor takes any\n"
"  slow rate=                  its host takes so much; without a rate, nothing\n"
"  ecn kmax= kmin= pmax= classes= a switch marks by these thresholds\n"
"  blackhole dst= flows=       the switch drops what is for a NIC, all of a node\n"
"                              (dst=, more than once), or all; flows: a share\n"
"  forget                      it has no routes\n"
"  misroute port= dst= flows=  it sends that through another port\n"
"  reboot                      it and all its links are down, what it holds is lost\n"
"  buffer size=                its shared buffer is smaller; not with credits\n"
"\n"
"and all: start=TIME of the fabric, or start=+TIME from now on (default now);\n"
"duration=TIME (default until it is removed); period=TIME and count=N to repeat;\n"
"seed=N. Removal leaves the link or switch as it would be without.\n"
"\n"
"  --all      all faults of the lab\n"
"  --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n"
"  --json     as JSON\n",
};
