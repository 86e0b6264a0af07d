// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Completion: the words that can end a command line.
 *
 * A shell runs "weft complete WORD..." with the words after "weft"; the last one is
 * being typed. The answer has one line per possible word, with a tab and a description
 * if there is one. Other lines are instructions for the shell:
 *
 *	:files		complete names of files
 *	:files yaml	complete names of files that end in yaml
 *	:dirs		complete names of directories
 *	:command N	the words from N on ("weft" is 0) are another command's
 *
 * The command itself is run. It calls cli_options() with its list of options before it
 * does anything else, and cli_options() answers and ends it.
 */
#include "complete.h"

#include <stdlib.h>
#include <string.h>

#include "complete_words.h"
#include "help_text.h"

/**
 * struct line - the command line
 * @n: words
 * @word: from the command's name to the word being typed
 */
static struct line {
	int n;
	char **word;
} line;

/* Words that were offered: each is offered once. */
static json_t *offered;

/**
 * complete_begin() - let commands print completions from now on
 * @n: words
 * @word: the command's name and the words after it
 */
void complete_begin(int n, char **word)
{
	line = (struct line) { n, word };
}

/**
 * complete_asked() - is a completion wanted?
 *
 * Return: true after complete_begin().
 */
bool complete_asked(void)
{
	return line.n;
}

/**
 * complete_offer() - print a word that fits, unless it was printed before
 * @word: the word; NULL is ignored
 * @about: what it means, or NULL
 */
void complete_offer(const char *word, const char *about)
{
	if (!offered)
		offered = json_object();
	if (!word || json_object_get(offered, word))
		return;
	json_object_set_new(offered, word, json_true());
	if (about && *about)
		printf("%s\t%s\n", word, about);
	else
		puts(word);
}

/**
 * complete_tell() - print an instruction for the shell
 * @what: the instruction, see the top of this file
 */
void complete_tell(const char *what)
{
	complete_offer(what, NULL);
}

static void offer_option(const struct command *cmd, const char *name,
			 const char *about)
{
	char value[HELP_LINE], text[HELP_LINE], word[HELP_LINE];
	char letter[] = { '-', cli_letter(name), '\0' };

	if (help_option(cmd->usage, name, value, text))
		about = text;
	snprintf(word, sizeof(word), "--%s", name);
	complete_offer(word, about);
	if (letter[1])
		complete_offer(letter, about);
}

static void offer_options(const struct command *cmd, const struct cli_option *opt)
{
	for (; opt->name; opt++) {
		if (opt->internal)
			continue;
		offer_option(cmd, opt->name, NULL);
		if (!strcmp(opt->name, "json"))
			offer_option(cmd, "pretty", NULL);
	}
	complete_offer("--help", "what the command does");
}

/* The option @word, if its value is the next word; else NULL. */
static const struct cli_option *takes_value(const struct cli_option *opt,
					    const char *word)
{
	for (; opt->name; opt++)
		if (!opt->flag &&
		    (!strncmp(word, "--", 2) ? !strcmp(word + 2, opt->name) :
		     word[0] == '-' && word[1] && word[1] == cli_letter(opt->name) &&
		     !word[2]))
			return opt;
	return NULL;
}

/* A number, or a name that nothing has yet: the words of the help are others' there. */
static bool is_new(const char *option)
{
	return !strcmp(option, "http") || !strcmp(option, "web") ||
	       !strcmp(option, "name");
}

static void offer_value(const struct complete_place *p, const struct cli_option *opt)
{
	char value[HELP_LINE], about[HELP_LINE];

	if (is_new(opt->name))
		return;
	if (!strcmp(opt->name, "scenario"))
		complete_words(p, "SCENARIO");
	else if (!strcmp(opt->name, "asic"))
		complete_words(p, "ASIC");
	else if (help_option(p->cmd->usage, opt->name, value, about))
		complete_words(p, value);
}

/* FILE as an argument of a command is always a scenario. */
static void offer_word(void *ctx, const char *what)
{
	complete_words(ctx, strcmp(what, "FILE") ? what : "SCENARIO");
}

static void offer_argument(const struct complete_place *p, const char *before)
{
	if (!strcmp(p->cmd->name, "set"))
		complete_set(p, before);
	else
		help_argument(p->cmd->usage, p->args + 1, p->args ? p->arg[0] : "",
			      offer_word, (void *)p);
}

/* The lab, where an option has it in its own word: --lab=LAB, -lLAB. */
static const char *lab_in(const char *word)
{
	if (!strncmp(word, "--lab=", 6))
		return word + 6;
	return !strncmp(word, "-l", 2) && word[2] ? word + 2 : NULL;
}

/* Read up to the word being typed. Return: the start of another command, or 0. */
static int read_line(struct complete_place *p, const struct cli_option *opt)
{
	const struct cli_option *o;

	for (int i = 1; i < line.n - 1; i++) {
		if (!strcmp(line.word[i], "--"))
			return i + 2;
		if (lab_in(line.word[i]))
			p->lab = lab_in(line.word[i]);
		o = takes_value(opt, line.word[i]);
		if (o && ++i < line.n - 1 && !strcmp(o->name, "lab"))
			p->lab = line.word[i];
		if (o || line.word[i][0] == '-')
			continue;
		p->arg[p->args++] = line.word[i];
		if (p->cmd->options_first)
			return strcmp(line.word[i + 1], "--") || i + 2 >= line.n ?
			       i + 2 : i + 3;
	}
	return 0;
}

/**
 * complete_line() - print the completion of a command
 * @cmd: the command
 * @opt: its options
 *
 * Return: exit code.
 */
int complete_line(const struct command *cmd, const struct cli_option *opt)
{
	struct complete_place p = {
		.cmd = cmd, .arg = calloc((size_t)line.n, sizeof(*p.arg)),
	};
	const char *before = line.word[line.n - 2];
	const struct cli_option *o = takes_value(opt, before);
	int other = p.arg ? read_line(&p, opt) : 0;

	if (other)
		printf(":command %d\n", other);
	else if (o)
		offer_value(&p, o);
	else if (line.word[line.n - 1][0] == '-')
		offer_options(cmd, opt);
	else if (p.arg)
		offer_argument(&p, before);
	free(p.arg);
	json_decref(offered);
	return cli_done();
}
