/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only file of the model that knows where its integer types come from.
 *
 * The user-space twin is selftests/unit/shim/core_internal.h: it has the same
 * include guard, so a user-space build includes it first (-include) and this
 * file then adds nothing.
 */
#ifndef FAB_CORE_INTERNAL_H
#define FAB_CORE_INTERNAL_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prefetch.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#endif
