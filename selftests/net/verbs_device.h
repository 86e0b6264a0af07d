/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RDMA devices of several nodes in one process, for programs that end at the first
 * error. A node is a network namespace under /run/netns.
 */
#ifndef VERBS_DEVICE_H
#define VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct device - the first RDMA device of a node
 * @name: of the node
 * @ctx: the open device
 * @port: its port
 * @gid: of the link with InfiniBand, of the IPv4 address with RoCE
 * @pd: the only protection domain
 */
struct device {
	const char *name;
	struct ibv_context *ctx;
	struct ibv_port_attr port;
	union ibv_gid gid;
	struct ibv_pd *pd;
};

/**
 * struct path - what is the same in both directions of a connection
 * @psn: first packet sequence number
 * @sl: service level
 */
struct path {
	uint32_t psn;
	uint8_t sl;
};

#define NODE_NAME_BYTES	32

extern unsigned int node_count;	/* nodes that have a number */

void die(const char *where, const char *what) __attribute__((noreturn));
long long clock_ns(void);
unsigned int node_number(const char *name, unsigned int max);
const char *node_name(unsigned int i);
bool enter_node(const char *name);
void go_to_node(const char *name);
void device_open(struct device *d, const char *name);
struct ibv_qp *device_qp(const struct device *d, struct ibv_qp_init_attr *init, int access);
struct ibv_qp *datagram_qp(struct ibv_pd *pd, struct ibv_cq *cq, uint32_t sends);
void device_connect(const struct device *d, struct ibv_qp *qp, const struct device *to,
		    uint32_t qpn, const struct path *path);

#endif
