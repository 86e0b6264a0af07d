// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a subnet manager did, in the form of a report. Documentation/management.rst
 * explains each key.
 */
#include "report/changes.h"

#include <string.h>

#include "netlink/json.h"

static bool is_end(const struct weft_end *end, const struct weft_change *c)
{
	return !end->is_nic && end->id == c->id && end->port == c->port;
}

/* The name of the link that changed; empty if it is gone. */
static const char *link_name(const struct weft_facts *f,
			     const struct weft_change *c)
{
	for (unsigned int i = 0; i < f->links; i++)
		if (is_end(&f->link[i].end[0], c) ||
		    is_end(&f->link[i].end[1], c))
			return f->link[i].name;
	return "";
}

static json_t *change_json(const struct weft_facts *f,
			   const struct weft_change *c)
{
	json_t *o = json_object();

	if (c->links) {
		json_object_set_new(o, "at_ps", weft_json_u64(c->at));
		json_object_set_new(o, "link", json_string(link_name(f, c)));
		json_object_set_new(o, "links", json_integer(c->links));
		json_object_set_new(o, "up", json_boolean(c->up));
	}
	if (c->trapped)
		json_object_set_new(o, "trap_ps", weft_json_u64(c->trap));
	if (c->managed)
		json_object_set_new(o, "manager_ps", weft_json_u64(c->manager));
	if (c->blocks) {
		json_object_set_new(o, "first_table_ps", weft_json_u64(c->first));
		json_object_set_new(o, "last_table_ps", weft_json_u64(c->last));
	}
	json_object_set_new(o, "table_blocks", json_integer(c->blocks));
	if (c->links && c->blocks)
		json_object_set_new(o, "recovered_after_ps",
				    weft_json_u64(c->last - c->at));
	return o;
}

/**
 * weft_changes_json() - changes of links, and what the subnet manager did about them
 * @facts: the facts of a lab with a subnet manager
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_changes_json(const struct weft_facts *facts)
{
	const struct weft_fabric *f = &facts->fabric;
	json_t *a = json_array();

	for (unsigned int i = 0; i < f->changes; i++)
		json_array_append_new(a, change_json(facts, &f->change[i]));
	return json_pack("{s:o, s:I}", "changes", a, "changes_missed",
			 (json_int_t)f->changes_missed);
}
