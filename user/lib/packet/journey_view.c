// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journey of a packet with the names of ports, and how long each part took.
 *
 * A cut-through switch processes a packet from its first bit on, other
 * receivers from the last. So serialisation onto a wire to a cut-through switch
 * adds no time to the journey.
 */
#include "packet/journey_view.h"

#include <inttypes.h>
#include <stdio.h>

#include <linux/weft.h>

#include "netlink/json.h"
#include "packet/capture.h"
#include "packet/flow.h"

/**
 * weft_place_name() - name of a port
 * @facts: the lab
 * @place: the port
 * @name: result, WEFT_PORT_NAME bytes
 */
void weft_place_name(const struct weft_facts *facts,
		     const struct weft_place *place, char *name)
{
	const struct weft_switch *sw = weft_switch_find(facts->sw, facts->switches, place->sw);
	const struct weft_nic *nic = weft_nic_find(facts->nic, facts->nics, place->port);

	if (!place->known)
		snprintf(name, WEFT_PORT_NAME, "-");
	else if (place->is_nic)
		snprintf(name, WEFT_PORT_NAME, "%s", nic ? nic->name : "?");
	else
		snprintf(name, WEFT_PORT_NAME, "%s:%" PRIu32,
			 sw ? sw->name : "?", place->port);
}

static bool is_at(const struct weft_end *end, const struct weft_place *place)
{
	if (end->is_nic != place->is_nic)
		return false;
	return end->is_nic ? end->id == place->port :
	       end->id == place->sw && end->port == place->port;
}

/* The link of a port and the direction in which it sends; NULL if it has none. */
static const struct weft_link *find_link(const struct weft_facts *f,
					 const struct weft_place *place,
					 unsigned int *dir)
{
	for (unsigned int i = 0; i < f->links; i++)
		for (*dir = 0; *dir < 2; ++*dir)
			if (is_at(&f->link[i].end[*dir], place))
				return &f->link[i];
	return NULL;
}

static bool cuts_through(const struct weft_facts *f, const struct weft_end *end)
{
	const struct weft_switch *sw = weft_switch_find(f->sw, f->switches, end->id);

	return !end->is_nic && sw && sw->forward == WEFT_FORWARD_CUT_THROUGH;
}

static uint64_t span(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void set_wire(struct weft_hop_view *v, const struct weft_facts *facts)
{
	const struct weft_link *link;
	struct weft_port_view port;
	unsigned int dir;

	snprintf(v->peer, sizeof(v->peer), "?");
	link = find_link(facts, &v->hop->place, &dir);
	if (!link)
		return;
	weft_port_view(&port, facts, link, dir);
	snprintf(v->peer, sizeof(v->peer), "%s", port.peer);
	v->cut_through = cuts_through(facts, &link->end[!dir]);
	if (v->hop->has_arrived)
		v->propagation = link->wire[dir].propagation;
}

/**
 * weft_hop_view() - compute names and times of a hop
 * @v: result; it refers to @hop
 * @facts: the lab
 * @hop: the hop
 */
void weft_hop_view(struct weft_hop_view *v, const struct weft_facts *facts,
		   const struct weft_hop *hop)
{
	uint64_t known;

	*v = (struct weft_hop_view) { .hop = hop };
	weft_place_name(facts, &hop->place, v->port);
	set_wire(v, facts);
	v->latency = span(hop->joined, hop->ready);
	if (!hop->is_sent)
		return;
	v->wait = span(hop->ready, hop->sent);
	v->serialisation = span(hop->sent, hop->until);
	if (!hop->has_arrived)
		return;
	known = v->propagation + (v->cut_through ? 0 : v->serialisation);
	v->rest = span(hop->sent + known, hop->arrived);
}

static json_t *hop_json(const struct weft_facts *facts,
			const struct weft_hop *hop)
{
	struct weft_hop_view v;
	json_t *o;

	weft_hop_view(&v, facts, hop);
	o = json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
		      "port", v.port, "peer", v.peer, "class", (int)hop->cls,
		      "time_ps", weft_json_u64(hop->joined),
		      "queued", weft_json_u64(hop->queued),
		      "latency_ps", weft_json_u64(v.latency),
		      "wait_ps", weft_json_u64(v.wait),
		      "held_back_ps", weft_json_u64(hop->held),
		      "serialisation_ps", weft_json_u64(v.serialisation),
		      "cut_through", v.cut_through);
	json_object_set_new(o, "propagation_ps", weft_json_u64(v.propagation));
	json_object_set_new(o, "rest_ps", weft_json_u64(v.rest));
	json_object_set_new(o, "sent_ps", hop->is_sent ?
			    weft_json_u64(hop->sent) : json_null());
	json_object_set_new(o, "arrived_ps", hop->has_arrived ?
			    weft_json_u64(hop->arrived) : json_null());
	json_object_set_new(o, "replays", json_integer(hop->replays));
	json_object_set_new(o, "marked", json_boolean(hop->marked));
	json_object_set_new(o, "trimmed", json_boolean(hop->trimmed));
	return o;
}

static json_t *hops_json(const struct weft_journey *j,
			 const struct weft_facts *facts)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < j->hops; i++)
		json_array_append_new(a, hop_json(facts, &j->hop[i]));
	return a;
}

static void set_packet(json_t *o, const struct weft_journey *j,
		       const struct weft_facts *facts)
{
	const struct weft_nic *to = weft_nic_find(facts->nic, facts->nics, j->dst);
	struct weft_headers h;
	char text[160];

	weft_flow_headers(facts, j, &h);
	weft_headers_text(&h, text, sizeof(text));
	json_object_set_new(o, "to", j->flags & WEFT_FRAME_MULTICAST || !to ?
			    json_null() : json_string(to->name));
	json_object_set_new(o, "length", json_integer(j->length));
	json_object_set_new(o, "frames", json_integer(j->segments));
	json_object_set_new(o, "sl", json_integer(j->sl));
	json_object_set_new(o, "kind",
			    json_string(weft_headers_kind_name(h.kind)));
	json_object_set_new(o, "what", json_string(text));
}

static void set_end(json_t *o, const struct weft_journey *j,
		    const struct weft_facts *facts)
{
	static const char *const fates[] = { "under way", "delivered", "lost" };
	char name[WEFT_PORT_NAME];
	bool over = j->fate != WEFT_FATE_UNDER_WAY;

	weft_place_name(facts, &j->where, name);
	json_object_set_new(o, "fate", json_string(fates[j->fate]));
	json_object_set_new(o, "at", over ? json_string(name) : json_null());
	json_object_set_new(o, "end_ps", over ? weft_json_u64(j->end) :
						json_null());
	json_object_set_new(o, "total_ps", over ?
			    weft_json_u64(j->end - j->born) : json_null());
	json_object_set_new(o, "reason", *j->reason ? json_string(j->reason) :
						      json_null());
}

/**
 * weft_journey_json() - represent the journey of a packet as JSON
 * @j: the packet
 * @facts: the lab
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_journey_json(const struct weft_journey *j,
			  const struct weft_facts *facts)
{
	char from[WEFT_PORT_NAME];
	json_t *o = json_object();

	weft_place_name(facts, &j->source, from);
	json_object_set_new(o, "packet", weft_json_u64(j->number));
	json_object_set_new(o, "copy_of", j->copy_of ?
			    weft_json_u64(j->copy_of) : json_null());
	json_object_set_new(o, "time_ps", weft_json_u64(j->born));
	json_object_set_new(o, "from", json_string(from));
	set_packet(o, j, facts);
	json_object_set_new(o, "hops", hops_json(j, facts));
	set_end(o, j, facts);
	return o;
}
