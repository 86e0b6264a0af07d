// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands that add faults, or traffic, to the fabric of a lab, remove them by their number
 * and list them.
 */
#include "add_del.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/units.h"

/**
 * add_del_print() - print something, as JSON if that is wanted
 * @s: the session
 * @o: the JSON, its reference is given away; NULL counts as "no memory"
 * @print: prints it as text
 *
 * Return: exit code.
 */
int add_del_print(const struct session *s, json_t *o,
		  void (*print)(FILE *f, json_t *o))
{
	if (s->json)
		return cli_json(o);
	print(stdout, o);
	json_decref(o);
	return cli_done();
}

static int del_word(const struct command *cmd, const struct add_del *t,
		    struct session *s, const char *word)
{
	struct weft_err err;
	uint64_t id;

	if (!weft_parse_number(word, &id, &err) && id <= UINT32_MAX)
		return t->del(s, (uint32_t)id, &err);
	weft_err_set(&err, WEFT_ERR_USAGE, -EINVAL,
		     "\"%.40s\": expected %s: `weft %s list` lists them", word,
		     t->number, cmd->name);
	return cli_fail(&err);
}

static int act(const struct command *cmd, const struct add_del *t,
	       struct session *s, char **word, bool all)
{
	struct weft_err err;

	if (!strcmp(*word, "add"))
		return t->add(s, word + 1, &err);
	if (!strcmp(*word, "list"))
		return add_del_print(s, t->json(&s->facts), t->print);
	return all ? t->del_all(s, &err) : del_word(cmd, t, s, word[1]);
}

static int session_open(struct session *s, const char *lab,
			struct weft_err *err)
{
	if (cli_lab(&s->lab, lab, err) ||
	    weft_facts_read(&s->facts, &s->lab, err))
		return err->code;
	return weft_lab_nl(&s->lab, &s->nl, err);
}

static void session_close(struct session *s)
{
	weft_nl_close(&s->nl);
	weft_facts_free(&s->facts);
	weft_lab_close(&s->lab);
}

/* How many words, at least and at most, are behind the first. */
static bool words_fit(const struct add_del *t, const char *what, int n,
		      bool all)
{
	if (!strcmp(what, "add"))
		return n >= t->least && !all;
	if (!strcmp(what, "del"))
		return n == !all;
	return !n && !all && !strcmp(what, "list");
}

/**
 * add_del_run() - do what such a command is told to
 * @cmd: the command
 * @t: what it is about
 * @argc: as the command got it
 * @argv: as the command got it
 *
 * Return: exit code.
 */
int add_del_run(const struct command *cmd, const struct add_del *t, int argc,
		char **argv)
{
	struct session s = { .json = false };
	const char *lab = NULL;
	struct weft_err err;
	bool all = false;
	const struct cli_option opt[] = {
		CLI_TEXT("lab", &lab), CLI_FLAG("all", &all),
		CLI_FLAG("json", &s.json), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (optind == argc)
		return cli_usage(cmd, "expected add, del or list");
	if (!words_fit(t, argv[optind], argc - optind - 1, all))
		return cli_usage(cmd, "expected add %s, del ID or --all, or list",
				 t->words);
	if (session_open(&s, lab, &err))
		ret = cli_fail(&err);
	else
		ret = act(cmd, t, &s, argv + optind, all);
	session_close(&s);
	return ret;
}
