// SPDX-License-Identifier: GPL-2.0
/*
 * What weft_kunit uses of the model, which cannot export anything itself.
 */
#include <kunit/visibility.h>
#include <linux/export.h>

#include "core/fabric.h"

#define MODEL_SYMBOLS(X)		\
	X(fab_check)			\
	X(fab_discipline_find)		\
	X(fab_endpoint_init)		\
	X(fab_endpoint_mem)		\
	X(fab_endpoint_remove)		\
	X(fab_endpoint_send)		\
	X(fab_event_init)		\
	X(fab_event_schedule)		\
	X(fab_init)			\
	X(fab_link_join)		\
	X(fab_run)

#define MODEL_EXPORT(name) EXPORT_SYMBOL_IF_KUNIT(name);

MODEL_SYMBOLS(MODEL_EXPORT)
