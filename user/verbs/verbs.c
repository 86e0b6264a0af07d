// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages by verbs: sends of reliable connections, by libibverbs.
 *
 * A connection carries messages one way, in their order. Its receives are posted before,
 * a new one for each that completes. Sends complete to a queue of their own, which is
 * looked at where there is no room for another one, and raises an event only for errors.
 * A queue is only polled when an event says that it has something: in Weft, polls that find
 * nothing take time.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages/carrier.h"

#define BATCH		64
#define PIECES_MAX	32		/* entries of a request */
#define RNR_TIMER	12		/* 0.64 ms */

struct weft_carrier_device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *sent;
	struct ibv_cq *received;
	struct ibv_mr *mr;
	uint64_t longest;		/* bytes of a message */
	uint32_t pieces;		/* entries of the longest one */
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
	unsigned int events[2];		/* of sent and received, not acknowledged */
	bool more;			/* received may have more than was taken */
};

/**
 * struct end - one end of a connection
 */
struct end {
	struct weft_carrier_device *dev;
	struct ibv_qp *qp;
};

struct weft_carrier_lane {
	struct end end[2];		/* the sender, the receiver */
	struct weft_carrier_wants wants;
	uint32_t number;
	uint32_t sends;			/* posted, not complete */
};

static int fail(char why[WEFT_CARRIER_WHY], const char *what)
{
	snprintf(why, WEFT_CARRIER_WHY, "%s: %s", what, strerror(errno));
	return -1;
}

static bool is_roce(const struct weft_carrier_device *d)
{
	return d->port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* The GID of the interface's IPv4 address, or else the last one of RoCE v2. */
static int find_gid(struct weft_carrier_device *d, char why[WEFT_CARRIER_WHY])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry e;
	bool found = false;

	if (!is_roce(d))
		return ibv_query_gid(d->ctx, 1, 0, &d->gid) ? fail(why, "GID") : 0;
	for (int i = 0; i < d->port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(d->ctx, 1, (uint32_t)i, &e, 0) ||
		    e.gid_type != IBV_GID_TYPE_ROCE_V2)
			continue;
		d->gid = e.gid;
		d->gid_index = i;
		found = true;
		if (!memcmp(e.gid.raw, mapped, sizeof(mapped)))
			break;
	}
	errno = ENOENT;
	return found ? 0 : fail(why, "GID of RoCE v2");
}

static struct ibv_context *open_device(const char *name, char why[WEFT_CARRIER_WHY])
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	errno = ENODEV;
	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		fail(why, "open");
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static int make_objects(struct weft_carrier_device *d, const struct weft_carrier_room *room,
			char why[WEFT_CARRIER_WHY])
{
	struct ibv_device_attr attr;

	if (ibv_query_port(d->ctx, 1, &d->port) || ibv_query_device(d->ctx, &attr))
		return fail(why, "query");
	d->pieces = (uint32_t)(attr.max_sge < PIECES_MAX ? attr.max_sge : PIECES_MAX);
	d->longest = d->pieces * (uint64_t)room->bytes;
	if (d->longest > d->port.max_msg_sz)
		d->longest = d->port.max_msg_sz;
	if (room->longest < d->longest)
		d->pieces = (uint32_t)(room->longest / room->bytes) + 1;
	d->pd = ibv_alloc_pd(d->ctx);
	d->channel = ibv_create_comp_channel(d->ctx);
	if (!d->pd || !d->channel)
		return fail(why, "protection domain");
	d->sent = ibv_create_cq(d->ctx, (int)room->sends + 1, d, d->channel, 0);
	d->received = ibv_create_cq(d->ctx, (int)room->receives + 1, d, d->channel, 0);
	if (!d->sent || !d->received)
		return fail(why, "completion queue");
	d->mr = ibv_reg_mr(d->pd, room->memory, room->bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!d->mr)
		return fail(why, "memory region");
	if (fcntl(d->channel->fd, F_SETFL, O_NONBLOCK) ||
	    ibv_req_notify_cq(d->received, 0) || ibv_req_notify_cq(d->sent, 1))
		return fail(why, "events");
	return find_gid(d, why);
}

static void verbs_disconnect(struct weft_carrier_lane *l)
{
	for (int i = 0; i < 2; i++)
		if (l->end[i].qp)
			ibv_destroy_qp(l->end[i].qp);
	free(l);
}

static void verbs_close(struct weft_carrier_device *d)
{
	if (d->mr)
		ibv_dereg_mr(d->mr);
	if (d->received) {
		ibv_ack_cq_events(d->received, d->events[1]);
		ibv_destroy_cq(d->received);
	}
	if (d->sent) {
		ibv_ack_cq_events(d->sent, d->events[0]);
		ibv_destroy_cq(d->sent);
	}
	if (d->channel)
		ibv_destroy_comp_channel(d->channel);
	if (d->pd)
		ibv_dealloc_pd(d->pd);
	ibv_close_device(d->ctx);
	free(d);
}

static struct weft_carrier_device *verbs_open(const struct weft_carrier_room *room,
					      char why[WEFT_CARRIER_WHY])
{
	struct weft_carrier_device *d = calloc(1, sizeof(*d));

	if (!d) {
		fail(why, "open");
		return NULL;
	}
	d->ctx = open_device(room->device, why);
	if (!d->ctx) {
		free(d);
		return NULL;
	}
	if (make_objects(d, room, why)) {
		verbs_close(d);
		return NULL;
	}
	return d;
}

static int verbs_fd(const struct weft_carrier_device *d)
{
	return d->channel->fd;
}

static uint64_t verbs_most(const struct weft_carrier_device *d)
{
	return d->longest;
}

/* Return: a queue pair in INIT. */
static struct ibv_qp *make_qp(struct weft_carrier_device *d, const struct weft_carrier_wants *w,
			      bool receives)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = d->sent, .recv_cq = d->received,
		.cap = { .max_send_wr = receives ? 1 : w->sends,
			 .max_recv_wr = receives ? w->receives : 1,
			 .max_send_sge = d->pieces, .max_recv_sge = d->pieces },
		.sq_sig_all = 1,
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *qp = ibv_create_qp(d->pd, &init);

	if (!qp)
		return NULL;
	if (!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			   IBV_QP_ACCESS_FLAGS))
		return qp;
	ibv_destroy_qp(qp);
	return NULL;
}

/* Entries for so many bytes: the same memory again and again. Return: how many. */
static int fill(const struct weft_carrier_device *d, struct ibv_sge sge[PIECES_MAX],
		uint64_t bytes)
{
	uint64_t piece = d->mr->length;
	int n = 0;

	do {
		uint64_t len = bytes < piece ? bytes : piece;

		sge[n++] = (struct ibv_sge) {
			(uintptr_t)d->mr->addr, (uint32_t)len, d->mr->lkey
		};
		bytes -= len;
	} while (bytes && n < PIECES_MAX);
	return n;
}

static int post_receive(struct weft_carrier_lane *l)
{
	struct weft_carrier_device *d = l->end[1].dev;
	struct ibv_sge sge[PIECES_MAX];
	struct ibv_recv_wr *bad, wr = { .wr_id = (uintptr_t)l, .sg_list = sge };

	wr.num_sge = fill(d, sge, d->pieces * (uint64_t)d->mr->length);
	return ibv_post_recv(l->end[1].qp, &wr, &bad);
}

static struct weft_carrier_lane *verbs_lane(struct weft_carrier_device *from,
					    struct weft_carrier_device *to, uint32_t number,
					    const struct weft_carrier_wants *w,
					    char why[WEFT_CARRIER_WHY])
{
	struct weft_carrier_lane *l = calloc(1, sizeof(*l));

	if (!l) {
		fail(why, "connection");
		return NULL;
	}
	l->number = number;
	l->wants = *w;
	l->end[0] = (struct end) { from, make_qp(from, w, false) };
	l->end[1] = (struct end) { to, make_qp(to, w, true) };
	if (!l->end[0].qp || !l->end[1].qp) {
		fail(why, "queue pair");
		verbs_disconnect(l);
		return NULL;
	}
	return l;
}

static int to_rtr(const struct weft_carrier_lane *l, const struct end *here,
		  const struct end *there)
{
	bool roce = is_roce(here->dev);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = here->dev->port.active_mtu,
		.dest_qp_num = there->qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = {
			.dlid = there->dev->port.lid, .sl = (uint8_t)l->wants.sl,
			.port_num = 1, .is_global = roce,
			.grh = { .dgid = there->dev->gid,
				 .sgid_index = (uint8_t)here->dev->gid_index,
				 .hop_limit = 64 },
		},
	};

	return ibv_modify_qp(here->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(const struct weft_carrier_lane *l, const struct end *here)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = (uint8_t)l->wants.ack_timeout,
		.retry_cnt = (uint8_t)l->wants.retries,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	return ibv_modify_qp(here->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int verbs_connect(struct weft_carrier_lane *l, bool receives, char why[WEFT_CARRIER_WHY])
{
	const struct end *here = &l->end[receives], *there = &l->end[!receives];

	if (to_rtr(l, here, there) || to_rts(l, here))
		return fail(why, "connect");
	for (uint32_t i = 0; receives && i < l->wants.receives; i++)
		if (post_receive(l))
			return fail(why, "post a receive");
	return 0;
}

static int failed(const struct ibv_wc *wc, uint32_t *lane, char why[WEFT_CARRIER_WHY])
{
	const struct weft_carrier_lane *l = (void *)(uintptr_t)wc->wr_id;

	*lane = l->number;
	snprintf(why, WEFT_CARRIER_WHY, "%s", ibv_wc_status_str(wc->status));
	return -1;
}

/* Take what has been sent. Return: 0; -1 for an error, with its lane. */
static int reap(struct weft_carrier_device *d, uint32_t *lane, char why[WEFT_CARRIER_WHY])
{
	struct ibv_wc wc[BATCH];
	int n;

	while ((n = ibv_poll_cq(d->sent, BATCH, wc)) > 0)
		for (int i = 0; i < n; i++) {
			if (wc[i].status)
				return failed(&wc[i], lane, why);
			((struct weft_carrier_lane *)(uintptr_t)wc[i].wr_id)->sends--;
		}
	return n ? fail(why, "poll") : 0;
}

static int verbs_post(struct weft_carrier_lane *l, uint64_t bytes, char why[WEFT_CARRIER_WHY])
{
	struct weft_carrier_device *d = l->end[0].dev;
	struct ibv_sge sge[PIECES_MAX];
	struct ibv_send_wr *bad, wr = {
		.wr_id = (uintptr_t)l, .sg_list = sge, .opcode = IBV_WR_SEND,
	};
	uint32_t lane;

	if (l->sends == l->wants.sends && reap(d, &lane, why))
		return -1;
	if (l->sends == l->wants.sends) {
		if (ibv_req_notify_cq(d->sent, 0))
			return fail(why, "events");
		/* what came before that raises none */
		if (reap(d, &lane, why))
			return -1;
		if (l->sends == l->wants.sends)
			return 1;
	}
	wr.num_sge = fill(d, sge, bytes);
	if (ibv_post_send(l->end[0].qp, &wr, &bad))
		return fail(why, "post a send");
	l->sends++;
	return 0;
}

/* Take the events of a device, and ask for the next ones. */
static int take_events(struct weft_carrier_device *d, bool came[2])
{
	struct ibv_cq *cq;
	void *ctx;

	while (!ibv_get_cq_event(d->channel, &cq, &ctx)) {
		bool received = cq == d->received;

		d->events[received]++;
		came[received] = true;
	}
	if (came[0] && ibv_req_notify_cq(d->sent, 1))
		return -1;
	return came[1] ? ibv_req_notify_cq(d->received, 0) : 0;
}

static int verbs_take(struct weft_carrier_device *d, uint32_t *lane, uint32_t room,
		      char why[WEFT_CARRIER_WHY])
{
	int n, most = room < BATCH ? (int)room : BATCH;
	bool came[2] = { false, false };
	struct ibv_wc wc[BATCH];

	if (take_events(d, came))
		return fail(why, "events");
	if (came[0] && reap(d, lane, why))
		return -1;
	if (!came[1] && !d->more)
		return 0;
	n = ibv_poll_cq(d->received, most, wc);
	if (n < 0)
		return fail(why, "poll");
	d->more = n == most;
	for (int i = 0; i < n; i++) {
		struct weft_carrier_lane *l = (void *)(uintptr_t)wc[i].wr_id;

		if (wc[i].status)
			return failed(&wc[i], lane, why);
		lane[i] = l->number;
		if (post_receive(l))
			return fail(why, "post a receive");
	}
	return n;
}

__attribute__((visibility("default")))
const struct weft_carrier weft_carrier_verbs = {
	.version = WEFT_CARRIER_VERSION,
	.open = verbs_open,
	.fd = verbs_fd,
	.most = verbs_most,
	.lane = verbs_lane,
	.connect = verbs_connect,
	.post = verbs_post,
	.take = verbs_take,
	.disconnect = verbs_disconnect,
	.close = verbs_close,
};
