// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends between nodes at given times, by one process that has the devices of all.
 *
 * usage: verbs_messages MESSAGES
 *
 * MESSAGES is a file of which each line is "FROM TO BYTES at NSns", as weft simulate reads
 * it. A node is a network namespace under /run/netns, of which the first RDMA device is
 * taken. Messages of two nodes share a queue pair, and have to be in the order of their
 * times. Prints for each message in ns after the time 0 when it was posted, as the clock
 * is read before and after that, and when its receive completed: reading the clock and
 * calling the kernel takes a few ns.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "verbs_device.h"

#define NODES_MAX	32
#define MESSAGES_MAX	1024
#define QUIET_NS	1000000	/* from the last preparation to time 0 */

struct node {
	struct device dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *sent;
	struct ibv_cq *received;
	struct ibv_mr *mr;
	char *buf;
	struct ibv_qp *qp[NODES_MAX];	/* to each other node */
};

struct message {
	unsigned int from, to;
	unsigned int bytes;
	long long at, before, after, end;
	bool posted;
};

static struct node nodes[NODES_MAX];
static struct message messages[MESSAGES_MAX];
static unsigned int count;
static unsigned int longest = 1;

static void read_messages(const char *path)
{
	char from[NODE_NAME_BYTES], to[NODE_NAME_BYTES];
	FILE *f = fopen(path, "re");
	struct message *m;

	if (!f)
		die(path, "open");
	for (m = messages; fscanf(f, "%31s %31s %u at %lldns", from, to, &m->bytes,
				  &m->at) == 4; m++) {
		if (++count == MESSAGES_MAX)
			die(path, "too many messages");
		m->from = node_number(from, NODES_MAX);
		m->to = node_number(to, NODES_MAX);
		if (m->bytes > longest)
			longest = m->bytes;
	}
	if (!feof(f))
		die(path, "expected FROM TO BYTES at NSns");
	fclose(f);
}

static void open_node(struct node *n)
{
	device_open(&n->dev, node_name(n - nodes));
	n->channel = ibv_create_comp_channel(n->dev.ctx);
	n->sent = ibv_create_cq(n->dev.ctx, MESSAGES_MAX, NULL, NULL, 0);
	n->received = ibv_create_cq(n->dev.ctx, MESSAGES_MAX, NULL, n->channel, 0);
	n->buf = aligned_alloc(4096, (longest + 4095) & ~4095UL);
	n->mr = n->buf ? ibv_reg_mr(n->dev.pd, n->buf, longest, IBV_ACCESS_LOCAL_WRITE) : NULL;
	if (!n->sent || !n->received || !n->mr || ibv_req_notify_cq(n->received, 0))
		die(n->dev.name, "no resources");
	memset(n->buf, 1, longest);
}

static void make_qp(struct node *n, unsigned int to)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = n->sent, .recv_cq = n->received,
		.cap = { .max_send_wr = count, .max_recv_wr = count,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};

	if (!n->qp[to])
		n->qp[to] = device_qp(&n->dev, &init, 0);
}

static void connect_node(struct node *n)
{
	const struct path path = { 0 };
	unsigned int i;

	go_to_node(n->dev.name);
	for (i = 0; i < node_count; i++)
		if (n->qp[i])
			device_connect(&n->dev, n->qp[i], &nodes[i].dev,
				       nodes[i].qp[n - nodes]->qp_num, &path);
}

static void prepare(void)
{
	unsigned int i;

	for (i = 0; i < node_count; i++)
		open_node(&nodes[i]);
	for (i = 0; i < count; i++) {
		make_qp(&nodes[messages[i].from], messages[i].to);
		make_qp(&nodes[messages[i].to], messages[i].from);
	}
	for (i = 0; i < node_count; i++)
		connect_node(&nodes[i]);
	for (i = 0; i < count; i++) {
		struct node *n = &nodes[messages[i].to];
		struct ibv_sge sge = { (uintptr_t)n->buf, longest, n->mr->lkey };
		struct ibv_recv_wr *bad, wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

		if (ibv_post_recv(n->qp[messages[i].from], &wr, &bad))
			die(n->dev.name, "post a receive");
	}
}

static void post(struct message *m, long long start)
{
	struct node *n = &nodes[m->from];
	struct ibv_sge sge = { (uintptr_t)n->buf, m->bytes, n->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};

	m->before = clock_ns() - start;
	if (ibv_post_send(n->qp[m->to], &wr, &bad))
		die(n->dev.name, "post a send");
	m->after = clock_ns() - start;
	m->posted = true;
}

/* Post what is due. Return: when the next one is, or -1. */
static long long post_due(long long start, long long at)
{
	long long next = -1;
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct message *m = &messages[i];

		if (m->posted)
			continue;
		if (at >= m->at)
			post(m, start);
		else if (next < 0 || m->at < next)
			next = m->at;
	}
	return next;
}

/* Return: the number of receives that completed, @at a time. */
static unsigned int take(struct node *n, long long at)
{
	unsigned int taken = 0;
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *context;

	if (ibv_get_cq_event(n->channel, &cq, &context))
		die(n->dev.name, "event");
	ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die(n->dev.name, "notify");
	for (; ibv_poll_cq(cq, 1, &wc) > 0; taken++) {
		if (wc.status) {
			fprintf(stderr, "%s: %s\n", n->dev.name, ibv_wc_status_str(wc.status));
			exit(1);
		}
		messages[wc.wr_id].end = at;
	}
	return taken;
}

static void run(void)
{
	struct pollfd fds[NODES_MAX];
	long long start = clock_ns() + QUIET_NS, at = -QUIET_NS, next;
	unsigned int i, left = count;
	struct timespec ts;

	for (i = 0; i < node_count; i++)
		fds[i] = (struct pollfd){ nodes[i].channel->fd, POLLIN, 0 };
	while (left) {
		next = post_due(start, at);
		ts.tv_sec = (next - at) / 1000000000;
		ts.tv_nsec = (next - at) % 1000000000;
		if (ppoll(fds, node_count, next < 0 ? NULL : &ts, NULL) < 0)
			die("poll", "");
		at = clock_ns() - start;
		for (i = 0; i < node_count; i++)
			if (fds[i].revents)
				left -= take(&nodes[i], at);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 2) {
		fputs("usage: verbs_messages MESSAGES\n", stderr);
		return 1;
	}
	read_messages(argv[1]);
	/* ppoll() may end 50 us late otherwise */
	if (prctl(PR_SET_TIMERSLACK, 1))
		die("timer slack", "");
	prepare();
	run();
	for (i = 0; i < count; i++)
		printf("%lld %lld %lld\n", messages[i].before, messages[i].after,
		       messages[i].end);
	return 0;
}
