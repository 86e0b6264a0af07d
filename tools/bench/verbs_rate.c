// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA writes between two devices of one machine, by two processes: bandwidth and
 * latency.
 *
 * usage: verbs_rate --from IPV4 --to IPV4 [--from-ns NS] [--to-ns NS]
 *                   [--len BYTES] [--windows N]
 *        verbs_rate --len BYTES [--windows N]
 *
 * The RDMA connection manager creates both ends at the given addresses, so RoCE and iWARP
 * devices are used in the same way.
 *
 * With --len it measures bandwidth: the sender keeps DEPTH writes in flight and sleeps
 * until a completion event, as polling would take CPU time from the software device.
 * Without --len it measures latency: the ends write 8 bytes to each other in turn and poll
 * their memory, as ib_write_lat does, but yield the CPU between polls. Without addresses
 * it measures memcpy() from one buffer to another, which is the limit of the machine.
 *
 * It prints one line: MB/s (10^6 bytes) or microseconds one way of the best window and of
 * the median window, and nanoseconds of CPU of the whole machine per KB or per message.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEPTH		16
#define PORT		"7471"
#define WINDOW_NS	100000000ULL
#define WINDOWS_MAX	64
#define PING_LEN	(2 * sizeof(uint64_t))	/* word to write, word received */
#define SIGNALLED	8	/* every so many pings, one is signalled */

/* Memory of one end, sent to the other end in the connection request or reply. */
struct place {
	uint64_t addr;
	uint32_t rkey;
	uint32_t unused;
};

struct rate {
	const char *from;
	const char *to;
	const char *from_ns;
	const char *to_ns;
	unsigned long len;	/* 0: latency */
	unsigned long windows;
	double found[WINDOWS_MAX];
	double cpu_ns;		/* CPU time in all windows */
	double units;		/* KB or messages in all windows */
};

struct end {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	char *buf;
	char *copy;		/* destination of memcpy(), without addresses */
	uint64_t turn;
	struct place far;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Time for which the machine's CPUs were busy, ns. */
static double busy_ns(void)
{
	unsigned long long user, nice, sys, idle, wait, irq, soft;
	FILE *f = fopen("/proc/stat", "r");

	if (!f || fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu", &user,
			 &nice, &sys, &idle, &wait, &irq, &soft) != 7)
		errx(1, "/proc/stat: not as expected");
	fclose(f);
	return (user + nice + sys + irq + soft) * 1e9 / sysconf(_SC_CLK_TCK);
}

static void enter(const char *netns)
{
	char path[256];
	int ns;

	if (!netns)
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (ns < 0 || setns(ns, CLONE_NEWNET))
		err(1, "%s", path);
	close(ns);
}

static struct rdma_cm_id *endpoint(const struct rate *r, int passive)
{
	struct rdma_addrinfo hints = {
		.ai_flags = passive ? RAI_PASSIVE : 0,
		.ai_port_space = RDMA_PS_TCP,
	};
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct rdma_addrinfo *info, *src;
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(r->to, PORT, &hints, &info))
		err(1, "%s", r->to);
	if (!passive) {
		/* bind to the source's device, as both may be in one namespace */
		hints.ai_flags = RAI_PASSIVE;
		if (rdma_getaddrinfo(r->from, NULL, &hints, &src))
			err(1, "%s", r->from);
		info->ai_src_addr = src->ai_src_addr;
		info->ai_src_len = src->ai_src_len;
	}
	if (rdma_create_ep(&id, info, NULL, &attr))
		err(1, "no device at %s", passive ? r->to : r->from);
	return id;
}

static char *memory(size_t len)
{
	void *buf;

	errno = posix_memalign(&buf, 4096, len);
	if (errno)
		err(1, NULL);
	return memset(buf, 0, len);
}

static void prepare(struct end *e, const struct rate *r)
{
	size_t len = r->len ? r->len : PING_LEN;

	e->buf = memory(len);
	e->mr = rdma_reg_write(e->id, e->buf, len);
	if (!e->mr)
		err(1, "rdma_reg_write");
}

/* Wait for one completion in a queue. */
static void complete(struct ibv_cq *cq, struct ibv_comp_channel *channel)
{
	struct ibv_wc wc;
	void *context;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc))) {
		if (ibv_req_notify_cq(cq, 0))
			err(1, "ibv_req_notify_cq");
		n = ibv_poll_cq(cq, 1, &wc);
		if (n)
			break;
		if (ibv_get_cq_event(channel, &cq, &context))
			err(1, "ibv_get_cq_event");
		ibv_ack_cq_events(cq, 1);
	}
	if (n < 0 || wc.status)
		errx(1, "completion: %s", ibv_wc_status_str(wc.status));
}

static void push(struct end *e, const struct rate *r)
{
	if (rdma_post_write(e->id, NULL, e->buf, r->len, e->mr,
			    IBV_SEND_SIGNALED, e->far.addr, e->far.rkey))
		err(1, "rdma_post_write");
}

/* Write the number of the turn to the memory that the far end polls. */
static void ping(struct end *e)
{
	int signalled = e->turn % SIGNALLED == 0;
	uint64_t *words = (uint64_t *)e->buf;
	struct ibv_wc wc;
	int n = 0;

	words[0] = e->turn;
	if (rdma_post_write(e->id, NULL, words, sizeof(*words), e->mr,
			    signalled ? IBV_SEND_SIGNALED : 0,
			    e->far.addr + sizeof(*words), e->far.rkey))
		err(1, "rdma_post_write");
	while (signalled && !(n = ibv_poll_cq(e->id->send_cq, 1, &wc)))
		sched_yield();
	if (n < 0 || (n && wc.status))
		errx(1, "a write failed");
}

static void await(struct end *e)
{
	const uint64_t *words = (uint64_t *)e->buf;

	while (__atomic_load_n(&words[1], __ATOMIC_ACQUIRE) != e->turn)
		sched_yield();
}

/* Send one more message and wait for one, so the number in flight does not change. */
static void step(struct end *e, const struct rate *r)
{
	if (!r->to) {
		memcpy(e->copy, e->buf, r->len);
		/* keep the compiler from dropping the copy */
		__asm__ volatile("" : : "r"(e->copy) : "memory");
		return;
	}
	if (r->len) {
		push(e, r);
		complete(e->id->send_cq, e->id->send_cq_channel);
		return;
	}
	e->turn++;
	ping(e);
	await(e);
}

static void window(struct end *e, struct rate *r, double *found)
{
	uint64_t begin = now_ns(), end;
	double n = 0, cpu = busy_ns();

	do {
		step(e, r);
		n++;
		end = now_ns();
	} while (end - begin < WINDOW_NS);
	r->cpu_ns += busy_ns() - cpu;
	r->units += r->len ? n * r->len / 1e3 : 2 * n;
	*found = r->len ? n * r->len * 1e3 / (end - begin) :
			  (end - begin) / (2e3 * n);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(struct rate *r)
{
	int digits = r->len ? 1 : 3;

	qsort(r->found, r->windows, sizeof(r->found[0]), by_size);
	printf("%.*f %s best, %.*f median, %.0f ns CPU per %s\n",
	       digits, r->found[r->len ? r->windows - 1 : 0], r->len ? "MB/s" : "us",
	       digits, r->found[r->windows / 2], r->cpu_ns / r->units,
	       r->len ? "KB" : "message");
}

static void measure(struct end *e, struct rate *r)
{
	unsigned long i;

	for (i = 0; i < r->windows; i++)
		window(e, r, &r->found[i]);
	report(r);
}

static void copies(struct rate *r)
{
	struct end e = { .buf = memory(r->len), .copy = memory(r->len) };

	measure(&e, r);
}

/* Send this end's memory in the private data of the connection. */
static void tell(const struct end *e, struct rdma_conn_param *param,
		 struct place *here)
{
	*here = (struct place){ .addr = (uintptr_t)e->buf,
				.rkey = e->mr->rkey };
	param->private_data = here;
	param->private_data_len = sizeof(*here);
}

static void learn(struct end *e)
{
	memcpy(&e->far, e->id->event->param.conn.private_data, sizeof(e->far));
}

static void client(struct rate *r)
{
	struct rdma_conn_param param = { .responder_resources = 1,
					 .initiator_depth = 1,
					 .retry_count = 7,
					 .rnr_retry_count = 7 };
	struct end e = { };
	struct place here;
	int depth;

	e.id = endpoint(r, 0);
	prepare(&e, r);
	tell(&e, &param, &here);
	if (rdma_connect(e.id, &param))
		err(1, "rdma_connect");
	learn(&e);
	for (depth = 1; r->len && depth < DEPTH; depth++)
		push(&e, r);
	measure(&e, r);
}

/* Answer pings, if there are any, until the client ends this process. */
static void answer(struct end *e, const struct rate *r)
{
	if (r->len)
		pause();
	for (;;) {
		e->turn++;
		await(e);
		ping(e);
	}
}

static void server(const struct rate *r, int ready)
{
	struct rdma_conn_param param = { .responder_resources = 1,
					 .initiator_depth = 1,
					 .rnr_retry_count = 7 };
	struct rdma_cm_id *listener = endpoint(r, 1);
	struct end e = { };
	struct place here;

	if (rdma_listen(listener, 1) || write(ready, "", 1) != 1)
		err(1, "rdma_listen");
	if (rdma_get_request(listener, &e.id))
		err(1, "rdma_get_request");
	prepare(&e, r);
	learn(&e);
	tell(&e, &param, &here);
	if (rdma_accept(e.id, &param))
		err(1, "rdma_accept");
	answer(&e, r);
}

static pid_t start_server(const struct rate *r)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		enter(r->to_ns);
		server(r, ready[1]);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		errx(1, "no server");
	return pid;
}

static void parse(struct rate *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "from-ns", required_argument, NULL, 'F' },
		{ "to-ns", required_argument, NULL, 'T' },
		{ "len", required_argument, NULL, 'l' },
		{ "windows", required_argument, NULL, 'w' },
		{ },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			r->from = optarg;
			break;
		case 't':
			r->to = optarg;
			break;
		case 'F':
			r->from_ns = optarg;
			break;
		case 'T':
			r->to_ns = optarg;
			break;
		case 'l':
			r->len = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			r->windows = strtoul(optarg, NULL, 0);
			break;
		default:
			exit(1);
		}
	}
	if (!r->from != !r->to || (!r->to && !r->len) || !r->windows ||
	    r->windows > WINDOWS_MAX)
		errx(1, "usage: see the source");
}

int main(int argc, char **argv)
{
	struct rate r = { .windows = 15 };
	pid_t pid;

	parse(&r, argc, argv);
	if (!r.to) {
		copies(&r);
		return 0;
	}
	pid = start_server(&r);
	enter(r.from_ns);
	client(&r);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
