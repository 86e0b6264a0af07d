// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Judges the expectations of a phase, in place of the whole run. All phases with the name
 * must meet them: a program may mark each of its steps with the same name.
 */
#include "scenario/expect_phase.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/phases.h"

/**
 * weft_expect_of_phase() - does an expectation apply to a phase?
 * @e: the expectations
 * @kind: the one to look at
 *
 * Return: true if it applies to @e->phase; false if it applies to the whole run.
 */
bool weft_expect_of_phase(const struct weft_expect *e,
			  enum weft_expect_kind kind)
{
	if (!*e->phase)
		return false;
	return kind == WEFT_EXPECT_NO_DROPS || kind == WEFT_EXPECT_BUSBW ||
	       kind == WEFT_EXPECT_UTILISATION_BELOW ||
	       kind == WEFT_EXPECT_PHASE_WITHIN;
}

static uint64_t number(json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static bool judge_drops(struct weft_result *r, json_t *ph)
{
	uint64_t n = number(ph, "dropped");

	snprintf(r->text, sizeof(r->text), "lost %" PRIu64 " packet%s", n,
		 n == 1 ? "" : "s");
	return !n;
}

static bool judge_busbw(struct weft_result *r, json_t *ph, uint64_t bound)
{
	uint64_t bps = 8 * number(ph, "busbw_bytes_per_s");
	char rate[32];

	snprintf(r->text, sizeof(r->text),
		 "the NIC that sent most sent %s",
		 weft_format_rate(rate, sizeof(rate), bps));
	return bps >= bound;
}

static bool judge_within(struct weft_result *r, json_t *ph, uint64_t bound)
{
	uint64_t time = number(ph, "time_ps");
	bool open = json_is_true(json_object_get(ph, "open"));
	char text[32];

	snprintf(r->text, sizeof(r->text), "it took %s%s",
		 weft_format_time(text, sizeof(text), time),
		 open ? ", and is not over" : "");
	return !open && time <= bound;
}

static bool judge_utilisation(struct weft_result *r, json_t *ph, uint64_t bound)
{
	json_t *busiest = json_object_get(ph, "busiest");
	const char *from = json_string_value(json_object_get(busiest, "from"));
	double u = json_real_value(json_object_get(busiest, "utilisation"));
	bool good = u < (double)bound / 1e6;

	snprintf(r->text, sizeof(r->text),
		 "%s was busy for %.6f of the time, the most of all",
		 from ? from : "no wire", u);
	if (!good)
		snprintf(r->port, sizeof(r->port), "%s", from ? from : "");
	return good;
}

static bool judge(const struct weft_expect *e, enum weft_expect_kind kind,
		  struct weft_result *r, json_t *ph)
{
	switch (kind) {
	case WEFT_EXPECT_NO_DROPS:
		return judge_drops(r, ph);
	case WEFT_EXPECT_BUSBW:
		return judge_busbw(r, ph, e->value[kind]);
	case WEFT_EXPECT_PHASE_WITHIN:
		return judge_within(r, ph, e->value[kind]);
	default:
		return judge_utilisation(r, ph, e->value[kind]);
	}
}

/* The result is about the first phase that fails, else about the last phase. */
static void judge_all(const struct weft_expect *e, enum weft_expect_kind kind,
		      json_t *phases, struct weft_result *r)
{
	const char *name;
	json_t *ph;
	size_t i;

	json_array_foreach(phases, i, ph) {
		name = json_string_value(json_object_get(ph, "name"));
		if (!name || strcmp(name, e->phase))
			continue;
		r->outcome = judge(e, kind, r, ph) ? WEFT_PASSED : WEFT_FAILED;
		if (r->outcome == WEFT_PASSED)
			continue;
		r->has_at = true;
		r->at = number(ph, "begin_ps");
		return;
	}
}

/**
 * weft_expect_phase() - judge an expectation of a phase
 * @e: the expectations
 * @kind: the one to judge, for which weft_expect_of_phase() is true
 * @facts: the lab at the end
 * @r: result, empty except for its name
 */
void weft_expect_phase(const struct weft_expect *e, enum weft_expect_kind kind,
		       const struct weft_facts *facts, struct weft_result *r)
{
	json_t *phases = weft_phases_json(facts, 0);

	r->outcome = WEFT_FAILED;
	snprintf(r->text, sizeof(r->text), "%s",
		 phases ? "there was no such phase" : "out of memory");
	judge_all(e, kind, phases, r);
	json_decref(phases);
}
