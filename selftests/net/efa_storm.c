// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile program of an EFA device: it writes what it likes, where it may.
 *
 * usage: efa_storm NODE WRITES SEED
 *
 * NODE is a network namespace under /run/netns. rdma-core has mapped rings and doorbells into
 * the program, which finds them in the list of its mappings. It writes random words there, and
 * descriptors that are nearly right; posts sends, reads and receives of memory that is partly
 * registered; rings doorbells; makes and destroys queue pairs and regions meanwhile; and maps
 * what it may not. Memory that it has not registered lies around what it has: it must not
 * change. Completions are not taken: rdma-core believes what is in them. Ends with 0 if
 * nothing else changed, after the end of its input if there is nothing to write.
 */
#define _GNU_SOURCE
#include <infiniband/efadv.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "verbs_device.h"

#define QPS		4
#define RING		64		/* requests of a queue */
#define BYTES		65536
#define GUARD		4096
#define MAPS_MAX	64
#define QKEY		0x11

struct map {
	uint32_t *at;
	size_t words;
};

static struct device dev;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_ah *ah[2];
static struct ibv_qp *qp[QPS];
static uint8_t *buf;
static struct map maps[MAPS_MAX];
static unsigned int map_count;
static uint64_t state;

static uint32_t draw(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

/*
 * The mappings of the device that can be written: rdma-core's own. What it has mapped is
 * found in the list of the process.
 */
static void find_maps(void)
{
	unsigned long from, to;
	char rights[8], line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	map_count = 0;
	while (f && fgets(line, sizeof(line), f) && map_count < MAPS_MAX) {
		if (!strstr(line, "/dev/infiniband/uverbs") ||
		    sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || rights[1] != 'w')
			continue;
		maps[map_count].at = (uint32_t *)from;
		maps[map_count++].words = (to - from) / 4;
	}
	if (f)
		fclose(f);
}

static void make_qp(unsigned int i)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = i % 4 ? IBV_QPT_DRIVER : IBV_QPT_UD, .send_cq = cq, .recv_cq = cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND_WITH_IMM |
				  (i % 4 ? IBV_QP_EX_WITH_RDMA_READ : 0),
		.pd = dev.pd,
		.cap = { .max_send_wr = RING, .max_recv_wr = RING, .max_send_sge = 2,
			 .max_recv_sge = 2, .max_inline_data = 32 },
		.sq_sig_all = 1,
	};
	struct efadv_qp_init_attr efa = { .driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD };
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	qp[i] = i % 4 ? efadv_create_qp_ex(dev.ctx, &attr, &efa, sizeof(efa)) :
			ibv_create_qp_ex(dev.ctx, &attr);
	if (!qp[i])
		die("efa_storm", "no queue pair");
	ibv_modify_qp(qp[i], &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	a.qp_state = IBV_QPS_RTR;
	ibv_modify_qp(qp[i], &a, IBV_QP_STATE);
	a.qp_state = IBV_QPS_RTS;
	ibv_modify_qp(qp[i], &a, IBV_QP_STATE | IBV_QP_SQ_PSN);
	find_maps();
}

static void remake_qp(unsigned int i)
{
	ibv_destroy_qp(qp[i]);
	make_qp(i);
}

/* A value that is likely to get somewhere: a key, an address, a length, a flag. */
static uint32_t likely(void)
{
	switch (draw() % 8) {
	case 0:
		return draw() % 3 ? mr->lkey : mr->rkey;
	case 1:
		return (uintptr_t)buf + draw() % (BYTES + 2 * GUARD) - GUARD;
	case 2:
		return (uintptr_t)buf >> 32;
	case 3:
		return draw() % 9000;
	case 4:
		return QKEY;
	case 5:
		return draw() % QPS;
	default:
		return draw();
	}
}

/* A send descriptor: most of it is right, one word is not. */
static void write_descriptor(const struct map *m)
{
	uint32_t d[16] = { 0 }, at = draw() % m->words & ~15u, i;
	uint32_t op = draw() % 4;

	d[0] = (draw() % RING) | (0x80u | op | (draw() % 4 ? 0 : 0x20)) << 16 | 0x1cu << 24;
	d[1] = (draw() % QPS) | (draw() % 3) << 16;
	d[3] = draw() % 3;
	d[4] = QKEY;
	d[8] = draw() % BYTES;
	d[9] = mr->lkey;
	d[10] = (uintptr_t)buf + draw() % BYTES;
	d[11] = (uintptr_t)buf >> 32;
	memcpy(d + 12, d + 8, 16);
	d[draw() % 16] = draw() % 2 ? likely() : d[0];
	for (i = 0; i < 16 && at + i < m->words; i++)
		m->at[at + i] = d[i];
}

/* A page of doorbells: a little ahead of what was, or anywhere. */
static void ring(const struct map *m)
{
	uint32_t at = draw() % 2 ? 0 : 16;

	if (draw() % 3)
		m->at[at] += draw() % 8;
	else
		m->at[at] = draw();
}

static uint32_t key(bool remote)
{
	return draw() % 8 ? (remote ? mr->rkey : mr->lkey) : likely();
}

static uintptr_t address(void)
{
	return (uintptr_t)buf + draw() % (BYTES + (draw() % 8 ? 0 : GUARD)) -
	       (draw() % 8 ? 0 : GUARD);
}

static void post_recv(struct ibv_qp *to)
{
	struct ibv_sge sge = { address(), draw() % 9000, key(false) };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	ibv_post_recv(to, &wr, &bad);
}

/* To a queue pair here, or where nobody is. */
static void post_send(struct ibv_qp *from)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(from);
	uint32_t len = draw() % 9000;

	ibv_wr_start(x);
	x->wr_flags = 0;
	if (from->qp_type == IBV_QPT_DRIVER && draw() % 2) {
		ibv_wr_rdma_read(x, key(true), address());
		len = draw() % BYTES;
	} else {
		ibv_wr_send_imm(x, draw());
	}
	ibv_wr_set_sge(x, key(false), address(), len);
	ibv_wr_set_ud_addr(x, ah[draw() % 8 == 0], qp[draw() % QPS]->qp_num,
			   draw() % 16 ? QKEY : draw());
	if (draw() % 16)
		ibv_wr_complete(x);
	else
		ibv_wr_abort(x);
}

static void write_once(void)
{
	const struct map *m = &maps[draw() % map_count];
	uint32_t what = draw() % 100;

	if (what < 45)
		post_recv(qp[draw() % QPS]);
	else if (what < 90)
		post_send(qp[draw() % QPS]);
	else if (what < 93)
		write_descriptor(m);
	else if (what < 95)
		ring(m);
	else
		m->at[draw() % m->words] = likely();
}

static void remake_mr(void)
{
	ibv_dereg_mr(mr);
	mr = ibv_reg_mr(dev.pd, buf, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!mr)
		die("efa_storm", "no region");
}

/* None of these may succeed: beyond what there is, with rights that are not given. */
static void map_wrong(void)
{
	static const int rights[] = { PROT_WRITE, PROT_READ, PROT_EXEC | PROT_READ };
	off_t at = (off_t)(draw() % 64) * 4096;
	size_t len = (size_t)(draw() % 4096 + 300) * 4096;
	void *p;

	p = mmap(NULL, len, rights[draw() % 3], draw() % 2 ? MAP_SHARED : MAP_PRIVATE,
		 dev.ctx->cmd_fd, at);
	if (p != MAP_FAILED)
		die("efa_storm", "mapped more than there is");
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, dev.ctx->cmd_fd, at);
	if (p != MAP_FAILED)
		die("efa_storm", "mapped for execution");
}

static void open_all(const char *node)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	unsigned int i;

	device_open(&dev, node);
	cq = ibv_create_cq(dev.ctx, 1024, NULL, NULL, 0);
	buf = mmap(NULL, BYTES + 2 * GUARD, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!cq || buf == MAP_FAILED)
		die(node, "no resources");
	memset(buf, 0x5a, BYTES + 2 * GUARD);
	buf += GUARD;
	mr = ibv_reg_mr(dev.pd, buf, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	ibv_query_gid(dev.ctx, 1, 0, &attr.grh.dgid);
	ah[0] = ibv_create_ah(dev.pd, &attr);
	attr.grh.dgid.raw[15] ^= 3;
	ah[1] = ibv_create_ah(dev.pd, &attr);
	if (!mr || !ah[0] || !ah[1])
		die(node, "no region or handle");
	for (i = 0; i < QPS; i++)
		make_qp(i);
}

static bool guarded(void)
{
	unsigned int i;

	for (i = 0; i < GUARD; i++)
		if (buf[-1 - (int)i] != 0x5a || buf[BYTES + i] != 0x5a)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct timespec ts = { .tv_nsec = 2000 };
	unsigned long i, writes;
	bool good;

	if (argc != 4)
		die("usage", "efa_storm NODE WRITES SEED");
	writes = strtoul(argv[2], NULL, 10);
	state = strtoul(argv[3], NULL, 10);
	open_all(argv[1]);
	for (i = 0; i < writes; i++) {
		write_once();
		if (i % 16 == 0)
			nanosleep(&ts, NULL);
		if (i % 64 == 0)
			remake_qp(draw() % QPS);
		if (i % 512 == 0)
			remake_mr();
		if (i % 1024 == 0)
			map_wrong();
	}
	good = guarded();
	printf("%lu writes, %s\n", writes,
	       good ? "nothing else changed" : "memory changed");
	fflush(stdout);
	while (!writes && getchar() != EOF)
		;
	return !good;
}
