/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that run one simulation together: the ranks of an MPI job.
 */
#ifndef WEFT_TEAM_H
#define WEFT_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WEFT_TEAM_MAX		64	/* ranks */
#define WEFT_TEAM_VERSION	1
#define WEFT_TEAM_SYMBOL	"weft_team_of_mpi"

/**
 * struct weft_team_box - what goes from one rank to another
 */
struct weft_team_box {
	/** @data: bytes; of what came, to be freed by who called */
	void *data;
	/** @bytes: how many */
	size_t bytes;
	/** @room: of what came: size of @data */
	size_t room;
};

/**
 * struct weft_team_ops - what a library of MPI does; user/mpi/team.c, once for each MPI
 *
 * All ranks call the same functions in the same order. An error of MPI ends the job, and
 * so does a lack of memory.
 */
struct weft_team_ops {
	/** @version: WEFT_TEAM_VERSION */
	uint32_t version;
	/** @join: begin; number of this rank, and number of ranks. Return: 0, or -1 */
	int (*join)(uint32_t *rank, uint32_t *size);
	/** @gather: @all gets the @bytes bytes of each rank, by rank */
	void (*gather)(const void *mine, void *all, size_t bytes);
	/** @greatest: each number, less than 2^63, becomes the greatest of all ranks */
	void (*greatest)(uint64_t *number, size_t n);
	/** @exchange: send out[i] to rank i, and get in[i] from it */
	void (*exchange)(const struct weft_team_box *out, struct weft_team_box *in);
	/** @leave: end */
	void (*leave)(void);
};

/**
 * struct weft_team - the ranks; all zero: this process is alone
 */
struct weft_team {
	/** @ops: what the library does; NULL: alone */
	const struct weft_team_ops *ops;
	/** @library: handle of dlopen() */
	void *library;
	/** @rank: number of this process */
	uint32_t rank;
	/** @size: number of processes */
	uint32_t size;
};

int weft_team_join(struct weft_team *t, struct weft_err *err);
int weft_team_agree(const struct weft_team *t, int ret, struct weft_err *err);
void weft_team_leave(struct weft_team *t);

#endif
