// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What keeps programs that use one device apart: protection domains, contexts,
 * keys, limits of locked memory. Two queue pairs of one device send to each
 * other through the loop of the NIC.
 *
 * usage: verbs_isolation			the names of the tests, one a line
 *        verbs_isolation DEVICE GID_INDEX N	run test number N, from 0 on
 *
 * The rules are those of the InfiniBand Architecture Specification, volume 1,
 * 10.2.3 (protection domains) and 10.6.3 (keys); contexts and limits are the
 * kernel's. All tests do without privileges.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_pair.h"

#define ALL	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |	\
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define PAGE	4096
#define NOBODY	65534

static struct ibv_context *context_again(void)
{
	struct ibv_context *c = ibv_open_device(ctx->device);

	WANT(c);
	return c;
}

/* A key of the same memory in another domain, of @c. */
static struct ibv_mr *foreign(struct ibv_context *c)
{
	struct ibv_pd *other = ibv_alloc_pd(c);
	struct ibv_mr *theirs;

	WANT(other);
	theirs = ibv_reg_mr(other, buf, BYTES, ALL);
	WANT(theirs && theirs->lkey != mr->lkey);
	memset(buf, 0, BYTES);
	return theirs;
}

static bool untouched(void)
{
	int i;

	for (i = 0; i < BYTES; i++)
		if (buf[i])
			return false;
	return true;
}

/* The sender may not send what another domain registered. */
static void local_key(struct ibv_context *c)
{
	struct ibv_mr *theirs = foreign(c);
	struct ibv_sge sge = piece(0, 64);
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	WANT(!recv_one(&b, 0, HALF, 64) && !recv_one(&b, 1, HALF, 64));
	WANT(!send_one(&a, 0, 0, sge) && !next(a.scq).status);
	WANT(!next(b.rcq).status);
	sge.lkey = theirs->lkey;
	WANT(!send_one(&a, 1, 0, sge));
	WANT(next(a.scq).status == IBV_WC_LOC_PROT_ERR && quiet(b.rcq));
}

/* The far end's domain has no such key: nothing is read, nor written. */
static void remote_key(struct ibv_context *c, enum ibv_wr_opcode op)
{
	struct ibv_mr *own = mr, *theirs = foreign(c);
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	buf[0] = 1;
	WANT(!remote(&a, op, 0, 0, 8, HALF) && !next(a.scq).status);
	memset(buf, 0, BYTES);
	mr = theirs;	/* its rkey, but not its lkey */
	theirs->lkey = own->lkey;
	buf[0] = 1;
	WANT(!remote(&a, op, 1, 0, 8, HALF));
	WANT(next(a.scq).status == IBV_WC_REM_ACCESS_ERR);
	WANT(state(&b) == IBV_QPS_ERR);
	WANT(event() == IBV_EVENT_QP_ACCESS_ERR);
	mr = own;
	buf[0] = 0;
	WANT(untouched());
}

static void test_local(void)
{
	local_key(ctx);
}

static void test_write(void)
{
	remote_key(ctx, IBV_WR_RDMA_WRITE);
}

static void test_read(void)
{
	remote_key(ctx, IBV_WR_RDMA_READ);
}

static void test_atomic(void)
{
	remote_key(ctx, IBV_WR_ATOMIC_FETCH_AND_ADD);
}

static void test_context(void)
{
	struct ibv_context *other = context_again();

	local_key(other);
	remote_key(other, IBV_WR_RDMA_WRITE);
	remote_key(other, IBV_WR_RDMA_READ);
}

/* The receiver gave memory that is not its domain's. */
static void test_receive(void)
{
	struct ibv_mr *theirs = foreign(ctx), *own = mr;
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	mr = theirs;
	WANT(!recv_one(&b, 7, HALF, 64));
	mr = own;
	buf[0] = 1;
	WANT(!send_one(&a, 0, 0, piece(0, 64)));
	WANT(next(a.scq).status == IBV_WC_REM_OP_ERR);
	WANT(next(b.rcq).status == IBV_WC_LOC_PROT_ERR);
	WANT(state(&b) == IBV_QPS_ERR);
	buf[0] = 0;
	WANT(untouched());
}

/* Receives that are shared are of the domain of their queue. */
static void test_shared(void)
{
	struct ibv_mr *theirs = foreign(ctx);
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = 8, .max_sge = 1 },
	};
	struct ibv_srq *srq = ibv_create_srq(theirs->pd, &init);
	struct ibv_sge sge = { (uintptr_t)buf + HALF, 64, theirs->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct end a, b;

	WANT(srq && make(&a, IBV_QPT_RC, NULL, 1) &&
	     make(&b, IBV_QPT_RC, srq, 1));
	WANT(!to_init(&a) && !to_init(&b));
	WANT(!to_rtr(&a, b.qp->qp_num) && !to_rtr(&b, a.qp->qp_num));
	WANT(!to_rts(&a) && !to_rts(&b));
	buf[0] = 3;
	WANT(!ibv_post_srq_recv(srq, &wr, &bad));
	WANT(!send_one(&a, 0, 0, piece(0, 64)) && !next(a.scq).status);
	WANT(!next(b.rcq).status && buf[HALF] == 3);
	sge.lkey = mr->lkey;
	WANT(!ibv_post_srq_recv(srq, &wr, &bad));
	WANT(!send_one(&a, 0, 0, piece(0, 64)));
	WANT(next(a.scq).status == IBV_WC_REM_OP_ERR);
	WANT(next(b.rcq).status == IBV_WC_LOC_PROT_ERR);
}

/*
 * Over an unreliable connection a wrong key is not answered, so that one may
 * guess: all keys but one that have the upper bits of the right one are wrong.
 */
static void test_guess(void)
{
	uint32_t right = mr->rkey, low;
	struct end a, b;

	connect_both(&a, &b, IBV_QPT_UC, 0);
	memset(buf, 0, BYTES);
	buf[0] = 1;
	for (low = 0; low < 256; low++) {
		mr->rkey = (right & ~255u) | low;
		if (mr->rkey == right)
			continue;
		WANT(!remote(&a, IBV_WR_RDMA_WRITE, low, 0, 64, HALF));
		WANT(!next(a.scq).status && !buf[HALF]);
	}
	mr->rkey = right;
	WANT(!remote(&a, IBV_WR_RDMA_WRITE, low, 0, 64, HALF));
	WANT(!next(a.scq).status && quiet(b.rcq) && buf[HALF] == 1);
}

static int datagram_of(struct end *e, struct ibv_ah *ah, uint32_t qpn,
		       uint32_t len, uint32_t key)
{
	struct ibv_sge sge = piece(0, len);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED, .wr.ud = { ah, qpn, key },
	};

	return ibv_post_send(e->qp, &wr, &bad);
}

static int datagram(struct end *e, struct ibv_ah *ah, uint32_t qpn)
{
	return datagram_of(e, ah, qpn, 64, QKEY);
}

static void test_address(void)
{
	struct ibv_ah_attr attr = address();
	struct ibv_ah *ours = ibv_create_ah(pd, &attr);
	struct ibv_ah *theirs = ibv_create_ah(ibv_alloc_pd(ctx), &attr);
	struct end a, b;

	WANT(ours && theirs);
	connect_both(&a, &b, IBV_QPT_UD, 0);
	WANT(!recv_one(&b, 0, HALF, 200));
	WANT(datagram(&a, theirs, b.qp->qp_num) == EINVAL && quiet(b.rcq));
	WANT(!datagram(&a, ours, b.qp->qp_num) && !next(b.rcq).status);
}

/*
 * Datagrams of all lengths to the queue pairs of management, which are none of a
 * program's. The keys: the program's own, that of QP1 as the request's, which
 * stands for the queue pair's, and that of QP1 as the queue pair's, which is not
 * for everyone to set. Who runs this looks whether management still answers.
 */
static void test_management(void)
{
	static const uint32_t lens[] = { 0, 23, 24, 255, 256, 257, 300, 2048 };
	struct ibv_qp_attr key = { .qkey = 0x80010000 };
	struct ibv_ah_attr attr = address();
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);
	struct end a, b;
	unsigned int i, qpn, round;

	WANT(ah);
	memset(buf, 1, BYTES);
	connect_both(&a, &b, IBV_QPT_UD, 0);
	for (round = 0; round < 3; round++) {
		if (round == 2 && ibv_modify_qp(a.qp, &key, IBV_QP_QKEY))
			break;
		for (i = 0; i < 2 * sizeof(lens) / sizeof(*lens); i++) {
			qpn = i % 2;
			WANT(!datagram_of(&a, ah, qpn, lens[i / 2],
					  round ? key.qkey : QKEY));
			WANT(!next(a.scq).status);
		}
	}
	WANT(quiet(b.rcq));
}

/*
 * Handles are numbers that count in each context alone. Context @c has none of
 * what the first one has, so that whatever it names is not there.
 */
static void test_handles(void)
{
	struct ibv_context *c = context_again();
	struct ibv_pd their_pd;
	struct ibv_cq their_cq, *cq;
	struct ibv_qp their_qp;
	struct ibv_mr their_mr;
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC };
	struct end e;
	int i;

	for (i = 0; i < 64; i++)
		ibv_alloc_pd(ctx);
	WANT(make(&e, IBV_QPT_RC, NULL, 1));
	their_pd = *pd;
	their_pd.context = c;
	their_cq = *e.scq;
	their_cq.context = c;
	their_qp = *e.qp;
	their_qp.context = c;
	their_mr = *mr;
	their_mr.context = c;
	cq = ibv_create_cq(c, 8, NULL, NULL, 0);
	WANT(cq && their_cq.handle > cq->handle);
	init.send_cq = cq;
	init.recv_cq = cq;
	WANT(!ibv_create_qp(&their_pd, &init));
	WANT(!ibv_reg_mr(&their_pd, buf, 64, 0));
	init.send_cq = &their_cq;
	WANT(!ibv_create_qp(ibv_alloc_pd(c), &init));
	WANT(ibv_destroy_qp(&their_qp) && ibv_destroy_cq(&their_cq));
	WANT(ibv_dealloc_pd(&their_pd) && ibv_dereg_mr(&their_mr));
	/* they are all still there */
	WANT(!to_init(&e) && !recv_one(&e, 1, 0, 64));
}

/* Memory that is registered is locked, page by page, and one may lock so much. */
static void locked(char *mem, size_t limit)
{
	struct ibv_pd *own = ibv_alloc_pd(context_again());
	struct ibv_mr *all, *half;

	WANT(own);
	WANT(!ibv_reg_mr(own, mem, limit + 1, 0) && errno == ENOMEM);
	all = ibv_reg_mr(own, mem, limit, 0);
	WANT(all);
	WANT(!ibv_reg_mr(own, mem, 1, 0) && errno == ENOMEM);
	WANT(!ibv_dereg_mr(all));
	half = ibv_reg_mr(own, mem, limit / 2, 0);
	WANT(half);
	WANT(!ibv_reg_mr(own, mem, limit / 2 + 1, 0) && errno == ENOMEM);
	WANT(ibv_reg_mr(own, mem, limit / 2, 0));
}

/* A process of its own, as it gives up its rights, and nothing is locked yet. */
static void test_locked(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };
	char *mem = aligned_alloc(PAGE, 2 << 20);
	int status = -1;
	pid_t pid = fork();

	WANT(mem && pid >= 0);
	if (pid == 0) {
		WANT(!setrlimit(RLIMIT_MEMLOCK, &limit));
		WANT(getuid() || !setuid(NOBODY));
		locked(mem, limit.rlim_cur);
		exit(0);
	}
	WANT(waitpid(pid, &status, 0) == pid && !status);
}

static const struct test tests[] = {
	{ "a key of another domain sends nothing", test_local },
	{ "a key of another domain is not written to", test_write },
	{ "a key of another domain is not read from", test_read },
	{ "a key of another domain is not changed", test_atomic },
	{ "a key of another context is none", test_context },
	{ "a key of another domain receives nothing", test_receive },
	{ "shared receives are of their queue's domain", test_shared },
	{ "a key cannot be guessed from another one's", test_guess },
	{ "an address of another domain is refused", test_address },
	{ "datagrams to the queue pairs of management", test_management },
	{ "what another context has cannot be named", test_handles },
	{ "memory beyond the user's limit is not registered", test_locked },
};

int main(int argc, char **argv)
{
	return run_test(argc, argv, open_loop, tests,
			sizeof(tests) / sizeof(*tests));
}
