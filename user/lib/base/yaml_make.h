/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * YAML files that are made or changed in memory.
 */
#ifndef WEFT_YAML_MAKE_H
#define WEFT_YAML_MAKE_H

#include "base/err.h"
#include "base/yaml_file.h"

int weft_yaml_add_text(struct weft_yaml *y, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int weft_yaml_add_map(struct weft_yaml *y);
int weft_yaml_add_list(struct weft_yaml *y, yaml_sequence_style_t style);
int weft_yaml_copy(struct weft_yaml *y, const struct weft_yaml *from, int node);
void weft_yaml_append(struct weft_yaml *y, int list, int item);
void weft_yaml_put(struct weft_yaml *y, int map, const char *key, int value);
int weft_yaml_take(struct weft_yaml *y, int map, const char *key);
int weft_yaml_key(const struct weft_yaml *y, int map, const char *key);
yaml_node_t *weft_yaml_node(const struct weft_yaml *y, int node);
const char *weft_yaml_text(const struct weft_yaml *y, int node);
int weft_yaml_render(struct weft_yaml *y, struct weft_err *err);

#endif
