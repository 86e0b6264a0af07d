// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The present activity of a lab's links: two readings, and the changes between them.
 *
 * All rates are of fabric time: differences of counters divided by fabric time, never by
 * this machine's time. When the first bit of a packet is sent, a wire counts as busy for
 * the whole packet. So in a short time its load may exceed 1 by one packet.
 */
#include "view/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/json.h"
#include "report/report.h"

#define PS_PER_S	1000000000000ULL

static uint64_t get(const struct weft_counters *c, const char *name)
{
	return weft_counters_get(c, name);
}

static void read_class(struct weft_top_counts *to, const struct weft_counters *c)
{
	*to = (struct weft_top_counts) {
		.packets = get(c, "tx_packets"), .bytes = get(c, "tx_bytes"),
		.wait = get(c, "wait_ps"), .pauses = get(c, "rx_pause"),
		.pauses_sent = get(c, "tx_pause"), .marked = get(c, "marked"),
		.dropped = get(c, "dropped"),
	};
}

static void read_wire(struct weft_top_wire *to, const struct weft_link *link,
		      unsigned int dir)
{
	const struct weft_wire *w = &link->wire[dir];

	to->link = link->id;
	to->dir = dir;
	to->queue = get(&w->counters, "queue");
	to->port = (struct weft_top_counts) {
		.packets = get(&w->counters, "tx_packets"),
		.bytes = get(&w->counters, "tx_bytes"),
		.busy = get(&w->counters, "tx_busy_ps"),
		.wait = get(&w->counters, "tx_wait_ps"),
		.replays = get(&w->counters, "tx_replays"),
		.dropped = weft_counters_sum(&w->drops),
	};
	for (unsigned int i = 0; i < w->cls.n; i++) {
		const struct weft_class_state *s = &w->cls.state[i];
		struct weft_top_counts *c;

		if (s->cls >= WEFT_CLASSES_MAX)
			continue;
		c = &to->cls[s->cls];
		to->classes |= 1U << s->cls;
		read_class(c, &s->counters);
		to->port.pauses += c->pauses;
		to->port.pauses_sent += c->pauses_sent;
		to->port.marked += c->marked;
	}
}

/**
 * weft_top_read() - take a reading of all wires of a lab
 * @r: result, to be freed by weft_top_reading_free()
 * @facts: the lab
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_top_read(struct weft_top_reading *r, const struct weft_facts *facts,
		  struct weft_err *err)
{
	*r = (struct weft_top_reading) { .time = facts->fabric.now };
	r->wire = calloc(2 * (size_t)facts->links + 1, sizeof(*r->wire));
	if (!r->wire)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < facts->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++)
			read_wire(&r->wire[r->n++], &facts->link[i], dir);
	return 0;
}

/**
 * weft_top_reading_free() - free a reading
 * @r: the reading
 */
void weft_top_reading_free(struct weft_top_reading *r)
{
	free(r->wire);
	*r = (struct weft_top_reading) { 0 };
}

/* Find a wire. Links rarely change, so it is most often at @hint, its old index. */
static const struct weft_top_wire *
find_wire(const struct weft_top_reading *r, uint32_t link, uint32_t dir,
	  size_t hint)
{
	if (hint < r->n && r->wire[hint].link == link &&
	    r->wire[hint].dir == dir)
		return &r->wire[hint];
	for (size_t i = 0; i < r->n; i++)
		if (r->wire[i].link == link && r->wire[i].dir == dir)
			return &r->wire[i];
	return NULL;
}

static uint64_t less(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* The counters of a new link start at 0. */
static void subtract(struct weft_top_counts *d,
		     const struct weft_top_counts *now,
		     const struct weft_top_counts *before)
{
	static const struct weft_top_counts none;

	if (!before)
		before = &none;
#define X(name) .name = less(now->name, before->name),
	*d = (struct weft_top_counts){ WEFT_TOP_COUNTS(X) };
#undef X
}

static uint64_t per_second(uint64_t bytes, uint64_t span)
{
	if (!span)
		return 0;
	return (uint64_t)((__uint128_t)bytes * 8 * PS_PER_S / span);
}

static double share(uint64_t part, uint64_t span)
{
	return span ? (double)part / (double)span : 0;
}

static void set_rates(struct weft_top_row *row, uint64_t span)
{
	row->tx = per_second(row->delta.bytes, span);
	row->held = share(row->delta.wait, span);
	if (row->cls == WEFT_TOP_PORT)
		row->load = share(row->delta.busy, span);
	else
		row->load = row->rate ? (double)row->tx / (double)row->rate : 0;
}

static bool is_text(json_t *o, const char *key, const char *text)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && !strcmp(s, text);
}

/* List the active faults of both wires, of this wire, or of the port that sends on it. */
static void set_fault(struct weft_top_row *row, json_t *faults)
{
	size_t i, used = 0;
	json_t *o;

	json_array_foreach(faults, i, o) {
		const char *kind = json_string_value(json_object_get(o, "kind"));
		bool here = is_text(o, "from", row->port) &&
			    is_text(o, "to", row->peer);

		if (json_is_true(json_object_get(o, "both")))
			here |= is_text(o, "from", row->peer) &&
				is_text(o, "to", row->port);
		if (!here || !kind || !is_text(o, "state", "active") ||
		    used >= sizeof(row->fault))
			continue;
		used += (size_t)snprintf(row->fault + used,
					 sizeof(row->fault) - used, "%s%s",
					 used ? "," : "", kind);
	}
}

static bool is_wanted(const struct weft_top_row *row,
		      const struct weft_top_view *view)
{
	if (view->classes)
		return row->link == view->link && row->dir == view->dir;
	return strstr(row->port, view->filter) ||
	       strstr(row->peer, view->filter);
}

/**
 * struct maker - input for the rows
 * @facts: the lab
 * @before: the previous reading
 * @now: the present reading
 * @view: choice of the rows
 * @faults: the faults
 */
struct maker {
	const struct weft_facts *facts;
	const struct weft_top_reading *before;
	const struct weft_top_reading *now;
	const struct weft_top_view *view;
	json_t *faults;
};

static void add_classes(struct weft_top_rows *rows,
			const struct weft_top_row *port,
			const struct weft_top_wire *now,
			const struct weft_top_wire *before)
{
	for (int cls = 0; cls < WEFT_CLASSES_MAX; cls++) {
		struct weft_top_row *row;

		if (!(now->classes & 1U << cls))
			continue;
		row = &rows->row[rows->n++];
		*row = *port;
		row->cls = cls;
		row->queue = 0;
		subtract(&row->delta, &now->cls[cls],
			 before ? &before->cls[cls] : NULL);
		set_rates(row, rows->span);
	}
}

static void add_wire(struct weft_top_rows *rows, const struct maker *m,
		     const struct weft_link *link, unsigned int dir)
{
	size_t i = 2 * (size_t)(link - m->facts->link) + dir;
	const struct weft_top_wire *now = &m->now->wire[i];
	const struct weft_top_wire *before = find_wire(m->before, link->id,
						       dir, i);
	struct weft_top_row row = { .link = link->id, .dir = dir };
	struct weft_port_view v;

	weft_port_view(&v, m->facts, link, dir);
	snprintf(row.port, sizeof(row.port), "%s", v.name);
	snprintf(row.peer, sizeof(row.peer), "%s", v.peer);
	row.cls = WEFT_TOP_PORT;
	row.up = v.wire->up;
	row.rate = weft_wire_rate(v.wire);
	row.queue = now->queue;
	if (!is_wanted(&row, m->view))
		return;
	subtract(&row.delta, &now->port, before ? &before->port : NULL);
	set_rates(&row, rows->span);
	set_fault(&row, m->faults);
	if (m->view->classes)
		add_classes(rows, &row, now, before);
	else
		rows->row[rows->n++] = row;
}

/* Keep the direction with the higher load of each link; its two rows are adjacent. */
static void keep_busier(struct weft_top_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct weft_top_row *last = kept ? &rows->row[kept - 1] : NULL;

		if (!last || last->link != rows->row[i].link)
			rows->row[kept++] = rows->row[i];
		else if (rows->row[i].load > last->load)
			*last = rows->row[i];
	}
	rows->n = kept;
}

static int compare_doubles(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_by(const struct weft_top_row *a,
		      const struct weft_top_row *b, enum weft_top_key key)
{
	switch (key) {
	case WEFT_TOP_PAUSES:
		return compare_numbers(a->delta.pauses, b->delta.pauses) ?:
		       compare_numbers(a->delta.pauses_sent,
				       b->delta.pauses_sent);
	case WEFT_TOP_HELD:
		return compare_doubles(a->held, b->held);
	case WEFT_TOP_DROPS:
		return compare_numbers(a->delta.dropped, b->delta.dropped);
	case WEFT_TOP_QUEUE:
		return compare_numbers(a->queue, b->queue);
	case WEFT_TOP_MARKS:
		return compare_numbers(a->delta.marked, b->delta.marked);
	case WEFT_TOP_NAME:
		return 0;
	default:
		return compare_doubles(a->load, b->load);
	}
}

/* Equal rows are sorted by load, then by name, so that their order is stable. */
static int compare_rows(const void *x, const void *y, void *key)
{
	const struct weft_top_row *a = x, *b = y;
	enum weft_top_key by = *(enum weft_top_key *)key;
	int ret = compare_by(a, b, by);

	if (!ret && by != WEFT_TOP_NAME)
		ret = compare_doubles(a->load, b->load);
	return ret ?: strverscmp(a->port, b->port) ?: a->cls - b->cls;
}

/**
 * weft_top_rows() - make the rows from two readings
 * @rows: result, to be freed by weft_top_rows_free()
 * @facts: the lab, at the time of @now
 * @before: the previous reading; without wires, counters start at 0 at @before->time
 * @now: the present reading
 * @view: choice and order of the rows
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_top_rows(struct weft_top_rows *rows, const struct weft_facts *facts,
		  const struct weft_top_reading *before,
		  const struct weft_top_reading *now,
		  const struct weft_top_view *view, struct weft_err *err)
{
	struct maker m = {
		.facts = facts, .before = before, .now = now, .view = view,
	};
	size_t most = view->classes ? WEFT_CLASSES_MAX : now->n;
	enum weft_top_key key = view->key;

	*rows = (struct weft_top_rows) { .span = now->time - before->time };
	rows->row = calloc(most + 1, sizeof(*rows->row));
	if (!rows->row)
		return weft_err_nomem(err);
	m.faults = weft_faults_json(facts);
	for (unsigned int i = 0; i < facts->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++)
			add_wire(rows, &m, &facts->link[i], dir);
	json_decref(m.faults);
	if (view->busier && !view->classes)
		keep_busier(rows);
	qsort_r(rows->row, rows->n, sizeof(*rows->row), compare_rows, &key);
	return 0;
}

/**
 * weft_top_rows_free() - free rows
 * @rows: the rows
 */
void weft_top_rows_free(struct weft_top_rows *rows)
{
	free(rows->row);
	*rows = (struct weft_top_rows) { 0 };
}

static const char *const keys[] = {
	"load", "pauses", "held", "drops", "queue", "marks", "name",
};

/**
 * weft_top_key_name() - the user's name of a sort key
 * @key: the key
 *
 * Return: its name.
 */
const char *weft_top_key_name(enum weft_top_key key)
{
	return keys[key];
}

/**
 * weft_top_parse_key() - parse a sort key
 * @name: its name
 * @key: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_top_parse_key(const char *name, enum weft_top_key *key,
		       struct weft_err *err)
{
	for (int i = 0; i < __WEFT_TOP_KEYS; i++) {
		if (!strcmp(keys[i], name)) {
			*key = (enum weft_top_key)i;
			return 0;
		}
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%s\": expected load, pauses, held, drops, queue, marks or name",
			    name);
}

/**
 * weft_top_faults() - count the active faults
 * @facts: the lab
 *
 * Return: the number.
 */
unsigned int weft_top_faults(const struct weft_facts *facts)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < facts->faults; i++)
		n += facts->fault[i].state == WEFT_FAULT_STATE_ACTIVE;
	return n;
}

static json_t *row_json(const struct weft_top_row *row)
{
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(row->port));
	json_object_set_new(o, "peer", json_string(row->peer));
	json_object_set_new(o, "class", row->cls == WEFT_TOP_PORT ?
			    json_null() : json_integer(row->cls));
	json_object_set_new(o, "up", json_boolean(row->up));
	json_object_set_new(o, "rate_bps", weft_json_u64(row->rate));
	json_object_set_new(o, "load", json_real(row->load));
	json_object_set_new(o, "tx_bps", weft_json_u64(row->tx));
	json_object_set_new(o, "held", json_real(row->held));
	json_object_set_new(o, "queue", weft_json_u64(row->queue));
	json_object_set_new(o, "tx_packets", weft_json_u64(row->delta.packets));
	json_object_set_new(o, "tx_bytes", weft_json_u64(row->delta.bytes));
	json_object_set_new(o, "tx_busy_ps", weft_json_u64(row->delta.busy));
	json_object_set_new(o, "wait_ps", weft_json_u64(row->delta.wait));
	json_object_set_new(o, "rx_pause", weft_json_u64(row->delta.pauses));
	json_object_set_new(o, "tx_pause",
			    weft_json_u64(row->delta.pauses_sent));
	json_object_set_new(o, "marked", weft_json_u64(row->delta.marked));
	json_object_set_new(o, "dropped", weft_json_u64(row->delta.dropped));
	json_object_set_new(o, "replays", weft_json_u64(row->delta.replays));
	json_object_set_new(o, "fault", json_string(row->fault));
	return o;
}

/**
 * weft_top_json() - the rows as JSON
 * @rows: the rows
 * @facts: the lab
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_top_json(const struct weft_top_rows *rows,
		      const struct weft_facts *facts)
{
	json_t *o = json_object(), *a = json_array();

	for (size_t i = 0; i < rows->n; i++)
		json_array_append_new(a, row_json(&rows->row[i]));
	json_object_set_new(o, "lab", json_string(facts->lab));
	json_object_set_new(o, "clock", json_string(facts->clock));
	json_object_set_new(o, "time_ps", weft_json_u64(facts->fabric.now -
							facts->since));
	json_object_set_new(o, "span_ps", weft_json_u64(rows->span));
	json_object_set_new(o, "verdict", weft_verdict(facts));
	json_object_set_new(o, "faults_active",
			    json_integer(weft_top_faults(facts)));
	json_object_set_new(o, "rows", a);
	return o;
}
