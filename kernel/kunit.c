// SPDX-License-Identifier: GPL-2.0
/*
 * What weft_kunit uses of the model, which cannot export anything itself.
 */
#include <kunit/visibility.h>
#include <linux/export.h>

#include "core/fabric.h"

#define MODEL_SYMBOLS(X, how)			\
	X(how, fab_check)			\
	X(how, fab_discipline_find)		\
	X(how, fab_endpoint_init)		\
	X(how, fab_endpoint_mem)		\
	X(how, fab_endpoint_remove)		\
	X(how, fab_endpoint_send)		\
	X(how, fab_init)			\
	X(how, fab_lateness)			\
	X(how, fab_link_join)			\
	X(how, fab_route_get_path)		\
	X(how, fab_run)				\
	X(how, fab_switch_enter)		\
	X(how, fab_switch_init)			\
	X(how, fab_switch_mem)

#define MODEL_EXPORT(how, name) how(name);

MODEL_SYMBOLS(MODEL_EXPORT, EXPORT_SYMBOL_IF_KUNIT)
