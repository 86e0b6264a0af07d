// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdict: are the numbers of this run faithful?
 *
 * Four things make a run unfaithful:
 *
 * - Late events: the host did not keep up with the fabric's clock, so packets were
 *   delivered later than they arrived. One event in WEFT_LATE_TOLERANCE may exceed the
 *   fabric's bound, as a single hiccup of the host does not change a measurement.
 * - Packets lost because of the host: none is tolerated.
 * - A spinning process that had to be interrupted: the host's timer then advanced time.
 * - A process that was killed because the virtual machine was out of memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "netlink/json.h"
#include "report/report.h"

#define LOOK_REST	(50ULL * 1000 * WEFT_PS_PER_NS)	/* of a real clock, as the module has it */

static void judge_lateness(const struct weft_fabric *f, json_t *reasons)
{
	uint64_t events = weft_counters_get(&f->counters, "events");
	char bound[32];

	if ((__uint128_t)f->late_events * WEFT_LATE_TOLERANCE <= events)
		return;
	weft_format_time(bound, sizeof(bound), f->late_bound);
	json_array_append_new(reasons, json_sprintf(
		"%" PRIu64 " of %" PRIu64 " events were executed more than %s late (tolerated: 1 in %d); a larger K of --clock real/K helps",
		f->late_events, events, bound, WEFT_LATE_TOLERANCE));
}

static void judge_host_drops(const struct weft_fabric *f, json_t *reasons)
{
	char list[256] = "";
	size_t n = 0;

	for (unsigned int i = 0; i < f->host_drops.n; i++) {
		const struct weft_counter *c = &f->host_drops.c[i];

		if (c->value && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      "%s%s %" PRIu64, n ? ", " : "",
					      c->name, c->value);
	}
	if (n)
		json_array_append_new(reasons, json_sprintf(
			"packets were lost because of the host: %s", list));
}

static void name_spinners(const struct weft_spinners *s, const char *what,
			  json_t *texts)
{
	char list[WEFT_SPINNERS_MAX * 34] = "a process";
	size_t n = 0;

	for (unsigned int i = 0; i < s->names; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? ", " : "", s->name[i]);
	json_array_append_new(texts, json_sprintf("%s %s", list, what));
}

static void judge_spinners(const struct weft_vclock *v, json_t *reasons,
			   json_t *notes)
{
	if (v->forced)
		name_spinners(&v->by_force,
			      "spun on memory or computed for long, and had to be interrupted",
			      reasons);
	if (v->by_proof.names)
		name_spinners(&v->by_proof, "spun on memory and was proved to wait",
			      notes);
}

static void judge_memory(const struct weft_killed *k, json_t *reasons)
{
	char text[WEFT_KILLED_TEXT];

	if (!k->n)
		return;
	weft_killed_text(k, text, sizeof(text));
	json_array_append_new(reasons, json_string(text));
}

/*
 * The payload of a packet stays in the sender's memory until it arrives. If that memory is
 * released before, the packet is lost. Hardware would have sent the bytes by then.
 */
static void note_references(const struct weft_facts *f, json_t *notes)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < f->nics; i++)
		n += weft_counters_get(&f->nic[i].verbs_counters,
				       "no_reference");
	if (n)
		json_array_append_new(notes, json_sprintf(
			"%" PRIu64 " packets of verbs were lost because their sender released the memory; hardware would have delivered them",
			n));
}

/*
 * With a virtual clock, the computing of a program takes no time, and its amount is not
 * known. So each such run gets this note.
 */
static void note_computing(const struct weft_facts *f, json_t *notes)
{
	static const char text[] =
		"computing took no time: rates of computing that programs print mean nothing";

	if (f->clock && !strcmp(f->clock, "virtual"))
		json_array_append_new(notes, json_string(text));
}

/*
 * On a real clock a thread looks at the doorbells that programs have mapped, and rests when it
 * has found nothing for a while.
 */
static void note_doorbells(const struct weft_facts *f, json_t *notes)
{
	char late[32];
	bool efa = false;

	for (unsigned int i = 0; i < f->nics; i++)
		efa |= *f->nic[i].device && f->nic[i].verbs.kind == WEFT_VERBS_KIND_EFA;
	if (!efa || !f->clock || !strcmp(f->clock, "virtual"))
		return;
	weft_format_time(late, sizeof(late),
			 LOOK_REST / (f->fabric.dilation ? f->fabric.dilation : 1));
	json_array_append_new(notes, json_sprintf(
		"NICs of the EFA kind see the first request after a pause up to %s late (look_rest_us of weft_rdma, 50us of real time)",
		late));
}

/**
 * weft_verdict() - judge a run
 * @facts: the facts
 *
 * Return: a new reference: {"faithful": bool, "reasons": [text],
 * "notes": [text]}.
 */
json_t *weft_verdict(const struct weft_facts *facts)
{
	json_t *reasons = json_array(), *notes = json_array();

	judge_lateness(&facts->fabric, reasons);
	judge_host_drops(&facts->fabric, reasons);
	judge_spinners(&facts->vclock, reasons, notes);
	judge_memory(&facts->killed, reasons);
	note_references(facts, notes);
	note_computing(facts, notes);
	note_doorbells(facts, notes);
	return json_pack("{s:b, s:o, s:o}", "faithful",
			 !json_array_size(reasons), "reasons", reasons,
			 "notes", notes);
}
