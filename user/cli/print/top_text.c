// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft top as lines of text, for the screen and for --once.
 *
 * If there is no room for all columns, the least important ones are left out first.
 */
#include "print/top_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/report.h"

#define BAR	10

/**
 * struct column - a column
 * @title: its title
 * @width: characters
 * @left: flush left
 * @rank: columns of the highest rank are left out first; those of rank 0 never
 * @cell: writes a cell, CELL bytes
 */
struct column {
	const char *title;
	int width;
	bool left;
	int rank;
	void (*cell)(char *buf, const struct weft_top_row *row);
};

#define CELL	64

/* A number of three digits with a unit letter. */
static void compact(char *buf, uint64_t n)
{
	static const char units[] = " kMGTPE";
	double v = (double)n;
	size_t unit = 0;

	while (v >= 999.5 && unit + 2 < sizeof(units)) {
		v /= 1000;
		unit++;
	}
	if (!unit)
		snprintf(buf, CELL, "%.0f", v);
	else
		snprintf(buf, CELL, "%.*f%c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0,
			 v, units[unit]);
}

static void percent(char *buf, double share)
{
	snprintf(buf, CELL, "%.1f%%", 100 * share);
}

static void cell_port(char *buf, const struct weft_top_row *row)
{
	snprintf(buf, CELL, "%s", row->port);
}

static void cell_peer(char *buf, const struct weft_top_row *row)
{
	snprintf(buf, CELL, "%s", row->peer);
}

static void cell_class(char *buf, const struct weft_top_row *row)
{
	snprintf(buf, CELL, "%d", row->cls);
}

static void cell_rate(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->rate);
}

static void cell_load(char *buf, const struct weft_top_row *row)
{
	if (row->up)
		percent(buf, row->load);
	else
		snprintf(buf, CELL, "down");
}

static void cell_bar(char *buf, const struct weft_top_row *row)
{
	int n = (int)(row->load * BAR + 0.5);

	n = n > BAR ? BAR : n;
	snprintf(buf, CELL, "%.*s%.*s", n, "##########", BAR - n, "..........");
}

static void cell_sent(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->tx);
}

static void cell_queue(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->queue);
}

static void cell_held(char *buf, const struct weft_top_row *row)
{
	percent(buf, row->held);
}

static void cell_pauses(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->delta.pauses);
}

static void cell_marks(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->delta.marked);
}

static void cell_drops(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->delta.dropped);
}

static void cell_replays(char *buf, const struct weft_top_row *row)
{
	compact(buf, row->delta.replays);
}

static void cell_fault(char *buf, const struct weft_top_row *row)
{
	snprintf(buf, CELL, "%s", row->fault);
}

static const struct column columns[TOP_COLUMNS] = {
	{ "PORT", 16, true, 0, cell_port },
	{ "TO", 16, true, 4, cell_peer },
	{ "CLASS", 5, false, 0, cell_class },
	{ "RATE", 6, false, 6, cell_rate },
	{ "LOAD", 7, false, 0, cell_load },
	{ "", BAR, true, 5, cell_bar },
	{ "SENT", 6, false, 0, cell_sent },
	{ "QUEUE", 6, false, 3, cell_queue },
	{ "HELD", 7, false, 0, cell_held },
	{ "PAUSES", 6, false, 0, cell_pauses },
	{ "MARKS", 6, false, 2, cell_marks },
	{ "DROPS", 6, false, 0, cell_drops },
	{ "REPLAYS", 7, false, 7, cell_replays },
	{ "FAULT", 12, true, 1, cell_fault },
};

/* A reading has no queue and no replays of a class. */
static bool has_column(size_t i, bool classes)
{
	const struct column *c = &columns[i];

	if (c->cell == cell_class)
		return classes;
	return !classes || (c->cell != cell_queue && c->cell != cell_replays);
}

static size_t width_of(const struct top_layout *l)
{
	size_t sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += (size_t)columns[l->column[i]].width + (i > 0);
	return sum;
}

/* Leave the column of the highest rank out. Return: false if all others must stay. */
static bool leave_out(struct top_layout *l)
{
	size_t worst = 0;

	for (size_t i = 1; i < l->n; i++)
		if (columns[l->column[i]].rank >
		    columns[l->column[worst]].rank)
			worst = i;
	if (!columns[l->column[worst]].rank)
		return false;
	memmove(&l->column[worst], &l->column[worst + 1],
		(l->n - worst - 1) * sizeof(*l->column));
	l->n--;
	return true;
}

/**
 * top_layout() - choose columns
 * @l: result
 * @width: characters of a line
 * @classes: rows are classes of a port
 */
void top_layout(struct top_layout *l, size_t width, bool classes)
{
	l->n = 0;
	for (size_t i = 0; i < TOP_COLUMNS; i++)
		if (has_column(i, classes))
			l->column[l->n++] = i;
	while (width_of(l) > width && leave_out(l))
		;
}

/**
 * top_head() - the first line: the lab, its time and its verdict
 * @buf: result, TOP_LINE bytes
 * @facts: the lab
 */
void top_head(char *buf, const struct weft_facts *facts)
{
	json_t *verdict = weft_verdict(facts);
	json_t *reasons = json_object_get(verdict, "reasons");
	const char *why = json_string_value(json_array_get(reasons, 0));
	char time[CELL];

	weft_format_time(time, sizeof(time), facts->fabric.now - facts->since);
	snprintf(buf, TOP_LINE, "%s  up %s  clock %s  %s%s", facts->lab, time,
		 facts->clock, why ? "NOT faithful: " : "faithful",
		 why ? why : "");
	json_decref(verdict);
}

/**
 * top_totals() - the second line: totals of all rows
 * @buf: result, TOP_LINE bytes
 * @facts: the lab
 * @rows: the rows
 * @view: the choice of the rows
 */
void top_totals(char *buf, const struct weft_facts *facts,
		const struct weft_top_rows *rows,
		const struct weft_top_view *view)
{
	char span[CELL], sent[CELL], drops[CELL];
	uint64_t tx = 0, dropped = 0;
	double most = 0;

	for (size_t i = 0; i < rows->n; i++) {
		tx += rows->row[i].tx;
		dropped += rows->row[i].delta.dropped;
		if (rows->row[i].load > most)
			most = rows->row[i].load;
	}
	weft_format_time(span, sizeof(span), rows->span);
	compact(sent, tx);
	compact(drops, dropped);
	snprintf(buf, TOP_LINE,
		 "%zu %s in %s, by %s%s%s  load at most %.1f%%  sent %sbps  drops %s  faults %u",
		 rows->n, view->classes ? "classes" : "wires", span,
		 weft_top_key_name(view->key), *view->filter ? ", with " : "",
		 view->filter, 100 * most, sent, drops, weft_top_faults(facts));
}

static void append(char *buf, const struct column *c, const char *text)
{
	size_t used = strlen(buf);

	snprintf(buf + used, TOP_LINE - used, "%s%*.*s", used ? " " : "",
		 c->left ? -c->width : c->width, c->width, text);
}

static void cut_blanks(char *buf)
{
	size_t n = strlen(buf);

	while (n && buf[n - 1] == ' ')
		buf[--n] = '\0';
}

/**
 * top_titles() - the line with the titles of the columns
 * @buf: result, TOP_LINE bytes
 * @l: the columns
 */
void top_titles(char *buf, const struct top_layout *l)
{
	*buf = '\0';
	for (size_t i = 0; i < l->n; i++)
		append(buf, &columns[l->column[i]], columns[l->column[i]].title);
	cut_blanks(buf);
}

/**
 * top_line() - the line of a row
 * @buf: result, TOP_LINE bytes
 * @l: the columns
 * @row: the row
 */
void top_line(char *buf, const struct top_layout *l,
	      const struct weft_top_row *row)
{
	char cell[CELL];

	*buf = '\0';
	for (size_t i = 0; i < l->n; i++) {
		columns[l->column[i]].cell(cell, row);
		append(buf, &columns[l->column[i]], cell);
	}
	cut_blanks(buf);
}
