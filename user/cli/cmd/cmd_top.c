// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft top: the present activity of a lab's links.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "cli.h"
#include "print/top_screen.h"
#include "print/top_text.h"

#define PS_PER_MS	1000000000ULL
#define INTERVAL_MAX	(3600 * WEFT_PS_PER_S)

/**
 * struct options - options of the user
 * @lab: name of the lab, NULL for the only one
 * @interval: time between two readings, ps of this machine's time
 * @key: key by which rows are sorted
 * @filter: part of the name of a port
 * @once: print one table
 * @verbose: also print wires without traffic
 * @json: as JSON
 */
struct options {
	const char *lab;
	uint64_t interval;
	enum weft_top_key key;
	const char *filter;
	bool once;
	bool verbose;
	bool json;
};

/**
 * top_make() - make the rows again from the two readings
 * @t: the readings
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int top_make(struct top *t, struct weft_err *err)
{
	weft_top_rows_free(&t->rows);
	return weft_top_rows(&t->rows, &t->facts, &t->before, &t->now,
			     &t->view, err);
}

/**
 * top_next() - take the next reading, and make rows from it and the last one
 * @t: the readings
 * @err: error
 *
 * Return: 0; -ENOENT if the lab is gone; or another negative errno.
 */
int top_next(struct top *t, struct weft_err *err)
{
	int ret = weft_facts_refresh(&t->facts, &t->nl, err);

	if (ret)
		return ret;
	weft_top_reading_free(&t->before);
	t->before = t->now;
	t->now = (struct weft_top_reading) { 0 };
	ret = weft_top_read(&t->now, &t->facts, err);
	return ret ? ret : top_make(t, err);
}

/* Before the second reading, the rows are since the lab came up. */
static int open_top(struct top *t, const struct weft_lab *lab,
		    struct weft_err *err)
{
	int ret;

	ret = weft_facts_read(&t->facts, lab, err);
	if (!ret)
		ret = weft_lab_nl(lab, &t->nl, err);
	if (!ret)
		ret = weft_top_read(&t->now, &t->facts, err);
	t->before.time = t->facts.since;
	return ret ? ret : top_make(t, err);
}

static void close_top(struct top *t)
{
	weft_top_rows_free(&t->rows);
	weft_top_reading_free(&t->before);
	weft_top_reading_free(&t->now);
	weft_facts_free(&t->facts);
	weft_nl_close(&t->nl);
}

/* A wire that is down or has a fault is never idle. */
static bool is_idle(const struct weft_top_row *row)
{
	const struct weft_top_counts *d = &row->delta;

	return row->up && !*row->fault && !row->tx && !row->queue &&
	       row->held <= 0 && !d->pauses && !d->marked && !d->dropped &&
	       !d->replays;
}

static void print_idle(size_t idle, bool shown)
{
	if (idle)
		printf("%zu%s without traffic\n", idle, shown ? " more" : "");
}

static void print_rows(const struct top *t, bool all)
{
	size_t idle = 0;
	char buf[TOP_LINE];
	struct top_layout l;

	top_head(buf, &t->facts);
	puts(buf);
	top_totals(buf, &t->facts, &t->rows, &t->view);
	puts(buf);
	top_layout(&l, TOP_LINE, false);
	top_titles(buf, &l);
	puts(buf);
	for (size_t i = 0; i < t->rows.n; i++) {
		if (!all && is_idle(&t->rows.row[i])) {
			idle++;
			continue;
		}
		top_line(buf, &l, &t->rows.row[i]);
		puts(buf);
	}
	print_idle(idle, idle < t->rows.n);
}

static int once(struct top *t, const struct options *opt, struct weft_err *err)
{
	struct timespec wait = {
		.tv_sec = t->interval / 1000,
		.tv_nsec = t->interval % 1000 * 1000000L,
	};

	while (nanosleep(&wait, &wait) && errno == EINTR)
		;
	if (top_next(t, err))
		return err->code;
	if (!opt->json)
		print_rows(t, opt->verbose);
	else if (cli_json(weft_top_json(&t->rows, &t->facts)))
		return weft_err_sys(err, EIO, "output");
	return 0;
}

/* A lab that is removed meanwhile is a normal end. */
static int show(struct top *t, const struct weft_lab *lab, struct weft_err *err)
{
	int ret = top_screen(t, err);

	if (ret != -ENOENT)
		return ret;
	printf("lab \"%s\" is gone\n", lab->name);
	return 0;
}

static int top_in(const struct weft_lab *lab, const struct options *opt,
		  struct weft_err *err)
{
	struct top t = {
		.view.key = opt->key,
		.interval = (int)(opt->interval / PS_PER_MS),
	};
	int ret;

	if (opt->filter)
		snprintf(t.view.filter, sizeof(t.view.filter), "%s",
			 opt->filter);
	ret = open_top(&t, lab, err);
	if (!ret && opt->once)
		ret = once(&t, opt, err);
	else if (!ret)
		ret = show(&t, lab, err);
	close_top(&t);
	return ret;
}

static int run_top(const struct options *opt)
{
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (cli_lab(&lab, opt->lab, &err) || top_in(&lab, opt, &err))
		ret = cli_fail(&err);
	else
		ret = cli_done();
	weft_lab_close(&lab);
	return ret;
}

static int set_interval(const struct command *cmd, const char *text,
			struct options *opt)
{
	struct weft_err err;

	if (!weft_parse_time(text, &opt->interval, &err) &&
	    opt->interval >= PS_PER_MS && opt->interval <= INTERVAL_MAX)
		return 0;
	return cli_usage(cmd, "--interval %s: expected 1ms to 3600s", text);
}

static int set_sort(const struct command *cmd, const char *text,
		    struct options *opt)
{
	struct weft_err err;

	if (!weft_top_parse_key(text, &opt->key, &err))
		return 0;
	return cli_usage(cmd, "--sort %s", err.msg);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *interval = NULL, *sort = NULL;
	struct options o = { .interval = 1000 * PS_PER_MS };
	const struct cli_option opt[] = {
		CLI_TEXT("lab", &o.lab), CLI_TEXT("interval", &interval),
		CLI_TEXT("sort", &sort), CLI_TEXT("filter", &o.filter),
		CLI_FLAG("once", &o.once), CLI_FLAG("json", &o.json),
		CLI_FLAG("verbose", &o.verbose), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (interval && set_interval(cmd, interval, &o))
		return EXIT_USAGE;
	if (sort && set_sort(cmd, sort, &o))
		return EXIT_USAGE;
	if (cli_no_words(cmd, argc, argv))
		return EXIT_USAGE;
	if (o.json && !o.once)
		return cli_usage(cmd, "--json needs --once");
	if (o.verbose && !o.once)
		return cli_usage(cmd, "--verbose needs --once");
	return run_top(&o);
}

const struct command cmd_top = {
	.name = "top",
	.run = run,
	.summary = "what the links of a lab do now",
	.usage =
"usage: weft top [OPTION]...\n"
"\n"
"Show the ports of a lab with the load of their wires, live: how long a wire was\n"
"busy, what was sent, how much is queued, how long packets were held back by\n"
"pauses or missing credits, received pauses, marks, drops, replays, faults. Rates\n"
"and shares are of fabric time between two readings; before the second reading,\n"
"since the lab came up. Key h shows the keys, q quits.\n"
"\n"
"      --interval T   time between readings, in this machine's time (default 1s)\n"
"      --sort KEY     load (default), pauses, held, drops, queue, marks or name\n"
"      --filter TEXT  only ports with this in their name or their peer's\n"
"      --once         print one table, of one interval, and end\n"
"  -v, --verbose      with --once: also wires without traffic\n"
"  -j, --json         with --once: as JSON\n"
"  -p, --pretty       JSON with indents\n"
"  -l, --lab LAB      the lab (default: $WEFT_LAB, or the only one)\n",
};
