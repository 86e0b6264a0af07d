/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tree.c uses, as it is now and as it was in older commits.
 */
#ifndef TREE_279E157_H
#define TREE_279E157_H

#include "core/fabric.h"

/* Commit 279e157 had the model in one directory, and other names. */
#if __has_include("core/event.h")
#define flow_hash	flow
#define TREE_RETRY	flow.flit	/* where parameters of retry are */

/* Made and added to the fabric in one step. */
static inline void fab_switch_enter(struct fab *fab, struct fab_switch *sw)
{
}
#else
#define TREE_RETRY	retry
#endif

/* Older commits have no parts. */
#if __has_include("core/node/cut.h")
#include "core/node/cut.h"
#define TREE_CUT	true
#else
#define TREE_CUT	false
#define fab_switch_name(fab, sw)
#define fab_endpoint_name(fab, ep)
#define fab_run_to(fab, end)	fab_run(fab, fab_event_next(&(fab)->events), FAB_NO_BUDGET)
#endif

#endif
