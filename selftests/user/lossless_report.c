// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the report says of back-pressure.
 */
#include "report/lossless.h"

#include <string.h>

#include <linux/weft.h>

#include "facts/port_view.h"
#include "ktap.h"

#define HAS(attr)	(1U << WEFT_A_PORT_PARAMS_##attr)

/**
 * struct lab - two hosts at a switch; PFC on classes 0 and 3
 */
struct lab {
	struct weft_switch sw;
	struct weft_nic nic[2];
	struct weft_link link[2];
	struct weft_class_state cls[2][2][2];
	struct weft_facts facts;
};

static void set_pfc(struct weft_port_params *p)
{
	p->has = HAS(CLASSES) | HAS(DISCIPLINE);
	p->classes = 8;
	strcpy(p->discipline, "pfc");
	p->pfc.has = 1U << WEFT_A_PFC_ENABLE;
	p->pfc.enable = 1 << 0 | 1 << 3;
}

/* Each wire has counters of the classes 0 and 1. */
static void make_lab(struct lab *l)
{
	*l = (struct lab) {
		.sw = { .name = "leaf" },
		.nic = { { .id = 0, .name = "host0.eth0" },
			 { .id = 1, .name = "host1.eth0" } },
		.facts = { .switches = 1, .nics = 2, .links = 2,
			   .lossless = true },
	};
	set_pfc(&l->sw.port);
	for (unsigned int i = 0; i < 2; i++) {
		set_pfc(&l->nic[i].port);
		l->link[i] = (struct weft_link) {
			.wires = 2,
			.end = { { .is_nic = true, .id = i }, { .port = i } },
		};
		for (unsigned int dir = 0; dir < 2; dir++) {
			l->cls[i][dir][1].cls = 1;
			l->link[i].wire[dir].cls = (struct weft_class_states) {
				2, l->cls[i][dir]
			};
		}
	}
	l->facts.sw = &l->sw;
	l->facts.nic = l->nic;
	l->facts.link = l->link;
}

static void count(struct weft_counters *c, const char *name, uint64_t value)
{
	c->c[c->n].name = name;
	c->c[c->n++].value = value;
}

static long long number(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void expect_text(json_t *o, const char *key, const char *want)
{
	const char *got = json_string_value(json_object_get(o, key));

	if (!got || strcmp(got, want))
		ktap_fail(__FILE__, __LINE__, "%s: %s", key, got ? got : "-");
}

TEST(sums_and_worst_port)
{
	struct lab l;
	json_t *r, *d;

	make_lab(&l);
	/* host0 waits 5 + 7, leaf:1 waits 11, so host0 is the worst */
	count(&l.cls[0][0][0].counters, "wait_ps", 5);
	count(&l.cls[0][0][1].counters, "wait_ps", 7);
	count(&l.cls[1][1][0].counters, "wait_ps", 11);
	count(&l.cls[0][1][0].counters, "tx_pause", 3);
	count(&l.cls[1][0][0].counters, "tx_pause", 4);
	count(&l.link[0].wire[1].counters, "tx_control", 2);
	count(&l.link[1].wire[0].counters, "tx_control", 4);
	r = weft_lossless_report(&l.facts);
	EXPECT_EQ(json_array_size(json_object_get(r, "disciplines")), 1);
	d = json_array_get(json_object_get(r, "disciplines"), 0);
	expect_text(d, "discipline", "pfc");
	expect_text(d, "worst_wait_port", "host0.eth0");
	EXPECT_EQ(number(d, "ports"), 4);
	EXPECT_EQ(number(d, "worst_wait_ps"), 12);
	EXPECT_EQ(number(d, "wait_ps"), 23);
	EXPECT_EQ(number(d, "tx_pause"), 7);
	EXPECT_EQ(number(d, "tx_control"), 6);
	EXPECT_EQ(number(d, "lossless_dropped"), 0);
	json_decref(r);
}

/* A loss counts where the class is lossless, and not where it is not. */
TEST(losses_are_named)
{
	struct lab l;
	json_t *r, *o;

	make_lab(&l);
	count(&l.cls[0][1][0].counters, "dropped", 6);
	count(&l.cls[0][1][1].counters, "dropped", 9);
	count(&l.link[0].wire[1].drops, "queue_full", 9);
	count(&l.link[0].wire[1].drops, "bit_error", 0);
	count(&l.link[0].wire[1].drops, "headroom_full", 6);
	r = weft_lossless_report(&l.facts);
	EXPECT_EQ(json_array_size(json_object_get(r, "losses")), 1);
	o = json_array_get(json_object_get(r, "losses"), 0);
	expect_text(o, "port", "leaf:0");
	EXPECT_EQ(number(o, "class"), 0);
	EXPECT_EQ(number(o, "packets"), 6);
	o = json_object_get(o, "reasons");
	EXPECT_EQ(json_object_size(o), 2);
	EXPECT_EQ(number(o, "headroom_full"), 6);
	EXPECT_EQ(number(o, "queue_full"), 9);
	o = json_array_get(json_object_get(r, "disciplines"), 0);
	EXPECT_EQ(number(o, "lossless_dropped"), 6);
	json_decref(r);
}

static void expect_accepted(struct lab *l, bool lossless, bool accepted)
{
	json_t *r = weft_lossless_report(&l->facts);

	EXPECT_EQ(json_is_true(json_object_get(r, "lossless")), lossless);
	EXPECT_EQ(json_is_true(json_object_get(r, "accepted_loss")), accepted);
	json_decref(r);
}

TEST(accepted_loss)
{
	struct lab l;

	make_lab(&l);
	expect_accepted(&l, true, false);
	l.facts.lossless = false;
	expect_accepted(&l, false, true);
	/* Nothing is accepted where nothing was promised. */
	strcpy(l.sw.port.discipline, "drop-tail");
	strcpy(l.nic[0].port.discipline, "drop-tail");
	strcpy(l.nic[1].port.discipline, "drop-tail");
	expect_accepted(&l, false, false);
}

/* A fabric may have several disciplines, each with a row of its own. */
TEST(several_disciplines)
{
	struct lab l;
	json_t *r, *all;

	make_lab(&l);
	strcpy(l.nic[1].port.discipline, "credit");
	r = weft_lossless_report(&l.facts);
	all = json_object_get(r, "disciplines");
	EXPECT_EQ(json_array_size(all), 2);
	expect_text(json_array_get(all, 0), "discipline", "pfc");
	expect_text(json_array_get(all, 1), "discipline", "credit");
	EXPECT_EQ(number(json_array_get(all, 0), "ports"), 3);
	EXPECT_EQ(number(json_array_get(all, 1), "ports"), 1);
	json_decref(r);
}

TEST(classes_of_a_port)
{
	struct lab l;
	struct weft_port_view v;
	json_t *o;

	make_lab(&l);
	l.sw.classes = (struct weft_buffer) { .n = 1, .cls[0].headroom = 77 };
	count(&l.cls[1][1][0].counters, "buffer_peak", 50);
	weft_port_view(&v, &l.facts, &l.link[1], 1);
	EXPECT(!strcmp(v.name, "leaf:1"));
	EXPECT(!strcmp(v.peer, "host1.eth0"));
	EXPECT_EQ(v.lossless, 9);
	o = weft_port_class_json(&v, &v.wire->cls.state[0]);
	EXPECT(json_is_true(json_object_get(o, "lossless")));
	EXPECT_EQ(number(o, "buffer_peak"), 50);
	EXPECT(json_is_object(json_object_get(o, "limits")));
	json_decref(o);
	o = weft_port_class_json(&v, &v.wire->cls.state[1]);
	EXPECT(json_is_false(json_object_get(o, "lossless")));
	EXPECT(json_is_null(json_object_get(o, "limits")));
	json_decref(o);
}
