// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The objects of a lab, as JSON and as tables.
 *
 * All kinds are a list of flat JSON objects; the table is made from its keys,
 * so text and JSON cannot tell different stories.
 */
#include "print_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

#define COLUMNS_MAX	32

struct source;

/**
 * struct kind - a kind of object; one of @read and @list is set
 * @name: as the user says it
 * @read: reads the objects
 * @list: appends the objects of an open fabric; 0 or negative errno
 */
struct kind {
	const char *name;
	json_t *(*read)(const struct weft_lab *lab, struct weft_err *err);
	int (*list)(struct source *s, json_t *out, struct weft_err *err);
};

static json_t *read_nodes(const struct weft_lab *lab, struct weft_err *err)
{
	json_t *out = json_array(), *node, *nic;
	size_t i, j;

	(void)err;
	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		json_array_foreach(json_object_get(node, "nics"), j, nic) {
			json_t *o = json_object();

			json_object_set(o, "node",
					json_object_get(node, "name"));
			json_object_set(o, "nic", json_object_get(nic, "ifname"));
			json_object_set(o, "ip", json_object_get(nic, "ip"));
			json_object_set(o, "mac", json_object_get(nic, "mac"));
			json_object_set(o, "mtu", json_object_get(nic, "mtu"));
			json_array_append_new(out, o);
		}
	}
	return out;
}

static json_t *read_settings(const struct weft_lab *lab, struct weft_err *err)
{
	json_t *out = json_array(), *node, *value;
	const char *key;
	size_t i;

	(void)err;
	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		json_t *name = json_object_get(node, "name"), *o;

		json_object_foreach(json_object_get(node, "settings"), key,
				    value) {
			o = json_pack("{s:O, s:s, s:O}", "node", name,
				      "setting", key, "value", value);
			json_array_append_new(out, o);
		}
	}
	return out;
}

static json_t *read_fabric(const struct weft_lab *lab, struct weft_err *err)
{
	json_t *out = json_array();
	struct weft_fabric f = { 0 };
	struct weft_nl nl;
	int ret;

	ret = weft_lab_nl(lab, &nl, err);
	if (!ret) {
		ret = weft_fabric_find(&nl, lab->name, &f, err);
		weft_nl_close(&nl);
	}
	json_array_append_new(out, weft_json_fabric(&f));
	weft_fabric_free(&f);
	if (!ret)
		return out;
	json_decref(out);
	return NULL;
}

/**
 * struct source - an open fabric
 * @nl: socket
 * @id: the fabric
 */
struct source {
	struct weft_nl nl;
	uint32_t id;
};

static int open_source(struct source *s, const struct weft_lab *lab,
		       struct weft_err *err)
{
	struct weft_fabric f;
	int ret;

	ret = weft_lab_nl(lab, &s->nl, err);
	if (ret)
		return ret;
	ret = weft_fabric_find(&s->nl, lab->name, &f, err);
	s->id = f.id;
	weft_fabric_free(&f);
	if (ret)
		weft_nl_close(&s->nl);
	return ret;
}

static int list_switches(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_switch *sw = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_switch_list(&s->nl, s->id, &sw, &n, err);
	for (unsigned int i = 0; i < n; i++) {
		json_t *o = weft_json_switch(&sw[i]);

		json_object_set_new(o, "buffer_used",
				    weft_json_u64(sw[i].buffer_used));
		json_object_set_new(o, "buffer_peak",
				    weft_json_u64(sw[i].buffer_peak));
		json_array_append_new(out, o);
	}
	free(sw);
	return ret;
}

/* One entry for each wire, as in the report. */
static void add_wires(json_t *out, const struct weft_link *link)
{
	json_t *o = weft_json_link(link), *wire;
	size_t i;

	json_array_foreach(json_object_get(o, "wires"), i, wire) {
		json_t *row = json_object();

		json_object_set(row, "link", json_object_get(o, "name"));
		json_object_set(row, "id", json_object_get(o, "id"));
		json_object_set(row, "from", json_object_get(o, i ? "b" : "a"));
		json_object_set(row, "to", json_object_get(o, i ? "a" : "b"));
		json_object_update(row, wire);
		json_array_append_new(out, row);
	}
	json_decref(o);
}

static int list_links(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_link *link = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_link_list(&s->nl, s->id, &link, &n, err);
	for (unsigned int i = 0; i < n; i++)
		add_wires(out, &link[i]);
	weft_link_list_free(link, n);
	return ret;
}

static int list_nics(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_nic *nic = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_nic_list(&s->nl, s->id, &nic, &n, err);
	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(out, weft_json_nic(&nic[i]));
	weft_nic_list_free(nic, n);
	return ret;
}

static int add_routes(struct source *s, const struct weft_switch *sw,
		      json_t *out, struct weft_err *err)
{
	struct weft_route *r = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_route_list(&s->nl, s->id, sw->id, &r, &n, err);
	for (unsigned int i = 0; i < n; i++) {
		json_t *o = weft_json_route(&r[i]);

		json_object_set_new(o, "switch", json_string(sw->name));
		json_array_append_new(out, o);
	}
	weft_route_list_free(r, n);
	return ret;
}

static int list_routes(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_switch *sw = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_switch_list(&s->nl, s->id, &sw, &n, err);
	for (unsigned int i = 0; !ret && i < n; i++)
		ret = add_routes(s, &sw[i], out, err);
	free(sw);
	return ret;
}

static const struct kind kinds[] = {
	{ "nodes", .read = read_nodes },
	{ "settings", .read = read_settings },
	{ "fabric", .read = read_fabric },
	{ "switches", .list = list_switches },
	{ "links", .list = list_links },
	{ "nics", .list = list_nics },
	{ "routes", .list = list_routes },
};

/* What is in the fabric: the socket is open only while it is read. */
static json_t *read_list(const struct kind *kind, const struct weft_lab *lab,
			 struct weft_err *err)
{
	struct source s;
	json_t *out;
	int ret;

	if (open_source(&s, lab, err))
		return NULL;
	out = json_array();
	ret = kind->list(&s, out, err);
	weft_nl_close(&s.nl);
	if (!ret)
		return out;
	json_decref(out);
	return NULL;
}

static const struct kind *find_kind(const char *name)
{
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/**
 * objects_known() - is there such a kind of object?
 * @kind: name of the kind
 *
 * Return: whether objects_read() takes it.
 */
bool objects_known(const char *kind)
{
	return find_kind(kind);
}

/**
 * objects_read() - read all objects of a kind
 * @lab: the lab, up
 * @kind: name of the kind, known
 * @err: error
 *
 * Return: a new reference to a list, NULL on error.
 */
json_t *objects_read(const struct weft_lab *lab, const char *kind,
		     struct weft_err *err)
{
	const struct kind *k = find_kind(kind);

	return k->read ? k->read(lab, err) : read_list(k, lab, err);
}

/* A value in one word: nested values without blanks. */
static void cell_text(json_t *value, char *buf, size_t len)
{
	char *text;

	if (json_is_string(value)) {
		snprintf(buf, len, "%s", json_string_value(value));
		return;
	}
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	snprintf(buf, len, "%s", text ? text : "-");
	free(text);
}

static void measure(json_t *objects, const char **keys, int *width, size_t n)
{
	char text[256];
	json_t *o;
	size_t i;

	for (size_t k = 0; k < n; k++) {
		width[k] = (int)strlen(keys[k]);
		json_array_foreach(objects, i, o) {
			cell_text(json_object_get(o, keys[k]), text,
				  sizeof(text));
			if ((int)strlen(text) > width[k])
				width[k] = (int)strlen(text);
		}
	}
}

/* Columns are the keys of the object that has most of them. */
static size_t find_keys(json_t *objects, const char **keys)
{
	json_t *o, *widest = NULL, *value;
	const char *key;
	size_t i, n = 0;

	json_array_foreach(objects, i, o)
		if (!widest || json_object_size(o) > json_object_size(widest))
			widest = o;
	json_object_foreach(widest, key, value)
		if (n < COLUMNS_MAX)
			keys[n++] = key;
	return n;
}

/**
 * print_objects() - print a list of objects as a table
 * @objects: the list
 */
void print_objects(json_t *objects)
{
	const char *keys[COLUMNS_MAX];
	int width[COLUMNS_MAX];
	size_t n = find_keys(objects, keys), i;
	char text[256];
	json_t *o;

	measure(objects, keys, width, n);
	for (size_t k = 0; k < n; k++)
		printf("%-*s%s", k + 1 < n ? width[k] + 2 : 0, keys[k],
		       k + 1 < n ? "" : "\n");
	json_array_foreach(objects, i, o) {
		for (size_t k = 0; k < n; k++) {
			cell_text(json_object_get(o, keys[k]), text,
				  sizeof(text));
			printf("%-*s%s", k + 1 < n ? width[k] + 2 : 0, text,
			       k + 1 < n ? "" : "\n");
		}
	}
}

/**
 * print_labs() - print which labs there are
 * @labs: a list of labs' states
 */
void print_labs(json_t *labs)
{
	static const char *const keys[] = { "lab", "clock", "topology", "up" };
	json_t *table = json_array(), *lab, *o, *n;
	size_t i;

	json_array_foreach(labs, i, lab) {
		o = json_object();
		for (unsigned int k = 0; k < 4; k++)
			json_object_set(o, keys[k],
					json_object_get(lab, keys[k]));
		n = json_object_get(lab, "nodes");
		json_object_set_new(o, "nodes",
				    json_integer((json_int_t)json_array_size(n)));
		json_array_append_new(table, o);
	}
	if (json_array_size(table))
		print_objects(table);
	else
		puts("no lab is up");
	json_decref(table);
}
