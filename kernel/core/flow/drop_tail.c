// SPDX-License-Identifier: GPL-2.0
/*
 * Drop-tail: no flow control. Packets that find no room are lost.
 *
 * The limits are those of the port (queue_limit) and of the shared buffer.
 */
#include "core/flow/discipline.h"

const struct fab_flow_control fab_flow_none = { .kind = FAB_FLOW_NONE };

const struct fab_discipline fab_drop_tail = {
	.name = "drop-tail",
	.framing = &fab_frames,
	.flow = &fab_flow_none,
	.family = FAB_ETHERNET,
};
