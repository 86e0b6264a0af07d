// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces of Chakra: what their nodes wait for, to the picosecond, and what is refused.
 *
 * Links have 400 Gb/s, 20 ps a byte, and 25 ns of cable. The switch forwards the first bit
 * after 400 ns, NICs take 100 ns to send and 50 ns to receive. A message of n bytes, up to
 * 1472, is one frame of n + 42 bytes and 24 of overhead, at least 84 in all. Alone it takes
 *
 *	TX + 2 CABLE + CUT + RX + 20 ps * max(n + 66, 84)
 */
#include "workload/workload_chakra.h"

#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"
#include "workload/chakra.pb-c.h"
#include "sim/sim.h"

#define RANKS	4
#define NS	1000ULL
#define US	1000000ULL
#define ALONE	(100 * NS + 2 * 25 * NS + 400 * NS + 50 * NS)

static const char star[] =
	"name: x\nprofile: test\nport: {discipline: drop-tail}\n"
	"nic: {mtu: 1500, tx-latency: 100ns, rx-latency: 50ns}\n"
	"nodes: [{name: \"h[0-3]\"}]\nswitches: [{name: s}]\n"
	"links: [{ends: [\"h[0-3]\", s]}]\n";

/**
 * struct row - a node of a rank's trace
 * @rank: the rank
 * @id: number
 * @type: what it is
 * @key: name of an attribute
 * @value: its value
 * @size: attribute comm_size, unless negative; work: us
 * @on: the other nodes that it depends on, with the first by control
 * @count: entries of @on
 */
struct row {
	uint32_t rank;
	uint64_t id;
	Chakra__Type type;
	const char *key;
	int64_t value;
	int64_t size;
	uint64_t on[2];
	unsigned int count;
};

#define COMP(rank, id, us, ...) \
	{ rank, id, CHAKRA__TYPE__COMP, NULL, 0, us, __VA_ARGS__ }
#define SEND(rank, id, to, size, ...) \
	{ rank, id, CHAKRA__TYPE__COMM_SEND, "comm_dst", to, size, __VA_ARGS__ }
#define RECV(rank, id, from, size, ...) \
	{ rank, id, CHAKRA__TYPE__COMM_RECV, "comm_src", from, size, __VA_ARGS__ }
#define COLL(rank, id, type, size, ...) \
	{ rank, id, CHAKRA__TYPE__COMM_COLL, "comm_type", CHAKRA__COLLECTIVE__ ## type, size, \
	  __VA_ARGS__ }
#define NOTHING		{ 0 }, 0
#define ON(id)		{ id }, 1

struct file {
	uint8_t bytes[2048];
	size_t len;
};

/* Lengths here are below 16384. */
static void put(struct file *f, const ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);

	if (n > 127)
		f->bytes[f->len++] = (uint8_t)(n | 0x80);
	f->bytes[f->len++] = (uint8_t)(n > 127 ? n >> 7 : n);
	f->len += protobuf_c_message_pack(m, f->bytes + f->len);
}

static void put_row(struct file *f, const struct row *r)
{
	Chakra__Attribute peer = CHAKRA__ATTRIBUTE__INIT, size = CHAKRA__ATTRIBUTE__INIT;
	Chakra__Attribute *attr[] = { &peer, &size };
	Chakra__Node n = CHAKRA__NODE__INIT;
	uint64_t on[2] = { r->on[0], r->on[1] };
	char name[32];

	snprintf(name, sizeof(name), "n%d", (int)r->id);
	n.id = r->id;
	n.name = name;
	n.type = r->type;
	n.ctrl_deps = on;
	n.n_ctrl_deps = r->count > 0;
	n.data_deps = on + 1;
	n.n_data_deps = r->count > 1;
	if (r->key) {
		peer.name = (char *)(uintptr_t)r->key;
		peer.value_case = CHAKRA__ATTRIBUTE__VALUE_INT32;
		peer.int32 = (int32_t)r->value;
		size.name = (char *)(uintptr_t)"comm_size";
		size.value_case = CHAKRA__ATTRIBUTE__VALUE_UINT64;
		size.uint64 = (uint64_t)r->size;
		n.attr = attr;
		n.n_attr = r->size < 0 ? 1 : 2;
	} else {
		n.duration_micros = (uint64_t)r->size;
	}
	put(f, &n.base);
}

static void write_rank(struct file *f, uint32_t rank, const struct row *row, size_t rows)
{
	Chakra__Metadata m = CHAKRA__METADATA__INIT;

	f->len = 0;
	m.version = (char *)(uintptr_t)"1";
	put(f, &m.base);
	for (size_t i = 0; i < rows; i++)
		if (row[i].rank == rank)
			put_row(f, &row[i]);
}

static int read_rows(struct weft_work *w, uint32_t ranks, const struct row *row, size_t rows,
		     struct weft_err *err)
{
	struct weft_chakra c = { .prefix = "t", .total = ranks, .err = err };
	struct file f;
	int ret = 0;

	*w = (struct weft_work) { 0 };
	for (uint32_t i = 0; i < ranks && !ret; i++) {
		write_rank(&f, i, row, rows);
		ret = weft_chakra_rank(&c, f.bytes, f.len);
	}
	ret = ret ? ret : weft_chakra_end(&c, w);
	weft_chakra_free(&c);
	return ret;
}

static void play(struct weft_work *w)
{
	const struct weft_sim_options o = { .transport = "frames", .seed = 1 };
	struct weft_plan p = plan_of(star);
	struct weft_err err = { 0 };
	struct weft_sim_result r;

	EXPECT_EQ(weft_sim_run(&p, w, &o, &r, &err), 0);
	expect_starts(w);
	weft_plan_free(&p);
}

static uint64_t end_of(const struct weft_work *w, const char *name)
{
	for (unsigned int i = 0; i < w->messages; i++)
		if (!strcmp(w->names + w->message[i].name, name))
			return w->message[i].end;
	ktap_fail(__FILE__, __LINE__, "there is no %s", name);
	return 0;
}

/* Work, a message, work, and one back; what a node depends on may come later in the file. */
TEST(there_and_back)
{
	static const struct row rows[] = {
		SEND(0, 11, 1, 1000, ON(10)), COMP(0, 10, 7, NOTHING),
		RECV(0, 12, 1, 500, ON(11)),
		COMP(1, 6, 3, ON(5)), RECV(1, 5, 0, 1000, NOTHING), SEND(1, 7, 0, 500, ON(6)),
		COMP(0, 13, 0, { 12, 10 }, 2),
	};
	uint64_t there = 7 * US + ALONE + 20 * (1000 + 66);
	uint64_t back = there + 3 * US + ALONE + 20 * (500 + 66);
	struct weft_err err = { 0 };
	struct weft_work w;

	EXPECT_EQ(read_rows(&w, 2, rows, sizeof(rows) / sizeof(*rows), &err), 0);
	play(&w);
	EXPECT_EQ(end_of(&w, "0.n10"), 7 * US);
	EXPECT_EQ(end_of(&w, "0.n11"), there);
	EXPECT_EQ(end_of(&w, "1.n5"), there);
	EXPECT_EQ(end_of(&w, "1.n6"), there + 3 * US);
	EXPECT_EQ(end_of(&w, "1.n7"), back);
	EXPECT_EQ(end_of(&w, "0.n12"), back);
	EXPECT_EQ(end_of(&w, "0.n13"), back);
	weft_work_free(&w);
}

/* A rank's start of a collective is its own; the others wait for what it sends. */
TEST(late_rank)
{
	static const struct row rows[] = {
		COLL(0, 1, BARRIER, -1, NOTHING),
		COMP(1, 1, 5, NOTHING), COLL(1, 2, BARRIER, -1, ON(1)),
	};
	uint64_t end = 5 * US + ALONE + 20 * 84UL;
	struct weft_err err = { 0 };
	struct weft_work w;

	EXPECT_EQ(read_rows(&w, 2, rows, sizeof(rows) / sizeof(*rows), &err), 0);
	play(&w);
	EXPECT_EQ(end_of(&w, "0.n1"), end);
	EXPECT_EQ(end_of(&w, "1.n2"), 5 * US);
	weft_work_free(&w);
}

/* Messages on the wire, and the end of the last one. */
static void sum_up(const struct weft_work *w, unsigned int *messages, uint64_t *end)
{
	*messages = 0;
	*end = 0;
	for (unsigned int i = 0; i < w->messages; i++) {
		*messages += w->message[i].from != w->message[i].to;
		if (w->message[i].end > *end)
			*end = w->message[i].end;
	}
}

/* Two of them, one after the other, take twice as long as the collective that they are. */
static void expect_like(Chakra__Collective type, const char *spec)
{
	struct weft_plan p = plan_of(star);
	struct weft_err err = { 0 };
	unsigned int messages, want;
	struct row row[2 * RANKS];
	struct weft_work w, like;
	uint64_t end, once;

	for (uint32_t i = 0; i < 2 * RANKS; i++)
		row[i] = (struct row) {
			.rank = i / 2, .id = 1 + i % 2, .type = CHAKRA__TYPE__COMM_COLL,
			.key = "comm_type", .value = (int64_t)type, .size = 8192,
			.on = { 1 }, .count = i % 2,
		};
	EXPECT_EQ(weft_work_collective(&like, spec, &p, &err), 0);
	EXPECT_EQ(read_rows(&w, RANKS, row, 2 * RANKS, &err), 0);
	play(&w);
	play(&like);
	sum_up(&like, &want, &once);
	sum_up(&w, &messages, &end);
	EXPECT_EQ(messages, 2 * want);
	EXPECT(once > 0);
	if (strncmp(spec, "broadcast", 9) && strncmp(spec, "reduce:", 7))
		EXPECT_EQ(end, 2 * once);
	else
		EXPECT(end > once && end <= 2 * once);
	weft_work_free(&like);
	weft_work_free(&w);
	weft_plan_free(&p);
}

TEST(collectives)
{
	expect_like(CHAKRA__COLLECTIVE__ALL_REDUCE, "allreduce:ring:8KiB");
	expect_like(CHAKRA__COLLECTIVE__ALL_GATHER, "allgather:ring:8KiB");
	expect_like(CHAKRA__COLLECTIVE__REDUCE_SCATTER, "reduce-scatter:ring:8KiB");
	expect_like(CHAKRA__COLLECTIVE__REDUCE_SCATTER_BLOCK, "reduce-scatter:ring:8KiB");
	expect_like(CHAKRA__COLLECTIVE__ALL_TO_ALL, "alltoall:linear:8KiB");
	expect_like(CHAKRA__COLLECTIVE__BARRIER, "barrier:dissemination");
	expect_like(CHAKRA__COLLECTIVE__BROADCAST, "broadcast:binomial:8KiB");
	expect_like(CHAKRA__COLLECTIVE__REDUCE, "reduce:binomial:8KiB");
}

/* Of one rank, a collective has no message. */
TEST(alone)
{
	static const struct row rows[] = {
		COMP(0, 1, 2, NOTHING), COLL(0, 2, ALL_REDUCE, 4096, ON(1)), COMP(0, 3, 1, ON(2)),
	};
	struct weft_err err = { 0 };
	struct weft_work w;

	EXPECT_EQ(read_rows(&w, 1, rows, sizeof(rows) / sizeof(*rows), &err), 0);
	play(&w);
	EXPECT_EQ(end_of(&w, "0.n2"), 2 * US);
	EXPECT_EQ(end_of(&w, "0.n3"), 3 * US);
	weft_work_free(&w);
}

static void expect_bad(const struct row *row, size_t rows, const char *want)
{
	struct weft_err err = { 0 };
	struct weft_work w;

	EXPECT(read_rows(&w, 2, row, rows, &err));
	if (strcmp(err.msg, want))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, want);
	weft_work_free(&w);
}

#define BAD(want, ...) do { \
	static const struct row rows[] = { __VA_ARGS__ }; \
	\
	expect_bad(rows, sizeof(rows) / sizeof(*rows), want); \
} while (0)

/* The metadata has 4 bytes, so that the first node begins at byte 4. */
TEST(bad_nodes)
{
	BAD("t.0.et: no rank has a node", { 3, 1, CHAKRA__TYPE__COMP, NULL, 0, 0, NOTHING });
	BAD("t.0.et: byte 4: node 1: type 0: expected 1 to 7",
	    { 0, 1, CHAKRA__TYPE__INVALID, NULL, 0, 0, NOTHING });
	BAD("t.1.et: byte 4: node 1: expected an attribute comm_dst, an integer",
	    { 1, 1, CHAKRA__TYPE__COMM_SEND, "comm_src", 0, 1, NOTHING });
	BAD("t.0.et: byte 4: node 1: expected an attribute comm_size, an integer",
	    SEND(0, 1, 1, -1, NOTHING));
	BAD("t.0.et: byte 4: node 1: comm_dst 2: expected 0 to 1", SEND(0, 1, 2, 1, NOTHING));
	BAD("t.0.et: byte 4: node 1: comm_dst -1: expected 0 to 1", SEND(0, 1, -1, 1, NOTHING));
	BAD("t.0.et: byte 4: node 1: comm_dst: from rank 0 to itself", SEND(0, 1, 0, 1, NOTHING));
	BAD("t.0.et: byte 4: node 1: comm_size 1099511627777: expected 0 to 1099511627776",
	    SEND(0, 1, 1, 1099511627777, NOTHING));
	BAD("t.0.et: byte 4: node 1: duration_micros 1000000001: expected up to 1000000000",
	    COMP(0, 1, 1000000001, NOTHING));
	BAD("t.0.et: byte 4: it depends on node 2, which is not in this file",
	    COMP(0, 1, 1, ON(2)), COMP(1, 2, 1, NOTHING));
	BAD("t.0.et: byte 15: there is another node 1",
	    COMP(0, 1, 1, NOTHING), COMP(0, 1, 1, NOTHING));
	BAD("t.0.et: byte 4: this one never starts: it waits for itself, or for one that does",
	    COMP(0, 1, 1, ON(1)));
	BAD("t.0.et: byte 4: rank 1 has no receive for this send", SEND(0, 1, 1, 1, NOTHING));
	BAD("t.1.et: byte 4: rank 0 has no send for this receive", RECV(1, 1, 0, 1, NOTHING));
}

TEST(bad_collectives)
{
	BAD("t.0.et: byte 4: a collective that not all ranks have",
	    COLL(0, 1, ALL_REDUCE, 1, NOTHING));
	BAD("t.1.et: byte 4: a collective that not all ranks have",
	    COLL(1, 1, ALL_REDUCE, 1, NOTHING));
	BAD("t.1.et: byte 4: a collective that is another one, or has another size, for rank 0",
	    COLL(0, 1, ALL_REDUCE, 1, NOTHING), COLL(1, 1, ALL_REDUCE, 2, NOTHING));
	BAD("t.1.et: byte 4: a collective that is another one, or has another size, for rank 0",
	    COLL(0, 1, ALL_REDUCE, 1, NOTHING), COLL(1, 1, ALL_GATHER, 1, NOTHING));
	BAD("t.0.et: byte 4: node 1: comm_type 3: gather and scatter are not simulated",
	    COLL(0, 1, GATHER, 1, NOTHING));
	BAD("t.0.et: byte 4: node 1: pg_name: collectives of some ranks only are not simulated",
	    { 0, 1, CHAKRA__TYPE__COMM_COLL, "pg_name", 0, 1, NOTHING });
}

static void expect_bad_file(const char *bytes, size_t len, const char *want)
{
	struct weft_err err = { 0 };
	struct weft_chakra c = { .prefix = "t", .total = 1, .err = &err };

	EXPECT(weft_chakra_rank(&c, (const uint8_t *)bytes, len));
	if (strcmp(err.msg, want))
		ktap_fail(__FILE__, __LINE__, "\"%s\", want \"%s\"", err.msg, want);
	weft_chakra_free(&c);
}

TEST(bad_files)
{
	expect_bad_file("", 0, "t.0.et: byte 0: the file is empty");
	expect_bad_file("\4\12\1x", 4, "t.0.et: byte 0: expected a message with its length before it");
	expect_bad_file("\200\200\200\200\200\0", 6,
			"t.0.et: byte 0: expected a message with its length before it");
	expect_bad_file("\1\12", 2, "t.0.et: byte 0: expected the metadata of a trace");
	expect_bad_file("\3\12\1x\1\10", 6, "t.0.et: byte 4: expected a node");
	expect_bad_file("\3\12\1x\1", 5, "t.0.et: byte 4: expected a message with its length before it");
}
