/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a topology file, applies the user's settings and runs the generator.
 */
#ifndef WEFT_TOPO_OPEN_H
#define WEFT_TOPO_OPEN_H

#include <stddef.h>

#include "base/err.h"
#include "base/yaml_file.h"
#include "topology/topo.h"

/**
 * struct weft_topo_source - a topology file and the user's settings
 */
struct weft_topo_source {
	/** @file: its name, for messages; NULL if the text is not from a file */
	const char *file;
	/** @text: its content */
	const char *text;
	/** @len: length of @text */
	size_t len;
	/** @set: settings "key=value" */
	char *const *set;
	/** @sets: entries of @set */
	unsigned int sets;
};

int weft_topo_open(struct weft_yaml *y, const struct weft_topo_source *from,
		   struct weft_err *err);
int weft_topo_make(struct weft_topo *topo, struct weft_yaml *y,
		   weft_profile_fn profile, void *ctx, struct weft_err *err);

#endif
