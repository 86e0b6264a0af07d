// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft set: change a NIC, a link or the fabric of a lab while programs run.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "facts/phase_rule.h"
#include "facts/setting.h"
#include "netlink/fabric.h"
#include "netlink/link.h"
#include "netlink/nic.h"
#include "packet/capture_point.h"

static int set_nic_words(struct weft_nic *nic, char **word,
			 struct weft_err *err)
{
	int ret = 0;

	for (; !ret && *word; word += 2) {
		if (!word[1])
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "%.40s: expected a value after it",
					    *word);
		ret = weft_setting_nic_word(nic, *word, word[1], err);
	}
	return ret;
}

static int change_nic(struct weft_nl *nl, uint32_t fabric, const char *name,
		      char **word, struct weft_err *err)
{
	const struct weft_nic *found;
	struct weft_nic *list = NULL, nic;
	unsigned int n = 0;
	int ret;

	ret = weft_nic_list(nl, fabric, &list, &n, err);
	found = ret ? NULL : weft_setting_nic(list, n, name, err);
	if (found) {
		nic = *found;
		nic.has = 0;
		nic.verbs = (struct weft_verbs) { 0 };
		ret = set_nic_words(&nic, word, err);
		if (!ret)
			ret = weft_nic_set(nl, &nic, err);
	} else if (!ret) {
		ret = err->code;
	}
	weft_nic_list_free(list, n);
	return ret;
}

static int set_nic(const struct weft_lab *lab, const char *name, char **word,
		   struct weft_err *err)
{
	struct weft_nl nl;
	uint32_t fabric;
	int ret;

	ret = weft_lab_fabric(lab, &nl, &fabric, err);
	if (ret)
		return ret;
	ret = change_nic(&nl, fabric, name, word, err);
	weft_nl_close(&nl);
	return ret;
}

static int set_link_words(struct weft_wire *w, char **word,
			  struct weft_err *err)
{
	int ret = 0;

	while (!ret && *word) {
		const char *key = *word++;

		if (!strcmp(key, "up") || !strcmp(key, "down")) {
			w->has |= WEFT_WIRE_HAS_UP;
			w->up = *key == 'u';
		} else if (strcmp(key, "rate") && strcmp(key, "lanes-up")) {
			ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					   "\"%.40s\": expected up, down, rate or lanes-up",
					   key);
		} else if (!*word) {
			ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					   "%.40s: expected a value after it",
					   key);
		} else {
			ret = weft_setting_wire_word(w, key, *word++, err);
		}
	}
	return ret;
}

/* Change both wires: a wire without a direction stands for both. */
static int set_link(const struct weft_lab *lab, const char *name, char **word,
		    struct weft_err *err)
{
	struct weft_link link = { .wires = 1 };
	struct weft_capture_point point;
	struct weft_nl nl;
	int ret;

	ret = set_link_words(&link.wire[0], word, err);
	if (ret)
		return ret;
	ret = weft_capture_point(&point, lab, name, err);
	link.fabric = point.fabric;
	link.id = point.link;
	weft_capture_point_free(&point);
	if (!ret)
		ret = weft_lab_nl(lab, &nl, err);
	if (ret)
		return ret;
	ret = weft_link_set(&nl, &link, err);
	weft_nl_close(&nl);
	return ret;
}

static int parse_cpu(const char *text, uint32_t *cpu, struct weft_err *err)
{
	uint64_t n = WEFT_FABRIC_NO_CPU;

	*cpu = WEFT_FABRIC_NO_CPU;
	if (strcmp(text, "none") &&
	    (weft_parse_number(text, &n, err) || n >= WEFT_FABRIC_NO_CPU))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "cpu: \"%.40s\": expected none, or the number of a CPU",
				    text);
	*cpu = (uint32_t)n;
	return 0;
}

static int set_phases(const struct weft_lab *lab, char *rule,
		      struct weft_err *err)
{
	struct weft_phase_words words;

	if (weft_phase_words_parse(&words, rule, err)) {
		weft_err_prefix(err, "phases");
		return err->code;
	}
	return weft_phases_watch(lab, &words, err);
}

static int set_fabric(const struct weft_lab *lab, char **word,
		      struct weft_err *err)
{
	struct weft_nl nl;
	uint32_t fabric, cpu;
	int ret;

	if ((strcmp(*word, "cpu") && strcmp(*word, "phases")) || word[2])
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": expected cpu CPU, cpu none or phases RULE",
				    word[word[1] && word[2] ? 2 : 0]);
	if (!strcmp(*word, "phases"))
		return set_phases(lab, word[1], err);
	ret = parse_cpu(word[1], &cpu, err);
	if (!ret)
		ret = weft_lab_fabric(lab, &nl, &fabric, err);
	if (ret)
		return ret;
	ret = weft_fabric_pin(&nl, fabric, cpu, err);
	weft_nl_close(&nl);
	return ret;
}

static int set(const struct weft_lab *lab, char **word, struct weft_err *err)
{
	switch (**word) {
	case 'n':
		return set_nic(lab, word[1], word + 2, err);
	case 'l':
		return set_link(lab, word[1], word + 2, err);
	}
	return set_fabric(lab, word + 1, err);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *lab_name = NULL;
	const struct cli_option opt[] = {
		CLI_TEXT("lab", &lab_name), CLI_END,
	};
	struct weft_lab lab;
	struct weft_err err;
	char **word;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	word = argv + optind;
	if (argc - optind < 3)
		return cli_usage(cmd, "expected nic or link, its NAME and what to change, or fabric cpu CPU, or fabric phases RULE");
	if (strcmp(*word, "nic") && strcmp(*word, "link") && strcmp(*word, "fabric"))
		return cli_usage(cmd, "\"%s\": expected nic, link or fabric", *word);
	if (cli_lab(&lab, lab_name, &err))
		return cli_fail(&err);
	ret = set(&lab, word, &err);
	weft_lab_close(&lab);
	return ret ? cli_fail(&err) : cli_done();
}

const struct command cmd_set = {
	.name = "set",
	.run = run,
	.summary = "change a NIC, a link or the fabric while programs run",
	.usage =
"usage: weft set nic NODE[.ethN] [rx-rate RATE|unlimited]\n"
"                                [rx-stop all|none|CLASSES]\n"
"                                [verbs.KEY VALUE]... [--lab LAB]\n"
"       weft set link NAME [up|down] [rate RATE] [lanes-up N] [--lab LAB]\n"
"       weft set fabric cpu CPU|none [--lab LAB]\n"
"       weft set fabric phases RULE|auto|none [--lab LAB]\n"
"\n"
"rx-rate is how fast the host takes packets out of the NIC's receive buffer.\n"
"rx-stop lists the classes that it does not take at all: \"0,3-5\". Packets that it\n"
"does not take fill the buffer. Then they push back into the fabric or are lost,\n"
"depending on the discipline. verbs.KEY is a parameter of the RDMA device, as in\n"
"the group \"verbs\" of a topology: verbs.congestion none, verbs.dcqcn.ai-rate\n"
"40Mbps.\n"
"\n"
"NAME is a link, a NIC (NODE.ethN) or a port (SWITCH:PORT); both wires of the\n"
"link change. lanes-up is how many of its lanes work.\n"
"\n"
"With a CPU, a kernel thread on that CPU executes the fabric's events. It is on\n"
"time more often than the timer. Bind programs to the other CPUs. Use this on the\n"
"real clock.\n"
"\n"
"phases finds phases of the report by traffic, from now on. RULE is that of `weft\n"
"run --phases`; auto is its default.\n"
"\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n",
};
