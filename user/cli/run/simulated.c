// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes of a simulation besides the times of messages: report, expectations.
 *
 * Both are made from the same facts as those of a lab, by the same code.
 */
#include "run/simulated.h"

#include <errno.h>

#include "cli.h"
#include "draw/draw.h"
#include "print/print_report.h"
#include "report/report.h"
#include "run/play.h"
#include "run/recorder.h"

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
		WEFT_EXPECT_IN_SWITCHES, WEFT_EXPECT_PHASE_WITHIN,
	};
	const char *what = *s->expect.phase ? "phase" : NULL;

	for (size_t i = 0; !what && i < sizeof(cannot) / sizeof(*cannot); i++)
		if (s->expect.has[cannot[i]])
			what = weft_expect_name(cannot[i]);
	if (!what)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
			    "%s: expect: %s: a simulation has no phases and no programs, and does not measure goodput in between; expected lossless, no-drops, no-deadlock, finished-within, busbw or utilisation-below",
			    s->file, what);
}

/**
 * simulated_try() - find early that a file cannot be written
 * @files: the files
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int simulated_try(const struct simulated_files *files, struct weft_err *err)
{
	const char *const all[] = { files->report, files->record, files->junit, files->cdf };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] && recorder_try(all[i], err))
			return err->code;
	return 0;
}

/* The facts have the objects; free() of the facts frees them. */
static struct weft_facts facts_of(const struct simulated *s, const struct weft_sim_objects *o)
{
	return (struct weft_facts) {
		.lab = s->plan->fabric.name, .topology = s->topology, .clock = clock_name,
		.fabric = o->fabric, .switches = o->switches, .sw = o->sw,
		.links = o->links, .link = o->link, .nics = o->nics, .nic = o->nic,
		.faults = o->faults, .fault = o->fault, .triggers = o->triggers,
		.trigger = o->trigger, .traffics = o->traffics, .traffic = o->traffic,
		.reroutes = json_array(),
		.lossless = s->plan->lossless,
	};
}

static struct weft_facts take_facts(const struct simulated *s, struct weft_sim_objects *o)
{
	struct weft_facts f = facts_of(s, o);

	*o = (struct weft_sim_objects) { 0 };
	return f;
}

/**
 * simulated_draw() - draw the topology, for a recording
 * @s: the simulation
 * @topo: its topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int simulated_draw(struct simulated *s, const struct weft_topo *topo, struct weft_err *err)
{
	struct weft_draw d = { 0 };
	int ret = weft_draw_make(&d, topo, err);

	if (!ret)
		s->drawing = weft_draw_json(&d);
	weft_draw_free(&d);
	return ret;
}

/**
 * simulated_sample() - record a sample
 * @ctx: the simulation
 * @o: its objects now; taken
 *
 * Return: time of the next sample, ps; UINT64_MAX without memory.
 */
uint64_t simulated_sample(void *ctx, struct weft_sim_objects *o)
{
	struct simulated *s = ctx;
	struct weft_facts facts = take_facts(s, o);
	struct weft_err err;
	int ret;

	if (s->recording) {
		ret = weft_record_take(&s->record, &facts, &err);
	} else {
		s->recording = true;
		ret = weft_record_begin(&s->record, &facts, json_incref(s->drawing),
					s->interval, &err);
	}
	return ret ? UINT64_MAX : weft_record_next(&s->record);
}

/**
 * simulated_judge() - judge a simulation
 * @s: the simulation, at its end; gets the results
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int simulated_judge(struct simulated *s, struct weft_err *err)
{
	struct weft_facts facts = facts_of(s, &s->objects);
	const struct weft_run run = {
		.facts = &facts, .has_job = true, .ended = s->ended,
		.unfinished = s->unfinished,
	};

	if (s->scenario) {
		weft_expect_judge(&s->scenario->expect, &run, &s->results);
		weft_scenario_triggers(s->scenario, &facts, &s->results);
	}
	s->report = weft_report_make(&facts, err);
	json_decref(facts.reroutes);
	if (s->report && s->scenario)
		json_object_set_new(s->report, "expectations",
				    weft_results_json(&s->results));
	return s->report ? 0 : err->code;
}

static int save_record(struct simulated *s, const char *path, struct weft_err *err)
{
	struct weft_facts last = take_facts(s, &s->objects);

	if (weft_record_take(&s->record, &last, err))
		return err->code;
	weft_record_report(&s->record, s->report);
	return weft_record_save(&s->record, path, err);
}

static int save_results(const struct simulated *s, const char *path, struct weft_err *err)
{
	const struct weft_junit j = {
		.scenario = s->scenario->name, .topology = s->topology,
		.clock = clock_name, .seed = s->objects.fabric.seed, .ended = s->ended,
	};

	return save_junit(path, &j, &s->results, err);
}

/**
 * simulated_save() - write what is wanted
 * @s: the simulation, judged
 * @files: where
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int simulated_save(struct simulated *s, const struct simulated_files *files,
		   struct weft_err *err)
{
	int ret = 0;

	if (files->report)
		ret = save_report(files->report, s->report, err);
	if (!ret && files->junit)
		ret = save_results(s, files->junit, err);
	if (!ret && files->record)
		ret = save_record(s, files->record, err);
	return ret;
}

/**
 * simulated_free() - free what was seen of a simulation
 * @s: the simulation
 */
void simulated_free(struct simulated *s)
{
	if (s->recording)
		weft_record_close(&s->record);
	weft_sim_objects_free(&s->objects);
	json_decref(s->drawing);
	json_decref(s->report);
}
