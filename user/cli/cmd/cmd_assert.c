// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft assert: check whether a lab meets expectations
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "run/play.h"

/* Expectations that need a program cannot be judged here. */
static int read_words(struct weft_expect *e, char **word, struct weft_err *err)
{
	for (; *word; word++)
		if (weft_expect_word(e, *word, err))
			return err->code;
	for (unsigned int i = 0; i < WEFT_EXPECT_KINDS; i++)
		if (e->has[i] && weft_expect_needs_job(e, i))
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "%s needs a program: `weft run --scenario` judges it",
					    weft_expect_name(i));
	return weft_expect_check(e, err);
}

static int judge(const struct weft_lab *lab, const struct weft_expect *e,
		 const char *junit, bool json, struct weft_err *err)
{
	struct weft_results results;
	struct weft_facts facts;
	struct weft_run run = { .facts = &facts };
	struct weft_junit j = { .scenario = "assert" };
	int ret;

	ret = weft_facts_read_whole(&facts, lab, err);
	if (!ret) {
		weft_expect_judge(e, &run, &results);
		weft_results_phases(&results, &facts);
		j.topology = facts.topology;
		j.clock = facts.clock;
		j.seed = facts.fabric.seed;
		j.ended = facts.fabric.now;
	}
	if (!ret && junit)
		ret = save_junit(junit, &j, &results, err);
	weft_facts_free(&facts);
	if (ret)
		return cli_fail(err);
	if (json)
		ret = cli_json(weft_results_json(&results));
	else
		print_results(stdout, &results, 0);
	return ret ? ret : weft_results_failed(&results) ? EXIT_UNMET :
							   cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *junit = NULL, *name = NULL;
	bool json = false;
	const struct cli_option opt[] = {
		CLI_TEXT("junit", &junit), CLI_FLAG("json", &json),
		CLI_TEXT("lab", &name), CLI_END,
	};
	struct weft_expect e = { 0 };
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (argc == optind)
		return cli_usage(cmd, "expected an EXPECTATION");
	if (read_words(&e, argv + optind, &err) || cli_lab(&lab, name, &err))
		return cli_fail(&err);
	ret = judge(&lab, &e, junit, json, &err);
	weft_lab_close(&lab);
	return ret;
}

const struct command cmd_assert = {
	.name = "assert",
	.run = run,
	.summary = "check whether a lab meets expectations",
	.usage =
"usage: weft assert [OPTION]... EXPECTATION...\n"
"\n"
"Print for each EXPECTATION whether it was met since the lab came up. If not, the\n"
"message names the port and the fabric time when that began.\n"
"\n"
"  lossless             lossless classes lost nothing\n"
"  no-drops             no class lost anything\n"
"  no-deadlock          no wires wait for each other, no watchdog found a storm\n"
"  utilisation-below=U  each wire was busy for less than U (0 to 1) of the time\n"
"  phase=NAME           judge phases of this name: by no-drops, utilisation-below\n"
"                       and these:\n"
"  phase-within=T       each is over and took at most T\n"
"  busbw=B              the NIC that sent most sent at least B\n"
"\n"
"  -j, --json        as JSON\n"
"  -p, --pretty      JSON with indents\n"
"      --junit FILE  write the results to FILE as JUnit XML\n"
"  -l, --lab LAB     the lab (default: $WEFT_LAB, or the only one)\n"
"\n"
"Exit code: 123 an expectation was not met.\n",
};
