// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzer of the kernel's interface to verbs: commands by write() and by ioctl(),
 * with handles of objects that are there or not, requests of all kinds, and one
 * in three with bytes that make no sense.
 *
 * usage: verbs_fuzz DEVICE NUMBER GID_INDEX COMMANDS [SEED]
 *
 * DEVICE is the name of the device, NUMBER that of /dev/infiniband/uverbsN. The
 * same seed makes the same commands. So many of them are made by a process
 * of its own, which may well damage its memory by its own requests; what counts
 * is that the kernel takes all of it, and that each process ends. Prints how many
 * commands of each kind succeeded, and fails if one never did: then the fuzzer
 * does not reach what it is meant for.
 */
#include "verbs_fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EACH		2000	/* commands of a process */
#define FEW		3	/* objects of a kind before others */
#define REPLY		16384
#define PATIENCE	1000	/* seconds for a process, most of which it sleeps */

static uint32_t *succeeded;	/* of each command; shared by all processes */
static char *reply;
static uint32_t driver;		/* which the device says it is */
static int fd;

static void born(enum kind k)
{
	const uint32_t *r = (const uint32_t *)reply;
	struct object *o;

	if (pools[k].num == POOL)
		return;
	o = &pools[k].all[pools[k].num++];
	o->handle = r[0];
	o->name = k == MR || k == QP ? r[1] : 0;
	o->state = IBV_QPS_RESET;
	o->type = ((const struct ib_uverbs_create_qp *)body.bytes)->qp_type;
}

static void dead(enum kind k, uint32_t h)
{
	uint32_t i;

	for (i = 0; i < pools[k].num; i++)
		if (pools[k].all[i].handle == h)
			pools[k].all[i] = pools[k].all[--pools[k].num];
}

static void stepped(void)
{
	const struct ib_uverbs_modify_qp *c = (void *)body.bytes;
	uint32_t i;

	for (i = 0; i < pools[QP].num; i++)
		if (pools[QP].all[i].handle == c->qp_handle &&
		    (c->attr_mask & IBV_QP_STATE))
			pools[QP].all[i].state = c->qp_state;
}

static void damage(void)
{
	uint32_t n = 1 + below(3);

	for (; n; n--) {
		switch (below(4)) {
		case 0:
			body.bytes[below(len)] ^= 1 << below(8);
			break;
		case 1:
			body.words[below((len + 3) / 4)] = number();
			break;
		case 2:
			len = below(len + 1);
			break;
		default:
			len += below(64);
			break;
		}
		if (!len)
			return;
	}
}

static bool by_write(uint32_t number, uint32_t out)
{
	static struct {
		struct ib_uverbs_cmd_hdr hdr;
		unsigned char bytes[sizeof(body)];
	} msg;
	size_t total = sizeof(msg.hdr) + len;

	msg.hdr.command = number;
	msg.hdr.in_words = total / 4;
	msg.hdr.out_words = out / 4;
	if (once_in(50))
		msg.hdr.in_words += below(3) - 1;
	if (once_in(50))
		msg.hdr.out_words = below(20);
	if (once_in(100))
		msg.hdr.command ^= 1u << below(32);
	memcpy(msg.bytes, body.bytes, len);
	return write(fd, &msg, total) == (ssize_t)total;
}

static struct ib_uverbs_attr attribute(uint16_t id, const void *p, uint16_t bytes)
{
	return (struct ib_uverbs_attr) {
		.attr_id = id, .len = bytes, .flags = UVERBS_ATTR_F_MANDATORY,
		.data = (uintptr_t)p,
	};
}

static struct {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[16];
} call;

static bool by_call(uint16_t object, uint16_t method, uint32_t n)
{
	call.hdr.object_id = object;
	call.hdr.method_id = method;
	call.hdr.num_attrs = n;
	call.hdr.length = sizeof(call.hdr) + n * sizeof(call.attr[0]);
	call.hdr.driver_id = once_in(100) ? number() : driver;
	if (once_in(100))
		call.hdr.length = number();
	return ioctl(fd, RDMA_VERBS_IOCTL, &call.hdr) == 0;
}

/* A command of write() within a call. */
static bool by_invoke(uint32_t number, uint32_t out)
{
	uint32_t n = 0;

	call.attr[n++] = attribute(UVERBS_ATTR_CORE_IN, body.bytes, len);
	if (len <= 8)		/* as it is, where it fits */
		memcpy(&call.attr[0].data, body.bytes, 8);
	if (out)
		call.attr[n++] = attribute(UVERBS_ATTR_CORE_OUT, reply, out);
	call.attr[n] = attribute(UVERBS_ATTR_WRITE_CMD, NULL, 8);
	call.attr[n++].data = number;
	return by_call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, n);
}

/*
 * Calls of all objects; a few of them happen to mean something. The one that asks
 * for a second context is left out: Linux refuses it, but keeps a reference to
 * the process for ever (uverbs_std_types_device.c frees the context without
 * rdma_restrack_put(); seen in 6.12).
 */
static void any_call(void)
{
	uint16_t object = mostly(17), method = mostly(8);
	uint32_t i, n = below(ARRAY_SIZE(call.attr));

	if (object == UVERBS_OBJECT_DEVICE && method == UVERBS_METHOD_GET_CONTEXT)
		return;
	for (i = 0; i < n; i++) {
		call.attr[i] = attribute(once_in(6) ? 0x1000 + below(3) : below(12),
					 NULL, 4u * below(20));
		call.attr[i].data = once_in(2) ? handle(below(KINDS)) :
			once_in(2) ? (uintptr_t)arena + below(4096) : number();
		call.attr[i].flags = once_in(8) ? rnd() : below(2);
	}
	by_call(object, method, n);
}

static const struct command *maker(enum kind k)
{
	const struct command *c = commands;

	while (c->born != (int)k + 1)
		c++;
	return c;
}

/* Any, but there should be a few objects of each kind before others make sense. */
static const struct command *choose(void)
{
	uint32_t i, sum = 0;

	for (i = 0; i < KINDS; i++)
		if (pools[i].num < FEW && !once_in(3))
			return maker(i);
	for (i = 0; i < num_commands; i++)
		sum += commands[i].weight;
	sum = below(sum);
	for (i = 0; sum >= commands[i].weight; i++)
		sum -= commands[i].weight;
	return &commands[i];
}

/* The address of the response, where the command has one. */
static void address_reply(const struct command *c)
{
	uint64_t to = (uintptr_t)reply;

	if (once_in(50))
		to = once_in(2) ? 8 : (uintptr_t)-4096;
	if (c->reply && len >= 8)
		memcpy(body.bytes, &to, 8);
}

static void one(void)
{
	const struct command *c = choose();
	bool sane = !once_in(3);
	uint32_t h;

	memset(&body, 0, sizeof(body));
	c->make();
	if (!sane)
		damage();
	address_reply(c);
	h = body.words[c->reply ? 2 : 0];
	if (!(once_in(2) ? by_write(c->number, c->reply) :
			   by_invoke(c->number, c->reply)))
		return;
	if (sane)
		__atomic_fetch_add(&succeeded[c - commands], 1, __ATOMIC_RELAXED);
	if (c->born)
		born(c->born - 1);
	if (c->dead)
		dead(c->dead - 1, h);
	if (c->number == IB_USER_VERBS_CMD_MODIFY_QP)
		stepped();
}

static void open_device(int device)
{
	struct ib_uverbs_get_context *c = (void *)body.bytes;
	char path[64];

	snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	c->response = (uintptr_t)reply;
	len = sizeof(*c);
	if (fd < 0 || !by_write(IB_USER_VERBS_CMD_GET_CONTEXT, 8)) {
		perror(path);
		exit(2);
	}
}

/* Which driver the device says it is, calls have to repeat. */
static void learn_driver(void)
{
	const struct command *c = maker(PD);
	int i;

	/* more than once, as some calls are not what they should be */
	for (i = 0; i < 10; i++) {
		driver = i % 2 ? RDMA_DRIVER_HFI1 : RDMA_DRIVER_QIB;
		c->make();
		address_reply(c);
		if (by_invoke(c->number, c->reply))
			return;
	}
	exit(2);
}

static void process(int device, uint64_t mine)
{
	struct timespec moment = { .tv_nsec = 1000 };
	int i;

	alarm(PATIENCE);
	seed = 0;
	open_device(device);
	learn_driver();
	seed = mine;
	for (i = 0; i < EACH; i++) {
		if (once_in(10))
			any_call();
		else
			one();
		if (once_in(20))
			nanosleep(&moment, NULL);
	}
	exit(0);
}

static bool read_line(const char *device, const char *what, char *line, int n)
{
	char path[256];
	FILE *f;
	bool good;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/%s", device,
		 what);
	f = fopen(path, "r");
	good = f && fgets(line, n, f);
	if (f)
		fclose(f);
	return good;
}

static bool learn_addresses(const char *device)
{
	char line[64], what[32];

	if (!read_line(device, "lid", line, sizeof(line)))
		return false;
	lid = strtoul(line, NULL, 0);
	snprintf(what, sizeof(what), "gids/%d", gid_index);
	if (!read_line(device, what, line, sizeof(line)))
		return false;
	line[strcspn(line, "\n")] = 0;
	return inet_pton(AF_INET6, line, gid) == 1;
}

static int summary(int killed)
{
	int bad = 0;
	size_t i;

	for (i = 0; i < num_commands; i++) {
		printf("%s %u\n", commands[i].name, succeeded[i]);
		bad += !succeeded[i];
	}
	printf("%d processes ended by themselves\n", killed);
	return bad;
}

static void *memory(size_t bytes, int how)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
	uint64_t base;
	int i, status, killed = 0;

	if (argc < 5)
		return 1;
	base = argc > 5 ? strtoull(argv[5], NULL, 0) : 1;
	gid_index = atoi(argv[3]);
	arena = memory(ARENA, MAP_PRIVATE);
	reply = memory(REPLY, MAP_PRIVATE);
	succeeded = memory(4096, MAP_SHARED);
	if (!learn_addresses(argv[1])) {
		printf("no addresses of %s\n", argv[1]);
		return 1;
	}
	printf("seed %llu\n", (unsigned long long)base);
	for (i = 0; i < atoi(argv[4]) / EACH; i++) {
		fflush(stdout);
		if (fork() == 0)
			process(atoi(argv[2]), base * 1000003 + i);
		if (wait(&status) < 0 || (WIFEXITED(status) && WEXITSTATUS(status)) ||
		    (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)) {
			printf("process %d: status %x\n", i, status);
			return 1;
		}
		killed += WIFSIGNALED(status);
	}
	return summary(killed) != 0;
}
