// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A communicator of MPI and the group in switches that stands for it. Compiled once for each
 * MPI.
 *
 * A communicator gets a group when it is used for the first time: its processes that are the
 * first of their nodes, the leaders.
 */
#include "team.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the process; the lock is not held over calls that wait for others. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sharp_coll_context *context;
static struct team *teams;
static int keyval = MPI_KEYVAL_INVALID;

void no_memory(MPI_Comm comm)
{
	fputs("weft: out of memory\n", stderr);
	PMPI_Abort(comm, 1);
	abort();
}

static int oob_bcast(void *ctx, void *buffer, int len, int root)
{
	return PMPI_Bcast(buffer, len, MPI_BYTE, root, *(MPI_Comm *)ctx);
}

static int oob_barrier(void *ctx)
{
	return PMPI_Barrier(*(MPI_Comm *)ctx);
}

static int oob_gather(void *ctx, int root, void *sbuf, void *rbuf, int len)
{
	return PMPI_Gather(sbuf, len, MPI_BYTE, rbuf, len, MPI_BYTE, root, *(MPI_Comm *)ctx);
}

/* A communicator of our own that has other processes. */
static MPI_Comm some_leaders(void)
{
	MPI_Comm comm = MPI_COMM_NULL;

	pthread_mutex_lock(&lock);
	for (const struct team *t = teams; t && comm == MPI_COMM_NULL; t = t->next)
		if (t->sharp)
			comm = t->leaders;
	pthread_mutex_unlock(&lock);
	return comm;
}

/*
 * Messages of MPI move on while a process waits for switches. No message is there to be found.
 * Of itself alone, MPICH would not look at the network.
 */
static int progress(void)
{
	MPI_Comm comm = some_leaders();
	int flag;

	if (comm == MPI_COMM_NULL)
		return 0;
	return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
}

static int make_context(void)
{
	struct sharp_coll_init_spec spec = {
		.config = sharp_coll_default_config,
		.oob_colls = {
			.bcast = oob_bcast, .barrier = oob_barrier, .gather = oob_gather,
		},
		.enable_thread_support = 1, .progress_func = progress,
	};
	int ret = 0;

	PMPI_Comm_rank(MPI_COMM_WORLD, &spec.world_rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &spec.world_size);
	pthread_mutex_lock(&lock);
	if (!context)
		ret = sharp_coll_init(&spec, &context);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* The group of the leaders, or NULL. All of them get the same. */
static struct sharp_coll_comm *make_group(struct team *t)
{
	struct sharp_coll_comm_init_spec spec = { .oob_ctx = &t->leaders };
	struct sharp_coll_comm *sharp = NULL;
	int mine, all;

	PMPI_Comm_rank(t->leaders, &spec.rank);
	PMPI_Comm_size(t->leaders, &spec.size);
	if (spec.size < 2)
		return NULL;
	mine = !make_context();
	PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, t->leaders);
	if (!all)
		return NULL;
	mine = !sharp_coll_comm_init(context, &spec, &sharp);
	PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, t->leaders);
	if (mine && !all) {
		sharp_coll_comm_destroy(sharp);
		sharp = NULL;
	}
	return sharp;
}

static void free_team(struct team *t)
{
	struct team **at = &teams;

	pthread_mutex_lock(&lock);
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	pthread_mutex_unlock(&lock);
	if (t->sharp)
		sharp_coll_comm_destroy(t->sharp);
	if (t->local != MPI_COMM_NULL)
		PMPI_Comm_free(&t->local);
	if (t->leaders != MPI_COMM_NULL)
		PMPI_Comm_free(&t->leaders);
	free(t->place);
	free(t);
}

static int on_free(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)extra;
	free_team(value);
	return MPI_SUCCESS;
}

/* Where all processes are. The leader of a node tells the others which one it is. */
static void find_places(struct team *t)
{
	struct place mine = { 0 };

	t->place = malloc((size_t)t->size * sizeof(*t->place));
	if (!t->place)
		no_memory(t->comm);
	PMPI_Comm_rank(t->local, &mine.local);
	if (t->leaders != MPI_COMM_NULL)
		PMPI_Comm_rank(t->leaders, &mine.node);
	PMPI_Bcast(&mine.node, 1, MPI_INT, 0, t->local);
	PMPI_Allgather(&mine, 2, MPI_INT, t->place, 2, MPI_INT, t->comm);
	t->spread = 1;
	for (int i = 0; i < t->size; i++)
		t->spread &= !t->place[i].local;
	if (t->spread)
		PMPI_Comm_free(&t->local);
}

static struct team *make_team(MPI_Comm comm)
{
	struct team *t = calloc(1, sizeof(*t));
	int local;

	if (!t)
		no_memory(comm);
	t->comm = comm;
	PMPI_Comm_rank(comm, &t->rank);
	PMPI_Comm_size(comm, &t->size);
	PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, t->rank, MPI_INFO_NULL, &t->local);
	PMPI_Comm_rank(t->local, &local);
	PMPI_Comm_split(comm, local ? MPI_UNDEFINED : 0, t->rank, &t->leaders);
	if (t->leaders != MPI_COMM_NULL)
		t->sharp = make_group(t);
	t->works = !!t->sharp;
	PMPI_Bcast(&t->works, 1, MPI_INT, 0, t->local);
	find_places(t);
	pthread_mutex_lock(&lock);
	t->next = teams;
	teams = t;
	pthread_mutex_unlock(&lock);
	return t;
}

struct team *team_of(MPI_Comm comm)
{
	struct team *t;
	int found, inter;

	if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) || inter)
		return NULL;
	pthread_mutex_lock(&lock);
	if (keyval == MPI_KEYVAL_INVALID)
		PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &keyval, NULL);
	pthread_mutex_unlock(&lock);
	PMPI_Comm_get_attr(comm, keyval, &t, &found);
	if (!found) {
		t = make_team(comm);
		PMPI_Comm_set_attr(comm, keyval, t);
	}
	return t->works ? t : NULL;
}

void teams_end(void)
{
	while (teams)
		PMPI_Comm_delete_attr(teams->comm, keyval);
	if (context)
		sharp_coll_finalize(context);
}
