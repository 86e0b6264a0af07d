// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client of libsharp_coll that calls as tl/sharp of UCC and the CollNet plugin do: each element
 * of each result is compared with what plain C computes. MPI is its out-of-band network.
 *
 * usage: sharp_calls check | time BYTES [REPETITIONS] | groups N | wait
 *
 * check: all types, operations and collectives, blocking and not, several at a time, by several
 * threads. time: how long an all-reduce takes, in ns. groups: how many of N groups of all
 * processes there may be. wait: all-reduces until one fails; the reason is on stderr.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sharp/api/sharp_coll.h"

#define THREADS	3

static int rank, size, wrong;
static struct sharp_coll_context *context;

static int oob_bcast(void *ctx, void *buffer, int len, int root)
{
	return MPI_Bcast(buffer, len, MPI_BYTE, root, *(MPI_Comm *)ctx);
}

static int oob_barrier(void *ctx)
{
	return MPI_Barrier(*(MPI_Comm *)ctx);
}

static int oob_gather(void *ctx, int root, void *sbuf, void *rbuf, int len)
{
	return MPI_Gather(sbuf, len, MPI_BYTE, rbuf, len, MPI_BYTE, root, *(MPI_Comm *)ctx);
}

static void must(const char *what, int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "%d: %s: %s\n", rank, what, sharp_coll_strerror(ret));
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static void begin(void)
{
	struct sharp_coll_init_spec spec = { 0 };
	MPI_Comm world = MPI_COMM_WORLD;

	spec.world_rank = rank;
	spec.world_size = size;
	spec.enable_thread_support = 1;
	spec.oob_colls.barrier = oob_barrier;
	spec.oob_colls.bcast = oob_bcast;
	spec.oob_colls.gather = oob_gather;
	spec.oob_ctx = &world;
	spec.config = sharp_coll_default_config;
	spec.config.user_progress_num_polls = 9;
	spec.config.ib_dev_list = "mlx5_0:1";
	spec.job_id = 4711;
	must("sharp_coll_init", sharp_coll_init(&spec, &context));
}

static int make_group(MPI_Comm *over, struct sharp_coll_comm **comm)
{
	struct sharp_coll_comm_init_spec spec = { 0 };

	MPI_Comm_rank(*over, &spec.rank);
	MPI_Comm_size(*over, &spec.size);
	spec.oob_ctx = over;
	return sharp_coll_comm_init(context, &spec, comm);
}

/* The value of an element: small, so that sums of all are exact in each type. */
static int value(int of, size_t i)
{
	return (int)((i * 7 + (size_t)of * 13) % 19);
}

static const struct kind {
	enum sharp_datatype type;
	size_t bytes;
	const char *name;
} kinds[] = {
	{ SHARP_DTYPE_UNSIGNED, 4, "unsigned" }, { SHARP_DTYPE_INT, 4, "int" },
	{ SHARP_DTYPE_UNSIGNED_LONG, 8, "unsigned long" }, { SHARP_DTYPE_LONG, 8, "long" },
	{ SHARP_DTYPE_FLOAT, 4, "float" }, { SHARP_DTYPE_DOUBLE, 8, "double" },
	{ SHARP_DTYPE_UNSIGNED_SHORT, 2, "unsigned short" }, { SHARP_DTYPE_SHORT, 2, "short" },
	{ SHARP_DTYPE_FLOAT_SHORT, 2, "fp16" }, { SHARP_DTYPE_BFLOAT16, 2, "bf16" },
	{ SHARP_DTYPE_UINT8, 1, "uint8" }, { SHARP_DTYPE_INT8, 1, "int8" },
};

static int is_float(enum sharp_datatype type)
{
	return type == SHARP_DTYPE_FLOAT || type == SHARP_DTYPE_DOUBLE ||
	       type == SHARP_DTYPE_FLOAT_SHORT || type == SHARP_DTYPE_BFLOAT16;
}

/* Whole numbers below 2048 in half precision. */
static uint16_t half(int v)
{
	int e = 15, m;

	if (!v)
		return 0;
	while (v >> (e - 15) > 1)
		e++;
	m = (v << 10 >> (e - 15)) & 1023;
	return (uint16_t)(e << 10 | m);
}

static uint16_t brain(int v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static void put(const struct kind *k, void *at, size_t i, int v)
{
	const uint16_t h = k->type == SHARP_DTYPE_FLOAT_SHORT ? half(v) : brain(v);
	const uint64_t whole = (uint64_t)v;
	const double d = v;
	const float f = (float)v;

	switch (k->type) {
	case SHARP_DTYPE_FLOAT:
		memcpy((char *)at + 4 * i, &f, 4);
		break;
	case SHARP_DTYPE_DOUBLE:
		memcpy((char *)at + 8 * i, &d, 8);
		break;
	case SHARP_DTYPE_FLOAT_SHORT:
	case SHARP_DTYPE_BFLOAT16:
		memcpy((char *)at + 2 * i, &h, 2);
		break;
	default:
		memcpy((char *)at + k->bytes * i, &whole, k->bytes);
	}
}

static int apply(enum sharp_reduce_op op, int a, int b)
{
	switch (op) {
	case SHARP_OP_SUM:
		return a + b;
	case SHARP_OP_MIN:
		return a < b ? a : b;
	case SHARP_OP_MAX:
		return a > b ? a : b;
	case SHARP_OP_LAND:
		return a && b;
	case SHARP_OP_LOR:
		return a || b;
	case SHARP_OP_LXOR:
		return !a != !b;
	case SHARP_OP_BAND:
		return a & b;
	case SHARP_OP_BOR:
		return a | b;
	default:
		return a ^ b;
	}
}

static int result(enum sharp_reduce_op op, int n, size_t i)
{
	int v = value(0, i);

	for (int r = 1; r < n; r++)
		v = apply(op, v, value(r, i));
	return v;
}

/* The sums of bytes and of brain floats stay in their range. */
static void fill(const struct kind *k, void *buf, int of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(k, buf, i, value(of, i));
}

static void compare(const char *what, const struct kind *k, const void *got, const void *want,
		    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!memcmp((const char *)got + k->bytes * i,
			    (const char *)want + k->bytes * i, k->bytes))
			continue;
		fprintf(stderr, "%d: %s, %s: element %zu of %zu is wrong\n", rank, what,
			k->name, i, n);
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
		return;
	}
}

static struct sharp_coll_data_desc buffer(void *ptr, size_t bytes, void *mr)
{
	struct sharp_coll_data_desc d = { 0 };

	d.type = SHARP_DATA_BUFFER;
	d.mem_type = SHARP_MEM_TYPE_HOST;
	d.buffer.ptr = ptr;
	d.buffer.length = bytes;
	d.buffer.mem_handle = mr;
	return d;
}

struct job {
	const struct kind *k;
	enum sharp_reduce_op op;
	size_t n;
	void *send, *recv, *want, *mr;
	void *handle;
};

static void job_new(struct job *j, const struct kind *k, enum sharp_reduce_op op, size_t n)
{
	*j = (struct job) { .k = k, .op = op, .n = n };
	j->send = malloc(k->bytes * n);
	j->recv = calloc(k->bytes, n);
	j->want = malloc(k->bytes * n);
	fill(k, j->send, rank, n);
	for (size_t i = 0; i < n; i++)
		put(k, j->want, i, result(op, size, i));
	must("sharp_coll_reg_mr", sharp_coll_reg_mr(context, j->recv, k->bytes * n, &j->mr));
}

static struct sharp_coll_reduce_spec job_spec(const struct job *j)
{
	struct sharp_coll_reduce_spec spec = { 0 };

	spec.sbuf_desc = buffer(j->send, j->k->bytes * j->n, NULL);
	spec.rbuf_desc = buffer(j->recv, j->k->bytes * j->n, j->mr);
	spec.dtype = j->k->type;
	spec.length = j->n;
	spec.op = j->op;
	spec.aggr_mode = SHARP_AGGREGATION_NONE;
	return spec;
}

static void job_check(struct job *j, const char *what)
{
	compare(what, j->k, j->recv, j->want, j->n);
	must("sharp_coll_dereg_mr", sharp_coll_dereg_mr(context, j->mr));
	free(j->send);
	free(j->recv);
	free(j->want);
}

static void all_kinds(struct sharp_coll_comm *comm)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (int op = SHARP_OP_MAX; op < SHARP_OP_MAXLOC; op++) {
			struct sharp_coll_reduce_spec spec;
			struct job j;
			int ret;

			job_new(&j, &kinds[k], op, op == SHARP_OP_SUM ? 12345 : 77);
			spec = job_spec(&j);
			ret = sharp_coll_do_allreduce(comm, &spec);
			if (op == SHARP_OP_PROD || (op > SHARP_OP_PROD &&
						    is_float(kinds[k].type))) {
				must("refused", ret == SHARP_COLL_ENOT_SUPP ? 0 : -1);
				memcpy(j.recv, j.want, j.k->bytes * j.n);
			} else {
				must("sharp_coll_do_allreduce", ret);
			}
			job_check(&j, "all-reduce");
		}
}

/* Many at a time, of several lengths, tested in another order than they end. */
static void not_blocking(struct sharp_coll_comm *comm)
{
	const size_t n[] = { 1, 100000, 3, 1, 20000, 7, 512, 1024 };
	struct job job[8];
	void *barrier;
	int left = 8;

	for (int i = 0; i < 8; i++) {
		struct sharp_coll_reduce_spec spec;

		job_new(&job[i], &kinds[i % 6], SHARP_OP_SUM, n[i]);
		spec = job_spec(&job[i]);
		must("sharp_coll_do_allreduce_nb",
		     sharp_coll_do_allreduce_nb(comm, &spec, &job[i].handle));
	}
	must("sharp_coll_do_barrier_nb", sharp_coll_do_barrier_nb(comm, &barrier));
	while (left) {
		sharp_coll_progress(context);
		for (int i = 7; i >= 0; i--) {
			if (!job[i].handle || !sharp_coll_req_test(job[i].handle))
				continue;
			must("sharp_coll_req_free", sharp_coll_req_free(job[i].handle));
			job[i].handle = NULL;
			job_check(&job[i], "all-reduce, not blocking");
			left--;
		}
	}
	must("sharp_coll_req_wait", sharp_coll_req_wait(barrier));
}

static void in_place(struct sharp_coll_comm *comm)
{
	struct sharp_coll_reduce_spec spec;
	struct job j;

	job_new(&j, &kinds[1], SHARP_OP_SUM, 5000);
	memcpy(j.recv, j.send, j.k->bytes * j.n);
	spec = job_spec(&j);
	spec.sbuf_desc = spec.rbuf_desc;
	must("in place", sharp_coll_do_allreduce(comm, &spec));
	job_check(&j, "in place");
}

static void other_collectives(struct sharp_coll_comm *comm, int root)
{
	const struct kind *k = &kinds[1];
	const size_t n = 3001;
	struct sharp_coll_bcast_spec bcast = { 0 };
	struct sharp_coll_gather_spec gather = { 0 };
	struct sharp_coll_reduce_spec spec;
	int *all = malloc((size_t)size * n * sizeof(*all)), *want;
	struct job j;

	want = malloc((size_t)size * n * sizeof(*want));
	job_new(&j, k, SHARP_OP_MAX, n);
	spec = job_spec(&j);
	spec.root = root;
	must("sharp_coll_do_reduce", sharp_coll_do_reduce(comm, &spec));
	if (rank != root)
		memcpy(j.recv, j.want, k->bytes * n);
	job_check(&j, "reduce");

	fill(k, all, rank, n);
	fill(k, want, root, n);
	bcast.root = root;
	bcast.buf_desc = buffer(all, n * k->bytes, NULL);
	bcast.size = n * k->bytes;
	must("sharp_coll_do_bcast", sharp_coll_do_bcast(comm, &bcast));
	compare("broadcast", k, all, want, n);

	for (int r = 0; r < size; r++)
		fill(k, want + (size_t)r * n, r, n);
	job_new(&j, k, SHARP_OP_SUM, n);
	memset(all, 0xff, (size_t)size * n * sizeof(*all));
	gather.sbuf_desc = buffer(j.send, n * k->bytes, NULL);
	gather.rbuf_desc = buffer(all, (size_t)size * n * k->bytes, NULL);
	gather.dtype = k->type;
	gather.size = n;
	must("sharp_coll_do_allgather", sharp_coll_do_allgather(comm, &gather));
	compare("all-gather", k, all, want, (size_t)size * n);

	/* As if each had the whole vector of its own. */
	for (size_t i = 0; i < (size_t)size * n; i++) {
		put(k, all, i, value(rank, i));
		put(k, want, i, result(SHARP_OP_SUM, size, i));
	}
	spec = job_spec(&j);
	spec.sbuf_desc = buffer(all, (size_t)size * n * k->bytes, NULL);
	must("sharp_coll_do_reduce_scatter", sharp_coll_do_reduce_scatter(comm, &spec));
	compare("reduce-scatter", k, j.recv, want + (size_t)rank * n, n);

	/* A part of it: the second half of the first block, and what follows in the second. */
	memset(j.recv, 0, n * k->bytes);
	spec.offset = n / 2 * k->bytes;
	spec.sbuf_desc = buffer(all + n / 2, n * k->bytes, NULL);
	must("reduce-scatter of a part", sharp_coll_do_reduce_scatter(comm, &spec));
	if (!rank)
		compare("part, block 0", k, j.recv, want + n / 2, n - n / 2);
	if (rank == 1)
		compare("part, block 1", k, j.recv, want + n, n / 2);
	memcpy(j.recv, j.want, k->bytes * n);
	job_check(&j, "nothing");
	free(all);
	free(want);
}

static void *thread(void *arg)
{
	struct sharp_coll_comm *comm = arg;

	for (int i = 0; i < 5; i++) {
		struct sharp_coll_reduce_spec spec;
		struct job j;

		job_new(&j, &kinds[i], SHARP_OP_SUM, 9000 + (size_t)i);
		spec = job_spec(&j);
		must("in a thread", sharp_coll_do_allreduce(comm, &spec));
		job_check(&j, "in a thread");
	}
	return NULL;
}

/* Each has a group of its own. */
static void several_threads(void)
{
	struct sharp_coll_comm *comm[THREADS];
	MPI_Comm over = MPI_COMM_WORLD;
	pthread_t id[THREADS];

	for (int i = 0; i < THREADS; i++)
		must("sharp_coll_comm_init", make_group(&over, &comm[i]));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, thread, comm[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < THREADS; i++)
		must("sharp_coll_comm_destroy", sharp_coll_comm_destroy(comm[i]));
}

static int check(void)
{
	MPI_Comm over = MPI_COMM_WORLD;
	struct sharp_coll_comm *comm;
	struct sharp_coll_caps caps;

	must("sharp_coll_caps_query", sharp_coll_caps_query(context, &caps));
	must("capabilities", caps.support_mask.dtypes >> SHARP_DTYPE_BFLOAT16 & 1 &&
	     caps.support_mask.reduce_ops >> SHARP_OP_SUM & 1 &&
	     !(caps.support_mask.reduce_ops >> SHARP_OP_PROD & 1) ? 0 : -1);
	must("sharp_coll_comm_init", make_group(&over, &comm));
	must("sharp_coll_do_barrier", sharp_coll_do_barrier(comm));
	all_kinds(comm);
	not_blocking(comm);
	in_place(comm);
	other_collectives(comm, 0);
	other_collectives(comm, size - 1);
	several_threads();
	must("sharp_coll_comm_destroy", sharp_coll_comm_destroy(comm));
	return wrong;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* All begin at once: at a time that they agree upon. */
static void start_together(uint64_t ahead)
{
	uint64_t at = now() + ahead;
	struct timespec t;

	MPI_Bcast(&at, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	t.tv_sec = (time_t)(at / 1000000000);
	t.tv_nsec = (long)(at % 1000000000);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int measure(size_t bytes, int times)
{
	MPI_Comm over = MPI_COMM_WORLD;
	struct sharp_coll_comm *comm;
	struct job j;

	must("sharp_coll_comm_init", make_group(&over, &comm));
	job_new(&j, &kinds[1], SHARP_OP_SUM, bytes / 4);
	for (int i = 0; i < times; i++) {
		struct sharp_coll_reduce_spec spec = job_spec(&j);
		uint64_t took, longest;

		start_together(1000000);
		took = now();
		must("sharp_coll_do_allreduce", sharp_coll_do_allreduce(comm, &spec));
		took = now() - took;
		MPI_Reduce(&took, &longest, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
		if (!rank)
			printf("%zu %llu\n", bytes, (unsigned long long)longest);
	}
	job_check(&j, "measured");
	must("sharp_coll_comm_destroy", sharp_coll_comm_destroy(comm));
	return wrong;
}

static int count_groups(int n)
{
	struct sharp_coll_comm **comm = calloc((size_t)n, sizeof(*comm));
	MPI_Comm over = MPI_COMM_WORLD;
	int made = 0, ret = 0;

	while (made < n) {
		ret = make_group(&over, &comm[made]);
		if (ret)
			break;
		made++;
	}
	for (int i = 0; i < made; i++)
		must("sharp_coll_do_barrier", sharp_coll_do_barrier(comm[i]));
	if (!rank)
		printf("%d %s\n", made, sharp_coll_strerror(ret));
	/* What is given back may be used again. */
	for (int i = 0; i < made; i++)
		must("sharp_coll_comm_destroy", sharp_coll_comm_destroy(comm[i]));
	MPI_Barrier(MPI_COMM_WORLD);
	if (made)
		must("sharp_coll_comm_init", make_group(&over, &comm[0]));
	return 0;
}

static int until_it_fails(void)
{
	MPI_Comm over = MPI_COMM_WORLD;
	struct sharp_coll_comm *comm;
	int32_t a = 1, sum = 0;
	struct sharp_coll_reduce_spec spec = { 0 };
	int ret;

	must("sharp_coll_comm_init", make_group(&over, &comm));
	spec.sbuf_desc = buffer(&a, sizeof(a), NULL);
	spec.rbuf_desc = buffer(&sum, sizeof(sum), NULL);
	spec.dtype = SHARP_DTYPE_INT;
	spec.length = 1;
	spec.op = SHARP_OP_SUM;
	do
		ret = sharp_coll_do_allreduce(comm, &spec);
	while (!ret && sum == size);
	printf("%d: %s\n", rank, sharp_coll_strerror(ret));
	sharp_coll_comm_destroy(comm);
	return 0;
}

static int run(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "check"))
		return check();
	if (argc > 2 && !strcmp(argv[1], "time"))
		return measure((size_t)atol(argv[2]), argc > 3 ? atoi(argv[3]) : 1);
	if (argc > 2 && !strcmp(argv[1], "groups"))
		return count_groups(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "wait"))
		return until_it_fails();
	fprintf(stderr, "usage: sharp_calls check | time BYTES [REPETITIONS] | groups N | wait\n");
	return 2;
}

int main(int argc, char **argv)
{
	int ret;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	begin();
	ret = run(argc, argv);
	must("sharp_coll_finalize", sharp_coll_finalize(context));
	MPI_Finalize();
	return ret ? 1 : 0;
}
