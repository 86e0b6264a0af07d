/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version of the interface that sharp_coll.h describes.
 */
#ifndef SHARP_API_VERSION_H
#define SHARP_API_VERSION_H

#define SHARP_VERSION(major, minor)	(((major) << 8) | (minor))
#define SHARP_VERNO_MAJOR		3
#define SHARP_VERNO_MINOR		0
#define SHARP_API			SHARP_VERSION(SHARP_VERNO_MAJOR, SHARP_VERNO_MINOR)

#endif
