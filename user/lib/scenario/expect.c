// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Judges the expectations of a run. A failed expectation names the port where the problem
 * began, and the fabric time at which it did.
 */
#include "scenario/expect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "netlink/json.h"
#include "scenario/expect_phase.h"
#include "scenario/expect_ring.h"

/**
 * struct judge - state of judging a run
 * @e: the expectations
 * @run: the run
 * @r: the current result
 */
struct judge {
	const struct weft_expect *e;
	const struct weft_run *run;
	struct weft_result *r;
};

/**
 * struct text - a formatted value
 * @s: the text
 */
struct text {
	char s[32];
};

static struct text as_time(uint64_t ps)
{
	struct text t = { .s = "" };

	weft_format_time(t.s, sizeof(t.s), ps);
	return t;
}

static struct text as_rate(uint64_t bps)
{
	struct text t = { .s = "" };

	weft_format_rate(t.s, sizeof(t.s), bps);
	return t;
}

static void __attribute__((format(printf, 3, 4)))
say(struct weft_result *r, enum weft_outcome outcome, const char *fmt, ...)
{
	va_list ap;

	r->outcome = outcome;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

static void began(struct weft_result *r, const char *port, uint64_t at)
{
	snprintf(r->port, sizeof(r->port), "%s", port);
	r->has_at = true;
	r->at = at;
}

/* Add the port to look at. The time of the result is the end of the allowed time. */
static void suspect(struct weft_result *r, const struct weft_suspect *s)
{
	size_t len = strlen(r->text);

	if (!*s->port)
		return;
	snprintf(r->port, sizeof(r->port), "%s", s->port);
	if (s->queued)
		snprintf(r->text + len, sizeof(r->text) - len,
			 "; %" PRIu64 " bytes were queued here then, the most of all",
			 s->queued);
	else
		snprintf(r->text + len, sizeof(r->text) - len,
			 "; nothing was queued then, and the first loss was here");
}

static uint64_t lost_in(const struct weft_port_view *v, uint32_t classes)
{
	const struct weft_class_states *s = &v->wire->cls;
	uint64_t n = 0;

	if (classes == UINT32_MAX)
		return weft_counters_sum(&v->wire->drops);
	for (unsigned int i = 0; i < s->n; i++)
		if (classes & 1U << s->state[i].cls)
			n += weft_counters_get(&s->state[i].counters,
					       "dropped");
	return n;
}

/**
 * struct losses - losses of all ports
 * @packets: number of packets
 * @ports: number of ports that lost packets
 * @classes: bit per class that was looked at, over all ports
 */
struct losses {
	uint64_t packets;
	unsigned int ports;
	uint32_t classes;
};

/* The result names the port with the first loss. */
static void add_losses(struct judge *j, struct losses *l,
		       const struct weft_port_view *v, uint32_t classes)
{
	uint64_t lost = lost_in(v, classes), at;

	l->classes |= classes;
	if (!lost)
		return;
	l->packets += lost;
	l->ports++;
	if (weft_port_first(v, classes, "dropped", "first_drop_ps", &at)) {
		if (!j->r->has_at || at < j->r->at)
			began(j->r, v->name, at);
	} else if (!*j->r->port) {
		snprintf(j->r->port, sizeof(j->r->port), "%s", v->name);
	}
}

static struct losses find_losses(struct judge *j, bool all)
{
	const struct weft_facts *f = j->run->facts;
	struct losses l = { 0 };
	struct weft_port_view v;

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			weft_port_view(&v, f, &f->link[i], dir);
			add_losses(j, &l, &v, all ? UINT32_MAX : v.lossless);
		}
	return l;
}

static void judge_losses(struct judge *j, bool all)
{
	struct losses l = find_losses(j, all);

	if (!l.classes)
		say(j->r, WEFT_SKIPPED, "there is no lossless class");
	else if (!l.packets)
		say(j->r, WEFT_PASSED, "nothing was lost");
	else
		say(j->r, WEFT_FAILED,
		    "lost %" PRIu64 " packet%s%s; %u port%s lost some",
		    l.packets, l.packets == 1 ? "" : "s",
		    all ? "" : " of lossless classes", l.ports,
		    l.ports == 1 ? "" : "s");
}

static void judge_lossless(struct judge *j)
{
	judge_losses(j, false);
}

static void judge_no_drops(struct judge *j)
{
	judge_losses(j, true);
}

static unsigned int find_storms(struct judge *j)
{
	const struct weft_facts *f = j->run->facts;
	struct weft_port_view v;
	unsigned int n = 0;
	uint64_t at;

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			weft_port_view(&v, f, &f->link[i], dir);
			if (!weft_port_first(&v, UINT32_MAX, "watchdogs",
					     "first_watchdog_ps", &at))
				continue;
			if (!n++ || at < j->r->at)
				began(j->r, v.name, at);
		}
	return n;
}

static void judge_no_deadlock(struct judge *j)
{
	unsigned int storms = find_storms(j);
	struct weft_ring ring;

	if (storms)
		say(j->r, WEFT_FAILED,
		    "the watchdog of %u port%s found a class that never moved",
		    storms, storms == 1 ? "" : "s");
	else if (!weft_ring_find(&ring, j->run->facts))
		say(j->r, WEFT_FAILED, "no memory to look for a deadlock");
	else if (ring.wires)
		say(j->r, WEFT_FAILED,
		    "%u wires wait for each other: %s", ring.wires, ring.names);
	else
		say(j->r, WEFT_PASSED, "no wires wait for each other");
	if (!storms && ring.wires)
		began(j->r, ring.port, ring.since);
}

static void judge_finished(struct judge *j)
{
	uint64_t within = j->e->value[WEFT_EXPECT_FINISHED_WITHIN];
	uint64_t took = j->run->ended - j->run->begun;

	if (!j->run->killed && !j->run->unfinished && took <= within) {
		say(j->r, WEFT_PASSED, "it took %s", as_time(took).s);
		return;
	}
	if (j->run->killed)
		say(j->r, WEFT_FAILED, "it was killed after %s",
		    as_time(took).s);
	else if (j->run->unfinished)
		say(j->r, WEFT_FAILED, "%u message%s had not ended after %s",
		    j->run->unfinished, j->run->unfinished == 1 ? "" : "s",
		    as_time(took).s);
	else
		say(j->r, WEFT_FAILED, "it took %s", as_time(took).s);
	began(j->r, "", j->run->begun + within);
	suspect(j->r, &j->run->suspect);
}

/* Are both NICs of one node? The node's name ends at the dot. */
static bool same_node(const struct weft_nic *a, const struct weft_nic *b)
{
	size_t len = strcspn(a->name, ".");

	return !strncmp(a->name, b->name, len) && b->name[len] == a->name[len];
}

static uint64_t sent_by_node(const struct weft_facts *f,
			     const struct weft_nic *nic)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < f->nics; i++)
		if (same_node(nic, &f->nic[i]))
			bytes += weft_counters_get(&f->nic[i].counters,
						   "tx_bytes");
	return bytes;
}

static void judge_busbw(struct judge *j)
{
	uint64_t took = j->run->ended - j->run->begun, bytes, most = 0, bps;
	const struct weft_facts *f = j->run->facts;
	const char *busiest = "";

	for (unsigned int i = 0; i < f->nics; i++) {
		bytes = sent_by_node(f, &f->nic[i]);
		if (bytes <= most)
			continue;
		most = bytes;
		busiest = f->nic[i].name;
	}
	bps = took ? (uint64_t)((__uint128_t)most * 8 * WEFT_PS_PER_S / took) : 0;
	say(j->r, bps < j->e->value[WEFT_EXPECT_BUSBW] ? WEFT_FAILED :
	    WEFT_PASSED, "node %.*s sent %s, the most of all",
	    (int)strcspn(busiest, "."), busiest, as_rate(bps).s);
	if (j->r->outcome == WEFT_FAILED)
		began(j->r, busiest, j->run->begun);
}

/* A program that ended before the last slice has nothing to recover. */
static bool recovered(const struct weft_recovery *r)
{
	return r->recovered || !r->before ||
	       r->slices < WEFT_RECOVERY_SLICES;
}

/* Without time before it, what it is to be compared with is not known. */
static void fail_unmeasured(struct judge *j, const struct weft_recovery *r)
{
	say(j->r, WEFT_FAILED, "goodput before %s could not be measured: %s",
	    r->what, r->begins <= j->run->begun ? "the scenario had just begun" :
						  "its trigger was found too late");
	began(j->r, "", r->begins);
}

static void judge_recovery(struct judge *j)
{
	uint64_t within = j->e->value[WEFT_EXPECT_RECOVERY_WITHIN], worst = 0;
	const struct weft_recovery *r;

	for (unsigned int i = 0; i < j->run->recoveries; i++) {
		r = &j->run->recovery[i];
		if (!r->window) {
			fail_unmeasured(j, r);
			return;
		}
		if (recovered(r)) {
			if (r->recovered && r->at - r->ends > worst)
				worst = r->at - r->ends;
			continue;
		}
		say(j->r, WEFT_FAILED,
		    "after %s goodput recovered to at most %.3f of the previous",
		    r->what, (double)r->best / 1e6);
		began(j->r, "", r->ends + within);
		suspect(j->r, &r->suspect);
		return;
	}
	say(j->r, WEFT_PASSED, "%u faults, the longest recovery took %s",
	    j->run->recoveries, as_time(worst).s);
}

static double utilisation(const struct weft_facts *f, const struct weft_wire *w)
{
	uint64_t time = f->fabric.now - f->since;

	return time ? (double)weft_counters_get(&w->counters, "tx_busy_ps") /
		      (double)time : 0;
}

static void judge_utilisation(struct judge *j)
{
	double bound = (double)j->e->value[WEFT_EXPECT_UTILISATION_BELOW] / 1e6;
	const struct weft_facts *f = j->run->facts;
	struct weft_port_view v;
	double u, most = -1;
	char name[WEFT_PORT_NAME] = "";

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			u = utilisation(f, &f->link[i].wire[dir]);
			if (u <= most)
				continue;
			weft_port_view(&v, f, &f->link[i], dir);
			memcpy(name, v.name, sizeof(name));
			most = u;
		}
	say(j->r, most < bound ? WEFT_PASSED : WEFT_FAILED,
	    "%s was busy for %.6f of the time, the most of all", name,
	    most < 0 ? 0 : most);
	if (most >= bound)
		began(j->r, name, f->since);
}

static uint64_t reduced(const struct weft_facts *f, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(f->reductions, key));
}

/* A group that failed has left its collectives to nobody. */
static void judge_in_switches(struct judge *j)
{
	double bound = (double)j->e->value[WEFT_EXPECT_IN_SWITCHES] / 1e6;
	const struct weft_facts *f = j->run->facts;
	uint64_t in = reduced(f, "in_switches"), by = reduced(f, "by_hosts");
	uint64_t failed = reduced(f, "failed");
	double share = in + by ? (double)in / (double)(in + by) : 0;

	if (!f->reductions) {
		say(j->r, WEFT_FAILED, "there was no aggregation manager: use --net sharp");
		return;
	}
	say(j->r, share >= bound && !failed ? WEFT_PASSED : WEFT_FAILED,
	    "switches reduced %.6f of the collectives, %" PRIu64 " groups were refused, %" PRIu64 " failed",
	    share, reduced(f, "refused"), failed);
}

static void (*const judges[WEFT_EXPECT_KINDS])(struct judge *j) = {
	[WEFT_EXPECT_LOSSLESS] = judge_lossless,
	[WEFT_EXPECT_NO_DROPS] = judge_no_drops,
	[WEFT_EXPECT_NO_DEADLOCK] = judge_no_deadlock,
	[WEFT_EXPECT_FINISHED_WITHIN] = judge_finished,
	[WEFT_EXPECT_BUSBW] = judge_busbw,
	[WEFT_EXPECT_RECOVERY_WITHIN] = judge_recovery,
	[WEFT_EXPECT_UTILISATION_BELOW] = judge_utilisation,
	[WEFT_EXPECT_IN_SWITCHES] = judge_in_switches,
};

static void judge(struct judge *j, enum weft_expect_kind kind,
		  struct weft_results *results)
{
	j->r = &results->result[results->n++];
	*j->r = (struct weft_result) { 0 };
	weft_expect_text(j->e, kind, j->r->name, sizeof(j->r->name));
	if (weft_expect_of_phase(j->e, kind))
		weft_expect_phase(j->e, kind, j->run->facts, j->r);
	else if (weft_expect_needs_job(j->e, kind) && !j->run->has_job)
		say(j->r, WEFT_SKIPPED, "there was no program");
	else
		judges[kind](j);
}

/**
 * weft_expect_judge() - judge the expectations of a run
 * @e: the expectations
 * @run: the run
 * @results: the result of each expectation
 */
void weft_expect_judge(const struct weft_expect *e, const struct weft_run *run,
		       struct weft_results *results)
{
	struct judge j = { .e = e, .run = run };

	results->n = 0;
	for (unsigned int i = 0; i < WEFT_EXPECT_KINDS; i++)
		if (e->has[i] &&
		    (judges[i] || i == WEFT_EXPECT_PHASE_WITHIN))
			judge(&j, (enum weft_expect_kind)i, results);
}

/**
 * weft_expect_command() - add the result of the program itself
 * @results: the results of the expectations
 * @code: its exit code
 */
void weft_expect_command(struct weft_results *results, int code)
{
	struct weft_result *r = &results->result[results->n++];

	*r = (struct weft_result) { .name = "command" };
	say(r, code ? WEFT_FAILED : WEFT_PASSED, "exit code %d", code);
}

/**
 * weft_results_failed() - count the failed expectations
 * @results: the results
 *
 * Return: the number.
 */
unsigned int weft_results_failed(const struct weft_results *results)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < results->n; i++)
		n += results->result[i].outcome == WEFT_FAILED;
	return n;
}

/**
 * weft_result_text() - describe a result: what was observed, where and when it began
 * @r: the result
 * @begun: start of the scenario, fabric time
 * @buf: result
 * @len: size of @buf, bytes
 */
void weft_result_text(const struct weft_result *r, uint64_t begun, char *buf,
		      size_t len)
{
	bool before = r->at < begun;
	uint64_t off = before ? begun - r->at : r->at - begun;
	int n;

	n = snprintf(buf, len, "%s%s%s", r->port, *r->port ? ": " : "",
		     r->text);
	if (r->has_at && n >= 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n,
			 "; it began at fabric time %s, %s %s the start%s%s",
			 as_time(r->at).s, as_time(off).s,
			 before ? "before" : "after",
			 *r->phase ? ", in phase " : "", r->phase);
}

/* The phase that began last: phases by traffic lie within phases by marks. */
static const struct weft_phase *phase_at(const struct weft_facts *f, uint64_t at)
{
	const struct weft_phase *found = NULL, *ph;

	for (unsigned int i = 0; i < f->phases; i++) {
		ph = &f->phase[i];
		if (ph->begin <= at && at <= ph->end &&
		    (!found || ph->begin >= found->begin))
			found = ph;
	}
	return found;
}

/**
 * weft_results_phases() - add the phases in which problems began to the results
 * @results: the results
 * @facts: the lab at the end, with phases
 */
void weft_results_phases(struct weft_results *results,
			 const struct weft_facts *facts)
{
	const struct weft_phase *ph;

	for (unsigned int i = 0; i < results->n; i++) {
		struct weft_result *r = &results->result[i];

		ph = r->has_at ? phase_at(facts, r->at) : NULL;
		if (ph)
			weft_phase_name(ph, r->phase, sizeof(r->phase));
	}
}

/**
 * weft_results_json() - results as JSON
 * @results: the results
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_results_json(const struct weft_results *results)
{
	static const char *const words[] = {
		[WEFT_PASSED] = "passed", [WEFT_FAILED] = "failed",
		[WEFT_SKIPPED] = "skipped",
	};
	json_t *a = json_array();

	for (unsigned int i = 0; i < results->n; i++) {
		const struct weft_result *r = &results->result[i];

		json_array_append_new(a, json_pack(
			"{s:s, s:s, s:s, s:o, s:o, s:o}", "expectation", r->name,
			"outcome", words[r->outcome], "text", r->text,
			"port", *r->port ? json_string(r->port) : json_null(),
			"at_ps", r->has_at ? weft_json_u64(r->at) :
					     json_null(),
			"phase", *r->phase ? json_string(r->phase) :
					     json_null()));
	}
	return a;
}
