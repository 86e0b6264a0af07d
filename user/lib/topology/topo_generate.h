/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generators: a complete network from a few numbers.
 */
#ifndef WEFT_TOPO_GENERATE_H
#define WEFT_TOPO_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/yaml_make.h"
#include "topology/topo_params.h"

#define WEFT_GEN_UPLINKS_MAX	64

/**
 * struct weft_gen - a design: state of a generator
 */
struct weft_gen {
	/** @y: the file */
	struct weft_yaml *y;
	/** @at: place of the key "generate", for errors */
	struct weft_place at;
	/** @map: YAML node of its value */
	int map;
	/** @kind: name of the kind */
	const char *kind;
	/** @nodes: YAML node of the list "nodes" */
	int nodes;
	/** @switches: YAML node of the list "switches" */
	int switches;
	/** @links: YAML node of the list "links" */
	int links;
	/** @everybody: names of all nodes, as a range */
	const char *everybody;
	/** @err: error */
	struct weft_err *err;
};

/**
 * struct weft_gen_name - a name or a range of names
 */
struct weft_gen_name {
	/** @s: the text */
	char s[96];
};

struct weft_gen_name weft_gen_name(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
struct weft_gen_name weft_gen_range(const char *prefix, uint64_t first,
				    uint64_t n);
bool weft_gen_has(const struct weft_gen *g, const char *key);
int weft_gen_number(struct weft_gen *g, const char *key, uint64_t lo,
		    uint64_t hi, uint64_t *v);
int weft_gen_option(struct weft_gen *g, const char *key, uint64_t lo,
		    uint64_t hi, uint64_t *v);
int weft_gen_choice(struct weft_gen *g, const char *key,
		    const char *const *words, uint32_t *v);
int weft_gen_uplinks(struct weft_gen *g, uint64_t down, uint64_t spines,
		     uint64_t *uplinks);
int weft_gen_fits(struct weft_gen *g, uint64_t nodes, uint64_t switches,
		  uint64_t links);
void weft_gen_nodes(struct weft_gen *g, struct weft_gen_name name);
int weft_gen_switches(struct weft_gen *g, const char *part,
		      struct weft_gen_name name);
void weft_gen_link(struct weft_gen *g, const char *part, struct weft_gen_name a,
		   struct weft_gen_name b);
void weft_gen_join(struct weft_gen *g, const char *part, uint64_t count,
		   struct weft_gen_name a, struct weft_gen_name b);

int weft_gen_single_switch(struct weft_gen *g);
int weft_gen_fat_tree(struct weft_gen *g);
int weft_gen_rail_optimized(struct weft_gen *g);
int weft_gen_nvl72(struct weft_gen *g);
int weft_gen_torus(struct weft_gen *g);
int weft_gen_dragonfly(struct weft_gen *g);

const char *weft_gen_profile(const char *kind);
const char *weft_gen_kind(unsigned int i);
int weft_topo_generate(struct weft_yaml *y, struct weft_err *err);

#endif
