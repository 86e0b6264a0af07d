// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects of verbs by the thousand, and without memory.
 *
 * usage: verbs_churn DEVICE GID_INDEX hold N	N of each kind at a time, go again
 *        verbs_churn DEVICE GID_INDEX fail	each allocation in the kernel fails
 *						in turn, in a life of all kinds
 *
 * hold makes and destroys all, does so again, and stops before that, when all are
 * there, and when all are gone: it prints a line, and waits for one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs_pair.h"

struct objects {
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_ah *ah;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
};

/* Their order is that of their birth: each needs those before it. */
static bool birth(struct objects *o)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_ah_attr ah = address();
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 },
	};

	*o = (struct objects){ .pd = ibv_alloc_pd(ctx) };
	if (!o->pd)
		return false;
	o->mr = ibv_reg_mr(o->pd, buf, 64, IBV_ACCESS_LOCAL_WRITE);
	o->ah = ibv_create_ah(o->pd, &ah);
	o->cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	o->srq = ibv_create_srq(o->pd, &srq);
	if (!o->mr || !o->ah || !o->cq || !o->srq)
		return false;
	init.send_cq = o->cq;
	init.recv_cq = o->cq;
	init.srq = o->srq;
	o->qp = ibv_create_qp(o->pd, &init);
	return o->qp;
}

/* Whatever there is goes, and nothing of it refuses to. */
static void death(struct objects *o)
{
	WANT(!o->qp || !ibv_destroy_qp(o->qp));
	WANT(!o->srq || !ibv_destroy_srq(o->srq));
	WANT(!o->cq || !ibv_destroy_cq(o->cq));
	WANT(!o->ah || !ibv_destroy_ah(o->ah));
	WANT(!o->mr || !ibv_dereg_mr(o->mr));
	WANT(!o->pd || !ibv_dealloc_pd(o->pd));
}

static void stop(const char *where)
{
	char line[16];

	puts(where);
	fflush(stdout);
	WANT(fgets(line, sizeof(line), stdin));
}

static void birth_all(struct objects *all, int n)
{
	int i;

	for (i = 0; i < n; i++)
		WANT(birth(&all[i]));
}

static void death_all(struct objects *all, int n)
{
	int i;

	for (i = 0; i < n; i++)
		death(&all[i]);
}

/* What the first time leaves for the next is not the second's. */
static void hold(int n)
{
	struct objects *all = calloc(n, sizeof(*all));

	WANT(all);
	birth_all(all, n);
	death_all(all, n);
	stop("ready");
	birth_all(all, n);
	stop("held");
	death_all(all, n);
	stop("gone");
	free(all);
}

/*
 * The @n-th allocation from here on fails; 0: none. Return: did one? Opening the
 * file needs memory, too.
 */
static bool fail_nth(int n)
{
	static int fd = -1;
	char text[16] = "";
	bool failed;

	if (fd < 0)
		fd = open("/proc/thread-self/fail-nth", O_RDWR);
	WANT(fd >= 0 && pread(fd, text, sizeof(text) - 1, 0) > 0);
	failed = atoi(text) == 0;
	snprintf(text, sizeof(text), "%d", n);
	WANT(pwrite(fd, text, strlen(text), 0) > 0);
	return failed;
}

/* Send something both ways; whatever comes of it. */
static void use_pair(struct end *a, struct end *b)
{
	struct ibv_wc wc;
	int i;

	recv_one(b, 1, HALF, HALF);
	send_one(a, 1, IBV_SEND_SIGNALED, piece(0, HALF));
	remote(a, IBV_WR_RDMA_READ, 2, 0, 8192, HALF);
	remote(b, IBV_WR_RDMA_WRITE, 3, 0, 8192, HALF);
	for (i = 0; i < 8; i++) {
		ibv_poll_cq(a->scq, 1, &wc);
		ibv_poll_cq(b->scq, 1, &wc);
		ibv_poll_cq(b->rcq, 1, &wc);
	}
}

static bool make_some(struct end *e)
{
	*e = (struct end){ };
	e->scq = ibv_create_cq(ctx, 256, NULL, NULL, 0);
	e->rcq = ibv_create_cq(ctx, 256, NULL, NULL, 0);
	if (e->scq && e->rcq) {
		struct ibv_qp_init_attr init = {
			.qp_type = IBV_QPT_RC, .send_cq = e->scq,
			.recv_cq = e->rcq, .cap = { 4, 4, 2, 2, 64 },
		};

		e->qp = ibv_create_qp(pd, &init);
	}
	return e->qp;
}

static void unmake_some(struct end *e)
{
	WANT(!e->qp || !ibv_destroy_qp(e->qp));
	WANT(!e->scq || !ibv_destroy_cq(e->scq));
	WANT(!e->rcq || !ibv_destroy_cq(e->rcq));
}

/* A life of all kinds of objects. Return: did all of it succeed? */
static bool life(bool *failed)
{
	struct end a, b;
	struct objects o;
	bool good;

	good = birth(&o);
	good &= make_some(&a);
	good &= make_some(&b);
	good = good && !to_init(&a) && !to_init(&b) &&
	       !to_rtr(&a, b.qp->qp_num) && !to_rtr(&b, a.qp->qp_num) &&
	       !to_rts(&a) && !to_rts(&b);
	if (good) {
		use_pair(&a, &b);
		good = !ibv_resize_cq(a.scq, 1000);
	}
	*failed = fail_nth(0);
	unmake_some(&a);
	unmake_some(&b);
	death(&o);
	return good;
}

/* Until a life has no allocation left that could fail. */
static void fail(void)
{
	bool failed = true;
	int n, bad = 0;

	WANT(life(&failed));
	for (n = 1; failed; n++) {
		fail_nth(n);
		bad += !life(&failed);
	}
	printf("%d allocations, %d of them needed\n", n - 1, bad);
	WANT(bad > 20);		/* there are as many kinds of objects and queues */
}

int main(int argc, char **argv)
{
	if (argc < 4 || !open_loop(argv)) {
		printf("cannot use %s\n", argc > 1 ? argv[1] : "nothing");
		return 1;
	}
	if (!strcmp(argv[3], "fail"))
		fail();
	else if (argc == 5 && !strcmp(argv[3], "hold"))
		hold(atoi(argv[4]));
	else
		return 1;
	return 0;
}
