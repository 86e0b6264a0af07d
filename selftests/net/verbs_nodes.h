/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests of verbs between two nodes share: one process has the devices of
 * both, and a queue pair on each. Around the registered memory of a node lie
 * bytes that nobody may change, and beyond those pages that nobody may touch.
 */
#ifndef VERBS_NODES_H
#define VERBS_NODES_H

#include "verbs_pair.h"

#define NODE_BYTES	(1024 * 1024 + 1004)	/* ends within a page */

struct node {
	struct ibv_context *ctx;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	union ibv_gid gid;
	char *buf;
	struct end end;
};

/* how queue pairs are connected */
struct manner {
	enum ibv_qp_type type;
	int rights;		/* IBV_ACCESS_* of the queue pairs */
	int timeout, retry_cnt, rnr_retry, min_rnr_timer;
	int reads, reads_taken;	/* outstanding ones of either side */
	enum ibv_mtu mtu;
};

extern struct node here, there;

/* what suits most */
#define MANNER	((struct manner){ IBV_QPT_RC, 0xf, 10, 7, 7, 12, 4, 4, \
				  IBV_MTU_1024 })

/* a node by its name: a network namespace in /run/netns; argv[1] and argv[2] are two */
bool open_node(struct node *n, const char *name);
bool open_nodes(char **argv);
/* what verbs_pair does from here on, it does with the device of @n */
void use(const struct node *n);
void connect_nodes(const struct manner *m);
void disconnect(void);

/* the next asynchronous event of a node, -1 for none */
int event_of(struct node *n);
/* memory of both nodes with bytes that depend on @seed; is it so now? */
void fill_nodes(uint32_t seed);
bool unchanged(const struct node *n, uint32_t seed);
/* are the bytes around the memory what they were? */
bool guarded(const struct node *n);

/*
 * Post a request from here to there: bytes @at in the memory here, @to in the
 * memory there. The one with a key takes an address.
 */
struct ibv_sge part(const struct node *n, uint32_t at, uint32_t len);
int request(enum ibv_wr_opcode op, uint64_t id, uint32_t at, uint32_t len,
	    uint32_t to);
int request_with(enum ibv_wr_opcode op, uint64_t id, struct ibv_sge sge,
		 uint64_t to, uint32_t rkey, int flags);
int receive_there(uint64_t id, struct ibv_sge sge);

#endif
