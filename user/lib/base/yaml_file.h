/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * YAML files to structs, with errors that name file, line and column.
 */
#ifndef WEFT_YAML_FILE_H
#define WEFT_YAML_FILE_H

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#include "base/err.h"

#define WEFT_YAML_SIZE_MAX	1048576

/* The line of a node that is not from a file but from the command line. */
#define WEFT_YAML_NO_LINE	SIZE_MAX

/**
 * struct weft_yaml - one YAML file in memory
 */
struct weft_yaml {
	/** @file: its name, for messages */
	const char *file;
	/** @text: its content */
	const char *text;
	/** @len: length of @text */
	size_t len;
	/** @doc: its nodes, with their places */
	yaml_document_t doc;
	/** @open: @doc is valid */
	int open;
	/** @mark: place that added nodes get */
	yaml_mark_t mark;
	/** @nomem: memory ran out when a node was added */
	bool nomem;
	/** @made: @text if weft_yaml_render() made it, to be freed; else NULL */
	char *made;
};

int weft_yaml_open(struct weft_yaml *y, const char *file, const char *text,
		   size_t len, struct weft_err *err);
int weft_yaml_load(struct weft_yaml *y, const cyaml_schema_value_t *schema,
		   void *data, struct weft_err *err);
void weft_yaml_free(const cyaml_schema_value_t *schema, void *data);
void weft_yaml_close(struct weft_yaml *y);
int weft_yaml_fail(struct weft_yaml *y, const char *path, struct weft_err *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int weft_yaml_fail_at(struct weft_yaml *y, const yaml_node_t *node,
		      struct weft_err *err, const char *fmt, va_list ap);
bool weft_yaml_has(struct weft_yaml *y, const char *path);
int weft_file_read(const char *path, char **text, size_t *len,
		   struct weft_err *err);

#endif
