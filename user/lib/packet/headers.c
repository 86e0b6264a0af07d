// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Headers of packets: their kind, addresses and ports.
 *
 * Supported are Ethernet with at most one VLAN tag, IPv4, IPv6 without
 * extension headers, RoCE v2 (UDP to port 4791), and InfiniBand with LRH, with
 * or without a GRH. Anything else, or a packet that is cut off, is "other".
 */
#include "packet/headers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define ETH_HEADER	14
#define TYPE_IP		0x0800
#define TYPE_ARP	0x0806
#define TYPE_VLAN	0x8100
#define TYPE_IPV6	0x86dd
#define IPV6_HEADER	40
#define UDP_HEADER	8
#define LRH		8
#define GRH		40
#define BTH		12
#define LNH_GLOBAL	3	/* a GRH follows the LRH */

/**
 * struct cursor - the bytes that are not parsed yet
 * @p: the next byte
 * @len: number of bytes left
 */
struct cursor {
	const uint8_t *p;
	size_t len;
};

/* Return the next @n bytes and step over them; NULL if fewer are left. */
static const uint8_t *take(struct cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (c->len < n)
		return NULL;
	c->p += n;
	c->len -= n;
	return p;
}

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | get16(p + 1);
}

static void parse_bth(struct weft_headers *h, struct cursor c)
{
	const uint8_t *bth = take(&c, BTH);

	if (!bth)
		return;
	h->kind = WEFT_HEADERS_VERBS;
	h->opcode = bth[0];
	h->qp = get24(bth + 5);
	h->psn = get24(bth + 9);
}

static void parse_ports(struct weft_headers *h, struct cursor c, bool is_udp)
{
	const uint8_t *p = take(&c, is_udp ? UDP_HEADER : 4);

	if (!p)
		return;
	h->kind = is_udp ? WEFT_HEADERS_UDP : WEFT_HEADERS_TCP;
	h->sport = get16(p);
	h->dport = get16(p + 2);
	if (is_udp && h->dport == WEFT_ROCE_PORT)
		parse_bth(h, c);
}

static void parse_protocol(struct weft_headers *h, struct cursor c,
			   uint8_t protocol)
{
	h->kind = WEFT_HEADERS_IP;
	if (protocol == IPPROTO_TCP || protocol == IPPROTO_UDP)
		parse_ports(h, c, protocol == IPPROTO_UDP);
	else if (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6)
		h->kind = WEFT_HEADERS_ICMP;
}

static void parse_ip(struct weft_headers *h, struct cursor c)
{
	size_t words = c.len ? c.p[0] & 15 : 0;
	const uint8_t *ip;

	if (words < 5)
		return;
	ip = take(&c, 4 * words);
	if (!ip)
		return;
	inet_ntop(AF_INET, ip + 12, h->src, sizeof(h->src));
	inet_ntop(AF_INET, ip + 16, h->dst, sizeof(h->dst));
	/* Only the first fragment has ports. */
	parse_protocol(h, c, get16(ip + 6) & 0x1fff ? 0 : ip[9]);
}

static void parse_ipv6(struct weft_headers *h, struct cursor c)
{
	const uint8_t *ip = take(&c, IPV6_HEADER);

	if (!ip)
		return;
	inet_ntop(AF_INET6, ip + 8, h->src, sizeof(h->src));
	inet_ntop(AF_INET6, ip + 24, h->dst, sizeof(h->dst));
	parse_protocol(h, c, ip[6]);
}

static void parse_ethernet(struct weft_headers *h, struct cursor c)
{
	const uint8_t *eth = take(&c, ETH_HEADER);
	uint16_t type;

	if (!eth)
		return;
	type = get16(eth + 12);
	if (type == TYPE_VLAN) {
		eth = take(&c, 4);
		type = eth ? get16(eth + 2) : 0;
	}
	if (type == TYPE_ARP)
		h->kind = WEFT_HEADERS_ARP;
	else if (type == TYPE_IP)
		parse_ip(h, c);
	else if (type == TYPE_IPV6)
		parse_ipv6(h, c);
}

static void parse_lrh(struct weft_headers *h, struct cursor c)
{
	const uint8_t *lrh = take(&c, LRH);

	if (!lrh)
		return;
	snprintf(h->src, sizeof(h->src), "lid %u", get16(lrh + 6));
	snprintf(h->dst, sizeof(h->dst), "lid %u", get16(lrh + 2));
	if ((lrh[1] & 3) == LNH_GLOBAL && !take(&c, GRH))
		return;
	parse_bth(h, c);
}

/**
 * weft_headers_parse() - parse the headers of a packet
 * @h: result
 * @data: its first bytes
 * @len: bytes of @data
 * @is_lrh: it begins with an LRH of InfiniBand, not with an Ethernet header
 */
void weft_headers_parse(struct weft_headers *h, const uint8_t *data, size_t len,
			bool is_lrh)
{
	struct cursor c = { .p = data, .len = len };

	*h = (struct weft_headers) { 0 };
	if (is_lrh)
		parse_lrh(h, c);
	else
		parse_ethernet(h, c);
}

/**
 * weft_headers_kind_name() - name of a kind of packet
 * @kind: the kind
 *
 * Return: its name.
 */
const char *weft_headers_kind_name(enum weft_headers_kind kind)
{
	static const char *const names[] = {
		"other", "arp", "ip", "icmp", "tcp", "udp", "verbs",
	};

	return names[kind];
}

/**
 * weft_headers_text() - describe a packet for people
 * @h: its headers
 * @buf: result
 * @len: size of @buf
 */
void weft_headers_text(const struct weft_headers *h, char *buf, size_t len)
{
	const char *kind = weft_headers_kind_name(h->kind);

	if (h->kind == WEFT_HEADERS_VERBS)
		snprintf(buf, len, "%s %s > %s qp %u psn %u opcode %u", kind,
			 h->src, h->dst, h->qp, h->psn, h->opcode);
	else if (h->kind == WEFT_HEADERS_TCP || h->kind == WEFT_HEADERS_UDP)
		snprintf(buf, len, "%s %s:%u > %s:%u", kind, h->src, h->sport,
			 h->dst, h->dport);
	else if (*h->src)
		snprintf(buf, len, "%s %s > %s", kind, h->src, h->dst);
	else
		snprintf(buf, len, "%s", kind);
}
