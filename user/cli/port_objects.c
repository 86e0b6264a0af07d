// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links, ports and their classes, as JSON.
 */
#include "port_objects.h"

#include "facts/port_view.h"
#include "netlink/json.h"

/* Append the objects of a wire. */
typedef void (*add_fn)(json_t *out, const struct weft_port_view *v);

static json_t *read_wires(const struct weft_lab *lab, add_fn add,
			  struct weft_err *err)
{
	json_t *out = json_array();
	struct weft_port_view v;
	struct weft_facts f;
	int ret;

	ret = weft_facts_read(&f, lab, err);
	for (unsigned int i = 0; !ret && i < f.links; i++) {
		for (unsigned int dir = 0; dir < f.link[i].wires; dir++) {
			weft_port_view(&v, &f, &f.link[i], dir);
			add(out, &v);
		}
	}
	weft_facts_free(&f);
	if (!ret)
		return out;
	json_decref(out);
	return NULL;
}

/* Append one entry per wire, like in the report. */
static void add_wire(json_t *out, const struct weft_port_view *v)
{
	json_t *link = weft_json_link(v->link), *row = json_object();
	size_t dir = v->wire != v->link->wire;

	json_object_set(row, "link", json_object_get(link, "name"));
	json_object_set(row, "id", json_object_get(link, "id"));
	json_object_set(row, "from", json_object_get(link, dir ? "b" : "a"));
	json_object_set(row, "to", json_object_get(link, dir ? "a" : "b"));
	json_object_update(row, json_array_get(json_object_get(link, "wires"),
					       dir));
	json_object_set_new(row, "port", json_string(v->name));
	json_object_set_new(row, "peer", json_string(v->peer));
	json_array_append_new(out, row);
	json_decref(link);
}

/**
 * links_read() - all wires of a lab and their parameters
 * @lab: the lab, up
 * @err: error
 *
 * Return: a new reference to a list, NULL on error.
 */
json_t *links_read(const struct weft_lab *lab, struct weft_err *err)
{
	return read_wires(lab, add_wire, err);
}

static void add_port(json_t *out, const struct weft_port_view *v)
{
	json_array_append_new(out, weft_port_json(v));
}

/**
 * ports_read() - all ports of a lab that have a link, and their counters
 * @lab: the lab, up
 * @err: error
 *
 * Return: a new reference to a list, NULL on error.
 */
json_t *ports_read(const struct weft_lab *lab, struct weft_err *err)
{
	return read_wires(lab, add_port, err);
}

static void add_classes(json_t *out, const struct weft_port_view *v)
{
	const struct weft_class_states *s = &v->wire->cls;

	for (unsigned int i = 0; i < s->n; i++)
		json_array_append_new(out,
				      weft_port_class_json(v, &s->state[i]));
}

/**
 * classes_read() - the classes of all ports that have counted something
 * @lab: the lab, up
 * @err: error
 *
 * Return: a new reference to a list, NULL on error.
 */
json_t *classes_read(const struct weft_lab *lab, struct weft_err *err)
{
	return read_wires(lab, add_classes, err);
}
