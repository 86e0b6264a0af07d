// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of a lab, read from the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "lab/lab_routes.h"
#include "sharp/manager.h"

static void add_spinner(struct weft_spinners *s, const char *name)
{
	for (unsigned int i = 0; i < s->names; i++)
		if (!strcmp(s->name[i], name))
			return;
	if (s->names < WEFT_SPINNERS_MAX)
		snprintf(s->name[s->names++], sizeof(s->name[0]), "%s", name);
}

/* Parse "pid 41 proven 7 forced 0 comm NAME". */
static void read_spinner(struct weft_vclock *v, const char *line)
{
	const char *forced = strstr(line, " forced ");
	const char *comm = strstr(line, " comm ");
	uint64_t n = forced ? strtoull(forced + 8, NULL, 10) : 0;

	v->forced += n;
	if (comm)
		add_spinner(n ? &v->by_force : &v->by_proof, comm + 6);
}

/**
 * weft_vclock_parse() - parse the statistics of the virtual clock
 * @v: result
 * @text: lines "key: value"; is modified
 *
 * The pids of spinning commands are ignored: with them, equal runs would differ.
 */
void weft_vclock_parse(struct weft_vclock *v, char *text)
{
	char *line, *rest = text;

	*v = (struct weft_vclock) { 0 };
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "forced_calls:", 13))
			v->forced += strtoull(line + 13, NULL, 10);
		else if (!strncmp(line, "spinner:", 8))
			read_spinner(v, line + 8);
	}
}

static void read_vclock(struct weft_vclock *v)
{
	char text[4096];
	FILE *f = fopen(WEFT_VCLOCK_FILE, "re");
	size_t n;

	*v = (struct weft_vclock) { 0 };
	if (!f)
		return;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	weft_vclock_parse(v, text);
}

/* Read all objects except NICs, which are slow to list, and phases. */
static int read_fabric(struct weft_facts *f, struct weft_nl *nl,
		       struct weft_err *err)
{
	int ret = weft_fabric_find(nl, f->lab, &f->fabric, err);
	uint32_t id = f->fabric.id;

	if (!ret)
		ret = weft_switch_list(nl, id, &f->sw, &f->switches, err);
	if (!ret)
		ret = weft_link_list(nl, id, &f->link, &f->links, err);
	if (!ret)
		ret = weft_fault_list(nl, id, &f->fault, &f->faults, err);
	if (!ret)
		ret = weft_traffic_list(nl, id, &f->traffic, &f->traffics, err);
	if (!ret)
		ret = weft_trigger_list(nl, id, &f->trigger, &f->triggers, err);
	if (!ret)
		ret = weft_aggregator_list(nl, id, &f->aggregator, &f->aggregators, err);
	return ret;
}

static void free_fabric(struct weft_facts *f)
{
	weft_fabric_free(&f->fabric);
	free(f->sw);
	weft_link_list_free(f->link, f->links);
	free(f->fault);
	free(f->trigger);
	free(f->aggregator);
	weft_traffic_list_free(f->traffic, f->traffics);
}

static int read_objects(struct weft_facts *f, struct weft_nl *nl, bool phases,
			struct weft_err *err)
{
	uint32_t id;
	int ret = read_fabric(f, nl, err);

	id = f->fabric.id;
	if (!ret)
		ret = weft_nic_list(nl, id, &f->nic, &f->nics, err);
	if (!ret && phases)
		ret = weft_phase_list(nl, id, &f->phase, &f->phases, err);
	return ret;
}

static const char *text_of(const struct weft_lab *lab, const char *key)
{
	const char *s = json_string_value(json_object_get(lab->state, key));

	return s ? s : "";
}

static int read_all(struct weft_facts *facts, const struct weft_lab *lab,
		    bool phases, struct weft_err *err)
{
	struct weft_nl nl;
	int ret;

	*facts = (struct weft_facts) {
		.lab = lab->name,
		.topology = text_of(lab, "topology"),
		.clock = text_of(lab, "clock"),
		.since = weft_lab_since(lab),
		.lossless = json_is_true(json_object_get(lab->state,
							 "lossless")),
		.notes = json_object_get(lab->state, "notes"),
		.reroutes = weft_reroutes_load(lab),
		.reductions = weft_sharp_load(lab),
	};
	ret = weft_lab_nl(lab, &nl, err);
	if (ret)
		return ret;
	ret = read_objects(facts, &nl, phases, err);
	weft_nl_close(&nl);
	read_vclock(&facts->vclock);
	if (phases)
		weft_killed_read(&facts->killed, lab);
	return ret;
}

/**
 * weft_facts_read() - read the facts of a lab
 * @facts: result, to be freed by weft_facts_free() even after an error
 * @lab: the lab, which must outlive @facts
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_facts_read(struct weft_facts *facts, const struct weft_lab *lab,
		    struct weft_err *err)
{
	return read_all(facts, lab, false, err);
}

/**
 * weft_facts_read_whole() - read all facts for a report and expectations, with phases
 * @facts: result, to be freed by weft_facts_free() even after an error
 * @lab: the lab, which must outlive @facts
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_facts_read_whole(struct weft_facts *facts, const struct weft_lab *lab,
			  struct weft_err *err)
{
	return read_all(facts, lab, true, err);
}

/**
 * weft_facts_phases() - read the phases again
 * @facts: the facts; unchanged after an error
 * @nl: socket to the fabric of the lab
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if the fabric is gone.
 */
int weft_facts_phases(struct weft_facts *facts, struct weft_nl *nl,
		      struct weft_err *err)
{
	struct weft_phase *list = NULL;
	unsigned int n = 0;
	int ret = weft_phase_list(nl, facts->fabric.id, &list, &n, err);

	if (ret) {
		weft_phase_list_free(list, n);
		return ret;
	}
	weft_phase_list_free(facts->phase, facts->phases);
	facts->phase = list;
	facts->phases = n;
	return 0;
}

/**
 * weft_facts_refresh() - read the objects that change quickly again: not NICs, not phases
 * @facts: the facts, of weft_facts_read(); unchanged after an error
 * @nl: socket to the fabric of the lab
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if the fabric is gone.
 */
int weft_facts_refresh(struct weft_facts *facts, struct weft_nl *nl,
		       struct weft_err *err)
{
	struct weft_facts fresh = *facts;
	int ret;

	fresh.switches = fresh.links = fresh.faults = fresh.traffics = 0;
	fresh.triggers = 0;
	fresh.trigger = NULL;
	fresh.sw = NULL;
	fresh.link = NULL;
	fresh.fault = NULL;
	fresh.traffic = NULL;
	ret = read_fabric(&fresh, nl, err);
	if (ret) {
		free_fabric(&fresh);
		return ret;
	}
	free_fabric(facts);
	*facts = fresh;
	return 0;
}

/**
 * weft_facts_free() - free facts
 * @facts: the facts
 */
void weft_facts_free(struct weft_facts *facts)
{
	free_fabric(facts);
	weft_nic_list_free(facts->nic, facts->nics);
	weft_phase_list_free(facts->phase, facts->phases);
	json_decref(facts->reroutes);
	json_decref(facts->reductions);
	*facts = (struct weft_facts) { 0 };
}
