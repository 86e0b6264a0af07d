// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The schema of topology files and profiles.
 *
 * Values are text throughout: a number with a unit is parsed later, by the one
 * who can say what was expected.
 */
#include "topo_raw.h"

#define ENTRIES_MAX	65536

#define TEXT(key, type, member)						\
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER_NULL |		\
			       CYAML_FLAG_OPTIONAL, type, member, 0, 4096)
#define TEXT_REQUIRED(key, type, member)				\
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, type, member, 0, 4096)
#define GROUP(key, type, member, fields)				\
	CYAML_FIELD_MAPPING(key, CYAML_FLAG_OPTIONAL, type, member, fields)

/* The prefix of a member of the struct itself. */
#define SELF

#define LINK_FIELDS(type, at)						\
	TEXT("rate", type, at rate),					\
	TEXT("propagation", type, at propagation),			\
	TEXT("overhead", type, at overhead),				\
	TEXT("min-frame", type, at min_frame),				\
	TEXT("ber", type, at ber),					\
	TEXT("state", type, at state)

#define SWITCH_FIELDS(type, at)						\
	TEXT("latency", type, at latency),				\
	TEXT("forward", type, at forward),				\
	TEXT("arbiter", type, at arbiter),				\
	TEXT("select", type, at select),				\
	TEXT("buffer", type, at buffer),				\
	TEXT("buffer-per-port", type, at buffer_per_port),		\
	TEXT("queue-limit", type, at queue_limit),			\
	TEXT("classes", type, at classes)

#define NIC_FIELDS(type, at)						\
	TEXT("mtu", type, at mtu),					\
	TEXT("segmentation", type, at segmentation),			\
	TEXT("tx-latency", type, at tx_latency),			\
	TEXT("rx-latency", type, at rx_latency),			\
	TEXT("queue-limit", type, at queue_limit),			\
	TEXT("classes", type, at classes)

static const cyaml_schema_field_t link_fields[] = {
	LINK_FIELDS(struct weft_raw_link_params, SELF),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t switch_fields[] = {
	SWITCH_FIELDS(struct weft_raw_switch_params, SELF),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t nic_fields[] = {
	NIC_FIELDS(struct weft_raw_nic_params, SELF),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t profile_fields[] = {
	TEXT_REQUIRED("name", struct weft_raw_profile, name),
	TEXT("description", struct weft_raw_profile, description),
	GROUP("link", struct weft_raw_profile, link, link_fields),
	GROUP("switch", struct weft_raw_profile, sw, switch_fields),
	GROUP("nic", struct weft_raw_profile, nic, nic_fields),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t node_entry_fields[] = {
	TEXT_REQUIRED("name", struct weft_raw_node, name),
	TEXT("profile", struct weft_raw_node, profile),
	NIC_FIELDS(struct weft_raw_node, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t switch_entry_fields[] = {
	TEXT_REQUIRED("name", struct weft_raw_switch, name),
	TEXT("profile", struct weft_raw_switch, profile),
	SWITCH_FIELDS(struct weft_raw_switch, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t end_entry = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, 4096),
};

static const cyaml_schema_field_t link_entry_fields[] = {
	CYAML_FIELD_SEQUENCE("ends", CYAML_FLAG_POINTER, struct weft_raw_link,
			     ends, &end_entry, 2, 2),
	TEXT("name", struct weft_raw_link, name),
	TEXT("count", struct weft_raw_link, count),
	TEXT("join", struct weft_raw_link, join),
	TEXT("profile", struct weft_raw_link, profile),
	LINK_FIELDS(struct weft_raw_link, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t generate_fields[] = {
	TEXT_REQUIRED("kind", struct weft_raw_generate, kind),
	TEXT("hosts", struct weft_raw_generate, hosts),
	TEXT("leaves", struct weft_raw_generate, leaves),
	TEXT("spines", struct weft_raw_generate, spines),
	TEXT("hosts-per-leaf", struct weft_raw_generate, hosts_per_leaf),
	TEXT("uplinks-per-spine", struct weft_raw_generate, uplinks_per_spine),
	GROUP("host-link", struct weft_raw_generate, host_link, link_fields),
	GROUP("uplink", struct weft_raw_generate, uplink, link_fields),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t settings_fields[] = {
	TEXT("neighbours", struct weft_raw_settings, neighbours),
	TEXT("ipv6", struct weft_raw_settings, ipv6),
	TEXT("tcp-buffer", struct weft_raw_settings, tcp_buffer),
	TEXT("congestion", struct weft_raw_settings, congestion),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t node_entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct weft_raw_node,
			    node_entry_fields),
};

static const cyaml_schema_value_t switch_entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct weft_raw_switch,
			    switch_entry_fields),
};

static const cyaml_schema_value_t link_entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct weft_raw_link,
			    link_entry_fields),
};

#define LIST(key, member, entry)					\
	CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, \
			     struct weft_raw_topo, member, entry, 0, ENTRIES_MAX)

static const cyaml_schema_field_t topo_fields[] = {
	TEXT_REQUIRED("name", struct weft_raw_topo, name),
	TEXT("description", struct weft_raw_topo, description),
	TEXT_REQUIRED("profile", struct weft_raw_topo, profile),
	TEXT("clock", struct weft_raw_topo, clock),
	TEXT("seed", struct weft_raw_topo, seed),
	TEXT("late-bound", struct weft_raw_topo, late_bound),
	GROUP("link", struct weft_raw_topo, link, link_fields),
	GROUP("switch", struct weft_raw_topo, sw, switch_fields),
	GROUP("nic", struct weft_raw_topo, nic, nic_fields),
	GROUP("settings", struct weft_raw_topo, settings, settings_fields),
	CYAML_FIELD_MAPPING_PTR("generate", CYAML_FLAG_POINTER |
				CYAML_FLAG_OPTIONAL, struct weft_raw_topo,
				generate, generate_fields),
	LIST("nodes", nodes, &node_entry),
	LIST("switches", switches, &switch_entry),
	LIST("links", links, &link_entry),
	CYAML_FIELD_END
};

const cyaml_schema_value_t weft_raw_topo_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct weft_raw_topo,
			    topo_fields),
};

const cyaml_schema_value_t weft_raw_profile_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct weft_raw_profile,
			    profile_fields),
};
