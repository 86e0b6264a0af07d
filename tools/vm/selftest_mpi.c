// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times MPI_Allreduce for growing sizes; the first rank prints the times.
 *
 * usage: selftest_mpi MAX_BYTES
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong(const float *v, size_t n, float want)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] != want)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int rank, size, bad = 0;
	size_t max, s, i;
	float *in, *out;
	double t;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	max = argc > 1 ? strtoul(argv[1], NULL, 0) : 1 << 20;
	in = malloc(max);
	out = malloc(max);
	if (!in || !out)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (i = 0; i < max / sizeof(float); i++)
		in[i] = rank + 1;
	for (s = 4096; s <= max; s *= 4) {
		MPI_Barrier(MPI_COMM_WORLD);
		t = MPI_Wtime();
		MPI_Allreduce(in, out, s / sizeof(float), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		t = MPI_Wtime() - t;
		bad |= wrong(out, s / sizeof(float), size * (size + 1) / 2);
		if (!rank)
			printf("%10zu bytes %12.3f us\n", s, t * 1e6);
	}
	MPI_Finalize();
	return bad;
}
