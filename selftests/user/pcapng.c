// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures: the bytes of frames, the blocks around them, and a file that
 * pcapng.sh gives to tshark.
 */
#include "packet/pcapng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"

static const uint8_t mac[6] = { 2, 0, 10, 0, 0, 2 };

/* An IPv4 packet (UDP, port 9 to 9) in an Ethernet frame: 14 + 20 + 8 + 5. */
static const uint8_t eth[] = {
	2, 0, 10, 0, 0, 3, 2, 0, 10, 0, 0, 2, 0x08, 0x00,
	0x45, 0, 0, 33, 0, 0, 0x40, 0, 64, 17, 0x26, 0xc6, 10, 0, 0, 2,
	10, 0, 0, 3,
	0, 9, 0, 9, 0, 13, 0, 0, 'h', 'e', 'l', 'l', 'o',
};

/**
 * struct capture - one that is written to memory, and its blocks
 */
struct capture {
	struct weft_pcapng p;
	char *bytes;
	size_t len;
};

static void start(struct capture *c)
{
	struct weft_err err;

	*c = (struct capture) { 0 };
	EXPECT(!weft_pcapng_start(&c->p, open_memstream(&c->bytes, &c->len),
				  &err));
}

static void stop(struct capture *c)
{
	FILE *file = c->p.file;
	struct weft_err err;

	EXPECT(!weft_pcapng_close(&c->p, &err));
	fclose(file);
}

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Block @n of a capture; NULL, and a failure, where lengths are not right. */
static const uint8_t *block(const struct capture *c, unsigned int n)
{
	const uint8_t *p = (const uint8_t *)c->bytes, *end = p + c->len;

	for (; end - p >= 12; n--) {
		uint32_t len = word(p + 4);

		if (len % 4 || len < 12 || len > (size_t)(end - p) ||
		    word(p + len - 4) != len)
			break;
		if (!n)
			return p;
		p += len;
	}
	ktap_fail(__FILE__, __LINE__, "no block %u", n);
	return NULL;
}

/* An option of a packet block, NULL if it has none such. */
static const uint8_t *packet_option(const uint8_t *b, uint16_t code,
				    size_t *len)
{
	const uint8_t *o = b + 28 + (word(b + 20) + 3) / 4 * 4;
	uint16_t head[2];

	for (;; o += 4 + (head[1] + 3) / 4 * 4) {
		memcpy(head, o, sizeof(head));
		if (!head[0])
			return NULL;
		*len = head[1];
		if (head[0] == code)
			return o + 4;
	}
}

/*
 * CRC-32 of "123456789" is the catalogue's check value. The packet with its ICRC
 * 96 25 b7 5a is the IBTA's example. Of the polynomial 0x100b, 0x0960 and 0x12c1 are
 * the last entries of the table for bytes in Mellanox' MTL.
 */
TEST(crcs)
{
	uint8_t packet[] = {
		0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20,
		0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a,
		0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d, 0x40, 0x02, 0x38, 0xf2,
		0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d, 0x85,
		0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4,
		0x00, 0x00, 0, 0, 0, 0, 0, 0,
	};
	static const uint8_t icrc[] = { 0x96, 0x25, 0xb7, 0x5a };

	EXPECT_EQ(weft_crc32(0, "123456789", 9), 0xcbf43926);
	EXPECT_EQ(weft_crc32(weft_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
	EXPECT_EQ((uint16_t)~weft_crc16_ib(0xffff, "\xff", 1), 0x0960);
	EXPECT_EQ((uint16_t)~weft_crc16_ib(0xffff, "\xfe", 1), 0x12c1);
	weft_frame_ib_crcs(packet, sizeof(packet));
	EXPECT(!memcmp(packet + 52, icrc, sizeof(icrc)));
}

/*
 * The shift register of IBTA 7.8.2, bit by bit: a second way to the same CRC. It
 * takes bytes from their low bit on and sends the highest coefficient first.
 */
static uint16_t shift_register(const uint8_t *p, size_t len)
{
	unsigned int reg = 0xffff, out = 0;

	for (size_t bit = 0; bit < 8 * len; bit++) {
		unsigned int in = p[bit / 8] >> bit % 8 & 1;

		reg = (reg << 1) ^ (((reg >> 15 & 1) ^ in) ? 0x100b : 0);
		reg &= 0xffff;
	}
	for (unsigned int bit = 0; bit < 16; bit++)
		out |= (~reg >> (15 - bit) & 1) << bit;
	return (uint16_t)out;
}

TEST(lpcrc_is_the_register)
{
	uint8_t fc[WEFT_IB_FC];

	for (unsigned int i = 0; i < 4096; i += 91) {
		weft_frame_ib_fc(fc, i & 1, i % 16, (uint16_t)i,
				 (uint16_t)(i + 2048));
		EXPECT_EQ(fc[4] | fc[5] << 8, shift_register(fc, 4));
	}
}

TEST(flow_control_bytes)
{
	static const uint8_t want[] = { 0x1a, 0xbc, 0x31, 0x23 };
	static const uint8_t wrapped[] = { 0x00, 0x01, 0xff, 0xff };
	uint8_t fc[WEFT_IB_FC];

	weft_frame_ib_fc(fc, 1, 3, 0xabc, 0x123);
	EXPECT(!memcmp(fc, want, sizeof(want)));
	weft_frame_ib_fc(fc, 0, 15, 4097, 4095);
	EXPECT(!memcmp(fc, wrapped, sizeof(wrapped)));
}

TEST(pause_bytes)
{
	static const uint8_t want[WEFT_ETH_MIN] = {
		0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 10, 0, 0, 2, 0x88, 0x08,
		0x00, 0x01, 0xbe, 0xef,
	};
	uint8_t buf[WEFT_ETH_MIN];

	memset(buf, 0xee, sizeof(buf));
	weft_frame_pause(buf, mac, 0xbeef);
	EXPECT(!memcmp(buf, want, sizeof(want)));
}

/* Priorities 0, 3 and 7; what is not enabled is 0 whatever was said. */
TEST(pfc_bytes)
{
	static const uint16_t quanta[8] = { 1, 2, 3, 0xffff, 5, 6, 7, 0x1234 };
	static const uint8_t want[WEFT_ETH_MIN] = {
		0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 10, 0, 0, 2, 0x88, 0x08,
		0x01, 0x01, 0x00, 0x89, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0, 0,
		0, 0, 0, 0, 0x12, 0x34,
	};
	uint8_t buf[WEFT_ETH_MIN];

	weft_frame_pfc(buf, mac, 0x89, quanta);
	EXPECT(!memcmp(buf, want, sizeof(want)));
}

TEST(flit_bytes)
{
	static const struct weft_flit flit = {
		WEFT_FLIT_ACK, 5, 0x01020304, 0x05060708, 0x1122334455667788,
	};
	static const uint8_t want[WEFT_FLIT_FRAME] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x88, 0xb5,
		1, 2, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	};
	uint8_t buf[WEFT_FLIT_FRAME];

	weft_frame_flit(buf, &flit);
	EXPECT(!memcmp(buf, want, sizeof(want)));
}

/*
 * 33 bytes of IP: 32 + 33 + 3 + 4 = 72 bytes = 18 words to the ICRC, pad 3, and 2
 * of VCRC. 0 bytes: 36 + 2. 4092 bytes (an MTU of 4096): 4128 + 2.
 */
TEST(infiniband_bytes)
{
	static const struct weft_ib_packet pkt = {
		.slid = 0x0102, .dlid = 0x0304, .sl = 5, .vl = 6, .fecn = true,
		.dest_qp = 0x0a0b0c, .src_qp = 0x0d0e0f, .psn = 0x101112,
	};
	static const uint8_t want[WEFT_IB_HEADERS] = {
		0x60, 0x52, 0x03, 0x04, 0x00, 18, 0x01, 0x02,
		0x64, 0x30, 0xff, 0xff, 0x80, 0x0a, 0x0b, 0x0c,
		0x00, 0x10, 0x11, 0x12,
		0x00, 0x00, 0x0b, 0x1b, 0x00, 0x0d, 0x0e, 0x0f,
		0x08, 0x00, 0, 0,
	};
	uint8_t buf[WEFT_IB_HEADERS];

	EXPECT_EQ(weft_frame_ib_size(14 + 33), 74);
	EXPECT_EQ(weft_frame_ib_size(14), 38);
	EXPECT_EQ(weft_frame_ib_size(14 + 4092), 4130);
	weft_frame_ib_headers(buf, &pkt, 0x0800, 33);
	EXPECT(!memcmp(buf, want, sizeof(want)));
}

/* Section, interface, and a packet with all there is to say. */
TEST(blocks)
{
	struct weft_pcapng_frame f = {
		.dir = WEFT_PCAPNG_OUT, .time = 1234567890123456789,
		.comment = "five",
	};
	const uint8_t *b, *o;
	struct weft_err err;
	struct capture c;
	size_t len;

	start(&c);
	EXPECT(!weft_pcapng_add_interface(&c.p, "leaf0:3", WEFT_PCAPNG_ETHERNET,
					  400000000000, &f.interface, &err));
	EXPECT(!weft_pcapng_write_data(&c.p, &f, eth, sizeof(eth), sizeof(eth),
				       &err));
	stop(&c);
	EXPECT_EQ(word(block(&c, 0)), 0x0a0d0d0a);
	EXPECT_EQ(word(block(&c, 1)), 1);
	b = block(&c, 2);
	EXPECT_EQ(word(b), 6);
	EXPECT_EQ((uint64_t)word(b + 12) << 32 | word(b + 16),
		  12345678901234567);
	EXPECT_EQ(word(b + 20), sizeof(eth));
	EXPECT_EQ(word(b + 24), sizeof(eth));
	EXPECT(!memcmp(b + 28, eth, sizeof(eth)));
	o = packet_option(b, 2, &len);
	EXPECT(o && len == 4 && word(o) == 2);
	o = packet_option(b, 1, &len);
	EXPECT(o && len == 4 && !memcmp(o, "five", 4));
	free(c.bytes);
}

/* Any frame and its FCS have this CRC: what is left over by the complement. */
#define FCS_RESIDUE	0x2144df1c

TEST(frames_with_fcs)
{
	struct weft_pcapng_frame f = { .dir = WEFT_PCAPNG_IN };
	const uint8_t *b, *o;
	struct weft_err err;
	struct capture c;
	size_t len;

	start(&c);
	EXPECT(!weft_pcapng_add_interface(&c.p, "x", WEFT_PCAPNG_ETHERNET_FCS,
					  0, &f.interface, &err));
	EXPECT(!weft_pcapng_write_pause(&c.p, &f, mac, 7, &err));
	EXPECT(!weft_pcapng_write_data(&c.p, &f, eth, sizeof(eth), sizeof(eth),
				       &err));
	EXPECT(!weft_pcapng_write_data(&c.p, &f, eth, 20, 1500, &err));
	EXPECT(!weft_pcapng_write_data(&c.p, &f, eth, 20, 30, &err));
	stop(&c);
	for (unsigned int i = 2; i < 4; i++) {
		b = block(&c, i);
		EXPECT_EQ(word(b + 20), 64);
		EXPECT_EQ(word(b + 24), 64);
		EXPECT_EQ(weft_crc32(0, b + 28, 64), FCS_RESIDUE);
		o = packet_option(b, 2, &len);
		/* 4 bytes of FCS, received */
		EXPECT(o && word(o) == (4 << 5 | 1));
	}
	EXPECT_EQ(word(block(&c, 4) + 20), 20);
	EXPECT_EQ(word(block(&c, 4) + 24), 1504);
	EXPECT_EQ(word(block(&c, 5) + 24), 64);
	free(c.bytes);
}

/*
 * A complete packet: 74 bytes behind 16 of ERF, whose stamp of 2.5 s is 2 and 2^31.
 * A part of 1000 bytes: 32 + 20 - 14 at hand of 32 + 986 + 2 + 6.
 */
TEST(infiniband_records)
{
	static const struct weft_ib_packet pkt = { .slid = 1, .dlid = 2 };
	struct weft_pcapng_frame f = { .time = 2500000000000 };
	struct weft_err err;
	struct capture c;
	const uint8_t *b;

	start(&c);
	EXPECT(!weft_pcapng_add_interface(&c.p, "x", WEFT_PCAPNG_INFINIBAND, 0,
					  &f.interface, &err));
	EXPECT(!weft_pcapng_write_ib_data(&c.p, &f, &pkt, eth, sizeof(eth),
					  sizeof(eth), &err));
	EXPECT(!weft_pcapng_write_ib_data(&c.p, &f, &pkt, eth, 20, 1000, &err));
	EXPECT(!weft_pcapng_write_ib_fc(&c.p, &f, 0, 1, 2, 3, &err));
	stop(&c);
	b = block(&c, 2);
	EXPECT_EQ(word(b + 20), 16 + 74);
	EXPECT_EQ(word(b + 28), 0x80000000);
	EXPECT_EQ(b[28 + 4], 2);
	EXPECT_EQ(b[28 + 8], 21);
	EXPECT_EQ(b[28 + 10] << 8 | b[28 + 11], 16 + 74);
	EXPECT_EQ(b[28 + 14] << 8 | b[28 + 15], 74);
	EXPECT_EQ(b[28 + 16 + 72] | b[28 + 16 + 73] << 8,
		  shift_register(b + 28 + 16, 72));
	EXPECT_EQ(word(block(&c, 3) + 20), 16 + 38);
	EXPECT_EQ(word(block(&c, 3) + 24), 16 + 1026);
	EXPECT_EQ(block(&c, 4)[28 + 8], 25);
	/* 6 bytes, and zeros that Wireshark needs */
	EXPECT_EQ(word(block(&c, 4) + 20), 16 + 48);
	free(c.bytes);
}

/* A packet as it is, 30 bytes long; and the first 20 of it. */
TEST(infiniband_packets)
{
	struct weft_pcapng_frame f = { .time = 2500000000000 };
	static const uint8_t packet[30] = { 0x10, 0x12, 0, 33, 0, 7, 0, 17 };
	struct weft_err err;
	struct capture c;
	const uint8_t *b;

	start(&c);
	EXPECT(!weft_pcapng_add_interface(&c.p, "x", WEFT_PCAPNG_INFINIBAND, 0,
					  &f.interface, &err));
	EXPECT(!weft_pcapng_write_ib_packet(&c.p, &f, packet, 30, 30, &err));
	EXPECT(!weft_pcapng_write_ib_packet(&c.p, &f, packet, 20, 30, &err));
	/* 2047 words and the VCRC are the longest */
	EXPECT(weft_pcapng_write_ib_packet(&c.p, &f, packet, 30, 8191, &err) ==
	       -EMSGSIZE);
	EXPECT(weft_pcapng_write_ib_packet(&c.p, &f, packet, 30, 29, &err) ==
	       -EMSGSIZE);
	stop(&c);
	b = block(&c, 2);
	EXPECT_EQ(word(b + 20), 16 + 30);
	EXPECT_EQ(word(b + 24), 16 + 30);
	EXPECT_EQ(b[28 + 8], 21);
	EXPECT(!memcmp(b + 28 + 16, packet, sizeof(packet)));
	b = block(&c, 3);
	EXPECT_EQ(word(b + 20), 16 + 20);
	EXPECT_EQ(word(b + 24), 16 + 30);
	EXPECT_EQ(b[28 + 14] << 8 | b[28 + 15], 30);
	EXPECT_EQ(b + word(b + 4) - (const uint8_t *)c.bytes, c.len);
	free(c.bytes);
}

TEST(capture_refusals)
{
	static const struct weft_ib_packet pkt = { .slid = 1, .dlid = 2 };
	struct weft_pcapng_frame f = { .interface = 1 };
	static uint8_t big[9000];
	struct weft_err err;
	struct capture c;
	uint32_t id;

	start(&c);
	EXPECT(!weft_pcapng_add_interface(&c.p, "x", WEFT_PCAPNG_INFINIBAND, 0,
					  &id, &err));
	EXPECT(weft_pcapng_write_ib_fc(&c.p, &f, 0, 0, 0, 0, &err) == -ENOENT);
	f.interface = 0;
	EXPECT(weft_pcapng_write_pause(&c.p, &f, mac, 1, &err) == -EINVAL);
	EXPECT(!strcmp(err.msg, "capture: interface 0 is InfiniBand"));
	/* 2047 words to the ICRC: 8188 - 36 bytes behind the Ethernet header */
	EXPECT(!weft_pcapng_write_ib_data(&c.p, &f, &pkt, big, 8166, 8166,
					  &err));
	EXPECT(weft_pcapng_write_ib_data(&c.p, &f, &pkt, big, 8167, 8167,
					 &err) == -EMSGSIZE);
	EXPECT(weft_pcapng_write_ib_data(&c.p, &f, &pkt, big, 13, 13, &err) ==
	       -EINVAL);
	EXPECT(weft_pcapng_write_ib_data(&c.p, &f, &pkt, big, 60, 59, &err) ==
	       -EINVAL);
	stop(&c);
	EXPECT_EQ(word(block(&c, 2)), 6);
	free(c.bytes);
}

TEST(capture_files)
{
	struct weft_pcapng p;
	struct weft_err err;

	EXPECT(weft_pcapng_open(&p, "/nonexistent/x", &err) == -ENOENT);
	EXPECT(!strcmp(err.msg, "/nonexistent/x: No such file or directory"));
	EXPECT(!weft_pcapng_close(&p, &err));
	EXPECT(!weft_pcapng_open(&p, "/dev/full", &err));
	EXPECT(weft_pcapng_flush(&p, &err) == -ENOSPC);
	EXPECT(!strcmp(err.msg, "capture: No space left on device"));
	weft_pcapng_close(&p, &err);
}

static void write_ethernet(struct weft_pcapng *p, uint32_t id)
{
	static const uint16_t quanta[8] = { 0, 0, 0, 0xffff, 0, 0, 0, 17 };
	struct weft_pcapng_frame f = {
		id, WEFT_PCAPNG_OUT, 1000000000123456, "class 3 stops"
	};
	struct weft_err err;

	EXPECT(!weft_pcapng_write_pfc(p, &f, mac, 0x88, quanta, &err));
	f = (struct weft_pcapng_frame) { id, WEFT_PCAPNG_IN, 1000000000124096,
					 NULL };
	EXPECT(!weft_pcapng_write_pause(p, &f, mac, 0x1234, &err));
	EXPECT(!weft_pcapng_write_data(p, &f, eth, sizeof(eth), sizeof(eth),
				       &err));
}

/* Flow control with each of the low bits of FCTBS that Wireshark takes for LNH. */
static void write_infiniband(struct weft_pcapng *p, uint32_t id)
{
	static const struct weft_ib_packet pkt = {
		.slid = 17, .dlid = 33, .sl = 2, .vl = 1, .becn = true,
		.dest_qp = 0x48, .src_qp = 0x49, .psn = 5,
	};
	struct weft_pcapng_frame f = {
		id, WEFT_PCAPNG_OUT, 1000999999999999, NULL
	};
	struct weft_err err;

	EXPECT(!weft_pcapng_write_ib_fc(p, &f, 1, 2, 0, 2048, &err));
	EXPECT(!weft_pcapng_write_ib_fc(p, &f, 0, 15, 1, 4095, &err));
	EXPECT(!weft_pcapng_write_ib_fc(p, &f, 0, 0, 1002, 0, &err));
	EXPECT(!weft_pcapng_write_ib_fc(p, &f, 0, 3, 4095, 100, &err));
	EXPECT(!weft_pcapng_write_ib_data(p, &f, &pkt, eth, sizeof(eth),
					  sizeof(eth), &err));
	EXPECT(!weft_pcapng_write_ib_data(p, &f, &pkt, eth, 20, 1000, &err));
}

static void write_nvlink(struct weft_pcapng *p, uint32_t id)
{
	static const struct weft_flit flit = { WEFT_FLIT_CREDIT, 3, 4, 64, 9 };
	struct weft_pcapng_frame f = {
		id, WEFT_PCAPNG_IN, 1000001000000000, NULL
	};
	struct weft_err err;

	EXPECT(!weft_pcapng_write_flit(p, &f, &flit, &err));
}

/* Every kind of frame, for pcapng.sh. */
TEST(file_for_tshark)
{
	struct weft_pcapng p;
	struct weft_err err;
	uint32_t id;

	EXPECT(!weft_pcapng_open(&p, WEFT_TEST_CAPTURE, &err));
	EXPECT(!weft_pcapng_add_interface(&p, "leaf0:3",
					  WEFT_PCAPNG_ETHERNET_FCS,
					  400000000000, &id, &err));
	write_ethernet(&p, id);
	EXPECT(!weft_pcapng_add_interface(&p, "host0.ib0",
					  WEFT_PCAPNG_INFINIBAND, 400000000000,
					  &id, &err));
	write_infiniband(&p, id);
	EXPECT(!weft_pcapng_add_interface(&p, "gpu0.nv0", WEFT_PCAPNG_ETHERNET,
					  400000000000, &id, &err));
	write_nvlink(&p, id);
	EXPECT(!weft_pcapng_close(&p, &err));
}
