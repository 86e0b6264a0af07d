/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology files and profiles as libcyaml reads them: all values are text.
 */
#ifndef WEFT_TOPO_RAW_H
#define WEFT_TOPO_RAW_H

#include <cyaml/cyaml.h>

/** struct weft_raw_link_params - what a link may say about itself */
struct weft_raw_link_params {
	char *rate;
	char *propagation;
	char *overhead;
	char *min_frame;
	char *ber;
	char *state;
};

/** struct weft_raw_switch_params - what a switch may say about itself */
struct weft_raw_switch_params {
	char *latency;
	char *forward;
	char *arbiter;
	char *select;
	char *buffer;
	char *buffer_per_port;
	char *queue_limit;
	char *classes;
};

/** struct weft_raw_nic_params - what a node may say about its NICs */
struct weft_raw_nic_params {
	char *mtu;
	char *segmentation;
	char *tx_latency;
	char *rx_latency;
	char *queue_limit;
	char *classes;
};

/** struct weft_raw_profile - a profile */
struct weft_raw_profile {
	char *name;
	char *description;
	struct weft_raw_link_params link;
	struct weft_raw_switch_params sw;
	struct weft_raw_nic_params nic;
};

/** struct weft_raw_node - an entry of "nodes" */
struct weft_raw_node {
	char *name;
	char *profile;
	struct weft_raw_nic_params p;
};

/** struct weft_raw_switch - an entry of "switches" */
struct weft_raw_switch {
	char *name;
	char *profile;
	struct weft_raw_switch_params p;
};

/** struct weft_raw_link - an entry of "links" */
struct weft_raw_link {
	char **ends;
	unsigned int ends_count;
	char *name;
	char *count;
	char *join;
	char *profile;
	struct weft_raw_link_params p;
};

/** struct weft_raw_generate - "generate" */
struct weft_raw_generate {
	char *kind;
	char *hosts;
	char *leaves;
	char *spines;
	char *hosts_per_leaf;
	char *uplinks_per_spine;
	struct weft_raw_link_params host_link;
	struct weft_raw_link_params uplink;
};

/** struct weft_raw_settings - "settings" */
struct weft_raw_settings {
	char *neighbours;
	char *ipv6;
	char *tcp_buffer;
	char *congestion;
};

/** struct weft_raw_topo - a topology file */
struct weft_raw_topo {
	char *name;
	char *description;
	char *profile;
	char *clock;
	char *seed;
	char *late_bound;
	struct weft_raw_link_params link;
	struct weft_raw_switch_params sw;
	struct weft_raw_nic_params nic;
	struct weft_raw_settings settings;
	struct weft_raw_generate *generate;
	struct weft_raw_node *nodes;
	unsigned int nodes_count;
	struct weft_raw_switch *switches;
	unsigned int switches_count;
	struct weft_raw_link *links;
	unsigned int links_count;
};

extern const cyaml_schema_value_t weft_raw_topo_schema;
extern const cyaml_schema_value_t weft_raw_profile_schema;

#endif
