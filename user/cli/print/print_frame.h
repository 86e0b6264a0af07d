/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A captured frame in one line.
 */
#ifndef WEFT_PRINT_FRAME_H
#define WEFT_PRINT_FRAME_H

#include "packet/capture.h"
#include "packet/capture_point.h"

void print_frame(const struct weft_capture_point *point,
		 const struct weft_capture_frame *f);

#endif
