/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collectives of MPI in switches: between the library that is loaded before all others
 * (preload.c), which knows no MPI, and what is compiled for each MPI (mpi.c).
 */
#ifndef WEFT_SHARP_MPI_H
#define WEFT_SHARP_MPI_H

#include <stdint.h>

#define SHARP_MPI_SYMBOL	"weft_sharp_mpi"

/**
 * struct sharp_mpi - functions of MPI that may reduce in switches
 *
 * A uintptr_t is a handle of MPI: a pointer in Open MPI, an int in MPICH. In registers one can
 * be passed for the other.
 */
struct sharp_mpi {
	int (*finalize)(void);
	int (*allreduce)(const void *send, void *recv, int count, uintptr_t type,
			 uintptr_t op, uintptr_t comm);
	int (*reduce)(const void *send, void *recv, int count, uintptr_t type,
		      uintptr_t op, int root, uintptr_t comm);
	int (*bcast)(void *buf, int count, uintptr_t type, int root, uintptr_t comm);
	int (*barrier)(uintptr_t comm);
	int (*reduce_scatter_block)(const void *send, void *recv, int count, uintptr_t type,
				    uintptr_t op, uintptr_t comm);
	int (*allgather)(const void *send, int sendcount, uintptr_t sendtype, void *recv,
			 int recvcount, uintptr_t recvtype, uintptr_t comm);
};

#endif
