// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA writes from many nodes into one, by one process that has the devices of
 * all of them: whoever begins at an instant does so at the very same one.
 *
 * usage: verbs_writers [-s BYTES] [-d DEPTH] [-n MESSAGES] [-g US] [-l LEVEL]
 *	SINK WRITER...
 *
 *	-s	bytes of a message (65536)
 *	-d	requests that each writer has outstanding (16)
 *	-n	messages of each writer (0: for ever); may be N,N,... for the first
 *		writer, the second, ...; the last holds for those after it
 *	-g	microseconds from one writer's begin to the next one's (0)
 *	-l	service level of the requests (0)
 *
 * A node is a network namespace under /run/netns, of which the first RDMA device
 * is taken. Prints "begin" when all are connected and the first writer begins,
 * and at a writer's end "NODE NANOSECONDS" since the first one began. What
 * arrived is compared with what was sent; a difference is an error.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "verbs_device.h"

#define PSN		0xfffff0	/* it wraps soon */

struct node {
	struct device dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char *buf;
};

struct writer {
	struct node node;
	struct ibv_qp *qp;
	struct ibv_qp *sink_qp;
	size_t at;		/* of its memory in the sink's */
	long messages;
	long posted;
	long done;
	bool begun;
};

static size_t size = 65536;
static unsigned int depth = 16;
static char *messages = "0";
static long long gap;
static unsigned int level;
static struct node sink;
static struct writer *writers;
static unsigned int count;

static void open_node(struct node *n, const char *name, size_t bytes)
{
	device_open(&n->dev, name);
	n->channel = ibv_create_comp_channel(n->dev.ctx);
	n->cq = ibv_create_cq(n->dev.ctx, depth + 1, NULL, n->channel, 0);
	n->buf = aligned_alloc(4096, (bytes + 4095) & ~4095UL);
	n->mr = n->buf ? ibv_reg_mr(n->dev.pd, n->buf, bytes, IBV_ACCESS_LOCAL_WRITE |
				    IBV_ACCESS_REMOTE_WRITE) : NULL;
	if (!n->cq || !n->mr || ibv_req_notify_cq(n->cq, 0))
		die(name, "no resources");
}

static struct ibv_qp *make_qp(struct node *n)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = n->cq,
		.recv_cq = n->cq,
		.cap = { .max_send_wr = depth, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return device_qp(&n->dev, &init, IBV_ACCESS_REMOTE_WRITE);
}

static void connect_qp(const struct node *n, struct ibv_qp *qp, const struct node *to,
		       const struct ibv_qp *other)
{
	const struct path path = { .psn = PSN, .sl = level };

	go_to_node(n->dev.name);
	device_connect(&n->dev, qp, &to->dev, other->qp_num, &path);
}

static void open_all(char **names)
{
	struct writer *w;
	unsigned int i;

	open_node(&sink, names[0], size * count);
	for (i = 0; i < count; i++) {
		w = &writers[i];
		open_node(&w->node, names[i + 1], size);
		memset(w->node.buf, i + 1, size);
		w->at = size * i;
		w->messages = strtol(messages, NULL, 0);
		if (strchr(messages, ','))
			messages = strchr(messages, ',') + 1;
		w->qp = make_qp(&w->node);
		w->sink_qp = make_qp(&sink);
	}
	for (i = 0; i < count; i++) {
		w = &writers[i];
		connect_qp(&w->node, w->qp, &sink, w->sink_qp);
		connect_qp(&sink, w->sink_qp, &w->node, w->qp);
	}
}

static void post(struct writer *w)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)w->node.buf,
		.length = size,
		.lkey = w->node.mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)sink.buf + w->at, sink.mr->rkey },
	};

	for (; w->posted - w->done < depth; w->posted++) {
		if (w->messages && w->posted == w->messages)
			return;
		if (ibv_post_send(w->qp, &wr, &bad))
			die(w->node.dev.name, "post");
	}
}

static void complete(struct writer *w)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(w->node.cq, 1, &wc) > 0) {
		if (wc.status) {
			fprintf(stderr, "%s: %s\n", w->node.dev.name,
				ibv_wc_status_str(wc.status));
			exit(1);
		}
		w->done++;
	}
}

/* Completions came: say so, and go on. Returns whether that was the last. */
static bool advance(struct writer *w, long long start)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(w->node.channel, &cq, &context))
		die(w->node.dev.name, "event");
	ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die(w->node.dev.name, "notify");
	complete(w);
	if (!w->messages || w->done < w->messages) {
		post(w);
		return false;
	}
	printf("%s %lld\n", w->node.dev.name, clock_ns() - start);
	return true;
}

/* Begin with those whose time has come; returns the time of the next, or -1. */
static long long begin(long long start)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (writers[i].begun)
			continue;
		if (clock_ns() < start + i * gap)
			return start + i * gap;
		writers[i].begun = true;
		post(&writers[i]);
	}
	return -1;
}

static void wait_for(struct pollfd *fds, long long until)
{
	long long left = until - clock_ns();
	struct timespec ts;

	if (left < 0)
		left = 0;
	ts.tv_sec = left / 1000000000;
	ts.tv_nsec = left % 1000000000;
	if (ppoll(fds, count, until < 0 ? NULL : &ts, NULL) < 0)
		die("poll", "");
}

static void run(void)
{
	struct pollfd *fds = calloc(count, sizeof(*fds));
	long long start, next;
	unsigned int i, left = count;

	for (i = 0; fds && i < count; i++)
		fds[i] = (struct pollfd){ writers[i].node.channel->fd, POLLIN, 0 };
	printf("begin\n");
	start = clock_ns();
	while (left) {
		next = begin(start);
		wait_for(fds, next);
		for (i = 0; i < count; i++)
			if (fds[i].revents)
				left -= advance(&writers[i], start);
	}
	free(fds);
}

static void compare(void)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (memcmp(sink.buf + writers[i].at, writers[i].node.buf, size)) {
			fprintf(stderr, "%s: other data arrived\n",
				writers[i].node.dev.name);
			exit(1);
		}
}

static void usage(void)
{
	fputs("usage: verbs_writers [-s BYTES] [-d DEPTH] [-n MESSAGES] [-g US] [-l LEVEL] SINK WRITER...\n",
	      stderr);
	exit(1);
}

static void parse(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "s:d:n:g:l:")) != -1) {
		switch (opt) {
		case 's':
			size = strtoul(optarg, NULL, 0);
			break;
		case 'd':
			depth = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			messages = optarg;
			break;
		case 'g':
			gap = strtoll(optarg, NULL, 0) * 1000;
			break;
		case 'l':
			level = strtoul(optarg, NULL, 0);
			break;
		default:
			usage();
		}
	}
	if (argc - optind < 2 || !size || !depth)
		usage();
	count = argc - optind - 1;
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	writers = calloc(count, sizeof(*writers));
	if (!writers)
		die("verbs_writers", "memory");
	open_all(argv + optind);
	run();
	compare();
	return 0;
}
