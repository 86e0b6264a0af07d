// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ranks of a simulation, by MPI. Compiled once for each MPI.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/team.h"

static int ranks;

/* Of one exchange: a request for each rank in each direction. */
static MPI_Request *request;
static MPI_Status *status;

static int team_join(uint32_t *rank, uint32_t *size)
{
	int n;

	if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
		return -1;
	MPI_Comm_rank(MPI_COMM_WORLD, &n);
	*rank = (uint32_t)n;
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	*size = (uint32_t)ranks;
	request = calloc(2 * (size_t)ranks, sizeof(*request));
	status = calloc(2 * (size_t)ranks, sizeof(*status));
	return request && status ? 0 : -1;
}

static void team_gather(const void *mine, void *all, size_t bytes)
{
	MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
		      MPI_COMM_WORLD);
}

/* MPICH 4.0 compares MPI_UINT64_T as signed. */
static void team_greatest(uint64_t *number, size_t n)
{
	const size_t most = 1 << 20;

	for (; n > most; n -= most, number += most)
		MPI_Allreduce(MPI_IN_PLACE, number, (int)most, MPI_UINT64_T, MPI_MAX,
			      MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, number, (int)n, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

static void make_room(struct weft_team_box *box)
{
	void *more;

	if (box->bytes <= box->room)
		return;
	more = box->bytes > INT_MAX ? NULL : realloc(box->data, box->bytes);
	if (!more) {
		fputs("weft simulate: out of memory for what comes from other ranks\n",
		      stderr);
		MPI_Abort(MPI_COMM_WORLD, 1);
		abort();
	}
	box->data = more;
	box->room = box->bytes;
}

/* Tell each rank how many bytes it gets from this one. */
static void tell_bytes(const struct weft_team_box *out, struct weft_team_box *in)
{
	uint64_t to[WEFT_TEAM_MAX], from[WEFT_TEAM_MAX];

	for (int i = 0; i < ranks; i++)
		to[i] = out[i].bytes;
	MPI_Alltoall(to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++) {
		in[i].bytes = from[i];
		make_room(&in[i]);
	}
}

static void team_exchange(const struct weft_team_box *out, struct weft_team_box *in)
{
	int n = 0;

	tell_bytes(out, in);
	for (int i = 0; i < ranks; i++)
		if (in[i].bytes)
			MPI_Irecv(in[i].data, (int)in[i].bytes, MPI_BYTE, i, 0,
				  MPI_COMM_WORLD, &request[n++]);
	for (int i = 0; i < ranks; i++)
		if (out[i].bytes)
			MPI_Isend(out[i].data, (int)out[i].bytes, MPI_BYTE, i, 0,
				  MPI_COMM_WORLD, &request[n++]);
	MPI_Waitall(n, request, status);
}

static void team_leave(void)
{
	free(request);
	free(status);
	MPI_Finalize();
}

extern const struct weft_team_ops weft_team_of_mpi;
const struct weft_team_ops weft_team_of_mpi = {
	.version = WEFT_TEAM_VERSION,
	.join = team_join,
	.gather = team_gather,
	.greatest = team_greatest,
	.exchange = team_exchange,
	.leave = team_leave,
};
