// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "verbs_device.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#define NODES_ALL	128

void die(const char *where, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", where, what, strerror(errno));
	exit(1);
}

long long clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static char node_names[NODES_ALL][NODE_NAME_BYTES];
unsigned int node_count;

/* The number of a node: names are numbered as they come, @max of them at most. */
unsigned int node_number(const char *name, unsigned int max)
{
	unsigned int i;

	for (i = 0; i < node_count; i++)
		if (!strcmp(node_names[i], name))
			return i;
	if (node_count == max || node_count == NODES_ALL)
		die(name, "too many nodes");
	snprintf(node_names[node_count], NODE_NAME_BYTES, "%s", name);
	return node_count++;
}

const char *node_name(unsigned int i)
{
	return node_names[i];
}

/* Go to a node, with a /sys that shows its devices. */
bool enter_node(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET) || unshare(CLONE_NEWNS))
		return false;
	close(fd);
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		return false;
	umount2("/sys", MNT_DETACH);
	return !mount("sysfs", "/sys", "sysfs", 0, NULL);
}

static bool is_roce(const struct device *d)
{
	return d->port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* The same, or the program ends. */
void go_to_node(const char *name)
{
	if (!enter_node(name))
		die(name, "no such node");
}

/* Go to the node and open its device. */
void device_open(struct device *d, const char *name)
{
	struct ibv_device **list;

	d->name = name;
	go_to_node(name);
	list = ibv_get_device_list(NULL);
	d->ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;
	if (!d->ctx || ibv_query_port(d->ctx, 1, &d->port))
		die(name, "no RDMA device");
	if (ibv_query_gid(d->ctx, 1, is_roce(d), &d->gid))
		die(name, "no GID");
	d->pd = ibv_alloc_pd(d->ctx);
	if (!d->pd)
		die(name, "no protection domain");
	ibv_free_device_list(list);
}

/* Return: a queue pair in INIT. */
struct ibv_qp *device_qp(const struct device *d, struct ibv_qp_init_attr *init, int access)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access,
	};
	struct ibv_qp *qp = ibv_create_qp(d->pd, init);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_ACCESS_FLAGS))
		die(d->name, "no queue pair");
	return qp;
}

/* Return: a queue pair for datagrams, of Q_Key 1, in RTS; NULL on error. */
struct ibv_qp *datagram_qp(struct ibv_pd *pd, struct ibv_cq *cq, uint32_t sends)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = sends, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1 };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				 IBV_QP_PORT | IBV_QP_QKEY))
		return NULL;
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		return NULL;
	attr.qp_state = IBV_QPS_RTS;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) ? NULL : qp;
}

/* Bring a queue pair of the node that the process is in from INIT to RTS. */
void device_connect(const struct device *d, struct ibv_qp *qp, const struct device *to,
		    uint32_t qpn, const struct path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = d->port.active_mtu,
		.dest_qp_num = qpn,
		.rq_psn = path->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {
			.dlid = to->port.lid, .sl = path->sl, .port_num = 1,
			.is_global = is_roce(d),
			.grh = { .dgid = to->gid, .sgid_index = is_roce(d),
				 .hop_limit = 64 },
		},
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die(d->name, "ready to receive");
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = path->psn;
	attr.timeout = 16;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		die(d->name, "ready to send");
}
