// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many connections at a time: each two nodes of some have so many. All send at
 * one instant, both ways, to places of their own; what arrives is compared with
 * what was sent. Then every other connection goes, and the rest sends again.
 *
 * usage: verbs_many CONNECTIONS NODE...
 *
 * A node is a network namespace under /run/netns, of which the first RDMA device
 * is taken. Prints the number of queue pairs and of messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_nodes.h"

#define NODES	32
#define SIZE	5000	/* of a message: five packets, the last one of 904 bytes */
#define PLACES	(NODE_BYTES / 2 / SIZE)

/* One end of a connection, and its place in the memory of its node. */
struct side {
	struct node *node;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint32_t place;
};

struct connection {
	struct side side[2];
};

static struct node nodes[NODES];
static struct ibv_cq *cqs[NODES];
static uint32_t places[NODES];
static struct connection *connections;
static int count, total, messages;

/* The bytes of a message: none is like another's, nor like those before it. */
static void pattern(char *to, const struct side *from, int round)
{
	uint32_t x = (from->node - nodes) * 65536 + from->place * 2 + round + 1;
	int i;

	for (i = 0; i < SIZE; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		to[i] = x >> 11;
	}
}

static void make_side(struct side *s, int n)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.send_cq = cqs[n],
		.recv_cq = cqs[n],
		.cap = { 2, 2, 1, 1, 0 },
	};

	use(&nodes[n]);
	*s = (struct side){
		.node = &nodes[n],
		.cq = cqs[n],
		.qp = ibv_create_qp(pd, &init),
		.place = places[n]++,
	};
	WANT(s->qp && s->place < PLACES);
}

static void connect_side(struct side *s, const struct side *to)
{
	struct ibv_qp_attr rtr = rtr_attr(to->qp->qp_num);
	struct ibv_qp_attr rts = rts_attr();
	struct end end = { .qp = s->qp };

	use(to->node);
	rtr.ah_attr = address();
	use(s->node);
	WANT(!to_init(&end) && !ibv_modify_qp(s->qp, &rtr, RTR_MASK) &&
	     !ibv_modify_qp(s->qp, &rts, RTS_MASK));
}

static void connect_pair(struct connection *c, int a, int b)
{
	make_side(&c->side[0], a);
	make_side(&c->side[1], b);
	connect_side(&c->side[0], &c->side[1]);
	connect_side(&c->side[1], &c->side[0]);
}

static struct ibv_sge message(const struct side *s, bool received)
{
	return part(s->node, (2 * s->place + received) * SIZE, SIZE);
}

static char *bytes(const struct side *s, bool received)
{
	return (char *)(uintptr_t)message(s, received).addr;
}

static void send_side(struct side *s, int round)
{
	struct ibv_sge sge = message(s, true);
	struct ibv_recv_wr *bad_recv, recv = { .sg_list = &sge, .num_sge = 1 };

	memset(bytes(s, true), 0, SIZE);
	pattern(bytes(s, false), s, round);
	WANT(!ibv_post_recv(s->qp, &recv, &bad_recv));
}

static void post_side(struct side *s)
{
	struct ibv_sge sge = message(s, false);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};

	WANT(!ibv_post_send(s->qp, &wr, &bad));
	messages++;
}

/* Two completions for each side: it has sent, and received. */
static void collect(int n, uint32_t sides)
{
	struct ibv_wc wc;
	uint32_t i;

	for (i = 0; i < 2 * sides; i++) {
		wc = next(cqs[n]);
		WANT(wc.status == IBV_WC_SUCCESS);
		WANT(wc.opcode != IBV_WC_RECV || wc.byte_len == SIZE);
	}
	WANT(ibv_poll_cq(cqs[n], 1, &wc) == 0);
}

static void compare(const struct connection *c, int round)
{
	char want_bytes[SIZE];
	int i;

	for (i = 0; i < 2; i++) {
		pattern(want_bytes, &c->side[!i], round);
		WANT(!memcmp(want_bytes, bytes(&c->side[i], true), SIZE));
	}
}

/* All that are still there, which is each number @step. */
static void exchange(int round, int step)
{
	uint32_t sides[NODES] = { };
	struct side *s;
	int i, j;

	for (i = 0; i < total; i += step)
		for (j = 0; j < 2; j++) {
			s = &connections[i].side[j];
			send_side(s, round);
			sides[s->node - nodes]++;
		}
	for (i = 0; i < total; i += step)
		for (j = 0; j < 2; j++)
			post_side(&connections[i].side[j]);
	for (i = 0; i < count; i++)
		collect(i, sides[i]);
	for (i = 0; i < total; i += step)
		compare(&connections[i], round);
	for (i = 0; i < count; i++)
		WANT(guarded(&nodes[i]));
}

static void open_all(char **names)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!open_node(&nodes[i], names[i])) {
			printf("cannot use %s\n", names[i]);
			exit(1);
		}
		cqs[i] = ibv_create_cq(nodes[i].ctx, 4 * PLACES, NULL, NULL, 0);
		WANT(cqs[i]);
	}
}

static void connect_all(int each)
{
	int a, b, k;

	connections = calloc(count * count * each, sizeof(*connections));
	WANT(connections);
	for (a = 0; a < count; a++)
		for (b = a + 1; b < count; b++)
			for (k = 0; k < each; k++)
				connect_pair(&connections[total++], a, b);
}

int main(int argc, char **argv)
{
	int i;

	count = argc - 2;
	if (count < 2 || count > NODES)
		return 1;
	open_all(argv + 2);
	connect_all(atoi(argv[1]));
	exchange(0, 1);
	for (i = 1; i < total; i += 2)
		WANT(!ibv_destroy_qp(connections[i].side[0].qp) &&
		     !ibv_destroy_qp(connections[i].side[1].qp));
	exchange(1, 2);
	printf("%d queue pairs, %d messages\n", 2 * total, messages);
	return 0;
}
