// SPDX-License-Identifier: GPL-2.0
/*
 * What weft_rdma uses of the model, which itself knows nothing of symbols.
 */
#include <linux/export.h>

#include "core/event.h"

EXPORT_SYMBOL_GPL(fab_event_cancel);
EXPORT_SYMBOL_GPL(fab_event_init);
EXPORT_SYMBOL_GPL(fab_event_move);
EXPORT_SYMBOL_GPL(fab_event_schedule);
