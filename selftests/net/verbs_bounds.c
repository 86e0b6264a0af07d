// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a process takes from others by its queues: memory, time and wake-ups; and what it
 * cannot guess. The clock is a real one.
 *
 * usage: verbs_bounds DEVICE GID_INDEX fill	fill a completion queue until it overruns
 *        verbs_bounds DEVICE GID_INDEX purge	destroy a queue pair beside a long queue
 *        verbs_bounds DEVICE GID_INDEX destroy	destroy a queue pair that still sends
 *        verbs_bounds DEVICE GID_INDEX end	be killed with such a queue pair
 *        verbs_bounds DEVICE GID_INDEX wake	wait while another process completes
 *        verbs_bounds DEVICE GID_INDEX keys	the lower 8 bits of the keys of regions
 *        verbs_bounds DEVICE GID_INDEX numbers	poll while queue pairs are destroyed
 *
 * Each prints its figure: bytes, microseconds, wake-ups, keys, or completions.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verbs_pair.h"

#define CHAIN		64	/* requests of one post */
#define LONG		(1 << 20)
#define WC_BYTES	64	/* struct ib_wc has at least as many */
#define WRITES		500
#define KEYS		32
#define NUMBERS		60000

static const char *name;

/* A queue pair in error: what is posted completes at once. */
static struct ibv_qp *in_error(struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .send_cq = cq, .recv_cq = cq,
		.cap = { CHAIN, 1, 1, 1, 0 },
	};
	struct end e = { .qp = ibv_create_qp(pd, &init) };

	WANT(e.qp && !to_init(&e) && !to(&e, IBV_QPS_ERR));
	return e.qp;
}

/* Post requests, up to CHAIN of them at once. */
static int post(struct ibv_qp *qp, int n)
{
	struct ibv_send_wr wr[CHAIN] = { 0 }, *bad;
	int i;

	for (i = 0; i < n; i++) {
		wr[i].wr_id = qp->qp_num;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	return ibv_post_send(qp, wr, &bad);
}

static int64_t drain(struct ibv_cq *cq)
{
	struct ibv_wc wc[CHAIN];
	int64_t total = 0;
	int n;

	while ((n = ibv_poll_cq(cq, CHAIN, wc)) > 0)
		total += n;
	return total;
}

/* Nothing is read from this queue. How many bytes are there when it gives up? */
static void fill(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, dev.max_cqe, NULL, NULL, 0);
	struct ibv_qp *qp = in_error(cq);
	int64_t posted = 0, kept;

	WANT(!mlockall(MCL_CURRENT));
	while (posted < dev.max_cqe && !post(qp, CHAIN))
		posted += CHAIN;
	kept = drain(cq);
	WANT(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq));
	printf("%lld\n", (long long)kept * WC_BYTES);
}

/* Until its parent ends: the longest time that a sleep of a millisecond took longer. */
static void probe(atomic_llong *late)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	int64_t begin, more;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		begin = now();
		nanosleep(&ms, NULL);
		more = now() - begin - ms.tv_nsec;
		if (more > *late)
			*late = more;
	}
}

/* One completion of CHAIN goes; what follows it in its page moves by one place. */
static void purge(void)
{
	atomic_llong *late = mmap(NULL, sizeof(*late), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ibv_cq *cq = ibv_create_cq(ctx, LONG, NULL, NULL, 0);
	struct ibv_qp *qp = in_error(cq), *other = in_error(cq);
	pid_t pid;
	int i;

	WANT(late != MAP_FAILED);
	for (i = 0; i < LONG; i += CHAIN)
		WANT(!post(qp, 1) && !post(other, CHAIN - 1));
	pid = fork();
	if (!pid)
		probe(late);
	WANT(pid > 0 && !mlockall(MCL_CURRENT));
	usleep(10000);
	*late = 0;
	WANT(!ibv_destroy_qp(qp));
	usleep(10000);
	kill(pid, SIGKILL);
	WANT(waitpid(pid, NULL, 0) == pid);
	WANT(drain(cq) == LONG - LONG / CHAIN);
	printf("%lld\n", (long long)*late / 1000);
}

/* A message that is on its way for seconds, as the fabric's time is slow. */
static struct end sending(void)
{
	static struct end a, b;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	WANT(!remote(&a, IBV_WR_RDMA_WRITE, 0, 0, HALF, HALF));
	return a;
}

static void destroy(void)
{
	struct end e = sending();
	int64_t begin = now();

	WANT(!ibv_destroy_qp(e.qp));
	printf("%lld\n", (long long)(now() - begin) / 1000);
}

/*
 * A child opens the device anew: what its parent opened is the parent's. It stops until
 * its parent knows of it, as files may take long to read.
 */
static pid_t child(void (*run)(void))
{
	pid_t pid = fork();

	WANT(pid >= 0);
	if (pid) {
		WANT(waitpid(pid, NULL, WUNTRACED) == pid && !kill(pid, SIGCONT));
		return pid;
	}
	ctx = NULL;
	WANT(open_device(name, gid_index));
	WANT(open_memory(aligned_alloc(4096, BYTES), BYTES));
	raise(SIGSTOP);
	run();
	_exit(0);
}

static void end(void)
{
	pid_t pid = child(destroy);
	int64_t begin;

	usleep(200000);
	begin = now();
	WANT(!waitpid(pid, NULL, WNOHANG));
	WANT(!kill(pid, SIGKILL) && waitpid(pid, NULL, 0) == pid);
	printf("%lld\n", (long long)(now() - begin) / 1000);
}

static void complete(void)
{
	struct end a, b;
	int i;

	connect_both(&a, &b, IBV_QPT_RC, 1);
	for (i = 0; i < WRITES; i++) {
		WANT(!remote(&a, IBV_WR_RDMA_WRITE, i, 0, 64, HALF));
		WANT(next(a.scq).status == IBV_WC_SUCCESS);
	}
}

static long waits(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_nvcsw;
}

/*
 * Processes that follow each other never share an entry of the module's table: see
 * hash_32() of Linux, and polls_of() in kernel/rdma/pd.c.
 */
static void wake(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 1, NULL, NULL, 0);
	struct ibv_wc wc;
	long before;
	pid_t pid = child(complete);

	WANT(pid > getpid() && pid < getpid() + 10);
	before = waits();
	while (!waitpid(pid, NULL, WNOHANG))
		WANT(!ibv_poll_cq(cq, 1, &wc));
	printf("%ld\n", waits() - before);
}

static void keys(void)
{
	int i;

	for (i = 0; i < KEYS; i++) {
		mr = ibv_reg_mr(pd, buf, 64, IBV_ACCESS_LOCAL_WRITE);
		WANT(mr);
		printf("%u:%u ", mr->rkey >> 8, mr->rkey & 0xff);
	}
	puts("");
}

static atomic_bool over;

static void *destroyer(void *arg)
{
	struct ibv_qp *qp;
	int i;

	for (i = 0; i < NUMBERS; i++) {
		qp = in_error(arg);
		WANT(!post(qp, 4) && !ibv_destroy_qp(qp));
	}
	over = true;
	return NULL;
}

/* The number in a completion is that of its queue pair, which may be gone meanwhile. */
static void numbers(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, CHAIN, NULL, NULL, 0);
	long seen = 0;
	struct ibv_wc wc;
	pthread_t thread;

	WANT(!pthread_create(&thread, NULL, destroyer, cq));
	while (!over) {
		if (!ibv_poll_cq(cq, 1, &wc))
			continue;
		WANT(wc.qp_num == wc.wr_id);
		seen++;
	}
	pthread_join(thread, NULL);
	printf("%ld\n", seen);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "fill", fill }, { "purge", purge }, { "destroy", destroy },
		{ "end", end }, { "wake", wake }, { "keys", keys },
		{ "numbers", numbers },
	};
	unsigned int i;

	if (argc != 4 || !open_loop(argv))
		return 1;
	name = argv[1];
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (!strcmp(argv[3], tests[i].name)) {
			tests[i].run();
			return 0;
		}
	return 1;
}
