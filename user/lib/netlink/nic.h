/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NICs.
 */
#ifndef WEFT_NIC_H
#define WEFT_NIC_H

#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"
#include "netlink/moderation.h"
#include "netlink/nl.h"
#include "netlink/port_params.h"
#include "netlink/stats.h"
#include "netlink/verbs.h"

/* Longest name of an RDMA device, terminator included (IB_DEVICE_NAME_MAX). */
#define WEFT_DEVICE_SIZE	64

/** enum weft_nic_has - fields of struct weft_nic that are set */
enum weft_nic_has {
	WEFT_NIC_HAS_ID = 1,
	WEFT_NIC_HAS_NETNS = 2,
	WEFT_NIC_HAS_SEGMENTATION = 4,
	WEFT_NIC_HAS_TX_LATENCY = 8,
	WEFT_NIC_HAS_RX_LATENCY = 16,
	WEFT_NIC_HAS_RX_RATE = 32,
	WEFT_NIC_HAS_RX_STOP = 64,
	WEFT_NIC_HAS_RX_BUFFER = 128,
	WEFT_NIC_HAS_NEIGHBOUR_PREFIX = 256,
	WEFT_NIC_HAS_NEIGHBOUR_EUI64 = 512,
};

/**
 * struct weft_nic - a NIC
 */
struct weft_nic {
	/** @has: bits of enum weft_nic_has, for weft_nic_attach() and weft_nic_set() */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: endpoint id */
	uint32_t id;
	/** @name: a label */
	char name[WEFT_NAME_SIZE];
	/** @ifname: name of the netdev in its network namespace */
	char ifname[16];
	/** @netns_fd: file descriptor of the network namespace of the netdev */
	int netns_fd;
	/** @address: MAC address */
	uint8_t address[6];
	/**
	 * @neighbour_prefix: first two bytes of the MAC address of a neighbour, before its
	 * IPv4 address, the first in the high byte; 0: by ARP
	 */
	uint32_t neighbour_prefix;
	/** @segmentation: enum weft_segmentation */
	uint32_t segmentation;
	/** @tx_latency: from the hand-over by the host to the port, ps */
	uint64_t tx_latency;
	/** @rx_latency: from the last bit to the hand-over to the host, ps */
	uint64_t rx_latency;
	/** @rx_rate: rate at which the host takes packets, bit/s; 0: no limit */
	uint64_t rx_rate;
	/** @rx_stop: bit per class of which the host takes no packets */
	uint32_t rx_stop;
	/** @rx_buffer: bytes of the receive buffer, 0 for no limit */
	uint64_t rx_buffer;
	/** @classes: limits of the classes in the receive buffer */
	struct weft_buffer classes;
	/** @moderation: interrupt moderation */
	struct weft_moderation moderation;
	/** @rx_used: bytes in the receive buffer */
	uint64_t rx_used;
	/** @rx_peak: most bytes that were in it at a time */
	uint64_t rx_peak;
	/** @port: parameters of its port */
	struct weft_port_params port;
	/** @counters: counters of its port */
	struct weft_counters counters;
	/** @drops: frames lost at its port, by reason */
	struct weft_counters drops;
	/** @cls: counters of its classes; to be freed */
	struct weft_class_states cls;
	/** @latency: of packets delivered here: from the sending host's hand-over, ps */
	struct weft_hist latency;
	/** @verbs: parameters of its RDMA device */
	struct weft_verbs verbs;
	/** @device: name of its RDMA device; empty: it has none */
	char device[WEFT_DEVICE_SIZE];
	/** @verbs_counters: counters of its RDMA device */
	struct weft_counters verbs_counters;
};

int weft_nic_attach(struct weft_nl *nl, struct weft_nic *nic,
		    struct weft_err *err);
int weft_nic_set(struct weft_nl *nl, const struct weft_nic *nic,
		 struct weft_err *err);
int weft_nic_detach(struct weft_nl *nl, uint32_t fabric, uint32_t id,
		    struct weft_err *err);
int weft_nic_list(struct weft_nl *nl, uint32_t fabric, struct weft_nic **list,
		  unsigned int *n, struct weft_err *err);
const struct weft_nic *weft_nic_find(const struct weft_nic *list, unsigned int n,
				     uint32_t id);
void weft_nic_list_free(struct weft_nic *list, unsigned int n);

#endif
