// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft fault: let links and switches fail for a time, and remove such faults.
 */
#include "add_del.h"
#include "cli.h"
#include "netlink/fault.h"
#include "print/print_faults.h"

static int print_one(struct session *s, const struct weft_fault *fault,
		     void (*print)(FILE *f, json_t *fault))
{
	return add_del_print(s, weft_fault_json(&s->facts, fault), print);
}

/* Create the fault, and before it its trigger, if it has one. */
static int begin(struct session *s, struct weft_fault *fault,
		 struct weft_at *at, struct weft_err *err)
{
	if (add_del_trigger(s, at, err))
		return err->code;
	if (!weft_fault_by(fault, at, err) &&
	    !weft_fault_new(&s->nl, fault, err))
		return 0;
	add_del_untrigger(s, at);
	return err->code;
}

static int add(struct session *s, char **word, struct weft_err *err)
{
	struct weft_fault fault = { 0 };
	const char *kind = word[0];
	struct weft_at at = { 0 };
	char **words = word + 2;
	int ret;

	ret = weft_fault_parse_kind(&fault, kind, err);
	if (!ret)
		ret = weft_fault_parse_place(&fault, word[1], &s->facts, err);
	if (!ret)
		ret = add_del_at(words, &at, err);
	for (word = words; !ret && *word; word++)
		ret = weft_fault_parse_word(&fault, *word, &s->facts, err);
	if (!ret)
		ret = weft_fault_complete(&fault, kind, err);
	if (!ret)
		ret = begin(s, &fault, &at, err);
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
	json_t *all = json_array(), *o;
	int ret = 0;
	size_t k;

	for (unsigned int i = 0; !ret && i < s->facts.faults; i++) {
		struct weft_fault fault = {
			.fabric = s->facts.fabric.id, .id = s->facts.fault[i].id,
		};

		ret = weft_fault_del(&s->nl, &fault, err);
		if (!ret)
			json_array_append_new(all, weft_fault_json(&s->facts, &fault));
	}
	if (!ret && s->json)
		return cli_json(all);
	if (!s->json)
		json_array_foreach(all, k, o)
			print_fault_done(stdout, o);
	json_decref(all);
	return ret ? cli_fail(err) : cli_done();
}

static const struct add_del faults = {
	.number = "the number of a fault",
	.words = "KIND WHERE",
	.least = 2,
	.add = add,
	.del = del,
	.del_all = del_all,
	.json = weft_faults_json,
	.print = print_faults,
};

static int run(const struct command *cmd, int argc, char **argv)
{
	return add_del_run(cmd, &faults, argc, argv);
}

const struct command cmd_fault = {
	.name = "fault",
	.run = run,
	.summary = "make links, NICs and switches fail for a time",
	.usage =
"usage: weft fault add KIND WHERE [KEY=VALUE]... [--lab LAB] [--json]\n"
"       weft fault del ID|--all [--lab LAB] [--json]\n"
"       weft fault list [--lab LAB] [--json]\n"
"\n"
"WHERE is a link's name, a NIC (NODE.ethN) or a port (SWITCH:PORT): both wires of\n"
"the link. \"A>B\" is only the wire from A to B, \"A<>B\" both between these two.\n"
"hang and slow affect a NIC, pause-storm and ecn the port that sends, the last\n"
"seven kinds a switch.\n"
"\n"
"KIND, and what it takes:\n"
"  down                        the link is down\n"
"  flap duration= period=      it is down for duration=, each period=\n"
"  rate rate=|lanes=           it carries at most that rate, or loses lanes\n"
"  delay delay= jitter=        packets arrive later, in order\n"
"  loss probability= burst=    frames are lost; burst: mean number in a row\n"
"  corrupt ber=                bit errors\n"
"  duplicate probability=      packets arrive twice; not on links with credits\n"
"  reorder probability= delay= packets are overtaken; not on links with credits\n"
"  credit-loss probability=    credits are lost, packets are not; with credits\n"
"  pause-storm classes=        the far end stays paused; with pauses\n"
"  hang                        a NIC neither sends packets nor takes any\n"
"  slow rate=                  its host takes at most rate=; without it, nothing\n"
"  ecn kmax= kmin= pmax= classes= a switch marks by these thresholds\n"
"  blackhole dst= flows=       the switch drops packets to a NIC, to all NICs of\n"
"                              a node (dst=, more than once), or all; flows: a\n"
"                              share of the flows\n"
"  forget                      it has no routes\n"
"  misroute port= dst= flows=  it sends these packets through another port\n"
"  reboot                      it and all its links are down; packets are lost\n"
"  buffer size=                its shared buffer is smaller; not with credits\n"
"  sharp-down                  it loses what it is to reduce (run --net sharp)\n"
"  sharp-slow delay=           it takes longer to reduce\n"
"\n"
"and all: start=TIME of the fabric, or start=+TIME from now on (default now), or\n"
"at=WHEN; duration=TIME (default until it is removed); period=TIME and count=N to\n"
"repeat; seed=N. Removal restores the link or switch.\n"
"\n"
"WHEN is a trigger: what programs do begins it. after=TIME delays that.\n"
"  mark=NAME,after=TIME              a program marks this phase (weft mark)\n"
"  phase=traffic-N,after=TIME        the N-th phase by traffic begins\n"
"  traffic=NIC,above=RATE,after=TIME it sends 256 KiB (least=SIZE) above RATE\n"
"  bytes=SIZE,of=NIC,after=TIME      it has sent so much from now on\n"
"\n"
"  -a, --all      all faults of the lab\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n"
"  -j, --json     as JSON\n"
"  -p, --pretty   JSON with indents\n",
};
