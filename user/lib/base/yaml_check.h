/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a YAML file with a schema and reports what was expected.
 */
#ifndef WEFT_YAML_CHECK_H
#define WEFT_YAML_CHECK_H

#include "base/yaml_file.h"

int weft_yaml_check_node(struct weft_yaml *y, yaml_node_t *node,
			 const char *what, const cyaml_schema_value_t *schema,
			 struct weft_err *err);
int weft_yaml_check(struct weft_yaml *y, const cyaml_schema_value_t *schema,
		    struct weft_err *err);

#endif
