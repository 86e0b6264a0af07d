// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of a command.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "complete.h"
#include "help_text.h"

#define OPTIONS_MAX	32

/* An option has the same letter in all commands. */
static const struct {
	const char *name;
	char letter;
} letters[] = {
	{ "all", 'a' }, { "count", 'c' }, { "dry-run", 'n' }, { "json", 'j' },
	{ "lab", 'l' }, { "output", 'o' }, { "pretty", 'p' }, { "quiet", 'q' },
	{ "snaplen", 's' }, { "verbose", 'v' },
};

#define LETTERS (sizeof(letters) / sizeof(*letters))

/* Old names of options, by command. */
static const struct {
	const char *command;
	const char *old;
	const char *now;
} renamed[] = {
	{ "capture", "--duration", "--for" }, { "capture", "--write", "--output" },
	{ "capture", "-w", "-o" },
};

#define RENAMED (sizeof(renamed) / sizeof(*renamed))

/**
 * cli_letter() - the letter of an option
 * @name: its long name, without the hyphens
 *
 * Return: the letter, or 0.
 */
char cli_letter(const char *name)
{
	for (size_t i = 0; i < LETTERS; i++)
		if (!strcmp(letters[i].name, name))
			return letters[i].letter;
	return '\0';
}

/**
 * struct parser - the options of a command, in the form of getopt_long()
 * @longopt: long options; the value of each is its index in the command's list
 * @letter: short options
 * @n: options of the command
 */
struct parser {
	struct option longopt[OPTIONS_MAX + 3];
	char letter[3 + 2 * OPTIONS_MAX + 4];
	int n;
};

static void add_option(struct parser *p, char *end, const char *name, bool has_arg)
{
	char letter = cli_letter(name);

	p->longopt[p->n] = (struct option) {
		name, has_arg ? required_argument : no_argument, NULL, p->n
	};
	p->n++;
	if (letter)
		sprintf(end, "%c%s", letter, has_arg ? ":" : "");
}

/* Each command with --json also has --pretty. */
static void make_parser(struct parser *p, const struct command *cmd,
			const struct cli_option *opt)
{
	bool json = false;

	*p = (struct parser) { .n = 0 };
	strcpy(p->letter, cmd->options_first ? "+:" : ":");
	for (; opt->name; opt++) {
		add_option(p, p->letter + strlen(p->letter), opt->name,
			   !opt->flag);
		json |= !strcmp(opt->name, "json");
	}
	if (json)
		p->longopt[p->n] = (struct option) {
			"pretty", no_argument, NULL, 'p'
		};
	p->longopt[p->n + json] = (struct option) {
		"help", no_argument, NULL, 'h'
	};
	strcat(p->letter, json ? "ph" : "h");
}

/* Index in the command's list of the option that getopt_long() found, or -1. */
static int place_of(const struct parser *p, int c)
{
	if (c < p->n)
		return c;
	for (int i = 0; i < p->n; i++)
		if (cli_letter(p->longopt[i].name) == c)
			return i;
	return -1;
}

/* @word is the argument at which getopt_long() stopped, @c its result. */
static int refuse(const struct command *cmd, const struct parser *p,
		  const char *word, int c)
{
	char letter[] = { '-', (char)optopt, '\0' };
	size_t n = strcspn(word, "=");

	/*
	 * Within letters that share a hyphen, getopt_long() has not moved past the word
	 * yet. An index into the list means a long option with a value that it does
	 * not take.
	 */
	if (c == '?' ? optopt > 0 && optopt >= p->n :
		       strncmp(word, "--", 2) && optopt >= ' ')
		word = letter, n = 2;
	if (c == ':')
		return cli_usage(cmd, "%s needs a value", word);
	for (size_t i = 0; i < RENAMED; i++)
		if (!strcmp(renamed[i].command, cmd->name) &&
		    strlen(renamed[i].old) == n &&
		    !strncmp(renamed[i].old, word, n))
			return cli_usage(cmd, "%s is called %s", renamed[i].old,
					 renamed[i].now);
	if (n < strlen(word))
		return cli_usage(cmd, "there is no option \"%.*s\" with a value",
				 (int)n, word);
	return cli_usage(cmd, "there is no option \"%s\"", word);
}

static int take(const struct command *cmd, const struct cli_option *opt)
{
	if (opt->add)
		return opt->add(cmd, opt->ctx, opt->name, optarg);
	if (opt->flag)
		*opt->flag = true;
	else
		*opt->text = optarg;
	return 0;
}

/**
 * cli_options() - parse the options of a command, or print their completion
 * @cmd: the command
 * @argc: passed to run()
 * @argv: passed to run(); afterwards, optind is the first argument after the options
 * @opt: the options besides --help and --pretty, up to OPTIONS_MAX; a NULL name ends
 *	them. The help describes all but internal ones
 * @code: exit code, if the command is to end
 *
 * Return: true to go on.
 */
bool cli_options(const struct command *cmd, int argc, char **argv,
		 const struct cli_option *opt, int *code)
{
	struct parser p;
	int c, i;

	if (complete_asked()) {
		*code = complete_line(cmd, opt);
		return false;
	}
	make_parser(&p, cmd, opt);
	opterr = 0;
	while ((c = getopt_long(argc, argv, p.letter, p.longopt, NULL)) != -1) {
		if (c == 'h' || c == '?' || c == ':') {
			*code = c == 'h' ? cli_help(cmd) :
					   refuse(cmd, &p, argv[optind - 1], c);
			return false;
		}
		i = place_of(&p, c == 'p' ? 'j' : c);
		*code = take(cmd, &opt[i]);
		if (*code)
			return false;
		if (!strcmp(opt[i].name, "json"))
			cli_as_json(c == 'p');
	}
	return true;
}

/**
 * cli_no_words() - refuse arguments of a command that takes options only
 * @cmd: the command
 * @argc: passed to run()
 * @argv: passed to run()
 *
 * Return: 0 or exit code.
 */
int cli_no_words(const struct command *cmd, int argc, char **argv)
{
	char value[HELP_LINE], about[HELP_LINE];

	if (optind == argc)
		return 0;
	return cli_usage(cmd, "\"%s\": expected options only%s", argv[optind],
			 help_option(cmd->usage, "lab", value, about) ?
			 "; a lab is named by --lab" : "");
}

/**
 * cli_topology() - take the arguments of a command that name a topology
 * @topology: result
 * @argc: passed to run(), or the end of these arguments
 * @argv: passed to run(); at optind are TOPOLOGY [KEY=VALUE]...
 */
void cli_topology(struct weft_share_choice *topology, int argc, char **argv)
{
	*topology = (struct weft_share_choice) {
		.name = argv[optind],
		.set = argv + optind + 1,
		.sets = argc > optind ? (unsigned int)(argc - optind - 1) : 0,
	};
}
