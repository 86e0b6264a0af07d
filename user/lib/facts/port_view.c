// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ports of a lab: the port that sends on each wire, its parameters and counters.
 */
#include "facts/port_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "netlink/json.h"
#include "topology/topo_port.h"

static void end_name(const struct weft_facts *f, const struct weft_end *end,
		     char *name)
{
	const struct weft_switch *sw = weft_switch_find(f->sw, f->switches, end->id);
	const struct weft_nic *nic = weft_nic_find(f->nic, f->nics, end->id);

	if (end->is_nic)
		snprintf(name, WEFT_PORT_NAME, "%s", nic ? nic->name : "?");
	else
		snprintf(name, WEFT_PORT_NAME, "%s:%" PRIu32,
			 sw ? sw->name : "?", end->port);
}

static void set_owner(struct weft_port_view *v, const struct weft_facts *f,
		      const struct weft_end *end)
{
	static const struct weft_port_params none;
	static const struct weft_buffer no_limits;
	const struct weft_switch *sw = weft_switch_find(f->sw, f->switches, end->id);
	const struct weft_nic *nic = weft_nic_find(f->nic, f->nics, end->id);

	v->params = &none;
	v->limits = &no_limits;
	if (end->is_nic && nic) {
		v->params = &nic->port;
		v->limits = &nic->classes;
	} else if (!end->is_nic && sw) {
		v->params = &sw->port;
		v->limits = &sw->classes;
	}
	v->lossless = weft_port_lossless(v->params);
}

/**
 * weft_port_view() - fill a view of the port that sends on a wire
 * @v: result; it points into @facts
 * @facts: the lab
 * @link: the link, one of @facts
 * @dir: index of the wire
 */
void weft_port_view(struct weft_port_view *v, const struct weft_facts *facts,
		    const struct weft_link *link, unsigned int dir)
{
	*v = (struct weft_port_view) { .link = link, .wire = &link->wire[dir] };
	end_name(facts, &link->end[dir], v->name);
	end_name(facts, &link->end[!dir], v->peer);
	set_owner(v, facts, &link->end[dir]);
}

/**
 * weft_port_sum() - sum a counter over all classes
 * @v: the port
 * @name: name of the counter
 *
 * Return: the sum.
 */
uint64_t weft_port_sum(const struct weft_port_view *v, const char *name)
{
	const struct weft_class_states *s = &v->wire->cls;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->n; i++)
		sum += weft_counters_get(&s->state[i].counters, name);
	return sum;
}

/**
 * weft_port_first() - find when an event first happened at a port
 * @v: the port
 * @classes: bit per class to look at
 * @what: name of the class counter of the event
 * @when: name of the class counter with the time of the first event
 * @ps: result, fabric time
 *
 * Return: false if it never happened.
 */
bool weft_port_first(const struct weft_port_view *v, uint32_t classes,
		     const char *what, const char *when, uint64_t *ps)
{
	const struct weft_class_states *s = &v->wire->cls;
	bool found = false;
	uint64_t at;

	for (unsigned int i = 0; i < s->n; i++) {
		if (!(classes & 1U << s->state[i].cls) ||
		    !weft_counters_get(&s->state[i].counters, what))
			continue;
		at = weft_counters_get(&s->state[i].counters, when);
		if (!found || at < *ps)
			*ps = at;
		found = true;
	}
	return found;
}

static json_t *first_drop_json(const struct weft_port_view *v)
{
	uint64_t ps;

	if (!weft_port_first(v, UINT32_MAX, "dropped", "first_drop_ps", &ps))
		return json_null();
	return weft_json_u64(ps);
}

static json_t *lossless_json(const struct weft_port_view *v)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < WEFT_CLASSES_MAX; i++)
		if (v->lossless & 1U << i)
			json_array_append_new(a, json_integer(i));
	return a;
}

static void set_wire(json_t *o, const struct weft_wire *w)
{
	json_object_set_new(o, "up", json_boolean(w->up));
	json_object_set_new(o, "rate_bps", weft_json_u64(weft_wire_rate(w)));
	json_object_set_new(o, "lanes", json_integer(w->lanes));
	json_object_set_new(o, "lanes_up", json_integer(w->lanes_up));
}

/**
 * weft_port_json() - a port, its discipline and its counters
 * @v: the port
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_port_json(const struct weft_port_view *v)
{
	static const char *const own[] = {
		"tx_packets", "tx_bytes", "rx_packets", "rx_bytes",
		"queue_peak", "tx_wait_ps", "tx_control", "rx_control",
		"lost_control", "tx_replays", "rx_replays", "naks",
	};
	static const char *const sums[] = {
		"wait_ps", "tx_pause", "rx_pause", "marked", "trimmed",
		"watchdogs",
	};
	const struct weft_wire *w = v->wire;
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(v->name));
	json_object_set_new(o, "peer", json_string(v->peer));
	json_object_set_new(o, "link", json_string(v->link->name));
	json_object_set_new(o, "discipline", json_string(v->params->discipline));
	json_object_set_new(o, "lossless", lossless_json(v));
	set_wire(o, w);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		json_object_set_new(o, own[i], weft_json_u64(
			weft_counters_get(&w->counters, own[i])));
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		json_object_set_new(o, sums[i],
				    weft_json_u64(weft_port_sum(v, sums[i])));
	json_object_set_new(o, "drops", weft_json_counters(&w->drops));
	json_object_set_new(o, "dropped",
			    weft_json_u64(weft_counters_sum(&w->drops)));
	json_object_set_new(o, "first_drop_ps", first_drop_json(v));
	return o;
}

static json_t *limits_json(const struct weft_port_view *v, uint32_t cls)
{
	json_t *all = weft_buffer_json(v->limits), *one = NULL;

	for (uint32_t i = 0; i < v->limits->n; i++)
		if (v->limits->cls[i].cls == cls)
			one = json_incref(json_array_get(all, i));
	json_decref(all);
	return one ? one : json_null();
}

/**
 * weft_port_class_json() - a class of a port and its counters
 * @v: the port
 * @s: the class, one of the wire's
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_port_class_json(const struct weft_port_view *v,
			     const struct weft_class_state *s)
{
	static const char *const keys[] = {
		"tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "wait_ps",
		"tx_pause", "rx_pause", "marked", "trimmed", "watchdogs",
		"buffer_peak", "dropped", "first_drop_ps", "first_watchdog_ps",
		"held_since_ps",
	};
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(v->name));
	json_object_set_new(o, "class", json_integer(s->cls));
	json_object_set_new(o, "discipline", json_string(v->params->discipline));
	json_object_set_new(o, "lossless",
			    json_boolean(v->lossless & 1U << s->cls));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set_new(o, keys[i], weft_json_u64(
			weft_counters_get(&s->counters, keys[i])));
	json_object_set_new(o, "limits", limits_json(v, s->cls));
	return o;
}
