// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tests of verbs between two nodes share.
 */
#define _GNU_SOURCE
#include "verbs_nodes.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verbs_device.h"

#define PAGE	4096UL
#define BEFORE	(PAGE + 520)	/* guarding bytes; an atomic's place is a multiple of 8 */
#define TOTAL	((BEFORE + NODE_BYTES + 2 * PAGE) & ~(PAGE - 1))
#define GUARD	0xa5

struct node here, there;

static char *memory(void)
{
	char *p = mmap(NULL, TOTAL + 2 * PAGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED ||
	    mprotect(p + PAGE, TOTAL, PROT_READ | PROT_WRITE))
		return NULL;
	memset(p + PAGE, GUARD, TOTAL);
	return p + PAGE + BEFORE;
}

static bool roce(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr attr = { };
	struct ibv_context *c = list && list[0] ? ibv_open_device(list[0]) : NULL;

	if (!c)
		return false;
	ibv_query_port(c, 1, &attr);
	ibv_close_device(c);
	ibv_free_device_list(list);
	return attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

bool open_node(struct node *n, const char *name)
{
	ctx = NULL;
	/* of RoCE's GIDs the second one is that of the IPv4 address */
	if (!enter_node(name) || !open_device(NULL, roce()) ||
	    !open_memory(memory(), NODE_BYTES))
		return false;
	n->ctx = ctx;
	n->port = port;
	n->pd = pd;
	n->mr = mr;
	n->gid = gid;
	n->buf = buf;
	return true;
}

bool open_nodes(char **argv)
{
	return open_node(&here, argv[1]) && open_node(&there, argv[2]);
}

void use(const struct node *n)
{
	ctx = n->ctx;
	port = n->port;
	pd = n->pd;
	mr = n->mr;
	gid = n->gid;
	buf = n->buf;
}

static struct ibv_ah_attr address_of(const struct node *n)
{
	use(n);
	return address();
}

static void begin(struct node *n, const struct manner *m)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = m->rights,
	};

	use(n);
	WANT(make(&n->end, m->type, NULL, 1));
	WANT(!ibv_modify_qp(n->end.qp, &attr, IBV_QP_STATE | IBV_QP_PORT |
			    IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
}

static void finish(struct node *n, const struct node *to, const struct manner *m)
{
	struct ibv_qp_attr rtr = rtr_attr(to->end.qp->qp_num);
	struct ibv_qp_attr rts = rts_attr();
	int reliable = m->type == IBV_QPT_RC;

	rtr.ah_attr = address_of(to);
	rtr.path_mtu = m->mtu;
	rtr.min_rnr_timer = m->min_rnr_timer;
	rtr.max_dest_rd_atomic = m->reads_taken;
	rts.timeout = m->timeout;
	rts.retry_cnt = m->retry_cnt;
	rts.rnr_retry = m->rnr_retry;
	rts.max_rd_atomic = m->reads;
	WANT(!ibv_modify_qp(n->end.qp, &rtr, reliable ? RTR_MASK : RTR_MASK &
			    ~(IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER)));
	WANT(!ibv_modify_qp(n->end.qp, &rts, reliable ? RTS_MASK :
			    IBV_QP_STATE | IBV_QP_SQ_PSN));
}

void connect_nodes(const struct manner *m)
{
	begin(&here, m);
	begin(&there, m);
	finish(&here, &there, m);
	finish(&there, &here, m);
}

void disconnect(void)
{
	unmake(&here.end);
	unmake(&there.end);
}

int event_of(struct node *n)
{
	use(n);
	return event();
}

static uint32_t word_of(const struct node *n, uint32_t seed, uint32_t i)
{
	uint32_t x = (i + 1) * 2654435761U + seed * 40503U + (n == &there);

	return (x ^ x >> 15) * 2246822519U;
}

_Static_assert(NODE_BYTES % 4 == 0, "whole words");

void fill_nodes(uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < NODE_BYTES / 4; i++) {
		((uint32_t *)here.buf)[i] = word_of(&here, seed, i);
		((uint32_t *)there.buf)[i] = word_of(&there, seed, i);
	}
}

bool unchanged(const struct node *n, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < NODE_BYTES / 4; i++)
		if (((uint32_t *)n->buf)[i] != word_of(n, seed, i))
			return false;
	return guarded(n);
}

bool guarded(const struct node *n)
{
	const char *p = n->buf - BEFORE;
	size_t i;

	for (i = 0; i < TOTAL; i++) {
		if (i == BEFORE)
			i += NODE_BYTES;
		if (p[i] != (char)GUARD)
			return false;
	}
	return true;
}

struct ibv_sge part(const struct node *n, uint32_t at, uint32_t len)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)n->buf + at,
		.length = len,
		.lkey = n->mr->lkey,
	};
}

int request_with(enum ibv_wr_opcode op, uint64_t id, struct ibv_sge sge,
		 uint64_t to, uint32_t rkey, int flags)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = op,
		.send_flags = flags, .imm_data = htonl(id),
		.wr.rdma = { to, rkey },
	};

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD || op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = to;
		wr.wr.atomic.compare_add = 1;
		wr.wr.atomic.swap = 0;
		wr.wr.atomic.rkey = rkey;
	}
	return ibv_post_send(here.end.qp, &wr, &bad);
}

int request(enum ibv_wr_opcode op, uint64_t id, uint32_t at, uint32_t len,
	    uint32_t to)
{
	return request_with(op, id, part(&here, at, len),
			    (uintptr_t)there.buf + to, there.mr->rkey, 0);
}

int receive_there(uint64_t id, struct ibv_sge sge)
{
	struct ibv_recv_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1,
	};

	return ibv_post_recv(there.end.qp, &wr, &bad);
}
