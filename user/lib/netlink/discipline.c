// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The disciplines that user space knows.
 */
#include "netlink/discipline.h"

#include <assert.h>
#include <string.h>

/* The first is the kernel's default. */
static const struct weft_discipline disciplines[] = {
	{ "drop-tail", WEFT_FLOW_NONE, WEFT_ETHERNET, false },
	{ "pause", WEFT_FLOW_PAUSE, WEFT_ETHERNET, false },
	{ "pfc", WEFT_FLOW_PFC, WEFT_ETHERNET, false },
	{ "credit", WEFT_FLOW_CREDIT, WEFT_INFINIBAND, false },
	{ "nvlink", WEFT_FLOW_FLIT, WEFT_NVLINK, false },
	{ "pcie", WEFT_FLOW_FLIT, WEFT_PCIE, false },
	{ "cbfc", WEFT_FLOW_CBFC, WEFT_ETHERNET, false },
	{ "uec", WEFT_FLOW_CBFC, WEFT_ETHERNET, true },
};

#define DISCIPLINES	(sizeof(disciplines) / sizeof(*disciplines))

static_assert(DISCIPLINES <= WEFT_DISCIPLINES_MAX, "room for their names");

/**
 * weft_discipline() - look up a discipline
 * @name: its name in topology files
 *
 * Return: the discipline; the default one if the name is empty or unknown to this
 * version.
 */
const struct weft_discipline *weft_discipline(const char *name)
{
	for (size_t i = 1; i < DISCIPLINES; i++)
		if (!strcmp(disciplines[i].name, name))
			return &disciplines[i];
	return &disciplines[0];
}

/**
 * weft_discipline_names() - list the disciplines
 * @names: result: their names in topology files, NULL-terminated
 */
void weft_discipline_names(const char *names[WEFT_DISCIPLINES_MAX + 1])
{
	for (size_t i = 0; i < DISCIPLINES; i++)
		names[i] = disciplines[i].name;
	names[DISCIPLINES] = NULL;
}
