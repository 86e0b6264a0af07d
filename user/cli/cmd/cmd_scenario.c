// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft scenario: check scenarios, and play them in a lab that is up.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "run/play.h"
#include "run/scenario_remote.h"
#include "topology/share.h"

static int check(char **word, int words, struct weft_err *err)
{
	const struct weft_share_choice topology = {
		.name = word[1], .set = word + 2,
		.sets = words > 2 ? (unsigned int)words - 2 : 0,
	};
	struct play play;
	int ret;

	ret = play_read(&play, word[0], word[1] ? &topology : NULL, err);
	if (!ret)
		printf("scenario %s: %u entries%s%s\n", play.scenario.name,
		       play.scenario.entries,
		       word[1] ? ", and all that it names is in " : "",
		       word[1] ? word[1] : "");
	play_free(&play);
	return ret ? cli_fail(err) : cli_done();
}

static int list(struct weft_err *err)
{
	struct weft_listing all;
	int ret;

	ret = weft_share_list("scenarios", &all, err);
	for (unsigned int i = 0; !ret && i < all.n; i++)
		printf("%s\n", all.entry[i].name);
	weft_listing_free(&all);
	return ret ? cli_fail(err) : cli_done();
}

/* Play until the scenario is over, or undo it when the user interrupts it. */
static int play_out(struct play *play, const char *junit, struct weft_err *err)
{
	sigset_t set;
	int sig, ret;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sig = play_wait_end(play, &set);
	if (play->gone)
		return EXIT_OTHER;
	play_ended(play);
	if (sig)
		return weft_player_take_back(&play->player, err) ?
		       cli_fail(err) : 128 + sig;
	ret = play_judge(play, NULL, err);
	print_results(stdout, &play->results, play->player.start);
	if (!ret && junit)
		ret = play_save(play, junit, err);
	if (ret)
		return cli_fail(err);
	if (play->failed)
		return EXIT_OTHER;
	return weft_results_failed(&play->results) ? EXIT_UNMET : cli_done();
}

static int play_in(const char *name, const char *file, const char *junit,
		   struct weft_err *err)
{
	struct play play;
	struct weft_lab lab;
	int ret;

	if (cli_lab(&lab, name, err))
		return cli_fail(err);
	if (play_read(&play, file, NULL, err) ||
	    play_start(&play, &lab, err))
		ret = cli_fail(err);
	else
		ret = play_out(&play, junit, err);
	play_free(&play);
	weft_lab_close(&lab);
	return ret;
}

/**
 * struct options - the command line
 * @lab: the lab, NULL for the only one
 * @junit: file for the results of the expectations, or NULL
 * @json: print JSON
 */
struct options {
	const char *lab;
	const char *junit;
	bool json;
};

static bool words_fit(const char *what, int n, const struct options *o)
{
	if (scenario_is_remote(what, n))
		return !o->junit;
	if (o->json)
		return false;
	if (!strcmp(what, "play"))
		return n == 1;
	if (o->junit || o->lab)
		return false;
	if (!strcmp(what, "check"))
		return n >= 1;
	return !n && !strcmp(what, "list");
}

static int act(char **word, int n, const struct options *o)
{
	struct weft_err err;

	if (scenario_is_remote(*word, n))
		return scenario_remote(*word, o->lab, word[1], o->json);
	if (!strcmp(*word, "list"))
		return list(&err);
	return !strcmp(*word, "check") ?
	       check(word + 1, n, &err) : play_in(o->lab, word[1], o->junit, &err);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("junit", &o.junit), CLI_FLAG("json", &o.json),
		CLI_TEXT("lab", &o.lab), CLI_END,
	};
	char **word;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	word = argv + optind;
	if (!*word)
		return cli_usage(cmd, "expected check, play, start, status, stop or list");
	if (!words_fit(*word, argc - optind - 1, &o))
		return cli_usage(cmd, "expected check FILE [TOPOLOGY], play FILE, start FILE, status, stop, or list; a lab is named by --lab");
	return act(word, argc - optind - 1, &o);
}

const struct command cmd_scenario = {
	.name = "scenario",
	.run = run,
	.summary = "check a scenario, or play it in a lab that is up",
	.usage =
"usage: weft scenario check FILE [TOPOLOGY [KEY=VALUE]...]\n"
"       weft scenario play FILE [--junit FILE] [--lab LAB]\n"
"       weft scenario start FILE [--lab LAB] [--json]\n"
"       weft scenario status|stop [--lab LAB] [--json]\n"
"       weft scenario list\n"
"\n"
"A scenario is a file with a time line of faults, traffic and node events, and\n"
"with the expectations of a run. FILE may be the name of a scenario that comes\n"
"with Weft; `list` prints these. `check` reports mistakes in the file; with\n"
"TOPOLOGY also names that the topology does not have. `play` begins now, and ends\n"
"when everything that ends by itself is over; if interrupted, it undoes what it\n"
"did. `weft run --scenario` plays one beside a program.\n"
"\n"
"`start` has weftd play the scenario, and does not wait. `status` prints how far\n"
"it is and the results of the expectations. `stop` undoes it. All need `weft\n"
"daemon start`.\n"
"\n"
"      --junit FILE  write the results of the expectations to FILE as JUnit XML\n"
"  -j, --json        with start, status and stop: as JSON; keys never change\n"
"  -p, --pretty      JSON with indents\n"
"  -l, --lab LAB     the lab (default: $WEFT_LAB, or the only one)\n"
"\n"
"Exit code: 123 an expectation was not met.\n",
};
