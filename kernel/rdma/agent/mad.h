/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Management datagrams that a device answers itself.
 */
#ifndef WEFT_RDMA_MAD_H
#define WEFT_RDMA_MAD_H

#include <linux/types.h>

struct fab;
struct fab_port;
struct ib_mad;
struct weft_rdma_dev;

/**
 * enum weft_pma_counter - counters of a port in performance management
 * @WEFT_PMA_SYMBOL_ERRORS: frames that arrived with a bit error
 * @WEFT_PMA_RCV_ERRORS: packets among them
 * @WEFT_PMA_XMIT_DISCARDS: packets dropped on their way out
 * @WEFT_PMA_VL15_DROPPED: packets of VL 15 dropped
 * @WEFT_PMA_XMIT_DATA: words of four bytes sent
 * @WEFT_PMA_RCV_DATA: the same received
 * @WEFT_PMA_XMIT_PACKETS: packets sent
 * @WEFT_PMA_RCV_PACKETS: packets received
 * @WEFT_PMA_XMIT_WAIT: ticks in which packets waited while the wire was idle
 * @WEFT_PMA_UNICAST_XMIT: packets sent to one receiver
 * @WEFT_PMA_UNICAST_RCV: the same received
 * @WEFT_PMA_MULTICAST_XMIT: packets sent to a group
 * @WEFT_PMA_MULTICAST_RCV: the same received
 * @WEFT_PMA_COUNTERS: number of counters
 */
enum weft_pma_counter {
	WEFT_PMA_SYMBOL_ERRORS,
	WEFT_PMA_RCV_ERRORS,
	WEFT_PMA_XMIT_DISCARDS,
	WEFT_PMA_VL15_DROPPED,
	WEFT_PMA_XMIT_DATA,
	WEFT_PMA_RCV_DATA,
	WEFT_PMA_XMIT_PACKETS,
	WEFT_PMA_RCV_PACKETS,
	WEFT_PMA_XMIT_WAIT,
	WEFT_PMA_UNICAST_XMIT,
	WEFT_PMA_UNICAST_RCV,
	WEFT_PMA_MULTICAST_XMIT,
	WEFT_PMA_MULTICAST_RCV,
	WEFT_PMA_COUNTERS
};

/**
 * struct weft_pma - offsets of counters that were set
 *
 * The counters of the port go on; a query subtracts the offsets.
 */
struct weft_pma {
	/** @narrow: offsets of PortCounters (fabric's lock) */
	u64 narrow[WEFT_PMA_COUNTERS];
	/** @wide: offsets of PortCountersExtended (fabric's lock) */
	u64 wide[WEFT_PMA_COUNTERS];
};

/* Make the response of @out, a copy of the request; return its status. */
u16 weft_pma_answer(struct weft_rdma_dev *dev, struct ib_mad *out);

/* pma.c, for ports of switches too */
void weft_pma_of_port(struct fab *fab, struct fab_port *port, u64 *now);
void weft_pma_reset(const struct ib_mad *in, struct weft_pma *pma,
		    const u64 *now);
void weft_pma_show(struct ib_mad *out, struct weft_pma *pma, const u64 *now);
void weft_pma_class_info(struct ib_mad *out);

#endif
