// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands that add faults, or traffic, to the fabric of a lab, remove them by their number
 * and list them.
 */
#include "add_del.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"

/**
 * add_del_print() - print an object, as JSON with --json
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

/* Take the first word with this beginning out of a list; NULL if there is none. */
static const char *take_word(char **word, const char *begin)
{
	const char *found = NULL;

	for (; *word && !found; word++)
		if (!strncmp(*word, begin, strlen(begin)))
			found = *word;
	for (; found && word[-1]; word++)
		word[-1] = *word;
	return found;
}

/**
 * add_del_at() - parse at=, which says when a fault or traffic starts, if it is given
 * @word: words that end with NULL; "at=" is removed from them
 * @at: result
 * @err: the form that was expected
 *
 * Return: 0 or negative errno.
 */
int add_del_at(char **word, struct weft_at *at, struct weft_err *err)
{
	const char *text = take_word(word, "at=");

	*at = (struct weft_at) { 0 };
	if (text && take_word(word, "at="))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "at: given twice");
	return text ? weft_at_parse(at, text + 3, err) : 0;
}

/**
 * add_del_trigger() - create the trigger that starts a fault or traffic, if there is one
 * @s: the session; the trigger is added to its facts
 * @at: result of add_del_at(); add_del_untrigger() removes the trigger if the kernel
 *	refuses the object
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int add_del_trigger(struct session *s, struct weft_at *at, struct weft_err *err)
{
	struct weft_trigger *more;

	if (!at->given)
		return 0;
	if (weft_at_bind(at, &s->facts, err))
		return err->code;
	more = weft_array_grow(s->facts.trigger, s->facts.triggers,
			       sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	s->facts.trigger = more;
	if (weft_trigger_new(&s->nl, &at->trigger, err)) {
		weft_err_prefix(err, "at");
		return err->code;
	}
	more[s->facts.triggers++] = at->trigger;
	return 0;
}

/**
 * add_del_untrigger() - remove a trigger that starts nothing
 * @s: the session
 * @at: passed to add_del_trigger() before
 */
void add_del_untrigger(struct session *s, const struct weft_at *at)
{
	struct weft_err ignored;

	if (at->given)
		weft_trigger_del(&s->nl, &at->trigger, &ignored);
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

/* Is the number of words after add, del or list right? */
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
 * add_del_run() - run a command that adds, removes and lists objects
 * @cmd: the command
 * @t: its objects
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
