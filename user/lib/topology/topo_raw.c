// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The schema of topology files and profiles.
 *
 * All values are text. A number with a unit is parsed later, where an error can say what
 * was expected.
 */
#include "topology/topo_raw.h"

#include <linux/weft.h>

#include "netlink/nl_fields.h"
#include "topology/topo.h"

#define ENTRIES_MAX	65536
#define VLARB_MAX	64
#define VIA_MAX		64
#define ROOTS_MAX	64

#define TEXT(key, type, member)						\
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER_NULL |		\
			       CYAML_FLAG_OPTIONAL, type, member, 0, 4096)
#define TEXT_REQUIRED(key, type, member)				\
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, type, member, 0, 4096)
#define TEXTS(key, type, values, count, hi)				\
	CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER |		\
				   CYAML_FLAG_OPTIONAL, type, values,	\
				   count, &text_entry, 0, hi)
#define DIMS(key, type, values, count)					\
	CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER |		\
				   CYAML_FLAG_OPTIONAL, type, values,	\
				   count, &text_entry, 1, WEFT_DIMS_MAX)
#define GROUP(key, type, member, fields)				\
	CYAML_FIELD_MAPPING(key, CYAML_FLAG_OPTIONAL, type, member, fields)

/* Empty prefix: the members are in the struct itself. */
#define SELF

#define LINK_FIELDS(type, at)						\
	TEXT("rate", type, at rate),					\
	TEXT("propagation", type, at propagation),			\
	TEXT("overhead", type, at overhead),				\
	TEXT("min-frame", type, at min_frame),				\
	TEXT("ber", type, at ber),					\
	TEXT("state", type, at state),					\
	TEXT("payload", type, at payload),				\
	TEXT("unit", type, at unit),					\
	TEXT("lanes", type, at lanes),					\
	TEXT("lanes-up", type, at lanes_up)

#define SWITCH_FIELDS(type, at)						\
	TEXT("latency", type, at latency),				\
	TEXT("forward", type, at forward),				\
	TEXT("arbiter", type, at arbiter),				\
	TEXT("select", type, at select),				\
	TEXT("buffer", type, at buffer),				\
	TEXT("buffer-per-port", type, at buffer_per_port),		\
	TEXT("buffer-reserve", type, at buffer_reserve),		\
	TEXT("buffer-alpha", type, at buffer_alpha),			\
	TEXT("buffer-threshold", type, at buffer_threshold),		\
	TEXT("headroom", type, at headroom),				\
	TEXT("xon-offset", type, at xon_offset),			\
	TEXT("lossy-alpha", type, at lossy_alpha),			\
	TEXT("sl2vl", type, at sl2vl),					\
	TEXT("lmc", type, at lmc),					\
	TEXT("flowlets", type, at flowlets),				\
	TEXT("flowlet-gap", type, at flowlet_gap),			\
	TEXT("arn-hold", type, at arn_hold),			\
	TEXT("arn-queue", type, at arn_queue),			\
	TEXT("adaptive-quantum", type, at adaptive_quantum),		\
	TEXT("sma-latency", type, at sma_latency),			\
	TEXT("reduce-slots", type, at reduce_slots),			\
	TEXT("reduce-latency", type, at reduce_latency),		\
	TEXT("reduce-groups", type, at reduce_groups),			\
	TEXT("reduce-streams", type, at reduce_streams),		\
	TEXT("reduce-small", type, at reduce_small),			\
	TEXT("queue-limit", type, at queue_limit),			\
	TEXT("classes", type, at classes)

#define NIC_FIELDS(type, at)						\
	TEXT("mtu", type, at mtu),					\
	TEXT("segmentation", type, at segmentation),			\
	TEXT("tx-latency", type, at tx_latency),			\
	TEXT("rx-latency", type, at rx_latency),			\
	TEXT("rx-rate", type, at rx_rate),				\
	TEXT("rx-buffer", type, at rx_buffer),				\
	TEXT("rx-alpha", type, at rx_alpha),				\
	TEXT("rx-threshold", type, at rx_threshold),			\
	TEXT("rx-headroom", type, at rx_headroom),			\
	TEXT("rx-xon", type, at rx_xon),				\
	TEXT("queue-limit", type, at queue_limit),			\
	TEXT("classes", type, at classes),				\
	GROUP("moderation", type, at moderation, moderation_fields),	\
	GROUP("verbs", type, at verbs, verbs_fields)

static const cyaml_schema_value_t text_entry = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, 4096),
};

static const cyaml_schema_field_t moderation_fields[] = {
	TEXT("rx-usecs", struct weft_raw_moderation, rx_usecs),
	TEXT("rx-frames", struct weft_raw_moderation, rx_frames),
	TEXT("adaptive-rx", struct weft_raw_moderation, adaptive_rx),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t ecn_fields[] = {
	TEXTS("classes", struct weft_raw_ecn, classes.v, classes.n,
	      WEFT_CLASSES_MAX),
	TEXT("kmin", struct weft_raw_ecn, kmin),
	TEXT("kmax", struct weft_raw_ecn, kmax),
	TEXT("pmax", struct weft_raw_ecn, pmax),
	TEXT("at", struct weft_raw_ecn, at),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t fecn_fields[] = {
	TEXT("threshold", struct weft_raw_fecn, threshold),
	TEXT("packet-size", struct weft_raw_fecn, packet_size),
	TEXT("marking-rate", struct weft_raw_fecn, marking_rate),
	TEXT("victim", struct weft_raw_fecn, victim),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t trim_fields[] = {
	TEXTS("classes", struct weft_raw_trim, classes.v, classes.n,
	      WEFT_CLASSES_MAX),
	TEXT("to-class", struct weft_raw_trim, to_class),
	TEXT("length", struct weft_raw_trim, length),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t dcqcn_fields[] = {
	TEXT("g", struct weft_raw_dcqcn, g),
	TEXT("initial-alpha", struct weft_raw_dcqcn, initial_alpha),
	TEXT("alpha-timer", struct weft_raw_dcqcn, alpha_timer),
	TEXT("reduce-period", struct weft_raw_dcqcn, reduce_period),
	TEXT("increase-timer", struct weft_raw_dcqcn, increase_timer),
	TEXT("byte-reset", struct weft_raw_dcqcn, byte_reset),
	TEXT("threshold", struct weft_raw_dcqcn, threshold),
	TEXT("ai-rate", struct weft_raw_dcqcn, ai_rate),
	TEXT("hai-rate", struct weft_raw_dcqcn, hai_rate),
	TEXT("min-rate", struct weft_raw_dcqcn, min_rate),
	TEXT("clamp-target", struct weft_raw_dcqcn, clamp_target),
	TEXT("cnp-interval", struct weft_raw_dcqcn, cnp_interval),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t ibcc_fields[] = {
	TEXT("increase", struct weft_raw_ibcc, increase),
	TEXT("limit", struct weft_raw_ibcc, limit),
	TEXT("min", struct weft_raw_ibcc, min),
	TEXT("timer", struct weft_raw_ibcc, timer),
	TEXTS("cct", struct weft_raw_ibcc, cct.v, cct.n, WEFT_U16S_MAX),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t verbs_fields[] = {
	TEXT("device", struct weft_raw_verbs, device),
	TEXT("ipoib", struct weft_raw_verbs, ipoib),
	TEXT("doorbell", struct weft_raw_verbs, doorbell),
	TEXT("process", struct weft_raw_verbs, process),
	TEXT("message-rate", struct weft_raw_verbs, message_rate),
	TEXT("pcie-rate", struct weft_raw_verbs, pcie_rate),
	TEXT("qp-cache", struct weft_raw_verbs, qp_cache),
	TEXT("qp-miss", struct weft_raw_verbs, qp_miss),
	TEXT("ack-every", struct weft_raw_verbs, ack_every),
	TEXT("ordering", struct weft_raw_verbs, ordering),
	TEXT("reorder-time", struct weft_raw_verbs, reorder_time),
	TEXT("congestion", struct weft_raw_verbs, congestion),
	TEXT("target-delay", struct weft_raw_verbs, target_delay),
	TEXT("kind", struct weft_raw_verbs, kind),
	TEXT("paths", struct weft_raw_verbs, paths),
	TEXT("retransmit-time", struct weft_raw_verbs, retransmit_time),
	TEXT("cnp-priority", struct weft_raw_verbs, cnp_priority),
	GROUP("dcqcn", struct weft_raw_verbs, dcqcn, dcqcn_fields),
	GROUP("ibcc", struct weft_raw_verbs, ibcc, ibcc_fields),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t port_fields[] = {
	TEXT("discipline", struct weft_raw_port, discipline),
	TEXT("classes", struct weft_raw_port, classes),
	TEXT("react", struct weft_raw_port, react),
	TEXT("scheduler", struct weft_raw_port, scheduler),
	TEXTS("weights", struct weft_raw_port, weights.v, weights.n,
	      WEFT_CLASSES_MAX),
	TEXT("quantum", struct weft_raw_port, quantum),
	TEXTS("vlarb-high", struct weft_raw_port, vlarb_high.v, vlarb_high.n,
	      VLARB_MAX),
	TEXTS("vlarb-low", struct weft_raw_port, vlarb_low.v, vlarb_low.n,
	      VLARB_MAX),
	TEXT("high-limit", struct weft_raw_port, high_limit),
	TEXT("ipd", struct weft_raw_port, ipd),
	TEXTS("sl2vl", struct weft_raw_port, sl2vl.v, sl2vl.n,
	      WEFT_CLASSES_MAX),
	TEXT("hoq-life", struct weft_raw_port, hoq_life),
	TEXT("switch-life", struct weft_raw_port, switch_life),
	TEXT("stall-count", struct weft_raw_port, stall_count),
	GROUP("ecn", struct weft_raw_port, ecn, ecn_fields),
	GROUP("fecn", struct weft_raw_port, fecn, fecn_fields),
	GROUP("trim", struct weft_raw_port, trim, trim_fields),
	TEXTS("pfc", struct weft_raw_port, pfc.v, pfc.n, WEFT_CLASSES_MAX),
	TEXT("pause-quanta", struct weft_raw_port, pause_quanta),
	TEXT("watchdog", struct weft_raw_port, watchdog),
	TEXT("watchdog-poll", struct weft_raw_port, watchdog_poll),
	TEXT("watchdog-detect", struct weft_raw_port, watchdog_detect),
	TEXT("watchdog-restore", struct weft_raw_port, watchdog_restore),
	TEXTS("credit-buffer", struct weft_raw_port, credit_buffer.v,
	      credit_buffer.n, WEFT_CLASSES_MAX),
	TEXT("credit-block", struct weft_raw_port, credit_block),
	TEXT("credit-header", struct weft_raw_port, credit_header),
	TEXT("credit-period", struct weft_raw_port, credit_period),
	TEXT("credit-eager", struct weft_raw_port, credit_eager),
	TEXT("credit-refresh", struct weft_raw_port, credit_refresh),
	TEXTS("header-credits", struct weft_raw_port, header_credits.v,
	      header_credits.n, WEFT_CLASSES_MAX),
	TEXTS("data-credits", struct weft_raw_port, data_credits.v,
	      data_credits.n, WEFT_CLASSES_MAX),
	TEXT("data-unit", struct weft_raw_port, data_unit),
	TEXT("replay-buffer", struct weft_raw_port, replay_buffer),
	TEXT("flit-control", struct weft_raw_port, flit_control),
	TEXT("flit-carry", struct weft_raw_port, flit_carry),
	TEXT("flit-repeat", struct weft_raw_port, flit_repeat),
	TEXTS("vc-buffer", struct weft_raw_port, vc_buffer.v, vc_buffer.n,
	      WEFT_CLASSES_MAX),
	TEXT("credit-size", struct weft_raw_port, credit_size),
	TEXT("credit-overhead", struct weft_raw_port, credit_overhead),
	TEXT("credit-spacing", struct weft_raw_port, credit_spacing),
	TEXT("credit-repeat", struct weft_raw_port, credit_repeat),
	TEXT("credit-sync", struct weft_raw_port, credit_sync),
	TEXT("llr-buffer", struct weft_raw_port, llr_buffer),
	TEXT("llr-spacing", struct weft_raw_port, llr_spacing),
	TEXT("llr-repeat", struct weft_raw_port, llr_repeat),
	CYAML_FIELD_END
};

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
	TEXT("lossless", struct weft_raw_profile, lossless),
	GROUP("port", struct weft_raw_profile, port, port_fields),
	GROUP("link", struct weft_raw_profile, link, link_fields),
	GROUP("switch", struct weft_raw_profile, sw, switch_fields),
	GROUP("nic", struct weft_raw_profile, nic, nic_fields),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t node_entry_fields[] = {
	TEXT_REQUIRED("name", struct weft_raw_node, name),
	TEXT("profile", struct weft_raw_node, profile),
	GROUP("port", struct weft_raw_node, port, port_fields),
	NIC_FIELDS(struct weft_raw_node, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t switch_entry_fields[] = {
	TEXT_REQUIRED("name", struct weft_raw_switch, name),
	TEXT("profile", struct weft_raw_switch, profile),
	DIMS("at", struct weft_raw_switch, at.v, at.n),
	GROUP("port", struct weft_raw_switch, port, port_fields),
	SWITCH_FIELDS(struct weft_raw_switch, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t link_entry_fields[] = {
	CYAML_FIELD_SEQUENCE("ends", CYAML_FLAG_POINTER, struct weft_raw_link,
			     ends, &text_entry, 2, 2),
	TEXT("name", struct weft_raw_link, name),
	TEXT("count", struct weft_raw_link, count),
	TEXT("join", struct weft_raw_link, join),
	TEXT("profile", struct weft_raw_link, profile),
	LINK_FIELDS(struct weft_raw_link, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t part_fields[] = {
	TEXT("profile", struct weft_raw_part, profile),
	LINK_FIELDS(struct weft_raw_part, p.),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t settings_fields[] = {
	TEXT("neighbours", struct weft_raw_settings, neighbours),
	TEXT("addresses", struct weft_raw_settings, addresses),
	TEXT("multipath", struct weft_raw_settings, multipath),
	TEXT("ipv6", struct weft_raw_settings, ipv6),
	TEXT("tcp-buffer", struct weft_raw_settings, tcp_buffer),
	TEXT("congestion", struct weft_raw_settings, congestion),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t routing_fields[] = {
	TEXT("policy", struct weft_raw_routing, policy),
	TEXT("datelines", struct weft_raw_routing, datelines),
	TEXT("allow-cycles", struct weft_raw_routing, allow_cycles),
	TEXT("convergence", struct weft_raw_routing, convergence),
	TEXTS("roots", struct weft_raw_routing, roots.v, roots.n, ROOTS_MAX),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t route_entry_fields[] = {
	TEXT_REQUIRED("switch", struct weft_raw_route, sw),
	TEXT_REQUIRED("to", struct weft_raw_route, to),
	CYAML_FIELD_SEQUENCE_COUNT("via", CYAML_FLAG_POINTER,
				   struct weft_raw_route, via.v, via.n,
				   &text_entry, 1, VIA_MAX),
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

static const cyaml_schema_value_t route_entry = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct weft_raw_route,
			    route_entry_fields),
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
	TEXT("subnet-manager", struct weft_raw_topo, subnet_manager),
	TEXT("lossless", struct weft_raw_topo, lossless),
	GROUP("port", struct weft_raw_topo, port, port_fields),
	GROUP("link", struct weft_raw_topo, link, link_fields),
	GROUP("switch", struct weft_raw_topo, sw, switch_fields),
	GROUP("nic", struct weft_raw_topo, nic, nic_fields),
	GROUP("settings", struct weft_raw_topo, settings, settings_fields),
	GROUP("routing", struct weft_raw_topo, routing, routing_fields),
	DIMS("torus", struct weft_raw_topo, torus.v, torus.n),
	CYAML_FIELD_IGNORE("generate", CYAML_FLAG_OPTIONAL),
	LIST("nodes", nodes, &node_entry),
	LIST("switches", switches, &switch_entry),
	LIST("links", links, &link_entry),
	LIST("routes", routes, &route_entry),
	CYAML_FIELD_END
};

const cyaml_schema_value_t weft_raw_text_schema = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, 4096),
};

const cyaml_schema_value_t weft_raw_part_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct weft_raw_part,
			    part_fields),
};

const cyaml_schema_value_t weft_raw_topo_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct weft_raw_topo,
			    topo_fields),
};

const cyaml_schema_value_t weft_raw_profile_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct weft_raw_profile,
			    profile_fields),
};
