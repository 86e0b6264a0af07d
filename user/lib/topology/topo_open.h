/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology files before they become topologies: settings of the user's put in,
 * the generator's design written out.
 */
#ifndef WEFT_TOPO_OPEN_H
#define WEFT_TOPO_OPEN_H

#include <stddef.h>

#include "base/err.h"
#include "base/yaml_file.h"
#include "topology/topo.h"

/**
 * struct weft_topo_source - a topology file and what the user sets in it
 */
struct weft_topo_source {
	/** @file: its name, for messages; NULL if it is no file */
	const char *file;
	/** @text: what is in it */
	const char *text;
	/** @len: length of @text */
	size_t len;
	/** @set: "key=value" */
	char *const *set;
	/** @sets: entries of @set */
	unsigned int sets;
};

int weft_topo_open(struct weft_yaml *y, const struct weft_topo_source *from,
		   struct weft_err *err);
int weft_topo_make(struct weft_topo *topo, struct weft_yaml *y,
		   weft_profile_fn profile, void *ctx, struct weft_err *err);

#endif
