// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a topology's name to a lab that is up.
 */
#include "bring_up.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli.h"
#include "lab/lab_sources.h"
#include "progress.h"
#include "topology/share.h"

static int option_error(const char *option, struct weft_err *err)
{
	weft_err_prefix(err, "%s", option);
	return err->code;
}

static int take_clock(const struct bring_up *up, struct weft_plan *plan,
		      struct weft_err *err)
{
	uint32_t clock;

	if (up->clock) {
		if (weft_parse_clock(up->clock, &clock, err))
			return option_error("--clock", err);
		weft_plan_clock(plan, clock);
	} else if (!plan->has_clock) {
		weft_plan_clock(plan, cli_on_virtual_clock() ? 0 :
						WEFT_CLOCK_AUTO);
	}
	return 0;
}

static int take_options(const struct bring_up *up, struct weft_plan *plan,
			struct weft_err *err)
{
	if (take_clock(up, plan, err))
		return err->code;
	if (up->name) {
		if (weft_name_check(up->name, err))
			return option_error("--name", err);
		snprintf(plan->fabric.name, sizeof(plan->fabric.name), "%s",
			 up->name);
	}
	if (up->seed && weft_parse_number(up->seed, &plan->fabric.seed, err))
		return option_error("--seed", err);
	return 0;
}

/* Both results are to be freed even after an error. */
static int make_plan(const struct bring_up *up, struct weft_share_design *design,
		     struct weft_plan *plan, struct weft_err *err)
{
	if (cli_plan(&up->topology, design, plan, err))
		return err->code;
	return take_options(up, plan, err);
}

/**
 * bring_up_plan() - read and plan a topology with the options of the user
 * @up: the options
 * @plan: result, to be freed by weft_plan_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int bring_up_plan(const struct bring_up *up, struct weft_plan *plan,
		  struct weft_err *err)
{
	struct weft_share_design design;
	int ret = make_plan(up, &design, plan, err);

	weft_share_design_free(&design);
	return ret;
}

static int check_clock(const struct weft_plan *plan, struct weft_err *err)
{
	if (plan->clock || cli_on_virtual_clock())
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "the running kernel has no virtual clock: use `weft run`, or --clock real");
}

/* Refuse a fabric of this name that no lab owns. */
static int check_fabric(const struct weft_plan *plan, struct weft_err *err)
{
	struct weft_fabric f;
	struct weft_nl nl;
	int ret;

	if (weft_nl_open(&nl, err))
		return err->code;
	ret = weft_fabric_find(&nl, plan->fabric.name, &f, err);
	weft_fabric_free(&f);
	weft_nl_close(&nl);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	return weft_err_set(err, WEFT_ERR_USAGE, -EEXIST,
			    "there is a fabric \"%s\" that belongs to no lab: choose another --name",
			    plan->fabric.name);
}

/* The lock of the labs is held. */
static int claim(struct weft_plan *plan, const char *topology,
		 struct weft_lab *lab, struct weft_err *err)
{
	if (!weft_lab_open(lab, plan->fabric.name, err)) {
		weft_lab_close(lab);
		return weft_lab_claim(lab, plan, topology, err);
	}
	if (check_fabric(plan, err))
		return err->code;
	return weft_lab_claim(lab, plan, topology, err);
}

static int up_locked(const struct bring_up *up,
		     const struct weft_share_design *design,
		     struct weft_plan *plan, struct weft_lab *lab,
		     struct weft_err *err)
{
	struct progress progress;
	json_t *sources = weft_lab_sources_make(design->file, design->text, err);
	int ret;

	if (!sources)
		return err->code;
	ret = claim(plan, up->topology.name, lab, err);
	lab->sources = sources;
	if (ret) {
		weft_lab_close(lab);
		return ret;
	}
	progress_begin(&progress, up->verbose);
	ret = weft_lab_up(lab, plan, progress_step, &progress, err);
	progress_end(&progress);
	if (ret)
		weft_lab_close(lab);
	return ret;
}

/* A failed drawing is ignored: the lab works without it. */
static void draw(const struct weft_lab *lab, const struct weft_topo *topo)
{
	struct weft_err err;

	weft_lab_draw(lab, topo, &err);
}

/**
 * bring_up() - bring a lab up
 * @up: options of the user
 * @lab: result, to be closed by weft_lab_close()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int bring_up(const struct bring_up *up, struct weft_lab *lab,
	     struct weft_err *err)
{
	struct weft_share_design design;
	struct weft_plan plan;
	int lock, ret;

	ret = make_plan(up, &design, &plan, err);
	if (!ret)
		ret = check_clock(&plan, err);
	if (!ret)
		ret = weft_lab_lock(&lock, err);
	if (!ret) {
		ret = up_locked(up, &design, &plan, lab, err);
		if (!ret)
			draw(lab, &design.topo);
		close(lock);
	}
	weft_plan_free(&plan);
	weft_share_design_free(&design);
	return ret;
}
