// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults as text, from their JSON.
 */
#include "print/print_faults.h"

#include <stdbool.h>
#include <string.h>

#include "base/units.h"

static const char *text(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static long long number(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static bool of_switch(json_t *o)
{
	return json_object_get(o, "switch");
}

static void print_wire(FILE *f, json_t *o, const char *from, const char *to)
{
	fprintf(f, "fault %lld: %s > %s: %s; %s\n", number(o, "id"),
		text(o, from), text(o, to), text(o, "effect"),
		text(o, "when"));
}

/**
 * print_fault_plan() - print the effect of a new fault, one line per wire
 * @f: stream to print to
 * @fault: the fault
 */
void print_fault_plan(FILE *f, json_t *fault)
{
	if (of_switch(fault)) {
		fprintf(f, "fault %lld: %s: %s; %s\n", number(fault, "id"),
			text(fault, "switch"), text(fault, "effect"),
			text(fault, "when"));
		return;
	}
	print_wire(f, fault, "from", "to");
	if (json_is_true(json_object_get(fault, "both")))
		print_wire(f, fault, "to", "from");
}

/**
 * print_fault_done() - print what a removed fault has done
 * @f: stream to print to
 * @fault: the fault
 */
void print_fault_done(FILE *f, json_t *fault)
{
	char time[32];

	weft_format_time(time, sizeof(time),
			 (uint64_t)number(fault, "active_ps"));
	fprintf(f, "fault %lld: removed; acted %s, on %lld packets and %lld control frames\n",
		number(fault, "id"), time, number(fault, "packets"),
		number(fault, "control"));
}

static void print_row(FILE *f, json_t *o)
{
	bool both = json_is_true(json_object_get(o, "both"));
	char place[128], time[32];

	if (of_switch(o))
		snprintf(place, sizeof(place), "%s", text(o, "switch"));
	else
		snprintf(place, sizeof(place), "%s%s%s", text(o, "from"),
			 both ? "<>" : ">", text(o, "to"));
	weft_format_time(time, sizeof(time), (uint64_t)number(o, "active_ps"));
	fprintf(f, "%5lld %-11s %-32s %-8s %8lld %10s %10lld %8lld\n",
		number(o, "id"), text(o, "kind"), place, text(o, "state"),
		number(o, "windows"), time, number(o, "packets"),
		number(o, "control"));
	fprintf(f, "      %s; %s\n", text(o, "effect"), text(o, "when"));
}

/**
 * print_faults() - print faults, if there are any
 * @f: stream to print to
 * @faults: the faults
 */
void print_faults(FILE *f, json_t *faults)
{
	json_t *o;
	size_t i;

	if (json_array_size(faults))
		fprintf(f, "%5s %-11s %-32s %-8s %8s %10s %10s %8s\n", "fault",
			"kind", "where", "state", "times", "acted", "packets",
			"control");
	json_array_foreach(faults, i, o)
		print_row(f, o);
}
