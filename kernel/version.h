/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version, stated once.
 */
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

#define WEFT_VERSION	"0.1.0"

#endif
