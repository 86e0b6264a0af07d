/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters and counters of the verbs at a NIC.
 *
 * They belong to the endpoint, so netlink can set and read them without weft_rdma.
 * weft_rdma applies them.
 */
#ifndef WEFT_VERBS_H
#define WEFT_VERBS_H

#include "core/cc/dcqcn.h"
#include "core/cc/ibcc.h"
#include "core/cc/swift.h"

/**
 * enum weft_cc - how a queue pair reacts to congestion
 * @WEFT_CC_NONE: not at all
 * @WEFT_CC_DCQCN: by DCQCN (RoCE)
 * @WEFT_CC_IBCC: by the congestion-control table (InfiniBand, Annex A10)
 * @WEFT_CC_SWIFT: by the delay of packets (RC)
 *
 * The numbers are those of WEFT_CONGESTION_* in the uapi.
 */
enum weft_cc {
	WEFT_CC_NONE,
	WEFT_CC_DCQCN,
	WEFT_CC_IBCC,
	WEFT_CC_SWIFT,
};

/**
 * enum weft_kind - what an RDMA device that is made on a NIC is
 * @WEFT_KIND_HCA: an adapter of InfiniBand or RoCE
 * @WEFT_KIND_EFA: on Ethernet, a NIC of the EFA kind
 *
 * The numbers are those of WEFT_VERBS_KIND_* in the uapi.
 */
enum weft_kind {
	WEFT_KIND_HCA,
	WEFT_KIND_EFA,
};

/**
 * enum weft_order - order in which a responder takes packets (RC)
 * @WEFT_ORDER_STRICT: as they were sent
 * @WEFT_ORDER_ANY: as they arrive
 *
 * The numbers are those of WEFT_ORDERING_* in the uapi.
 */
enum weft_order {
	WEFT_ORDER_STRICT,
	WEFT_ORDER_ANY,
};

/**
 * struct weft_verbs_params - model of an RDMA NIC; all of it may change while it runs
 */
struct weft_verbs_params {
	/** @kind: of devices that are made from now on */
	enum weft_kind kind;
	/** @doorbell: time from the post to the start of the request in the NIC, ps */
	fab_time doorbell;
	/** @process: time from the last bit of a packet to its execution, ps */
	fab_time process;
	/** @message_rate: requests started per second, all queue pairs; 0: no limit */
	u64 message_rate;
	/** @pcie_bps: rate at which payload is read from the host; 0: no limit */
	u64 pcie_bps;
	/** @qp_cache: queue pairs whose state the NIC caches; 0: all */
	u32 qp_cache;
	/** @qp_miss: time to fetch the state of another one, ps */
	fab_time qp_miss;
	/** @ack_every: packets from AckReq to AckReq; 0: only in the last of a message */
	u32 ack_every;
	/** @ordering: of queue pairs that become ready to receive from now on */
	enum weft_order ordering;
	/** @reorder: how long a packet may be late before it counts as lost, ps */
	fab_time reorder;
	/** @cc: reaction to congestion */
	enum weft_cc cc;
	/** @cnp_sl: RoCE: service level of congestion notifications */
	u8 cnp_sl;
	/** @target: with WEFT_CC_SWIFT, and EFA: the delay that it aims at, ps */
	fab_time target;
	/** @paths: EFA: paths over which it sprays, to peers that are new from now on */
	u32 paths;
	/** @timeout: EFA: after which a packet is lost in any case, ps; the same */
	fab_time timeout;
	/** @dcqcn: with WEFT_CC_DCQCN */
	struct fab_dcqcn_params dcqcn;
	/** @ibcc: with WEFT_CC_IBCC */
	struct fab_ibcc_params ibcc;
};

/* Counters of the verbs at one NIC: X(name, text). Payload is in bytes. */
#define WEFT_VERBS_COUNTERS(X)						\
	X(tx_packets,	"packets handed to the port")			\
	X(tx_bytes,	"their bytes on the wire")			\
	X(rx_packets,	"packets received")				\
	X(rx_bytes,	"their bytes on the wire")			\
	X(tx_mcast,	"multicast packets sent")			\
	X(rx_mcast,	"multicast packets received")			\
	X(tx_messages,	"requests sent")				\
	X(rx_messages,	"requests executed")				\
	X(rx_writes,	"writes executed")				\
	X(rx_reads,	"reads taken")					\
	X(rx_atomics,	"atomics executed")				\
	X(retransmitted, "packets sent again")				\
	X(timeouts,	"local acknowledgement timeouts")		\
	X(out_of_sequence, "packets ahead of the expected one")		\
	X(duplicates,	"requests seen before")				\
	X(nak_sequence,	"sequence-error NAKs received")			\
	X(nak_access,	"remote-access NAKs received")			\
	X(nak_invalid,	"invalid-request NAKs received")		\
	X(rnr_nak,	"receiver-not-ready NAKs received")		\
	X(rnr_sent,	"receiver-not-ready NAKs sent")			\
	X(access_errors, "requests refused for key, bounds or rights")	\
	X(request_errors, "requests refused for their form")		\
	X(no_qp,	"packets for no queue pair of this NIC")	\
	X(no_receive,	"unreliable packets without a receive")		\
	X(no_reference,	"packets whose sender's memory was gone")	\
	X(loopback,	"packets from the NIC to itself")		\
	X(ecn_marked,	"packets that came marked")			\
	X(cnp_sent,	"congestion notifications sent")		\
	X(cnp_handled,	"congestion notifications received")		\
	X(becn_sent,	"backward notifications sent")			\
	X(becn_handled,	"backward notifications received")		\
	X(rate_cuts,	"rate reductions")				\
	X(cache_misses,	"queue pairs fetched")				\
	X(tx_stalls,	"times that the ring of a class was full")	\
	X(beyond_window, "packets too far ahead to be held")		\
	X(rx_trimmed,	"headers of trimmed packets received")

/**
 * struct weft_verbs_counters - counters of the verbs at one NIC
 * @X: a member per row of WEFT_VERBS_COUNTERS
 */
struct weft_verbs_counters {
#define X(name, text) u64 name;
	WEFT_VERBS_COUNTERS(X)
#undef X
};

/**
 * struct weft_verbs - verbs at an endpoint
 */
struct weft_verbs {
	/** @p: parameters (fabric's lock) */
	struct weft_verbs_params p;
	/** @c: counters (fabric's lock) */
	struct weft_verbs_counters c;
};

#endif
