// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data over links that lose packets, and connections that end in the middle.
 *
 * usage: verbs_loss				the names of the tests, one a line
 *        verbs_loss NODE NODE N		run test number N, from 0 on
 *        verbs_loss NODE NODE MESSAGES TIMEOUT
 *
 * The last one writes messages of 64 KiB with the longest packets of the link
 * and prints the picoseconds that each took.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs_nodes.h"

#define SLOT	65536	/* of the memory, for a request */
#define ROUNDS	12
#define ADD	IBV_WR_ATOMIC_FETCH_AND_ADD

static char wanted_here[NODE_BYTES], wanted_there[NODE_BYTES];

static void fill(uint32_t seed)
{
	fill_nodes(seed);
	memcpy(wanted_here, here.buf, NODE_BYTES);
	memcpy(wanted_there, there.buf, NODE_BYTES);
}

static bool as_wanted(void)
{
	return !memcmp(wanted_here, here.buf, NODE_BYTES) &&
	       !memcmp(wanted_there, there.buf, NODE_BYTES) &&
	       guarded(&here) && guarded(&there);
}

static bool receives(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM ||
	       op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

/* A request in its slot, and what it does to the memory. */
static void one(enum ibv_wr_opcode op, uint32_t slot, uint32_t len, int flags)
{
	uint32_t at = slot * SLOT;
	uint64_t old;

	if (op == ADD)
		len = 8;
	if (receives(op))
		WANT(!receive_there(slot, part(&there, at, len)));
	WANT(!request_with(op, slot, part(&here, at, len),
			   (uintptr_t)there.buf + at, there.mr->rkey, flags));
	if (op == IBV_WR_RDMA_READ) {
		memcpy(wanted_here + at, wanted_there + at, len);
	} else if (op == ADD) {
		memcpy(&old, wanted_there + at, 8);
		memcpy(wanted_here + at, &old, 8);
		old++;
		memcpy(wanted_there + at, &old, 8);
	} else {
		memcpy(wanted_there + at, wanted_here + at, len);
	}
}

static void received(enum ibv_wr_opcode op, uint32_t slot, uint32_t len)
{
	struct ibv_wc wc;

	if (!receives(op))
		return;
	wc = next(there.end.rcq);
	WANT(!wc.status && wc.wr_id == slot && wc.byte_len == len);
	WANT(op == IBV_WR_SEND ||
	     (wc.wc_flags & IBV_WC_WITH_IMM && ntohl(wc.imm_data) == slot));
}

/* Requests by @n opcodes, one of which is taken at random for each. */
static void transfer(const enum ibv_wr_opcode *ops, unsigned int n)
{
	enum ibv_wr_opcode op[DEPTH];
	uint32_t len[DEPTH], round, i;
	struct ibv_wc wc;

	srand(1);
	connect_nodes(&MANNER);
	for (round = 0; round < ROUNDS; round++) {
		fill(round);
		for (i = 0; i < DEPTH; i++) {
			op[i] = ops[rand() % n];
			len[i] = rand() % 8 ? rand() % SLOT : 0;
			one(op[i], i, len[i], rand() % 4 ? 0 : IBV_SEND_FENCE);
		}
		for (i = 0; i < DEPTH; i++) {
			wc = next(here.end.scq);
			WANT(!wc.status && wc.wr_id == i);
			received(op[i], i, len[i]);
		}
		WANT(as_wanted());
	}
	WANT(ibv_poll_cq(there.end.rcq, 1, &wc) == 0);
	disconnect();
}

static void test_write(void)
{
	transfer((enum ibv_wr_opcode[]){ IBV_WR_RDMA_WRITE }, 1);
}

static void test_write_imm(void)
{
	transfer((enum ibv_wr_opcode[]){ IBV_WR_RDMA_WRITE_WITH_IMM }, 1);
}

static void test_send(void)
{
	transfer((enum ibv_wr_opcode[]){ IBV_WR_SEND, IBV_WR_SEND_WITH_IMM }, 2);
}

static void test_read(void)
{
	transfer((enum ibv_wr_opcode[]){ IBV_WR_RDMA_READ }, 1);
}

static void test_mixed(void)
{
	transfer((enum ibv_wr_opcode[]){
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND, ADD,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND_WITH_IMM }, 6);
}

/* Each is executed once, and each finds what the one before it left. */
static void test_atomics(void)
{
	uint64_t i, found, zero = 0;
	struct ibv_wc wc;

	connect_nodes(&MANNER);
	memcpy(there.buf, &zero, 8);
	for (i = 0; i < 3000; i++) {
		WANT(!request(ADD, i, 8 * (i % DEPTH), 8, 0));
		if (i < DEPTH - 1)
			continue;
		wc = next(here.end.scq);
		WANT(!wc.status && wc.wr_id == i - DEPTH + 1);
		memcpy(&found, here.buf + 8 * (wc.wr_id % DEPTH), 8);
		WANT(found == wc.wr_id);
	}
	for (i -= DEPTH - 1; i < 3000; i++)
		WANT(!next(here.end.scq).status);
	memcpy(&found, there.buf, 8);
	WANT(found == 3000);
	disconnect();
}

/* Unreliable messages come whole or not at all, and each at most once. */
static void test_unreliable(void)
{
	struct manner m = MANNER;
	uint32_t last = UINT32_MAX, sent, got = 0, number;
	struct ibv_wc wc;

	m.type = IBV_QPT_UC;
	connect_nodes(&m);
	fill(1);
	for (sent = 0; sent < DEPTH; sent++)
		WANT(!receive_there(sent, part(&there, sent * SLOT, SLOT)));
	for (sent = 0; sent < 500; sent++) {
		WANT(!request_with(IBV_WR_SEND_WITH_IMM, sent,
				   part(&here, sent * 1000, 20000), 0, 0, 0));
		wc = next(here.end.scq);
		WANT(!wc.status && wc.wr_id == sent);
		usleep(20);	/* it is all there, or never */
		if (ibv_poll_cq(there.end.rcq, 1, &wc) == 0)
			continue;
		number = ntohl(wc.imm_data);
		WANT(!wc.status && wc.byte_len == 20000 && number == sent);
		WANT(number > last || last == UINT32_MAX);
		WANT(!memcmp(there.buf + wc.wr_id * SLOT,
			     here.buf + number * 1000, 20000));
		WANT(!receive_there(wc.wr_id, part(&there, wc.wr_id * SLOT, SLOT)));
		last = number;
		got++;
	}
	WANT(got > 300 && got < 500 && guarded(&there));
	disconnect();
}

/* --- connections that end in the middle ---------------------------------------- */

static struct ibv_mr *again(const struct node *n)
{
	return ibv_reg_mr(n->pd, n->buf, NODE_BYTES, IBV_ACCESS_LOCAL_WRITE |
			  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  IBV_ACCESS_REMOTE_ATOMIC);
}

static void without(struct node *n)
{
	WANT(!ibv_dereg_mr(n->mr));
	usleep(rand() % 300);
	n->mr = again(n);
	WANT(n->mr);
}

static void end_of(struct end *e)
{
	WANT(!ibv_destroy_qp(e->qp));
	e->qp = NULL;
}

/* Some requests; returns how many. */
static unsigned int some(enum ibv_qp_type type)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND,
		IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_READ, ADD,
	};
	unsigned int i, n = 1 + rand() % DEPTH, receives = rand() % DEPTH;
	enum ibv_wr_opcode op;

	for (i = 0; i < receives; i++)
		WANT(!receive_there(i, part(&there, SLOT * i, rand() % SLOT)));
	for (i = 0; i < n; i++) {
		op = ops[rand() % (type == IBV_QPT_RC ? 6 : 4)];
		WANT(!request_with(op, i, part(&here, SLOT * i, op == ADD ? 8 :
					       rand() % SLOT),
				   (uintptr_t)there.buf + SLOT * i,
				   there.mr->rkey,
				   rand() % 4 ? 0 : IBV_SEND_FENCE));
	}
	return n;
}

/* Returns whether the requests are to complete. */
static bool disturb(void)
{
	switch (rand() % 8) {
	case 0:
		without(&here);
		break;
	case 1:
		without(&there);
		break;
	case 2:
		end_of(&there.end);
		break;
	case 3:
		end_of(&here.end);
		return false;
	case 4:
		WANT(!to(&here.end, IBV_QPS_ERR));
		break;
	case 5:
		WANT(!to(&there.end, IBV_QPS_ERR));
		break;
	case 6:
		WANT(!to(&here.end, IBV_QPS_RESET));
		return false;
	}
	return true;
}

/*
 * Whatever happens to either side, each request completes, in order; when its
 * own queue pair is gone or reset, none does.
 */
static void test_disturbed(void)
{
	struct manner m = MANNER;
	unsigned int i, n, round;
	struct ibv_wc wc;

	srand(2);
	m.timeout = 6;
	m.retry_cnt = 2;
	m.rnr_retry = 2;
	m.min_rnr_timer = 1;
	for (round = 0; round < 100; round++) {
		m.type = rand() % 5 ? IBV_QPT_RC : IBV_QPT_UC;
		connect_nodes(&m);
		n = some(m.type);
		usleep(rand() % 60);
		if (disturb())
			for (i = 0; i < n; i++)
				WANT(next(here.end.scq).wr_id == i);
		WANT(!here.end.qp || ibv_poll_cq(here.end.scq, 1, &wc) == 0);
		disconnect();
		WANT(guarded(&here) && guarded(&there));
	}
}

/* --- how fast it is ------------------------------------------------------------- */

static void goodput(long messages, int timeout)
{
	struct manner m = MANNER;
	int64_t start;
	long i;

	m.timeout = timeout;
	m.mtu = here.port.active_mtu;
	connect_nodes(&m);
	start = now();
	for (i = 0; i < messages; i++) {
		if (i >= DEPTH)
			WANT(!next(here.end.scq).status);
		WANT(!request(IBV_WR_RDMA_WRITE, i, SLOT * (i % DEPTH), SLOT,
			      SLOT * (i % DEPTH)));
	}
	for (i = 0; i < DEPTH; i++)
		WANT(!next(here.end.scq).status);
	printf("%lld\n", (long long)(now() - start) * 1000 / messages);
	disconnect();
}

static const struct test tests[] = {
	{ "writes arrive whole", test_write },
	{ "writes with immediate data arrive whole, and once", test_write_imm },
	{ "sends arrive whole, and once", test_send },
	{ "reads bring all", test_read },
	{ "atomics are executed once", test_atomics },
	{ "all kinds of requests in a row", test_mixed },
	{ "unreliable messages come whole or not at all", test_unreliable },
	{ "what ends in the middle ends", test_disturbed },
};

int main(int argc, char **argv)
{
	if (argc != 5)
		return run_test(argc, argv, open_nodes, tests,
				sizeof(tests) / sizeof(*tests));
	if (!open_nodes(argv))
		return 1;
	goodput(atol(argv[3]), atoi(argv[4]));
	return 0;
}
