// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects as JSON. Keys never change.
 *
 * If memory runs out a key is missing. weft_json_text() detects that when the value is
 * written, so the functions here need not check.
 */
#include "netlink/json.h"

#include "base/text.h"

/**
 * weft_json_u64() - a quantity: a time, a size, a rate or a count
 * @v: the quantity
 *
 * Return: a new reference: always an integer; larger values become 2^63 - 1.
 */
json_t *weft_json_u64(uint64_t v)
{
	return json_integer(v <= INT64_MAX ? (json_int_t)v : INT64_MAX);
}

/**
 * weft_json_seed() - a seed: a number that must not be rounded
 * @seed: the seed
 *
 * Many readers of JSON round numbers above 2^53.
 *
 * Return: a new reference: always a string of decimal digits.
 */
json_t *weft_json_seed(uint64_t seed)
{
	return json_sprintf("%llu", (unsigned long long)seed);
}

/**
 * weft_json_counters() - counters
 * @cs: the counters
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_counters(const struct weft_counters *cs)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < cs->n; i++)
		json_object_set_new(o, cs->c[i].name,
				    weft_json_u64(cs->c[i].value));
	return o;
}

/**
 * weft_json_hist() - a histogram as its percentiles
 * @h: the histogram
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_hist(const struct weft_hist *h)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}",
			 "count", (json_int_t)h->count,
			 "min_ps", (json_int_t)h->min,
			 "p50_ps", (json_int_t)weft_hist_percentile(h, 500),
			 "p90_ps", (json_int_t)weft_hist_percentile(h, 900),
			 "p99_ps", (json_int_t)weft_hist_percentile(h, 990),
			 "max_ps", (json_int_t)h->max);
}

/**
 * weft_json_fabric() - parameters of a fabric
 * @f: the fabric
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_fabric(const struct weft_fabric *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", json_integer(f->id));
	json_object_set_new(o, "name", json_string(f->name));
	json_object_set_new(o, "seed", weft_json_seed(f->seed));
	json_object_set_new(o, "dilation", json_integer(f->dilation));
	json_object_set_new(o, "max_nics", json_integer(f->max_nics));
	json_object_set_new(o, "late_bound_ps", weft_json_u64(f->late_bound));
	if (f->managed)
		json_object_set_new(o, "managed", json_true());
	if (f->pinned)
		json_object_set_new(o, "cpu", json_integer(f->cpu));
	return o;
}

/**
 * weft_json_vl() - a table of the classes on the next wire
 * @vl: the table, indexed by service level or class
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_vl(const uint8_t vl[WEFT_CLASSES_MAX])
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < WEFT_CLASSES_MAX; i++)
		json_array_append_new(a, json_integer(vl[i]));
	return a;
}

static void set_ways(json_t *o, const struct weft_switch *sw)
{
	json_object_set_new(o, "select",
			    json_string(weft_select_text(sw->select)));
	json_object_set_new(o, "sl2vl",
			    json_string(weft_sl2vl_text(sw->sl2vl)));
	if (sw->has & WEFT_SWITCH_HAS_VL)
		json_object_set_new(o, "vl", weft_json_vl(sw->vl));
	json_object_set_new(o, "lmc", json_integer(sw->lmc));
	json_object_set_new(o, "flowlets", json_integer(sw->flowlets));
	json_object_set_new(o, "flowlet_gap_ps",
			    weft_json_u64(sw->flowlet_gap));
	json_object_set_new(o, "adaptive_quantum", json_integer(sw->quantum));
	if (sw->has & WEFT_SWITCH_HAS_SMA_LATENCY)
		json_object_set_new(o, "sma_latency_ps",
				    weft_json_u64(sw->sma_latency));
	if (!(sw->has & WEFT_SWITCH_HAS_ARN_HOLD))
		return;
	json_object_set_new(o, "arn_hold_ps", weft_json_u64(sw->arn_hold));
	json_object_set_new(o, "arn_queue", json_integer(sw->arn_queue));
	json_object_set_new(o, "arn_sent", weft_json_u64(sw->arn_sent));
	json_object_set_new(o, "arn_heard", weft_json_u64(sw->arn_heard));
}

/**
 * weft_json_switch() - parameters of a switch
 * @sw: the switch
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_switch(const struct weft_switch *sw)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", json_integer(sw->id));
	json_object_set_new(o, "name", json_string(sw->name));
	json_object_set_new(o, "ports", json_integer(sw->ports));
	json_object_set_new(o, "latency_ps", weft_json_u64(sw->latency));
	json_object_set_new(o, "forward",
			    json_string(weft_forward_text(sw->forward)));
	json_object_set_new(o, "arbiter",
			    json_string(weft_arbiter_text(sw->arbiter)));
	set_ways(o, sw);
	json_object_set_new(o, "buffer", weft_json_u64(sw->buffer));
	json_object_set_new(o, "buffer_per_port",
			    weft_json_u64(sw->buffer_per_port));
	if (sw->classes.n)
		json_object_set_new(o, "buffer_classes",
				    weft_buffer_json(&sw->classes));
	weft_port_params_json(o, &sw->port);
	return o;
}

static json_t *end_json(const struct weft_end *end)
{
	if (end->is_nic)
		return json_pack("{s:I}", "nic", (json_int_t)end->id);
	return json_pack("{s:I, s:I}", "switch", (json_int_t)end->id, "port",
			 (json_int_t)end->port);
}

static json_t *wire_json(const struct weft_wire *w)
{
	json_t *o = json_object();

	json_object_set_new(o, "rate_bps", weft_json_u64(w->rate));
	json_object_set_new(o, "propagation_ps", weft_json_u64(w->propagation));
	json_object_set_new(o, "overhead", json_integer(w->overhead));
	json_object_set_new(o, "min_frame", json_integer(w->min_frame));
	json_object_set_new(o, "bits_per_error",
			    weft_json_u64(w->bits_per_error));
	json_object_set_new(o, "up", json_boolean(w->up));
	json_object_set_new(o, "payload", json_integer(w->payload));
	json_object_set_new(o, "unit", json_integer(w->unit));
	json_object_set_new(o, "lanes", json_integer(w->lanes));
	json_object_set_new(o, "lanes_up", json_integer(w->lanes_up));
	return o;
}

/**
 * weft_json_link() - ends and parameters of a link
 * @link: the link
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_link(const struct weft_link *link)
{
	json_t *o = json_object(), *wires = json_array();

	for (unsigned int i = 0; i < link->wires; i++)
		json_array_append_new(wires, wire_json(&link->wire[i]));
	json_object_set_new(o, "id", json_integer(link->id));
	json_object_set_new(o, "name", json_string(link->name));
	json_object_set_new(o, "a", end_json(&link->end[0]));
	json_object_set_new(o, "b", end_json(&link->end[1]));
	json_object_set_new(o, "wires", wires);
	return o;
}

/**
 * weft_json_nic() - parameters of a NIC
 * @nic: the NIC
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_nic(const struct weft_nic *nic)
{
	const char *seg = weft_segmentation_text(nic->segmentation);
	json_t *o = json_object();

	json_object_set_new(o, "id", json_integer(nic->id));
	json_object_set_new(o, "name", json_string(nic->name));
	json_object_set_new(o, "ifname", json_string(nic->ifname));
	json_object_set_new(o, "segmentation", json_string(seg));
	json_object_set_new(o, "tx_latency_ps", weft_json_u64(nic->tx_latency));
	json_object_set_new(o, "rx_latency_ps", weft_json_u64(nic->rx_latency));
	json_object_set_new(o, "rx_rate_bps", weft_json_u64(nic->rx_rate));
	json_object_set_new(o, "rx_stop", json_integer(nic->rx_stop));
	json_object_set_new(o, "rx_buffer", weft_json_u64(nic->rx_buffer));
	if (nic->classes.n)
		json_object_set_new(o, "buffer_classes",
				    weft_buffer_json(&nic->classes));
	if (nic->moderation.has)
		json_object_set_new(o, "moderation",
				    weft_moderation_json(&nic->moderation));
	weft_port_params_json(o, &nic->port);
	if (*nic->device)
		json_object_set_new(o, "rdma_device", json_string(nic->device));
	json_object_set_new(o, "verbs", weft_verbs_json(&nic->verbs));
	return o;
}

/**
 * weft_json_verbs() - parameters and counters of the RDMA device of a NIC
 * @nic: the NIC
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_verbs(const struct weft_nic *nic)
{
	json_t *o = weft_verbs_json(&nic->verbs);
	json_t *counters = weft_json_counters(&nic->verbs_counters);

	json_object_set_new(o, "nic", json_string(nic->name));
	json_object_set_new(o, "device", json_string(nic->device));
	json_object_update(o, counters);
	json_decref(counters);
	return o;
}

/**
 * weft_json_route() - an entry of a forwarding table
 * @r: the entry
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_json_route(const struct weft_route *r)
{
	json_t *o = json_object(), *ports = json_array();

	for (unsigned int i = 0; i < r->ports; i++)
		json_array_append_new(ports, json_integer(r->port[i]));
	json_object_set_new(o, "switch", json_integer(r->sw));
	json_object_set_new(o, "flood", json_boolean(r->flood));
	if (!r->flood) {
		json_object_set_new(o, "dst", json_integer(r->dst));
		json_object_set_new(o, "dst_last", json_integer(r->dst_last));
	}
	json_object_set_new(o, "ports", ports);
	return o;
}
