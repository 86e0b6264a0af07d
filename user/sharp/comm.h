/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group, and the collectives that are under way in it.
 */
#ifndef WEFT_SHARP_COMM_H
#define WEFT_SHARP_COMM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sharp/api/sharp_coll.h"
#include "station.h"

/**
 * struct sharp_coll_context - a process
 * @spec: how it was made
 * @comms: its groups, a list
 * @done: collectives that have ended, of all its groups
 * @bytes: their bytes
 * @lock: protects all of it, and the groups
 * @woken: a thread that slept for a group has woken
 */
struct sharp_coll_context {
	struct sharp_coll_init_spec spec;
	struct sharp_coll_comm *comms;
	uint64_t done;
	uint64_t bytes;
	pthread_mutex_t lock;
	pthread_cond_t woken;
};

/**
 * struct request - a collective
 *
 * All of them are reductions of a vector. A process brings a part of it; the rest are zeros.
 * It wants a part of the result.
 *
 * @comm: its group
 * @next: the next one of the group
 * @imm: operation and type in immediate data
 * @bytes: bytes of the vector
 * @from: what this process brings
 * @from_at: where that begins in the vector
 * @from_bytes: its bytes
 * @to: where the result goes
 * @to_at: where that begins in the vector
 * @to_bytes: its bytes
 * @first: its first chunk, of all that the group ever has
 * @chunks: how many it has
 * @sent: of these, sent
 * @got: of these, reduced
 * @ended: it has ended
 * @status: then: enum sharp_error_no
 */
struct request {
	struct sharp_coll_comm *comm;
	struct request *next;
	uint32_t imm;
	size_t bytes;
	const uint8_t *from;
	size_t from_at;
	size_t from_bytes;
	uint8_t *to;
	size_t to_at;
	size_t to_bytes;
	uint64_t first;
	uint32_t chunks;
	uint32_t sent;
	uint32_t got;
	int ended;
	int status;
};

/**
 * struct sharp_coll_comm - a group
 * @context: the process
 * @next: next group of the process
 * @rank: number of the process in it
 * @size: processes in it
 * @fd: connection to the aggregation manager
 * @group: its number
 * @station: place of the process
 * @works: it has worked
 * @status: SHARP_COLL_SUCCESS unless it failed
 * @sleeper: a thread sleeps until there is something, for all that wait
 * @tests: tests without a result since the manager was last asked
 * @wake: a file by which who sleeps is woken
 * @numbers: chunks are numbered modulo this
 * @last: the next collective's first chunk
 * @owners: by how many NICs results come: that of chunk N by NIC N modulo this
 * @next_by: by these: the chunk whose result comes next
 * @under_way: chunks that were sent and have no result
 * @oldest: the collective whose results come next, a list
 * @newest: the last one of the list
 * @sending: the one whose chunks are sent next; NULL: none is
 */
struct sharp_coll_comm {
	struct sharp_coll_context *context;
	struct sharp_coll_comm *next;
	int rank;
	int size;
	int fd;
	uint32_t group;
	struct station station;
	int works;
	int status;
	int sleeper;
	unsigned int tests;
	int wake;
	uint32_t numbers;
	uint64_t last;
	uint32_t owners;
	uint64_t *next_by;
	uint32_t under_way;
	struct request *oldest;
	struct request *newest;
	struct request *sending;
};

int comm_join(struct sharp_coll_comm *c, const struct sharp_coll_comm_init_spec *spec);
void comm_leave(struct sharp_coll_comm *c);
void comm_begin(struct sharp_coll_comm *c, struct request *r);
void comm_progress(struct sharp_coll_comm *c);
int comm_wait(struct sharp_coll_comm *c, const struct request *r);

#endif
