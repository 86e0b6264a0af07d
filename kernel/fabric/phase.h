/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Phases of a fabric: their memory, and the NICs whose traffic makes phases.
 */
#ifndef WEFT_PHASE_H
#define WEFT_PHASE_H

#include <linux/types.h>

#include "core/node/phase.h"

#define WEFT_PHASES_MAX	256	/* per fabric */

struct netlink_ext_ack;
struct weft_fabric;

/**
 * weft_phase_label() - label of a wire, for the model
 * @link: id of its link
 * @dir: its direction, enum weft_direction
 *
 * Return: the label.
 */
static inline u32 weft_phase_label(u32 link, u32 dir)
{
	return 2 * link + dir;
}

/**
 * weft_phase_wire() - the wire of a label
 * @label: the label
 * @dir: set to its direction, enum weft_direction
 *
 * Return: id of the link.
 */
static inline u32 weft_phase_wire(u32 label, u32 *dir)
{
	*dir = label % 2;
	return label / 2;
}

void weft_phase_prepare(struct weft_fabric *f);
void weft_phase_found(struct fab *fab, const struct fab_phase *ph);
int weft_phase_watch(struct weft_fabric *f, const struct fab_phase_params *p,
		     const unsigned long *nics, struct netlink_ext_ack *extack);
int weft_phase_mark(struct weft_fabric *f, const char *name);
void weft_phase_end(struct weft_fabric *f);

#endif
