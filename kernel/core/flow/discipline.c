// SPDX-License-Identifier: GPL-2.0
/*
 * The list of disciplines.
 */
#include "core/flow/discipline.h"

static const struct fab_discipline *const disciplines[] = {
	&fab_drop_tail,
	&fab_pause,
	&fab_pfc,
	&fab_credit,
	&fab_nvlink,
	&fab_pcie,
};

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
