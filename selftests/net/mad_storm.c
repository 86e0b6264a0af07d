// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random management datagrams (MADs), from a seed, at the agents of a fabric.
 *
 * usage: mad_storm DEVICE SEED COUNT [LID]
 *
 * DEVICE is umad0 or another one. Each MAD is of subnet management, directed or
 * LID-routed, or of performance management. Its method, attribute, modifier, M_Key,
 * path and payload are random, but half of all are near to what is right: a method
 * and an attribute that exist, and a path of few hops. LID-routed MADs go to
 * LIDs 1 to LID (default 16). A tenth are Sets.
 *
 * At most WINDOW requests wait for an answer. Prints how many were sent, refused
 * by the kernel's own MAD layer, answered, and left without an answer.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>

#define MAD_BYTES	256
#define WINDOW		64
#define TIMEOUT_MS	20
#define SILENCE_MS	(2 * TIMEOUT_MS)
#define CLASS_LID	0x01
#define CLASS_DIRECTED	0x81
#define CLASS_PERF	0x04
#define LID_PERMISSIVE	0xffff
#define QKEY_GSI	0x80010000u
#define METHOD_GET	0x01
#define METHOD_SET	0x02
#define AGENTS		3

/**
 * struct smp - a MAD of subnet management, as on the wire
 */
struct smp {
	uint8_t base_version;
	uint8_t class;
	uint8_t class_version;
	uint8_t method;
	uint16_t status;
	uint8_t hop_pointer;
	uint8_t hop_count;
	uint64_t tid;
	uint16_t attribute;
	uint16_t reserved;
	uint32_t modifier;
	uint64_t m_key;
	uint16_t dr_slid;
	uint16_t dr_dlid;
	uint8_t reserved2[28];
	uint8_t data[64];
	uint8_t initial_path[64];
	uint8_t return_path[64];
};

_Static_assert(sizeof(struct smp) == MAD_BYTES, "the size of a MAD");

/**
 * struct message - what umad reads and writes
 */
struct message {
	struct ib_user_mad_hdr hdr;
	struct smp smp;
};

static uint64_t state;
static unsigned int lids = 16;
static uint32_t agent[AGENTS];
static const uint8_t agent_class[AGENTS] = { CLASS_LID, CLASS_DIRECTED, CLASS_PERF };
static unsigned long sent, refused, answered, lost;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static unsigned int below(unsigned int n)
{
	return (unsigned int)(next_random() % n);
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

static void fill(void *to, size_t len)
{
	uint8_t *byte = to;

	for (size_t i = 0; i < len; i++)
		byte[i] = (uint8_t)next_random();
}

/* Attributes that the agents know, and neighbours that they do not. */
static uint16_t some_attribute(uint8_t class)
{
	static const uint16_t subnet[] = {
		0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a,
		0x1b, 0x20, 0x30, 0x31, 0xff90, 0x02,
	};
	static const uint16_t perf[] = {
		0x01, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x1d, 0x1e,
	};

	if (one_in(8))
		return (uint16_t)next_random();
	if (class == CLASS_PERF)
		return perf[below(sizeof(perf) / sizeof(*perf))];
	return subnet[below(sizeof(subnet) / sizeof(*subnet))];
}

static uint8_t some_method(void)
{
	if (one_in(10))
		return METHOD_SET;
	return one_in(16) ? (uint8_t)next_random() : METHOD_GET;
}

/* Ports of a path: 1 to 4 mostly, so that some paths exist and some go in a circle. */
static void some_path(struct smp *smp)
{
	smp->hop_count = one_in(16) ? (uint8_t)next_random() : (uint8_t)below(7);
	smp->hop_pointer = one_in(16) ? (uint8_t)next_random() : 0;
	smp->dr_slid = one_in(16) ? (uint16_t)next_random() : LID_PERMISSIVE;
	smp->dr_dlid = one_in(16) ? (uint16_t)next_random() : LID_PERMISSIVE;
	for (unsigned int i = 0; i < 64; i++)
		smp->initial_path[i] = one_in(32) ? (uint8_t)next_random() :
						    (uint8_t)(1 + below(4));
	smp->initial_path[0] = 0;
	smp->initial_path[1] = one_in(32) ? (uint8_t)next_random() : 1;
}

static void some_smp(struct smp *smp, uint8_t class)
{
	fill(smp, sizeof(*smp));
	smp->base_version = one_in(32) ? (uint8_t)next_random() : 1;
	smp->class = class;
	smp->class_version = one_in(32) ? (uint8_t)next_random() : 1;
	smp->method = some_method();
	smp->status = 0;
	smp->attribute = htons(some_attribute(class));
	smp->modifier = one_in(2) ? htonl(below(5)) : smp->modifier;
	smp->m_key = one_in(8) ? smp->m_key : 0;
	if (class != CLASS_LID)
		some_path(smp);
	if (class == CLASS_PERF)
		/* PortSelect and CounterSelect */
		smp->data[1] = (uint8_t)below(6);
}

static void some_message(struct message *m, unsigned int which)
{
	memset(&m->hdr, 0, sizeof(m->hdr));
	some_smp(&m->smp, agent_class[which]);
	m->hdr.id = agent[which];
	m->hdr.timeout_ms = TIMEOUT_MS;
	m->hdr.length = MAD_BYTES;
	m->hdr.lid = htons(which == 1 ? LID_PERMISSIVE : (uint16_t)(1 + below(lids)));
	if (agent_class[which] == CLASS_PERF) {
		m->hdr.qpn = htonl(1);
		m->hdr.qkey = htonl(QKEY_GSI);
	}
}

static int register_agents(int fd)
{
	for (unsigned int i = 0; i < AGENTS; i++) {
		struct ib_user_mad_reg_req2 req = {
			.qpn = agent_class[i] == CLASS_PERF,
			.mgmt_class = agent_class[i],
			.mgmt_class_version = 1,
		};

		if (ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &req))
			return -1;
		agent[i] = req.id;
	}
	return 0;
}

/* Read an answer, or a request that timed out. */
static int read_one(int fd)
{
	struct message m;
	ssize_t n = read(fd, &m, sizeof(m));

	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	if (m.hdr.status)
		lost++;
	else
		answered++;
	return 0;
}

static int read_until(int fd, unsigned long waiting)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	int n;

	while (sent - refused - answered - lost > waiting) {
		n = poll(&p, 1, SILENCE_MS);
		if (n < 0 || (n && read_one(fd)))
			return -1;
		/* Nobody waits for an answer to an answer. */
		if (!n)
			lost = sent - refused - answered;
	}
	return 0;
}

static int send_all(int fd, unsigned long count)
{
	struct message m;

	while (sent < count) {
		some_message(&m, below(AGENTS));
		sent++;
		/* The MAD layer refuses paths that it can see to be wrong. */
		if (write(fd, &m, sizeof(m)) < 0) {
			if (errno != EINVAL && errno != EIO)
				return -1;
			refused++;
		}
		if (read_until(fd, WINDOW))
			return -1;
	}
	return read_until(fd, 0);
}

int main(int argc, char **argv)
{
	char path[64];
	int fd;

	if (argc < 4) {
		fprintf(stderr, "usage: mad_storm DEVICE SEED COUNT [LID]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "/dev/infiniband/%s", argv[1]);
	state = strtoull(argv[2], NULL, 0);
	if (argc > 4)
		lids = (unsigned int)atoi(argv[4]);
	fd = open(path, O_RDWR | O_NONBLOCK);
	if (fd < 0 || ioctl(fd, IB_USER_MAD_ENABLE_PKEY) || register_agents(fd)) {
		perror(path);
		return 1;
	}
	if (send_all(fd, strtoul(argv[3], NULL, 0))) {
		perror("mad_storm");
		return 1;
	}
	printf("sent %lu refused %lu answered %lu unanswered %lu\n", sent, refused,
	       answered, lost);
	return 0;
}
