// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings: memory that does not grow, and the file.
 */
#include "report/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "ktap.h"
#include "netlink/phase.h"
#include "report/record_reader.h"

enum { COUNTER, GAUGE, COLUMNS };

static void init(struct weft_samples *s, size_t max)
{
	struct weft_err err;

	EXPECT_EQ(weft_samples_init(s, COLUMNS, max, &err), 0);
	s->gauge[GAUGE] = true;
}

/* A counter that grows by one each time, a gauge that is the number of the row. */
static void add(struct weft_samples *s, uint64_t time, uint64_t gauge,
		bool expect_halved)
{
	struct weft_err err;
	bool halved;
	uint64_t *row = weft_samples_add(s, time, &halved, &err);

	EXPECT_EQ(halved, expect_halved);
	row[COUNTER] = 100 + time;
	row[GAUGE] = gauge;
}

TEST(growth_and_gauges)
{
	struct weft_samples s;

	init(&s, 5);
	add(&s, 0, 7, false);
	add(&s, 3, 9, false);
	add(&s, 10, 2, false);
	EXPECT_EQ(s.n, 3);
	EXPECT_EQ(weft_samples_get(&s, 0, COUNTER), 100);
	EXPECT_EQ(weft_samples_get(&s, 1, COUNTER), 3);
	EXPECT_EQ(weft_samples_get(&s, 2, COUNTER), 7);
	EXPECT_EQ(weft_samples_get(&s, 1, GAUGE), 9);
	EXPECT_EQ(weft_samples_get(&s, 2, GAUGE), 2);
	weft_samples_free(&s);
}

/*
 * Of five rows at 0 to 4 the first stays, 1 and 2 become one at 2, 3 and 4 one
 * at 4. Nothing of the counter is lost, and of the gauge the highest remains.
 */
TEST(halving_keeps_sums_and_peaks)
{
	struct weft_samples s;

	init(&s, 5);
	for (uint64_t i = 0; i < 5; i++)
		add(&s, i, i == 3 ? 50 : i, false);
	add(&s, 5, 1, true);
	EXPECT_EQ(s.n, 4);
	EXPECT_EQ(s.time[0], 0);
	EXPECT_EQ(s.time[1], 2);
	EXPECT_EQ(s.time[2], 4);
	EXPECT_EQ(s.time[3], 5);
	EXPECT_EQ(weft_samples_get(&s, 0, COUNTER), 100);
	EXPECT_EQ(weft_samples_get(&s, 1, COUNTER), 2);
	EXPECT_EQ(weft_samples_get(&s, 2, COUNTER), 2);
	EXPECT_EQ(weft_samples_get(&s, 3, COUNTER), 1);
	EXPECT_EQ(weft_samples_get(&s, 1, GAUGE), 2);
	EXPECT_EQ(weft_samples_get(&s, 2, GAUGE), 50);
	weft_samples_free(&s);
}

TEST(bounded)
{
	uint64_t sum = 0;
	struct weft_samples s;
	struct weft_err err;
	bool halved;

	init(&s, 64);
	for (uint64_t i = 0; i < 10000; i++) {
		weft_samples_add(&s, i, &halved, &err)[COUNTER] = i + 1;
		EXPECT_EQ(s.n <= 65 && s.room <= 65, true);
	}
	for (size_t i = 0; i < s.n; i++)
		sum += weft_samples_get(&s, i, COUNTER);
	EXPECT_EQ(sum, 10000);
	EXPECT_EQ(s.time[s.n - 1], 9999);
	weft_samples_free(&s);
}

TEST(the_same_time_twice)
{
	struct weft_samples s;

	init(&s, 5);
	add(&s, 4, 1, false);
	add(&s, 6, 1, false);
	add(&s, 6, 8, false);
	EXPECT_EQ(s.n, 2);
	EXPECT_EQ(weft_samples_get(&s, 1, GAUGE), 8);
	weft_samples_free(&s);
}

/* Who holds the rows sees them as they were, whatever becomes of them. */
TEST(held_while_rows_are_merged)
{
	struct weft_samples s, held, later;
	struct weft_err err;

	init(&s, 5);
	for (uint64_t i = 0; i < 5; i++)
		add(&s, i, i, false);
	EXPECT_EQ(weft_samples_hold(&held, &s, &err), 0);
	add(&s, 5, 1, true);
	EXPECT_EQ(weft_samples_hold(&later, &s, &err), 0);
	EXPECT_EQ(held.n, 5);
	for (uint64_t i = 0; i < 5; i++)
		EXPECT_EQ(held.time[i], i);
	EXPECT_EQ(weft_samples_get(&held, 4, COUNTER), 1);
	EXPECT_EQ(s.n, 4);
	EXPECT_EQ(weft_samples_get(&s, 0, COUNTER), 100);
	EXPECT_EQ(weft_samples_get(&s, 2, COUNTER), 2);
	weft_samples_free(&s);
	EXPECT_EQ(later.time[3], 5);
	EXPECT_EQ(weft_samples_get(&held, 1, COUNTER), 1);
	weft_samples_free(&held);
	weft_samples_free(&later);
}

TEST(held_while_there_is_more_room)
{
	struct weft_samples s, held;
	struct weft_err err;

	init(&s, 63);
	for (uint64_t i = 0; i < 16; i++)
		add(&s, i, i, false);
	EXPECT_EQ(weft_samples_hold(&held, &s, &err), 0);
	for (uint64_t i = 16; i < 40; i++)
		add(&s, i, i, false);
	EXPECT_EQ(held.n, 16);
	EXPECT_EQ(held.time[15], 15);
	weft_samples_free(&held);
	EXPECT_EQ(s.time[15], 15);
	EXPECT_EQ(s.time[39], 39);
	EXPECT_EQ(weft_samples_get(&s, 39, COUNTER), 1);
	weft_samples_free(&s);
}

static void counter(struct weft_counters *cs, const char *name, uint64_t v)
{
	cs->c[cs->n].name = name;
	cs->c[cs->n++].value = v;
}

/* A lab of one link and one switch, as weft_record_open() leaves it. */
static void lab_of_one_link(struct weft_record *rec, struct weft_link *link,
			    struct weft_switch *sw, uint32_t *id)
{
	struct weft_err err;

	*rec = (struct weft_record) {
		.facts = {
			.lab = "lab", .topology = "t.yaml", .clock = "virtual",
			.since = 5, .fabric = { .seed = 3, .dilation = 1 },
			.links = 1, .link = link, .switches = 1, .sw = sw,
		},
		.interval = 100, .links = 1, .switches = 1, .link = id,
		.wires = json_pack("[{s:s}, {s:s}]", "from", "a", "from", "b"),
		.sw = json_pack("[{s:s}]", "name", "leaf"),
		.faults = json_array(), .events = json_array(),
		.drawing = json_null(), .report = json_null(),
	};
	weft_samples_init(&rec->samples, weft_record_columns(1, 1), 9, &err);
	weft_record_gauges(rec);
}

static void forget(struct weft_record *rec)
{
	weft_samples_free(&rec->samples);
	json_decref(rec->wires);
	json_decref(rec->sw);
	json_decref(rec->faults);
	json_decref(rec->events);
	json_decref(rec->drawing);
}

static void sample(struct weft_record *rec, uint64_t time)
{
	struct weft_err err;
	bool halved;

	weft_record_fill(rec, weft_samples_add(&rec->samples, time, &halved,
					       &err));
}

static void expect_list(json_t *o, const char *key, const char *text)
{
	char *got = json_dumps(json_object_get(o, key), JSON_COMPACT |
			       JSON_ENCODE_ANY);

	if (strcmp(got ? got : "(none)", text))
		ktap_fail(__FILE__, __LINE__, "%s: %s", key,
			  got ? got : "(none)");
	free(got);
}

TEST(file)
{
	struct weft_class_state cls[2] = { { 0 } };
	struct weft_link link = { .id = 4 };
	struct weft_switch sw = { .buffer_used = 70, .reduced = 3 };
	struct weft_record rec;
	json_t *file, *wire;
	uint32_t id = 4;

	counter(&link.wire[1].counters, "tx_bytes", 1000);
	counter(&link.wire[1].counters, "queue", 30);
	counter(&cls[0].counters, "wait_ps", 7);
	counter(&cls[1].counters, "wait_ps", 8);
	link.wire[1].cls = (struct weft_class_states) { 2, cls };
	link.wire[0].up = link.wire[1].up = 1;
	lab_of_one_link(&rec, &link, &sw, &id);
	sample(&rec, 5);
	link.wire[1].counters.c[0].value = 1500;
	link.wire[1].counters.c[1].value = 0;
	link.wire[0].up = 0;
	sw.reduced = 10;
	sample(&rec, 105);

	file = weft_record_file(&rec);
	expect_list(file, "time_ps", "[5,105]");
	expect_list(file, "since_ps", "5");
	wire = json_array_get(json_object_get(file, "wires"), 0);
	expect_list(wire, "down", "[0,1]");
	expect_list(wire, "tx_bytes", "(none)");
	wire = json_array_get(json_object_get(file, "wires"), 1);
	expect_list(wire, "from", "\"b\"");
	expect_list(wire, "tx_bytes", "[1000,500]");
	expect_list(wire, "wait_ps", "[15,0]");
	expect_list(wire, "queue", "[30,0]");
	wire = json_array_get(json_object_get(file, "switches"), 0);
	expect_list(wire, "buffer_used", "[70,70]");
	expect_list(wire, "reduced", "[3,7]");
	json_decref(file);
	forget(&rec);
}

/* What a link counted stays, should it be taken away. */
TEST(link_gone)
{
	struct weft_link link = { .id = 4 };
	struct weft_switch sw = { 0 };
	struct weft_record rec;
	json_t *file, *wire;
	uint32_t id = 4;

	counter(&link.wire[0].counters, "tx_bytes", 10);
	lab_of_one_link(&rec, &link, &sw, &id);
	sample(&rec, 5);
	rec.facts.links = 0;
	sample(&rec, 6);
	file = weft_record_file(&rec);
	wire = json_array_get(json_object_get(file, "wires"), 0);
	expect_list(wire, "tx_bytes", "[10,0]");
	json_decref(file);
	forget(&rec);
}

TEST(faults_come_and_go)
{
	struct weft_link link = { .id = 4 };
	struct weft_switch sw = { 0 };
	struct weft_record rec;
	uint32_t id = 4;
	json_t *one;

	lab_of_one_link(&rec, &link, &sw, &id);
	weft_record_faults(&rec, json_pack("[{s:i, s:s}]", "id", 0, "state",
					   "active"), 10);
	weft_record_faults(&rec, json_pack("[{s:i, s:s}, {s:i, s:s}]", "id", 0,
					   "state", "over", "id", 1, "state",
					   "active"), 20);
	weft_record_faults(&rec, json_pack("[{s:i, s:s}]", "id", 1, "state",
					   "active"), 30);
	weft_record_faults(&rec, json_array(), 40);
	EXPECT_EQ(json_array_size(rec.faults), 2);
	one = json_array_get(rec.faults, 0);
	expect_list(one, "state", "\"over\"");
	expect_list(one, "removed_ps", "30");
	expect_list(json_array_get(rec.faults, 1), "removed_ps", "40");
	forget(&rec);
}

TEST(events_are_bounded)
{
	struct weft_link link = { .id = 4 };
	struct weft_switch sw = { 0 };
	struct weft_record rec;
	uint32_t id = 4;

	lab_of_one_link(&rec, &link, &sw, &id);
	for (uint64_t i = 0; i < 5000; i++)
		EXPECT_EQ(weft_record_event(&rec, i, "note", "text"),
			  i < 4096 ? 0 : -1);
	EXPECT_EQ(json_array_size(rec.events), 4096);
	forget(&rec);
}

/* Due at multiples of the interval since the lab is up, whenever the last was. */
TEST(next)
{
	struct weft_record rec = { .interval = 100, .facts.since = 5 };

	rec.facts.fabric.now = 5;
	EXPECT_EQ(weft_record_next(&rec), 105);
	rec.facts.fabric.now = 104;
	EXPECT_EQ(weft_record_next(&rec), 105);
	rec.facts.fabric.now = 105;
	EXPECT_EQ(weft_record_next(&rec), 205);
	rec.facts.fabric.now = 777;
	EXPECT_EQ(weft_record_next(&rec), 805);
}

/* What a reader that was at @after is told; @longest: bytes of a piece. */
static json_t *told(struct weft_record *rec, uint64_t id, const char *after,
		    size_t *longest)
{
	struct weft_record_reader r;
	struct weft_strbuf all = { 0 };
	struct weft_err err;
	json_error_t why;
	char *text;
	json_t *o;

	*longest = 0;
	EXPECT_EQ(weft_record_reader_open(&r, rec, id, after, &err), 0);
	while (!weft_record_reader_next(&r, &text, &err) && text) {
		if (strlen(text) > *longest)
			*longest = strlen(text);
		weft_strbuf_add(&all, text);
		free(text);
	}
	weft_record_reader_close(&r);
	o = json_loads(all.text, JSON_REJECT_DUPLICATES, &why);
	if (!o)
		ktap_fail(__FILE__, __LINE__, "%s", why.text);
	free(all.text);
	return o;
}

static const char *place(const json_t *o)
{
	return json_string_value(json_object_get(o, "next"));
}

/* A reader that comes back hears what is new, and the last row again. */
TEST(told_what_is_new)
{
	struct weft_link link = { .id = 4 };
	json_t *o, *next, *file, *value;
	struct weft_switch sw = { 0 };
	struct weft_record rec;
	uint32_t id = 4;
	const char *key;
	size_t longest;

	counter(&link.wire[1].counters, "tx_bytes", 1000);
	link.wire[0].up = link.wire[1].up = 1;
	lab_of_one_link(&rec, &link, &sw, &id);
	rec.drawing = json_pack("{s:[i,{s:[[i]]}], s:{}, s:s}", "nodes", 7, "a",
				8, "none", "text", "<\"\n>");
	sample(&rec, 5);
	weft_record_event(&rec, 5, "up", "one");
	o = told(&rec, 1, NULL, &longest);
	file = weft_record_file(&rec);
	json_object_del(file, "report");
	json_object_foreach(file, key, value)
		if (!json_equal(value, json_object_get(o, key)))
			ktap_fail(__FILE__, __LINE__, "%s differs", key);
	json_decref(file);

	link.wire[1].counters.c[0].value = 1500;
	sample(&rec, 105);
	weft_record_event(&rec, 105, "up", "two");
	next = told(&rec, 1, place(o), &longest);
	expect_list(next, "rows_from", "0");
	EXPECT_EQ(json_array_size(json_object_get(next, "events")), 2);
	json_decref(o);
	link.wire[1].counters.c[0].value = 1600;
	sample(&rec, 205);
	o = told(&rec, 1, place(next), &longest);
	expect_list(o, "rows_from", "1");
	expect_list(o, "time_ps", "[105,205]");
	expect_list(o, "events_from", "2");
	expect_list(o, "events", "[]");
	expect_list(o, "wires", "[{},{\"tx_bytes\":[500,100]}]");
	expect_list(o, "switches", "[{}]");
	expect_list(o, "drawing", "(none)");
	json_decref(next);
	next = told(&rec, 2, place(o), &longest);
	expect_list(next, "rows_from", "0");
	expect_list(next, "time_ps", "[5,105,205]");
	json_decref(next);
	rec.interval *= 2;
	next = told(&rec, 1, place(o), &longest);
	expect_list(next, "rows_from", "0");
	json_decref(next);
	json_decref(o);
	for (unsigned int i = 0; i < 2; i++) {
		o = told(&rec, 1, i ? "" : "1-200-4-1", &longest);
		expect_list(o, "rows_from", "0");
		json_decref(o);
	}
	forget(&rec);
}

/* The names of the phases in @o, and how many to keep before them. */
static void expect_phases(json_t *o, const char *from, const char *names)
{
	json_t *list = json_object_get(json_object_get(o, "report"), "phases");
	char text[64] = "";
	json_t *phase;
	size_t i;

	expect_list(o, "phases_from", from);
	json_array_foreach(list, i, phase)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ",
			 json_string_value(json_object_get(phase, "name")));
	EXPECT(!strcmp(text, names));
}

/*
 * A phase that is over is told once, an open one again. If one is found before
 * those that were told, as traffic may be, all are told.
 */
TEST(phases_are_told_once)
{
	struct weft_phase ph[4] = {
		{ .id = 0, .number = 1, .begin = 10, .end = 20 },
		{ .id = 1, .name = "step", .begin = 30, .end = 40, .open = 1 },
		{ .id = 2, .number = 2, .begin = 32, .end = 34 },
		{ .id = 3, .number = 3, .begin = 8, .end = 9 },
	};
	struct weft_link link = { .id = 4 };
	struct weft_switch sw = { 0 };
	struct weft_record rec;
	uint32_t id = 4;
	json_t *o, *next;
	size_t longest;

	lab_of_one_link(&rec, &link, &sw, &id);
	rec.facts.phase = ph;
	rec.facts.phases = 2;
	sample(&rec, 5);
	sample(&rec, 105);
	o = told(&rec, 1, NULL, &longest);
	expect_phases(o, "0", "traffic-1 step ");
	rec.facts.phases = 3;
	next = told(&rec, 1, place(o), &longest);
	expect_phases(next, "1", "step traffic-2 ");
	json_decref(o);
	ph[1].open = 0;
	o = told(&rec, 1, place(next), &longest);
	expect_phases(o, "1", "step traffic-2 ");
	json_decref(next);
	next = told(&rec, 1, place(o), &longest);
	expect_phases(next, "3", "");
	json_decref(o);
	rec.facts.phases = 4;
	o = told(&rec, 1, place(next), &longest);
	expect_phases(o, "0", "traffic-3 traffic-1 step traffic-2 ");
	json_decref(o);
	json_decref(next);
	forget(&rec);
}

/* A lab of many links, without names, whose counters all count. */
static void large_lab(struct weft_record *rec, unsigned int links, size_t rows)
{
	struct weft_err err;
	uint64_t *row;
	bool halved;

	*rec = (struct weft_record) {
		.facts = { .lab = "lab", .topology = "t", .clock = "virtual" },
		.interval = 100, .links = links, .wires = json_array(),
		.sw = json_array(), .faults = json_array(),
		.events = json_array(), .drawing = json_null(),
	};
	for (unsigned int i = 0; i < 2 * links; i++)
		json_array_append_new(rec->wires, json_pack("{s:s}", "from",
							    "node.eth0"));
	weft_samples_init(&rec->samples, weft_record_columns(links, 0), rows,
			  &err);
	weft_record_gauges(rec);
	for (size_t i = 0; i < rows; i++) {
		row = weft_samples_add(&rec->samples, i, &halved, &err);
		for (size_t k = 0; k < rec->samples.columns; k++)
			row[k] = 1234567 * i;
	}
}

/*
 * Of 4 M values no piece has more than one wire's: neither where few links have
 * many samples nor where it is the other way round. A reader that has them all is
 * told little.
 */
TEST(pieces_of_a_large_recording)
{
	static const struct { unsigned int links; size_t rows; } labs[] = {
		{ 149, 1001 }, { 2377, 63 },
	};

	for (unsigned int i = 0; i < 2; i++) {
		struct weft_record rec;
		json_t *o, *next;
		size_t longest;

		large_lab(&rec, labs[i].links, labs[i].rows);
		EXPECT(rec.samples.columns * rec.samples.n > 4150000);
		o = told(&rec, 1, NULL, &longest);
		EXPECT(longest < WEFT_RECORD_PIECE + 14 * 8 * labs[i].rows + 99);
		EXPECT_EQ(json_array_size(json_object_get(o, "wires")),
			  2 * labs[i].links);
		next = told(&rec, 1, place(o), &longest);
		expect_list(next, "time_ps", i ? "[62]" : "[1000]");
		json_decref(next);
		json_decref(o);
		forget(&rec);
	}
}
