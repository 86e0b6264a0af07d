/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests of verbs share: a device, and queue pairs on it. A test that finds
 * something wrong says what, and is over.
 */
#ifndef VERBS_PAIR_H
#define VERBS_PAIR_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define BYTES		65536
#define HALF		(BYTES / 2)
#define DEPTH		16	/* requests of a queue */
#define QKEY		0x1234

#define RTR_MASK	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |	\
			 IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |		\
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK	(IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | \
			 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |		\
			 IBV_QP_MAX_QP_RD_ATOMIC)

#define WANT(cond)	want(cond, #cond, __LINE__)

struct test {
	const char *name;
	void (*run)(void);
};

struct end {
	struct ibv_cq *scq;
	struct ibv_cq *rcq;
	struct ibv_qp *qp;
};

/* the device, and BYTES of registered memory */
extern struct ibv_context *ctx;
extern struct ibv_device_attr dev;
extern struct ibv_port_attr port;
extern struct ibv_pd *pd;
extern struct ibv_mr *mr;
extern union ibv_gid gid;
extern int gid_index;
extern char *buf;
/* which completion queues are made with; none at first */
extern struct ibv_comp_channel *channel;

void want(bool good, const char *what, int line);
/* the device of this name (or the first, for none), and the memory @bytes */
bool open_device(const char *name, int index);
bool open_memory(char *bytes, size_t n);
/* argv[1] names the device, argv[2] is the index of its GID */
bool open_loop(char **argv);
/* run one of @n tests, or list them, as the arguments say; argv[3] is its number */
int run_test(int argc, char **argv, bool (*open)(char **argv),
	     const struct test *tests, unsigned int n);

/* nanoseconds of the fabric */
int64_t now(void);
/* the next completion, or a status that there is not; is there none for a while? */
struct ibv_wc next(struct ibv_cq *cq);
bool quiet(struct ibv_cq *cq);
/* the next asynchronous event, -1 if there is none for a while */
int event(void);

/* queue pairs and their states; these return 0 or an errno */
bool make(struct end *e, enum ibv_qp_type type, struct ibv_srq *srq,
	  int sig_all);
void unmake(struct end *e);
struct ibv_ah_attr address(void);
struct ibv_qp_attr rtr_attr(uint32_t dqpn);
struct ibv_qp_attr rts_attr(void);
int to(struct end *e, enum ibv_qp_state state);
int to_init(struct end *e);
int to_rtr(struct end *e, uint32_t dqpn);
int to_rts(struct end *e);
enum ibv_qp_state state(struct end *e);
void connect_both(struct end *a, struct end *b, enum ibv_qp_type type,
		  int sig_all);

/* requests for parts of the memory, from byte @at on */
struct ibv_sge piece(uint32_t at, uint32_t len);
int recv_one(struct end *e, uint64_t id, uint32_t at, uint32_t len);
int send_one(struct end *e, uint64_t id, int flags, struct ibv_sge sge);
int remote(struct end *e, enum ibv_wr_opcode op, uint64_t id, uint32_t at,
	   uint32_t len, uint32_t rat);

#endif
