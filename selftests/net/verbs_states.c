// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * States of a queue pair, and what may be posted in them: two queue pairs of one
 * device, which send to each other through the loop of the NIC.
 *
 * usage: verbs_states			the names of the tests, one a line
 *        verbs_states DEVICE GID_INDEX N	run test number N, from 0 on
 *
 * The rules are those of the InfiniBand Architecture Specification, volume 1,
 * 10.3 (states) and 11.2.5 (what modifies them); the limits are those that the
 * device tells.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_pair.h"

static int try_create(struct ibv_qp_cap cap)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = cap,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &attr);
	int err = qp ? 0 : errno;

	if (qp && (attr.cap.max_send_wr < cap.max_send_wr ||
		   attr.cap.max_recv_wr < cap.max_recv_wr ||
		   attr.cap.max_send_sge < cap.max_send_sge ||
		   attr.cap.max_recv_sge < cap.max_recv_sge ||
		   attr.cap.max_inline_data < cap.max_inline_data))
		err = -1;
	if (qp)
		ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	return err;
}

static void test_limits(void)
{
	unsigned int wr = dev.max_qp_wr, sge = dev.max_sge;

	WANT(try_create((struct ibv_qp_cap){ wr, wr, sge, sge, 256 }) == 0);
	WANT(try_create((struct ibv_qp_cap){ 0, 0, 0, 0, 0 }) == 0);
	WANT(try_create((struct ibv_qp_cap){ wr + 1, 1, 1, 1, 0 }) == EINVAL);
	WANT(try_create((struct ibv_qp_cap){ 1, wr + 1, 1, 1, 0 }) == EINVAL);
	WANT(try_create((struct ibv_qp_cap){ 1, 1, sge + 1, 1, 0 }) == EINVAL);
	WANT(try_create((struct ibv_qp_cap){ 1, 1, 1, sge + 1, 0 }) == EINVAL);
	WANT(try_create((struct ibv_qp_cap){ 1, 1, 1, 1, 257 }) == EINVAL);
}

static void test_posting(void)
{
	struct end e;

	WANT(make(&e, IBV_QPT_RC, NULL, 1));
	WANT(recv_one(&e, 1, 0, 64) == EINVAL);
	WANT(send_one(&e, 1, 0, piece(0, 64)) == EINVAL);
	WANT(!to_init(&e));
	WANT(!recv_one(&e, 2, 0, 64));
	WANT(send_one(&e, 2, 0, piece(0, 64)) == EINVAL);
	WANT(!to_rtr(&e, e.qp->qp_num));
	WANT(send_one(&e, 3, 0, piece(0, 64)) == EINVAL);
	WANT(!to_rts(&e));
	WANT(!send_one(&e, 4, 0, piece(64, 64)));
	WANT(next(e.scq).status == IBV_WC_SUCCESS);
	WANT(next(e.rcq).wr_id == 2);
	unmake(&e);
}

static int rtr_with(struct end *e, struct ibv_qp_attr attr, int mask)
{
	return ibv_modify_qp(e->qp, &attr, mask);
}

static void test_refused(void)
{
	struct ibv_qp_attr a;
	struct end e;

	WANT(make(&e, IBV_QPT_RC, NULL, 1));
	WANT(to(&e, IBV_QPS_RTS) == EINVAL && to(&e, IBV_QPS_SQD) == EINVAL);
	WANT(state(&e) == IBV_QPS_RESET);
	WANT(to(&e, IBV_QPS_INIT) == EINVAL);	/* nothing of what it needs */
	WANT(!to_init(&e));
	a = rtr_attr(2);
	WANT(rtr_with(&e, a, RTR_MASK & ~IBV_QP_AV) == EINVAL);
	a.path_mtu = 6;
	WANT(rtr_with(&e, a, RTR_MASK) == EINVAL);
	a.path_mtu = port.active_mtu + 1;
	WANT(rtr_with(&e, a, RTR_MASK) == EINVAL);
	a = rtr_attr(0x1000000);
	WANT(rtr_with(&e, a, RTR_MASK) == EINVAL);
	a = rtr_attr(2);
	a.max_dest_rd_atomic = dev.max_qp_rd_atom + 1;
	WANT(rtr_with(&e, a, RTR_MASK) == EINVAL);
	a = rtr_attr(2);
	a.min_rnr_timer = 32;
	WANT(rtr_with(&e, a, RTR_MASK) == EINVAL);
	WANT(state(&e) == IBV_QPS_INIT);
	WANT(!to_rtr(&e, 2));
	a = rts_attr();
	a.timeout = 32;
	WANT(rtr_with(&e, a, RTS_MASK) == EINVAL);
	a = rts_attr();
	a.retry_cnt = 8;
	WANT(rtr_with(&e, a, RTS_MASK) == EINVAL);
	a = rts_attr();
	a.rnr_retry = 8;
	WANT(rtr_with(&e, a, RTS_MASK) == EINVAL);
	a = rts_attr();
	a.max_rd_atomic = dev.max_qp_init_rd_atom + 1;
	WANT(rtr_with(&e, a, RTS_MASK) == EINVAL);
	a = rts_attr();
	WANT(rtr_with(&e, a, RTS_MASK | IBV_QP_QKEY) == EINVAL);
	WANT(state(&e) == IBV_QPS_RTR);
	WANT(!to_rts(&e) && state(&e) == IBV_QPS_RTS);
	WANT(to(&e, IBV_QPS_INIT) == EINVAL && to(&e, IBV_QPS_RTR) == EINVAL);
	unmake(&e);
}

static void test_query(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr q;
	struct end e;

	WANT(make(&e, IBV_QPT_RC, NULL, 1));
	WANT(!to_init(&e) && !to_rtr(&e, 77) && !to_rts(&e));
	WANT(!ibv_query_qp(e.qp, &q, 0x1fffff, &init));
	WANT(q.qp_state == IBV_QPS_RTS && q.path_mtu == IBV_MTU_1024);
	WANT(q.dest_qp_num == 77 && q.rq_psn == 0xfffffe);
	WANT(q.sq_psn == 0xfffffe && q.timeout == 14 && q.retry_cnt == 7);
	WANT(q.rnr_retry == 7 && q.min_rnr_timer == 12 && q.port_num == 1);
	WANT(q.max_rd_atomic == 4 && q.max_dest_rd_atomic == 4);
	WANT(q.ah_attr.dlid == port.lid || q.ah_attr.is_global);
	WANT(!q.ah_attr.is_global ||
	     !memcmp(&q.ah_attr.grh.dgid, &gid, sizeof(gid)));
	WANT(q.path_mig_state == IBV_MIG_MIGRATED && !q.sq_draining);
	WANT(init.cap.max_send_wr >= DEPTH && init.cap.max_inline_data == 64);
	WANT(init.sq_sig_all == 1);
	unmake(&e);
}

static void test_flush(void)
{
	struct ibv_wc wc;
	struct end e;
	int i;

	WANT(make(&e, IBV_QPT_RC, NULL, 0));
	WANT(!to_init(&e));
	for (i = 0; i < 3; i++)
		WANT(!recv_one(&e, i, 0, 64));
	WANT(!to(&e, IBV_QPS_ERR) && state(&e) == IBV_QPS_ERR);
	for (i = 0; i < 3; i++) {
		wc = next(e.rcq);
		WANT(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == (unsigned int)i);
		WANT(wc.qp_num == e.qp->qp_num);
	}
	WANT(!recv_one(&e, 8, 0, 64) && !send_one(&e, 9, 0, piece(0, 64)));
	wc = next(e.rcq);
	WANT(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 8);
	wc = next(e.scq);
	WANT(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 9);
	WANT(quiet(e.scq) && quiet(e.rcq));
	unmake(&e);
}

static void test_reset(void)
{
	struct ibv_cq *cq;
	struct end e;

	WANT(make(&e, IBV_QPT_RC, NULL, 0));
	WANT(!to_init(&e) && !recv_one(&e, 1, 0, 64));
	WANT(!to(&e, IBV_QPS_ERR) && !recv_one(&e, 2, 0, 64));
	WANT(!to(&e, IBV_QPS_RESET) && quiet(e.rcq));
	/* and again a whole life; the receives of the former are forgotten */
	WANT(!to_init(&e) && !recv_one(&e, 3, 0, 64));
	WANT(!to_rtr(&e, e.qp->qp_num) && !to_rts(&e));
	WANT(!send_one(&e, 4, IBV_SEND_SIGNALED, piece(64, 64)));
	WANT(next(e.rcq).wr_id == 3 && next(e.scq).wr_id == 4);
	/* completions go with the queue pair */
	WANT(!recv_one(&e, 5, 0, 64) && !to(&e, IBV_QPS_ERR));
	cq = e.rcq;
	WANT(!ibv_destroy_qp(e.qp));
	e.qp = NULL;
	WANT(quiet(cq));
	unmake(&e);
}

static void test_rc(void)
{
	static const uint32_t sizes[] = { 0, 1, 1023, 1024, 1025, 20000, HALF };
	struct ibv_wc wc;
	struct end a, b;
	unsigned int i;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memset(buf, i + 1, HALF);
		memset(buf + HALF, 0x55, HALF);
		WANT(!recv_one(&b, i, HALF, HALF));
		WANT(!send_one(&a, i, 0, piece(0, sizes[i])));
		wc = next(b.rcq);
		WANT(!wc.status && wc.opcode == IBV_WC_RECV);
		WANT(wc.byte_len == sizes[i] && wc.wr_id == (uint64_t)i);
		WANT(wc.src_qp == a.qp->qp_num && wc.qp_num == b.qp->qp_num);
		WANT(next(a.scq).status == IBV_WC_SUCCESS);
		WANT(!memcmp(buf, buf + HALF, sizes[i]));
		WANT(sizes[i] == HALF || buf[HALF + sizes[i]] == 0x55);
	}
	unmake(&a);
	unmake(&b);
}

static void test_remote(void)
{
	struct ibv_wc wc;
	struct end a, b;
	uint64_t old;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	memset(buf, 1, HALF);
	memset(buf + HALF, 2, HALF);
	WANT(!remote(&a, IBV_WR_RDMA_WRITE, 1, 0, 5000, HALF));
	wc = next(a.scq);
	WANT(!wc.status && wc.opcode == IBV_WC_RDMA_WRITE && wc.wr_id == 1);
	WANT(buf[HALF + 4999] == 1 && buf[HALF + 5000] == 2);
	WANT(!remote(&a, IBV_WR_RDMA_READ, 2, 0, 6000, HALF));
	wc = next(a.scq);
	WANT(!wc.status && wc.opcode == IBV_WC_RDMA_READ);
	WANT(wc.byte_len == 6000 && buf[4999] == 1 && buf[5999] == 2);
	memset(buf + HALF, 0, 8);
	memset(buf, 7, 8);
	WANT(!remote(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, 0, 8, HALF));
	wc = next(a.scq);
	WANT(!wc.status && wc.opcode == IBV_WC_FETCH_ADD && wc.byte_len == 8);
	memcpy(&old, buf, 8);
	WANT(old == 0);
	memcpy(&old, buf + HALF, 8);
	WANT(old == 5);
	unmake(&a);
	unmake(&b);
}

static void test_inline(void)
{
	char one[] = "some", two[] = "where", three[] = " in time";
	struct ibv_sge sge[3] = {
		{ (uintptr_t)one, 4, 0 }, { (uintptr_t)two, 5, 0 },
		{ (uintptr_t)three, 8, 0 },
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = sge, .num_sge = 3, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED,
	};
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	memset(buf, 0, 64);
	WANT(!recv_one(&b, 1, 0, 64) && !ibv_post_send(a.qp, &wr, &bad));
	memset(one, 0, sizeof(one));	/* it may be used again at once */
	WANT(next(b.rcq).byte_len == 17 && !next(a.scq).status);
	WANT(!strcmp(buf, "somewhere in time"));
	sge[0].addr = (uintptr_t)buf;
	sge[0].length = 65;
	wr.num_sge = 1;
	WANT(ibv_post_send(a.qp, &wr, &bad) == EINVAL && bad == &wr);
	sge[0].addr = 8;		/* nobody's memory */
	sge[0].length = 8;
	WANT(ibv_post_send(a.qp, &wr, &bad) == EFAULT && bad == &wr);
	unmake(&a);
	unmake(&b);
}

static void test_order(void)
{
	struct end a, b;
	int i;

	connect_both(&a, &b, IBV_QPT_RC, 0);
	for (i = 0; i < 8; i++)
		WANT(!recv_one(&b, i, HALF, 4096));
	/* every other one is told */
	for (i = 0; i < 8; i++)
		WANT(!send_one(&a, i, i & 1 ? IBV_SEND_SIGNALED : 0,
			       piece(0, 3000)));
	for (i = 1; i < 8; i += 2)
		WANT(next(a.scq).wr_id == (uint64_t)i);
	for (i = 0; i < 8; i++)
		WANT(next(b.rcq).wr_id == (uint64_t)i);
	WANT(quiet(a.scq));
	unmake(&a);
	unmake(&b);
}

static void test_list(void)
{
	struct ibv_sge sge[3] = { piece(0, 64), piece(0, 64), piece(0, 64) };
	struct ibv_send_wr *bad, wr[3] = { };
	struct end a, b;
	int i;

	connect_both(&a, &b, IBV_QPT_UC, 1);
	for (i = 0; i < 3; i++) {
		wr[i].wr_id = i;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
		WANT(!recv_one(&b, i, HALF, 64));
	}
	wr[1].opcode = IBV_WR_RDMA_READ;	/* UC has none */
	WANT(ibv_post_send(a.qp, &wr[0], &bad) == EINVAL && bad == &wr[1]);
	WANT(next(a.scq).wr_id == 0 && next(b.rcq).wr_id == 0);
	WANT(quiet(a.scq) && quiet(b.rcq));
	unmake(&a);
	unmake(&b);
}

static int to_sqd(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1,
	};

	return ibv_modify_qp(e->qp, &attr, IBV_QP_STATE |
			     IBV_QP_EN_SQD_ASYNC_NOTIFY);
}

static bool draining(struct end *e)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &init) &&
	       attr.qp_state == IBV_QPS_SQD && attr.sq_draining;
}

static void test_drain(void)
{
	struct end a, b;
	int i, n;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	/* one that was begun, and waits for a receive */
	WANT(!send_one(&a, 100, 0, piece(0, HALF)) && quiet(a.scq));
	WANT(!to_sqd(&a) && draining(&a) && event() == -1);
	WANT(!send_one(&a, 101, 0, piece(0, 64)));
	WANT(!recv_one(&b, 100, HALF, HALF) && !recv_one(&b, 101, HALF, 64));
	WANT(next(a.scq).wr_id == 100 && next(b.rcq).wr_id == 100);
	WANT(event() == IBV_EVENT_SQ_DRAINED && !draining(&a));
	WANT(quiet(a.scq) && quiet(b.rcq) && !to(&a, IBV_QPS_RTS));
	WANT(next(a.scq).wr_id == 101 && next(b.rcq).wr_id == 101);
	WANT(!to_sqd(&a) && event() == IBV_EVENT_SQ_DRAINED);	/* at once */
	/* a full queue in SQD: nothing is sent, and nothing is lost */
	for (n = 0; n < 4096 && !send_one(&a, n, 0, piece(0, 8)); n++)
		WANT(n >= DEPTH || !recv_one(&b, n, HALF, 64));
	WANT(n >= DEPTH && n < 4096);
	WANT(send_one(&a, n, 0, piece(0, 8)) == ENOMEM && quiet(b.rcq));
	WANT(!to(&a, IBV_QPS_RTS));
	for (i = 0; i < n; i++)
		WANT(next(a.scq).wr_id == (uint64_t)i &&
		     next(b.rcq).wr_id == (uint64_t)i);
	unmake(&a);
	unmake(&b);
}

static void test_established(void)
{
	struct end a, b;

	WANT(make(&a, IBV_QPT_RC, NULL, 1) && make(&b, IBV_QPT_RC, NULL, 1));
	WANT(!to_init(&a) && !to_init(&b));
	WANT(!to_rtr(&a, b.qp->qp_num) && !to_rtr(&b, a.qp->qp_num));
	WANT(!to_rts(&a) && !recv_one(&b, 0, HALF, 64));
	WANT(!recv_one(&b, 1, HALF, 64));
	WANT(!send_one(&a, 0, 0, piece(0, 8)) && !next(a.scq).status);
	WANT(event() == IBV_EVENT_COMM_EST);
	WANT(!send_one(&a, 0, 0, piece(0, 8)) && !next(a.scq).status);
	WANT(event() == -1);
	unmake(&a);
	unmake(&b);
}

static int datagram(struct end *e, struct ibv_ah *ah, uint32_t qpn, uint64_t id,
		    struct ibv_sge sge)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { ah, qpn, QKEY },
	};

	return ibv_post_send(e->qp, &wr, &bad);
}

/* A datagram that cannot be sent stops sending, not receiving. */
static void test_sqe(void)
{
	struct ibv_ah_attr attr = address();
	struct ibv_sge sge = piece(0, 64);
	struct ibv_wc wc;
	struct ibv_ah *ah;
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_UD, 0);
	ah = ibv_create_ah(pd, &attr);
	WANT(ah);
	memset(buf, 9, 64);
	WANT(!recv_one(&a, 1, HALF, 200) && !recv_one(&a, 2, HALF, 200));
	WANT(!recv_one(&b, 3, HALF, 200));
	WANT(datagram(&a, ah, b.qp->qp_num, 1, piece(0, 8192)) == EINVAL);
	sge.lkey ^= 0x100;
	WANT(!datagram(&a, ah, b.qp->qp_num, 1, sge));
	WANT(next(a.scq).status == IBV_WC_LOC_PROT_ERR);
	WANT(state(&a) == IBV_QPS_SQE);
	WANT(!datagram(&a, ah, b.qp->qp_num, 2, piece(0, 64)));
	wc = next(a.scq);
	WANT(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 2);
	WANT(!datagram(&b, ah, a.qp->qp_num, 3, piece(0, 64)));
	wc = next(a.rcq);
	WANT(!wc.status && wc.wr_id == 1 && wc.byte_len == 104);
	WANT(buf[HALF + 40] == 9);
	WANT(!to(&a, IBV_QPS_RTS));
	WANT(!datagram(&a, ah, b.qp->qp_num, 4, piece(0, 64)));
	WANT(!next(a.scq).status && next(b.rcq).wr_id == 3);
	unmake(&a);
	unmake(&b);
	ibv_destroy_ah(ah);
}

/* What was posted before a queue pair is destroyed leaves, as with hardware. */
static void test_destroy(void)
{
	struct ibv_ah_attr attr = address();
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);
	struct end a, b;

	WANT(ah);
	connect_both(&a, &b, IBV_QPT_UD, 0);
	WANT(!recv_one(&b, 1, HALF, 200));
	WANT(!datagram(&a, ah, b.qp->qp_num, 1, piece(0, 64)));
	unmake(&a);
	WANT(next(b.rcq).wr_id == 1);
	unmake(&b);
	connect_both(&a, &b, IBV_QPT_RC, 0);
	WANT(!recv_one(&b, 2, HALF, HALF));
	WANT(!send_one(&a, 2, 0, piece(0, HALF)));
	unmake(&a);
	WANT(next(b.rcq).wr_id == 2);
	unmake(&b);
	ibv_destroy_ah(ah);
}

static void test_protection(void)
{
	struct ibv_sge sge = piece(0, 64);
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	WANT(!recv_one(&b, 0, HALF, 64));
	sge.addr = (uintptr_t)buf + BYTES - 63;
	WANT(!send_one(&a, 0, 0, sge) && !send_one(&a, 1, 0, piece(0, 8)));
	WANT(next(a.scq).status == IBV_WC_LOC_PROT_ERR);
	WANT(next(a.scq).status == IBV_WC_WR_FLUSH_ERR);
	WANT(state(&a) == IBV_QPS_ERR && state(&b) == IBV_QPS_RTS);
	WANT(quiet(b.rcq) && event() == -1);
	unmake(&a);
	unmake(&b);
}

static void test_shared(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = 8, .max_sge = 1 },
	};
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct end e;

	WANT(srq);
	WANT(make(&e, IBV_QPT_RC, srq, 1));
	WANT(recv_one(&e, 0, 0, 64) == EINVAL);
	WANT(!to_init(&e) && recv_one(&e, 0, 0, 64) == EINVAL);
	WANT(!to(&e, IBV_QPS_ERR));
	WANT(event() == IBV_EVENT_QP_LAST_WQE_REACHED && quiet(e.rcq));
	unmake(&e);
	WANT(!ibv_destroy_srq(srq));
}

static const struct test tests[] = {
	{ "capabilities up to the limits are granted", test_limits },
	{ "requests are taken in the states for them", test_posting },
	{ "steps and values that are wrong change nothing", test_refused },
	{ "what was set is told", test_query },
	{ "an error flushes both queues in order", test_flush },
	{ "a reset forgets all", test_reset },
	{ "messages of many sizes arrive whole", test_rc },
	{ "writes, reads and atomics reach memory", test_remote },
	{ "inline data is copied when it is posted", test_inline },
	{ "requests complete in order, the silent ones too", test_order },
	{ "what lies before a bad request is posted", test_list },
	{ "a queue is drained, fills, and goes on", test_drain },
	{ "the first packet tells that the far end is there", test_established },
	{ "a bad datagram stops sending alone", test_sqe },
	{ "a bad key ends a connection", test_protection },
	{ "what is posted last leaves before its queue pair goes", test_destroy },
	{ "an error of one that shares its receives is told", test_shared },
};

int main(int argc, char **argv)
{
	return run_test(argc, argv, open_loop, tests,
			sizeof(tests) / sizeof(*tests));
}
