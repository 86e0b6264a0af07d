// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes of a simulation besides the times of messages: report, expectations.
 *
 * Both are made from the same facts as those of a lab, by the same code.
 */
#include "run/simulated.h"

#include <errno.h>

#include "cli.h"
#include "print/print_report.h"
#include "report/report.h"
#include "run/play.h"

static const char clock_name[] = "simulated";

/**
 * simulated_check() - can a simulation judge the expectations of a scenario?
 * @s: the scenario
 * @err: what it cannot judge
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int simulated_check(const struct weft_scenario *s, struct weft_err *err)
{
	static const enum weft_expect_kind cannot[] = {
		WEFT_EXPECT_RECOVERY_WITHIN, WEFT_EXPECT_RECOVERY_SHARE,
		WEFT_EXPECT_PHASE_WITHIN,
	};
	const char *what = *s->expect.phase ? "phase" : NULL;

	for (size_t i = 0; !what && i < sizeof(cannot) / sizeof(*cannot); i++)
		if (s->expect.has[cannot[i]])
			what = weft_expect_name(cannot[i]);
	if (!what)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
			    "%s: expect: %s: a simulation has no phases, and does not measure goodput in between; expected lossless, no-drops, no-deadlock, finished-within, busbw or utilisation-below",
			    s->file, what);
}

static struct weft_facts facts_of(const struct simulated *s, const struct weft_plan *plan)
{
	const struct weft_sim_objects *o = &s->objects;

	return (struct weft_facts) {
		.lab = plan->fabric.name, .topology = s->topology, .clock = clock_name,
		.fabric = o->fabric, .switches = o->switches, .sw = o->sw,
		.links = o->links, .link = o->link, .nics = o->nics, .nic = o->nic,
		.faults = o->faults, .fault = o->fault, .lossless = plan->lossless,
	};
}

static int write_report(const struct simulated *s, struct weft_facts *facts,
			const char *path, struct weft_err *err)
{
	json_t *report;
	int ret;

	facts->reroutes = json_array();
	report = weft_report_make(facts, err);
	json_decref(facts->reroutes);
	if (!report)
		return err->code;
	if (s->scenario)
		json_object_set_new(report, "expectations",
				    weft_results_json(&s->results));
	ret = save_report(path, report, err);
	json_decref(report);
	return ret;
}

/**
 * simulated_judge() - judge a simulation, and write its report
 * @s: the simulation; gets the results
 * @plan: its plan
 * @report: file for the report; NULL: none is wanted
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int simulated_judge(struct simulated *s, const struct weft_plan *plan,
		    const char *report, struct weft_err *err)
{
	struct weft_facts facts = facts_of(s, plan);
	const struct weft_run run = {
		.facts = &facts, .has_job = true, .ended = s->ended,
		.unfinished = s->unfinished,
	};

	if (s->scenario)
		weft_expect_judge(&s->scenario->expect, &run, &s->results);
	return report ? write_report(s, &facts, report, err) : 0;
}

/**
 * simulated_save() - write the results of the expectations as JUnit XML
 * @s: the simulation, judged, with a scenario
 * @junit: the file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int simulated_save(const struct simulated *s, const char *junit, struct weft_err *err)
{
	const struct weft_junit j = {
		.scenario = s->scenario->name, .topology = s->topology,
		.clock = clock_name, .seed = s->objects.fabric.seed, .ended = s->ended,
	};

	return save_junit(junit, &j, &s->results, err);
}
