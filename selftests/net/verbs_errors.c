// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes wrong between two nodes, and how it is told.
 *
 * usage: verbs_errors			the names of the tests, one a line
 *        verbs_errors NODE NODE N	run test number N, from 0 on
 *
 * Which completion and which event follows from what is in the InfiniBand
 * Architecture Specification, volume 1, 9.7.5 and 9.9 (NAKs), 9.7.6 (timers),
 * 10.6.3 (access to memory), and on the page Documentation/model/rdma.rst.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs_nodes.h"

#define US	1000LL
#define ALL	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define ATOMIC	IBV_WR_ATOMIC_FETCH_AND_ADD
#define CODES	20	/* longer times to wait than this one's are not tried */

static void want_end(enum ibv_wc_status status, uint64_t id)
{
	struct ibv_wc wc = next(here.end.scq);

	if (wc.status == status && wc.wr_id == id)
		return;
	printf("request %d ended with %d, request %d should with %d\n",
	       (int)wc.wr_id, wc.status, (int)id, status);
	exit(1);
}

static void want_end_there(enum ibv_wc_status status, uint64_t id)
{
	struct ibv_wc wc = next(there.end.rcq);

	WANT(wc.status == status && wc.wr_id == id);
}

/*
 * A request that is refused, between one that is not and one that is too late:
 * nothing of it is done, and the connection ends on both sides.
 */
static void refused(enum ibv_wr_opcode op, uint32_t len, uint64_t to,
		    uint32_t key)
{
	static uint32_t seed;

	connect_nodes(&MANNER);
	fill_nodes(++seed);
	WANT(!request(IBV_WR_RDMA_READ, 1, 0, 0, 0));
	WANT(!request_with(op, 2, part(&here, 0, len), to, key, 0));
	WANT(!request(IBV_WR_RDMA_WRITE, 3, 0, 5, 0));
	WANT(!receive_there(4, part(&there, 0, 5)));
	want_end(IBV_WC_SUCCESS, 1);
	want_end(IBV_WC_REM_ACCESS_ERR, 2);
	want_end(IBV_WC_WR_FLUSH_ERR, 3);
	want_end_there(IBV_WC_WR_FLUSH_ERR, 4);
	WANT(event_of(&there) == IBV_EVENT_QP_ACCESS_ERR);
	WANT(state(&here.end) == IBV_QPS_ERR);
	WANT(state(&there.end) == IBV_QPS_ERR);
	WANT(unchanged(&here, seed) && unchanged(&there, seed));
	disconnect();
}

static const enum ibv_wr_opcode remote_ops[] = {
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ, ATOMIC,
};

static uint64_t there_at(int64_t offset)
{
	return (uintptr_t)there.buf + offset;
}

static void test_bounds(void)
{
	uint32_t key = there.mr->rkey;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		refused(remote_ops[i], 5000, there_at(NODE_BYTES - 4999), key);
		refused(remote_ops[i], 5000, there_at(-1), key);
		refused(remote_ops[i], 1, there_at(NODE_BYTES), key);
		refused(remote_ops[i], 8, UINT64_MAX - 3, key);
		refused(remote_ops[i], 5000, 0, key);
	}
	refused(ATOMIC, 8, there_at(-8), key);
	refused(ATOMIC, 8, there_at((NODE_BYTES - 4) & ~7), key);
}

static void test_keys(void)
{
	struct ibv_pd *other = ibv_alloc_pd(there.ctx);
	struct ibv_mr *r = ibv_reg_mr(other, there.buf, 4096, ALL);
	uint32_t key = there.mr->rkey;
	unsigned int i;

	WANT(r);
	for (i = 0; i < 4; i++) {
		refused(remote_ops[i], 8, there_at(0), key ^ 1);
		refused(remote_ops[i], 8, there_at(0), key + (50 << 8));
		refused(remote_ops[i], 8, there_at(0), r->rkey);
	}
	WANT(!ibv_dereg_mr(r) && !ibv_dealloc_pd(other));
	r = ibv_reg_mr(there.pd, there.buf, 4096, ALL);
	WANT(r);
	key = r->rkey;
	WANT(!ibv_dereg_mr(r));
	for (i = 0; i < 4; i++)
		refused(remote_ops[i], 8, there_at(0), key);
}

/* Rights of the region: any one that is missing, all others given. */
static void test_rights(void)
{
	static const int rights[] = {
		IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE,
		IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_mr *r;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		r = ibv_reg_mr(there.pd, there.buf, 4096, ALL & ~rights[i]);
		WANT(r);
		refused(remote_ops[i], 8, there_at(0), r->rkey);
		WANT(!ibv_dereg_mr(r));
	}
}

/* The same rights of a queue pair; that is told as if it were the region's. */
static void test_qp_rights(void)
{
	static const int rights[] = {
		IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE,
		IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct manner m = MANNER;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		m.rights = ALL & ~rights[i];
		connect_nodes(&m);
		fill_nodes(i);
		WANT(!request(remote_ops[i], 1, 0, 8, 0));
		want_end(IBV_WC_REM_ACCESS_ERR, 1);
		WANT(unchanged(&here, i) && unchanged(&there, i));
		WANT(state(&there.end) == IBV_QPS_ERR);
		disconnect();
	}
}

/* Memory of the requester: what came before is done, nothing of the bad one is. */
static void bad_local(enum ibv_wr_opcode op, struct ibv_sge sge)
{
	connect_nodes(&MANNER);
	fill_nodes(1);
	WANT(!request(IBV_WR_RDMA_READ, 1, 100, 0, 0));
	WANT(!request_with(op, 2, sge, there_at(0), there.mr->rkey, 0));
	WANT(!request(IBV_WR_RDMA_WRITE, 3, 0, 100, 0));
	want_end(IBV_WC_SUCCESS, 1);
	want_end(IBV_WC_LOC_PROT_ERR, 2);
	want_end(IBV_WC_WR_FLUSH_ERR, 3);
	WANT(state(&there.end) == IBV_QPS_RTS && event_of(&there) == -1);
	WANT(unchanged(&here, 1) && unchanged(&there, 1));
	disconnect();
}

static void test_local(void)
{
	struct ibv_mr *r = ibv_reg_mr(here.pd, here.buf, 4096, 0);
	struct ibv_sge sge = part(&here, NODE_BYTES - 99, 100);

	WANT(r);
	bad_local(IBV_WR_RDMA_WRITE, sge);
	bad_local(IBV_WR_SEND, sge);
	sge = part(&here, 0, 100);
	sge.lkey = there.mr->lkey;
	bad_local(IBV_WR_RDMA_WRITE, sge);
	sge.lkey = r->lkey;
	bad_local(IBV_WR_RDMA_READ, sge);
	sge.length = 8;
	bad_local(ATOMIC, sge);
	WANT(!ibv_dereg_mr(r));
	bad_local(IBV_WR_RDMA_WRITE, sge);
}

/* A receive that does not fit, or is of memory that may not be written. */
static void bad_receive(struct ibv_sge into, enum ibv_wc_status told,
			enum ibv_wc_status status)
{
	connect_nodes(&MANNER);
	fill_nodes(2);
	WANT(!receive_there(1, into) && !receive_there(2, into));
	WANT(!request(IBV_WR_SEND, 3, 0, 3001, 0));
	WANT(!request(IBV_WR_SEND, 4, 0, 10, 0));
	want_end(told, 3);
	want_end(IBV_WC_WR_FLUSH_ERR, 4);
	want_end_there(status, 1);
	want_end_there(IBV_WC_WR_FLUSH_ERR, 2);
	WANT(guarded(&there) && state(&there.end) == IBV_QPS_ERR);
	disconnect();
}

static void test_receives(void)
{
	struct ibv_mr *r = ibv_reg_mr(there.pd, there.buf, 4096, 0);
	struct ibv_sge sge = part(&there, 0, 4096);

	bad_receive(part(&there, 0, 3000), IBV_WC_REM_INV_REQ_ERR,
		    IBV_WC_LOC_LEN_ERR);
	bad_receive(part(&there, NODE_BYTES - 3000, 4096), IBV_WC_REM_OP_ERR,
		    IBV_WC_LOC_PROT_ERR);
	sge.lkey = r->lkey;
	bad_receive(sge, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR);
	WANT(!ibv_dereg_mr(r));
	bad_receive(sge, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR);
}

/* More reads than the responder keeps are an invalid request. */
static void test_reads(void)
{
	struct manner m = MANNER;
	int i;

	m.reads_taken = 1;
	connect_nodes(&m);
	for (i = 0; i < 4; i++)
		WANT(!request(IBV_WR_RDMA_READ, i, 50000 * i, 50000, 0));
	want_end(IBV_WC_SUCCESS, 0);
	want_end(IBV_WC_REM_INV_REQ_ERR, 1);
	want_end(IBV_WC_WR_FLUSH_ERR, 2);
	WANT(event_of(&there) == IBV_EVENT_QP_REQ_ERR);
	disconnect();
	m.reads = 1;
	connect_nodes(&m);
	for (i = 0; i < 4; i++)
		WANT(!request(IBV_WR_RDMA_READ, i, 50000 * i, 50000, 0));
	for (i = 0; i < 4; i++)
		want_end(IBV_WC_SUCCESS, i);
	disconnect();
}

/* --- times -------------------------------------------------------------------- */

/* What was measured is known to 1 ns, and counts @tries times. */
static void want_time(int64_t found, int64_t law, const char *what, int code,
		      int tries)
{
	int64_t d = found - law;

	if (d >= -2 - tries && d <= 2 + tries)
		return;
	printf("%s %d, %d times: %lld ns, the law says %lld\n", what, code,
	       tries, (long long)found, (long long)law);
	exit(1);
}

/* How long a send takes to fail for which there is no receive. */
static int64_t not_ready(int tries, int code)
{
	struct manner m = MANNER;
	int64_t start;

	m.rnr_retry = tries;
	m.min_rnr_timer = code;
	connect_nodes(&m);
	start = now();
	WANT(!request(IBV_WR_SEND, 1, 0, 10, 0));
	WANT(!request(IBV_WR_SEND, 2, 0, 10, 0));
	want_end(IBV_WC_RNR_RETRY_EXC_ERR, 1);
	start = now() - start;
	want_end(IBV_WC_WR_FLUSH_ERR, 2);
	WANT(state(&here.end) == IBV_QPS_ERR);
	WANT(state(&there.end) == IBV_QPS_RTS);
	disconnect();
	return start;
}

/*
 * With d the time from the post to the first NAK, and r that from an attempt to
 * its NAK (the same without the doorbell), n attempts more with the time of the
 * code in between last d + n (time + r). d and r are measured with the shortest.
 */
static void test_rnr_times(void)
{
	/* IBA volume 1, table 46, in 10 us */
	static const int times[] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024,
	};
	int64_t d = not_ready(0, 1), r = not_ready(1, 1) - d - 10 * US;
	int i;

	WANT(r > 0 && r <= d && d < 20 * US);
	for (i = 1; i <= CODES; i++)
		want_time(not_ready(3, i), d + 3 * (times[i] * 10 * US + r),
			  "code", i, 3);
	for (i = 0; i < 7; i++)
		want_time(not_ready(i, 12), d + i * (640 * US + r),
			  "code", 12, i);
	want_time(not_ready(1, 0), d + 65536 * 10 * US + r, "code", 0, 1);
}

/* 7 is for ever; what comes behind waits as well. */
static void test_rnr_wait(void)
{
	connect_nodes(&MANNER);
	fill_nodes(1);
	WANT(!request(IBV_WR_SEND, 1, 0, 5000, 0));
	WANT(!request(IBV_WR_RDMA_WRITE, 2, 5000, 5000, 5000));
	WANT(!request(IBV_WR_RDMA_WRITE_WITH_IMM, 3, 10000, 5000, 10000));
	usleep(50000);
	WANT(quiet(here.end.scq) && unchanged(&there, 1));
	WANT(!receive_there(1, part(&there, 0, 5000)));
	want_end(IBV_WC_SUCCESS, 1);
	want_end(IBV_WC_SUCCESS, 2);
	WANT(quiet(here.end.scq));
	WANT(!receive_there(2, part(&there, 0, 0)));
	want_end(IBV_WC_SUCCESS, 3);
	want_end_there(IBV_WC_SUCCESS, 1);
	want_end_there(IBV_WC_SUCCESS, 2);
	WANT(!memcmp(here.buf, there.buf, 15000) && guarded(&there));
	disconnect();
}

static void reset_far_end(void)
{
	WANT(!to(&there.end, IBV_QPS_RESET));
}

static void set_link(const char *what)
{
	char command[64];

	snprintf(command, sizeof(command), "weft set link host1.eth0 %s", what);
	WANT(!system(command));
}

static void link_down(void)
{
	set_link("down");
}

/* How long requests take to fail to which nobody answers. */
static int64_t unanswered(void (*silence)(void), int tries, int timeout)
{
	struct manner m = MANNER;
	int64_t start;

	m.retry_cnt = tries;
	m.timeout = timeout;
	connect_nodes(&m);
	fill_nodes(tries);
	silence();
	start = now();
	WANT(!request(IBV_WR_RDMA_WRITE, 1, 0, 10, 0));
	WANT(!request(IBV_WR_RDMA_READ, 2, 0, 10, 0));
	WANT(!request(IBV_WR_SEND, 3, 0, 10, 0));
	want_end(IBV_WC_RETRY_EXC_ERR, 1);
	start = now() - start;
	want_end(IBV_WC_WR_FLUSH_ERR, 2);
	want_end(IBV_WC_WR_FLUSH_ERR, 3);
	WANT(state(&here.end) == IBV_QPS_ERR);
	WANT(unchanged(&here, tries) && unchanged(&there, tries));
	disconnect();
	return start;
}

static int64_t timeout_ns(int code)
{
	return 4096LL << code;
}

/*
 * (tries + 1) timeouts, each from the first bit of the packet on the wire: b
 * later than the post the first time (the doorbell and the NIC), w later than
 * the timeout before it each further time (the NIC).
 */
static void retry_times(void (*silence)(void))
{
	int64_t b, w;
	int i;

	b = unanswered(silence, 0, 1) - timeout_ns(1);
	w = unanswered(silence, 1, 1) - 2 * timeout_ns(1) - b;
	WANT(b > 0 && b < 3 * US && w >= 0 && w <= b);
	for (i = 0; i <= 7; i++)
		want_time(unanswered(silence, i, 8),
			  (i + 1) * timeout_ns(8) + b + i * w, "timeout", 8, i);
	for (i = 1; i <= 14; i += 3)
		want_time(unanswered(silence, 2, i),
			  3 * timeout_ns(i) + b + 2 * w, "timeout", i, 2);
}

static void test_timeouts(void)
{
	retry_times(reset_far_end);
}

/* Packets are lost behind the switch, and nothing else is different. */
static void test_link_down(void)
{
	retry_times(link_down);
	set_link("up");
}

/* It is back before the last attempt: all arrives, in the order of the posts. */
static void test_link_back(void)
{
	struct manner m = MANNER;
	int i;

	m.timeout = 9;
	connect_nodes(&m);
	fill_nodes(1);
	for (i = 0; i < 10; i++)
		WANT(!request(IBV_WR_RDMA_WRITE, i, i * 100000, 100000,
			      i * 100000));
	usleep(20);
	set_link("down");
	usleep(timeout_ns(9) * 5 / US);
	WANT(unchanged(&here, 1) && memcmp(here.buf, there.buf, 1000000));
	set_link("up");
	for (i = 0; i < 10; i++)
		want_end(IBV_WC_SUCCESS, i);
	WANT(!memcmp(here.buf, there.buf, 1000000) && guarded(&there));
	disconnect();
}

/* --- memory that goes away in the middle ------------------------------------------ */

static void test_remote_gone(void)
{
	struct ibv_mr *r;
	int i;

	for (i = 0; i < 4; i++) {
		r = ibv_reg_mr(there.pd, there.buf, NODE_BYTES, ALL);
		WANT(r);
		connect_nodes(&MANNER);
		fill_nodes(i);
		WANT(!request_with(i & 1 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
				   1, part(&here, 0, NODE_BYTES), there_at(0),
				   r->rkey, 0));
		usleep(20 + i);
		WANT(!ibv_dereg_mr(r));
		fill_nodes(i);
		want_end(IBV_WC_REM_ACCESS_ERR, 1);
		WANT(unchanged(&there, i) && guarded(&here));
		disconnect();
	}
}

static void test_local_gone(void)
{
	struct ibv_sge sge = part(&here, 0, NODE_BYTES);
	struct ibv_mr *r;
	int i;

	for (i = 0; i < 4; i++) {
		r = ibv_reg_mr(here.pd, here.buf, NODE_BYTES, ALL);
		WANT(r);
		sge.lkey = r->lkey;
		connect_nodes(&MANNER);
		fill_nodes(i);
		WANT(!request_with(i & 1 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
				   1, sge, there_at(0), there.mr->rkey, 0));
		usleep(20 + i);
		WANT(!ibv_dereg_mr(r));
		fill_nodes(i);
		want_end(IBV_WC_LOC_PROT_ERR, 1);
		WANT(unchanged(&here, i) && guarded(&there));
		disconnect();
	}
}

/* --- packets that have left ------------------------------------------------------- */

static void set_nic(const char *what)
{
	char command[64];

	snprintf(command, sizeof(command), "weft set nic host1 rx-stop %s", what);
	WANT(!system(command));
}

static void end_error(struct ibv_mr *r)
{
	(void)r;
	WANT(!to(&here.end, IBV_QPS_ERR));
}

static void end_reset(struct ibv_mr *r)
{
	(void)r;
	WANT(!to(&here.end, IBV_QPS_RESET));
}

static void end_destroy(struct ibv_mr *r)
{
	(void)r;
	WANT(!ibv_destroy_qp(here.end.qp));
	here.end.qp = NULL;
}

static void end_memory(struct ibv_mr *r)
{
	WANT(!ibv_dereg_mr(r));
}

/*
 * The far end stops, packets wait before it, and their sender comes to an end: what
 * left it arrives, with the bytes that it had when it left.
 */
static void ends_behind(void (*end)(struct ibv_mr *r), uint32_t len, int flags)
{
	struct ibv_mr *r = ibv_reg_mr(here.pd, here.buf, NODE_BYTES, ALL);
	struct ibv_sge sge = part(&here, 100, len);
	static char was[2 * 4000];

	WANT(r);
	sge.lkey = r->lkey;
	connect_nodes(&MANNER);
	fill_nodes(len);
	memcpy(was, here.buf + 100, sizeof(was));
	WANT(!receive_there(1, part(&there, 20000, 4000)));
	set_nic("all");
	WANT(!request_with(IBV_WR_RDMA_WRITE, 1, sge, there_at(40000),
			   there.mr->rkey, flags));
	sge.addr += 4000;
	WANT(!request_with(IBV_WR_SEND, 2, sge, 0, 0, flags));
	usleep(30);
	WANT(unchanged(&there, len));
	end(r);
	memset(here.buf, 0xee, 10000);
	set_nic("none");
	want_end_there(IBV_WC_SUCCESS, 1);
	WANT(!memcmp(there.buf + 40000, was, len));
	WANT(!memcmp(there.buf + 20000, was + 4000, len));
	WANT(guarded(&there));
	disconnect();
	if (end != end_memory)
		WANT(!ibv_dereg_mr(r));
}

static void test_ends_behind(void)
{
	static void (*const ends[])(struct ibv_mr *r) = {
		end_error, end_reset, end_destroy, end_memory,
	};
	unsigned int i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		ends_behind(ends[i], 3001, 0);
		ends_behind(ends[i], 60, IBV_SEND_INLINE);
	}
}

static const struct test tests[] = {
	{ "what lies beyond a region is out of reach", test_bounds },
	{ "a key opens its own region", test_keys },
	{ "a region gives its rights and no others", test_rights },
	{ "and so does a queue pair", test_qp_rights },
	{ "bad memory of the requester ends its requests", test_local },
	{ "bad receives end both sides", test_receives },
	{ "too many reads are an invalid request", test_reads },
	{ "attempts for want of a receive take their time", test_rnr_times },
	{ "and may go on for ever", test_rnr_wait },
	{ "who is not answered gives up in time", test_timeouts },
	{ "the same when a link fails", test_link_down },
	{ "a link that is back in time loses nothing", test_link_back },
	{ "memory of the far end goes away under a request", test_remote_gone },
	{ "memory of the near end goes away under a request", test_local_gone },
	{ "what has left arrives, whatever becomes of its sender", test_ends_behind },
};

int main(int argc, char **argv)
{
	return run_test(argc, argv, open_nodes, tests,
			sizeof(tests) / sizeof(*tests));
}
