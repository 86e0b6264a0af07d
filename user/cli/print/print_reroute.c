// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * New routes as text, from their JSON.
 */
#include "print/print_reroute.h"

#include <string.h>

#include "base/units.h"

#define LINKS_SHOWN	4

static const char *text(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static long long number(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static const char *time_of(json_t *o, const char *key, char buf[32])
{
	return weft_format_time(buf, 32, (uint64_t)number(o, key));
}

static void print_links(FILE *f, json_t *links)
{
	size_t n = json_array_size(links);

	if (!n) {
		fputs("all links are up", f);
		return;
	}
	fprintf(f, "%zu link%s down (", n, n > 1 ? "s" : "");
	for (size_t i = 0; i < n && i < LINKS_SHOWN; i++)
		fprintf(f, "%s%s", i ? ", " : "",
			json_string_value(json_array_get(links, i)));
	fputs(n > LINKS_SHOWN ? ", ...)" : ")", f);
}

/**
 * print_reroute() - print a change of routes, done or planned
 * @f: stream to print to
 * @o: its JSON
 */
void print_reroute(FILE *f, json_t *o)
{
	char time[32], since[32];

	fprintf(f, "routes at %s: ", time_of(o, "time_ps", time));
	print_links(f, json_object_get(o, "links_down"));
	if (json_is_integer(json_object_get(o, "since_ps")))
		fprintf(f, ", changed at %s", time_of(o, "since_ps", since));
	fprintf(f, "; %lld set, %lld removed", number(o, "routes_set"),
		number(o, "routes_removed"));
	if (number(o, "nics_cut_off"))
		fprintf(f, "; NICs cut off: %lld", number(o, "nics_cut_off"));
	if (json_is_string(json_object_get(o, "why")))
		fprintf(f, "; policy %s, as %s", text(o, "policy"),
			text(o, "why"));
	fputc('\n', f);
}

/**
 * print_reroutes() - print the changes of routes in a report
 * @f: stream to print to
 * @all: JSON array; nothing is printed if it is empty
 */
void print_reroutes(FILE *f, json_t *all)
{
	json_t *o;
	size_t i;

	if (json_array_size(all))
		fputc('\n', f);
	json_array_foreach(all, i, o)
		print_reroute(f, o);
}

static void print_ports(FILE *f, json_t *ports)
{
	json_t *port;
	size_t i;

	if (!json_array_size(ports))
		fputs(" none", f);
	json_array_foreach(ports, i, port)
		fprintf(f, " %lld", (long long)json_integer_value(port));
	fputc('\n', f);
}

/**
 * print_changes() - print each change of a routing table
 * @f: stream to print to
 * @changes: JSON array
 */
void print_changes(FILE *f, json_t *changes)
{
	json_t *o;
	size_t i;

	json_array_foreach(changes, i, o) {
		const char *first = text(o, "first"), *last = text(o, "last");

		fprintf(f, "%s: ", text(o, "switch"));
		if (!*first)
			fputs("multicast", f);
		else if (strcmp(first, last))
			fprintf(f, "%s to %s", first, last);
		else
			fputs(first, f);
		fputs(": ports", f);
		print_ports(f, json_object_get(o, "ports"));
	}
}
