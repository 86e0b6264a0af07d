/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole interface: what some callers of libsharp_coll include.
 */
#ifndef SHARP_API_SHARP_H
#define SHARP_API_SHARP_H

#include "sharp/api/sharp_coll.h"
#include "sharp/api/version.h"

#endif
