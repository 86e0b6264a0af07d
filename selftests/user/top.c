// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft top: what lies between two readings.
 */
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "ktap.h"
#include "view/top.h"

#define MS	1000000000ULL	/* ps */

static struct weft_nic nics[] = {
	{ .id = 0, .name = "host0.eth0" },
	{ .id = 1, .name = "host1.eth0" },
};

static struct weft_switch leaf = { .id = 0, .name = "leaf" };

/**
 * struct lab - two links of 1 Gb/s, and their counters
 * @cls: class 3 of each wire
 * @link: the links
 * @fault: a fault of the second
 * @facts: all of it
 */
struct lab {
	struct weft_class_state cls[4];
	struct weft_link link[2];
	struct weft_fault fault;
	struct weft_facts facts;
};

static void set(struct weft_counters *c, const char *name, uint64_t value)
{
	for (unsigned int i = 0; i < c->n; i++) {
		if (!strcmp(c->c[i].name, name)) {
			c->c[i].value = value;
			return;
		}
	}
	c->c[c->n].name = name;
	c->c[c->n++].value = value;
}

static void make(struct lab *l)
{
	*l = (struct lab) { 0 };
	for (unsigned int i = 0; i < 2; i++) {
		struct weft_link *link = &l->link[i];

		link->id = 7 + i;
		link->wires = 2;
		link->end[0] = (struct weft_end) { .is_nic = true, .id = i };
		link->end[1] = (struct weft_end) { .port = i };
		for (unsigned int dir = 0; dir < 2; dir++) {
			struct weft_wire *w = &link->wire[dir];

			w->rate = 1000000000;
			w->up = w->lanes = w->lanes_up = 1;
			w->cls.n = 1;
			w->cls.state = &l->cls[2 * i + dir];
			w->cls.state->cls = 3;
		}
	}
	l->facts = (struct weft_facts) {
		.lab = "test", .clock = "virtual", .since = MS,
		.switches = 1, .sw = &leaf, .nics = 2, .nic = nics,
		.links = 2, .link = l->link,
	};
	l->facts.fabric.now = MS;
}

/* In 10 ms 1 ms of it busy, with 100 kB; class 3 waited 4 ms. */
static void pass(struct lab *l)
{
	struct weft_wire *w = &l->link[0].wire[1];

	l->facts.fabric.now += 10 * MS;
	set(&w->counters, "tx_packets", 100);
	set(&w->counters, "tx_bytes", 100000);
	set(&w->counters, "tx_busy_ps", MS);
	set(&w->counters, "tx_wait_ps", 2 * MS);
	set(&w->counters, "queue", 5000);
	set(&l->cls[1].counters, "tx_bytes", 50000);
	set(&l->cls[1].counters, "wait_ps", 4 * MS);
	set(&l->cls[1].counters, "rx_pause", 6);
	set(&w->drops, "queue_full", 2);
	set(&w->drops, "fault", 1);
	w = &l->link[1].wire[0];
	set(&w->counters, "tx_busy_ps", MS / 2);
	set(&w->drops, "fault", 9);
}

static void rows_of(struct weft_top_rows *rows, struct lab *l,
		    const struct weft_top_view *view)
{
	struct weft_top_reading before, now;
	struct weft_err err;

	make(l);
	EXPECT(!weft_top_read(&before, &l->facts, &err));
	pass(l);
	EXPECT(!weft_top_read(&now, &l->facts, &err));
	EXPECT(!weft_top_rows(rows, &l->facts, &before, &now, view, &err));
	weft_top_reading_free(&before);
	weft_top_reading_free(&now);
}

TEST(rates)
{
	const struct weft_top_view view = { .key = WEFT_TOP_LOAD };
	struct weft_top_rows rows;
	struct lab l;

	rows_of(&rows, &l, &view);
	EXPECT_EQ(rows.n, 4);
	EXPECT_EQ(rows.span, 10 * MS);
	EXPECT(!strcmp(rows.row[0].port, "leaf:0"));
	EXPECT(!strcmp(rows.row[0].peer, "host0.eth0"));
	EXPECT(rows.row[0].load > 0.0999 && rows.row[0].load < 0.1001);
	EXPECT(rows.row[0].held > 0.1999 && rows.row[0].held < 0.2001);
	/* 100 kB in 10 ms */
	EXPECT_EQ(rows.row[0].tx, 80000000);
	EXPECT_EQ(rows.row[0].queue, 5000);
	EXPECT_EQ(rows.row[0].delta.pauses, 6);
	EXPECT_EQ(rows.row[0].delta.dropped, 3);
	EXPECT(!strcmp(rows.row[1].port, "host1.eth0"));
	EXPECT(!strcmp(rows.row[2].port, "host0.eth0"));
	weft_top_rows_free(&rows);
}

TEST(orders)
{
	static const struct {
		enum weft_top_key key;
		const char *first;
	} orders[] = {
		{ WEFT_TOP_PAUSES, "leaf:0" }, { WEFT_TOP_HELD, "leaf:0" },
		{ WEFT_TOP_DROPS, "host1.eth0" }, { WEFT_TOP_QUEUE, "leaf:0" },
		{ WEFT_TOP_MARKS, "leaf:0" }, { WEFT_TOP_NAME, "host0.eth0" },
	};
	struct weft_top_rows rows;
	struct weft_err err;
	enum weft_top_key key;
	struct lab l;

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		const struct weft_top_view view = { .key = orders[i].key };

		rows_of(&rows, &l, &view);
		EXPECT(!strcmp(rows.row[0].port, orders[i].first));
		weft_top_rows_free(&rows);
		EXPECT(!weft_top_parse_key(weft_top_key_name(view.key), &key,
					   &err) && key == view.key);
	}
	EXPECT(weft_top_parse_key("size", &key, &err));
}

TEST(choices)
{
	struct weft_top_view view = { .filter = "host1" };
	struct weft_top_rows rows;
	struct lab l;

	rows_of(&rows, &l, &view);
	EXPECT_EQ(rows.n, 2);
	weft_top_rows_free(&rows);
	view = (struct weft_top_view) { .busier = true };
	rows_of(&rows, &l, &view);
	EXPECT_EQ(rows.n, 2);
	EXPECT(!strcmp(rows.row[0].port, "leaf:0"));
	EXPECT(!strcmp(rows.row[1].port, "host1.eth0"));
	weft_top_rows_free(&rows);
}

/* 50 kB of class 3 in 10 ms are 40 Mb/s, 4 % of the wire. */
TEST(classes)
{
	const struct weft_top_view view = {
		.classes = true, .link = 7, .dir = 1,
	};
	struct weft_top_rows rows;
	struct lab l;

	rows_of(&rows, &l, &view);
	EXPECT_EQ(rows.n, 1);
	EXPECT_EQ(rows.row[0].cls, 3);
	EXPECT_EQ(rows.row[0].tx, 40000000);
	EXPECT(rows.row[0].load > 0.0399 && rows.row[0].load < 0.0401);
	EXPECT(rows.row[0].held > 0.3999 && rows.row[0].held < 0.4001);
	weft_top_rows_free(&rows);
}

/* Nothing lies between a reading and itself; a link that is new began with 0. */
TEST(no_time_and_new_links)
{
	const struct weft_top_view view = { .key = WEFT_TOP_LOAD };
	struct weft_top_reading none = { .time = MS }, now;
	struct weft_top_rows rows;
	struct weft_err err;
	struct lab l;

	make(&l);
	pass(&l);
	EXPECT(!weft_top_read(&now, &l.facts, &err));
	EXPECT(!weft_top_rows(&rows, &l.facts, &now, &now, &view, &err));
	EXPECT_EQ(rows.row[0].tx, 0);
	EXPECT(rows.row[0].load < 0.000001);
	weft_top_rows_free(&rows);
	EXPECT(!weft_top_rows(&rows, &l.facts, &none, &now, &view, &err));
	EXPECT_EQ(rows.row[0].tx, 80000000);
	weft_top_rows_free(&rows);
	weft_top_reading_free(&now);
}

/* Of the wire from host1 only, and only while it acts. */
TEST(faults_of_wires)
{
	const struct weft_top_view view = { .key = WEFT_TOP_DROPS };
	struct weft_top_reading now;
	struct weft_top_rows rows;
	struct weft_err err;
	struct lab l;

	make(&l);
	pass(&l);
	l.fault = (struct weft_fault) {
		.has = WEFT_HAS(WEFT_A_FAULT_DIRECTION) |
		       WEFT_HAS(WEFT_A_FAULT_KIND) |
		       WEFT_HAS(WEFT_A_FAULT_STATE),
		.link = 8, .direction = 0, .kind = WEFT_FAULT_KIND_LOSS,
		.state = WEFT_FAULT_STATE_ACTIVE,
	};
	l.facts.faults = 1;
	l.facts.fault = &l.fault;
	EXPECT(!weft_top_read(&now, &l.facts, &err));
	EXPECT(!weft_top_rows(&rows, &l.facts, &now, &now, &view, &err));
	for (size_t i = 0; i < rows.n; i++)
		EXPECT(!strcmp(rows.row[i].fault,
			       strcmp(rows.row[i].port, "host1.eth0") ?
			       "" : "loss"));
	weft_top_rows_free(&rows);
	EXPECT_EQ(weft_top_faults(&l.facts), 1);
	l.fault.state = WEFT_FAULT_STATE_OVER;
	EXPECT_EQ(weft_top_faults(&l.facts), 0);
	EXPECT(!weft_top_rows(&rows, &l.facts, &now, &now, &view, &err));
	for (size_t i = 0; i < rows.n; i++)
		EXPECT(!*rows.row[i].fault);
	weft_top_rows_free(&rows);
	weft_top_reading_free(&now);
}
