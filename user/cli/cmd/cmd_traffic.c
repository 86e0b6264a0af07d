// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft traffic: packets that the fabric itself generates.
 */
#include <errno.h>

#include "add_del.h"
#include "cli.h"
#include "netlink/traffic.h"
#include "print/print_traffic.h"

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

/* Print new traffic from the kernel's state. */
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

/* Start the traffic, and before it create its trigger, if it has one. */
static int begin(struct session *s, struct weft_traffic_plan *plan,
		 struct weft_at *at, uint32_t *group, struct weft_err *err)
{
	if (add_del_trigger(s, at, err))
		return err->code;
	if (!weft_traffic_by(plan, at, err) &&
	    !weft_traffic_start(&s->nl, plan, &s->facts, group, err))
		return 0;
	add_del_untrigger(s, at);
	return err->code;
}

static int add(struct session *s, char **word, struct weft_err *err)
{
	struct weft_traffic_plan plan = { 0 };
	struct weft_at at = { 0 };
	uint32_t group = 0;
	int ret;

	ret = weft_traffic_parse_pattern(&plan, *word++, err);
	if (!ret)
		ret = add_del_at(word, &at, err);
	for (; !ret && *word; word++)
		ret = weft_traffic_parse_word(&plan, *word, err);
	if (!ret)
		ret = weft_traffic_complete(&plan, err);
	if (!ret)
		ret = begin(s, &plan, &at, &group, err);
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
				   "there is no traffic %u: `weft traffic list` lists them",
				   group);
	ret = ret ? cli_fail(err) :
		    print_groups(s, list, n, print_traffic_done);
	weft_traffic_list_free(list, n);
	return ret;
}

static json_t *all_json(const struct weft_facts *facts)
{
	return weft_traffic_json(facts, facts->traffic, facts->traffics);
}

static const struct add_del traffic = {
	.number = "the number of traffic",
	.words = "PATTERN",
	.least = 1,
	.add = add,
	.del = del,
	.del_all = del_all,
	.json = all_json,
	.print = print_traffic,
};

static int run(const struct command *cmd, int argc, char **argv)
{
	return add_del_run(cmd, &traffic, argc, argv);
}

const struct command cmd_traffic = {
	.name = "traffic",
	.run = run,
	.summary = "background traffic that the fabric generates",
	.usage =
"usage: weft traffic add PATTERN [KEY=VALUE]... [--lab LAB] [--json]\n"
"       weft traffic del ID|--all [--lab LAB] [--json]\n"
"       weft traffic list [--lab LAB] [--json]\n"
"\n"
"The fabric generates packets that no process sends or receives. They take wire,\n"
"buffer and credit like any other, and are freed where they arrive.\n"
"\n"
"PATTERN, and what it takes:\n"
"  incast to= from=       many send to one (from: default all others)\n"
"  permutation from=      each sends to another one, each receives (default all)\n"
"  all-to-all from= order= each sends to all others\n"
"  on-off from= to= on= off= the first to the first, the second to the second\n"
"  trace file=            lines time_us,src,dst,bytes\n"
"\n"
"Names are those of nodes or NICs, host[0-7],host9.eth1 or all.\n"
"\n"
"and all: sl=N (service level or priority), size=BYTES of a frame (default: the\n"
"MTU's), depth=N packets that wait at a NIC, window=N packets in the fabric,\n"
"start=TIME of the fabric, or start=+TIME from now on, or at=WHEN (as of weft\n"
"fault), seed=N;\n"
"all but trace: rate=RATE on the wire of each NIC (default as fast as possible),\n"
"on=TIME off=TIME times=fixed|exponential, duration=TIME, bytes=SIZE of each.\n"
"order=turn|random chooses the receiver.\n"
"\n"
"  -a, --all      all traffic of the lab\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n"
"  -j, --json     as JSON\n"
"  -p, --pretty   JSON with indents\n",
};
