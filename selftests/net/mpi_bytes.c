// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives of MPI, again and again, with each byte of each result checked, and
 * what NICs send for them.
 *
 * usage: mpi_bytes BYTES TIMES allreduce|allgather|alltoall|bcast...
 *
 * BYTES is what a rank contributes to the all-reduce and the all-gather, sends to each rank
 * in the all-to-all, and what rank 0 broadcasts; a multiple of 4. For each collective and
 * each rank a line has its name, the rank, and the bytes that eth0, eth1, ... of the
 * rank's node sent in TIMES repetitions. One more, before, makes the connections.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NICS_MAX	4

/**
 * struct run - what is done
 * @rank: this rank
 * @ranks: how many there are
 * @n: elements of a block
 * @in: own contribution, a block for each rank
 * @out: result, as much
 */
struct run {
	int rank;
	int ranks;
	int n;
	uint32_t *in;
	uint32_t *out;
};

/* What rank @from contributes to element @i of the block for @to. */
static uint32_t element(int from, int to, int i)
{
	return (uint32_t)(i * 2654435761u) ^ (uint32_t)(from * 251 + to * 7);
}

static int allreduce(struct run *r)
{
	int wrong = 0;

	for (int i = 0; i < r->n; i++)
		r->in[i] = element(r->rank, 0, i);
	MPI_Allreduce(r->in, r->out, r->n, MPI_UINT32_T, MPI_SUM,
		      MPI_COMM_WORLD);
	for (int i = 0; i < r->n; i++) {
		uint32_t sum = 0;

		for (int from = 0; from < r->ranks; from++)
			sum += element(from, 0, i);
		wrong += r->out[i] != sum;
	}
	return wrong;
}

static int alltoall(struct run *r)
{
	int wrong = 0;

	for (int to = 0; to < r->ranks; to++)
		for (int i = 0; i < r->n; i++)
			r->in[to * r->n + i] = element(r->rank, to, i);
	MPI_Alltoall(r->in, r->n, MPI_UINT32_T, r->out, r->n, MPI_UINT32_T,
		     MPI_COMM_WORLD);
	for (int from = 0; from < r->ranks; from++)
		for (int i = 0; i < r->n; i++)
			wrong += r->out[from * r->n + i] !=
				 element(from, r->rank, i);
	return wrong;
}

static int allgather(struct run *r)
{
	int wrong = 0;

	for (int i = 0; i < r->n; i++)
		r->in[i] = element(r->rank, 1, i);
	MPI_Allgather(r->in, r->n, MPI_UINT32_T, r->out, r->n, MPI_UINT32_T, MPI_COMM_WORLD);
	for (int from = 0; from < r->ranks; from++)
		for (int i = 0; i < r->n; i++)
			wrong += r->out[from * r->n + i] != element(from, 1, i);
	return wrong;
}

static int bcast(struct run *r)
{
	int wrong = 0;

	for (int i = 0; i < r->n; i++)
		r->out[i] = r->rank ? 0 : element(0, 0, i);
	MPI_Bcast(r->out, r->n, MPI_UINT32_T, 0, MPI_COMM_WORLD);
	for (int i = 0; i < r->n; i++)
		wrong += r->out[i] != element(0, 0, i);
	return wrong;
}

/* Bytes that the NICs of this node have sent; -1 for those that are not there. */
static void read_sent(long long sent[NICS_MAX])
{
	char path[64];
	FILE *f;

	for (int i = 0; i < NICS_MAX; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/net/eth%d/statistics/tx_bytes", i);
		f = fopen(path, "r");
		if (!f || fscanf(f, "%lld", &sent[i]) != 1)
			sent[i] = -1;
		if (f)
			fclose(f);
	}
}

static void print_sent(const struct run *r, const char *name,
		       const long long sent[NICS_MAX])
{
	long long all[r->ranks][NICS_MAX];

	MPI_Gather(sent, NICS_MAX, MPI_LONG_LONG, all, NICS_MAX, MPI_LONG_LONG,
		   0, MPI_COMM_WORLD);
	for (int rank = 0; !r->rank && rank < r->ranks; rank++) {
		printf("%s %d", name, rank);
		for (int i = 0; i < NICS_MAX && all[rank][i] >= 0; i++)
			printf(" %lld", all[rank][i]);
		putchar('\n');
	}
}

static int measure(struct run *r, const char *name, int (*fn)(struct run *r),
		   int times)
{
	long long before[NICS_MAX], after[NICS_MAX];
	int wrong = fn(r);

	MPI_Barrier(MPI_COMM_WORLD);
	read_sent(before);
	while (times--)
		wrong += fn(r);
	MPI_Barrier(MPI_COMM_WORLD);
	read_sent(after);
	for (int i = 0; i < NICS_MAX; i++)
		after[i] -= after[i] < 0 ? 0 : before[i];
	print_sent(r, name, after);
	return wrong;
}

static int (*find(const char *name))(struct run *r)
{
	if (!strcmp(name, "allreduce"))
		return allreduce;
	if (!strcmp(name, "allgather"))
		return allgather;
	if (!strcmp(name, "alltoall"))
		return alltoall;
	return strcmp(name, "bcast") ? NULL : bcast;
}

/* Return: elements that were wrong at this rank, -1 for a mistake in @name. */
static int all(struct run *r, int times, char **name)
{
	int (*fn)(struct run *r);
	int wrong = 0;

	for (; *name; name++) {
		fn = find(*name);
		if (!fn)
			return -1;
		wrong += measure(r, *name, fn, times);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	int mine = -1, most = 0;
	struct run r = { 0 };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
	if (argc > 3)
		r.n = atoi(argv[1]) / 4;
	r.in = calloc((size_t)r.ranks * (size_t)r.n + 1, sizeof(*r.in));
	r.out = calloc((size_t)r.ranks * (size_t)r.n + 1, sizeof(*r.out));
	if (r.n > 0 && r.in && r.out)
		mine = all(&r, atoi(argv[2]), argv + 3);
	if (mine)
		fprintf(stderr, mine < 0 ?
			"usage: mpi_bytes BYTES TIMES allreduce|allgather|alltoall|bcast...\n" :
			"rank %d: %d elements are wrong\n", r.rank, mine);
	MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
	MPI_Finalize();
	free(r.in);
	free(r.out);
	return most != 0;
}
