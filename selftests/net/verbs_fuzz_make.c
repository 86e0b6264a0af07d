// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands of the kernel's interface to verbs, as the fuzzer makes them.
 */
#include "verbs_fuzz.h"

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

union body body;
size_t len;
struct pool pools[KINDS];
char *arena;
uint64_t seed;
int gid_index;
unsigned char gid[16];
uint16_t lid;

uint64_t rnd(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint32_t below(uint32_t n)
{
	return (uint32_t)(rnd() >> 32) % n;
}

bool once_in(uint32_t n)
{
	return below(n) == 0;
}

uint32_t number(void)
{
	static const uint32_t some[] = {
		0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 1024, 4095, 4096, 16383,
		16384, 16385, 65535, 65536, 1 << 22, (1 << 22) + 1, 0xffffff,
		0x7fffffff, 0x80000000, 0xffffffff,
	};

	return once_in(8) ? rnd() : some[below(ARRAY_SIZE(some))];
}

uint32_t mostly(uint32_t max)
{
	return once_in(24) ? number() : below(max + 1);
}

static const struct object *any(enum kind k)
{
	static const struct object none = { .handle = 77, .name = 77 };

	return pools[k].num ? &pools[k].all[below(pools[k].num)] : &none;
}

/* Most objects are of one protection domain, so that they fit together. */
uint32_t handle(enum kind k)
{
	if (k == PD && pools[PD].num && !once_in(6))
		return pools[PD].all[0].handle;
	return once_in(40) ? mostly(20) : any(k)->handle;
}

static uint32_t key(void)
{
	return once_in(20) ? any(MR)->name ^ 1u << below(32) : any(MR)->name;
}

static uint64_t place(uint32_t bytes)
{
	if (once_in(30))
		return once_in(2) ? rnd() : number();
	return (uintptr_t)arena + below(ARENA - bytes % ARENA);
}

#define BODY(type) struct type *c = (struct type *)body.bytes; len = sizeof(*c)

static void make_nothing(void)
{
	BODY(ib_uverbs_query_device);
	c->response = 0;
}

static void make_port(void)
{
	BODY(ib_uverbs_query_port);
	c->port_num = mostly(2);
}

/* Nothing but a handle, of what the command's table entry says. */
static void make_handle(enum kind k)
{
	body.words[0] = handle(k);
	len = 4;
}

/* The same behind the address of the response. */
static void make_handle_reply(enum kind k)
{
	body.words[2] = handle(k);
	body.words[3] = once_in(3) ? number() : 0;
	len = 16;
}

static void no_pd(void) { make_handle(PD); }
static void no_ah(void) { make_handle(AH); }
static void no_mr(void) { make_handle(MR); }
static void no_cq(void) { make_handle_reply(CQ); }
static void no_qp(void) { make_handle_reply(QP); }
static void no_srq(void) { make_handle_reply(SRQ); }

static void make_mr(void)
{
	BODY(ib_uverbs_reg_mr);
	c->length = mostly(65536);
	c->start = place(c->length);
	c->hca_va = once_in(4) ? (c->start & 4095) | rnd() << 12 : c->start;
	c->pd_handle = handle(PD);
	c->access_flags = once_in(3) ? mostly(255) : 15;
}

static void make_ah(void)
{
	BODY(ib_uverbs_create_ah);
	c->pd_handle = handle(PD);
	c->attr.dlid = mostly(2);
	c->attr.sl = mostly(15);
	c->attr.is_global = !once_in(3);
	c->attr.port_num = mostly(1);
	c->attr.static_rate = mostly(20);
	c->attr.grh.sgid_index = once_in(10) ? number() : (uint32_t)gid_index;
	c->attr.grh.hop_limit = 64;
	memcpy(c->attr.grh.dgid, gid, 16);
	if (once_in(4))
		c->attr.grh.dgid[below(16)] = rnd();
}

static void make_channel(void)
{
	BODY(ib_uverbs_create_comp_channel);
	c->response = 0;
}

static void make_cq(void)
{
	BODY(ib_uverbs_create_cq);
	c->cqe = mostly(300);
	c->comp_channel = once_in(3) ? (int)mostly(20) : -1;
	c->comp_vector = once_in(20) ? number() : 0;
}

static void resize_cq(void)
{
	BODY(ib_uverbs_resize_cq);
	c->cq_handle = handle(CQ);
	c->cqe = mostly(300);
}

static void arm_cq(void)
{
	BODY(ib_uverbs_req_notify_cq);
	c->cq_handle = handle(CQ);
	c->solicited_only = mostly(1);
}

static void poll_cq(void)
{
	BODY(ib_uverbs_poll_cq);
	c->cq_handle = handle(CQ);
	c->ne = mostly(64);
}

static void make_srq(void)
{
	BODY(ib_uverbs_create_srq);
	c->pd_handle = handle(PD);
	c->max_wr = mostly(64);
	c->max_sge = mostly(4);
	c->srq_limit = mostly(64);
}

static void modify_srq(void)
{
	BODY(ib_uverbs_modify_srq);
	c->srq_handle = handle(SRQ);
	c->attr_mask = mostly(3);
	c->max_wr = mostly(64);
	c->srq_limit = mostly(64);
}

static void make_qp(void)
{
	BODY(ib_uverbs_create_qp);
	c->pd_handle = handle(PD);
	c->send_cq_handle = handle(CQ);
	c->recv_cq_handle = handle(CQ);
	c->is_srq = once_in(3);
	c->srq_handle = c->is_srq ? handle(SRQ) : 0;
	c->max_send_wr = mostly(32);
	c->max_recv_wr = mostly(32);
	c->max_send_sge = mostly(4);
	c->max_recv_sge = mostly(4);
	c->max_inline_data = mostly(256);
	c->sq_sig_all = once_in(2);
	c->qp_type = once_in(20) ? number() : IBV_QPT_RC + below(3);
}

/* The far end of a connection is another of our own. */
static void make_dest(struct ib_uverbs_qp_dest *d)
{
	d->dlid = lid;
	d->is_global = lid == 0 || once_in(4);
	d->port_num = 1;
	d->hop_limit = 64;
	d->sgid_index = gid_index;
	d->sl = mostly(3);
	d->static_rate = mostly(10);
	memcpy(d->dgid, gid, 16);
}

/* What is needed on the way from INIT to RTS, by type. */
static const uint32_t masks[][3] = {
	[IBV_QPT_RC] = {
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
	},
	[IBV_QPT_UC] = {
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		IBV_QP_RQ_PSN,
		IBV_QP_STATE | IBV_QP_SQ_PSN,
	},
	[IBV_QPT_UD] = {
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
		IBV_QP_STATE,
		IBV_QP_STATE | IBV_QP_SQ_PSN,
	},
};

/* On to RTS mostly, and there to stay. */
static uint32_t next_state(uint32_t now)
{
	if (once_in(10))
		return mostly(IBV_QPS_ERR);
	if (now > IBV_QPS_RTS)
		return once_in(2) ? IBV_QPS_RTS : IBV_QPS_RESET;
	return now < IBV_QPS_RTS ? now + 1 : IBV_QPS_RTS;
}

/* A step to a state, and what it needs. */
static void make_step(struct ib_uverbs_modify_qp *c, const struct object *qp)
{
	uint32_t type = qp->type;

	if (type != IBV_QPT_UC && type != IBV_QPT_UD)
		type = IBV_QPT_RC;
	c->qp_state = next_state(qp->state);
	c->attr_mask = IBV_QP_STATE;
	if (qp->state < IBV_QPS_RTS && c->qp_state == qp->state + 1)
		c->attr_mask = masks[type][qp->state];
	if (once_in(12))
		c->attr_mask ^= 1u << below(27);
}

static void modify_qp(void)
{
	BODY(ib_uverbs_modify_qp);
	const struct object *qp = any(QP);

	make_dest(&c->dest);
	make_step(c, qp);
	c->qp_handle = once_in(20) ? handle(QP) : qp->handle;
	c->qkey = 0x1234;
	c->dest_qp_num = once_in(10) ? mostly(40) : any(QP)->name;
	c->rq_psn = once_in(10) ? number() : 5;
	c->sq_psn = once_in(10) ? number() : 5;
	c->qp_access_flags = once_in(4) ? mostly(31) : 15;
	c->port_num = 1;
	c->path_mtu = 1 + mostly(4);
	c->cur_qp_state = mostly(IBV_QPS_ERR);
	c->path_mig_state = mostly(2);
	c->en_sqd_async_notify = mostly(1);
	c->max_rd_atomic = mostly(4);
	c->max_dest_rd_atomic = mostly(4);
	c->min_rnr_timer = 1 + mostly(3);
	c->timeout = mostly(8);
	c->retry_cnt = mostly(3);
	c->rnr_retry = mostly(3);
}

static void query_qp(void)
{
	BODY(ib_uverbs_query_qp);
	c->qp_handle = handle(QP);
	c->attr_mask = rnd();
}

static uint32_t make_pieces(struct ib_uverbs_sge *sge, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		sge[i].length = once_in(3) ? mostly(65536) : mostly(200);
		sge[i].addr = place(sge[i].length);
		sge[i].lkey = key();
	}
	return n * sizeof(*sge);
}

static void make_request(struct ib_uverbs_send_wr *w, uint32_t type)
{
	w->wr_id = rnd();
	w->num_sge = below(3);
	w->opcode = type == IBV_QPT_UD ? IBV_WR_SEND + below(2) :
					   mostly(IBV_WR_ATOMIC_FETCH_AND_ADD);
	w->send_flags = once_in(4) ? mostly(15) : below(8);
	w->ex.imm_data = key();
	if (type == IBV_QPT_UD && !once_in(20)) {
		w->wr.ud.ah = handle(AH);
		w->wr.ud.remote_qpn = any(QP)->name;
		w->wr.ud.remote_qkey = once_in(10) ? number() : 0x1234;
	} else if (w->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		w->wr.atomic.remote_addr = place(8) & ~(once_in(8) ? 0ULL : 7ULL);
		w->wr.atomic.rkey = key();
		w->wr.atomic.swap = rnd();
	} else {
		w->wr.rdma.remote_addr = place(65536);
		w->wr.rdma.rkey = key();
	}
}

static void post_send(void)
{
	BODY(ib_uverbs_post_send);
	const struct object *qp = any(QP);
	uint32_t i, n = once_in(3) ? 1 + below(4) : 1, pieces = 0;

	c->qp_handle = qp->handle;
	for (i = 0; i < n; i++) {
		make_request(&c->send_wr[i], qp->type);
		pieces += c->send_wr[i].num_sge;
	}
	c->wr_count = once_in(30) ? number() : n;
	c->sge_count = once_in(30) ? number() : pieces;
	c->wqe_size = once_in(30) ? number() : sizeof(c->send_wr[0]);
	len += n * sizeof(c->send_wr[0]);
	len += make_pieces((void *)&c->send_wr[n], pieces);
}

/* Of a queue pair, or of a shared queue: the commands have the same form. */
static void post_recvs(uint32_t queue)
{
	BODY(ib_uverbs_post_recv);
	uint32_t i, n = 1 + below(4), pieces = 0;

	c->qp_handle = queue;
	for (i = 0; i < n; i++) {
		c->recv_wr[i].wr_id = rnd();
		c->recv_wr[i].num_sge = below(3);
		pieces += c->recv_wr[i].num_sge;
	}
	c->wr_count = once_in(30) ? number() : n;
	c->sge_count = once_in(30) ? number() : pieces;
	c->wqe_size = once_in(30) ? number() : sizeof(c->recv_wr[0]);
	len += n * sizeof(c->recv_wr[0]);
	len += make_pieces((void *)&c->recv_wr[n], pieces);
}

static void post_recv(void) { post_recvs(handle(QP)); }
static void post_srq_recv(void) { post_recvs(handle(SRQ)); }

static void mcast(void)
{
	BODY(ib_uverbs_attach_mcast);
	memset(c->gid, 0, 16);
	c->gid[0] = once_in(10) ? 0xfe : 0xff;
	c->gid[15] = below(3);
	c->mlid = 0xc000 + (once_in(4) ? below(4) : c->gid[15]);
	c->qp_handle = handle(QP);
}

const struct command commands[] = {
	{ "query_device", make_nothing, 1, 176, 1, 0, 0 },
	{ "query_port", make_port, 2, 40, 1, 0, 0 },
	{ "alloc_pd", make_nothing, 3, 4, 4, PD + 1, 0 },
	{ "dealloc_pd", no_pd, 4, 0, 2, 0, PD + 1 },
	{ "create_ah", make_ah, 5, 4, 8, AH + 1, 0 },
	{ "destroy_ah", no_ah, 8, 0, 4, 0, AH + 1 },
	{ "reg_mr", make_mr, 9, 12, 12, MR + 1, 0 },
	{ "dereg_mr", no_mr, 13, 0, 6, 0, MR + 1 },
	{ "create_comp_channel", make_channel, 17, 4, 1, 0, 0 },
	{ "create_cq", make_cq, 18, 8, 8, CQ + 1, 0 },
	{ "resize_cq", resize_cq, 19, 8, 6, 0, 0 },
	{ "destroy_cq", no_cq, 20, 8, 4, 0, CQ + 1 },
	{ "poll_cq", poll_cq, 21, 4096, 20, 0, 0 },
	{ "req_notify_cq", arm_cq, 23, 0, 8, 0, 0 },
	{ "create_qp", make_qp, 24, 32, 12, QP + 1, 0 },
	{ "query_qp", query_qp, 25, 128, 4, 0, 0 },
	{ "modify_qp", modify_qp, 26, 0, 80, 0, 0 },
	{ "destroy_qp", no_qp, 27, 4, 5, 0, QP + 1 },
	{ "post_send", post_send, 28, 4, 60, 0, 0 },
	{ "post_recv", post_recv, 29, 4, 40, 0, 0 },
	{ "attach_mcast", mcast, 30, 0, 4, 0, 0 },
	{ "detach_mcast", mcast, 31, 0, 4, 0, 0 },
	{ "create_srq", make_srq, 32, 16, 6, SRQ + 1, 0 },
	{ "modify_srq", modify_srq, 33, 0, 6, 0, 0 },
	{ "query_srq", no_srq, 34, 16, 3, 0, 0 },
	{ "destroy_srq", no_srq, 35, 4, 3, 0, SRQ + 1 },
	{ "post_srq_recv", post_srq_recv, 36, 4, 20, 0, 0 },
};

const unsigned int num_commands = ARRAY_SIZE(commands);
