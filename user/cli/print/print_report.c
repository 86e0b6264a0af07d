// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A report as text, from its JSON.
 */
#include "print/print_report.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "print/brief.h"
#include "print/print_faults.h"
#include "print/print_management.h"
#include "print/print_reroute.h"
#include "print/print_traffic.h"
#include "report/report.h"

/**
 * report_of() - make the report of a lab
 * @lab: the lab, up
 * @err: error
 *
 * Return: a new reference, NULL on error.
 */
json_t *report_of(const struct weft_lab *lab, struct weft_err *err)
{
	struct weft_facts facts;
	json_t *report = NULL;

	if (!weft_facts_read_whole(&facts, lab, err))
		report = weft_report_make(&facts, err);
	weft_facts_free(&facts);
	return report;
}

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

static void print_hist(FILE *f, const char *what, json_t *h)
{
	char p50[32], p90[32], p99[32], max[32];

	fprintf(f, "%s: p50 %s, p90 %s, p99 %s, max %s (%lld samples)\n", what,
		time_of(h, "p50_ps", p50), time_of(h, "p90_ps", p90),
		time_of(h, "p99_ps", p99), time_of(h, "max_ps", max),
		number(h, "count"));
}

static void print_phase(FILE *f, json_t *o)
{
	char begin[32], time[32], wait[32], p50[32], p99[32];
	json_t *h = json_object_get(o, "latency");
	json_t *busiest = json_object_get(o, "busiest");

	fprintf(f, "%-18s %11s %10s%c %13lld %7.2f GB/s %7.2f%% %10s %10s %10s %8lld\n",
		text(o, "name"), time_of(o, "begin_ps", begin),
		time_of(o, "time_ps", time),
		json_is_true(json_object_get(o, "open")) ? '+' : ' ',
		number(o, "bytes"), (double)number(o, "busbw_bytes_per_s") / 1e9,
		100 * json_real_value(json_object_get(busiest, "utilisation")),
		time_of(o, "wait_ps", wait), time_of(h, "p50_ps", p50),
		time_of(h, "p99_ps", p99), number(o, "dropped"));
}

static uint64_t phase_bytes(json_t *phase)
{
	return (uint64_t)number(phase, "bytes");
}

/* Phases by a mark, and phases that are not over, are always shown. */
static bool is_marked(json_t *phase, json_t *ctx)
{
	(void)ctx;
	return !strcmp(text(phase, "by"), "mark") ||
	       json_is_true(json_object_get(phase, "open"));
}

/* Prints nothing without phases. */
static void print_phases(FILE *f, json_t *phases, long long missed, bool all)
{
	static const char *const busy[] = { "bytes", NULL };
	static const char *const trouble[] = { "dropped", "wait_ps", NULL };
	struct brief b = {
		.rows = phases, .what = "phase", .busy = busy,
		.trouble = trouble, .most = phase_bytes, .failed = is_marked,
		.all = all,
	};

	if (!json_array_size(phases))
		return;
	brief_choose(&b);
	fprintf(f, "\n%-18s %11s %10s  %13s %12s %8s %10s %10s %10s %8s\n",
		"phase", "begin", "time", "bytes", "busbw", "used",
		"held back", "lat. p50", "lat. p99", "dropped");
	brief_print_rows(f, &b, print_phase);
	if (b.more)
		fprintf(f, "%zu more, each of at most %llu bytes\n", b.more,
			(unsigned long long)b.largest);
	brief_print_idle(f, &b);
	if (missed)
		fprintf(f, "and %lld more, for which there was no room\n",
			missed);
}

static uint64_t busy_time(json_t *o)
{
	return (uint64_t)number(o, "tx_busy_ps");
}

/* Is the wire down, or was a fault injected into its link? */
static bool at_fault(json_t *wire, json_t *report)
{
	const char *link = text(wire, "link");
	json_t *fault;
	size_t i;

	if (!json_is_true(json_object_get(wire, "up")))
		return true;
	json_array_foreach(json_object_get(report, "faults"), i, fault)
		if (!strcmp(text(fault, "link"), link))
			return true;
	return false;
}

static void print_link(FILE *f, json_t *o)
{
	char rate[32];

	weft_format_rate(rate, sizeof(rate), (uint64_t)number(o, "rate_bps"));
	fprintf(f, "%-18s %-18s %9s %12lld %14lld %6.2f%% %8lld%s\n",
		text(o, "from"), text(o, "to"), rate,
		number(o, "tx_packets"), number(o, "tx_bytes"),
		100 * json_real_value(json_object_get(o, "utilisation")),
		number(o, "dropped"),
		json_is_true(json_object_get(o, "up")) ? "" : " down");
}

static void print_links(FILE *f, json_t *report, bool all)
{
	static const char *const busy[] = { "tx_packets", NULL };
	static const char *const trouble[] = {
		"dropped", "wait_ps", "tx_wait_ps", "tx_pause", "rx_pause",
		"marked", "trimmed", "tx_replays", NULL,
	};
	struct brief b = {
		.rows = json_object_get(report, "links"), .what = "wire",
		.busy = busy, .trouble = trouble, .most = busy_time,
		.failed = at_fault, .ctx = report, .all = all,
	};
	uint64_t time = (uint64_t)number(report, "time_ps");

	brief_choose(&b);
	fputc('\n', f);
	if (b.shown)
		fprintf(f, "%-18s %-18s %9s %12s %14s %7s %8s\n", "from", "to",
			"rate", "packets", "bytes", "used", "dropped");
	brief_print_rows(f, &b, print_link);
	if (b.more)
		fprintf(f, "%zu more, each used at most %.2f%%\n", b.more,
			time ? 100 * (double)b.largest / (double)time : 0);
	brief_print_idle(f, &b);
}

static uint64_t latency_p99(json_t *o)
{
	return (uint64_t)number(json_object_get(o, "latency"), "p99_ps");
}

static void print_nic(FILE *f, json_t *o)
{
	json_t *h = json_object_get(o, "latency");
	char p50[32], p99[32];

	fprintf(f, "%-18s %12lld %14lld %12lld %14lld %10s %10s\n",
		text(o, "name"), number(o, "tx_packets"),
		number(o, "tx_bytes"), number(o, "rx_packets"),
		number(o, "rx_bytes"), time_of(h, "p50_ps", p50),
		time_of(h, "p99_ps", p99));
}

static void print_nics(FILE *f, json_t *nics, bool all)
{
	static const char *const busy[] = { "tx_packets", "rx_packets", NULL };
	static const char *const trouble[] = { "dropped", NULL };
	struct brief b = {
		.rows = nics, .what = "NIC", .busy = busy, .trouble = trouble,
		.most = latency_p99, .all = all,
	};
	char p99[32];

	brief_choose(&b);
	fputc('\n', f);
	if (b.shown)
		fprintf(f, "%-18s %12s %14s %12s %14s %10s %10s\n", "nic",
			"sent", "bytes", "received", "bytes", "lat. p50",
			"lat. p99");
	brief_print_rows(f, &b, print_nic);
	if (b.more)
		fprintf(f, "%zu more, lat. p99 at most %s\n", b.more,
			weft_format_time(p99, sizeof(p99), b.largest));
	brief_print_idle(f, &b);
}

static void print_verbs_row(FILE *f, json_t *nic)
{
	json_t *v = json_object_get(nic, "verbs");

	fprintf(f, "%-18s %-10s %10lld %14lld %10lld %8lld %8lld %6lld %8lld %8lld\n",
		text(nic, "name"), text(nic, "rdma_device"),
		number(v, "tx_messages"), number(v, "tx_bytes"),
		number(v, "rx_messages"), number(v, "retransmitted"),
		number(v, "timeouts"), number(v, "rnr_nak"),
		number(v, "cnp_handled") + number(v, "becn_handled"),
		number(v, "rate_cuts"));
}

static uint64_t verbs_bytes(json_t *nic)
{
	return (uint64_t)number(json_object_get(nic, "verbs"), "tx_bytes");
}

static bool has_device(json_t *nics)
{
	json_t *o;
	size_t i;

	json_array_foreach(nics, i, o)
		if (*text(o, "rdma_device"))
			return true;
	return false;
}

/* Prints nothing if no NIC used verbs. */
static void print_verbs(FILE *f, json_t *nics, bool all)
{
	static const char *const busy[] = {
		"tx_messages", "rx_messages", "tx_packets", "rx_packets", NULL
	};
	static const char *const trouble[] = {
		"retransmitted", "timeouts", "out_of_sequence", "duplicates",
		"nak_sequence", "nak_access", "nak_invalid", "rnr_nak",
		"rnr_sent", "access_errors", "request_errors", "no_qp",
		"no_receive", "no_reference", "ecn_marked", "cnp_handled",
		"becn_handled", "rate_cuts", "tx_stalls", NULL
	};
	struct brief b = {
		.rows = nics, .what = "NIC", .part = "verbs", .busy = busy,
		.trouble = trouble, .most = verbs_bytes,
		.all = all && has_device(nics),
	};

	brief_choose(&b);
	if (!b.shown)
		return;
	fprintf(f, "\n%-18s %-10s %10s %14s %10s %8s %8s %6s %8s %8s\n",
		"verbs", "device", "requests", "bytes", "executed", "resent",
		"timeouts", "rnr", "notified", "cuts");
	brief_print_rows(f, &b, print_verbs_row);
	if (b.more)
		fprintf(f, "%zu more, each sent at most %llu bytes\n", b.more,
			(unsigned long long)b.largest);
	brief_print_idle(f, &b);
}

static void print_discipline(FILE *f, json_t *o)
{
	char wait[32], worst[64] = "", time[32];

	if (number(o, "worst_wait_ps"))
		snprintf(worst, sizeof(worst), "%s %s",
			 time_of(o, "worst_wait_ps", time),
			 text(o, "worst_wait_port"));
	fprintf(f, "%-10s %5lld %10s %-20s %7lld %7lld %7lld %7lld %7lld %7lld\n",
		text(o, "discipline"), number(o, "ports"),
		time_of(o, "wait_ps", wait), worst, number(o, "tx_pause"),
		number(o, "tx_control"), number(o, "marked"),
		number(o, "trimmed"), number(o, "tx_replays"),
		number(o, "watchdogs"));
}

static void print_losses(FILE *f, json_t *losses)
{
	json_t *o, *value;
	const char *reason;
	size_t i;

	json_array_foreach(losses, i, o) {
		fprintf(f, "lost in a lossless class: %lld packets of class %lld at %s; that port lost",
			number(o, "packets"), number(o, "class"),
			text(o, "port"));
		json_object_foreach(json_object_get(o, "reasons"), reason,
				    value)
			fprintf(f, " %s %lld", reason,
				(long long)json_integer_value(value));
		fputc('\n', f);
	}
}

static void print_disciplines(FILE *f, json_t *disciplines, bool all)
{
	static const char *const keys[] = {
		"wait_ps", "tx_pause", "tx_control", "marked", "trimmed",
		"tx_replays", "watchdogs", "lossless_dropped",
	};
	bool titled = false;
	json_t *o;
	size_t i;

	json_array_foreach(disciplines, i, o) {
		bool busy = all;

		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			busy |= number(o, keys[k]) != 0;
		if (!busy)
			continue;
		if (!titled)
			fprintf(f, "%-10s %5s %10s %-20s %7s %7s %7s %7s %7s %7s\n",
				"discipline", "ports", "held back", "most",
				"pauses", "control", "marked", "trimmed",
				"replays", "storms");
		titled = true;
		print_discipline(f, o);
	}
}

/* Prints nothing if no port is lossless and no loss was accepted. */
static void print_lossless(FILE *f, json_t *l, bool all)
{
	json_t *note;
	size_t i;

	if (!json_is_true(json_object_get(l, "lossless")) &&
	    !json_is_true(json_object_get(l, "accepted_loss")))
		return;
	fputc('\n', f);
	print_disciplines(f, json_object_get(l, "disciplines"), all);
	print_losses(f, json_object_get(l, "losses"));
	json_array_foreach(json_object_get(l, "notes"), i, note)
		fprintf(f, "note: %s\n", json_string_value(note));
	fprintf(f, "lossless: %s\n",
		json_is_true(json_object_get(l, "accepted_loss")) ?
		"false, as the topology accepts" : "true");
}

/* Prints nothing without faults. */
static void print_faults_of(FILE *f, json_t *faults)
{
	if (json_array_size(faults))
		fputc('\n', f);
	print_faults(f, faults);
}

static void print_traffic_of(FILE *f, json_t *traffic)
{
	if (json_array_size(traffic))
		fputc('\n', f);
	print_traffic(f, traffic);
}

/* Prints nothing where nobody asked for trees of switches. */
static void print_reductions(FILE *f, json_t *o)
{
	char bytes[32];

	if (!o)
		return;
	fprintf(f, "\nreductions: %lld groups; %lld collectives in switches, %s; %lld by hosts\n",
		number(o, "groups"), number(o, "in_switches"),
		weft_format_size(bytes, sizeof(bytes), (uint64_t)number(o, "bytes")),
		number(o, "by_hosts"));
	if (number(o, "refused"))
		fprintf(f, "groups refused for lack of resources: %lld\n", number(o, "refused"));
	if (number(o, "failed"))
		fprintf(f, "groups that failed: %lld\n", number(o, "failed"));
}

static void print_verdict(FILE *f, json_t *verdict)
{
	json_t *reason, *note;
	size_t i;

	json_array_foreach(json_object_get(verdict, "notes"), i, note)
		fprintf(f, "note: %s\n", json_string_value(note));
	if (json_is_true(json_object_get(verdict, "faithful")))
		fputs("verdict: faithful\n", f);
	json_array_foreach(json_object_get(verdict, "reasons"), i, reason)
		fprintf(f, "verdict: not faithful: %s\n",
			json_string_value(reason));
}

/* If no event was late, only losses are printed. */
static void print_lateness(FILE *f, json_t *report, bool all)
{
	json_t *late = json_object_get(report, "lateness");
	char bound[32];

	if (all || number(late, "late_events")) {
		print_hist(f, "lateness", late);
		fprintf(f, "later than %s: %lld events; ",
			time_of(late, "bound_ps", bound),
			number(late, "late_events"));
	}
	fprintf(f, "dropped by the fabric: %lld packets\n",
		number(report, "dropped"));
}

/**
 * print_report() - print a report
 * @f: stream to print to
 * @report: the report
 * @all: also print rows that are idle or alike, and zeros
 */
void print_report(FILE *f, json_t *report, bool all)
{
	char time[32];

	fprintf(f, "weft report: lab %s, clock %s, seed %s, %s of fabric time\n",
		text(report, "lab"), text(report, "clock"),
		text(report, "seed"), time_of(report, "time_ps", time));
	print_hist(f, "latency", json_object_get(report, "latency"));
	print_lateness(f, report, all);
	print_phases(f, json_object_get(report, "phases"),
		     number(report, "phases_missed"), all);
	print_links(f, report, all);
	print_nics(f, json_object_get(report, "nics"), all);
	print_verbs(f, json_object_get(report, "nics"), all);
	print_management(f, json_object_get(report, "management"));
	print_faults_of(f, json_object_get(report, "faults"));
	print_reroutes(f, json_object_get(report, "reroutes"));
	print_reductions(f, json_object_get(report, "reductions"));
	print_traffic_of(f, json_object_get(report, "traffic"));
	print_lossless(f, json_object_get(report, "lossless"), all);
	fputc('\n', f);
	print_verdict(f, json_object_get(report, "verdict"));
}

/**
 * save_report() - write a report to a file
 * @path: the file
 * @report: the report
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int save_report(const char *path, json_t *report, struct weft_err *err)
{
	return weft_file_write_json(path, 0, report,
				    JSON_INDENT(2) | JSON_REAL_PRECISION(6), err);
}
