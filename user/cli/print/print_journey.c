// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way of a packet as text, one line per hop. Times are exact, in nanoseconds with
 * three decimals.
 */
#include "print/print_journey.h"

#include <inttypes.h>
#include <stdio.h>

#include "packet/capture.h"
#include "packet/flow.h"
#include "packet/journey_view.h"

#define PS_PER_NS	1000
#define PS_PER_S	1000000000000ULL
#define TIME_WIDTH	13

static void ns_text(char *buf, size_t len, uint64_t ps)
{
	snprintf(buf, len, "%" PRIu64 ".%03" PRIu64, ps / PS_PER_NS,
		 ps % PS_PER_NS);
}

/* A time that overlaps others is printed in brackets. */
static void print_ns(uint64_t ps, bool beside)
{
	char ns[32], text[40];

	ns_text(ns, sizeof(ns), ps);
	snprintf(text, sizeof(text), beside ? "(%s)" : "%s", ns);
	printf(" %*s", TIME_WIDTH, text);
}

static void print_title(const struct weft_facts *facts,
			const struct weft_journey *j)
{
	struct weft_place to = { .known = true, .is_nic = true, .port = j->dst };
	char from[WEFT_PORT_NAME], dst[WEFT_PORT_NAME], what[160];
	struct weft_headers h;

	weft_place_name(facts, &j->source, from);
	weft_place_name(facts, &to, dst);
	weft_flow_headers(facts, j, &h);
	weft_headers_text(&h, what, sizeof(what));
	printf("packet %" PRIu64 ": %s > %s, %" PRIu32 " bytes", j->number,
	       from, j->flags & WEFT_FRAME_MULTICAST ? "all" : dst, j->length);
	if (j->segments > 1)
		printf(" in %" PRIu32 " frames", j->segments);
	printf(", %s", what);
	if (j->copy_of)
		printf(", a copy of %" PRIu64, j->copy_of);
	putchar('\n');
}

static void print_heading(void)
{
	static const char *const times[] = {
		"latency", "wait", "held back", "send", "wire", "rest",
	};

	printf("  %-18s %-16s %-16s", "time", "port", "to");
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		printf(" %*s", TIME_WIDTH, times[i]);
	puts(" (ns)");
}

static void print_hop(const struct weft_facts *facts,
		      const struct weft_hop *hop)
{
	struct weft_hop_view v;

	weft_hop_view(&v, facts, hop);
	printf("  %5" PRIu64 ".%012" PRIu64 " %-16s %-16s",
	       (uint64_t)(hop->joined / PS_PER_S),
	       (uint64_t)(hop->joined % PS_PER_S), v.port, v.peer);
	print_ns(v.latency, false);
	print_ns(v.wait, false);
	print_ns(hop->held, true);
	print_ns(v.serialisation, v.cut_through);
	print_ns(v.propagation, false);
	print_ns(v.rest, false);
	if (hop->replays)
		printf(" replayed %u times", hop->replays);
	printf("%s%s\n", hop->marked ? " marked" : "",
	       hop->trimmed ? " trimmed" : "");
}

static void print_end(const struct weft_facts *facts,
		      const struct weft_journey *j)
{
	char name[WEFT_PORT_NAME], ns[32];

	if (j->fate == WEFT_FATE_UNDER_WAY) {
		puts("  under way");
		return;
	}
	weft_place_name(facts, &j->where, name);
	ns_text(ns, sizeof(ns), j->end - j->born);
	if (j->fate == WEFT_FATE_LOST)
		printf("  lost at %s after %s ns: %s\n", name, ns, j->reason);
	else
		printf("  delivered at %s after %s ns\n", name, ns);
}

/**
 * print_journey() - print the way of a packet
 * @facts: the lab
 * @j: the packet
 */
void print_journey(const struct weft_facts *facts, const struct weft_journey *j)
{
	print_title(facts, j);
	if (j->hops)
		print_heading();
	for (unsigned int i = 0; i < j->hops; i++)
		print_hop(facts, &j->hop[i]);
	print_end(facts, j);
}
