// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A data-parallel training step whose compute is modelled: the backward pass of each
 * layer is a sleep, and its gradients are then averaged by an all-reduce.
 *
 * usage: train_step LAYERS MIB COMPUTE
 *
 * LAYERS layers with MIB MiB of gradients each, and COMPUTE us for the backward pass of
 * one. Two steps are done: "serial" waits for the gradients of each layer before the next
 * layer begins, "overlap" lets them travel meanwhile. Rank 0 prints what each took, and
 * how much of it was not compute; the exit code is 1 if a sum is wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SLICE	20	/* us between two looks of a rank that computes at its network */
#define LAYERS	64	/* at most */

static int layers, words, us;
static int *gradients[LAYERS];
static MPI_Request request[LAYERS];

/* The processor is busy for so long, or a GPU, while messages make progress. */
static void compute(int begun)
{
	int flag;

	for (int t = 0; t < us; t += SLICE) {
		usleep(us - t < SLICE ? us - t : SLICE);
		MPI_Testall(begun, request, &flag, MPI_STATUSES_IGNORE);
	}
}

/* Return: seconds that the step took here */
static double step(int overlap)
{
	double begin;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int i = 0; i < layers; i++) {
		compute(overlap ? i : 0);
		if (overlap)
			MPI_Iallreduce(MPI_IN_PLACE, gradients[i], words, MPI_INT,
				       MPI_SUM, MPI_COMM_WORLD, &request[i]);
		else
			MPI_Allreduce(MPI_IN_PLACE, gradients[i], words, MPI_INT,
				      MPI_SUM, MPI_COMM_WORLD);
	}
	if (overlap)
		MPI_Waitall(layers, request, MPI_STATUSES_IGNORE);
	return MPI_Wtime() - begin;
}

static void fill(int rank)
{
	for (int i = 0; i < layers; i++)
		for (int k = 0; k < words; k++)
			gradients[i][k] = rank + i + k;
}

static int wrong_sums(int ranks)
{
	int wrong = 0;

	for (int i = 0; i < layers; i++)
		for (int k = 0; k < words; k++)
			wrong += gradients[i][k] !=
				 ranks * (ranks - 1) / 2 + ranks * (i + k);
	return wrong;
}

static int number(const char *word, int max)
{
	int n = atoi(word);

	if (n >= 1 && n <= max)
		return n;
	fprintf(stderr, "train_step: \"%s\" is not a number from 1 to %d\n", word, max);
	exit(1);
}

int main(int argc, char **argv)
{
	static const char * const name[] = { "serial", "overlap" };
	int rank, ranks, wrong = 0, any;

	if (argc != 4) {
		fprintf(stderr, "usage: train_step LAYERS MIB COMPUTE\n");
		return 1;
	}
	layers = number(argv[1], LAYERS);
	words = number(argv[2], 64) * (1 << 20) / (int)sizeof(int);
	us = number(argv[3], 1000000);
	/* else Linux lets each sleep be 50 us longer */
	prctl(PR_SET_TIMERSLACK, 1);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < layers; i++) {
		gradients[i] = malloc((size_t)words * sizeof(int));
		if (!gradients[i])
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	/* connections are made */
	fill(rank);
	MPI_Allreduce(MPI_IN_PLACE, gradients[0], words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int overlap = 0; overlap < 2; overlap++) {
		double mine, all;

		fill(rank);
		mine = step(overlap);
		wrong += wrong_sums(ranks);
		MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (!rank)
			printf("%-8s %9.3f ms, compute %9.3f ms, exposed %9.3f ms\n",
			       name[overlap], all * 1e3, layers * us / 1e3,
			       all * 1e3 - layers * us / 1e3);
	}
	MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (wrong)
		fprintf(stderr, "rank %d: %d sums are wrong\n", rank, wrong);
	MPI_Finalize();
	return any != 0;
}
