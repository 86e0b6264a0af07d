// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tests of verbs share: a device, and queue pairs on it.
 */
#include "verbs_pair.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_NS		1000000000LL
#define INIT_MASK	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT)

struct ibv_context *ctx;
struct ibv_device_attr dev;
struct ibv_port_attr port;
struct ibv_pd *pd;
struct ibv_mr *mr;
union ibv_gid gid;
int gid_index;
char *buf;
struct ibv_comp_channel *channel;

void want(bool good, const char *what, int line)
{
	if (good)
		return;
	printf("line %d: %s\n", line, what);
	exit(1);
}

int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

struct ibv_wc next(struct ibv_cq *cq)
{
	int64_t end = now() + WAIT_NS;
	struct ibv_wc wc = { .status = -1, .wr_id = UINT64_MAX };

	while (ibv_poll_cq(cq, 1, &wc) == 0)
		if (now() > end)
			break;
	return wc;
}

bool quiet(struct ibv_cq *cq)
{
	struct timespec ts = { .tv_nsec = 20000000 };
	struct ibv_wc wc;

	nanosleep(&ts, NULL);
	return ibv_poll_cq(cq, 1, &wc) == 0;
}

int event(void)
{
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event ev;

	if (poll(&p, 1, 100) != 1 || ibv_get_async_event(ctx, &ev))
		return -1;
	ibv_ack_async_event(&ev);
	return ev.event_type;
}

bool make(struct end *e, enum ibv_qp_type type, struct ibv_srq *srq,
	  int sig_all)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.sq_sig_all = sig_all,
		.srq = srq,
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 4,
			.max_recv_sge = 2,
			.max_inline_data = 64,
		},
	};

	e->scq = ibv_create_cq(ctx, 256, NULL, channel, 0);
	e->rcq = ibv_create_cq(ctx, 256, NULL, channel, 0);
	attr.send_cq = e->scq;
	attr.recv_cq = e->rcq;
	e->qp = ibv_create_qp(pd, &attr);
	return e->qp;
}

void unmake(struct end *e)
{
	if (e->qp)
		ibv_destroy_qp(e->qp);
	ibv_destroy_cq(e->scq);
	ibv_destroy_cq(e->rcq);
}

int to(struct end *e, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(e->qp, &attr, IBV_QP_STATE);
}

int to_init(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	return ibv_modify_qp(e->qp, &attr, INIT_MASK |
			     (e->qp->qp_type == IBV_QPT_UD ?
			      IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

struct ibv_ah_attr address(void)
{
	return (struct ibv_ah_attr) {
		.dlid = port.lid,
		.port_num = 1,
		.is_global = port.link_layer == IBV_LINK_LAYER_ETHERNET,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
}

struct ibv_qp_attr rtr_attr(uint32_t dqpn)
{
	return (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = dqpn,
		.rq_psn = 0xfffffe,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.ah_attr = address(),
	};
}

int to_rtr(struct end *e, uint32_t dqpn)
{
	struct ibv_qp_attr attr = rtr_attr(dqpn);
	int mask = RTR_MASK;

	if (e->qp->qp_type == IBV_QPT_UC)
		mask &= ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (e->qp->qp_type == IBV_QPT_UD)
		mask = IBV_QP_STATE;
	return ibv_modify_qp(e->qp, &attr, mask);
}

struct ibv_qp_attr rts_attr(void)
{
	return (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0xfffffe,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
}

int to_rts(struct end *e)
{
	struct ibv_qp_attr attr = rts_attr();

	return ibv_modify_qp(e->qp, &attr, e->qp->qp_type == IBV_QPT_RC ?
			     RTS_MASK : IBV_QP_STATE | IBV_QP_SQ_PSN);
}

enum ibv_qp_state state(struct end *e)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}

void connect_both(struct end *a, struct end *b, enum ibv_qp_type type,
		  int sig_all)
{
	WANT(make(a, type, NULL, sig_all) && make(b, type, NULL, sig_all));
	WANT(!to_init(a) && !to_init(b));
	WANT(!to_rtr(a, b->qp->qp_num) && !to_rtr(b, a->qp->qp_num));
	WANT(!to_rts(a) && !to_rts(b));
}

struct ibv_sge piece(uint32_t at, uint32_t len)
{
	return (struct ibv_sge) {
		.addr = (uintptr_t)buf + at,
		.length = len,
		.lkey = mr->lkey,
	};
}

int recv_one(struct end *e, uint64_t id, uint32_t at, uint32_t len)
{
	struct ibv_sge sge = piece(at, len);
	struct ibv_recv_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1,
	};

	return ibv_post_recv(e->qp, &wr, &bad);
}

int send_one(struct end *e, uint64_t id, int flags, struct ibv_sge sge)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND, .send_flags = flags,
	};

	return ibv_post_send(e->qp, &wr, &bad);
}

int remote(struct end *e, enum ibv_wr_opcode op, uint64_t id, uint32_t at,
	   uint32_t len, uint32_t rat)
{
	struct ibv_sge sge = piece(at, len);
	struct ibv_send_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1,
		.opcode = op, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)buf + rat, mr->rkey },
	};

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)buf + rat;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.rkey = mr->rkey;
	}
	return ibv_post_send(e->qp, &wr, &bad);
}

bool open_device(const char *name, int index)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	gid_index = index;
	for (i = 0; list && list[i] && !ctx; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx || ibv_query_device(ctx, &dev) || ibv_query_port(ctx, 1, &port))
		return false;
	if (ibv_query_gid(ctx, 1, gid_index, &gid))
		return false;
	pd = ibv_alloc_pd(ctx);
	return pd;
}

bool open_memory(char *bytes, size_t n)
{
	buf = bytes;
	mr = ibv_reg_mr(pd, buf, n, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC);
	return mr;
}

bool open_loop(char **argv)
{
	return open_device(argv[1], atoi(argv[2])) &&
	       open_memory(aligned_alloc(4096, BYTES), BYTES);
}

int run_test(int argc, char **argv, bool (*open)(char **argv),
	     const struct test *tests, unsigned int n)
{
	unsigned int i;

	for (i = 0; argc == 1 && i < n; i++)
		puts(tests[i].name);
	if (argc == 1)
		return 0;
	i = argc == 4 ? (unsigned int)atoi(argv[3]) : n;
	if (i >= n)
		return 1;
	if (!open(argv)) {
		printf("cannot use %s\n", argv[1]);
		return 1;
	}
	tests[i].run();
	return 0;
}
