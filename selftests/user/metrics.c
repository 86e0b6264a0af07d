// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Labs as metrics of Prometheus.
 */
#include "service/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "ktap.h"

static void counter(struct weft_counters *cs, const char *name, uint64_t v)
{
	cs->c[cs->n].name = name;
	cs->c[cs->n++].value = v;
}

/* A link between the NICs 0 and 1, and one class of its first wire. */
static void fill(struct weft_facts *f, struct weft_link *link,
		 struct weft_nic nic[2], struct weft_class_state *cls)
{
	counter(&link->wire[0].counters, "tx_bytes", UINT64_MAX);
	counter(&link->wire[0].counters, "queue", 5);
	counter(&link->wire[0].counters, "queue_peak", 7);
	counter(&link->wire[0].drops, "bit_error", 3);
	counter(&cls->counters, "tx_packets", 11);
	counter(&cls->counters, "held_since_ps", 13);
	link->wire[0].cls = (struct weft_class_states) { 1, cls };
	link->wires = 2;
	link->end[0] = (struct weft_end) { true, 0, 0 };
	link->end[1] = (struct weft_end) { true, 1, 0 };
	f->links = 1;
	f->link = link;
	f->nics = 2;
	f->nic = nic;
	f->fabric.now = 50;
	f->since = 20;
}

/* The line is there, and that many times. */
static void expect_lines(const char *text, const char *line, unsigned int want)
{
	unsigned int n = 0;

	for (const char *p = text; (p = strstr(p, line)); p += strlen(line))
		n += p == text || p[-1] == '\n';
	if (n != want)
		ktap_fail(__FILE__, __LINE__, "%u times \"%s\" in:\n%s", n,
			  line, text);
}

#define PLACE "lab=\"l\",link=\"a\\\"b\\\\c\\ne\",from=\"n0.eth0\",to=\"n1.eth0\""

#define NODE "lab=\"l\",switch=\"leaf\",group=\"2\""

TEST(one_lab)
{
	struct weft_class_state cls = { .cls = 3 };
	struct weft_link link = { .name = "a\"b\\c\ne" };
	struct weft_nic nic[2] = { { .id = 0, .name = "n0.eth0" },
				   { .id = 1, .name = "n1.eth0" } };
	struct weft_aggregator ag = { .sw = 4, .group = 2, .results = 17, .late = 3, .down = 1 };
	struct weft_switch sw = { .id = 4, .name = "leaf" };
	struct weft_facts f = {
		.lab = "l", .switches = 1, .sw = &sw, .aggregators = 1, .aggregator = &ag,
	};
	struct weft_metrics m = { 0 };
	struct weft_err err;
	char *text;

	fill(&f, &link, nic, &cls);
	weft_metrics_lab(&m, &f);
	EXPECT_EQ(weft_metrics_take(&m, &text, &err), 0);
	expect_lines(text, "weft_lab_time_ps{lab=\"l\"} 30\n", 1);
	expect_lines(text, "# TYPE weft_link_tx_bytes_total counter\n", 1);
	expect_lines(text, "weft_link_tx_bytes_total{" PLACE "} 18446744073709551615\n", 1);
	expect_lines(text, "# TYPE weft_link_queue gauge\n", 1);
	expect_lines(text, "weft_link_queue{" PLACE "} 5\n", 1);
	expect_lines(text, "weft_link_queue_peak{" PLACE "} 7\n", 1);
	expect_lines(text, "weft_link_drops_total{" PLACE ",reason=\"bit_error\"} 3\n", 1);
	expect_lines(text, "weft_class_tx_packets_total{" PLACE ",class=\"3\"} 11\n", 1);
	expect_lines(text, "weft_class_held_since_ps{" PLACE ",class=\"3\"} 13\n", 1);
	expect_lines(text, "weft_lab_up{lab=\"l\"} 1\n", 1);
	expect_lines(text, "weft_aggregator_results_total{" NODE "} 17\n", 1);
	expect_lines(text, "weft_aggregator_late_total{" NODE "} 3\n", 1);
	expect_lines(text, "weft_aggregator_up{" NODE "} 0\n", 1);
	free(text);
}

/* What is said of two labs under one name is in one place. */
TEST(two_labs)
{
	struct weft_facts f = { .lab = "a" }, g = { .lab = "b" };
	struct weft_metrics m = { 0 };
	struct weft_err err;
	char *text;

	counter(&f.fabric.counters, "events", 4);
	counter(&g.fabric.counters, "hops", 6);
	counter(&g.fabric.counters, "events", 5);
	weft_metrics_lab(&m, &f);
	weft_metrics_lab(&m, &g);
	weft_metrics_lost(&m, "c");
	weft_metrics_value(&m, "weftd_labs", "labs", 3);
	EXPECT_EQ(weft_metrics_take(&m, &text, &err), 0);
	expect_lines(text, "# TYPE weft_fabric_events_total counter\n"
		     "weft_fabric_events_total{lab=\"a\"} 4\n"
		     "weft_fabric_events_total{lab=\"b\"} 5\n#", 1);
	expect_lines(text, "weft_fabric_hops_total{lab=\"b\"} 6\n", 1);
	expect_lines(text, "weft_lab_up{lab=\"a\"} 1\nweft_lab_up{lab=\"b\"} 1\n"
		     "weft_lab_up{lab=\"c\"} 0\n#", 1);
	expect_lines(text, "weftd_labs 3\n", 1);
	free(text);
}
