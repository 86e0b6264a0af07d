// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Background traffic as text, from its JSON.
 */
#include "print/print_traffic.h"

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

static size_t sources(json_t *group)
{
	return json_array_size(json_object_get(group, "generators"));
}

/**
 * print_traffic_plan() - print the effect of new traffic
 * @f: stream to print to
 * @group: the traffic
 */
void print_traffic_plan(FILE *f, json_t *group)
{
	fprintf(f, "traffic %lld: %s from %zu NICs: %s; %s\n",
		number(group, "group"), text(group, "pattern"), sources(group),
		text(group, "effect"), text(group, "when"));
}

/**
 * print_traffic_done() - print what removed traffic has done
 * @f: stream to print to
 * @group: the traffic
 */
void print_traffic_done(FILE *f, json_t *group)
{
	fprintf(f, "traffic %lld: removed; %lld packets offered, %lld sent, %lld delivered, %lld lost, %lld under way\n",
		number(group, "group"), number(group, "offered_packets"),
		number(group, "sent_packets"),
		number(group, "delivered_packets"),
		number(group, "lost_packets"), number(group, "inside"));
}

static void print_row(FILE *f, json_t *o)
{
	char mean[32];

	weft_format_time(mean, sizeof(mean),
			 (uint64_t)number(o, "latency_mean_ps"));
	fprintf(f, "%7lld %-11s %5zu %-8s %11lld %11lld %11lld %9lld %9lld %10s\n",
		number(o, "group"), text(o, "pattern"), sources(o),
		text(o, "state"), number(o, "offered_packets"),
		number(o, "sent_packets"), number(o, "delivered_packets"),
		number(o, "lost_packets"), number(o, "marked_packets"), mean);
	fprintf(f, "        %s; %s\n", text(o, "effect"), text(o, "when"));
}

/**
 * print_traffic() - print traffic, if there is any
 * @f: stream to print to
 * @groups: the traffic
 */
void print_traffic(FILE *f, json_t *groups)
{
	json_t *o;
	size_t i;

	if (json_array_size(groups))
		fprintf(f, "%7s %-11s %5s %-8s %11s %11s %11s %9s %9s %10s\n",
			"traffic", "pattern", "NICs", "state", "offered",
			"sent", "delivered", "lost", "marked", "latency");
	json_array_foreach(groups, i, o)
		print_row(f, o);
}
