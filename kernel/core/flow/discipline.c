// SPDX-License-Identifier: GPL-2.0
/*
 * The list of disciplines, and the check that their parts fit.
 */
#include "core/flow/discipline.h"

#include "core/pkt.h"

const struct fab_framing fab_frames = { .size = NULL };

static u32 frame_size(const struct fab_port_params *rx,
		      const struct fab_pkt *pkt)
{
	return pkt->len;
}

const struct fab_framing fab_replayed_frames = { .size = frame_size };

static const struct fab_discipline *const disciplines[] = {
	&fab_drop_tail,
	&fab_pause,
	&fab_pfc,
	&fab_credit,
	&fab_nvlink,
	&fab_pcie,
	&fab_cbfc,
	&fab_uec,
};

/**
 * fab_discipline_sensible() - check that the choices of a discipline fit
 * @disc: the discipline
 *
 * Flow control that never returns credits of lost packets needs framing with retry.
 * Control frames that also acknowledge need retry, and flow control with @rides.
 *
 * Return: true if they fit.
 */
bool fab_discipline_sensible(const struct fab_discipline *disc)
{
	const struct fab_framing *framing = disc->framing;

	if (!framing || !disc->flow)
		return false;
	if (disc->flow->reliable && !framing->size)
		return false;
	return !framing->shares || (framing->size && disc->flow->rides);
}

/**
 * fab_discipline_find() - find a discipline by name
 * @name: its name in profiles
 *
 * Return: the discipline, or NULL if none has that name.
 */
const struct fab_discipline *fab_discipline_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(disciplines); i++)
		if (!strcmp(disciplines[i]->name, name))
			return disciplines[i];
	return NULL;
}

/**
 * fab_discipline_name() - list the disciplines
 * @i: index, from 0
 *
 * Return: the name of discipline @i, or NULL after the last one.
 */
const char *fab_discipline_name(u32 i)
{
	return i < ARRAY_SIZE(disciplines) ? disciplines[i]->name : NULL;
}
