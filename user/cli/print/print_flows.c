// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of a workload: when each ended, and a summary.
 */
#include "print/print_flows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "netlink/json.h"
#include "print/print_path.h"
#include "workload/workload_path.h"

#define PER_MILLE	1000

/**
 * struct spread - mean and order statistics of the messages that ended
 * @n: how many
 * @mean: mean time, ps, rounded down
 * @p50: half of them took at most this, ps
 * @p99: 99 of 100 took at most this, ps
 * @max: the longest, ps
 * @first: start of the first one, ps
 * @last: end of the last one, ps
 * @end: when all has ended, work without messages included, ps
 * @computing: the most that a node computes, ps
 * @bytes: of all
 * @slowdown: mean of the slowdowns
 * @slowest: the largest slowdown
 * @path: the critical path, without its list of messages
 */
struct spread {
	unsigned int n;
	uint64_t mean;
	uint64_t p50;
	uint64_t p99;
	uint64_t max;
	uint64_t first;
	uint64_t last;
	uint64_t end;
	uint64_t computing;
	uint64_t bytes;
	double slowdown;
	double slowest;
	struct weft_work_path path;
};

/**
 * struct rows - messages to be listed
 * @n: how many
 * @path: with a list in it, those; else all
 */
struct rows {
	uint32_t n;
	struct weft_work_path path;
};

/* Work of a node is no message: it has neither a wire nor an ideal. */
static bool is_flow(const struct weft_message *m)
{
	return weft_message_moves(m);
}

/* Tables for programs also have work that has a name. */
static bool is_row(const struct weft_message *m)
{
	return is_flow(m) || m->name;
}

static uint64_t ideal(const struct weft_message *m)
{
	return is_flow(m) ? m->ideal : WEFT_NOT_YET;
}

/**
 * flow_has_ended() - has a message ended, and is it one?
 * @m: a message, or work of a node
 *
 * Return: true if it has.
 */
bool flow_has_ended(const struct weft_message *m)
{
	return is_flow(m) && m->end != WEFT_NOT_YET;
}

/**
 * flow_slowdown() - how many times longer a message took than it would alone
 * @m: the message, which has ended
 *
 * Return: the slowdown.
 */
double flow_slowdown(const struct weft_message *m)
{
	return (double)(m->end - m->start) / (double)m->ideal;
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of @n sorted numbers, the place of the least that @share of 1000 do not exceed. */
static uint64_t quantile(unsigned int n, unsigned int share)
{
	uint64_t rank = ((uint64_t)n * share + PER_MILLE - 1) / PER_MILLE;

	return rank ? rank - 1 : 0;
}

static void count(struct spread *s, const struct weft_message *m, uint64_t *time)
{
	double slow = flow_slowdown(m);

	time[s->n++] = m->end - m->start;
	s->bytes += m->bytes;
	s->slowdown += slow;
	if (slow > s->slowest)
		s->slowest = slow;
	if (m->start < s->first)
		s->first = m->start;
	if (m->end > s->last)
		s->last = m->end;
}

static bool is_of(const struct weft_message *m, uint32_t job)
{
	return job == WEFT_ALL_JOBS || m->job == job;
}

static int rows_of(const struct weft_work *w, enum flow_table table, struct rows *r,
		   struct weft_err *err)
{
	*r = (struct rows) { .n = table == FLOW_TABLE_NONE ? 0 : w->messages };
	if (table != FLOW_TABLE_CRITICAL)
		return 0;
	if (weft_work_path(w, WEFT_ALL_JOBS, &r->path, err)) {
		weft_work_path_free(&r->path);
		return err->code;
	}
	r->n = r->path.n;
	return 0;
}

static void rows_free(struct rows *r)
{
	weft_work_path_free(&r->path);
}

static const struct weft_message *row(const struct weft_work *w, const struct rows *r,
				      uint32_t i)
{
	return &w->message[r->path.message ? r->path.message[i] : i];
}

/* When all that has begun in a job has ended, and how long its nodes compute. */
static int measure_work(const struct weft_work *w, uint32_t job, struct spread *s,
			struct weft_err *err)
{
	uint32_t nodes = 0;
	uint64_t *of;

	for (unsigned int i = 0; i < w->messages; i++)
		if (w->message[i].from >= nodes)
			nodes = w->message[i].from + 1;
	of = calloc(nodes + 1, sizeof(*of));
	if (!of)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];

		if (!is_of(m, job) || m->end == WEFT_NOT_YET)
			continue;
		of[m->from] += m->delay;
		if (of[m->from] > s->computing)
			s->computing = of[m->from];
		if (m->end > s->end)
			s->end = m->end;
	}
	free(of);
	return 0;
}

/* The messages of a job, or of all. */
static int measure(const struct weft_work *w, uint32_t job, struct spread *s,
		   struct weft_err *err)
{
	uint64_t *time = calloc(w->messages + 1, sizeof(*time));
	__uint128_t sum = 0;

	*s = (struct spread) { .first = UINT64_MAX };
	if (!time)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < w->messages; i++)
		if (flow_has_ended(&w->message[i]) && is_of(&w->message[i], job))
			count(s, &w->message[i], time);
	if (s->n) {
		qsort(time, s->n, sizeof(*time), by_time);
		for (unsigned int i = 0; i < s->n; i++)
			sum += time[i];
		s->mean = (uint64_t)(sum / s->n);
		s->p50 = time[quantile(s->n, 500)];
		s->p99 = time[quantile(s->n, 990)];
		s->max = time[s->n - 1];
		s->slowdown /= s->n;
	} else {
		s->first = 0;
	}
	free(time);
	if (weft_work_path(w, job, &s->path, err))
		return err->code;
	free(s->path.message);
	s->path.message = NULL;
	return measure_work(w, job, s, err);
}

static const char *name_of(const struct weft_work *w, const struct weft_message *m,
			   char buf[16])
{
	if (m->name)
		return w->names + m->name;
	snprintf(buf, 16, "%" PRIu32, m->line);
	return buf;
}

/**
 * struct bin - messages of similar size
 * @name: for people
 * @above: more bytes than this
 */
struct bin {
	const char *name;
	uint64_t above;
};

/* The last one with fewer bytes is that of a message. */
static const struct bin bins[FLOW_BINS] = {
	{ "up to 10 kB", 0 }, { "up to 100 kB", 10000 }, { "up to 1 MB", 100000 },
	{ "more", 1000000 },
};

/**
 * struct by_size - slowdowns of the messages of a bin, which ended
 * @n: how many
 * @mean: their mean
 * @p50: half of them had at most this
 * @p99: 99 of 100 had at most this
 */
struct by_size {
	unsigned int n;
	double mean;
	double p50;
	double p99;
};

/**
 * flow_bin() - find the messages of similar size
 * @bytes: a size
 *
 * Return: number of the bin, below FLOW_BINS.
 */
size_t flow_bin(uint64_t bytes)
{
	size_t i = FLOW_BINS - 1;

	while (i && bytes <= bins[i].above)
		i--;
	return i;
}

/**
 * flow_bin_name() - what is in a bin
 * @bin: its number
 *
 * Return: for people.
 */
const char *flow_bin_name(size_t bin)
{
	return bins[bin].name;
}

/**
 * flow_by_value() - compare two doubles, for qsort()
 * @a: one
 * @b: the other
 *
 * Return: below 0, 0 or above 0.
 */
int flow_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_bin(const struct weft_work *w, size_t bin, double *v,
			struct by_size *b)
{
	*b = (struct by_size) { 0 };
	for (unsigned int i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];

		if (!flow_has_ended(m) || flow_bin(m->bytes) != bin)
			continue;
		v[b->n++] = flow_slowdown(m);
		b->mean += v[b->n - 1];
	}
	if (!b->n)
		return;
	qsort(v, b->n, sizeof(*v), flow_by_value);
	b->mean /= b->n;
	b->p50 = v[quantile(b->n, 500)];
	b->p99 = v[quantile(b->n, 990)];
}

/* The slowdowns by size. Return: how many bins have messages; 0 also without memory. */
static unsigned int measure_sizes(const struct weft_work *w, struct by_size by[FLOW_BINS])
{
	double *v = calloc(w->messages + 1, sizeof(*v));
	unsigned int used = 0;

	memset(by, 0, FLOW_BINS * sizeof(*by));
	for (size_t i = 0; v && i < FLOW_BINS; i++) {
		measure_bin(w, i, v, &by[i]);
		used += by[i].n != 0;
	}
	free(v);
	return used;
}

static void print_sizes(const struct weft_work *w)
{
	struct by_size by[FLOW_BINS];

	if (measure_sizes(w, by) < 2)
		return;
	printf("\n%-24s%12s%12s%12s%12s\n", "slowdown by size", "messages", "mean", "median",
	       "99 %");
	for (size_t i = 0; i < FLOW_BINS; i++)
		if (by[i].n)
			printf("%-24s%12u%12.4f%12.4f%12.4f\n", bins[i].name, by[i].n,
			       by[i].mean, by[i].p50, by[i].p99);
}

static json_t *sizes_json(const struct weft_work *w)
{
	struct by_size by[FLOW_BINS];
	json_t *a = json_array();

	measure_sizes(w, by);
	for (size_t i = 0; i < FLOW_BINS; i++)
		if (by[i].n)
			json_array_append_new(a, json_pack(
				"{s:o, s:i, s:f, s:f, s:f}", "above_bytes",
				weft_json_u64(bins[i].above), "ended", (int)by[i].n,
				"slowdown_mean", by[i].mean, "slowdown_p50", by[i].p50,
				"slowdown_p99", by[i].p99));
	return a;
}

/* Times of the table are ns with three digits: exact. */
static void print_ns(uint64_t ps)
{
	printf(" %12llu.%03llu", ps / WEFT_PS_PER_NS, ps % WEFT_PS_PER_NS);
}

static void print_row(const struct weft_plan *p, const struct weft_work *w,
		      const struct weft_message *m)
{
	char buf[16];

	printf("%-12s %-12s %-12s %12" PRIu64, name_of(w, m, buf),
	       p->node[m->from].name, p->node[m->to].name, m->bytes);
	if (m->start == WEFT_NOT_YET) {
		printf(" %16s\n", "not started");
		return;
	}
	print_ns(m->start);
	if (m->end == WEFT_NOT_YET) {
		printf(" %16s\n", "not ended");
		return;
	}
	print_ns(m->end);
	print_ns(m->end - m->start);
	printf(" %9.4f\n", flow_slowdown(m));
}

static void print_rows(const struct weft_plan *p, const struct weft_work *w,
		       const struct rows *r)
{
	printf("%-12s %-12s %-12s %12s %16s %16s %16s %9s\n", "message", "from", "to",
	       "bytes", "start ns", "end ns", "time ns", "slowdown");
	for (uint32_t i = 0; i < r->n; i++)
		if (is_flow(row(w, r, i)))
			print_row(p, w, row(w, r, i));
	putchar('\n');
}

static unsigned int flows_of(const struct weft_work *w, uint32_t job)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->messages; i++)
		n += is_flow(&w->message[i]) && is_of(&w->message[i], job);
	return n;
}

static void print_time(const char *what, uint64_t ps)
{
	char text[32];

	printf("%-24s%s\n", what, weft_format_time(text, sizeof(text), ps));
}

static void print_computing(const struct spread *s)
{
	char end[32], most[32];

	if (s->computing)
		printf("%-24s%s, of which a node computes up to %s\n", "with computing",
		       weft_format_time(end, sizeof(end), s->end),
		       weft_format_time(most, sizeof(most), s->computing));
}

/* A line for each of several jobs. */
static int print_jobs(const struct weft_work *w, struct weft_err *err)
{
	char first[32], last[32], time[32];
	struct spread s;

	if (w->jobs)
		printf("\n%-12s%12s%14s%14s%14s%12s\n", "job", "ended", "first start", "last end",
		       "time", "slowdown");
	for (uint32_t i = 0; i < w->jobs; i++) {
		if (measure(w, i, &s, err))
			return err->code;
		printf("%-12u%6u of %-3u%14s%14s%14s%12.4f\n", i + 1, s.n, flows_of(w, i),
		       weft_format_time(first, sizeof(first), s.first),
		       weft_format_time(last, sizeof(last), s.last),
		       weft_format_time(time, sizeof(time), s.last - s.first), s.slowdown);
	}
	return 0;
}

static void print_packets(const struct weft_sim_result *r)
{
	printf("%-24s%" PRIu64 " delivered, %" PRIu64 " marked", "packets", r->packets,
	       r->marked);
	if (r->lost || r->repeated)
		printf(", %" PRIu64 " lost, %" PRIu64 " sent again", r->lost, r->repeated);
	putchar('\n');
}

/**
 * print_flows() - print messages and a summary as text
 * @plan: the plan
 * @work: its workload, whose messages have been sent
 * @transport: name of the transport
 * @r: result of a simulation; NULL: of none
 * @table: which messages are listed before
 *
 * Return: exit code.
 */
int print_flows(const struct weft_plan *plan, const struct weft_work *work,
		const char *transport, const struct weft_sim_result *r, enum flow_table table)
{
	struct weft_err err;
	struct spread s;
	struct rows rows;
	char size[32];

	if (measure(work, WEFT_ALL_JOBS, &s, &err) || rows_of(work, table, &rows, &err))
		return cli_fail(&err);
	if (table != FLOW_TABLE_NONE)
		print_rows(plan, work, &rows);
	rows_free(&rows);
	printf("%-24s%u of %u, %s, transport %s\n", "messages that ended", s.n,
	       flows_of(work, WEFT_ALL_JOBS), weft_format_size(size, sizeof(size), s.bytes),
	       transport);
	print_time("from first to last", s.last - s.first);
	print_computing(&s);
	print_path(plan, &s.path);
	print_time("time, mean", s.mean);
	print_time("time, median", s.p50);
	print_time("time, 99 %", s.p99);
	print_time("time, longest", s.max);
	printf("%-24s%.4f mean, %.4f largest\n", "slowdown", s.slowdown, s.slowest);
	if (r)
		print_packets(r);
	if (print_jobs(work, &err))
		return cli_fail(&err);
	print_sizes(work);
	return cli_done();
}

static void csv_time(uint64_t ps)
{
	if (ps == WEFT_NOT_YET)
		putchar(',');
	else
		printf(",%" PRIu64, ps);
}

/**
 * print_flows_csv() - print messages as CSV
 * @plan: the plan
 * @work: its workload, whose messages have been sent
 * @table: which messages
 *
 * Times are ps; those of what did not happen are empty.
 *
 * Return: exit code.
 */
int print_flows_csv(const struct weft_plan *plan, const struct weft_work *work,
		    enum flow_table table)
{
	struct weft_err err;
	struct rows rows;
	char buf[16];

	if (rows_of(work, table, &rows, &err))
		return cli_fail(&err);
	puts("message,from,to,bytes,start_ps,end_ps,time_ps,ideal_ps");
	for (uint32_t i = 0; i < rows.n; i++) {
		const struct weft_message *m = row(work, &rows, i);

		if (!is_row(m))
			continue;
		printf("%s,%s,%s,%" PRIu64, name_of(work, m, buf),
		       plan->node[m->from].name, plan->node[m->to].name, m->bytes);
		csv_time(m->start);
		csv_time(m->end);
		csv_time(m->end == WEFT_NOT_YET ? WEFT_NOT_YET : m->end - m->start);
		csv_time(ideal(m));
		putchar('\n');
	}
	rows_free(&rows);
	return cli_done();
}

static json_t *time_json(uint64_t ps)
{
	return ps == WEFT_NOT_YET ? json_null() : weft_json_u64(ps);
}

static json_t *flow_json(const struct weft_plan *p, const struct weft_work *w,
			 const struct weft_message *m)
{
	json_t *o = json_object();
	char buf[16];

	json_object_set_new(o, "name", json_string(name_of(w, m, buf)));
	json_object_set_new(o, "from", json_string(p->node[m->from].name));
	json_object_set_new(o, "to", json_string(p->node[m->to].name));
	json_object_set_new(o, "bytes", weft_json_u64(m->bytes));
	json_object_set_new(o, "job", json_integer(m->job + 1));
	json_object_set_new(o, "start_ps", time_json(m->start));
	json_object_set_new(o, "end_ps", time_json(m->end));
	json_object_set_new(o, "ideal_ps", time_json(ideal(m)));
	json_object_set_new(o, "slowdown", flow_has_ended(m) ? json_real(flow_slowdown(m)) :
							  json_null());
	return o;
}

static json_t *spread_json(const struct weft_plan *plan, const struct spread *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "ended", json_integer(s->n));
	json_object_set_new(o, "bytes", weft_json_u64(s->bytes));
	json_object_set_new(o, "first_start_ps", weft_json_u64(s->first));
	json_object_set_new(o, "last_end_ps", weft_json_u64(s->last));
	json_object_set_new(o, "end_ps", weft_json_u64(s->end));
	json_object_set_new(o, "computing_ps", weft_json_u64(s->computing));
	json_object_set_new(o, "mean_ps", weft_json_u64(s->mean));
	json_object_set_new(o, "p50_ps", weft_json_u64(s->p50));
	json_object_set_new(o, "p99_ps", weft_json_u64(s->p99));
	json_object_set_new(o, "max_ps", weft_json_u64(s->max));
	json_object_set_new(o, "slowdown_mean", json_real(s->slowdown));
	json_object_set_new(o, "slowdown_max", json_real(s->slowest));
	json_object_set_new(o, "critical_path", path_json(plan, &s->path));
	return o;
}

/* A summary of each of several jobs. */
static json_t *jobs_json(const struct weft_plan *plan, const struct weft_work *w)
{
	json_t *a = json_array();
	struct weft_err err;
	struct spread s;

	for (uint32_t i = 0; i < w->jobs; i++) {
		json_t *o;

		if (measure(w, i, &s, &err)) {
			json_decref(a);
			return NULL;
		}
		o = spread_json(plan, &s);
		json_object_set_new(o, "messages", json_integer(flows_of(w, i)));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *rows_json(const struct weft_plan *plan, const struct weft_work *work,
			 const struct rows *r)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < r->n; i++)
		if (is_row(row(work, r, i)))
			json_array_append_new(all, flow_json(plan, work, row(work, r, i)));
	return all;
}

/**
 * flows_json() - messages and a summary as JSON
 * @plan: the plan
 * @work: its workload, whose messages have been sent
 * @transport: name of the transport
 * @table: with which messages
 *
 * Return: the object; NULL without memory.
 */
json_t *flows_json(const struct weft_plan *plan, const struct weft_work *work,
		   const char *transport, enum flow_table table)
{
	json_t *all = json_object(), *jobs = jobs_json(plan, work);
	struct weft_err err;
	struct rows rows;
	struct spread s;

	if (!jobs || measure(work, WEFT_ALL_JOBS, &s, &err) ||
	    rows_of(work, table, &rows, &err)) {
		json_decref(jobs);
		json_decref(all);
		return NULL;
	}
	json_object_set_new(all, "version", json_integer(WEFT_JSON_VERSION));
	json_object_set_new(all, "topology", json_string(plan->fabric.name));
	json_object_set_new(all, "transport", json_string(transport));
	json_object_set_new(all, "messages", json_integer(flows_of(work, WEFT_ALL_JOBS)));
	json_object_set_new(all, "summary", spread_json(plan, &s));
	json_object_set_new(all, "jobs", jobs);
	json_object_set_new(all, "by_size", sizes_json(work));
	if (table != FLOW_TABLE_NONE)
		json_object_set_new(all, "flows", rows_json(plan, work, &rows));
	rows_free(&rows);
	return all;
}
