// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/weft.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "nl_gen.h"

#include <uapi/linux/weft.h>

/* Integer value ranges */
static const struct netlink_range_validation weft_a_pfc_quanta_range = {
	.min	= 4ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_pfc_poll_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_pfc_detect_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_pfc_restore_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_credit_blocks_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_credit_period_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_credit_refresh_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_flit_hdr_range = {
	.min	= 1ULL,
	.max	= 1048576ULL,
};

static const struct netlink_range_validation weft_a_flit_data_range = {
	.min	= 1ULL,
	.max	= 16777216ULL,
};

static const struct netlink_range_validation weft_a_flit_replay_range = {
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation weft_a_flit_repeat_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_cbfc_limit_range = {
	.max	= 1048575ULL,
};

static const struct netlink_range_validation weft_a_cbfc_spacing_range = {
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation weft_a_cbfc_repeat_range = {
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation weft_a_cbfc_sync_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_llr_replay_range = {
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation weft_a_llr_spacing_range = {
	.min	= 1ULL,
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation weft_a_llr_repeat_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_age_hoq_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_age_life_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_red_pmax_range = {
	.max	= 1000000ULL,
};

static const struct netlink_range_validation weft_a_fecn_packet_size_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_fecn_marking_rate_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_trim_classes_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_port_params_queue_limit_range = {
	.min	= 1ULL,
	.max	= 2147483648ULL,
};

static const struct netlink_range_validation weft_a_port_params_weight_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_port_params_react_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_wire_rate_range = {
	.min	= 1000ULL,
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_wire_propagation_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_wire_bits_per_error_range = {
	.max	= 72057594037927936ULL,
};

static const struct netlink_range_validation weft_a_fabric_dilation_range = {
	.min	= 1ULL,
	.max	= WEFT_DILATION_MAX,
};

static const struct netlink_range_validation weft_a_fabric_max_nics_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_switch_latency_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_switch_flowlets_range = {
	.max	= 65536ULL,
};

static const struct netlink_range_validation weft_a_switch_flowlet_gap_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_switch_sma_latency_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_switch_arn_hold_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_dcqcn_alpha_timer_range = {
	.min	= 1000ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_dcqcn_reduce_period_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_dcqcn_increase_timer_range = {
	.min	= 1000ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_dcqcn_ai_rate_range = {
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_dcqcn_hai_rate_range = {
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_dcqcn_min_rate_range = {
	.min	= 1000ULL,
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_dcqcn_cnp_interval_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_ibcc_increase_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_ibcc_timer_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_verbs_doorbell_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_verbs_process_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_verbs_message_rate_range = {
	.max	= 1000000000000ULL,
};

static const struct netlink_range_validation weft_a_verbs_pcie_rate_range = {
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_verbs_qp_miss_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_verbs_reorder_time_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_verbs_target_delay_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_verbs_retransmit_time_range = {
	.min	= 1000ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_moderation_rx_frames_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_nic_tx_latency_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_nic_rx_latency_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_nic_rx_rate_range = {
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_nic_rx_stop_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_nic_neighbour_prefix_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_capture_snaplen_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_fault_rate_range = {
	.min	= 1000ULL,
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_fault_delay_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_fault_jitter_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_fault_probability_range = {
	.min	= 1ULL,
	.max	= 1000000000ULL,
};

static const struct netlink_range_validation weft_a_fault_burst_range = {
	.min	= 1ULL,
	.max	= 1000000ULL,
};

static const struct netlink_range_validation weft_a_fault_bits_per_error_range = {
	.min	= 1ULL,
	.max	= 72057594037927936ULL,
};

static const struct netlink_range_validation weft_a_fault_start_range = {
	.max	= 9223372036854775807ULL,
};

static const struct netlink_range_validation weft_a_fault_after_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_fault_duration_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_fault_period_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_fault_classes_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_fault_pmax_range = {
	.max	= 1000000ULL,
};

static const struct netlink_range_validation weft_a_fault_flows_range = {
	.min	= 1ULL,
	.max	= 1000000000ULL,
};

static const struct netlink_range_validation weft_a_fault_size_range = {
	.min	= 1ULL,
	.max	= 1099511627776ULL,
};

static const struct netlink_range_validation weft_a_trail_snaplen_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_traffic_size_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weft_a_traffic_rate_range = {
	.min	= 1000ULL,
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_traffic_window_range = {
	.min	= 1ULL,
	.max	= 65536ULL,
};

static const struct netlink_range_validation weft_a_traffic_on_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_traffic_off_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_traffic_start_range = {
	.max	= 9223372036854775807ULL,
};

static const struct netlink_range_validation weft_a_traffic_after_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_traffic_duration_range = {
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_phase_rate_range = {
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_phase_least_range = {
	.min	= 1ULL,
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation weft_a_phase_quiet_range = {
	.min	= 1ULL,
	.max	= WEFT_DELAY_MAX,
};

static const struct netlink_range_validation weft_a_trigger_rate_range = {
	.min	= 1000ULL,
	.max	= 1000000000000000ULL,
};

static const struct netlink_range_validation weft_a_aggregator_group_range = {
	.max	= 16777215ULL,
};

static const struct netlink_range_validation weft_a_aggregator_parent_range = {
	.max	= 65534ULL,
};

static const struct netlink_range_validation weft_a_aggregator_slots_range = {
	.min	= 1ULL,
	.max	= 65536ULL,
};

/* Common nested types */
const struct nla_policy weft_age_nl_policy[WEFT_A_AGE_STALL_COUNT + 1] = {
	[WEFT_A_AGE_HOQ] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_age_hoq_range),
	[WEFT_A_AGE_LIFE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_age_life_range),
	[WEFT_A_AGE_STALL_COUNT] = NLA_POLICY_MAX(NLA_U32, 255),
};

const struct nla_policy weft_buffer_class_nl_policy[WEFT_A_BUFFER_CLASS_ALPHA + 1] = {
	[WEFT_A_BUFFER_CLASS_CLASS] = NLA_POLICY_MAX(NLA_U32, 15),
	[WEFT_A_BUFFER_CLASS_RESERVE] = { .type = NLA_U32, },
	[WEFT_A_BUFFER_CLASS_HEADROOM] = { .type = NLA_U32, },
	[WEFT_A_BUFFER_CLASS_XON] = { .type = NLA_U32, },
	[WEFT_A_BUFFER_CLASS_THRESHOLD] = { .type = NLA_U64, },
	[WEFT_A_BUFFER_CLASS_ALPHA] = { .type = NLA_S32, },
};

const struct nla_policy weft_cbfc_nl_policy[WEFT_A_CBFC_SYNC + 1] = {
	[WEFT_A_CBFC_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_cbfc_limit_range),
	[WEFT_A_CBFC_SIZE] = NLA_POLICY_RANGE(NLA_U32, 1, 4096),
	[WEFT_A_CBFC_OVERHEAD] = NLA_POLICY_MAX(NLA_U32, 127),
	[WEFT_A_CBFC_SPACING] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_cbfc_spacing_range),
	[WEFT_A_CBFC_REPEAT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_cbfc_repeat_range),
	[WEFT_A_CBFC_SYNC] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_cbfc_sync_range),
};

const struct nla_policy weft_class_state_nl_policy[WEFT_A_CLASS_STATE_COUNTER + 1] = {
	[WEFT_A_CLASS_STATE_CLASS] = { .type = NLA_U32, },
	[WEFT_A_CLASS_STATE_COUNTER] = NLA_POLICY_NESTED(weft_counter_nl_policy),
};

const struct nla_policy weft_counter_nl_policy[WEFT_A_COUNTER_VALUE + 1] = {
	[WEFT_A_COUNTER_NAME] = { .type = NLA_NUL_STRING, },
	[WEFT_A_COUNTER_VALUE] = { .type = NLA_U64, },
};

const struct nla_policy weft_credit_nl_policy[WEFT_A_CREDIT_REFRESH + 1] = {
	[WEFT_A_CREDIT_BLOCKS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_credit_blocks_range),
	[WEFT_A_CREDIT_BLOCK] = NLA_POLICY_RANGE(NLA_U32, 64, 4096),
	[WEFT_A_CREDIT_HEADER] = NLA_POLICY_MAX(NLA_U32, 256),
	[WEFT_A_CREDIT_PERIOD] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_credit_period_range),
	[WEFT_A_CREDIT_EAGER] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_CREDIT_REFRESH] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_credit_refresh_range),
};

const struct nla_policy weft_dcqcn_nl_policy[WEFT_A_DCQCN_INITIAL_ALPHA + 1] = {
	[WEFT_A_DCQCN_G] = NLA_POLICY_RANGE(NLA_U32, 1, 1023),
	[WEFT_A_DCQCN_ALPHA_TIMER] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_alpha_timer_range),
	[WEFT_A_DCQCN_REDUCE_PERIOD] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_reduce_period_range),
	[WEFT_A_DCQCN_INCREASE_TIMER] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_increase_timer_range),
	[WEFT_A_DCQCN_BYTE_RESET] = { .type = NLA_U64, },
	[WEFT_A_DCQCN_THRESHOLD] = NLA_POLICY_MAX(NLA_U32, 31),
	[WEFT_A_DCQCN_AI_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_ai_rate_range),
	[WEFT_A_DCQCN_HAI_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_hai_rate_range),
	[WEFT_A_DCQCN_MIN_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_min_rate_range),
	[WEFT_A_DCQCN_CLAMP_TARGET] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_DCQCN_CNP_INTERVAL] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_dcqcn_cnp_interval_range),
	[WEFT_A_DCQCN_INITIAL_ALPHA] = NLA_POLICY_MAX(NLA_U32, 1023),
};

const struct nla_policy weft_end_nl_policy[WEFT_A_END_NIC + 1] = {
	[WEFT_A_END_SWITCH] = { .type = NLA_U32, },
	[WEFT_A_END_PORT] = { .type = NLA_U32, },
	[WEFT_A_END_NIC] = { .type = NLA_U32, },
};

const struct nla_policy weft_fecn_nl_policy[WEFT_A_FECN_VICTIM + 1] = {
	[WEFT_A_FECN_THRESHOLD] = { .type = NLA_U32, },
	[WEFT_A_FECN_PACKET_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fecn_packet_size_range),
	[WEFT_A_FECN_MARKING_RATE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fecn_marking_rate_range),
	[WEFT_A_FECN_VICTIM] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy weft_flit_nl_policy[WEFT_A_FLIT_REPEAT + 1] = {
	[WEFT_A_FLIT_HDR] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_flit_hdr_range),
	[WEFT_A_FLIT_DATA] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_flit_data_range),
	[WEFT_A_FLIT_PAYLOAD] = NLA_POLICY_RANGE(NLA_U32, 1, 4096),
	[WEFT_A_FLIT_UNIT] = NLA_POLICY_RANGE(NLA_U32, 1, 256),
	[WEFT_A_FLIT_REPLAY] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_flit_replay_range),
	[WEFT_A_FLIT_HEADER] = NLA_POLICY_MAX(NLA_U32, 256),
	[WEFT_A_FLIT_CONTROL] = NLA_POLICY_RANGE(NLA_U32, 1, 256),
	[WEFT_A_FLIT_CARRY] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_FLIT_REPEAT] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_flit_repeat_range),
};

const struct nla_policy weft_ibcc_nl_policy[WEFT_A_IBCC_CCT + 1] = {
	[WEFT_A_IBCC_INCREASE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_ibcc_increase_range),
	[WEFT_A_IBCC_LIMIT] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEFT_A_IBCC_MIN] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEFT_A_IBCC_TIMER] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_ibcc_timer_range),
	[WEFT_A_IBCC_CCT] = { .type = NLA_BINARY, },
};

const struct nla_policy weft_llr_nl_policy[WEFT_A_LLR_REPEAT + 1] = {
	[WEFT_A_LLR_REPLAY] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_llr_replay_range),
	[WEFT_A_LLR_SPACING] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_llr_spacing_range),
	[WEFT_A_LLR_REPEAT] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_llr_repeat_range),
};

const struct nla_policy weft_moderation_nl_policy[WEFT_A_MODERATION_COUNTER + 1] = {
	[WEFT_A_MODERATION_RX_USECS] = NLA_POLICY_MAX(NLA_U32, 4095),
	[WEFT_A_MODERATION_RX_FRAMES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_moderation_rx_frames_range),
	[WEFT_A_MODERATION_ADAPTIVE_RX] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_MODERATION_COUNTER] = NLA_POLICY_NESTED(weft_counter_nl_policy),
};

const struct nla_policy weft_pfc_nl_policy[WEFT_A_PFC_RESTORE + 1] = {
	[WEFT_A_PFC_ENABLE] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEFT_A_PFC_QUANTA] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_pfc_quanta_range),
	[WEFT_A_PFC_WATCHDOG] = NLA_POLICY_MAX(NLA_U32, 2),
	[WEFT_A_PFC_POLL] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_pfc_poll_range),
	[WEFT_A_PFC_DETECT] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_pfc_detect_range),
	[WEFT_A_PFC_RESTORE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_pfc_restore_range),
};

const struct nla_policy weft_port_params_nl_policy[WEFT_A_PORT_PARAMS_LLR + 1] = {
	[WEFT_A_PORT_PARAMS_CLASSES] = NLA_POLICY_RANGE(NLA_U32, 1, WEFT_CLASSES_MAX),
	[WEFT_A_PORT_PARAMS_QUEUE_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_port_params_queue_limit_range),
	[WEFT_A_PORT_PARAMS_WEIGHT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_port_params_weight_range),
	[WEFT_A_PORT_PARAMS_QUANTUM] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEFT_A_PORT_PARAMS_DISCIPLINE] = { .type = NLA_NUL_STRING, .len = 31, },
	[WEFT_A_PORT_PARAMS_REACT] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_port_params_react_range),
	[WEFT_A_PORT_PARAMS_IPD] = NLA_POLICY_MAX(NLA_U32, 1023),
	[WEFT_A_PORT_PARAMS_SCHEDULER] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_PORT_PARAMS_VLARB] = NLA_POLICY_NESTED(weft_vlarb_nl_policy),
	[WEFT_A_PORT_PARAMS_PFC] = NLA_POLICY_NESTED(weft_pfc_nl_policy),
	[WEFT_A_PORT_PARAMS_CREDIT] = NLA_POLICY_NESTED(weft_credit_nl_policy),
	[WEFT_A_PORT_PARAMS_FLIT] = NLA_POLICY_NESTED(weft_flit_nl_policy),
	[WEFT_A_PORT_PARAMS_AGE] = NLA_POLICY_NESTED(weft_age_nl_policy),
	[WEFT_A_PORT_PARAMS_RED] = NLA_POLICY_NESTED(weft_red_nl_policy),
	[WEFT_A_PORT_PARAMS_MARK_AT] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_PORT_PARAMS_FECN] = NLA_POLICY_NESTED(weft_fecn_nl_policy),
	[WEFT_A_PORT_PARAMS_TRIM] = NLA_POLICY_NESTED(weft_trim_nl_policy),
	[WEFT_A_PORT_PARAMS_VL] = NLA_POLICY_EXACT_LEN(16),
	[WEFT_A_PORT_PARAMS_CBFC] = NLA_POLICY_NESTED(weft_cbfc_nl_policy),
	[WEFT_A_PORT_PARAMS_LLR] = NLA_POLICY_NESTED(weft_llr_nl_policy),
};

const struct nla_policy weft_red_nl_policy[WEFT_A_RED_PMAX + 1] = {
	[WEFT_A_RED_CLASS] = NLA_POLICY_MAX(NLA_U32, 15),
	[WEFT_A_RED_KMIN] = { .type = NLA_U32, },
	[WEFT_A_RED_KMAX] = { .type = NLA_U32, },
	[WEFT_A_RED_PMAX] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_red_pmax_range),
};

const struct nla_policy weft_trim_nl_policy[WEFT_A_TRIM_LEN + 1] = {
	[WEFT_A_TRIM_CLASSES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_trim_classes_range),
	[WEFT_A_TRIM_CLASS] = NLA_POLICY_MAX(NLA_U32, 15),
	[WEFT_A_TRIM_LEN] = NLA_POLICY_MAX(NLA_U32, 4096),
};

const struct nla_policy weft_verbs_nl_policy[WEFT_A_VERBS_RETRANSMIT_TIME + 1] = {
	[WEFT_A_VERBS_DOORBELL] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_doorbell_range),
	[WEFT_A_VERBS_PROCESS] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_process_range),
	[WEFT_A_VERBS_MESSAGE_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_message_rate_range),
	[WEFT_A_VERBS_PCIE_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_pcie_rate_range),
	[WEFT_A_VERBS_QP_CACHE] = { .type = NLA_U32, },
	[WEFT_A_VERBS_QP_MISS] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_qp_miss_range),
	[WEFT_A_VERBS_ACK_EVERY] = { .type = NLA_U32, },
	[WEFT_A_VERBS_CONGESTION] = NLA_POLICY_MAX(NLA_U32, 3),
	[WEFT_A_VERBS_CNP_SL] = NLA_POLICY_MAX(NLA_U32, 15),
	[WEFT_A_VERBS_DCQCN] = NLA_POLICY_NESTED(weft_dcqcn_nl_policy),
	[WEFT_A_VERBS_IBCC] = NLA_POLICY_NESTED(weft_ibcc_nl_policy),
	[WEFT_A_VERBS_COUNTER] = NLA_POLICY_NESTED(weft_counter_nl_policy),
	[WEFT_A_VERBS_ORDERING] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_VERBS_REORDER_TIME] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_reorder_time_range),
	[WEFT_A_VERBS_TARGET_DELAY] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_target_delay_range),
	[WEFT_A_VERBS_KIND] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_VERBS_PATHS] = NLA_POLICY_RANGE(NLA_U32, 1, WEFT_PATHS_MAX),
	[WEFT_A_VERBS_RETRANSMIT_TIME] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_verbs_retransmit_time_range),
};

const struct nla_policy weft_vlarb_nl_policy[WEFT_A_VLARB_HIGH_LIMIT + 1] = {
	[WEFT_A_VLARB_HIGH] = { .type = NLA_BINARY, },
	[WEFT_A_VLARB_LOW] = { .type = NLA_BINARY, },
	[WEFT_A_VLARB_HIGH_LIMIT] = NLA_POLICY_MAX(NLA_U32, 255),
};

const struct nla_policy weft_wire_nl_policy[WEFT_A_WIRE_CLASS + 1] = {
	[WEFT_A_WIRE_DIRECTION] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_WIRE_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_wire_rate_range),
	[WEFT_A_WIRE_PROPAGATION] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_wire_propagation_range),
	[WEFT_A_WIRE_OVERHEAD] = NLA_POLICY_MAX(NLA_U32, 256),
	[WEFT_A_WIRE_MIN_FRAME] = NLA_POLICY_MAX(NLA_U32, 4096),
	[WEFT_A_WIRE_BITS_PER_ERROR] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_wire_bits_per_error_range),
	[WEFT_A_WIRE_UP] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_WIRE_COUNTER] = NLA_POLICY_NESTED(weft_counter_nl_policy),
	[WEFT_A_WIRE_DROP] = NLA_POLICY_NESTED(weft_counter_nl_policy),
	[WEFT_A_WIRE_PAYLOAD] = NLA_POLICY_MAX(NLA_U32, 4096),
	[WEFT_A_WIRE_UNIT] = NLA_POLICY_RANGE(NLA_U32, 1, 256),
	[WEFT_A_WIRE_LANES] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[WEFT_A_WIRE_LANES_UP] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[WEFT_A_WIRE_CLASS] = NLA_POLICY_NESTED(weft_class_state_nl_policy),
};

/* WEFT_CMD_FABRIC_NEW - do */
const struct nla_policy weft_fabric_new_nl_policy[WEFT_A_FABRIC_MANAGED + 1] = {
	[WEFT_A_FABRIC_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[WEFT_A_FABRIC_SEED] = { .type = NLA_U64, },
	[WEFT_A_FABRIC_DILATION] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fabric_dilation_range),
	[WEFT_A_FABRIC_MAX_NICS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fabric_max_nics_range),
	[WEFT_A_FABRIC_LATE_BOUND] = { .type = NLA_U64, },
	[WEFT_A_FABRIC_MANAGED] = { .type = NLA_FLAG, },
};

/* WEFT_CMD_FABRIC_DEL - do */
const struct nla_policy weft_fabric_del_nl_policy[WEFT_A_FABRIC_ID + 1] = {
	[WEFT_A_FABRIC_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_FABRIC_GET - do */
const struct nla_policy weft_fabric_get_nl_policy[WEFT_A_FABRIC_NAME + 1] = {
	[WEFT_A_FABRIC_ID] = { .type = NLA_U32, },
	[WEFT_A_FABRIC_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* WEFT_CMD_SWITCH_NEW - do */
const struct nla_policy weft_switch_new_nl_policy[WEFT_A_SWITCH_ARN_QUEUE + 1] = {
	[WEFT_A_SWITCH_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[WEFT_A_SWITCH_PORTS] = NLA_POLICY_RANGE(NLA_U32, 1, WEFT_PORTS_MAX),
	[WEFT_A_SWITCH_LATENCY] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_switch_latency_range),
	[WEFT_A_SWITCH_FORWARD] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_SWITCH_ARBITER] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_SWITCH_SELECT] = NLA_POLICY_MAX(NLA_U32, 4),
	[WEFT_A_SWITCH_BUFFER_TOTAL] = NLA_POLICY_MIN(NLA_U64, 1),
	[WEFT_A_SWITCH_BUFFER_PER_PORT] = NLA_POLICY_MIN(NLA_U64, 1),
	[WEFT_A_SWITCH_PORT_PARAMS] = NLA_POLICY_NESTED(weft_port_params_nl_policy),
	[WEFT_A_SWITCH_BUFFER_CLASS] = NLA_POLICY_NESTED(weft_buffer_class_nl_policy),
	[WEFT_A_SWITCH_SL2VL] = NLA_POLICY_MAX(NLA_U32, 3),
	[WEFT_A_SWITCH_VL] = NLA_POLICY_EXACT_LEN(16),
	[WEFT_A_SWITCH_LMC] = NLA_POLICY_MAX(NLA_U32, 7),
	[WEFT_A_SWITCH_FLOWLETS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_switch_flowlets_range),
	[WEFT_A_SWITCH_FLOWLET_GAP] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_switch_flowlet_gap_range),
	[WEFT_A_SWITCH_QUANTUM] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEFT_A_SWITCH_SMA_LATENCY] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_switch_sma_latency_range),
	[WEFT_A_SWITCH_ARN_HOLD] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_switch_arn_hold_range),
	[WEFT_A_SWITCH_ARN_QUEUE] = { .type = NLA_U32, },
};

/* WEFT_CMD_SWITCH_DEL - do */
const struct nla_policy weft_switch_del_nl_policy[WEFT_A_SWITCH_ID + 1] = {
	[WEFT_A_SWITCH_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_SWITCH_GET - do */
const struct nla_policy weft_switch_get_nl_policy[WEFT_A_SWITCH_ID + 1] = {
	[WEFT_A_SWITCH_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_LINK_NEW - do */
const struct nla_policy weft_link_new_nl_policy[WEFT_A_LINK_WIRE + 1] = {
	[WEFT_A_LINK_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_LINK_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[WEFT_A_LINK_A] = NLA_POLICY_NESTED(weft_end_nl_policy),
	[WEFT_A_LINK_B] = NLA_POLICY_NESTED(weft_end_nl_policy),
	[WEFT_A_LINK_WIRE] = NLA_POLICY_NESTED(weft_wire_nl_policy),
};

/* WEFT_CMD_LINK_SET - do */
const struct nla_policy weft_link_set_nl_policy[WEFT_A_LINK_WIRE + 1] = {
	[WEFT_A_LINK_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_LINK_ID] = { .type = NLA_U32, },
	[WEFT_A_LINK_WIRE] = NLA_POLICY_NESTED(weft_wire_nl_policy),
};

/* WEFT_CMD_LINK_DEL - do */
const struct nla_policy weft_link_del_nl_policy[WEFT_A_LINK_ID + 1] = {
	[WEFT_A_LINK_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_LINK_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_LINK_GET - do */
const struct nla_policy weft_link_get_nl_policy[WEFT_A_LINK_ID + 1] = {
	[WEFT_A_LINK_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_LINK_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_NIC_ATTACH - do */
const struct nla_policy weft_nic_attach_nl_policy[WEFT_A_NIC_NEIGHBOUR_EUI64 + 1] = {
	[WEFT_A_NIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_NIC_ID] = { .type = NLA_U32, },
	[WEFT_A_NIC_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[WEFT_A_NIC_IFINDEX] = { .type = NLA_U32, },
	[WEFT_A_NIC_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[WEFT_A_NIC_NETNS_FD] = { .type = NLA_U32, },
	[WEFT_A_NIC_SEGMENTATION] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_NIC_TX_LATENCY] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_nic_tx_latency_range),
	[WEFT_A_NIC_RX_LATENCY] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_nic_rx_latency_range),
	[WEFT_A_NIC_PORT_PARAMS] = NLA_POLICY_NESTED(weft_port_params_nl_policy),
	[WEFT_A_NIC_RX_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_nic_rx_rate_range),
	[WEFT_A_NIC_RX_STOP] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_nic_rx_stop_range),
	[WEFT_A_NIC_RX_BUFFER] = { .type = NLA_U64, },
	[WEFT_A_NIC_BUFFER_CLASS] = NLA_POLICY_NESTED(weft_buffer_class_nl_policy),
	[WEFT_A_NIC_VERBS] = NLA_POLICY_NESTED(weft_verbs_nl_policy),
	[WEFT_A_NIC_MODERATION] = NLA_POLICY_NESTED(weft_moderation_nl_policy),
	[WEFT_A_NIC_NEIGHBOUR_PREFIX] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_nic_neighbour_prefix_range),
	[WEFT_A_NIC_NEIGHBOUR_EUI64] = { .type = NLA_FLAG, },
};

/* WEFT_CMD_NIC_DETACH - do */
const struct nla_policy weft_nic_detach_nl_policy[WEFT_A_NIC_ID + 1] = {
	[WEFT_A_NIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_NIC_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_NIC_GET - do */
const struct nla_policy weft_nic_get_nl_policy[WEFT_A_NIC_ID + 1] = {
	[WEFT_A_NIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_NIC_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_ROUTE_SET - do */
const struct nla_policy weft_route_set_nl_policy[WEFT_A_ROUTE_PORT + 1] = {
	[WEFT_A_ROUTE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_SWITCH] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_DST] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_DST_LAST] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_FLOOD] = { .type = NLA_FLAG, },
	[WEFT_A_ROUTE_PORT] = { .type = NLA_U32, },
};

/* WEFT_CMD_ROUTE_DEL - do */
const struct nla_policy weft_route_del_nl_policy[WEFT_A_ROUTE_FLOOD + 1] = {
	[WEFT_A_ROUTE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_SWITCH] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_DST] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_DST_LAST] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_FLOOD] = { .type = NLA_FLAG, },
};

/* WEFT_CMD_ROUTE_GET - do */
const struct nla_policy weft_route_get_nl_policy[WEFT_A_ROUTE_DST + 1] = {
	[WEFT_A_ROUTE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_SWITCH] = { .type = NLA_U32, },
	[WEFT_A_ROUTE_DST] = { .type = NLA_U32, },
};

/* WEFT_CMD_NIC_SET - do */
const struct nla_policy weft_nic_set_nl_policy[WEFT_A_NIC_VERBS + 1] = {
	[WEFT_A_NIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_NIC_ID] = { .type = NLA_U32, },
	[WEFT_A_NIC_RX_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_nic_rx_rate_range),
	[WEFT_A_NIC_RX_STOP] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_nic_rx_stop_range),
	[WEFT_A_NIC_VERBS] = NLA_POLICY_NESTED(weft_verbs_nl_policy),
};

/* WEFT_CMD_SWITCH_SET - do */
const struct nla_policy weft_switch_set_nl_policy[WEFT_A_SWITCH_OUT_PORT + 1] = {
	[WEFT_A_SWITCH_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_ID] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_IN_PORT] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_OUT_PORT] = { .type = NLA_U32, },
	[WEFT_A_SWITCH_VL] = NLA_POLICY_EXACT_LEN(16),
};

/* WEFT_CMD_CAPTURE_START - do */
const struct nla_policy weft_capture_start_nl_policy[WEFT_A_CAPTURE_SNAPLEN + 1] = {
	[WEFT_A_CAPTURE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_CAPTURE_LINK] = { .type = NLA_U32, },
	[WEFT_A_CAPTURE_SNAPLEN] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_capture_snaplen_range),
};

/* WEFT_CMD_CAPTURE_STOP - do */
const struct nla_policy weft_capture_stop_nl_policy[WEFT_A_CAPTURE_LINK + 1] = {
	[WEFT_A_CAPTURE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_CAPTURE_LINK] = { .type = NLA_U32, },
};

/* WEFT_CMD_FAULT_NEW - do */
const struct nla_policy weft_fault_new_nl_policy[WEFT_A_FAULT_TRIGGER + 1] = {
	[WEFT_A_FAULT_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_FAULT_LINK] = { .type = NLA_U32, },
	[WEFT_A_FAULT_DIRECTION] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_FAULT_KIND] = NLA_POLICY_MAX(NLA_U32, 18),
	[WEFT_A_FAULT_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_rate_range),
	[WEFT_A_FAULT_LANES] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[WEFT_A_FAULT_DELAY] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_delay_range),
	[WEFT_A_FAULT_JITTER] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_jitter_range),
	[WEFT_A_FAULT_PROBABILITY] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fault_probability_range),
	[WEFT_A_FAULT_BURST] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fault_burst_range),
	[WEFT_A_FAULT_BITS_PER_ERROR] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_bits_per_error_range),
	[WEFT_A_FAULT_START] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_start_range),
	[WEFT_A_FAULT_AFTER] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_after_range),
	[WEFT_A_FAULT_DURATION] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_duration_range),
	[WEFT_A_FAULT_PERIOD] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_period_range),
	[WEFT_A_FAULT_COUNT] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEFT_A_FAULT_SEED] = { .type = NLA_U64, },
	[WEFT_A_FAULT_CLASSES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fault_classes_range),
	[WEFT_A_FAULT_KMIN] = { .type = NLA_U32, },
	[WEFT_A_FAULT_KMAX] = { .type = NLA_U32, },
	[WEFT_A_FAULT_PMAX] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fault_pmax_range),
	[WEFT_A_FAULT_SWITCH] = { .type = NLA_U32, },
	[WEFT_A_FAULT_DST] = { .type = NLA_U32, },
	[WEFT_A_FAULT_FLOWS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_fault_flows_range),
	[WEFT_A_FAULT_PORT] = { .type = NLA_U32, },
	[WEFT_A_FAULT_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_fault_size_range),
	[WEFT_A_FAULT_TRIGGER] = { .type = NLA_U32, },
};

/* WEFT_CMD_FAULT_DEL - do */
const struct nla_policy weft_fault_del_nl_policy[WEFT_A_FAULT_ID + 1] = {
	[WEFT_A_FAULT_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_FAULT_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_FAULT_GET - do */
const struct nla_policy weft_fault_get_nl_policy[WEFT_A_FAULT_ID + 1] = {
	[WEFT_A_FAULT_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_FAULT_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_TRAIL_START - do */
const struct nla_policy weft_trail_start_nl_policy[WEFT_A_TRAIL_SNAPLEN + 1] = {
	[WEFT_A_TRAIL_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRAIL_SNAPLEN] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_trail_snaplen_range),
};

/* WEFT_CMD_TRAIL_STOP - do */
const struct nla_policy weft_trail_stop_nl_policy[WEFT_A_TRAIL_FABRIC + 1] = {
	[WEFT_A_TRAIL_FABRIC] = { .type = NLA_U32, },
};

/* WEFT_CMD_TRAFFIC_NEW - do */
const struct nla_policy weft_traffic_new_nl_policy[WEFT_A_TRAFFIC_TRIGGER + 1] = {
	[WEFT_A_TRAFFIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRAFFIC_GROUP] = { .type = NLA_U32, },
	[WEFT_A_TRAFFIC_PATTERN] = NLA_POLICY_MAX(NLA_U32, 4),
	[WEFT_A_TRAFFIC_NIC] = { .type = NLA_U32, },
	[WEFT_A_TRAFFIC_DST] = { .type = NLA_U32, },
	[WEFT_A_TRAFFIC_SL] = NLA_POLICY_MAX(NLA_U32, 15),
	[WEFT_A_TRAFFIC_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_traffic_size_range),
	[WEFT_A_TRAFFIC_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_traffic_rate_range),
	[WEFT_A_TRAFFIC_DEPTH] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[WEFT_A_TRAFFIC_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_traffic_window_range),
	[WEFT_A_TRAFFIC_ON] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_traffic_on_range),
	[WEFT_A_TRAFFIC_OFF] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_traffic_off_range),
	[WEFT_A_TRAFFIC_DRAWN_TIMES] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_TRAFFIC_DRAWN_DSTS] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEFT_A_TRAFFIC_START] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_traffic_start_range),
	[WEFT_A_TRAFFIC_AFTER] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_traffic_after_range),
	[WEFT_A_TRAFFIC_DURATION] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_traffic_duration_range),
	[WEFT_A_TRAFFIC_BYTES] = { .type = NLA_U64, },
	[WEFT_A_TRAFFIC_SEED] = { .type = NLA_U64, },
	[WEFT_A_TRAFFIC_MESSAGE] = { .type = NLA_BINARY, },
	[WEFT_A_TRAFFIC_TRIGGER] = { .type = NLA_U32, },
};

/* WEFT_CMD_TRAFFIC_DEL - do */
const struct nla_policy weft_traffic_del_nl_policy[WEFT_A_TRAFFIC_ID + 1] = {
	[WEFT_A_TRAFFIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRAFFIC_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_TRAFFIC_GET - do */
const struct nla_policy weft_traffic_get_nl_policy[WEFT_A_TRAFFIC_ID + 1] = {
	[WEFT_A_TRAFFIC_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRAFFIC_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_FABRIC_SET - do */
const struct nla_policy weft_fabric_set_nl_policy[WEFT_A_FABRIC_CPU + 1] = {
	[WEFT_A_FABRIC_ID] = { .type = NLA_U32, },
	[WEFT_A_FABRIC_CPU] = { .type = NLA_U32, },
};

/* WEFT_CMD_PHASE_SET - do */
const struct nla_policy weft_phase_set_nl_policy[WEFT_A_PHASE_NIC + 1] = {
	[WEFT_A_PHASE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_PHASE_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_phase_rate_range),
	[WEFT_A_PHASE_LEAST] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_phase_least_range),
	[WEFT_A_PHASE_QUIET] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_phase_quiet_range),
	[WEFT_A_PHASE_NIC] = { .type = NLA_U32, },
};

/* WEFT_CMD_PHASE_GET - do */
const struct nla_policy weft_phase_get_nl_policy[WEFT_A_PHASE_ID + 1] = {
	[WEFT_A_PHASE_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_PHASE_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_TRIGGER_NEW - do */
const struct nla_policy weft_trigger_new_nl_policy[WEFT_A_TRIGGER_SIZE + 1] = {
	[WEFT_A_TRIGGER_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRIGGER_KIND] = NLA_POLICY_MAX(NLA_U32, 3),
	[WEFT_A_TRIGGER_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[WEFT_A_TRIGGER_NUMBER] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEFT_A_TRIGGER_NIC] = { .type = NLA_U32, },
	[WEFT_A_TRIGGER_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &weft_a_trigger_rate_range),
	[WEFT_A_TRIGGER_SIZE] = NLA_POLICY_MIN(NLA_U64, 1),
};

/* WEFT_CMD_TRIGGER_DEL - do */
const struct nla_policy weft_trigger_del_nl_policy[WEFT_A_TRIGGER_ID + 1] = {
	[WEFT_A_TRIGGER_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRIGGER_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_TRIGGER_GET - do */
const struct nla_policy weft_trigger_get_nl_policy[WEFT_A_TRIGGER_ID + 1] = {
	[WEFT_A_TRIGGER_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_TRIGGER_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_AGGREGATOR_NEW - do */
const struct nla_policy weft_aggregator_new_nl_policy[WEFT_A_AGGREGATOR_TO + 1] = {
	[WEFT_A_AGGREGATOR_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_AGGREGATOR_GROUP] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_aggregator_group_range),
	[WEFT_A_AGGREGATOR_SWITCH] = { .type = NLA_U32, },
	[WEFT_A_AGGREGATOR_CHILD] = { .type = NLA_BINARY, },
	[WEFT_A_AGGREGATOR_PARENT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_aggregator_parent_range),
	[WEFT_A_AGGREGATOR_SLOTS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weft_a_aggregator_slots_range),
	[WEFT_A_AGGREGATOR_LATENCY] = { .type = NLA_U64, },
	[WEFT_A_AGGREGATOR_QKEY] = { .type = NLA_U32, },
	[WEFT_A_AGGREGATOR_TO] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* WEFT_CMD_AGGREGATOR_DEL - do */
const struct nla_policy weft_aggregator_del_nl_policy[WEFT_A_AGGREGATOR_ID + 1] = {
	[WEFT_A_AGGREGATOR_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_AGGREGATOR_ID] = { .type = NLA_U32, },
};

/* WEFT_CMD_AGGREGATOR_GET - do */
const struct nla_policy weft_aggregator_get_nl_policy[WEFT_A_AGGREGATOR_ID + 1] = {
	[WEFT_A_AGGREGATOR_FABRIC] = { .type = NLA_U32, },
	[WEFT_A_AGGREGATOR_ID] = { .type = NLA_U32, },
};

/* Ops table for weft */
const struct genl_ops weft_nl_ops[37] = {
	{
		.cmd		= WEFT_CMD_FABRIC_NEW,
		.doit		= weft_nl_fabric_new_doit,
		.policy		= weft_fabric_new_nl_policy,
		.maxattr	= WEFT_A_FABRIC_MANAGED,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_FABRIC_DEL,
		.doit		= weft_nl_fabric_del_doit,
		.policy		= weft_fabric_del_nl_policy,
		.maxattr	= WEFT_A_FABRIC_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_FABRIC_GET,
		.doit		= weft_nl_fabric_get_doit,
		.dumpit		= weft_nl_fabric_get_dumpit,
		.policy		= weft_fabric_get_nl_policy,
		.maxattr	= WEFT_A_FABRIC_NAME,
	},
	{
		.cmd		= WEFT_CMD_SWITCH_NEW,
		.doit		= weft_nl_switch_new_doit,
		.policy		= weft_switch_new_nl_policy,
		.maxattr	= WEFT_A_SWITCH_ARN_QUEUE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_SWITCH_DEL,
		.doit		= weft_nl_switch_del_doit,
		.policy		= weft_switch_del_nl_policy,
		.maxattr	= WEFT_A_SWITCH_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_SWITCH_GET,
		.doit		= weft_nl_switch_get_doit,
		.dumpit		= weft_nl_switch_get_dumpit,
		.policy		= weft_switch_get_nl_policy,
		.maxattr	= WEFT_A_SWITCH_ID,
	},
	{
		.cmd		= WEFT_CMD_LINK_NEW,
		.doit		= weft_nl_link_new_doit,
		.policy		= weft_link_new_nl_policy,
		.maxattr	= WEFT_A_LINK_WIRE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_LINK_SET,
		.doit		= weft_nl_link_set_doit,
		.policy		= weft_link_set_nl_policy,
		.maxattr	= WEFT_A_LINK_WIRE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_LINK_DEL,
		.doit		= weft_nl_link_del_doit,
		.policy		= weft_link_del_nl_policy,
		.maxattr	= WEFT_A_LINK_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_LINK_GET,
		.doit		= weft_nl_link_get_doit,
		.dumpit		= weft_nl_link_get_dumpit,
		.policy		= weft_link_get_nl_policy,
		.maxattr	= WEFT_A_LINK_ID,
	},
	{
		.cmd		= WEFT_CMD_NIC_ATTACH,
		.doit		= weft_nl_nic_attach_doit,
		.policy		= weft_nic_attach_nl_policy,
		.maxattr	= WEFT_A_NIC_NEIGHBOUR_EUI64,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_NIC_DETACH,
		.doit		= weft_nl_nic_detach_doit,
		.policy		= weft_nic_detach_nl_policy,
		.maxattr	= WEFT_A_NIC_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_NIC_GET,
		.doit		= weft_nl_nic_get_doit,
		.dumpit		= weft_nl_nic_get_dumpit,
		.policy		= weft_nic_get_nl_policy,
		.maxattr	= WEFT_A_NIC_ID,
	},
	{
		.cmd		= WEFT_CMD_ROUTE_SET,
		.doit		= weft_nl_route_set_doit,
		.policy		= weft_route_set_nl_policy,
		.maxattr	= WEFT_A_ROUTE_PORT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_ROUTE_DEL,
		.doit		= weft_nl_route_del_doit,
		.policy		= weft_route_del_nl_policy,
		.maxattr	= WEFT_A_ROUTE_FLOOD,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_ROUTE_GET,
		.doit		= weft_nl_route_get_doit,
		.dumpit		= weft_nl_route_get_dumpit,
		.policy		= weft_route_get_nl_policy,
		.maxattr	= WEFT_A_ROUTE_DST,
	},
	{
		.cmd		= WEFT_CMD_NIC_SET,
		.doit		= weft_nl_nic_set_doit,
		.policy		= weft_nic_set_nl_policy,
		.maxattr	= WEFT_A_NIC_VERBS,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_SWITCH_SET,
		.doit		= weft_nl_switch_set_doit,
		.policy		= weft_switch_set_nl_policy,
		.maxattr	= WEFT_A_SWITCH_OUT_PORT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_CAPTURE_START,
		.doit		= weft_nl_capture_start_doit,
		.policy		= weft_capture_start_nl_policy,
		.maxattr	= WEFT_A_CAPTURE_SNAPLEN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_CAPTURE_STOP,
		.doit		= weft_nl_capture_stop_doit,
		.policy		= weft_capture_stop_nl_policy,
		.maxattr	= WEFT_A_CAPTURE_LINK,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_FAULT_NEW,
		.doit		= weft_nl_fault_new_doit,
		.policy		= weft_fault_new_nl_policy,
		.maxattr	= WEFT_A_FAULT_TRIGGER,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_FAULT_DEL,
		.doit		= weft_nl_fault_del_doit,
		.policy		= weft_fault_del_nl_policy,
		.maxattr	= WEFT_A_FAULT_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_FAULT_GET,
		.doit		= weft_nl_fault_get_doit,
		.dumpit		= weft_nl_fault_get_dumpit,
		.policy		= weft_fault_get_nl_policy,
		.maxattr	= WEFT_A_FAULT_ID,
	},
	{
		.cmd		= WEFT_CMD_TRAIL_START,
		.doit		= weft_nl_trail_start_doit,
		.policy		= weft_trail_start_nl_policy,
		.maxattr	= WEFT_A_TRAIL_SNAPLEN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_TRAIL_STOP,
		.doit		= weft_nl_trail_stop_doit,
		.policy		= weft_trail_stop_nl_policy,
		.maxattr	= WEFT_A_TRAIL_FABRIC,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_TRAFFIC_NEW,
		.doit		= weft_nl_traffic_new_doit,
		.policy		= weft_traffic_new_nl_policy,
		.maxattr	= WEFT_A_TRAFFIC_TRIGGER,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_TRAFFIC_DEL,
		.doit		= weft_nl_traffic_del_doit,
		.policy		= weft_traffic_del_nl_policy,
		.maxattr	= WEFT_A_TRAFFIC_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_TRAFFIC_GET,
		.doit		= weft_nl_traffic_get_doit,
		.dumpit		= weft_nl_traffic_get_dumpit,
		.policy		= weft_traffic_get_nl_policy,
		.maxattr	= WEFT_A_TRAFFIC_ID,
	},
	{
		.cmd		= WEFT_CMD_FABRIC_SET,
		.doit		= weft_nl_fabric_set_doit,
		.policy		= weft_fabric_set_nl_policy,
		.maxattr	= WEFT_A_FABRIC_CPU,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_PHASE_SET,
		.doit		= weft_nl_phase_set_doit,
		.policy		= weft_phase_set_nl_policy,
		.maxattr	= WEFT_A_PHASE_NIC,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_PHASE_GET,
		.doit		= weft_nl_phase_get_doit,
		.dumpit		= weft_nl_phase_get_dumpit,
		.policy		= weft_phase_get_nl_policy,
		.maxattr	= WEFT_A_PHASE_ID,
	},
	{
		.cmd		= WEFT_CMD_TRIGGER_NEW,
		.doit		= weft_nl_trigger_new_doit,
		.policy		= weft_trigger_new_nl_policy,
		.maxattr	= WEFT_A_TRIGGER_SIZE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_TRIGGER_DEL,
		.doit		= weft_nl_trigger_del_doit,
		.policy		= weft_trigger_del_nl_policy,
		.maxattr	= WEFT_A_TRIGGER_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_TRIGGER_GET,
		.doit		= weft_nl_trigger_get_doit,
		.dumpit		= weft_nl_trigger_get_dumpit,
		.policy		= weft_trigger_get_nl_policy,
		.maxattr	= WEFT_A_TRIGGER_ID,
	},
	{
		.cmd		= WEFT_CMD_AGGREGATOR_NEW,
		.doit		= weft_nl_aggregator_new_doit,
		.policy		= weft_aggregator_new_nl_policy,
		.maxattr	= WEFT_A_AGGREGATOR_TO,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_AGGREGATOR_DEL,
		.doit		= weft_nl_aggregator_del_doit,
		.policy		= weft_aggregator_del_nl_policy,
		.maxattr	= WEFT_A_AGGREGATOR_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= WEFT_CMD_AGGREGATOR_GET,
		.doit		= weft_nl_aggregator_get_doit,
		.dumpit		= weft_nl_aggregator_get_dumpit,
		.policy		= weft_aggregator_get_nl_policy,
		.maxattr	= WEFT_A_AGGREGATOR_ID,
	},
};

static const struct genl_multicast_group weft_nl_mcgrps[] = {
	[WEFT_NLGRP_EVENTS] = { "events", },
};
