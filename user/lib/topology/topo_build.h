/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Construction of a topology from a file.
 */
#ifndef WEFT_TOPO_BUILD_H
#define WEFT_TOPO_BUILD_H

#include <stdbool.h>

#include "base/err.h"
#include "topology/topo.h"
#include "topology/topo_params.h"
#include "topology/topo_raw.h"

/**
 * struct weft_name_index - an entry of the table of names
 */
struct weft_name_index {
	/** @name: name of the node or switch */
	const char *name;
	/** @is_node: it is a node, not a switch */
	bool is_node;
	/** @index: its index in the array of nodes or switches */
	unsigned int index;
};

/**
 * struct weft_node_from - source of the parameters of the NICs of nodes
 */
struct weft_node_from {
	/** @at: place of the entry of the nodes */
	struct weft_place at;
	/** @raw: the entry */
	const struct weft_raw_node *raw;
	/** @d: the values that it inherits */
	struct weft_defaults d;
};

/**
 * struct weft_topo_build - state of the construction of a topology
 */
struct weft_topo_build {
	/** @topo: result */
	struct weft_topo *topo;
	/** @yaml: the file */
	struct weft_yaml *yaml;
	/** @raw: its content */
	const struct weft_raw_topo *raw;
	/** @defaults: values that objects inherit */
	struct weft_defaults defaults;
	/** @from: for each node: index of its entry in @entry */
	unsigned int *from;
	/** @entries: entries of @entry */
	unsigned int entries;
	/** @entry: the entries of "nodes" */
	struct weft_node_from *entry;
	/** @profile: function that reads profiles */
	weft_profile_fn profile;
	/** @ctx: for @profile */
	void *ctx;
	/** @names: entries of @name */
	unsigned int names;
	/** @name: table of the names of all nodes and switches, sorted */
	struct weft_name_index *name;
	/** @err: error */
	struct weft_err *err;
};

int weft_name_index_compare(const void *a, const void *b);
int weft_build_entry(struct weft_topo_build *b, const struct weft_place *at,
		     const struct weft_raw_node *raw,
		     const struct weft_defaults *d);
int weft_build_node(struct weft_topo_build *b, const char *name);
int weft_build_switch(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, const struct weft_topo_switch *like);
int weft_build_link(struct weft_topo_build *b, const struct weft_place *at,
		    const struct weft_topo_end ends[2], const char *name,
		    const struct weft_wire *wire,
		    const struct weft_defaults *own);
int weft_build_find(struct weft_topo_build *b, const struct weft_place *at,
		    const char *key, const char *name,
		    struct weft_topo_end *end);
int weft_topo_profile(struct weft_topo_build *b, const struct weft_place *at,
		      const char *name, struct weft_defaults *d);
struct weft_topo_switch weft_switch_like(const struct weft_defaults *d);
int weft_topo_links(struct weft_topo_build *b);
int weft_topo_torus(struct weft_topo_build *b);
int weft_topo_place(struct weft_topo_build *b, const struct weft_place *at,
		    const struct weft_raw_list *raw,
		    struct weft_topo_switch *sw);
int weft_topo_torus_check(struct weft_topo_build *b);
int weft_topo_routing(struct weft_topo_build *b);
int weft_topo_routes(struct weft_topo_build *b);

#endif
