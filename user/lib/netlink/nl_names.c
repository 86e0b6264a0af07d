// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of attributes, for messages about the one that the kernel refused.
 */
#include "netlink/nl.h"

#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#define NAMES_MAX	32

/**
 * struct name - an attribute
 * @name: its name in the specification
 * @nested: attribute set in it, if it is a nest
 */
struct name {
	const char *name;
	enum weft_nl_set nested;
};

static const struct name names[__WEFT_NL_SET_MAX][NAMES_MAX] = {
	[WEFT_NL_SET_FABRIC] = {
		[WEFT_A_FABRIC_ID] = { "id", 0 },
		[WEFT_A_FABRIC_NAME] = { "name", 0 },
		[WEFT_A_FABRIC_SEED] = { "seed", 0 },
		[WEFT_A_FABRIC_DILATION] = { "dilation", 0 },
		[WEFT_A_FABRIC_MAX_NICS] = { "max-nics", 0 },
		[WEFT_A_FABRIC_LATE_BOUND] = { "late-bound", 0 },
		[WEFT_A_FABRIC_CPU] = { "cpu", 0 },
		[WEFT_A_FABRIC_MANAGED] = { "managed", 0 },
	},
	[WEFT_NL_SET_SWITCH] = {
		[WEFT_A_SWITCH_FABRIC] = { "fabric", 0 },
		[WEFT_A_SWITCH_ID] = { "id", 0 },
		[WEFT_A_SWITCH_NAME] = { "name", 0 },
		[WEFT_A_SWITCH_PORTS] = { "ports", 0 },
		[WEFT_A_SWITCH_LATENCY] = { "latency", 0 },
		[WEFT_A_SWITCH_FORWARD] = { "forward", 0 },
		[WEFT_A_SWITCH_ARBITER] = { "arbiter", 0 },
		[WEFT_A_SWITCH_SELECT] = { "select", 0 },
		[WEFT_A_SWITCH_BUFFER_TOTAL] = { "buffer-total", 0 },
		[WEFT_A_SWITCH_BUFFER_PER_PORT] = { "buffer-per-port", 0 },
		[WEFT_A_SWITCH_PORT_PARAMS] = { "port-params",
					WEFT_NL_SET_PORT_PARAMS },
		[WEFT_A_SWITCH_BUFFER_CLASS] = { "buffer-class",
					WEFT_NL_SET_BUFFER_CLASS },
		[WEFT_A_SWITCH_SL2VL] = { "sl2vl", 0 },
		[WEFT_A_SWITCH_VL] = { "vl", 0 },
		[WEFT_A_SWITCH_IN_PORT] = { "in-port", 0 },
		[WEFT_A_SWITCH_OUT_PORT] = { "out-port", 0 },
		[WEFT_A_SWITCH_LMC] = { "lmc", 0 },
		[WEFT_A_SWITCH_FLOWLETS] = { "flowlets", 0 },
		[WEFT_A_SWITCH_FLOWLET_GAP] = { "flowlet-gap", 0 },
		[WEFT_A_SWITCH_QUANTUM] = { "quantum", 0 },
		[WEFT_A_SWITCH_SMA_LATENCY] = { "sma-latency", 0 },
		[WEFT_A_SWITCH_ARN_HOLD] = { "arn-hold", 0 },
		[WEFT_A_SWITCH_ARN_QUEUE] = { "arn-queue", 0 },
	},
	[WEFT_NL_SET_LINK] = {
		[WEFT_A_LINK_FABRIC] = { "fabric", 0 },
		[WEFT_A_LINK_ID] = { "id", 0 },
		[WEFT_A_LINK_NAME] = { "name", 0 },
		[WEFT_A_LINK_A] = { "a", WEFT_NL_SET_END },
		[WEFT_A_LINK_B] = { "b", WEFT_NL_SET_END },
		[WEFT_A_LINK_WIRE] = { "wire", WEFT_NL_SET_WIRE },
	},
	[WEFT_NL_SET_FAULT] = {
		[WEFT_A_FAULT_FABRIC] = { "fabric", 0 },
		[WEFT_A_FAULT_ID] = { "id", 0 },
		[WEFT_A_FAULT_LINK] = { "link", 0 },
		[WEFT_A_FAULT_DIRECTION] = { "direction", 0 },
		[WEFT_A_FAULT_KIND] = { "kind", 0 },
		[WEFT_A_FAULT_RATE] = { "rate", 0 },
		[WEFT_A_FAULT_LANES] = { "lanes", 0 },
		[WEFT_A_FAULT_DELAY] = { "delay", 0 },
		[WEFT_A_FAULT_JITTER] = { "jitter", 0 },
		[WEFT_A_FAULT_PROBABILITY] = { "probability", 0 },
		[WEFT_A_FAULT_BURST] = { "burst", 0 },
		[WEFT_A_FAULT_BITS_PER_ERROR] = { "bits-per-error", 0 },
		[WEFT_A_FAULT_START] = { "start", 0 },
		[WEFT_A_FAULT_AFTER] = { "after", 0 },
		[WEFT_A_FAULT_DURATION] = { "duration", 0 },
		[WEFT_A_FAULT_PERIOD] = { "period", 0 },
		[WEFT_A_FAULT_COUNT] = { "count", 0 },
		[WEFT_A_FAULT_SEED] = { "seed", 0 },
		[WEFT_A_FAULT_CLASSES] = { "classes", 0 },
		[WEFT_A_FAULT_KMIN] = { "kmin", 0 },
		[WEFT_A_FAULT_KMAX] = { "kmax", 0 },
		[WEFT_A_FAULT_PMAX] = { "pmax", 0 },
		[WEFT_A_FAULT_SWITCH] = { "switch", 0 },
		[WEFT_A_FAULT_DST] = { "dst", 0 },
		[WEFT_A_FAULT_FLOWS] = { "flows", 0 },
		[WEFT_A_FAULT_PORT] = { "port", 0 },
		[WEFT_A_FAULT_SIZE] = { "size", 0 },
	},
	[WEFT_NL_SET_TRAFFIC] = {
		[WEFT_A_TRAFFIC_FABRIC] = { "fabric", 0 },
		[WEFT_A_TRAFFIC_GROUP] = { "group", 0 },
		[WEFT_A_TRAFFIC_PATTERN] = { "pattern", 0 },
		[WEFT_A_TRAFFIC_NIC] = { "nic", 0 },
		[WEFT_A_TRAFFIC_DST] = { "dst", 0 },
		[WEFT_A_TRAFFIC_SL] = { "sl", 0 },
		[WEFT_A_TRAFFIC_SIZE] = { "size", 0 },
		[WEFT_A_TRAFFIC_RATE] = { "rate", 0 },
		[WEFT_A_TRAFFIC_DEPTH] = { "depth", 0 },
		[WEFT_A_TRAFFIC_WINDOW] = { "window", 0 },
		[WEFT_A_TRAFFIC_ON] = { "on", 0 },
		[WEFT_A_TRAFFIC_OFF] = { "off", 0 },
		[WEFT_A_TRAFFIC_DRAWN_TIMES] = { "drawn-times", 0 },
		[WEFT_A_TRAFFIC_DRAWN_DSTS] = { "drawn-dsts", 0 },
		[WEFT_A_TRAFFIC_START] = { "start", 0 },
		[WEFT_A_TRAFFIC_AFTER] = { "after", 0 },
		[WEFT_A_TRAFFIC_DURATION] = { "duration", 0 },
		[WEFT_A_TRAFFIC_BYTES] = { "bytes", 0 },
		[WEFT_A_TRAFFIC_SEED] = { "seed", 0 },
		[WEFT_A_TRAFFIC_MESSAGE] = { "message", 0 },
		[WEFT_A_TRAFFIC_ID] = { "id", 0 },
	},
	[WEFT_NL_SET_NIC] = {
		[WEFT_A_NIC_FABRIC] = { "fabric", 0 },
		[WEFT_A_NIC_ID] = { "id", 0 },
		[WEFT_A_NIC_NAME] = { "name", 0 },
		[WEFT_A_NIC_IFINDEX] = { "ifindex", 0 },
		[WEFT_A_NIC_IFNAME] = { "ifname", 0 },
		[WEFT_A_NIC_NETNS_FD] = { "netns-fd", 0 },
		[WEFT_A_NIC_SEGMENTATION] = { "segmentation", 0 },
		[WEFT_A_NIC_TX_LATENCY] = { "tx-latency", 0 },
		[WEFT_A_NIC_RX_LATENCY] = { "rx-latency", 0 },
		[WEFT_A_NIC_PORT_PARAMS] = { "port-params",
					WEFT_NL_SET_PORT_PARAMS },
		[WEFT_A_NIC_RX_RATE] = { "rx-rate", 0 },
		[WEFT_A_NIC_RX_STOP] = { "rx-stop", 0 },
		[WEFT_A_NIC_RX_BUFFER] = { "rx-buffer", 0 },
		[WEFT_A_NIC_BUFFER_CLASS] = { "buffer-class",
					WEFT_NL_SET_BUFFER_CLASS },
		[WEFT_A_NIC_VERBS] = { "verbs", WEFT_NL_SET_VERBS },
		[WEFT_A_NIC_MODERATION] = { "moderation",
					WEFT_NL_SET_MODERATION },
	},
	[WEFT_NL_SET_ROUTE] = {
		[WEFT_A_ROUTE_FABRIC] = { "fabric", 0 },
		[WEFT_A_ROUTE_SWITCH] = { "switch", 0 },
		[WEFT_A_ROUTE_DST] = { "dst", 0 },
		[WEFT_A_ROUTE_DST_LAST] = { "dst-last", 0 },
		[WEFT_A_ROUTE_FLOOD] = { "flood", 0 },
		[WEFT_A_ROUTE_PORT] = { "port", 0 },
	},
	[WEFT_NL_SET_WIRE] = {
		[WEFT_A_WIRE_DIRECTION] = { "direction", 0 },
		[WEFT_A_WIRE_RATE] = { "rate", 0 },
		[WEFT_A_WIRE_PROPAGATION] = { "propagation", 0 },
		[WEFT_A_WIRE_OVERHEAD] = { "overhead", 0 },
		[WEFT_A_WIRE_MIN_FRAME] = { "min-frame", 0 },
		[WEFT_A_WIRE_BITS_PER_ERROR] = { "bits-per-error", 0 },
		[WEFT_A_WIRE_UP] = { "up", 0 },
		[WEFT_A_WIRE_PAYLOAD] = { "payload", 0 },
		[WEFT_A_WIRE_UNIT] = { "unit", 0 },
		[WEFT_A_WIRE_LANES] = { "lanes", 0 },
		[WEFT_A_WIRE_LANES_UP] = { "lanes-up", 0 },
	},
	[WEFT_NL_SET_END] = {
		[WEFT_A_END_SWITCH] = { "switch", 0 },
		[WEFT_A_END_PORT] = { "port", 0 },
		[WEFT_A_END_NIC] = { "nic", 0 },
	},
	[WEFT_NL_SET_PORT_PARAMS] = {
		[WEFT_A_PORT_PARAMS_CLASSES] = { "classes", 0 },
		[WEFT_A_PORT_PARAMS_QUEUE_LIMIT] = { "queue-limit", 0 },
		[WEFT_A_PORT_PARAMS_WEIGHT] = { "weight", 0 },
		[WEFT_A_PORT_PARAMS_QUANTUM] = { "quantum", 0 },
		[WEFT_A_PORT_PARAMS_DISCIPLINE] = { "discipline", 0 },
		[WEFT_A_PORT_PARAMS_REACT] = { "react", 0 },
		[WEFT_A_PORT_PARAMS_IPD] = { "ipd", 0 },
		[WEFT_A_PORT_PARAMS_SCHEDULER] = { "scheduler", 0 },
		[WEFT_A_PORT_PARAMS_VLARB] = { "vlarb", WEFT_NL_SET_VLARB },
		[WEFT_A_PORT_PARAMS_PFC] = { "pfc", WEFT_NL_SET_PFC },
		[WEFT_A_PORT_PARAMS_CREDIT] = { "credit", WEFT_NL_SET_CREDIT },
		[WEFT_A_PORT_PARAMS_FLIT] = { "flit", WEFT_NL_SET_FLIT },
		[WEFT_A_PORT_PARAMS_AGE] = { "age", WEFT_NL_SET_AGE },
		[WEFT_A_PORT_PARAMS_RED] = { "red", WEFT_NL_SET_RED },
		[WEFT_A_PORT_PARAMS_MARK_AT] = { "mark-at", 0 },
		[WEFT_A_PORT_PARAMS_FECN] = { "fecn", WEFT_NL_SET_FECN },
		[WEFT_A_PORT_PARAMS_TRIM] = { "trim", WEFT_NL_SET_TRIM },
		[WEFT_A_PORT_PARAMS_VL] = { "vl", 0 },
		[WEFT_A_PORT_PARAMS_CBFC] = { "cbfc", WEFT_NL_SET_CBFC },
		[WEFT_A_PORT_PARAMS_LLR] = { "llr", WEFT_NL_SET_LLR },
	},
	[WEFT_NL_SET_PFC] = {
		[WEFT_A_PFC_ENABLE] = { "enable", 0 },
		[WEFT_A_PFC_QUANTA] = { "quanta", 0 },
		[WEFT_A_PFC_WATCHDOG] = { "watchdog", 0 },
		[WEFT_A_PFC_POLL] = { "poll", 0 },
		[WEFT_A_PFC_DETECT] = { "detect", 0 },
		[WEFT_A_PFC_RESTORE] = { "restore", 0 },
	},
	[WEFT_NL_SET_CBFC] = {
		[WEFT_A_CBFC_LIMIT] = { "limit", 0 },
		[WEFT_A_CBFC_SIZE] = { "size", 0 },
		[WEFT_A_CBFC_OVERHEAD] = { "overhead", 0 },
		[WEFT_A_CBFC_SPACING] = { "spacing", 0 },
		[WEFT_A_CBFC_REPEAT] = { "repeat", 0 },
		[WEFT_A_CBFC_SYNC] = { "sync", 0 },
	},
	[WEFT_NL_SET_LLR] = {
		[WEFT_A_LLR_REPLAY] = { "replay", 0 },
		[WEFT_A_LLR_SPACING] = { "spacing", 0 },
		[WEFT_A_LLR_REPEAT] = { "repeat", 0 },
	},
	[WEFT_NL_SET_CREDIT] = {
		[WEFT_A_CREDIT_BLOCKS] = { "blocks", 0 },
		[WEFT_A_CREDIT_BLOCK] = { "block", 0 },
		[WEFT_A_CREDIT_HEADER] = { "header", 0 },
		[WEFT_A_CREDIT_PERIOD] = { "period", 0 },
		[WEFT_A_CREDIT_EAGER] = { "eager", 0 },
		[WEFT_A_CREDIT_REFRESH] = { "refresh", 0 },
	},
	[WEFT_NL_SET_FLIT] = {
		[WEFT_A_FLIT_HDR] = { "hdr", 0 },
		[WEFT_A_FLIT_DATA] = { "data", 0 },
		[WEFT_A_FLIT_PAYLOAD] = { "payload", 0 },
		[WEFT_A_FLIT_UNIT] = { "unit", 0 },
		[WEFT_A_FLIT_REPLAY] = { "replay", 0 },
		[WEFT_A_FLIT_HEADER] = { "header", 0 },
		[WEFT_A_FLIT_CONTROL] = { "control", 0 },
		[WEFT_A_FLIT_CARRY] = { "carry", 0 },
		[WEFT_A_FLIT_REPEAT] = { "repeat", 0 },
	},
	[WEFT_NL_SET_VLARB] = {
		[WEFT_A_VLARB_HIGH] = { "high", 0 },
		[WEFT_A_VLARB_LOW] = { "low", 0 },
		[WEFT_A_VLARB_HIGH_LIMIT] = { "high-limit", 0 },
	},
	[WEFT_NL_SET_AGE] = {
		[WEFT_A_AGE_HOQ] = { "hoq", 0 },
		[WEFT_A_AGE_LIFE] = { "life", 0 },
		[WEFT_A_AGE_STALL_COUNT] = { "stall-count", 0 },
	},
	[WEFT_NL_SET_RED] = {
		[WEFT_A_RED_CLASS] = { "class", 0 },
		[WEFT_A_RED_KMIN] = { "kmin", 0 },
		[WEFT_A_RED_KMAX] = { "kmax", 0 },
		[WEFT_A_RED_PMAX] = { "pmax", 0 },
	},
	[WEFT_NL_SET_FECN] = {
		[WEFT_A_FECN_THRESHOLD] = { "threshold", 0 },
		[WEFT_A_FECN_PACKET_SIZE] = { "packet-size", 0 },
		[WEFT_A_FECN_MARKING_RATE] = { "marking-rate", 0 },
		[WEFT_A_FECN_VICTIM] = { "victim", 0 },
	},
	[WEFT_NL_SET_TRIM] = {
		[WEFT_A_TRIM_CLASSES] = { "classes", 0 },
		[WEFT_A_TRIM_CLASS] = { "class", 0 },
		[WEFT_A_TRIM_LEN] = { "len", 0 },
	},
	[WEFT_NL_SET_BUFFER_CLASS] = {
		[WEFT_A_BUFFER_CLASS_CLASS] = { "class", 0 },
		[WEFT_A_BUFFER_CLASS_RESERVE] = { "reserve", 0 },
		[WEFT_A_BUFFER_CLASS_HEADROOM] = { "headroom", 0 },
		[WEFT_A_BUFFER_CLASS_XON] = { "xon", 0 },
		[WEFT_A_BUFFER_CLASS_THRESHOLD] = { "threshold", 0 },
		[WEFT_A_BUFFER_CLASS_ALPHA] = { "alpha", 0 },
	},
	[WEFT_NL_SET_MODERATION] = {
		[WEFT_A_MODERATION_RX_USECS] = { "rx-usecs", 0 },
		[WEFT_A_MODERATION_RX_FRAMES] = { "rx-frames", 0 },
		[WEFT_A_MODERATION_ADAPTIVE_RX] = { "adaptive-rx", 0 },
	},
	[WEFT_NL_SET_VERBS] = {
		[WEFT_A_VERBS_DOORBELL] = { "doorbell", 0 },
		[WEFT_A_VERBS_PROCESS] = { "process", 0 },
		[WEFT_A_VERBS_MESSAGE_RATE] = { "message-rate", 0 },
		[WEFT_A_VERBS_PCIE_RATE] = { "pcie-rate", 0 },
		[WEFT_A_VERBS_QP_CACHE] = { "qp-cache", 0 },
		[WEFT_A_VERBS_QP_MISS] = { "qp-miss", 0 },
		[WEFT_A_VERBS_ACK_EVERY] = { "ack-every", 0 },
		[WEFT_A_VERBS_ORDERING] = { "ordering", 0 },
		[WEFT_A_VERBS_REORDER_TIME] = { "reorder-time", 0 },
		[WEFT_A_VERBS_CONGESTION] = { "congestion", 0 },
		[WEFT_A_VERBS_TARGET_DELAY] = { "target-delay", 0 },
		[WEFT_A_VERBS_KIND] = { "kind", 0 },
		[WEFT_A_VERBS_PATHS] = { "paths", 0 },
		[WEFT_A_VERBS_RETRANSMIT_TIME] = { "retransmit-time", 0 },
		[WEFT_A_VERBS_CNP_SL] = { "cnp-sl", 0 },
		[WEFT_A_VERBS_DCQCN] = { "dcqcn", WEFT_NL_SET_DCQCN },
		[WEFT_A_VERBS_IBCC] = { "ibcc", WEFT_NL_SET_IBCC },
	},
	[WEFT_NL_SET_DCQCN] = {
		[WEFT_A_DCQCN_G] = { "g", 0 },
		[WEFT_A_DCQCN_INITIAL_ALPHA] = { "initial-alpha", 0 },
		[WEFT_A_DCQCN_ALPHA_TIMER] = { "alpha-timer", 0 },
		[WEFT_A_DCQCN_REDUCE_PERIOD] = { "reduce-period", 0 },
		[WEFT_A_DCQCN_INCREASE_TIMER] = { "increase-timer", 0 },
		[WEFT_A_DCQCN_BYTE_RESET] = { "byte-reset", 0 },
		[WEFT_A_DCQCN_THRESHOLD] = { "threshold", 0 },
		[WEFT_A_DCQCN_AI_RATE] = { "ai-rate", 0 },
		[WEFT_A_DCQCN_HAI_RATE] = { "hai-rate", 0 },
		[WEFT_A_DCQCN_MIN_RATE] = { "min-rate", 0 },
		[WEFT_A_DCQCN_CLAMP_TARGET] = { "clamp-target", 0 },
		[WEFT_A_DCQCN_CNP_INTERVAL] = { "cnp-interval", 0 },
	},
	[WEFT_NL_SET_IBCC] = {
		[WEFT_A_IBCC_INCREASE] = { "increase", 0 },
		[WEFT_A_IBCC_LIMIT] = { "limit", 0 },
		[WEFT_A_IBCC_MIN] = { "min", 0 },
		[WEFT_A_IBCC_TIMER] = { "timer", 0 },
		[WEFT_A_IBCC_CCT] = { "cct", 0 },
	},
	[WEFT_NL_SET_PHASE] = {
		[WEFT_A_PHASE_FABRIC] = { "fabric", 0 },
		[WEFT_A_PHASE_ID] = { "id", 0 },
		[WEFT_A_PHASE_RATE] = { "rate", 0 },
		[WEFT_A_PHASE_LEAST] = { "least", 0 },
		[WEFT_A_PHASE_QUIET] = { "quiet", 0 },
		[WEFT_A_PHASE_NIC] = { "nic", 0 },
	},
	[WEFT_NL_SET_TRIGGER] = {
		[WEFT_A_TRIGGER_FABRIC] = { "fabric", 0 },
		[WEFT_A_TRIGGER_ID] = { "id", 0 },
		[WEFT_A_TRIGGER_KIND] = { "kind", 0 },
		[WEFT_A_TRIGGER_NAME] = { "name", 0 },
		[WEFT_A_TRIGGER_NUMBER] = { "number", 0 },
		[WEFT_A_TRIGGER_NIC] = { "nic", 0 },
		[WEFT_A_TRIGGER_RATE] = { "rate", 0 },
		[WEFT_A_TRIGGER_SIZE] = { "size", 0 },
	},
	[WEFT_NL_SET_AGGREGATOR] = {
		[WEFT_A_AGGREGATOR_FABRIC] = { "fabric", 0 },
		[WEFT_A_AGGREGATOR_ID] = { "id", 0 },
		[WEFT_A_AGGREGATOR_GROUP] = { "group", 0 },
		[WEFT_A_AGGREGATOR_SWITCH] = { "switch", 0 },
		[WEFT_A_AGGREGATOR_CHILD] = { "child", 0 },
		[WEFT_A_AGGREGATOR_PARENT] = { "parent", 0 },
		[WEFT_A_AGGREGATOR_SLOTS] = { "slots", 0 },
		[WEFT_A_AGGREGATOR_LATENCY] = { "latency", 0 },
		[WEFT_A_AGGREGATOR_QKEY] = { "qkey", 0 },
	},
};

/**
 * weft_nl_attr_path() - name the attribute at an offset of a request
 * @req: the request
 * @offset: from the start of the request, bytes (NLMSGERR_ATTR_OFFS)
 * @set: attribute set of the request
 * @buf: result, such as "wire.rate"; empty if there is no such attribute
 * @len: size of @buf
 */
void weft_nl_attr_path(struct nlmsghdr *req, uint32_t offset,
		       enum weft_nl_set set, char *buf, size_t len)
{
	struct nlattr *nla = nlmsg_attrdata(req, GENL_HDRLEN);
	int rem = nlmsg_attrlen(req, GENL_HDRLEN);
	const char *at = (char *)req + offset;
	const struct name *name;
	size_t n = 0;

	*buf = '\0';
	while (set && nla_ok(nla, rem)) {
		if (at >= (char *)nla + nla->nla_len) {
			nla = nla_next(nla, &rem);
			continue;
		}
		if (nla_type(nla) >= NAMES_MAX)
			return;
		name = &names[set][nla_type(nla)];
		if (!name->name || n >= len)
			return;
		n += (size_t)snprintf(buf + n, len - n, "%s%s", n ? "." : "",
				      name->name);
		if (at == (char *)nla)
			return;
		set = name->nested;
		rem = nla_len(nla);
		nla = nla_data(nla);
	}
}
