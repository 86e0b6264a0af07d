// SPDX-License-Identifier: GPL-2.0
/*
 * Drop-tail: no flow control. What finds no room is lost.
 *
 * The limits themselves are the port's (queue_limit) and the shared buffer's.
 */
#include "core/flow/discipline.h"

const struct fab_flow_control fab_flow_none = { .kind = FAB_FLOW_NONE };

const struct fab_discipline fab_drop_tail = {
	.name = "drop-tail",
	.framing = &fab_frames,
	.flow = &fab_flow_none,
	.family = FAB_ETHERNET,
};
