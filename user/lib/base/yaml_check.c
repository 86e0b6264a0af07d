// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares a YAML file with a schema and reports what was expected.
 *
 * It supports the parts of libcyaml's schema language that Weft uses: mappings,
 * sequences, strings and ignored values. The recursion is as deep as the schema.
 */
#include "base/yaml_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/**
 * struct check - a comparison under way
 * @y: the file
 * @err: error
 */
struct check {
	struct weft_yaml *y;
	struct weft_err *err;
};

static int check_value(struct check *c, yaml_node_t *node, const char *what,
		       const cyaml_schema_value_t *schema);

static int __attribute__((format(printf, 3, 4)))
fail_at(struct check *c, yaml_node_t *node, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = weft_yaml_fail_at(c->y, node, c->err, fmt, ap);
	va_end(ap);
	return ret;
}

static const char *node_kind(const yaml_node_t *node)
{
	switch (node->type) {
	case YAML_MAPPING_NODE:
		return "a mapping";
	case YAML_SEQUENCE_NODE:
		return "a list";
	default:
		return "a single value";
	}
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_field_t *f,
					      const char *key)
{
	for (; f->key; f++)
		if (!strcmp(f->key, key))
			return f;
	return NULL;
}

static void list_keys(const cyaml_schema_field_t *f, char *buf, size_t len)
{
	size_t n = 0;

	*buf = '\0';
	for (; f->key && n < len; f++)
		n += (size_t)snprintf(buf + n, len - n, "%s%s", n ? ", " : "",
				      f->key);
}

static int unknown_key(struct check *c, yaml_node_t *key, const char *what,
		       const cyaml_schema_field_t *fields)
{
	char keys[900];

	list_keys(fields, keys, sizeof(keys));
	return fail_at(c, key, "unknown key \"%.40s\" in %s: expected one of %s",
		       key->data.scalar.value, what, keys);
}

static bool seen_before(struct check *c, yaml_node_t *map,
			yaml_node_pair_t *end, const char *key)
{
	yaml_node_pair_t *pair = map->data.mapping.pairs.start;
	yaml_node_t *k;

	for (; pair < end; pair++) {
		k = yaml_document_get_node(&c->y->doc, pair->key);
		if (!strcmp((char *)k->data.scalar.value, key))
			return true;
	}
	return false;
}

static int check_pair(struct check *c, yaml_node_t *map, yaml_node_pair_t *pair,
		      const char *what, const cyaml_schema_field_t *fields)
{
	yaml_node_t *value = yaml_document_get_node(&c->y->doc, pair->value);
	yaml_node_t *key = yaml_document_get_node(&c->y->doc, pair->key);
	const cyaml_schema_field_t *field;
	const char *name;

	if (key->type != YAML_SCALAR_NODE)
		return fail_at(c, key, "expected a key, found %s",
			       node_kind(key));
	name = (const char *)key->data.scalar.value;
	field = find_field(fields, name);
	if (!field || strlen(name) != key->data.scalar.length)
		return unknown_key(c, key, what, fields);
	if (seen_before(c, map, pair, name))
		return fail_at(c, key, "key \"%s\" is given twice", name);
	return check_value(c, value, name, &field->value);
}

static int check_required(struct check *c, yaml_node_t *map, const char *what,
			  const cyaml_schema_field_t *f)
{
	for (; f->key; f++)
		if (!(f->value.flags & CYAML_FLAG_OPTIONAL) &&
		    !seen_before(c, map, map->data.mapping.pairs.top, f->key))
			return fail_at(c, map, "%s lacks the key \"%s\"", what,
				       f->key);
	return 0;
}

static int check_mapping(struct check *c, yaml_node_t *node, const char *what,
			 const cyaml_schema_field_t *fields)
{
	yaml_node_pair_t *pair;
	int ret = 0;

	if (node->type != YAML_MAPPING_NODE)
		return fail_at(c, node, "%s: expected a mapping, found %s", what,
			       node_kind(node));
	for (pair = node->data.mapping.pairs.start;
	     !ret && pair < node->data.mapping.pairs.top; pair++)
		ret = check_pair(c, node, pair, what, fields);
	return ret ? ret : check_required(c, node, what, fields);
}

static int check_sequence(struct check *c, yaml_node_t *node, const char *what,
			  const cyaml_schema_value_t *schema)
{
	yaml_node_item_t *item;
	char entry[64];
	int ret = 0;
	size_t n;

	if (node->type != YAML_SEQUENCE_NODE)
		return fail_at(c, node, "%s: expected a list, found %s", what,
			       node_kind(node));
	item = node->data.sequence.items.start;
	n = (size_t)(node->data.sequence.items.top - item);
	if (n != schema->sequence.min &&
	    schema->sequence.min == schema->sequence.max)
		return fail_at(c, node, "%s: expected %u entries, found %zu",
			       what, schema->sequence.min, n);
	if (n < schema->sequence.min || n > schema->sequence.max)
		return fail_at(c, node, "%s: expected %u to %u entries, found %zu",
			       what, schema->sequence.min, schema->sequence.max,
			       n);
	snprintf(entry, sizeof(entry), "an entry of %s", what);
	for (; !ret && item < node->data.sequence.items.top; item++)
		ret = check_value(c, yaml_document_get_node(&c->y->doc, *item),
				  entry, schema->sequence.entry);
	return ret;
}

static int check_scalar(struct check *c, yaml_node_t *node, const char *what)
{
	const char *text = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE)
		return fail_at(c, node, "%s: expected a single value, found %s",
			       what, node_kind(node));
	if (!node->data.scalar.length)
		return fail_at(c, node, "%s: expected a value, found nothing",
			       what);
	if (strlen(text) != node->data.scalar.length)
		return fail_at(c, node, "%s: a zero byte in the value", what);
	return 0;
}

static int check_value(struct check *c, yaml_node_t *node, const char *what,
		       const cyaml_schema_value_t *schema)
{
	switch (schema->type) {
	case CYAML_MAPPING:
		return check_mapping(c, node, what, schema->mapping.fields);
	case CYAML_SEQUENCE:
		return check_sequence(c, node, what, schema);
	case CYAML_IGNORE:
		return 0;
	default:
		return check_scalar(c, node, what);
	}
}

/**
 * weft_yaml_check_node() - compare a node of a YAML file with a schema
 * @y: the file, open
 * @node: the node
 * @what: name of the node, for messages
 * @schema: the schema: mappings, sequences, strings and ignored values
 * @err: error, with the place and what was expected
 *
 * Return: 0 or -EINVAL.
 */
int weft_yaml_check_node(struct weft_yaml *y, yaml_node_t *node,
			 const char *what, const cyaml_schema_value_t *schema,
			 struct weft_err *err)
{
	struct check c = { y, err };

	return check_value(&c, node, what, schema);
}

/**
 * weft_yaml_check() - compare a YAML file with a schema
 * @y: the file, open
 * @schema: the schema: mappings, sequences, strings and ignored values
 * @err: error, with the place and what was expected
 *
 * Return: 0 or -EINVAL.
 */
int weft_yaml_check(struct weft_yaml *y, const cyaml_schema_value_t *schema,
		    struct weft_err *err)
{
	yaml_node_t *root = yaml_document_get_root_node(&y->doc);

	return weft_yaml_check_node(y, root, "the file", schema, err);
}
