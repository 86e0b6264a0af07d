// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses the help of a command, for the completion.
 *
 * Only the help has the arguments of a command, the values of its options and the keys
 * of its lists. All helps have the same form: usage lines, a blank line, paragraphs.
 * Options and entries of lists are indented.
 */
#include "help_text.h"

#include <ctype.h>
#include <string.h>

/* Copy the next line of @usage, and move past it. */
static bool next_line(const char **usage, char line[HELP_LINE])
{
	size_t n = strcspn(*usage, "\n");

	if (!**usage)
		return false;
	line[0] = '\0';
	strncat(line, *usage, n < HELP_LINE - 1 ? n : HELP_LINE - 1);
	*usage += n + ((*usage)[n] == '\n');
	return true;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " ");
}

/* If @line is the first line of an option, the text after its hyphens; else NULL. */
static const char *option_in(const char *line)
{
	if (strncmp(line, "  ", 2))
		return NULL;
	line += 2;
	if (line[0] == '-' && isalpha((unsigned char)line[1]) && line[2] == ',')
		line += 4;
	line = skip_blanks(line);
	return strncmp(line, "--", 2) ? NULL : line + 2;
}

/**
 * help_option() - find an option in the help
 * @usage: the help
 * @name: its name, without the hyphens
 * @value: result: the placeholder of its value, "" for none
 * @about: result: the first line of its description
 *
 * Return: false if the help does not have it.
 */
bool help_option(const char *usage, const char *name, char value[HELP_LINE],
		 char about[HELP_LINE])
{
	size_t n = strlen(name);
	char line[HELP_LINE];
	const char *o, *end;

	while (next_line(&usage, line)) {
		o = option_in(line);
		if (!o || strncmp(o, name, n) || (o[n] && o[n] != ' '))
			continue;
		o += n + (o[n] == ' ');
		end = *o == ' ' ? o : strstr(o, "  ");
		strcpy(value, o);
		if (end)
			value[end - o] = '\0';
		else if (next_line(&usage, line))
			end = line;
		strcpy(about, end ? skip_blanks(end) : "");
		return true;
	}
	return false;
}

static void each_alternative(char *words, help_word_fn fn, void *ctx)
{
	char *at = NULL;

	for (char *w = strtok_r(words, "|", &at); w; w = strtok_r(NULL, "|", &at))
		if (*w != '-')
			fn(ctx, w);
}

static bool is_alternative(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *w = words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
		if (!strncmp(w, word, n) && (!w[n] || w[n] == '|'))
			return true;
	return false;
}

/* Reduce "[KEY=VALUE]..." to KEY=VALUE. Return: true if it can be repeated. */
static bool strip(char *word)
{
	bool repeated = strstr(word, "...");
	char *to = word;

	for (const char *from = word; *from; from++)
		if (!strchr("[].", *from))
			*to++ = *from;
	*to = '\0';
	return repeated;
}

/*
 * The next word of a usage line that is neither an option nor the value of one; NULL at
 * the end of the line.
 */
static char *next_argument(char **at)
{
	char *w;

	while ((w = strtok_r(NULL, " ", at))) {
		if (!strcmp(w, "--"))
			return NULL;
		if (!strcmp(w, "[OPTION]..."))
			continue;
		if (w[*w == '['] != '-')
			return w;
		if (w[strlen(w) - 1] != ']')
			strtok_r(NULL, " ", at);
	}
	return NULL;
}

static void argument_of_line(char *line, int number, const char *first,
			     help_word_fn fn, void *ctx)
{
	char *at = NULL, *w = strtok_r(line, " ", &at);
	bool repeated = false;

	if (w && !strcmp(w, "usage:"))
		strtok_r(NULL, " ", &at);
	strtok_r(NULL, " ", &at);
	for (int i = 1; i <= number && !repeated; i++) {
		w = next_argument(&at);
		if (!w)
			return;
		repeated = strip(w);
		if (i == 1 && number > 1 && islower((unsigned char)*w) &&
		    !is_alternative(w, first))
			return;
	}
	each_alternative(w, fn, ctx);
}

/**
 * help_argument() - find the possible values of an argument of a command
 * @usage: the help
 * @number: position of the argument, from 1
 * @first: the first argument, if @number is above 1
 * @fn: called with words, or with placeholders in capitals
 * @ctx: for @fn
 */
void help_argument(const char *usage, int number, const char *first,
		   help_word_fn fn, void *ctx)
{
	char line[HELP_LINE];

	while (next_line(&usage, line) && *line)
		argument_of_line(line, number, first, fn, ctx);
}

/* Move past the line that begins with @head. */
static bool find_head(const char **usage, const char *head, char line[HELP_LINE])
{
	while (next_line(usage, line))
		if (!strncmp(line, head, strlen(head)))
			return true;
	return false;
}

static bool is_entry(const char *line)
{
	return !strncmp(line, "  ", 2) && islower((unsigned char)line[2]);
}

/**
 * help_list() - find the first words of the entries of a list
 * @usage: the help
 * @head: the beginning of its heading; NULL: all lists of the help
 * @fn: called for each; "KEY=" for an entry KEY=VALUE
 * @ctx: for @fn
 */
void help_list(const char *usage, const char *head, help_word_fn fn, void *ctx)
{
	char line[HELP_LINE];
	bool began = false;
	size_t n;

	if (head && !find_head(&usage, head, line))
		return;
	while (next_line(&usage, line)) {
		if (head && began && !*line)
			return;
		if (!is_entry(line))
			continue;
		began = true;
		n = 2 + strcspn(line + 2, " =");
		line[n + (line[n] == '=')] = '\0';
		fn(ctx, line + 2);
	}
}

/**
 * help_sentence() - find the words of a sentence such as "KIND: labs (default), nodes."
 * @usage: the help
 * @head: the beginning of the sentence
 * @fn: called for each word
 * @ctx: for @fn
 */
void help_sentence(const char *usage, const char *head, help_word_fn fn, void *ctx)
{
	char line[HELP_LINE], *at, *w, *stop;

	if (!find_head(&usage, head, line))
		return;
	memset(line, ' ', strlen(head));
	do {
		stop = strchr(line, '.');
		if (stop)
			*stop = '\0';
		at = NULL;
		for (w = strtok_r(line, " ,", &at); w; w = strtok_r(NULL, " ,", &at))
			if (*w != '(')
				fn(ctx, w);
	} while (!stop && next_line(&usage, line));
}

static void keys_of_line(const char *line, help_word_fn fn, void *ctx)
{
	char key[HELP_LINE];
	size_t n;

	for (; *line; line += n ? n : 1) {
		for (n = 0; islower((unsigned char)line[n]); n++)
			key[n] = line[n];
		if (!n || line[n] != '=')
			continue;
		strcpy(key + n, "=");
		fn(ctx, key);
	}
}

/**
 * help_keys() - find the keys of an entry of a list, and the keys of all entries
 * @usage: the help; its paragraph "and all" has the keys of all entries
 * @head: the beginning of the heading of the list
 * @kind: first word of the entry
 * @fn: called for each key as "KEY="
 * @ctx: for @fn
 */
void help_keys(const char *usage, const char *head, const char *kind,
	       help_word_fn fn, void *ctx)
{
	size_t n = strlen(kind);
	const char *all = usage;
	char line[HELP_LINE];

	if (!find_head(&usage, head, line))
		return;
	while (next_line(&usage, line) && *line)
		if (is_entry(line) && !strncmp(line + 2, kind, n) && line[2 + n] == ' ')
			keys_of_line(line + 2 + n, fn, ctx);
	if (!find_head(&all, "and all", line))
		return;
	do
		keys_of_line(line, fn, ctx);
	while (next_line(&all, line) && *line);
}
