// SPDX-License-Identifier: GPL-2.0
/*
 * Exports of the model for weft_rdma. The model itself knows nothing of symbols.
 */
#include <linux/export.h>

#include "core/cc/dcqcn.h"
#include "core/cc/ibcc.h"
#include "core/cc/swift.h"
#include "core/egress/mark.h"
#include "core/node/endpoint.h"
#include "core/node/gate.h"
#include "core/node/port.h"
#include "core/node/switch.h"
#include "core/sim/combine.h"
#include "core/sim/event.h"

EXPORT_SYMBOL_GPL(fab_combine);
EXPORT_SYMBOL_GPL(fab_combine_may);
EXPORT_SYMBOL_GPL(fab_dcqcn_init);
EXPORT_SYMBOL_GPL(fab_dcqcn_notify);
EXPORT_SYMBOL_GPL(fab_dcqcn_on_cnp);
EXPORT_SYMBOL_GPL(fab_dcqcn_on_sent);
EXPORT_SYMBOL_GPL(fab_dcqcn_pass);
EXPORT_SYMBOL_GPL(fab_endpoint_sched_set);
EXPORT_SYMBOL_GPL(fab_event_del);
EXPORT_SYMBOL_GPL(fab_event_init);
EXPORT_SYMBOL_GPL(fab_event_move);
EXPORT_SYMBOL_GPL(fab_event_schedule);
EXPORT_SYMBOL_GPL(fab_ibcc_delay);
EXPORT_SYMBOL_GPL(fab_ibcc_on_becn);
EXPORT_SYMBOL_GPL(fab_ibcc_params_check);
EXPORT_SYMBOL_GPL(fab_mark_fecn_set);
EXPORT_SYMBOL_GPL(fab_port_gate);
EXPORT_SYMBOL_GPL(fab_port_settle);
EXPORT_SYMBOL_GPL(fab_route_select);
EXPORT_SYMBOL_GPL(fab_swift_acked);
EXPORT_SYMBOL_GPL(fab_swift_init);
EXPORT_SYMBOL_GPL(fab_swift_lost);
EXPORT_SYMBOL_GPL(fab_swift_pace);
EXPORT_SYMBOL_GPL(fab_switch_sched_get);
EXPORT_SYMBOL_GPL(fab_switch_sched_set);
EXPORT_SYMBOL_GPL(fab_switch_sl2vl_get);
EXPORT_SYMBOL_GPL(fab_switch_sl2vl_set);
