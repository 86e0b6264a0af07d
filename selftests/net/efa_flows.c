// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flows between NICs of the EFA kind, by one process that has the devices of all nodes.
 *
 * usage: efa_flows send|read|latency|plain FLOWS
 *
 * FLOWS is a file of which each line is "FROM TO BYTES". A node is a network namespace under
 * /run/netns, of which the first RDMA device is taken; it has one queue pair for SRD. All
 * flows begin at once. "send" divides a flow into the longest messages; "read" has TO read
 * it from FROM, in reads of 1 MiB; "latency" sends one message at a time, each after the one
 * before has come. "plain" sends the one flow there is by messages without immediate data, so
 * they have to come in order. Prints a line for each flow: ns from the begin until all bytes are
 * there, and how many bytes of them were wrong.
 */
#define _GNU_SOURCE
#include <infiniband/efadv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verbs_device.h"

#define NODES_MAX	72
#define FLOWS_MAX	255
#define SENDS		512	/* requests of a node */
#define RECEIVES	1024
#define READ_BYTES	1048576u
#define READS		16	/* of a flow at a time */
#define QKEY		0x77
#define FLOW_BYTES	(1u << 30)	/* of a flow at most */

struct node {
	struct device dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_ah *ah[NODES_MAX];
	struct ibv_mr *mr, *recv_mr;
	char *buf, *recv;
	uint32_t mtu;
	unsigned int sends;	/* requests that are not complete */
};

struct flow {
	unsigned int from, to;
	uint64_t bytes, posted, done, wrong;
	unsigned int reads;
	long long end;
};

enum mode { SEND, READ, LATENCY, PLAIN };

static struct node nodes[NODES_MAX];
static struct flow flows[FLOWS_MAX];
static unsigned int flow_count, left;
static uint64_t longest;
static enum mode mode;
static long long start;

static void read_flows(const char *path)
{
	char from[NODE_NAME_BYTES], to[NODE_NAME_BYTES];
	FILE *f = fopen(path, "re");
	unsigned long long bytes;

	if (!f)
		die(path, "open");
	while (fscanf(f, "%31s %31s %llu", from, to, &bytes) == 3) {
		if (flow_count == FLOWS_MAX)
			die(path, "too many flows");
		flows[flow_count].from = node_number(from, NODES_MAX);
		flows[flow_count].to = node_number(to, NODES_MAX);
		if (bytes > FLOW_BYTES)
			die(path, "too many bytes");
		longest = bytes > longest ? bytes : longest;
		flows[flow_count++].bytes = bytes;
	}
	if (!feof(f) || !flow_count)
		die(path, "expected FROM TO BYTES");
	fclose(f);
	left = flow_count;
}

/* What byte @at of flow @i has to be: no two pages, and no two flows, are alike. */
static uint8_t byte_of(unsigned int i, uint64_t at)
{
	return at * 13 + (at >> 8) * 7 + (at >> 16) * 3 + i * 101;
}

/* Memory of a node holds the bytes that it sends, for each flow from 0 on. */
static void fill(char *to, unsigned int i, uint64_t at, uint32_t n)
{
	while (n--)
		*to++ = byte_of(i, at++);
}

static uint32_t differ(const char *from, unsigned int i, uint64_t at, uint32_t n)
{
	uint32_t wrong = 0;

	while (n--)
		wrong += (uint8_t)*from++ != byte_of(i, at++);
	return wrong;
}

static void post_recv(struct node *n, uint64_t id)
{
	struct ibv_sge sge = { (uintptr_t)n->recv + id * n->mtu, n->mtu, n->recv_mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_recv(n->qp, &wr, &bad))
		die(n->dev.name, "post a receive");
}

static void to_rts(struct node *n)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	if (ibv_modify_qp(n->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						IBV_QP_QKEY))
		die(n->dev.name, "INIT");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(n->qp, &attr, IBV_QP_STATE))
		die(n->dev.name, "RTR");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(n->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die(n->dev.name, "RTS");
}

static void make_qp(struct node *n)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .send_cq = n->cq, .recv_cq = n->cq, .pd = n->dev.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_READ,
		.cap = { .max_send_wr = SENDS, .max_recv_wr = RECEIVES, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = 32 },
		.sq_sig_all = 1,
	};
	struct efadv_qp_init_attr efa = { .driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD };

	n->qp = efadv_create_qp_ex(n->dev.ctx, &attr, &efa, sizeof(efa));
	if (!n->qp)
		die(n->dev.name, "no queue pair for SRD");
	n->qpx = ibv_qp_to_qp_ex(n->qp);
	to_rts(n);
}

static char *memory(size_t bytes)
{
	char *at = aligned_alloc(4096, (bytes + 4095) & ~4095UL);

	if (!at)
		die("memory", "none");
	return at;
}

static void open_node(struct node *n)
{
	unsigned int i;

	device_open(&n->dev, node_name(n - nodes));
	if (ibv_query_gid(n->dev.ctx, 1, 0, &n->dev.gid))
		die(n->dev.name, "no GID");
	n->mtu = n->dev.port.max_msg_sz;
	n->channel = ibv_create_comp_channel(n->dev.ctx);
	n->cq = ibv_create_cq(n->dev.ctx, SENDS + RECEIVES, NULL, n->channel, 0);
	if (!n->cq || ibv_req_notify_cq(n->cq, 0))
		die(n->dev.name, "no completion queue");
	make_qp(n);
	n->recv = memory((size_t)RECEIVES * n->mtu);
	n->recv_mr = ibv_reg_mr(n->dev.pd, n->recv, (size_t)RECEIVES * n->mtu,
				IBV_ACCESS_LOCAL_WRITE);
	if (!n->recv_mr)
		die(n->dev.name, "no region");
	for (i = 0; i < RECEIVES; i++)
		post_recv(n, i);
}

/* Memory for one flow out of, or into, each node. */
static void open_memory(struct node *n, uint64_t bytes)
{
	if (n->buf)
		return;
	n->buf = memory(bytes);
	memset(n->buf, 0, bytes);
	n->mr = ibv_reg_mr(n->dev.pd, n->buf, bytes, IBV_ACCESS_LOCAL_WRITE |
						     IBV_ACCESS_REMOTE_READ);
	if (!n->mr)
		die(n->dev.name, "no region");
}

static void handle(struct node *n, unsigned int to)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };

	if (n->ah[to])
		return;
	attr.grh.dgid = nodes[to].dev.gid;
	n->ah[to] = ibv_create_ah(n->dev.pd, &attr);
	if (!n->ah[to])
		die(n->dev.name, "no address handle");
}

static void prepare(void)
{
	unsigned int i;

	for (i = 0; i < node_count; i++)
		open_node(&nodes[i]);
	for (i = 0; i < flow_count; i++) {
		struct flow *f = &flows[i];

		handle(&nodes[f->from], f->to);
		handle(&nodes[f->to], f->from);
		open_memory(&nodes[f->from], longest);
		if (mode == READ)
			open_memory(&nodes[f->to], longest);
		fill(nodes[f->from].buf, i, 0, f->bytes);
	}
}

/* The next message of a flow; its immediate data is flow and number. */
static bool post_send(struct node *n, unsigned int i)
{
	struct flow *f = &flows[i];
	uint64_t rest = f->bytes - f->posted;
	uint32_t len = rest < n->mtu ? rest : n->mtu;

	if (!rest || n->sends == SENDS - 1)
		return false;
	ibv_wr_start(n->qpx);
	n->qpx->wr_id = 1u << 31 | i;
	n->qpx->wr_flags = 0;
	if (mode == PLAIN)
		ibv_wr_send(n->qpx);
	else
		ibv_wr_send_imm(n->qpx, htobe32(i << 24 | (uint32_t)(f->posted / n->mtu)));
	ibv_wr_set_sge(n->qpx, n->mr->lkey, (uintptr_t)n->buf + f->posted, len);
	ibv_wr_set_ud_addr(n->qpx, n->ah[f->to], nodes[f->to].qp->qp_num, QKEY);
	if (ibv_wr_complete(n->qpx))
		die(n->dev.name, "send");
	f->posted += len;
	n->sends++;
	return true;
}

static bool post_read(struct node *n, unsigned int i)
{
	struct flow *f = &flows[i];
	const struct node *from = &nodes[f->from];
	uint64_t rest = f->bytes - f->posted;
	uint32_t len = rest < READ_BYTES ? rest : READ_BYTES;

	if (!rest || f->reads == READS)
		return false;
	ibv_wr_start(n->qpx);
	n->qpx->wr_id = 1u << 31 | (uint64_t)len << 32 | i;
	n->qpx->wr_flags = 0;
	ibv_wr_rdma_read(n->qpx, from->mr->rkey, (uintptr_t)from->buf + f->posted);
	ibv_wr_set_sge(n->qpx, n->mr->lkey, (uintptr_t)n->buf + f->posted, len);
	ibv_wr_set_ud_addr(n->qpx, n->ah[f->from], from->qp->qp_num, QKEY);
	if (ibv_wr_complete(n->qpx))
		die(n->dev.name, "read");
	f->posted += len;
	f->reads++;
	return true;
}

static void progress(unsigned int i)
{
	struct flow *f = &flows[i];

	if (mode == READ)
		while (post_read(&nodes[f->to], i))
			;
	else if (mode != LATENCY)
		while (post_send(&nodes[f->from], i))
			;
	else if (f->posted == f->done)
		post_send(&nodes[f->from], i);
}

static void arrived(unsigned int i, uint32_t bytes)
{
	struct flow *f = &flows[i];

	f->done += bytes;
	if (f->done < f->bytes)
		return;
	f->end = clock_ns();
	left--;
}

static void received(struct node *n, const struct ibv_wc *wc)
{
	uint32_t imm = mode == PLAIN ? flows->done / n->mtu : be32toh(wc->imm_data);
	uint32_t at = imm & 0xffffff;
	unsigned int i = imm >> 24;

	if (i >= flow_count)
		die(n->dev.name, "a message of no flow");
	flows[i].wrong += differ(n->recv + wc->wr_id * n->mtu, i, (uint64_t)at * n->mtu,
				 wc->byte_len);
	post_recv(n, wc->wr_id);
	arrived(i, wc->byte_len);
	if (mode == LATENCY)
		progress(i);
}

static void completed(struct node *n, const struct ibv_wc *wc)
{
	unsigned int i = wc->wr_id & 0xff;

	if (wc->status != IBV_WC_SUCCESS)
		die(n->dev.name, ibv_wc_status_str(wc->status));
	if (!(wc->wr_id & 1u << 31)) {
		received(n, wc);
		return;
	}
	if (mode == READ) {
		flows[i].reads--;
		arrived(i, wc->wr_id >> 32);
	} else {
		n->sends--;
	}
	if (mode == READ)
		progress(i);
	for (i = 0; mode != LATENCY && i < flow_count; i++)
		if (&nodes[flows[i].from] == n)
			progress(i);
}

static void take(struct node *n)
{
	struct ibv_wc wc[32];
	int i, got;

	while ((got = ibv_poll_cq(n->cq, 32, wc)) > 0)
		for (i = 0; i < got; i++)
			completed(n, &wc[i]);
	if (got < 0)
		die(n->dev.name, "poll");
}

static void event(struct node *n)
{
	struct ibv_cq *cq;
	void *ctx;

	if (ibv_get_cq_event(n->channel, &cq, &ctx))
		die(n->dev.name, "no event");
	ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die(n->dev.name, "arm");
	take(n);
}

static void run(void)
{
	struct pollfd fd[NODES_MAX];
	unsigned int i;

	for (i = 0; i < node_count; i++)
		fd[i] = (struct pollfd) { .fd = nodes[i].channel->fd, .events = POLLIN };
	start = clock_ns();
	for (i = 0; i < flow_count; i++)
		progress(i);
	while (left) {
		if (poll(fd, node_count, 10000) <= 0)
			die("poll", "nothing comes");
		for (i = 0; i < node_count; i++)
			if (fd[i].revents)
				event(&nodes[i]);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 3)
		die("usage", "efa_flows send|read|latency|plain FLOWS");
	mode = !strcmp(argv[1], "read") ? READ : !strcmp(argv[1], "send") ? SEND :
	       !strcmp(argv[1], "plain") ? PLAIN : LATENCY;
	read_flows(argv[2]);
	if (mode == PLAIN && flow_count != 1)
		die(argv[2], "expected one flow");
	prepare();
	run();
	for (i = 0; i < flow_count; i++) {
		if (mode == READ)
			flows[i].wrong = differ(nodes[flows[i].to].buf, i, 0, flows[i].bytes);
		printf("%lld %llu\n", flows[i].end - start, (unsigned long long)flows[i].wrong);
	}
	return 0;
}
