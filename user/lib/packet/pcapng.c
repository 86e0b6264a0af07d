// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Captures in the pcapng format
 *
 * A file as in draft-ietf-opsawg-pcapng has one section, an interface
 * description block for each interface, and an enhanced packet block for each
 * frame. Time stamps are fabric time in units of 100 ps (if_tsresol 10), counted
 * from 1970. Wireshark 4.0 multiplies the part of a second by 10^9 in 64 bits. In
 * units of 1 ps that overflows, and its times would begin anew each 18.4 ms. Blocks
 * are in the byte order of the machine, as the format allows.
 *
 * Ethernet is link type 1. For InfiniBand the link type is ERF, 197, the only
 * one with which Wireshark reads link packets. Each packet begins with the
 * header of an ERF record by Endace (type 21 for packets, 25 for flow control).
 * It has the time again, in units of 2^-32 s.
 *
 * Wireshark's dissector of link packets first reads the headers of a data
 * packet, and fails if the record is shorter. So the 6 bytes of a flow control
 * packet are padded with zeros to 48, which are not part of the packet.
 *
 * A frame of which only the first bytes are available is written truncated,
 * with its true length. Only complete frames have CRCs.
 */
#include "packet/pcapng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"

#define BLOCK_SECTION		0x0a0d0d0au
#define BLOCK_INTERFACE		1u
#define BLOCK_PACKET		6u
#define BYTE_ORDER_MAGIC	0x1a2b3c4du

#define OPT_END			0
#define OPT_COMMENT		1
#define OPT_SHB_USERAPPL	4
#define OPT_IF_NAME		2
#define OPT_IF_SPEED		8
#define OPT_IF_TSRESOL		9
#define OPT_IF_FCSLEN		13
#define OPT_EPB_FLAGS		2
#define EPB_FLAGS_FCS_SHIFT	5
#define TSRESOL			10	/* units of 10^-10 s */
#define TSRESOL_PS		100

#define LINKTYPE_ETHERNET	1
#define LINKTYPE_ERF		197
#define ERF_HEADER		16
#define ERF_VARYING_LENGTH	4
#define ERF_INFINIBAND		21
#define ERF_INFINIBAND_LINK	25
/* Wireshark 4.0 reads an LRH and a GRH before it looks at a link packet. */
#define ERF_LINK_PAYLOAD	48

/* Append @len bytes; zeros if @data is NULL. */
static uint8_t *append(struct weft_pcapng *p, const void *data, size_t len)
{
	size_t need = p->len + len;
	uint8_t *to;

	if (need > p->size) {
		to = p->nomem ? NULL : realloc(p->block, 2 * need);
		if (!to) {
			p->nomem = true;
			return NULL;
		}
		p->block = to;
		p->size = 2 * need;
	}
	to = p->block + p->len;
	if (data)
		memcpy(to, data, len);
	else
		memset(to, 0, len);
	p->len = need;
	return to;
}

static void append16(struct weft_pcapng *p, uint16_t v)
{
	append(p, &v, sizeof(v));
}

static void append32(struct weft_pcapng *p, uint32_t v)
{
	append(p, &v, sizeof(v));
}

/* Blocks and options are padded to 4 bytes. */
static void align(struct weft_pcapng *p)
{
	append(p, NULL, -p->len & 3);
}

static void append_option(struct weft_pcapng *p, uint16_t code,
			  const void *data, size_t len)
{
	if (len > UINT16_MAX)
		len = UINT16_MAX;
	append16(p, code);
	append16(p, (uint16_t)len);
	append(p, data, len);
	align(p);
}

static void begin_block(struct weft_pcapng *p, uint32_t type)
{
	p->len = 0;
	p->nomem = false;
	append32(p, type);
	append32(p, 0);
}

/* The length of a block is after its type, and again at its end. */
static int end_block(struct weft_pcapng *p, struct weft_err *err)
{
	uint32_t total;

	append16(p, OPT_END);
	append16(p, 0);
	total = (uint32_t)p->len + (uint32_t)sizeof(total);
	append32(p, total);
	if (p->nomem)
		return weft_err_nomem(err);
	memcpy(p->block + sizeof(total), &total, sizeof(total));
	if (fwrite(p->block, p->len, 1, p->file) != 1)
		return weft_err_sys(err, errno, "capture");
	return 0;
}

static int write_section(struct weft_pcapng *p, struct weft_err *err)
{
	static const int64_t unknown_length = -1;

	begin_block(p, BLOCK_SECTION);
	append32(p, BYTE_ORDER_MAGIC);
	append16(p, 1);
	append16(p, 0);
	append(p, &unknown_length, sizeof(unknown_length));
	append_option(p, OPT_SHB_USERAPPL, "weft", 4);
	return end_block(p, err);
}

/**
 * weft_pcapng_start() - start a capture in an open file
 * @p: result, to be closed by weft_pcapng_close() even after an error
 * @file: output file, which weft_pcapng_close() leaves open
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_start(struct weft_pcapng *p, FILE *file, struct weft_err *err)
{
	*p = (struct weft_pcapng) { .file = file };
	return write_section(p, err);
}

/**
 * weft_pcapng_open() - start a capture in a new file
 * @p: result, to be closed by weft_pcapng_close() even after an error
 * @path: the file; an existing one is replaced
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_open(struct weft_pcapng *p, const char *path,
		     struct weft_err *err)
{
	FILE *file = fopen(path, "we");

	*p = (struct weft_pcapng) { .file = file, .own = true };
	if (!file)
		return weft_err_sys(err, errno, "%s", path);
	return write_section(p, err);
}

/**
 * weft_pcapng_flush() - write out buffered blocks
 * @p: the capture
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_flush(struct weft_pcapng *p, struct weft_err *err)
{
	if (fflush(p->file))
		return weft_err_sys(err, errno, "capture");
	return 0;
}

/**
 * weft_pcapng_close() - end a capture
 * @p: the capture
 * @err: error: the file may be incomplete
 *
 * Return: 0 or negative errno. The memory is freed in both cases.
 */
int weft_pcapng_close(struct weft_pcapng *p, struct weft_err *err)
{
	int ret = 0;

	if (p->file)
		ret = weft_pcapng_flush(p, err);
	if (p->file && p->own && fclose(p->file) && !ret)
		ret = weft_err_sys(err, errno, "capture");
	free(p->kind);
	free(p->block);
	*p = (struct weft_pcapng) { 0 };
	return ret;
}

/**
 * weft_pcapng_add_interface() - add an interface
 * @p: the capture
 * @name: for people, such as "leaf0:3"
 * @kind: kind of its frames
 * @rate: bit/s, 0 for none
 * @id: result: its number, from 0 on
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_add_interface(struct weft_pcapng *p, const char *name,
			      enum weft_pcapng_kind kind, uint64_t rate,
			      uint32_t *id, struct weft_err *err)
{
	uint8_t fcs = kind == WEFT_PCAPNG_ETHERNET_FCS ? WEFT_ETH_FCS : 0;
	bool ib = kind == WEFT_PCAPNG_INFINIBAND;
	const uint8_t resolution = TSRESOL;
	enum weft_pcapng_kind *more;

	more = weft_array_grow(p->kind, p->interfaces, sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	p->kind = more;
	begin_block(p, BLOCK_INTERFACE);
	append16(p, ib ? LINKTYPE_ERF : LINKTYPE_ETHERNET);
	append16(p, 0);
	append32(p, 0);		/* frames of any length */
	append_option(p, OPT_IF_NAME, name, strlen(name));
	append_option(p, OPT_IF_TSRESOL, &resolution, 1);
	if (rate)
		append_option(p, OPT_IF_SPEED, &rate, sizeof(rate));
	if (!ib)
		append_option(p, OPT_IF_FCSLEN, &fcs, 1);
	if (end_block(p, err))
		return err->code;
	*id = p->interfaces++;
	p->kind[*id] = kind;
	return 0;
}

static bool is_ib(enum weft_pcapng_kind kind)
{
	return kind == WEFT_PCAPNG_INFINIBAND;
}

static int check_kind(const struct weft_pcapng *p,
		      const struct weft_pcapng_frame *f, bool ib,
		      struct weft_err *err)
{
	if (f->interface >= p->interfaces)
		return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
				    "capture: there is no interface %u",
				    f->interface);
	if (ib != is_ib(p->kind[f->interface]))
		return weft_err_set(err, WEFT_ERR_OTHER, -EINVAL,
				    "capture: interface %u is %sInfiniBand",
				    f->interface, ib ? "not " : "");
	return 0;
}

/* Append the fields before the packet's bytes; end_packet() sets the lengths. */
static void begin_packet(struct weft_pcapng *p,
			 const struct weft_pcapng_frame *f)
{
	uint64_t time = f->time / TSRESOL_PS;

	begin_block(p, BLOCK_PACKET);
	append32(p, f->interface);
	append32(p, (uint32_t)(time >> 32));
	append32(p, (uint32_t)time);
	append32(p, 0);
	append32(p, 0);
}

#define PACKET_LENGTHS	20	/* offset in the block: captured and true length */
#define PACKET_DATA	28

static int end_packet(struct weft_pcapng *p, const struct weft_pcapng_frame *f,
		      size_t missing, size_t fcs, struct weft_err *err)
{
	uint32_t flags = (uint32_t)f->dir |
			 (uint32_t)fcs << EPB_FLAGS_FCS_SHIFT;
	uint32_t lengths[2];

	lengths[0] = (uint32_t)(p->len - PACKET_DATA);
	lengths[1] = lengths[0] + (uint32_t)missing;
	if (!p->nomem)
		memcpy(p->block + PACKET_LENGTHS, lengths, sizeof(lengths));
	align(p);
	if (flags)
		append_option(p, OPT_EPB_FLAGS, &flags, sizeof(flags));
	if (f->comment)
		append_option(p, OPT_COMMENT, f->comment, strlen(f->comment));
	return end_block(p, err);
}

static void append_fcs(struct weft_pcapng *p, size_t len)
{
	uint8_t fcs[WEFT_ETH_FCS];
	uint32_t crc;

	if (len < WEFT_ETH_MIN)
		append(p, NULL, WEFT_ETH_MIN - len);
	if (p->nomem)
		return;
	crc = weft_crc32(0, p->block + PACKET_DATA, p->len - PACKET_DATA);
	for (unsigned int i = 0; i < WEFT_ETH_FCS; i++)
		fcs[i] = (uint8_t)(crc >> 8 * i);
	append(p, fcs, sizeof(fcs));
}

/**
 * weft_pcapng_write_data() - write an Ethernet frame
 * @p: the capture
 * @f: its metadata
 * @eth: the frame from its header on, without FCS
 * @len: bytes available
 * @wire_len: true length in bytes without FCS, at least @len
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_write_data(struct weft_pcapng *p,
			   const struct weft_pcapng_frame *f, const void *eth,
			   size_t len, size_t wire_len, struct weft_err *err)
{
	bool fcs;

	if (check_kind(p, f, false, err))
		return err->code;
	fcs = p->kind[f->interface] == WEFT_PCAPNG_ETHERNET_FCS;
	begin_packet(p, f);
	append(p, eth, len);
	if (fcs && len == wire_len)
		append_fcs(p, len);
	else if (fcs)
		wire_len = WEFT_ETH_FCS + (wire_len < WEFT_ETH_MIN ?
					   WEFT_ETH_MIN : wire_len);
	return end_packet(p, f, len < wire_len ? wire_len - len : 0,
			  fcs ? WEFT_ETH_FCS : 0, err);
}

/**
 * weft_pcapng_write_pause() - write a PAUSE frame
 * @p: the capture
 * @f: its metadata
 * @src: MAC address of the port that requests the pause
 * @quanta: length of the pause in 512 bit times
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_write_pause(struct weft_pcapng *p,
			    const struct weft_pcapng_frame *f,
			    const uint8_t src[6], uint16_t quanta,
			    struct weft_err *err)
{
	uint8_t buf[WEFT_ETH_MIN];

	weft_frame_pause(buf, src, quanta);
	return weft_pcapng_write_data(p, f, buf, sizeof(buf), sizeof(buf), err);
}

/**
 * weft_pcapng_write_pfc() - write a PFC frame
 * @p: the capture
 * @f: its metadata
 * @src: MAC address of the port that requests the pause
 * @enable: bit N: @quanta[N] is valid
 * @quanta: length of the pause of each priority in 512 bit times
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_write_pfc(struct weft_pcapng *p,
			  const struct weft_pcapng_frame *f,
			  const uint8_t src[6], uint8_t enable,
			  const uint16_t quanta[WEFT_PFC_CLASSES],
			  struct weft_err *err)
{
	uint8_t buf[WEFT_ETH_MIN];

	weft_frame_pfc(buf, src, enable, quanta);
	return weft_pcapng_write_data(p, f, buf, sizeof(buf), sizeof(buf), err);
}

/**
 * weft_pcapng_write_flit() - write a control flit
 * @p: the capture
 * @f: its metadata
 * @flit: the flit
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_write_flit(struct weft_pcapng *p,
			   const struct weft_pcapng_frame *f,
			   const struct weft_flit *flit, struct weft_err *err)
{
	uint8_t buf[WEFT_FLIT_FRAME];

	weft_frame_flit(buf, flit);
	return weft_pcapng_write_data(p, f, buf, sizeof(buf), sizeof(buf), err);
}

/* The time is in units of 2^-32 s, low byte first; the rest in network order. */
static void append_erf(struct weft_pcapng *p, uint64_t time, uint8_t type,
		       size_t len, size_t wire_len)
{
	uint64_t part = (uint64_t)(((__uint128_t)
				    (time % WEFT_PS_PER_S) << 32) /
				   WEFT_PS_PER_S);
	uint64_t stamp = time / WEFT_PS_PER_S << 32 | part;
	size_t record = ERF_HEADER + len;
	uint8_t h[ERF_HEADER] = { 0 };

	for (unsigned int i = 0; i < 8; i++)
		h[i] = (uint8_t)(stamp >> 8 * i);
	h[8] = type;
	h[9] = ERF_VARYING_LENGTH;
	h[10] = (uint8_t)(record >> 8);
	h[11] = (uint8_t)record;
	h[14] = (uint8_t)(wire_len >> 8);
	h[15] = (uint8_t)wire_len;
	append(p, h, sizeof(h));
}

/**
 * weft_pcapng_write_ib_fc() - write an InfiniBand flow control packet
 * @p: the capture
 * @f: its metadata
 * @op: 0 normal, 1 initialise
 * @vl: virtual lane
 * @fctbs: blocks sent, modulo 4096
 * @fccl: credit limit, modulo 4096
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_pcapng_write_ib_fc(struct weft_pcapng *p,
			    const struct weft_pcapng_frame *f, uint8_t op,
			    uint8_t vl, uint16_t fctbs, uint16_t fccl,
			    struct weft_err *err)
{
	uint8_t buf[ERF_LINK_PAYLOAD] = { 0 };

	if (check_kind(p, f, true, err))
		return err->code;
	weft_frame_ib_fc(buf, op, vl, fctbs, fccl);
	begin_packet(p, f);
	append_erf(p, f->time, ERF_INFINIBAND_LINK, sizeof(buf), sizeof(buf));
	append(p, buf, sizeof(buf));
	return end_packet(p, f, 0, 0, err);
}

static int check_ib_data(const void *eth, size_t len, size_t wire_len,
			 struct weft_err *err)
{
	if (!eth || len < WEFT_ETH_HEADER || wire_len < len)
		return weft_err_set(err, WEFT_ERR_OTHER, -EINVAL,
				    "capture: %zu of %zu bytes are no Ethernet frame",
				    len, wire_len);
	if (weft_frame_ib_size(wire_len) > WEFT_IB_MAX)
		return weft_err_set(err, WEFT_ERR_OTHER, -EMSGSIZE,
				    "capture: %zu bytes do not fit an InfiniBand packet of %d",
				    wire_len, WEFT_IB_MAX);
	return 0;
}

/**
 * weft_pcapng_write_ib_data() - write a frame as an InfiniBand packet
 * @p: the capture
 * @f: its metadata
 * @pkt: fields of its headers
 * @eth: the Ethernet frame that it carries as IP over InfiniBand, from its
 * header on
 * @len: bytes available
 * @wire_len: true length of the frame in bytes without FCS, at least @len
 * @err: error
 *
 * Return: 0 or negative errno; -EMSGSIZE if it is too long for InfiniBand.
 */
int weft_pcapng_write_ib_data(struct weft_pcapng *p,
			      const struct weft_pcapng_frame *f,
			      const struct weft_ib_packet *pkt, const void *eth,
			      size_t len, size_t wire_len,
			      struct weft_err *err)
{
	uint8_t headers[WEFT_IB_HEADERS];
	const uint8_t *frame = eth;
	size_t full, part;

	if (check_kind(p, f, true, err) ||
	    check_ib_data(eth, len, wire_len, err))
		return err->code;
	full = weft_frame_ib_size(wire_len);
	part = len < wire_len ? WEFT_IB_HEADERS + len - WEFT_ETH_HEADER : full;
	weft_frame_ib_headers(headers, pkt,
			      (uint16_t)(frame[12] << 8 | frame[13]),
			      wire_len - WEFT_ETH_HEADER);
	begin_packet(p, f);
	append_erf(p, f->time, ERF_INFINIBAND, part, full);
	append(p, headers, sizeof(headers));
	append(p, frame + WEFT_ETH_HEADER, len - WEFT_ETH_HEADER);
	append(p, NULL, part + PACKET_DATA + ERF_HEADER - p->len);
	if (part == full && !p->nomem)
		weft_frame_ib_crcs(p->block + PACKET_DATA + ERF_HEADER, full);
	return end_packet(p, f, full - part, 0, err);
}

/**
 * weft_pcapng_write_ib_packet() - write the bytes of an InfiniBand packet
 * @p: the capture
 * @f: its metadata
 * @packet: the packet from its LRH on
 * @len: bytes available
 * @wire_len: true length in bytes with VCRC, at least @len
 * @err: error
 *
 * Return: 0 or negative errno; -EMSGSIZE if it is too long for InfiniBand.
 */
int weft_pcapng_write_ib_packet(struct weft_pcapng *p,
				const struct weft_pcapng_frame *f,
				const void *packet, size_t len, size_t wire_len,
				struct weft_err *err)
{
	if (check_kind(p, f, true, err))
		return err->code;
	if (len > wire_len || wire_len > WEFT_IB_MAX)
		return weft_err_set(err, WEFT_ERR_OTHER, -EMSGSIZE,
				    "capture: %zu bytes do not fit an InfiniBand packet of %d",
				    wire_len, WEFT_IB_MAX);
	begin_packet(p, f);
	append_erf(p, f->time, ERF_INFINIBAND, len, wire_len);
	append(p, packet, len);
	return end_packet(p, f, wire_len - len, 0, err);
}
