// SPDX-License-Identifier: GPL-2.0
/*
 * The list of disciplines, and what goes together in one.
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
};

/**
 * fab_discipline_sensible() - do the choices of a discipline go together?
 * @disc: the discipline
 *
 * Flow control that counts for good what was sent needs a link that loses
 * nothing, and a frame that also acknowledges has to be one that can ride.
 *
 * Return: whether they do.
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
 * fab_discipline_find() - look a discipline up
 * @name: what users call it
 *
 * Return: the discipline, NULL when there is none of that name.
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
 * @i: from 0 on
 *
 * Return: what users call the i-th, NULL when there are no more.
 */
const char *fab_discipline_name(u32 i)
{
	return i < ARRAY_SIZE(disciplines) ? disciplines[i]->name : NULL;
}
