/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control frames and InfiniBand packets, byte by byte.
 */
#ifndef WEFT_FRAMES_H
#define WEFT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_ETH_HEADER		14
#define WEFT_ETH_MIN		60	/* without FCS */
#define WEFT_ETH_FCS		4
#define WEFT_PFC_CLASSES	8

/* LRH 8, BTH 12, DETH 8, IPoIB 4 */
#define WEFT_IB_HEADERS		32
#define WEFT_IB_ICRC		4
#define WEFT_IB_VCRC		2
#define WEFT_IB_FC		6
/* PktLen has 11 bits and counts words of 4 bytes, from the LRH to the ICRC. */
#define WEFT_IB_MAX		(2047 * 4 + WEFT_IB_VCRC)

#define WEFT_FLIT_ETHERTYPE	0x88b5
#define WEFT_FLIT_VERSION	1
#define WEFT_FLIT_FRAME		(WEFT_ETH_HEADER + 20)

/**
 * struct weft_ib_packet - header fields of an InfiniBand packet
 */
struct weft_ib_packet {
	/** @slid: source LID */
	uint16_t slid;
	/** @dlid: destination LID */
	uint16_t dlid;
	/** @sl: service level, 4 bits */
	uint8_t sl;
	/** @vl: virtual lane, 4 bits */
	uint8_t vl;
	/** @fecn: FECN: a switch marked the packet */
	bool fecn;
	/** @becn: BECN: reports a mark to the sender */
	bool becn;
	/** @dest_qp: destination queue pair, 24 bits */
	uint32_t dest_qp;
	/** @src_qp: source queue pair, 24 bits */
	uint32_t src_qp;
	/** @psn: packet sequence number, 24 bits */
	uint32_t psn;
};

/**
 * enum weft_flit_type - control flits of links with flits, control ordered sets
 * @WEFT_FLIT_CREDIT: returns credits
 * @WEFT_FLIT_ACK: all packets up to the sequence number have arrived
 * @WEFT_FLIT_NAK: send again from the sequence number on
 * @WEFT_FLIT_FREED: credits freed (CF_Update)
 * @WEFT_FLIT_CONSUMED: credits consumed (CC_Update)
 */
enum weft_flit_type {
	WEFT_FLIT_CREDIT = 1,
	WEFT_FLIT_ACK,
	WEFT_FLIT_NAK,
	WEFT_FLIT_FREED,
	WEFT_FLIT_CONSUMED,
};

/**
 * struct weft_flit - a control flit of NVLink or PCIe, a message of Ultra Ethernet
 */
struct weft_flit {
	/** @type: its type */
	enum weft_flit_type type;
	/** @vc: virtual channel */
	uint8_t vc;
	/** @header_credits: header credits since the link came up */
	uint32_t header_credits;
	/** @data_credits: data credits, or those freed or consumed, since the link came up */
	uint32_t data_credits;
	/**
	 * @sequence: sequence number that is acknowledged, or the first to send
	 * again
	 */
	uint64_t sequence;
};

uint32_t weft_crc32(uint32_t crc, const void *data, size_t len);
uint16_t weft_crc16_ib(uint16_t crc, const void *data, size_t len);

void weft_frame_pause(uint8_t buf[WEFT_ETH_MIN], const uint8_t src[6],
		      uint16_t quanta);
void weft_frame_pfc(uint8_t buf[WEFT_ETH_MIN], const uint8_t src[6],
		    uint8_t enable, const uint16_t quanta[WEFT_PFC_CLASSES]);
void weft_frame_flit(uint8_t buf[WEFT_FLIT_FRAME], const struct weft_flit *flit);
void weft_frame_ib_fc(uint8_t buf[WEFT_IB_FC], uint8_t op, uint8_t vl,
		      uint16_t fctbs, uint16_t fccl);
size_t weft_frame_ib_size(size_t eth_len);
void weft_frame_ib_headers(uint8_t buf[WEFT_IB_HEADERS],
			   const struct weft_ib_packet *pkt, uint16_t ethertype,
			   size_t payload);
void weft_frame_ib_crcs(uint8_t *packet, size_t len);

#endif
