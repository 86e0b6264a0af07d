// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the transport, for "rdma statistic" and for the files below
 * /sys/class/infiniband/DEVICE/ports/1/hw_counters.
 *
 * Counters that mlx5 also has have the names of mlx5; the others have Weft's.
 */
#include <rdma/ib_verbs.h>

#include "rdma/dev.h"

/* X(name shown, member of struct weft_verbs_counters) */
#define HW_COUNTERS(X)							\
	X(rx_write_requests,		rx_writes)			\
	X(rx_read_requests,		rx_reads)			\
	X(rx_atomic_requests,		rx_atomics)			\
	X(out_of_buffer,		rnr_sent)			\
	X(out_of_sequence,		out_of_sequence)		\
	X(duplicate_request,		duplicates)			\
	X(rnr_nak_retry_err,		rnr_nak)			\
	X(packet_seq_err,		nak_sequence)			\
	X(local_ack_timeout_err,	timeouts)			\
	X(req_remote_access_errors,	nak_access)			\
	X(req_remote_invalid_request,	nak_invalid)			\
	X(resp_remote_access_errors,	access_errors)			\
	X(resp_remote_invalid_request,	request_errors)			\
	X(np_ecn_marked_roce_packets,	ecn_marked)			\
	X(np_cnp_sent,			cnp_sent)			\
	X(rp_cnp_handled,		cnp_handled)			\
	X(becn_sent,			becn_sent)			\
	X(becn_handled,			becn_handled)			\
	X(rate_cuts,			rate_cuts)			\
	X(tx_packets,			tx_packets)			\
	X(tx_bytes,			tx_bytes)			\
	X(rx_packets,			rx_packets)			\
	X(rx_bytes,			rx_bytes)			\
	X(tx_messages,			tx_messages)			\
	X(rx_messages,			rx_messages)			\
	X(retransmitted,		retransmitted)			\
	X(no_qp,			no_qp)				\
	X(no_receive,			no_receive)			\
	X(no_reference,			no_reference)			\
	X(loopback,			loopback)			\
	X(cache_misses,			cache_misses)			\
	X(tx_stalls,			tx_stalls)			\
	X(beyond_window,		beyond_window)			\
	X(rx_trimmed,			rx_trimmed)

static const struct rdma_stat_desc hw_descs[] = {
#define X(shown, member) { .name = #shown },
	HW_COUNTERS(X)
#undef X
};

static const u16 hw_offset[] = {
#define X(shown, member) offsetof(struct weft_verbs_counters, member),
	HW_COUNTERS(X)
#undef X
};

/**
 * weft_rdma_alloc_stats() - allocate the counters of the port
 * @ib: the device
 * @port: 1
 *
 * The lifespan of 0 makes the core read them anew in each clock tick.
 *
 * Context: process, may sleep.
 * Return: the counters, or NULL.
 */
struct rdma_hw_stats *weft_rdma_alloc_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(hw_descs, ARRAY_SIZE(hw_descs), 0);
}

/**
 * weft_rdma_get_stats() - read the counters
 * @ib: the device
 * @stats: result
 * @port: 1; 0, the device as a whole, has no counters
 * @index: one of them, or their number for all
 *
 * Context: process; takes the fabric's lock.
 * Return: how many were read.
 */
int weft_rdma_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats,
			u32 port, int index)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);
	const void *c;
	u32 i;

	if (!port)
		return -EINVAL;
	weft_rdma_lock(dev);
	if (dev->client.wep) {
		c = &dev->client.wep->verbs.c;
		for (i = 0; i < ARRAY_SIZE(hw_offset); i++)
			stats->value[i] = *(const u64 *)(c + hw_offset[i]);
	}
	weft_rdma_unlock(dev);
	return ARRAY_SIZE(hw_offset);
}
