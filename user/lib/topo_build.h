/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A topology while it is put together from a file.
 */
#ifndef WEFT_TOPO_BUILD_H
#define WEFT_TOPO_BUILD_H

#include <stdbool.h>

#include "err.h"
#include "topo.h"
#include "topo_params.h"
#include "topo_raw.h"

/**
 * struct weft_name_index - an object's name and where the object is
 */
struct weft_name_index {
	/** @name: its name */
	const char *name;
	/** @is_node: a node, not a switch */
	bool is_node;
	/** @index: in its array */
	unsigned int index;
};

/**
 * struct weft_topo_build - a topology that is being put together
 */
struct weft_topo_build {
	/** @topo: result */
	struct weft_topo *topo;
	/** @yaml: the file */
	struct weft_yaml *yaml;
	/** @raw: what is in it */
	const struct weft_raw_topo *raw;
	/** @defaults: what objects inherit */
	struct weft_defaults defaults;
	/** @profile: reads profiles */
	weft_profile_fn profile;
	/** @ctx: for @profile */
	void *ctx;
	/** @names: entries of @name */
	unsigned int names;
	/** @name: all objects, sorted by name once complete */
	struct weft_name_index *name;
	/** @err: error */
	struct weft_err *err;
};

int weft_name_index_compare(const void *a, const void *b);
int weft_build_node(struct weft_topo_build *b, const struct weft_place *at,
		    const char *name, const struct weft_topo_node *like);
int weft_build_switch(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, const struct weft_switch *like);
int weft_build_link(struct weft_topo_build *b, const struct weft_place *at,
		    const struct weft_topo_end ends[2], const char *name,
		    const struct weft_wire *wire);
int weft_topo_profile(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, struct weft_defaults *d);
int weft_topo_generate(struct weft_topo_build *b);
int weft_topo_links(struct weft_topo_build *b);

#endif
