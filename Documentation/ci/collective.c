// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stand-in for the collective of a project: a hundred all-reduces, each checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define WORDS	4096
#define ROUNDS	100
#define COMPUTE	200	/* us from one to the next */

int main(int argc, char **argv)
{
	static int in[WORDS], out[WORDS];
	int rank, ranks, wrong = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WORDS; i++)
			in[i] = rank + round + i;
		MPI_Allreduce(in, out, WORDS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 0; i < WORDS; i++)
			wrong += out[i] != ranks * (ranks - 1) / 2 +
					   ranks * (round + i);
		usleep(COMPUTE);
	}
	if (wrong)
		fprintf(stderr, "rank %d: %d sums are wrong\n", rank, wrong);
	MPI_Finalize();
	return wrong != 0;
}
