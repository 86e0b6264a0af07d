// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Control frames and InfiniBand packets, byte by byte
 *
 * The model has lengths and fields only; a capture needs bytes.
 *
 * - PAUSE: IEEE 802.3 annex 31B. PFC: IEEE 802.1Qbb, annex 31D of 802.3. Both are
 *   MAC control frames, 64 bytes with FCS.
 * - InfiniBand: IBTA volume 1, chapters 7 (link packets, LRH, CRCs) and 9
 *   (BTH, DETH); IP over InfiniBand is RFC 4391.
 * - NVLink and PCIe, LLR and CBFC of Ultra Ethernet: the layout of their flits and
 *   control ordered sets is not public, or capture tools do not dissect it. They are
 *   Ethernet frames of the local experimental type 0x88b5, all fields in network byte
 *   order:
 *
 *   ====== ==== ==========================================
 *   offset size field
 *   ====== ==== ==========================================
 *   0      1    version, 1
 *   1      1    type: 1 credit, 2 ack, 3 nak, 4 freed, 5 consumed
 *   2      1    virtual channel
 *   3      1    0
 *   4      4    header credits
 *   8      4    data credits; credits freed or consumed
 *   12     8    sequence
 *   ====== ==== ==========================================
 *
 * Not modelled: the GRH, and therefore multicast on InfiniBand.
 */
#include "packet/frames.h"

#include <string.h>

#define ETHERTYPE_MAC_CONTROL	0x8808
#define OPCODE_PAUSE		0x0001
#define OPCODE_PFC		0x0101

#define CRC32_POLY		0xedb88320u	/* 0x04c11db7, bits reversed */
#define CRC16_IB_POLY		0xd008u		/* 0x100b, bits reversed */

#define LNH_LOCAL		2	/* a BTH follows the LRH */
#define UD_SEND_ONLY		0x64
#define DEFAULT_PKEY		0xffff
#define IPOIB_QKEY		0x0b1b
#define LRH_WORDS		2

static const uint8_t mac_control[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

static uint8_t *put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, (uint16_t)(v >> 16)), (uint16_t)v);
}

/* Put 8 bits and 24 bits. */
static uint8_t *put8_24(uint8_t *p, uint8_t top, uint32_t v)
{
	return put32(p, (uint32_t)top << 24 | (v & 0xffffff));
}

/**
 * weft_crc32() - compute the CRC of Ethernet's FCS and of InfiniBand's ICRC
 * @crc: 0, or the CRC of the preceding bytes
 * @data: bytes
 * @len: number of bytes
 *
 * Return: the CRC; it is sent low byte first.
 */
uint32_t weft_crc32(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (crc = ~crc; len; len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC32_POLY : 0);
	}
	return ~crc;
}

/**
 * weft_crc16_ib() - compute the CRC of InfiniBand's VCRC and LPCRC
 * @crc: 0, or the CRC of the preceding bytes
 * @data: bytes
 * @len: number of bytes
 *
 * The polynomial is x^16 + x^12 + x^3 + x + 1, the seed 0xffff; the result is
 * complemented (IBTA volume 1, 7.8.2).
 *
 * Return: the CRC; it is sent low byte first.
 */
uint16_t weft_crc16_ib(uint16_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;
	unsigned int v = ~crc & 0xffffu;

	for (; len; len--) {
		v ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? CRC16_IB_POLY : 0);
	}
	return (uint16_t)~v;
}

static uint8_t *put_crc16(uint8_t *p, uint16_t crc)
{
	p[0] = (uint8_t)crc;
	p[1] = (uint8_t)(crc >> 8);
	return p + 2;
}

static uint8_t *put_crc32(uint8_t *p, uint32_t crc)
{
	return put_crc16(put_crc16(p, (uint16_t)crc), (uint16_t)(crc >> 16));
}

static uint8_t *put_mac_control(uint8_t *buf, const uint8_t src[6],
				uint16_t opcode)
{
	memset(buf, 0, WEFT_ETH_MIN);
	memcpy(buf, mac_control, 6);
	memcpy(buf + 6, src, 6);
	return put16(put16(buf + 12, ETHERTYPE_MAC_CONTROL), opcode);
}

/**
 * weft_frame_pause() - make a PAUSE frame, without FCS
 * @buf: result
 * @src: MAC address of the port that requests the pause
 * @quanta: length of the pause in 512 bit times; 0 ends it
 */
void weft_frame_pause(uint8_t buf[WEFT_ETH_MIN], const uint8_t src[6],
		      uint16_t quanta)
{
	put16(put_mac_control(buf, src, OPCODE_PAUSE), quanta);
}

/**
 * weft_frame_pfc() - make a PFC frame, without FCS
 * @buf: result
 * @src: MAC address of the port that requests the pause
 * @enable: bit N: @quanta[N] is valid
 * @quanta: length of the pause of each priority in 512 bit times; 0 ends it
 */
void weft_frame_pfc(uint8_t buf[WEFT_ETH_MIN], const uint8_t src[6],
		    uint8_t enable, const uint16_t quanta[WEFT_PFC_CLASSES])
{
	uint8_t *p = put_mac_control(buf, src, OPCODE_PFC);

	p = put16(p, enable);
	for (unsigned int i = 0; i < WEFT_PFC_CLASSES; i++)
		p = put16(p, enable >> i & 1 ? quanta[i] : 0);
}

/**
 * weft_frame_flit() - make a control flit as an Ethernet frame, without FCS
 * @buf: result
 * @flit: the flit
 */
void weft_frame_flit(uint8_t buf[WEFT_FLIT_FRAME], const struct weft_flit *flit)
{
	uint8_t *p = buf + WEFT_ETH_HEADER - 2;

	memset(buf, 0, WEFT_FLIT_FRAME);
	p = put16(p, WEFT_FLIT_ETHERTYPE);
	*p++ = WEFT_FLIT_VERSION;
	*p++ = (uint8_t)flit->type;
	*p++ = flit->vc;
	*p++ = 0;
	p = put32(p, flit->header_credits);
	p = put32(p, flit->data_credits);
	p = put32(p, (uint32_t)(flit->sequence >> 32));
	put32(p, (uint32_t)flit->sequence);
}

/**
 * weft_frame_ib_fc() - make an InfiniBand flow control packet
 * @buf: result
 * @op: 0 normal, 1 initialise
 * @vl: virtual lane, 4 bits
 * @fctbs: blocks sent, modulo 4096
 * @fccl: credit limit, modulo 4096
 */
void weft_frame_ib_fc(uint8_t buf[WEFT_IB_FC], uint8_t op, uint8_t vl,
		      uint16_t fctbs, uint16_t fccl)
{
	put16(buf, (uint16_t)(op << 12 | (fctbs & 0xfff)));
	put16(buf + 2, (uint16_t)(vl << 12 | (fccl & 0xfff)));
	put_crc16(buf + 4, weft_crc16_ib(0, buf, 4));
}

static size_t pad(size_t payload)
{
	return -payload & 3;
}

/**
 * weft_frame_ib_size() - size of the InfiniBand packet that carries a frame
 * @eth_len: bytes of the Ethernet frame, from its header, without FCS
 *
 * The Ethernet header is not carried; its type is in the IPoIB header.
 *
 * Return: bytes from LRH to VCRC.
 */
size_t weft_frame_ib_size(size_t eth_len)
{
	size_t payload = eth_len - WEFT_ETH_HEADER;

	return WEFT_IB_HEADERS + payload + pad(payload) + WEFT_IB_ICRC +
	       WEFT_IB_VCRC;
}

static uint8_t *put_lrh(uint8_t *p, const struct weft_ib_packet *pkt,
			size_t words)
{
	*p++ = (uint8_t)(pkt->vl << 4);
	*p++ = (uint8_t)(pkt->sl << 4 | LNH_LOCAL);
	p = put16(p, pkt->dlid);
	p = put16(p, (uint16_t)(words & 0x7ff));
	return put16(p, pkt->slid);
}

static uint8_t *put_bth(uint8_t *p, const struct weft_ib_packet *pkt,
			size_t padding)
{
	unsigned int marks = (pkt->fecn ? 0x80u : 0) | (pkt->becn ? 0x40u : 0);

	*p++ = UD_SEND_ONLY;
	*p++ = (uint8_t)(padding << 4);
	p = put16(p, DEFAULT_PKEY);
	p = put8_24(p, (uint8_t)marks, pkt->dest_qp);
	return put8_24(p, 0, pkt->psn);
}

/**
 * weft_frame_ib_headers() - make the headers of a UD packet of IP over InfiniBand
 * @buf: result
 * @pkt: fields of the headers
 * @ethertype: type of the Ethernet frame inside
 * @payload: bytes after the frame's header
 */
void weft_frame_ib_headers(uint8_t buf[WEFT_IB_HEADERS],
			   const struct weft_ib_packet *pkt, uint16_t ethertype,
			   size_t payload)
{
	size_t size = WEFT_IB_HEADERS + payload + pad(payload) + WEFT_IB_ICRC;
	uint8_t *p = put_lrh(buf, pkt, size / 4);

	p = put_bth(p, pkt, pad(payload));
	p = put32(p, IPOIB_QKEY);
	p = put8_24(p, 0, pkt->src_qp);
	p = put16(p, ethertype);
	put16(p, 0);
}

/**
 * weft_frame_ib_crcs() - fill in ICRC and VCRC
 * @packet: the packet from its LRH on; its last six bytes are overwritten
 * @len: size of the packet, both CRCs included
 *
 * The ICRC takes fields that switches change as ones: the VL in the LRH, and
 * the byte with FECN and BECN in the BTH.
 */
void weft_frame_ib_crcs(uint8_t *packet, size_t len)
{
	size_t icrc = len - WEFT_IB_VCRC - WEFT_IB_ICRC;
	uint8_t head[4 * LRH_WORDS + 5];
	uint32_t crc;

	memcpy(head, packet, sizeof(head));
	head[0] |= 0xf0;
	head[12] = 0xff;
	crc = weft_crc32(0, head, sizeof(head));
	crc = weft_crc32(crc, packet + sizeof(head), icrc - sizeof(head));
	put_crc32(packet + icrc, crc);
	put_crc16(packet + len - WEFT_IB_VCRC,
		  weft_crc16_ib(0, packet, len - WEFT_IB_VCRC));
}
