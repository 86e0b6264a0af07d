/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of a captured link as a pcapng file.
 */
#ifndef WEFT_CAPTURE_FILE_H
#define WEFT_CAPTURE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/capture.h"
#include "packet/capture_point.h"
#include "packet/pcapng.h"

/**
 * struct weft_capture_file - the file
 */
struct weft_capture_file {
	/** @p: writer of its blocks */
	struct weft_pcapng p;
	/** @point: the link */
	const struct weft_capture_point *point;
	/** @has: which interfaces exist; indices: direction, is InfiniBand */
	bool has[2][2];
	/** @interface: their numbers; indices as of @has */
	uint32_t interface[2][2];
};

int weft_capture_file_open(struct weft_capture_file *cf, const char *path,
			   const struct weft_capture_point *point,
			   struct weft_err *err);
int weft_capture_file_write(struct weft_capture_file *cf,
			    const struct weft_capture_frame *f,
			    struct weft_err *err);
int weft_capture_file_close(struct weft_capture_file *cf, struct weft_err *err);

#endif
