// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triggers of a simulation: faults that begin when a NIC has sent so much.
 *
 * As in the kernel, a trigger counts the packets that the host of a NIC hands to the
 * model, and its moment is that of the packet that meets it. A fault may begin in that
 * instant, wherever it is. So its trigger's node and what the fault is on are never cut
 * apart (sim_parts.c).
 */
#include "sim/sim_run.h"

#include <errno.h>

#include <linux/weft.h>

#define TRIGGER_LEAST	262144	/* bytes above a rate, as in the kernel */

static_assert((int)FAB_TRIGGER_RATE == WEFT_TRIGGER_KIND_RATE, "same words");
static_assert((int)FAB_TRIGGER_BYTES == WEFT_TRIGGER_KIND_BYTES, "same words");

static struct fab_trigger_params trigger_params(const struct weft_trigger *from)
{
	const bool sized = from->has & WEFT_HAS(WEFT_A_TRIGGER_SIZE);

	return (struct fab_trigger_params) {
		.kind = (enum fab_trigger_kind)from->kind,
		.rate_bps = from->rate,
		.bytes = sized ? from->size : TRIGGER_LEAST,
	};
}

static int trigger_refuse(const struct weft_sim_fault *of, const char *why,
			  struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: at: %s", of->at, why);
}

/**
 * weft_sim_trigger_add() - add the trigger of a fault
 * @sim: the simulation, with its NICs
 * @i: number of the fault, which has one
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_trigger_add(struct weft_sim *sim, u32 i, struct weft_err *err)
{
	const struct weft_sim_fault *of = &sim->o->fault[i];
	struct fab_trigger_params p = trigger_params(&of->by.trigger);

	if (!fab_trigger_of_nic(p.kind))
		return trigger_refuse(of, "a simulation has no phases; expected a time, traffic or bytes",
				      err);
	if (fab_trigger_params_check(&p))
		return trigger_refuse(of, "above a rate, size is at most 1 GiB and what the rate carries in 1000 s",
				      err);
	fab_trigger_add(&sim->fab, &sim->nic[of->by.trigger.nic].ep, &sim->trigger[i], &p);
	return 0;
}
