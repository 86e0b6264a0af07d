// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The objects of a lab, as JSON.
 *
 * Each kind is a list of JSON objects. The table is made from some of their keys, so text
 * and JSON cannot differ.
 */
#include "print/print_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/json.h"
#include "port_objects.h"
#include "print/alike.h"
#include "print/brief.h"
#include "print/print_table.h"
#include "sharp/aggregator.h"

struct source;

/**
 * struct kind - a kind of object; one of @read and @list is set
 * @name: name on the command line
 * @columns: keys that the table shows, separated by blanks; NULL for all
 * @alike: the first is the key of the name; objects whose other keys here have the same
 *	values are alike; ends with NULL. NULL: none are
 * @busy: keys; an object in which all of them are 0 is idle; NULL: none is idle.
 *	The first one orders the busy ones
 * @trouble: with @busy: keys; an object is always shown if one of them is not 0
 * @brief: merges objects that are alike; NULL: none are merged
 * @read: reads the objects
 * @list: appends the objects of an open fabric; 0 or negative errno
 */
struct kind {
	const char *name;
	const char *columns;
	const char *const *alike;
	const char *const *busy;
	const char *const *trouble;
	json_t *(*brief)(json_t *objects);
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
			json_object_set(o, "netns",
					json_object_get(node, "netns"));
			json_object_set(o, "nic", json_object_get(nic, "ifname"));
			json_object_set(o, "ip", json_object_get(nic, "ip"));
			json_object_set(o, "node_ip", json_object_get(node, "ip"));
			json_object_set(o, "ipoib_ip",
					json_object_get(json_object_get(nic, "ipoib"),
							"ip"));
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
		json_object_set_new(o, "reduced", weft_json_u64(sw[i].reduced));
		json_object_set_new(o, "buffer_peak",
				    weft_json_u64(sw[i].buffer_peak));
		json_array_append_new(out, o);
	}
	free(sw);
	return ret;
}

static json_t *nic_json(const struct weft_nic *nic)
{
	json_t *o = weft_json_nic(nic);

	json_object_set_new(o, "rx_used", weft_json_u64(nic->rx_used));
	json_object_set_new(o, "rx_peak", weft_json_u64(nic->rx_peak));
	return o;
}

static int list_nics(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_nic *nic = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_nic_list(&s->nl, s->id, &nic, &n, err);
	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(out, nic_json(&nic[i]));
	weft_nic_list_free(nic, n);
	return ret;
}

/* A device that is gone still has counters. */
static int list_verbs(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_nic *nic = NULL;
	unsigned int n = 0;
	int ret;

	ret = weft_nic_list(&s->nl, s->id, &nic, &n, err);
	for (unsigned int i = 0; i < n; i++)
		if (*nic[i].device || nic[i].verbs_counters.n)
			json_array_append_new(out, weft_json_verbs(&nic[i]));
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

static const char *switch_name(const struct weft_switch *sw, unsigned int n, uint32_t id)
{
	sw = weft_switch_find(sw, n, id);
	return sw ? sw->name : "";
}

static int list_aggregators(struct source *s, json_t *out, struct weft_err *err)
{
	struct weft_aggregator *ag = NULL;
	struct weft_switch *sw = NULL;
	unsigned int n = 0, switches = 0;
	int ret;

	ret = weft_switch_list(&s->nl, s->id, &sw, &switches, err);
	if (!ret)
		ret = weft_aggregator_list(&s->nl, s->id, &ag, &n, err);
	for (unsigned int i = 0; i < n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name",
				    json_string(switch_name(sw, switches, ag[i].sw)));
		weft_aggregator_json(o, &ag[i]);
		json_object_set_new(o, "children", json_integer(ag[i].child.n));
		json_array_append_new(out, o);
	}
	free(ag);
	free(sw);
	return ret;
}

static bool same(json_t *a, json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* A setting and its value in one text, to be freed; NULL without memory. */
static char *setting_text(json_t *row)
{
	json_t *both = json_pack("[O, O]", json_object_get(row, "setting"),
				 json_object_get(row, "value"));
	char *text = json_dumps(both, JSON_COMPACT);

	json_decref(both);
	return text;
}

/* How many nodes have each setting with its value. Returns how many nodes there are. */
static json_int_t count_settings(json_t *objects, json_t *count)
{
	json_t *o, *last = NULL;
	json_int_t nodes = 0, n;
	char *text;
	size_t i;

	json_array_foreach(objects, i, o) {
		nodes += !last || !same(o, last, "node");
		text = setting_text(o);
		n = json_integer_value(json_object_get(count, text));
		json_object_set_new(count, text, json_integer(n + 1));
		free(text);
		last = o;
	}
	return nodes;
}

static bool in_all(json_t *count, json_int_t nodes, json_t *row)
{
	char *text = setting_text(row);
	json_int_t n = json_integer_value(json_object_get(count, text));

	free(text);
	return nodes > 1 && n == nodes;
}

/* A setting with the same value on all nodes becomes one row, at the first node's place. */
static json_t *brief_settings(json_t *objects)
{
	json_t *out = json_array(), *first = json_array_get(objects, 0), *o;
	json_t *count = json_object();
	json_int_t nodes = count_settings(objects, count);
	size_t i;

	json_array_foreach(objects, i, o) {
		if (!in_all(count, nodes, o)) {
			json_array_append(out, o);
		} else if (same(o, first, "node")) {
			o = json_copy(o);
			json_object_set_new(o, "node", json_string("all"));
			json_array_append_new(out, o);
		}
	}
	json_decref(count);
	return out;
}

static const char *const node_alike[] = { "node", "mtu", NULL };

static const char *const switch_alike[] = {
	"name", "ports", "latency_ps", "forward", "select", "discipline",
	"buffer", "buffer_used", "buffer_peak", NULL
};

static const char *const link_alike[] = {
	"port", "rate_bps", "propagation_ps", "lanes", "lanes_up", "up", NULL
};

static const char *const nic_alike[] = {
	"name", "segmentation", "discipline", "rx_rate_bps", "rx_stop",
	"rx_buffer", "rx_used", "rx_peak", NULL
};

static const char *const port_busy[] = {
	"tx_packets", "wait_ps", "tx_pause", "rx_pause", "marked", "trimmed",
	"tx_replays", "dropped", NULL
};

static const char *const port_trouble[] = {
	"wait_ps", "tx_pause", "rx_pause", "marked", "trimmed", "tx_replays",
	"dropped", NULL
};

static const char *const class_busy[] = {
	"tx_packets", "rx_packets", "wait_ps", "tx_pause", "rx_pause", "marked",
	"buffer_peak", "dropped", NULL
};

static const char *const verbs_busy[] = {
	"tx_messages", "rx_messages", "retransmitted", "timeouts", "rnr_nak",
	"out_of_sequence", "access_errors", "request_errors", "no_qp",
	"no_receive", "no_reference", "ecn_marked", "cnp_handled",
	"becn_handled", "rate_cuts", NULL
};

static const char *const verbs_trouble[] = {
	"retransmitted", "timeouts", "rnr_nak", "out_of_sequence",
	"access_errors", "request_errors", "no_qp", "no_receive",
	"no_reference", "ecn_marked", "cnp_handled", "becn_handled",
	"rate_cuts", NULL
};

static const struct kind kinds[] = {
	{ "nodes", .alike = node_alike, .read = read_nodes },
	{ "settings", .read = read_settings, .brief = brief_settings },
	{ "fabric", .read = read_fabric },
	{ "switches", "name ports latency_ps forward select discipline buffer buffer_used buffer_peak",
	  switch_alike, .list = list_switches },
	{ "links", "link port peer rate_bps propagation_ps lanes lanes_up up",
	  link_alike, .read = links_read },
	{ "nics", "name segmentation discipline rx_rate_bps rx_stop rx_buffer rx_used rx_peak",
	  nic_alike, .list = list_nics },
	{ "verbs", "nic device congestion sent=tx_messages executed=rx_messages resent=retransmitted timeouts rnr=rnr_nak marked=ecn_marked cnps=cnp_handled becns=becn_handled cuts=rate_cuts",
	  .busy = verbs_busy, .trouble = verbs_trouble, .list = list_verbs },
	{ "routes", .list = list_routes },
	{ "aggregators", "switch=name group children parent slots latency_ps results late refused busy peak",
	  .list = list_aggregators },
	{ "ports", "port discipline sent=tx_packets held_back=wait_ps pauses=tx_pause paused=rx_pause control=tx_control marked replays=tx_replays dropped",
	  .busy = port_busy, .trouble = port_trouble, .read = ports_read },
	{ "classes", "port class lossless sent=tx_packets received=rx_packets held_back=wait_ps pauses=tx_pause paused=rx_pause marked peak=buffer_peak dropped",
	  .busy = class_busy, .trouble = port_trouble, .read = classes_read },
};

/* Read objects of the fabric; the socket is open only meanwhile. */
static json_t *read_list(const struct kind *kind, const struct weft_lab *lab,
			 struct weft_err *err)
{
	struct source s;
	json_t *out;
	int ret;

	if (weft_lab_fabric(lab, &s.nl, &s.id, err))
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
 * objects_known() - is this the name of a kind of object?
 * @kind: name of the kind
 *
 * Return: true if objects_read() accepts it.
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

static uint64_t sent_packets(json_t *o)
{
	return (uint64_t)json_integer_value(json_object_get(o, "tx_packets"));
}

static uint64_t sent_messages(json_t *o)
{
	return (uint64_t)json_integer_value(json_object_get(o, "tx_messages"));
}

static void print_busy(const struct kind *k, json_t *objects)
{
	bool messages = k->busy == verbs_busy;
	struct brief b = {
		.rows = objects, .busy = k->busy, .trouble = k->trouble,
		.most = messages ? sent_messages : sent_packets,
	};
	json_t *rows;

	brief_choose(&b);
	rows = brief_rows(&b);
	if (b.shown || !b.idle)
		print_table(rows, k->columns);
	if (b.more)
		printf("%zu more, each sent at most %llu %s\n", b.more,
		       (unsigned long long)b.largest,
		       messages ? "messages" : "packets");
	if (b.idle)
		printf("%zu%s without traffic\n", b.idle,
		       b.shown ? " more" : "");
	json_decref(rows);
}

static void print_alike(const struct kind *k, json_t *objects)
{
	json_t *rest = json_array(), *rows, *o;
	size_t i;

	rows = alike_choose(objects, k->alike + 1, BRIEF_ROWS, rest);
	print_table(rows, k->columns);
	json_array_foreach(rest, i, o)
		printf("%lld more like %s\n",
		       (long long)json_integer_value(json_object_get(o, "more")),
		       json_string_value(json_object_get(json_object_get(o, "first"),
							 k->alike[0])));
	json_decref(rows);
	json_decref(rest);
}

/**
 * objects_print() - print objects as a table
 * @kind: name of the kind, known
 * @objects: a list of them
 * @all: all of them; else idle ones and ones that are alike are summed up
 */
void objects_print(const char *kind, json_t *objects, bool all)
{
	const struct kind *k = find_kind(kind);
	json_t *brief;

	if (!all && k->busy) {
		print_busy(k, objects);
	} else if (!all && k->alike) {
		print_alike(k, objects);
	} else if (!all && k->brief) {
		brief = k->brief(objects);
		print_table(brief, k->columns);
		json_decref(brief);
	} else {
		print_table(objects, k->columns);
	}
}

/**
 * labs_print() - print the labs
 * @labs: list of the labs' states
 */
void labs_print(json_t *labs)
{
	json_t *table = json_array(), *lab, *o, *n;
	size_t i;

	json_array_foreach(labs, i, lab) {
		o = json_copy(lab);
		n = json_object_get(lab, "nodes");
		json_object_set_new(o, "nodes",
				    json_integer((json_int_t)json_array_size(n)));
		json_array_append_new(table, o);
	}
	if (json_array_size(table))
		print_table(table, "lab clock topology up nodes lossless");
	else
		puts("no lab is up");
	json_decref(table);
}
