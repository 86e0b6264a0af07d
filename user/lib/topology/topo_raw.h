/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structs into which libcyaml reads topology files and profiles: all values are text.
 */
#ifndef WEFT_TOPO_RAW_H
#define WEFT_TOPO_RAW_H

#include <cyaml/cyaml.h>

/** struct weft_raw_list - a list of values */
struct weft_raw_list {
	char **v;
	unsigned int n;
};

/** struct weft_raw_ecn - "ecn" */
struct weft_raw_ecn {
	struct weft_raw_list classes;
	char *kmin;
	char *kmax;
	char *pmax;
	char *at;
};

/** struct weft_raw_fecn - "fecn" */
struct weft_raw_fecn {
	char *threshold;
	char *packet_size;
	char *marking_rate;
	char *victim;
};

/** struct weft_raw_trim - "trim" */
struct weft_raw_trim {
	struct weft_raw_list classes;
	char *to_class;
	char *length;
};

/** struct weft_raw_port - the group "port" */
struct weft_raw_port {
	char *discipline;
	char *classes;
	char *react;
	char *scheduler;
	struct weft_raw_list weights;
	char *quantum;
	struct weft_raw_list vlarb_high;
	struct weft_raw_list vlarb_low;
	char *high_limit;
	char *ipd;
	struct weft_raw_list sl2vl;
	char *hoq_life;
	char *switch_life;
	char *stall_count;
	struct weft_raw_ecn ecn;
	struct weft_raw_fecn fecn;
	struct weft_raw_trim trim;
	struct weft_raw_list pfc;
	char *pause_quanta;
	char *watchdog;
	char *watchdog_poll;
	char *watchdog_detect;
	char *watchdog_restore;
	struct weft_raw_list credit_buffer;
	char *credit_block;
	char *credit_header;
	char *credit_period;
	char *credit_eager;
	char *credit_refresh;
	struct weft_raw_list header_credits;
	struct weft_raw_list data_credits;
	char *data_unit;
	char *replay_buffer;
	char *flit_control;
	char *flit_carry;
	char *flit_repeat;
	struct weft_raw_list vc_buffer;
	char *credit_size;
	char *credit_overhead;
	char *credit_spacing;
	char *credit_repeat;
	char *credit_sync;
	char *llr_buffer;
	char *llr_spacing;
	char *llr_repeat;
};

/** struct weft_raw_link_params - parameters of a link */
struct weft_raw_link_params {
	char *rate;
	char *propagation;
	char *overhead;
	char *min_frame;
	char *ber;
	char *state;
	char *payload;
	char *unit;
	char *lanes;
	char *lanes_up;
};

/** struct weft_raw_switch_params - parameters of a switch */
struct weft_raw_switch_params {
	char *latency;
	char *forward;
	char *arbiter;
	char *select;
	char *buffer;
	char *buffer_per_port;
	char *buffer_reserve;
	char *buffer_alpha;
	char *buffer_threshold;
	char *headroom;
	char *xon_offset;
	char *lossy_alpha;
	char *sl2vl;
	char *lmc;
	char *flowlets;
	char *flowlet_gap;
	char *arn_hold;
	char *arn_queue;
	char *adaptive_quantum;
	char *sma_latency;
	char *reduce_slots;
	char *reduce_latency;
	char *reduce_groups;
	char *reduce_streams;
	char *reduce_small;
	char *queue_limit;
	char *classes;
};

/** struct weft_raw_dcqcn - "dcqcn" */
struct weft_raw_dcqcn {
	char *g;
	char *initial_alpha;
	char *alpha_timer;
	char *reduce_period;
	char *increase_timer;
	char *byte_reset;
	char *threshold;
	char *ai_rate;
	char *hai_rate;
	char *min_rate;
	char *clamp_target;
	char *cnp_interval;
};

/** struct weft_raw_ibcc - "ibcc" */
struct weft_raw_ibcc {
	char *increase;
	char *limit;
	char *min;
	char *timer;
	struct weft_raw_list cct;
};

/** struct weft_raw_verbs - "verbs" */
struct weft_raw_verbs {
	char *device;
	char *ipoib;
	char *doorbell;
	char *process;
	char *message_rate;
	char *pcie_rate;
	char *qp_cache;
	char *qp_miss;
	char *ack_every;
	char *ordering;
	char *reorder_time;
	char *congestion;
	char *target_delay;
	char *kind;
	char *paths;
	char *retransmit_time;
	char *cnp_priority;
	struct weft_raw_dcqcn dcqcn;
	struct weft_raw_ibcc ibcc;
};

/** struct weft_raw_moderation - the group "moderation" of a NIC */
struct weft_raw_moderation {
	char *rx_usecs;
	char *rx_frames;
	char *adaptive_rx;
};

/** struct weft_raw_nic_params - parameters of the NICs of a node */
struct weft_raw_nic_params {
	char *mtu;
	char *segmentation;
	char *tx_latency;
	char *rx_latency;
	char *rx_rate;
	char *rx_buffer;
	char *rx_alpha;
	char *rx_threshold;
	char *rx_headroom;
	char *rx_xon;
	char *queue_limit;
	char *classes;
	struct weft_raw_moderation moderation;
	struct weft_raw_verbs verbs;
};

/** struct weft_raw_profile - a profile */
struct weft_raw_profile {
	char *name;
	char *description;
	char *lossless;
	struct weft_raw_port port;
	struct weft_raw_link_params link;
	struct weft_raw_switch_params sw;
	struct weft_raw_nic_params nic;
};

/** struct weft_raw_node - an entry of "nodes" */
struct weft_raw_node {
	char *name;
	char *profile;
	struct weft_raw_port port;
	struct weft_raw_nic_params p;
};

/** struct weft_raw_switch - an entry of "switches" */
struct weft_raw_switch {
	char *name;
	char *profile;
	struct weft_raw_list at;
	struct weft_raw_port port;
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

/** struct weft_raw_part - a part of a generated design */
struct weft_raw_part {
	char *profile;
	struct weft_raw_link_params p;
};

/** struct weft_raw_settings - "settings" */
struct weft_raw_settings {
	char *neighbours;
	char *addresses;
	char *multipath;
	char *ipv6;
	char *tcp_buffer;
	char *congestion;
};

/** struct weft_raw_routing - "routing" */
struct weft_raw_routing {
	char *policy;
	char *datelines;
	char *allow_cycles;
	char *convergence;
	struct weft_raw_list roots;
};

/** struct weft_raw_route - an entry of "routes" */
struct weft_raw_route {
	char *sw;
	char *to;
	struct weft_raw_list via;
};

/** struct weft_raw_topo - a topology file */
struct weft_raw_topo {
	char *name;
	char *description;
	char *profile;
	char *clock;
	char *seed;
	char *late_bound;
	char *subnet_manager;
	char *lossless;
	struct weft_raw_port port;
	struct weft_raw_link_params link;
	struct weft_raw_switch_params sw;
	struct weft_raw_nic_params nic;
	struct weft_raw_settings settings;
	struct weft_raw_list torus;
	struct weft_raw_routing routing;
	struct weft_raw_node *nodes;
	unsigned int nodes_count;
	struct weft_raw_switch *switches;
	unsigned int switches_count;
	struct weft_raw_link *links;
	unsigned int links_count;
	struct weft_raw_route *routes;
	unsigned int routes_count;
};

extern const cyaml_schema_value_t weft_raw_text_schema;
extern const cyaml_schema_value_t weft_raw_part_schema;
extern const cyaml_schema_value_t weft_raw_topo_schema;
extern const cyaml_schema_value_t weft_raw_profile_schema;

#endif
