// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Encoding of a packet of the InfiniBand transport
 *
 * The fabric moves decoded packets; captures show them as they are on the wire.
 *
 * InfiniBand (IBTA volume 1, chapters 7 to 9): LRH, GRH if any, BTH, extended
 * headers, payload padded to words, ICRC, VCRC. RoCE v2 (Annex A17): Ethernet,
 * with a tag where the source is an address in a VLAN, IP and UDP of port 4791, then
 * the same from the BTH to the ICRC.
 *
 * The ICRC covers the fields that do not change on the way. The others count as
 * ones: the VL in the LRH; DSCP, ECN, TTL and checksum of IPv4, or flow label,
 * traffic class and hop limit of IPv6; the checksum of UDP; the byte with FECN and
 * BECN in the BTH. RoCE has eight bytes of ones in place of an LRH.
 */
#include <linux/crc32.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "rdma/dev.h"
#include "rdma/pkt.h"
#include "rdma/sq.h"
#include "rdma/srd/peer.h"

#define HDR_LRH		8
#define HDR_GRH		40
#define HDR_BTH		12
#define HDR_ICRC	4
#define HDR_VCRC	2
#define HDR_CNP		16		/* reserved bytes behind the BTH */
#define HDR_SACK	12		/* first PSN, 64 bits */
#define HDR_SRD		8
#define HDR_MAX		(VLAN_ETH_HLEN + HDR_GRH + 8 + HDR_BTH + 40)

#define HDR_DPORT	4791
#define HDR_VCRC_POLY	0xd008		/* 0x100b, bits reversed */
#define HDR_NEXT_BTH	0x1b		/* next header of a GRH */
#define HDR_BTH_SOLICITED	BIT(7)
#define HDR_BTH_MIGRATED	BIT(6)
#define HDR_LNH_LOCAL	2		/* a BTH follows the LRH */
#define HDR_LNH_GLOBAL	3		/* a GRH does */

/* extended transport headers, in the order on the wire */
#define EXT_DETH	BIT(0)
#define EXT_RETH	BIT(1)
#define EXT_ATOMIC	BIT(2)
#define EXT_AETH	BIT(3)
#define EXT_ATOMIC_ACK	BIT(4)
#define EXT_IMM		BIT(5)
#define EXT_IETH	BIT(6)
#define EXT_CNP		BIT(7)
#define EXT_SACK	BIT(8)
#define EXT_SRD		BIT(9)		/* epoch, path, the oldest PSN that is not done */

static const u8 ext_bytes[] = { 8, 16, 28, 4, 8, 4, 4, HDR_CNP, HDR_SACK, HDR_SRD };

/* by the low five bits of the opcode */
static const u8 ext_of[32] = {
	[IB_OPCODE_SEND_LAST_WITH_IMMEDIATE] = EXT_IMM,
	[IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE] = EXT_IMM,
	[IB_OPCODE_RDMA_WRITE_FIRST] = EXT_RETH,
	[IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE] = EXT_IMM,
	[IB_OPCODE_RDMA_WRITE_ONLY] = EXT_RETH,
	[IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = EXT_RETH | EXT_IMM,
	[IB_OPCODE_RDMA_READ_REQUEST] = EXT_RETH,
	[IB_OPCODE_RDMA_READ_RESPONSE_FIRST] = EXT_AETH,
	[IB_OPCODE_RDMA_READ_RESPONSE_LAST] = EXT_AETH,
	[IB_OPCODE_RDMA_READ_RESPONSE_ONLY] = EXT_AETH,
	[IB_OPCODE_ACKNOWLEDGE] = EXT_AETH,
	[IB_OPCODE_ATOMIC_ACKNOWLEDGE] = EXT_AETH | EXT_ATOMIC_ACK,
	[IB_OPCODE_COMPARE_SWAP] = EXT_ATOMIC,
	[IB_OPCODE_FETCH_ADD] = EXT_ATOMIC,
	[IB_OPCODE_SEND_LAST_WITH_INVALIDATE] = EXT_IETH,
	[IB_OPCODE_SEND_ONLY_WITH_INVALIDATE] = EXT_IETH,
};

/* Where packets may come in any order: each of a write says where it belongs. */
static u32 hdr_ext_any(u8 opcode)
{
	if (opcode >= IB_OPCODE_RC_RDMA_WRITE_FIRST &&
	    opcode <= IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE)
		return EXT_RETH;
	return opcode == IB_OPCODE_RC_ACKNOWLEDGE ? EXT_SACK : 0;
}

/* SRD: all but control packets are datagrams; reads are named, and data says where it belongs. */
static u32 hdr_ext_srd(u8 opcode, u32 ext)
{
	switch (opcode & ~WEFT_OPCODE_SRD) {
	case IB_OPCODE_ACKNOWLEDGE:
		return EXT_SRD | EXT_AETH | EXT_SACK;
	case IB_OPCODE_RDMA_READ_REQUEST:
		return EXT_SRD | EXT_DETH | ext | EXT_IMM;
	case IB_OPCODE_RDMA_WRITE_MIDDLE:
	case IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE:
		return EXT_SRD | EXT_DETH | EXT_RETH;
	default:
		return opcode >= WEFT_SRD_PROBE ? EXT_SRD : EXT_SRD | EXT_DETH | ext;
	}
}

static inline u32 hdr_ext(const struct weft_rpkt *p)
{
	u32 ext = ext_of[p->opcode & 0x1f];

	switch (weft_opcode_transport(p->opcode)) {
	case IB_OPCODE_UD:
		return ext | EXT_DETH;
	case IB_OPCODE_CNP:
		return EXT_CNP;
	case WEFT_OPCODE_SRD:
		return hdr_ext_srd(p->opcode, ext);
	default:
		return p->flags & WEFT_RPKT_ANY ?
		       ext | hdr_ext_any(p->opcode) : ext;
	}
}

/* Length of the extended headers, between BTH and payload. */
static inline u32 hdr_ext_len(const struct weft_rpkt *p)
{
	u32 ext = hdr_ext(p), len = 0;

	for (; ext; ext &= ext - 1)
		len += ext_bytes[__ffs(ext)];
	return len;
}

/* Packets of RoCE have a destination MAC address, those of InfiniBand do not. */
static bool hdr_roce(const struct weft_rpkt *p)
{
	return !is_zero_ether_addr(p->path.dmac);
}

static u32 hdr_pad(const struct weft_rpkt *p)
{
	return -p->len & 3;
}

/* From BTH to ICRC. */
static inline u32 hdr_transport_len(const struct weft_rpkt *p)
{
	return HDR_BTH + hdr_ext_len(p) + p->len +
	       hdr_pad(p) + HDR_ICRC;
}

static u32 hdr_ethernet_len(const struct weft_rpkt *p)
{
	return p->path.vlan ? VLAN_ETH_HLEN : ETH_HLEN;
}

static u32 hdr_ip_len(const struct weft_rpkt *p)
{
	return p->path.is_ipv4 ? sizeof(struct iphdr) : HDR_GRH;
}

/**
 * weft_rpkt_length() - length of a packet's frame
 * @c: the packet; opcode, path and len are set
 *
 * Context: any.
 * Return: bytes, from LRH to VCRC or from Ethernet header to ICRC.
 */
u32 weft_rpkt_length(const struct weft_hwpkt *c)
{
	const struct weft_rpkt *p = weft_rpkt_of(c);
	u32 len = hdr_transport_len(p);

	if (hdr_roce(p))
		return hdr_ethernet_len(p) + hdr_ip_len(p) +
		       sizeof(struct udphdr) + len;
	return HDR_LRH + (p->path.has_grh ? HDR_GRH : 0) + len + HDR_VCRC;
}

/**
 * weft_rpkt_has_bth() - is the BTH among the bytes that are left of a packet?
 * @p: a packet that a switch may have trimmed
 *
 * InfiniBand trims nothing.
 *
 * Context: any.
 * Return: true if it is.
 */
bool weft_rpkt_has_bth(const struct weft_rpkt *p)
{
	return p->hw.pkt.len >= hdr_ethernet_len(p) + hdr_ip_len(p) +
				sizeof(struct udphdr) + HDR_BTH;
}

/* Traffic class with the ECN bits that the fabric has set. */
static u8 hdr_tclass(const struct weft_rpkt *p)
{
	u8 tclass = p->path.tclass;

	if (p->hw.pkt.flags & FAB_PKT_CE)
		return tclass | INET_ECN_CE;
	if (p->hw.pkt.flags & FAB_PKT_ECT && INET_ECN_is_not_ect(tclass))
		return tclass | INET_ECN_ECT_0;
	return tclass;
}

static void hdr_ipv4(const struct weft_rpkt *p, struct iphdr *ip)
{
	*ip = (struct iphdr) {
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tos = hdr_tclass(p),
		.tot_len = htons(sizeof(*ip) + sizeof(struct udphdr) +
				 hdr_transport_len(p)),
		.frag_off = htons(IP_DF),
		.ttl = p->path.hop_limit,
		.protocol = IPPROTO_UDP,
	};
	memcpy(&ip->saddr, &p->path.sgid.raw[12], 4);
	memcpy(&ip->daddr, &p->path.dgid.raw[12], 4);
	ip_send_check(ip);
}

/* An IPv6 header and a GRH differ only in the next header. */
static void hdr_grh(const struct weft_rpkt *p, struct ib_grh *grh)
{
	u8 tclass = hdr_roce(p) ? hdr_tclass(p) : p->path.tclass;
	u32 len = hdr_transport_len(p);

	if (hdr_roce(p))
		len += sizeof(struct udphdr);
	*grh = (struct ib_grh) {
		.version_tclass_flow = htonl(6u << 28 | (u32)tclass << 20 |
					     (p->path.flow_label & 0xfffff)),
		.paylen = htons(len),
		.next_hdr = hdr_roce(p) ? IPPROTO_UDP : HDR_NEXT_BTH,
		.hop_limit = p->path.hop_limit,
		.sgid = p->path.sgid,
		.dgid = p->path.dgid,
	};
}

/**
 * weft_rpkt_grh() - the 40 bytes that a receiver gets in front of a datagram
 * @p: the packet
 * @grh: set to its GRH or IPv6 header, to 20 zeros and its IPv4 header, or to zeros
 *
 * Context: any.
 */
void weft_rpkt_grh(const struct weft_rpkt *p, struct ib_grh *grh)
{
	struct iphdr ip;

	memset(grh, 0, sizeof(*grh));
	if (hdr_roce(p) && p->path.is_ipv4) {
		hdr_ipv4(p, &ip);
		memcpy((u8 *)grh + sizeof(*grh) - sizeof(ip), &ip, sizeof(ip));
	} else if (hdr_roce(p) || p->path.has_grh) {
		hdr_grh(p, grh);
	}
}

static u8 *put32(u8 *at, u32 v)
{
	put_unaligned_be32(v, at);
	return at + 4;
}

static u8 *put64(u8 *at, u64 v)
{
	put_unaligned_be64(v, at);
	return at + 8;
}

static u8 *put_grh(const struct weft_rpkt *p, u8 *at)
{
	struct ib_grh grh;

	hdr_grh(p, &grh);
	memcpy(at, &grh, sizeof(grh));
	return at + sizeof(grh);
}

static u8 *put_ipv4(const struct weft_rpkt *p, u8 *at)
{
	struct iphdr ip;

	hdr_ipv4(p, &ip);
	memcpy(at, &ip, sizeof(ip));
	return at + sizeof(ip);
}

static u8 *put_link(const struct weft_rpkt *p, u8 *at)
{
	u32 words = (weft_rpkt_length(&p->hw) - HDR_VCRC) / 4;

	*at++ = p->hw.pkt.cls << 4;
	*at++ = p->hw.pkt.sl << 4 |
		(p->path.has_grh ? HDR_LNH_GLOBAL : HDR_LNH_LOCAL);
	at = put32(at, (u32)p->path.dlid << 16 | (words & 0x7ff));
	put_unaligned_be16(p->path.slid, at);
	at += 2;
	return p->path.has_grh ? put_grh(p, at) : at;
}

static u8 *put16(u8 *at, u16 v)
{
	put_unaligned_be16(v, at);
	return at + 2;
}

static u8 *put_tag(const struct weft_rpkt *p, u8 *at)
{
	u16 prio = p->hw.pkt.sl;

	if (!p->path.vlan)
		return at;
	return put16(put16(at, ETH_P_8021Q),
		     prio << VLAN_PRIO_SHIFT | p->path.vlan);
}

static u8 *put_ethernet(const struct weft_rpkt *p, u8 *at)
{
	const struct udphdr udp = {
		.source = htons(p->path.sport),
		.dest = htons(HDR_DPORT),
		.len = htons(sizeof(udp) + hdr_transport_len(p)),
	};

	memcpy(at, p->path.dmac, ETH_ALEN);
	memcpy(at + ETH_ALEN, p->path.smac, ETH_ALEN);
	at = put_tag(p, at + 2 * ETH_ALEN);
	at = put16(at, p->path.is_ipv4 ? ETH_P_IP : ETH_P_IPV6);
	at = p->path.is_ipv4 ? put_ipv4(p, at) : put_grh(p, at);
	memcpy(at, &udp, sizeof(udp));
	return at + sizeof(udp);
}

/* MigReq is always 1: there is no alternate path. */
static u8 hdr_bth_flags(const struct weft_rpkt *p)
{
	u8 flags = hdr_pad(p) << 4;

	if (weft_opcode_transport(p->opcode) <= IB_OPCODE_UC)
		flags |= HDR_BTH_MIGRATED;
	if (p->flags & WEFT_RPKT_SOLICITED)
		flags |= HDR_BTH_SOLICITED;
	return flags;
}

static u8 *put_bth(const struct weft_rpkt *p, u8 *at)
{
	bool fecn = !hdr_roce(p) && p->hw.pkt.flags & FAB_PKT_CE;

	*at++ = p->opcode | (p->flags & WEFT_RPKT_ANY ? WEFT_OPCODE_ANY : 0);
	*at++ = hdr_bth_flags(p);
	put_unaligned_be16(p->pkey, at);
	at = put32(at + 2, (fecn ? BIT(31) : 0) |
			   (p->flags & WEFT_RPKT_BECN ? BIT(30) : 0) |
			   (p->dqpn & IB_QPN_MASK));
	return put32(at, (p->flags & WEFT_RPKT_ACK_REQ ? BIT(31) : 0) |
			 (p->psn & WEFT_PSN_MASK));
}

static u8 *put_reth(const struct weft_rpkt *p, u8 *at)
{
	return put32(put32(put64(at, p->va), p->rkey), p->dma_len);
}

static u8 *put_atomic(const struct weft_rpkt *p, u8 *at)
{
	at = put32(put64(at, p->va), p->rkey);
	return put64(put64(at, p->swap), p->compare);
}

static u8 *put_extended(const struct weft_rpkt *p, u8 *at)
{
	u32 ext = hdr_ext(p);

	if (ext & EXT_DETH)
		at = put32(put32(at, p->qkey), p->sqpn);
	if (ext & EXT_SRD)
		at = put32(put32(at, p->epoch), (u32)p->srd_path << 24 |
						(p->msn & WEFT_PSN_MASK));
	if (ext & EXT_RETH)
		at = put_reth(p, at);
	if (ext & EXT_ATOMIC)
		at = put_atomic(p, at);
	if (ext & EXT_AETH)
		at = put32(at, (u32)p->syndrome << 24 |
			       (p->msn & WEFT_PSN_MASK));
	if (ext & EXT_ATOMIC_ACK)
		at = put64(at, p->compare);
	if (ext & EXT_SACK)
		at = put64(put32(at, p->dma_len & WEFT_PSN_MASK), p->va);
	if (ext & EXT_IMM)
		at = put32(at, be32_to_cpu(p->imm));
	if (ext & EXT_IETH)
		at = put32(at, p->rkey);
	if (ext & EXT_CNP) {
		memset(at, 0, HDR_CNP);
		at += HDR_CNP;
	}
	return at;
}

/* A payload whose memory is gone is zeros. */
static void put_payload(const struct weft_rpkt *p, u8 *at, u32 len)
{
	const struct weft_mem *from, to = { .kbuf = at };

	if (p->data) {
		memcpy(at, p->data, len);
		return;
	}
	from = weft_rpkt_payload(p);
	if (!from || weft_mem_copy(&to, 0, from, p->offset, len))
		memset(at, 0, len);
}

static u32 icrc_mask_roce(const struct weft_rpkt *p, u8 *hdr, u32 crc)
{
	static const u8 ones[HDR_LRH] = { [0 ... HDR_LRH - 1] = 0xff };
	u8 *ip = hdr + hdr_ethernet_len(p), *udp = ip + hdr_ip_len(p);

	crc = crc32_le(crc, ones, sizeof(ones));
	if (p->path.is_ipv4) {
		ip[1] = 0xff;
		ip[8] = 0xff;
		memset(ip + 10, 0xff, 2);
	} else {
		ip[0] |= 0x0f;
		memset(ip + 1, 0xff, 3);
		ip[7] = 0xff;
	}
	memset(udp + 6, 0xff, 2);
	return crc;
}

static void icrc_mask_ib(const struct weft_rpkt *p, u8 *hdr)
{
	hdr[0] |= 0xf0;
	if (!p->path.has_grh)
		return;
	hdr[HDR_LRH] |= 0x0f;
	memset(hdr + HDR_LRH + 1, 0xff, 3);
	hdr[HDR_LRH + 7] = 0xff;
}

/* ICRC of @frame, whose first @len bytes are headers; the ICRC itself is at @end. */
static u32 hdr_icrc(const struct weft_rpkt *p, const u8 *frame, u32 len,
		    u32 end)
{
	u32 skip = hdr_roce(p) ? hdr_ethernet_len(p) : 0, crc = ~0u;
	u32 bth = len - hdr_ext_len(p) - HDR_BTH;
	u8 hdr[HDR_MAX];

	memcpy(hdr, frame, len);
	hdr[bth + 4] = 0xff;
	if (hdr_roce(p))
		crc = icrc_mask_roce(p, hdr, crc);
	else
		icrc_mask_ib(p, hdr);
	crc = crc32_le(crc, hdr + skip, len - skip);
	return ~crc32_le(crc, frame + len, end - len);
}

/* x^16 + x^12 + x^3 + x + 1, seed of ones, complemented (IBTA 7.8.2). */
static u16 hdr_vcrc(const u8 *frame, u32 len)
{
	u16 crc = 0xffff;
	int bit;

	for (; len; len--) {
		crc ^= *frame++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? HDR_VCRC_POLY : 0);
	}
	return ~crc;
}

static u32 put_headers(const struct weft_rpkt *p, u8 *buf)
{
	u8 *at = hdr_roce(p) ? put_ethernet(p, buf) : put_link(p, buf);

	return put_extended(p, put_bth(p, at)) - buf;
}

/**
 * weft_rpkt_frame() - encode the first bytes of a packet's frame
 * @c: the packet
 * @buf: set to them
 * @len: how many, at most weft_rpkt_length()
 *
 * VL, FECN and ECN are those of the present wire.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_rpkt_frame(const struct weft_hwpkt *c, void *buf, u32 len)
{
	const struct weft_rpkt *p = weft_rpkt_of(c);
	u32 n, at, end;
	u8 hdr[HDR_MAX];

	n = put_headers(p, hdr);
	memcpy(buf, hdr, min(n, len));
	if (len <= n)
		return;
	put_payload(p, buf + n, min(p->len, len - n));
	at = min(n + p->len, len);
	memset(buf + at, 0, len - at);
	if (len < weft_rpkt_length(c))	/* cut off before the CRC */
		return;
	end = n + p->len + hdr_pad(p);
	put_unaligned_le32(hdr_icrc(p, buf, n, end), buf + end);
	if (!hdr_roce(p))
		put_unaligned_le16(hdr_vcrc(buf, end + HDR_ICRC),
				   buf + end + HDR_ICRC);
}
