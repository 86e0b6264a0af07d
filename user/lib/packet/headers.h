/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of packets: their kind, addresses and ports.
 */
#ifndef WEFT_HEADERS_H
#define WEFT_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_ROCE_PORT	4791

/**
 * enum weft_headers_kind - kinds of packets
 * @WEFT_HEADERS_OTHER: none of those below
 * @WEFT_HEADERS_ARP: address resolution
 * @WEFT_HEADERS_IP: IP with a protocol that has no ports
 * @WEFT_HEADERS_ICMP: ICMP or ICMPv6
 * @WEFT_HEADERS_TCP: TCP
 * @WEFT_HEADERS_UDP: UDP
 * @WEFT_HEADERS_VERBS: packet of an RDMA device
 */
enum weft_headers_kind {
	WEFT_HEADERS_OTHER,
	WEFT_HEADERS_ARP,
	WEFT_HEADERS_IP,
	WEFT_HEADERS_ICMP,
	WEFT_HEADERS_TCP,
	WEFT_HEADERS_UDP,
	WEFT_HEADERS_VERBS,
};

/**
 * struct weft_headers - headers of a packet
 */
struct weft_headers {
	/** @kind: its kind */
	enum weft_headers_kind kind;
	/** @src: source address: IP or LID; empty for none */
	char src[48];
	/** @dst: destination address: IP or LID; empty for none */
	char dst[48];
	/** @sport: source port of TCP or UDP */
	uint16_t sport;
	/** @dport: destination port of TCP or UDP */
	uint16_t dport;
	/** @qp: verbs: destination queue pair */
	uint32_t qp;
	/** @psn: verbs: packet sequence number */
	uint32_t psn;
	/** @opcode: verbs: opcode of the BTH */
	uint8_t opcode;
};

void weft_headers_parse(struct weft_headers *h, const uint8_t *data, size_t len,
			bool is_lrh);
const char *weft_headers_kind_name(enum weft_headers_kind kind);
void weft_headers_text(const struct weft_headers *h, char *buf, size_t len);

#endif
