// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triggers of a simulation: faults and traffic that begin when a NIC has sent so much.
 *
 * As in the kernel, a trigger counts the packets that the host of a NIC hands to the
 * model, and its moment is that of the packet that meets it. What it begins may do so in
 * that instant, wherever it is. So the trigger's node and what a fault is on, or the nodes
 * that send, are never cut apart (sim_parts.c).
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

static int trigger_refuse(const char *at, const char *why, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: at: %s", at, why);
}

/**
 * weft_sim_trigger_add() - add a trigger
 * @sim: the simulation, with its NICs
 * @number: its place in sim->trigger
 * @by: the trigger
 * @at: where it is written, for messages
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_trigger_add(struct weft_sim *sim, u32 number, const struct weft_at *by,
			 const char *at, struct weft_err *err)
{
	struct fab_trigger_params p = trigger_params(&by->trigger);
	struct weft_sim_nic *nic;

	if (!fab_trigger_of_nic(p.kind))
		return trigger_refuse(at, "a simulation has no phases; expected a time, traffic or bytes",
				      err);
	if (fab_trigger_params_check(&p))
		return trigger_refuse(at, "above a rate, size is at most 1 GiB and what the rate carries in 1000 s",
				      err);
	nic = &sim->nic[by->trigger.nic];
	fab_trigger_add(&nic->sim->fab, &nic->ep, &sim->trigger[number], &p);
	return 0;
}
