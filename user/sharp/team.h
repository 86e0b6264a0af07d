/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A communicator of MPI and the group in switches that stands for it.
 */
#ifndef WEFT_SHARP_TEAM_H
#define WEFT_SHARP_TEAM_H

#include <mpi.h>

#include "sharp/api/sharp_coll.h"

/**
 * struct place - where a process of a communicator is
 * @node: its node: number among the leaders
 * @local: its number within the node; 0: the leader
 */
struct place {
	int node;
	int local;
};

/**
 * struct team - a communicator
 * @next: next one of the process
 * @comm: the communicator
 * @local: its processes of this node; MPI_COMM_NULL if each node has one
 * @leaders: the first process of each node; MPI_COMM_NULL in others
 * @sharp: their group; NULL: not a leader, or there is no group
 * @works: there is a group
 * @spread: each node has one process
 * @rank: of this process
 * @size: its processes
 * @place: by rank
 */
struct team {
	struct team *next;
	MPI_Comm comm;
	MPI_Comm local;
	MPI_Comm leaders;
	struct sharp_coll_comm *sharp;
	int works;
	int spread;
	int rank;
	int size;
	struct place *place;
};

/* The team of a communicator whose group works, or NULL. */
struct team *team_of(MPI_Comm comm);
/* All teams and the connection to the manager end. */
void teams_end(void);
/* There is no memory: @comm's processes end. */
void no_memory(MPI_Comm comm) __attribute__((noreturn));

#endif
