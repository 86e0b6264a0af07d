// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects of verbs and their rules: memory regions, pieces of requests,
 * completion queues and their events, shared receive queues. Two queue pairs of
 * one device send to each other through the loop of the NIC.
 *
 * usage: verbs_objects			the names of the tests, one a line
 *        verbs_objects DEVICE GID_INDEX N	run test number N, from 0 on
 *
 * The rules are those of the InfiniBand Architecture Specification, volume 1,
 * 10.6 (memory), 11.2 (verbs), 9.4.5 (atomics); which errno says no is that of
 * the kernel's uverbs.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_pair.h"

#define ALL	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static char wanted[BYTES];	/* what the memory should be */

static void fill(void)
{
	int i;

	for (i = 0; i < BYTES; i++)
		buf[i] = i * 7 + i / 251;
	memcpy(wanted, buf, BYTES);
}

/* The same copy in both: then buf and wanted are equal. */
static bool as_wanted(void)
{
	return !memcmp(wanted, buf, BYTES);
}

static int post(struct end *e, enum ibv_wr_opcode op, struct ibv_sge *sge,
		int n, uint64_t to, uint32_t rkey)
{
	struct ibv_send_wr *bad, wr = {
		.sg_list = sge, .num_sge = n, .opcode = op,
		.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { to, rkey },
	};

	return ibv_post_send(e->qp, &wr, &bad);
}

static uint64_t at(uint32_t offset)
{
	return (uintptr_t)buf + offset;
}

static void test_registration(void)
{
	void *read_only = mmap(NULL, 4096, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *r;

	r = ibv_reg_mr(pd, buf, 0, ALL);
	WANT(r && r->lkey != mr->lkey && !ibv_dereg_mr(r));
	WANT(!ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_REMOTE_WRITE));
	WANT(errno == EINVAL);
	WANT(!ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_REMOTE_ATOMIC));
	WANT(errno == EINVAL);
	WANT(!ibv_reg_mr(pd, (void *)4096, 4096, IBV_ACCESS_LOCAL_WRITE));
	WANT(errno == EFAULT || errno == ENOMEM);
	WANT(!ibv_reg_mr(pd, read_only, 4096, IBV_ACCESS_LOCAL_WRITE));
	WANT(errno == EFAULT);
	WANT(!ibv_reg_mr(pd, buf, SIZE_MAX - 8192, IBV_ACCESS_LOCAL_WRITE));
	/* there are no windows, and no addresses but the memory's */
	WANT(!ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_MW_BIND));
	WANT(errno == EOPNOTSUPP);
	WANT(!ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_ZERO_BASED));
	WANT(errno == EOPNOTSUPP);
	r = ibv_reg_mr(pd, read_only, 4096, IBV_ACCESS_REMOTE_READ |
		       IBV_ACCESS_RELAXED_ORDERING);
	WANT(r && !ibv_dereg_mr(r));
}

/* A region may have another address than its memory. */
static void test_iova(void)
{
	uint64_t virt = at(0) + (1ULL << 40);
	struct ibv_mr *r = ibv_reg_mr_iova(pd, buf, 16384, virt, ALL);
	struct ibv_sge sge = { virt + 4000, 5000, 0 };
	struct end a, b;

	WANT(r);
	fill();
	sge.lkey = r->lkey;
	connect_both(&a, &b, IBV_QPT_RC, 0);
	WANT(!post(&a, IBV_WR_RDMA_WRITE, &sge, 1, at(20000), mr->rkey));
	WANT(!next(a.scq).status);
	memmove(wanted + 20000, wanted + 4000, 5000);
	WANT(as_wanted());
	sge = piece(30000, 5000);
	WANT(!post(&a, IBV_WR_RDMA_WRITE, &sge, 1, virt + 16384 - 5000, r->rkey));
	WANT(!next(a.scq).status);
	memmove(wanted + 16384 - 5000, wanted + 30000, 5000);
	WANT(as_wanted());
	unmake(&a);
	unmake(&b);
	WANT(!ibv_dereg_mr(r));
}

/* Bytes are gathered and scattered by pieces, of which some have none. */
static void test_pieces(void)
{
	struct ibv_sge from[4] = {
		piece(1, 3), { 0, 0, 77 }, piece(8190, 5001), piece(50, 1),
	};
	struct ibv_sge into[2] = { piece(40000, 3), piece(41000, 9000) };
	struct ibv_sge over = piece(0, 1000), none = piece(0, 0);
	struct end a, b;

	fill();
	connect_both(&a, &b, IBV_QPT_RC, 0);
	WANT(!post(&a, IBV_WR_RDMA_WRITE, from, 4, at(30001), mr->rkey));
	WANT(!next(a.scq).status);
	memmove(wanted + 30001, wanted + 1, 3);
	memmove(wanted + 30004, wanted + 8190, 5001);
	memmove(wanted + 35005, wanted + 50, 1);
	WANT(as_wanted());
	WANT(!post(&a, IBV_WR_RDMA_READ, into, 2, at(10), mr->rkey));
	WANT(!next(a.scq).status);
	memmove(wanted + 40000, wanted + 10, 3);
	memmove(wanted + 41000, wanted + 13, 9000);
	WANT(as_wanted());
	/* from and to may overlap within a packet */
	WANT(!post(&a, IBV_WR_RDMA_WRITE, &over, 1, at(100), mr->rkey));
	WANT(!next(a.scq).status);
	memmove(wanted + 100, wanted, 1000);
	WANT(as_wanted());
	/* of nothing, neither key nor address matter */
	WANT(!post(&a, IBV_WR_RDMA_WRITE, &none, 1, 0, 0x1234));
	WANT(!next(a.scq).status && as_wanted());
	unmake(&a);
	unmake(&b);
}

static int atomic(struct end *e, enum ibv_wr_opcode op, uint32_t to,
		  uint64_t add, uint64_t swap)
{
	struct ibv_sge sge = piece(0, 8);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = op,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = { at(to), add, swap, mr->rkey },
	};

	return ibv_post_send(e->qp, &wr, &bad);
}

static uint64_t word(uint32_t offset)
{
	uint64_t v;

	memcpy(&v, buf + offset, 8);
	return v;
}

static void test_atomics(void)
{
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	memset(buf, 0xff, 64);
	WANT(!atomic(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 3, 0));
	WANT(!next(a.scq).status && word(0) == UINT64_MAX && word(8) == 2);
	WANT(!atomic(&a, IBV_WR_ATOMIC_CMP_AND_SWP, 8, 2, 9));
	WANT(!next(a.scq).status && word(0) == 2 && word(8) == 9);
	WANT(!atomic(&a, IBV_WR_ATOMIC_CMP_AND_SWP, 8, 2, 7));
	WANT(!next(a.scq).status && word(0) == 9 && word(8) == 9);
	WANT(!atomic(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, 12, 3, 0));
	WANT(next(a.scq).status == IBV_WC_REM_INV_REQ_ERR);
	WANT(word(8) == 9 && word(16) == UINT64_MAX);
	WANT(event() == IBV_EVENT_QP_REQ_ERR && state(&b) == IBV_QPS_ERR);
	unmake(&a);
	unmake(&b);
}

/* Have @n completions in the far end's receive queue. */
static void receive(struct end *a, struct end *b, int first, int n)
{
	int i;

	for (i = first; i < first + n; i++) {
		WANT(!recv_one(b, i, HALF, 64));
		WANT(!send_one(a, i, IBV_SEND_SIGNALED, piece(0, 8)));
		WANT(!next(a->scq).status);
	}
}

static void test_resize(void)
{
	struct end a, b;
	int i;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	receive(&a, &b, 0, 30);
	WANT(ibv_resize_cq(b.rcq, 29));
	WANT(!ibv_resize_cq(b.rcq, 30) && b.rcq->cqe == 30);
	WANT(!ibv_resize_cq(b.rcq, 1000) && b.rcq->cqe == 1000);
	WANT(ibv_resize_cq(b.rcq, dev.max_cqe + 1));
	receive(&a, &b, 30, 10);
	for (i = 0; i < 40; i++)
		WANT(next(b.rcq).wr_id == (uint64_t)i);
	WANT(quiet(b.rcq));
	unmake(&a);
	unmake(&b);
	WANT(!ibv_create_cq(ctx, dev.max_cqe + 1, NULL, NULL, 0));
}

/* What does not fit is lost, and the queue and who uses it are in error. */
static void test_overrun(void)
{
	struct end a, b;
	int i;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	WANT(!ibv_resize_cq(b.rcq, 4));
	receive(&a, &b, 0, 4);
	WANT(event() == -1);
	WANT(!recv_one(&b, 4, HALF, 64));
	WANT(!send_one(&a, 4, IBV_SEND_SIGNALED, piece(0, 8)));
	next(a.scq);
	WANT(event() == IBV_EVENT_CQ_ERR && event() == IBV_EVENT_QP_FATAL);
	WANT(event() == -1 && state(&b) == IBV_QPS_ERR);
	for (i = 0; i < 4; i++)
		WANT(next(b.rcq).wr_id == (uint64_t)i);
	WANT(quiet(b.rcq));
	unmake(&a);
	unmake(&b);
}

static bool told(struct ibv_comp_channel *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&p, 1, 20) != 1 || ibv_get_cq_event(c, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

/* One event for each arming, at the next completion or the next that matters. */
static void test_channel(void)
{
	struct end a, b;

	channel = ibv_create_comp_channel(ctx);
	WANT(channel);
	connect_both(&a, &b, IBV_QPT_RC, 0);
	receive(&a, &b, 0, 1);
	WANT(!told(channel));
	WANT(!ibv_req_notify_cq(b.rcq, 0));
	receive(&a, &b, 1, 2);
	WANT(told(channel) && !told(channel));
	WANT(!ibv_req_notify_cq(b.rcq, 1));
	receive(&a, &b, 3, 1);
	WANT(!told(channel) && !recv_one(&b, 4, HALF, 64));
	WANT(!send_one(&a, 4, IBV_SEND_SOLICITED, piece(0, 8)));
	WANT(told(channel));
	/* an error always matters */
	WANT(!ibv_req_notify_cq(b.rcq, 1) && !recv_one(&b, 5, HALF, 64));
	WANT(!to(&b, IBV_QPS_ERR) && told(channel));
	WANT(ibv_destroy_comp_channel(channel) == EBUSY);
	unmake(&a);
	unmake(&b);
	WANT(!ibv_destroy_comp_channel(channel));
}

static int recv_shared(struct ibv_srq *srq, uint64_t id)
{
	struct ibv_sge sge = piece(HALF, 64);
	struct ibv_recv_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1,
	};

	return ibv_post_srq_recv(srq, &wr, &bad);
}

/* A message to each of two that share their receives, which are taken in turn. */
static void share(struct end *from, struct end *into, uint64_t first, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		WANT(!send_one(&from[i % 2], i, IBV_SEND_SIGNALED, piece(0, 8)));
		WANT(!next(from[i % 2].scq).status);
		WANT(next(into[i % 2].rcq).wr_id == first + i);
	}
}

static void connect_shared(struct end *a, struct end *b, struct ibv_srq *srq)
{
	WANT(make(a, IBV_QPT_RC, NULL, 0) && make(b, IBV_QPT_RC, srq, 0));
	WANT(!to_init(a) && !to_init(b));
	WANT(!to_rtr(a, b->qp->qp_num) && !to_rtr(b, a->qp->qp_num));
	WANT(!to_rts(a) && !to_rts(b));
}

static void test_shared(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct ibv_srq_attr attr = { .srq_limit = 6 };
	struct end a[2], b[2];
	int i;

	WANT(srq && init.attr.max_wr >= 8);
	connect_shared(&a[0], &b[0], srq);
	connect_shared(&a[1], &b[1], srq);
	for (i = 0; i < 8; i++)
		WANT(!recv_shared(srq, i));
	WANT(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	WANT(!ibv_query_srq(srq, &attr) && attr.srq_limit == 6);
	/* 6 are left, which are not fewer than 6; then 5 are */
	share(a, b, 0, 2);
	WANT(event() != IBV_EVENT_SRQ_LIMIT_REACHED);
	share(a, b, 2, 1);
	WANT(event() == IBV_EVENT_SRQ_LIMIT_REACHED);
	WANT(!ibv_query_srq(srq, &attr) && attr.srq_limit == 0);
	share(a, b, 3, 2);
	WANT(event() == -1);
	/* longer, and not shorter than what it holds */
	attr.max_wr = 2;
	WANT(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	attr.max_wr = 20;
	WANT(!ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	for (i = 8; i < 25; i++)
		WANT(!recv_shared(srq, i));
	WANT(recv_shared(srq, i) == ENOMEM);
	attr.srq_limit = 21;
	WANT(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT) == EINVAL);
	share(a, b, 5, 20);
	WANT(ibv_destroy_srq(srq) == EBUSY);
	for (i = 0; i < 2; i++) {
		unmake(&a[i]);
		unmake(&b[i]);
	}
	WANT(!ibv_destroy_srq(srq));
}

/* What others use stays, and works on. */
static void test_used(void)
{
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	WANT(ibv_dealloc_pd(pd) == EBUSY);
	WANT(ibv_destroy_cq(b.rcq) == EBUSY && ibv_destroy_cq(a.scq) == EBUSY);
	receive(&a, &b, 0, 1);
	WANT(next(b.rcq).wr_id == 0);
	unmake(&a);
	unmake(&b);
	WANT(ibv_dealloc_pd(pd) == EBUSY);	/* of the region */
	WANT(!ibv_dereg_mr(mr) && !ibv_dealloc_pd(pd));
}

/* A child has its own copy of registered memory, and leaves the parent's alone. */
static void test_fork(void)
{
	struct end a, b;
	int status;
	pid_t pid;

	fill();
	connect_both(&a, &b, IBV_QPT_RC, 0);
	pid = fork();
	WANT(pid >= 0);
	if (!pid) {
		memset(buf, 0x77, BYTES);
		_exit(0);
	}
	WANT(waitpid(pid, &status, 0) == pid && !status && as_wanted());
	buf[5] = wanted[5] = 99;
	WANT(!remote(&a, IBV_WR_RDMA_WRITE, 1, 0, 5000, HALF));
	WANT(!next(a.scq).status);
	memcpy(wanted + HALF, wanted, 5000);
	WANT(as_wanted());
	unmake(&a);
	unmake(&b);
}

/*
 * A datagram to a group comes back to all members at its sender's port, once each,
 * the queue pair that sent it among them.
 */
static void test_group(void)
{
	struct ibv_ah_attr attr = address();
	struct ibv_sge sge = piece(0, 8);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .remote_qpn = 0xffffff, .remote_qkey = QKEY },
	};
	struct end a, b;
	int i;

	attr.is_global = 1;
	attr.dlid = 0xc007;
	memset(&attr.grh.dgid, 0, sizeof(attr.grh.dgid));
	attr.grh.dgid.raw[0] = 0xff;
	attr.grh.dgid.raw[1] = 0x0e;
	attr.grh.dgid.raw[15] = 7;
	wr.wr.ud.ah = ibv_create_ah(pd, &attr);
	WANT(wr.wr.ud.ah);
	connect_both(&a, &b, IBV_QPT_UD, 0);
	for (i = 0; i < 4; i++)
		WANT(!recv_one(&a, i, HALF, 64) && !recv_one(&b, i, HALF, 64));
	WANT(!ibv_attach_mcast(b.qp, &attr.grh.dgid, attr.dlid));
	WANT(!ibv_post_send(a.qp, &wr, &bad) && !next(a.scq).status);
	WANT(!next(b.rcq).status && quiet(b.rcq) && quiet(a.rcq));
	WANT(!ibv_attach_mcast(a.qp, &attr.grh.dgid, attr.dlid));
	WANT(!ibv_post_send(a.qp, &wr, &bad) && !next(a.scq).status);
	WANT(!next(b.rcq).status && !next(a.rcq).status);
	WANT(quiet(b.rcq) && quiet(a.rcq));
	WANT(!ibv_detach_mcast(b.qp, &attr.grh.dgid, attr.dlid));
	WANT(ibv_detach_mcast(b.qp, &attr.grh.dgid, attr.dlid));
	WANT(!ibv_detach_mcast(a.qp, &attr.grh.dgid, attr.dlid));
	WANT(!ibv_post_send(a.qp, &wr, &bad) && !next(a.scq).status);
	WANT(quiet(b.rcq) && quiet(a.rcq));
	unmake(&a);
	unmake(&b);
}

static bool attach(struct end *e, union ibv_gid *group, int n)
{
	group->raw[14] = n >> 8;
	group->raw[15] = n;
	return !ibv_attach_mcast(e->qp, group, 0xc000);
}

/* As many groups, and members of one, as the device says, and then no more. */
static void test_groups(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e } };
	int n, members = dev.max_mcast_qp_attach;
	struct end *e = calloc(members + 1, sizeof(*e));

	WANT(dev.max_mcast_grp == 8192 && members == 256);
	for (n = 0; n <= members; n++)
		WANT(make(&e[n], IBV_QPT_UD, NULL, 0));
	for (n = 0; n < dev.max_mcast_grp; n++)
		WANT(attach(e, &group, n));
	WANT(!attach(e, &group, n) && errno == ENOMEM);
	for (n = 1; n < members; n++)
		WANT(attach(&e[n], &group, 5));
	WANT(!attach(&e[n], &group, 5) && attach(&e[n], &group, 6));
}

/*
 * All kinds of objects, as many as the device says; the kernel has some of its own.
 */
static void test_limits(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_ah_attr attr = address();
	struct ibv_cq *cq = ibv_create_cq(ctx, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr qp = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
	};
	int n, max = 40;

	WANT(dev.max_pd == max && dev.max_cq == max && dev.max_qp == max);
	WANT(dev.max_mr == max && dev.max_ah == max && dev.max_srq == max);
#define MOST(make, own)							\
	do {								\
		for (n = own; n <= max && (make); n++)			\
			;						\
		WANT(n > max - 5 && n <= max && errno == ENOMEM);	\
	} while (0)
	MOST(ibv_alloc_pd(ctx), 1);
	MOST(ibv_create_cq(ctx, 1, NULL, NULL, 0), 1);
	MOST(ibv_create_qp(pd, &qp), 0);
	MOST(ibv_reg_mr(pd, buf, 64, 0), 1);
	MOST(ibv_create_ah(pd, &attr), 0);
	WANT(n == max);
	MOST(ibv_create_srq(pd, &init), 0);
	WANT(n == max);
}

/* What is given back can be had again. */
static void test_again(void)
{
	struct ibv_ah_attr attr = address();
	struct end e;
	int i;

	for (i = 0; i < 100; i++) {
		WANT(make(&e, IBV_QPT_RC, NULL, 0));
		unmake(&e);
		WANT(!ibv_destroy_ah(ibv_create_ah(pd, &attr)));
		WANT(!ibv_dealloc_pd(ibv_alloc_pd(ctx)));
		WANT(!ibv_dereg_mr(ibv_reg_mr(pd, buf, 64, 0)));
	}
}

static const struct test tests[] = {
	{ "regions are made of what a process may give", test_registration },
	{ "a region may have an address of its own", test_iova },
	{ "requests are made of pieces", test_pieces },
	{ "atomics return what was there", test_atomics },
	{ "a completion queue changes its length", test_resize },
	{ "a completion queue that is too short ends", test_overrun },
	{ "completions are told once for each arming", test_channel },
	{ "queue pairs share their receives", test_shared },
	{ "what is in use stays", test_used },
	{ "a child does not disturb its parent's memory", test_fork },
	{ "a group's datagram comes to its sender, too", test_group },
	{ "groups and their members have their limits", test_groups },
	{ "objects have their limits", test_limits },
	{ "and can be had again", test_again },
};

int main(int argc, char **argv)
{
	return run_test(argc, argv, open_loop, tests,
			sizeof(tests) / sizeof(*tests));
}
