// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a subnet manager did, as text, from its JSON.
 */
#include "print/print_management.h"

#include "base/units.h"

static long long number(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static const char *format(char buf[32], long long ps)
{
	return weft_format_time(buf, 32, (uint64_t)ps);
}

/* How long after the change of a link: "name after 6.2ms". */
static void print_after(FILE *f, json_t *o, const char *what, const char *key)
{
	char buf[32];

	if (json_object_get(o, key))
		fprintf(f, ", %s after %s", what,
			format(buf, number(o, key) - number(o, "at_ps")));
}

static void print_link(FILE *f, json_t *o)
{
	long long more = number(o, "links") - 1;
	char at[32];

	fprintf(f, "at %s %s", format(at, number(o, "at_ps")),
		json_string_value(json_object_get(o, "link")));
	if (more)
		fprintf(f, " and %lld more", more);
	fputs(json_is_true(json_object_get(o, "up")) ? " came up" :
						       " went down", f);
	print_after(f, o, "trap", "trap_ps");
	print_after(f, o, "other manager", "manager_ps");
	print_after(f, o, "first table", "first_table_ps");
	if (!json_object_get(o, "recovered_after_ps")) {
		fputs(", no new table\n", f);
		return;
	}
	fprintf(f, ", recovered after %s (%lld blocks of tables)\n",
		format(at, number(o, "recovered_after_ps")),
		number(o, "table_blocks"));
}

static void print_change(FILE *f, json_t *o)
{
	char first[32], last[32];

	if (number(o, "links"))
		print_link(f, o);
	else
		fprintf(f, "subnet manager: first table at %s, all at %s (%lld blocks of tables)\n",
			format(first, number(o, "first_table_ps")),
			format(last, number(o, "last_table_ps")),
			number(o, "table_blocks"));
}

/**
 * print_management() - print what a subnet manager did
 * @f: stream to print to
 * @management: its JSON; NULL: nothing is printed
 */
void print_management(FILE *f, json_t *management)
{
	json_t *changes = json_object_get(management, "changes"), *o;
	long long missed = number(management, "changes_missed");
	size_t i;

	if (!management)
		return;
	fputc('\n', f);
	if (!json_array_size(changes))
		fputs("subnet manager: none has written a table\n", f);
	json_array_foreach(changes, i, o)
		print_change(f, o);
	if (missed)
		fprintf(f, "and %lld more changes, for which there was no room\n",
			missed);
}
