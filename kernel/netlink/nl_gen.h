/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/weft.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_WEFT_GEN_H
#define _LINUX_WEFT_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/weft.h>

/* Common nested types */
extern const struct nla_policy weft_age_nl_policy[WEFT_A_AGE_STALL_COUNT + 1];
extern const struct nla_policy weft_buffer_class_nl_policy[WEFT_A_BUFFER_CLASS_ALPHA + 1];
extern const struct nla_policy weft_cbfc_nl_policy[WEFT_A_CBFC_SYNC + 1];
extern const struct nla_policy weft_class_state_nl_policy[WEFT_A_CLASS_STATE_COUNTER + 1];
extern const struct nla_policy weft_counter_nl_policy[WEFT_A_COUNTER_VALUE + 1];
extern const struct nla_policy weft_credit_nl_policy[WEFT_A_CREDIT_REFRESH + 1];
extern const struct nla_policy weft_dcqcn_nl_policy[WEFT_A_DCQCN_INITIAL_ALPHA + 1];
extern const struct nla_policy weft_end_nl_policy[WEFT_A_END_NIC + 1];
extern const struct nla_policy weft_fecn_nl_policy[WEFT_A_FECN_VICTIM + 1];
extern const struct nla_policy weft_flit_nl_policy[WEFT_A_FLIT_REPEAT + 1];
extern const struct nla_policy weft_ibcc_nl_policy[WEFT_A_IBCC_CCT + 1];
extern const struct nla_policy weft_llr_nl_policy[WEFT_A_LLR_REPEAT + 1];
extern const struct nla_policy weft_moderation_nl_policy[WEFT_A_MODERATION_COUNTER + 1];
extern const struct nla_policy weft_pfc_nl_policy[WEFT_A_PFC_RESTORE + 1];
extern const struct nla_policy weft_port_params_nl_policy[WEFT_A_PORT_PARAMS_LLR + 1];
extern const struct nla_policy weft_red_nl_policy[WEFT_A_RED_PMAX + 1];
extern const struct nla_policy weft_trim_nl_policy[WEFT_A_TRIM_LEN + 1];
extern const struct nla_policy weft_verbs_nl_policy[WEFT_A_VERBS_RETRANSMIT_TIME + 1];
extern const struct nla_policy weft_vlarb_nl_policy[WEFT_A_VLARB_HIGH_LIMIT + 1];
extern const struct nla_policy weft_wire_nl_policy[WEFT_A_WIRE_CLASS + 1];

extern const struct nla_policy weft_fabric_new_nl_policy[WEFT_A_FABRIC_MANAGED + 1];

extern const struct nla_policy weft_fabric_del_nl_policy[WEFT_A_FABRIC_ID + 1];

extern const struct nla_policy weft_fabric_get_nl_policy[WEFT_A_FABRIC_NAME + 1];

extern const struct nla_policy weft_switch_new_nl_policy[WEFT_A_SWITCH_ARN_QUEUE + 1];

extern const struct nla_policy weft_switch_del_nl_policy[WEFT_A_SWITCH_ID + 1];

extern const struct nla_policy weft_switch_get_nl_policy[WEFT_A_SWITCH_ID + 1];

extern const struct nla_policy weft_link_new_nl_policy[WEFT_A_LINK_WIRE + 1];

extern const struct nla_policy weft_link_set_nl_policy[WEFT_A_LINK_WIRE + 1];

extern const struct nla_policy weft_link_del_nl_policy[WEFT_A_LINK_ID + 1];

extern const struct nla_policy weft_link_get_nl_policy[WEFT_A_LINK_ID + 1];

extern const struct nla_policy weft_nic_attach_nl_policy[WEFT_A_NIC_NEIGHBOUR_EUI64 + 1];

extern const struct nla_policy weft_nic_detach_nl_policy[WEFT_A_NIC_ID + 1];

extern const struct nla_policy weft_nic_get_nl_policy[WEFT_A_NIC_ID + 1];

extern const struct nla_policy weft_route_set_nl_policy[WEFT_A_ROUTE_PORT + 1];

extern const struct nla_policy weft_route_del_nl_policy[WEFT_A_ROUTE_FLOOD + 1];

extern const struct nla_policy weft_route_get_nl_policy[WEFT_A_ROUTE_DST + 1];

extern const struct nla_policy weft_nic_set_nl_policy[WEFT_A_NIC_VERBS + 1];

extern const struct nla_policy weft_switch_set_nl_policy[WEFT_A_SWITCH_OUT_PORT + 1];

extern const struct nla_policy weft_capture_start_nl_policy[WEFT_A_CAPTURE_SNAPLEN + 1];

extern const struct nla_policy weft_capture_stop_nl_policy[WEFT_A_CAPTURE_LINK + 1];

extern const struct nla_policy weft_fault_new_nl_policy[WEFT_A_FAULT_TRIGGER + 1];

extern const struct nla_policy weft_fault_del_nl_policy[WEFT_A_FAULT_ID + 1];

extern const struct nla_policy weft_fault_get_nl_policy[WEFT_A_FAULT_ID + 1];

extern const struct nla_policy weft_trail_start_nl_policy[WEFT_A_TRAIL_SNAPLEN + 1];

extern const struct nla_policy weft_trail_stop_nl_policy[WEFT_A_TRAIL_FABRIC + 1];

extern const struct nla_policy weft_traffic_new_nl_policy[WEFT_A_TRAFFIC_TRIGGER + 1];

extern const struct nla_policy weft_traffic_del_nl_policy[WEFT_A_TRAFFIC_ID + 1];

extern const struct nla_policy weft_traffic_get_nl_policy[WEFT_A_TRAFFIC_ID + 1];

extern const struct nla_policy weft_fabric_set_nl_policy[WEFT_A_FABRIC_CPU + 1];

extern const struct nla_policy weft_phase_set_nl_policy[WEFT_A_PHASE_NIC + 1];

extern const struct nla_policy weft_phase_get_nl_policy[WEFT_A_PHASE_ID + 1];

extern const struct nla_policy weft_trigger_new_nl_policy[WEFT_A_TRIGGER_SIZE + 1];

extern const struct nla_policy weft_trigger_del_nl_policy[WEFT_A_TRIGGER_ID + 1];

extern const struct nla_policy weft_trigger_get_nl_policy[WEFT_A_TRIGGER_ID + 1];

extern const struct nla_policy weft_aggregator_new_nl_policy[WEFT_A_AGGREGATOR_TO + 1];

extern const struct nla_policy weft_aggregator_del_nl_policy[WEFT_A_AGGREGATOR_ID + 1];

extern const struct nla_policy weft_aggregator_get_nl_policy[WEFT_A_AGGREGATOR_ID + 1];

/* Ops table for weft */
extern const struct genl_ops weft_nl_ops[37];

int weft_nl_fabric_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fabric_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fabric_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fabric_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_switch_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_switch_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_switch_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_switch_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_link_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_link_set_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_link_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_link_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_nic_attach_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_nic_detach_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_nic_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_nic_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_route_set_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_route_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_nic_set_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_switch_set_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_capture_start_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_capture_stop_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fault_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fault_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fault_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_fault_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_trail_start_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_trail_stop_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_traffic_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_traffic_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_traffic_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_traffic_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int weft_nl_fabric_set_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_phase_set_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_phase_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_phase_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weft_nl_trigger_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_trigger_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_trigger_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_trigger_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int weft_nl_aggregator_new_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_aggregator_del_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_aggregator_get_doit(struct sk_buff *skb, struct genl_info *info);
int weft_nl_aggregator_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);

enum {
	WEFT_NLGRP_EVENTS,
};

#endif /* _LINUX_WEFT_GEN_H */
