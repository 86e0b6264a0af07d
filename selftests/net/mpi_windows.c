// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows of MPI: each rank puts its number plus one into its neighbour's memory.
 *
 * usage: mpi_windows create|allocate|shared
 *
 * A shared window has the ranks of a node, the others all ranks. The exit code is 1
 * where a wrong number was found; what MPI does not do ends the program.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int memory;	/* of a window that is made of it */

/* Make a window of one int in each rank of @comm. */
static MPI_Win make(const char *how, MPI_Comm comm, int **at)
{
	MPI_Win win;

	*at = &memory;
	if (!strcmp(how, "create"))
		MPI_Win_create(&memory, sizeof(int), sizeof(int), MPI_INFO_NULL,
			       comm, &win);
	else if (!strcmp(how, "allocate"))
		MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm,
				 at, &win);
	else
		MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL,
					comm, at, &win);
	return win;
}

int main(int argc, char **argv)
{
	int rank, ranks, value, wrong, *at;
	MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Win win;

	if (argc != 2)
		return 2;
	MPI_Init(&argc, &argv);
	if (!strcmp(argv[1], "shared"))
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
				    MPI_INFO_NULL, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	win = make(argv[1], comm, &at);
	value = rank + 1;
	MPI_Win_fence(0, win);
	MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	wrong = *at != (rank + ranks - 1) % ranks + 1;
	if (wrong)
		printf("rank %d of %d: %d\n", rank, ranks, *at);
	MPI_Win_free(&win);
	MPI_Finalize();
	return wrong;
}
