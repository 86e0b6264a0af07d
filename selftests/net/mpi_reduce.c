// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives of MPI that switches may reduce: each element of each result is compared with
 * what plain C computes. It knows nothing of Weft.
 *
 * usage: mpi_reduce [COUNT]...
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int world, wrong;

/* Small, so that sums are exact in each type. */
static int value(int of, int i)
{
	return (i * 7 + of * 13) % 17;
}

static void bad(const char *what, int i, double got, double want)
{
	if (wrong++ < 10)
		fprintf(stderr, "%d: %s: element %d is %g, expected %g\n", world, what, i, got,
			want);
}

static void *get(size_t bytes)
{
	void *p = malloc(bytes + 1);

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return p;
}

/* All-reduce, reduce and reduce-scatter of a type, by an operation that is @expr of a and b. */
#define DEFINE_REDUCTIONS(name, ctype, mtype, mop, expr)			\
static void name(MPI_Comm comm, int n, int in_place)				\
{										\
	int rank, size, i, r;							\
	ctype *send, *recv, *want;						\
										\
	MPI_Comm_rank(comm, &rank);						\
	MPI_Comm_size(comm, &size);						\
	send = get(sizeof(*send) * (size_t)n * (size_t)size);			\
	recv = get(sizeof(*recv) * (size_t)n * (size_t)size);			\
	want = get(sizeof(*want) * (size_t)n * (size_t)size);			\
	for (i = 0; i < n * size; i++) {					\
		send[i] = (ctype)value(rank, i);				\
		want[i] = (ctype)value(0, i);					\
		for (r = 1; r < size; r++) {					\
			const ctype a = want[i], b = (ctype)value(r, i);	\
										\
			want[i] = (ctype)(expr);				\
		}								\
	}									\
	memcpy(recv, send, sizeof(*recv) * (size_t)n);				\
	MPI_Allreduce(in_place ? MPI_IN_PLACE : send, recv, n, mtype, mop, comm); \
	for (i = 0; i < n; i++)							\
		if (recv[i] != want[i])						\
			bad(#name ", all-reduce", i, (double)recv[i],		\
			    (double)want[i]);					\
	memcpy(recv, send, sizeof(*recv) * (size_t)n);				\
	r = size - 1;								\
	MPI_Reduce(in_place && rank == r ? MPI_IN_PLACE : send, recv, n, mtype,	\
		   mop, r, comm);						\
	for (i = 0; i < n && rank == r; i++)					\
		if (recv[i] != want[i])						\
			bad(#name ", reduce", i, (double)recv[i], (double)want[i]); \
	memcpy(recv, send, sizeof(*recv) * (size_t)n * (size_t)size);		\
	MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : send, recv, n, mtype, \
				 mop, comm);					\
	for (i = 0; i < n; i++)							\
		if (recv[i] != want[rank * n + i])				\
			bad(#name ", reduce-scatter", i, (double)recv[i],	\
			    (double)want[rank * n + i]);			\
	free(send);								\
	free(recv);								\
	free(want);								\
}

DEFINE_REDUCTIONS(int_sum, int, MPI_INT, MPI_SUM, a + b)
DEFINE_REDUCTIONS(int_min, int, MPI_INT, MPI_MIN, a < b ? a : b)
DEFINE_REDUCTIONS(double_sum, double, MPI_DOUBLE, MPI_SUM, a + b)
DEFINE_REDUCTIONS(float_max, float, MPI_FLOAT, MPI_MAX, a > b ? a : b)
DEFINE_REDUCTIONS(float_sum, float, MPI_FLOAT, MPI_SUM, a + b)
DEFINE_REDUCTIONS(long_bxor, long, MPI_LONG, MPI_BXOR, a ^ b)
DEFINE_REDUCTIONS(short_sum, short, MPI_SHORT, MPI_SUM, a + b)
DEFINE_REDUCTIONS(u8_bor, uint8_t, MPI_UINT8_T, MPI_BOR, a | b)
DEFINE_REDUCTIONS(unsigned_land, unsigned int, MPI_UNSIGNED, MPI_LAND, a && b)
/* Switches know no product. */
DEFINE_REDUCTIONS(u64_prod, uint64_t, MPI_UINT64_T, MPI_PROD, a * b)

static void reductions(MPI_Comm comm, int n, int in_place)
{
	int_sum(comm, n, in_place);
	int_min(comm, n, in_place);
	double_sum(comm, n, in_place);
	float_max(comm, n, in_place);
	float_sum(comm, n, in_place);
	long_bxor(comm, n, in_place);
	short_sum(comm, n, in_place);
	u8_bor(comm, n, in_place);
	unsigned_land(comm, n, in_place);
	u64_prod(comm, n, in_place);
}

/* Every second int: the holes stay as they are. Ranks may call the same ints by other types. */
static void broadcast(MPI_Comm comm, int n, int root)
{
	int rank, i, *buf = get(2 * sizeof(*buf) * (size_t)n);
	MPI_Datatype spread;

	MPI_Comm_rank(comm, &rank);
	MPI_Type_vector(n, 1, 2, MPI_INT, &spread);
	MPI_Type_commit(&spread);
	for (i = 0; i < 2 * n; i++)
		buf[i] = rank == root ? value(root, i) : -1;
	MPI_Bcast(buf, n, MPI_INT, root, comm);
	for (i = 0; i < n; i++)
		if (buf[i] != value(root, i))
			bad("broadcast", i, buf[i], value(root, i));
	for (i = 0; i < 2 * n; i++)
		buf[i] = rank == root ? value(root, rank % 2 ? i : i / 2) : -1;
	if (rank % 2)
		MPI_Bcast(buf, n, MPI_INT, root, comm);
	else
		MPI_Bcast(buf, 1, spread, root, comm);
	for (i = 0; i < n; i++) {
		int got = buf[rank % 2 ? i : 2 * i];

		if (got != value(root, i))
			bad("broadcast of types", i, got, value(root, i));
		if (!(rank % 2) && rank != root && i < n - 1 && buf[2 * i + 1] != -1)
			bad("a hole", i, buf[2 * i + 1], -1);
	}
	MPI_Type_free(&spread);
	free(buf);
}

static void gather(MPI_Comm comm, int n, int in_place)
{
	int rank, size, i, *send = get(sizeof(*send) * (size_t)n), *recv;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	recv = get(sizeof(*recv) * (size_t)n * (size_t)size);
	for (i = 0; i < n * size; i++)
		recv[i] = -1;
	for (i = 0; i < n; i++) {
		send[i] = value(rank, i);
		if (in_place)
			recv[rank * n + i] = send[i];
	}
	MPI_Allgather(in_place ? MPI_IN_PLACE : send, n, MPI_INT, recv, n, MPI_INT, comm);
	for (i = 0; i < n * size; i++)
		if (recv[i] != value(i / n, i % n))
			bad("all-gather", i, recv[i], value(i / n, i % n));
	free(send);
	free(recv);
}

static void second(void *in, void *result, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		if (((int *)in)[i] > ((int *)result)[i])
			((int *)result)[i] = ((int *)in)[i];
}

/* An operation of the user's own is MPI's business. */
static void own_operation(MPI_Comm comm)
{
	int rank, size, max;
	MPI_Op op;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Op_create(second, 1, &op);
	MPI_Allreduce(&rank, &max, 1, MPI_INT, op, comm);
	if (max != size - 1)
		bad("an operation of its own", 0, max, size - 1);
	MPI_Op_free(&op);
}

static void all(MPI_Comm comm, int n)
{
	int size;

	MPI_Comm_size(comm, &size);
	for (int in_place = 0; in_place < 2; in_place++) {
		reductions(comm, n, in_place);
		gather(comm, n, in_place);
	}
	for (int root = 0; root < size; root += size > 1 ? size - 1 : 1)
		broadcast(comm, n, root);
	own_operation(comm);
	MPI_Barrier(comm);
}

/* A message goes on while its sender waits in a barrier for the receiver. */
static void progress(MPI_Comm comm)
{
	const int n = 8 << 20;
	char *buf = get((size_t)n);
	int rank, size;
	MPI_Request r;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	memset(buf, rank, (size_t)n);
	if (!rank)
		MPI_Isend(buf, n, MPI_CHAR, size - 1, 1, comm, &r);
	else if (rank == size - 1)
		MPI_Recv(buf, n, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE);
	MPI_Barrier(comm);
	if (!rank)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (rank == size - 1 && (buf[0] || buf[n - 1]))
		bad("a message", 0, buf[0], 0);
	free(buf);
}

int main(int argc, char **argv)
{
	MPI_Comm half, same;
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 1; i < argc; i++)
		all(MPI_COMM_WORLD, atoi(argv[i]));
	progress(MPI_COMM_WORLD);
	/* Halves at the same time, and one that is freed. */
	MPI_Comm_split(MPI_COMM_WORLD, world % 2, -world, &half);
	all(half, 999);
	MPI_Comm_dup(MPI_COMM_WORLD, &same);
	all(same, 10);
	MPI_Comm_free(&same);
	all(MPI_COMM_SELF, 10);
	MPI_Reduce(world ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, 0,
		   MPI_COMM_WORLD);
	if (!world)
		printf("%d ranks: %d wrong\n", size, wrong);
	MPI_Finalize();
	return wrong != 0;
}
