// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives of MPI in switches. Compiled once for each MPI.
 *
 * A communicator gets a group when it is used for the first time: its processes that are the
 * first of their nodes, the leaders. Where a node has several processes, MPI itself reduces
 * what they have to the leader and broadcasts the result from it. What the switches do not know
 * is left to MPI: types of the user, products, more groups than there are resources. Whether it
 * is depends on what all processes know, so all take the same way.
 */
#include "calls.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link.h"
#include "sharp/api/sharp_coll.h"

/**
 * struct team - a communicator
 * @next: next one of the process
 * @comm: the communicator
 * @local: its processes of this node; MPI_COMM_NULL if each node has one
 * @leaders: the first process of each node; MPI_COMM_NULL in others
 * @sharp: their group; NULL: not a leader, or there is no group
 * @works: there is a group
 * @spread: each node has one process
 * @leader: by rank: number among the leaders, or -1
 */
struct team {
	struct team *next;
	MPI_Comm comm;
	MPI_Comm local;
	MPI_Comm leaders;
	struct sharp_coll_comm *sharp;
	int works;
	int spread;
	int *leader;
};

/* Of the process; the lock is not held over calls that wait for others. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sharp_coll_context *context;
static struct team *teams;
static int keyval = MPI_KEYVAL_INVALID;
static uint64_t in_switches, by_hosts, bytes_in_switches;

static void count(uint64_t *counter, uint64_t n)
{
	__atomic_add_fetch(counter, n, __ATOMIC_RELAXED);
}

static void no_memory(MPI_Comm comm) __attribute__((noreturn));
static void no_memory(MPI_Comm comm)
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
	free(t->leader);
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

static void find_leaders(struct team *t, MPI_Comm comm)
{
	int mine = -1, size, local;

	PMPI_Comm_size(comm, &size);
	t->leader = malloc((size_t)size * sizeof(*t->leader));
	if (!t->leader)
		no_memory(comm);
	if (t->leaders != MPI_COMM_NULL)
		PMPI_Comm_rank(t->leaders, &mine);
	PMPI_Allgather(&mine, 1, MPI_INT, t->leader, 1, MPI_INT, comm);
	t->spread = 1;
	for (int i = 0; i < size; i++)
		t->spread &= t->leader[i] >= 0;
	PMPI_Comm_size(t->local, &local);
	if (t->spread)
		PMPI_Comm_free(&t->local);
}

static struct team *make_team(MPI_Comm comm)
{
	struct team *t = calloc(1, sizeof(*t));
	int rank, local;

	if (!t)
		no_memory(comm);
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &t->local);
	PMPI_Comm_rank(t->local, &local);
	PMPI_Comm_split(comm, local ? MPI_UNDEFINED : 0, rank, &t->leaders);
	if (t->leaders != MPI_COMM_NULL)
		t->sharp = make_group(t);
	t->works = !!t->sharp;
	PMPI_Bcast(&t->works, 1, MPI_INT, 0, t->local);
	find_leaders(t, comm);
	t->comm = comm;
	pthread_mutex_lock(&lock);
	t->next = teams;
	teams = t;
	pthread_mutex_unlock(&lock);
	return t;
}

/* The team of a communicator whose group works, or NULL. */
static struct team *team_of(MPI_Comm comm)
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

/* The switches' type of a type of MPI. */
static enum sharp_datatype type_of(MPI_Datatype type)
{
	const struct {
		MPI_Datatype mpi;
		enum sharp_datatype sharp;
	} table[] = {
		{ MPI_FLOAT, SHARP_DTYPE_FLOAT }, { MPI_DOUBLE, SHARP_DTYPE_DOUBLE },
		{ MPI_INT, SHARP_DTYPE_INT }, { MPI_UNSIGNED, SHARP_DTYPE_UNSIGNED },
		{ MPI_LONG, SHARP_DTYPE_LONG }, { MPI_LONG_LONG, SHARP_DTYPE_LONG },
		{ MPI_UNSIGNED_LONG, SHARP_DTYPE_UNSIGNED_LONG },
		{ MPI_UNSIGNED_LONG_LONG, SHARP_DTYPE_UNSIGNED_LONG },
		{ MPI_SHORT, SHARP_DTYPE_SHORT },
		{ MPI_UNSIGNED_SHORT, SHARP_DTYPE_UNSIGNED_SHORT },
		{ MPI_SIGNED_CHAR, SHARP_DTYPE_INT8 },
		{ MPI_UNSIGNED_CHAR, SHARP_DTYPE_UINT8 }, { MPI_BYTE, SHARP_DTYPE_UINT8 },
		{ MPI_CHAR, SHARP_DTYPE_INT8 },
		{ MPI_INT8_T, SHARP_DTYPE_INT8 }, { MPI_UINT8_T, SHARP_DTYPE_UINT8 },
		{ MPI_INT16_T, SHARP_DTYPE_SHORT }, { MPI_UINT16_T, SHARP_DTYPE_UNSIGNED_SHORT },
		{ MPI_INT32_T, SHARP_DTYPE_INT }, { MPI_UINT32_T, SHARP_DTYPE_UNSIGNED },
		{ MPI_INT64_T, SHARP_DTYPE_LONG }, { MPI_UINT64_T, SHARP_DTYPE_UNSIGNED_LONG },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].mpi == type)
			return table[i].sharp;
	return SHARP_DTYPE_NULL;
}

static enum sharp_reduce_op op_of(MPI_Op op)
{
	const struct {
		MPI_Op mpi;
		enum sharp_reduce_op sharp;
	} table[] = {
		{ MPI_SUM, SHARP_OP_SUM }, { MPI_MIN, SHARP_OP_MIN }, { MPI_MAX, SHARP_OP_MAX },
		{ MPI_LAND, SHARP_OP_LAND }, { MPI_LOR, SHARP_OP_LOR },
		{ MPI_LXOR, SHARP_OP_LXOR }, { MPI_BAND, SHARP_OP_BAND },
		{ MPI_BOR, SHARP_OP_BOR }, { MPI_BXOR, SHARP_OP_BXOR },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].mpi == op)
			return table[i].sharp;
	return SHARP_OP_NULL;
}

/* What MPI gives and what the switches know; false: MPI does it. */
static int knows(MPI_Datatype type, MPI_Op op, struct sharp_coll_reduce_spec *spec)
{
	spec->dtype = type_of(type);
	spec->op = op_of(op);
	if (spec->dtype == SHARP_DTYPE_NULL || spec->op == SHARP_OP_NULL)
		return 0;
	return spec->op == SHARP_OP_SUM || spec->op == SHARP_OP_MIN ||
	       spec->op == SHARP_OP_MAX || (spec->dtype != SHARP_DTYPE_FLOAT &&
					    spec->dtype != SHARP_DTYPE_DOUBLE);
}

static struct sharp_coll_data_desc buffer(const void *ptr, size_t bytes)
{
	return (struct sharp_coll_data_desc) {
		.type = SHARP_DATA_BUFFER, .mem_type = SHARP_MEM_TYPE_HOST,
		.buffer = { .ptr = (void *)ptr, .length = bytes },
	};
}

static size_t bytes_of(int count, MPI_Datatype type)
{
	int size;

	PMPI_Type_size(type, &size);
	return (size_t)count * (size_t)size;
}

/* The library has said on stderr what went wrong. */
static int end(MPI_Comm comm, int ret, size_t bytes)
{
	if (ret) {
		PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
		return MPI_ERR_OTHER;
	}
	count(&in_switches, 1);
	count(&bytes_in_switches, bytes);
	return MPI_SUCCESS;
}

/* The processes of a node learn from the leader whether it went well. */
static int agree(const struct team *t, int ret)
{
	if (!t->spread && PMPI_Bcast(&ret, 1, MPI_INT, 0, t->local))
		return SHARP_COLL_ERROR;
	return ret;
}

/* A root that the communicator has; MPI says what is wrong with others. */
static int is_rank(MPI_Comm comm, int root)
{
	int size;

	PMPI_Comm_size(comm, &size);
	return root >= 0 && root < size;
}

static int sharp_allreduce(const void *send, void *recv, int n, MPI_Datatype type,
			   MPI_Op op, MPI_Comm comm)
{
	struct sharp_coll_reduce_spec spec = { .length = (size_t)n };
	struct team *t = team_of(comm);
	size_t bytes;
	int ret = 0;

	if (!t || n <= 0 || !knows(type, op, &spec)) {
		count(&by_hosts, 1);
		return PMPI_Allreduce(send, recv, n, type, op, comm);
	}
	bytes = bytes_of(n, type);
	if (!t->spread) {
		/* The leader has it in its receive buffer then, the others nothing of use. */
		if (t->leaders == MPI_COMM_NULL)
			ret = PMPI_Reduce(send == MPI_IN_PLACE ? recv : send, NULL, n, type,
					  op, 0, t->local);
		else
			ret = PMPI_Reduce(send, recv, n, type, op, 0, t->local);
		send = MPI_IN_PLACE;
	}
	spec.sbuf_desc = buffer(send == MPI_IN_PLACE ? recv : send, bytes);
	spec.rbuf_desc = buffer(recv, bytes);
	if (!ret && t->sharp)
		ret = sharp_coll_do_allreduce(t->sharp, &spec);
	ret = agree(t, ret);
	if (!ret && !t->spread)
		ret = PMPI_Bcast(recv, n, type, 0, t->local);
	return end(comm, ret, t->sharp ? bytes : 0);
}

static int sharp_reduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op,
			int root, MPI_Comm comm)
{
	struct sharp_coll_reduce_spec spec = { .length = (size_t)n };
	struct team *t = team_of(comm);
	size_t bytes;

	if (!t || n <= 0 || !is_rank(comm, root) || !t->spread || !knows(type, op, &spec)) {
		count(&by_hosts, 1);
		return PMPI_Reduce(send, recv, n, type, op, root, comm);
	}
	bytes = bytes_of(n, type);
	spec.root = t->leader[root];
	spec.sbuf_desc = buffer(send == MPI_IN_PLACE ? recv : send, bytes);
	spec.rbuf_desc = buffer(recv, bytes);
	return end(comm, sharp_coll_do_reduce(t->sharp, &spec), bytes);
}

/*
 * Where data only move, processes may name the same bytes by different types, so that all take
 * the same way only if the bytes decide. Bytes of other types are packed: these are them.
 */
static void *pack(const void *buf, int count, MPI_Datatype type, MPI_Comm comm)
{
	size_t bytes = bytes_of(count, type);
	void *packed = malloc(bytes + 1);
	int at = 0;

	if (!packed)
		no_memory(comm);
	PMPI_Pack(buf, count, type, packed, (int)bytes, &at, comm);
	return packed;
}

static void unpack(const void *packed, void *buf, int count, MPI_Datatype type, MPI_Comm comm)
{
	int at = 0;

	PMPI_Unpack(packed, (int)bytes_of(count, type), &at, buf, count, type, comm);
}

static int sharp_bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	struct sharp_coll_bcast_spec spec = { .size = bytes_of(n, type) };
	void *packed = NULL, *data = buf;
	struct team *t = team_of(comm);
	int ret = 0;

	if (!t || !spec.size || spec.size > INT_MAX || !is_rank(comm, root) ||
	    t->leader[root] < 0) {
		count(&by_hosts, 1);
		return PMPI_Bcast(buf, n, type, root, comm);
	}
	if (type_of(type) == SHARP_DTYPE_NULL) {
		packed = pack(buf, n, type, comm);
		data = packed;
	}
	spec.root = t->leader[root];
	spec.buf_desc = buffer(data, spec.size);
	if (t->sharp)
		ret = sharp_coll_do_bcast(t->sharp, &spec);
	ret = agree(t, ret);
	if (!ret && !t->spread)
		ret = PMPI_Bcast(data, (int)spec.size, MPI_BYTE, 0, t->local);
	if (!ret && packed)
		unpack(packed, buf, n, type, comm);
	free(packed);
	return end(comm, ret, t->sharp ? spec.size : 0);
}

static int sharp_barrier(MPI_Comm comm)
{
	struct team *t = team_of(comm);
	int ret = 0;

	if (!t) {
		count(&by_hosts, 1);
		return PMPI_Barrier(comm);
	}
	if (!t->spread)
		ret = PMPI_Barrier(t->local);
	if (!ret && t->sharp)
		ret = sharp_coll_do_barrier(t->sharp);
	return end(comm, agree(t, ret), 0);
}

static int sharp_reduce_scatter_block(const void *send, void *recv, int n,
				      MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	struct sharp_coll_reduce_spec spec = { .length = (size_t)n };
	struct team *t = team_of(comm);
	size_t bytes;
	int size;

	if (!t || n <= 0 || !t->spread || !knows(type, op, &spec)) {
		count(&by_hosts, 1);
		return PMPI_Reduce_scatter_block(send, recv, n, type, op, comm);
	}
	PMPI_Comm_size(comm, &size);
	bytes = bytes_of(n, type) * (size_t)size;
	spec.sbuf_desc = buffer(send == MPI_IN_PLACE ? recv : send, bytes);
	spec.rbuf_desc = buffer(recv, bytes / (size_t)size);
	return end(comm, sharp_coll_do_reduce_scatter(t->sharp, &spec), bytes);
}

/* Into the bytes of all: where nothing has to be packed, into the receive buffer. */
static int gather_bytes(struct team *t, const void *send, void *all, size_t block, int size)
{
	struct sharp_coll_gather_spec spec = {
		.dtype = SHARP_DTYPE_UINT8, .size = block,
		.sbuf_desc = buffer(send, block), .rbuf_desc = buffer(all, block * (size_t)size),
	};

	return sharp_coll_do_allgather(t->sharp, &spec);
}

/* Who sends in place has its block in the receive buffer. */
static int sharp_allgather(const void *send, int sendcount, MPI_Datatype sendtype, void *recv,
			   int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	size_t block = bytes_of(recvcount, recvtype);
	void *mine = NULL, *all = NULL;
	struct team *t = team_of(comm);
	int size, rank, ret;
	MPI_Aint lb, extent;

	PMPI_Comm_size(comm, &size);
	PMPI_Comm_rank(comm, &rank);
	if (!t || !t->spread || !block || block * (size_t)size > INT_MAX) {
		count(&by_hosts, 1);
		return PMPI_Allgather(send, sendcount, sendtype, recv, recvcount, recvtype,
				      comm);
	}
	if (send == MPI_IN_PLACE) {
		PMPI_Type_get_extent(recvtype, &lb, &extent);
		send = (const char *)recv + extent * recvcount * rank;
		sendcount = recvcount;
		sendtype = recvtype;
	}
	if (type_of(sendtype) == SHARP_DTYPE_NULL)
		mine = pack(send, sendcount, sendtype, comm);
	if (type_of(recvtype) == SHARP_DTYPE_NULL)
		all = pack(recv, recvcount * size, recvtype, comm);
	ret = gather_bytes(t, mine ? mine : send, all ? all : recv, block, size);
	if (!ret && all)
		unpack(all, recv, recvcount * size, recvtype, comm);
	free(mine);
	free(all);
	return end(comm, ret, block * (size_t)size);
}

/* For the report. */
static void tell_calls(void)
{
	struct weft_sharp_message msg = {
		.kind = WEFT_SHARP_CALLS, .in_switches = in_switches, .by_hosts = by_hosts,
		.bytes = bytes_in_switches,
	};
	int fd = link_open();

	if (fd < 0)
		return;
	/* It has to be noted before the program ends. */
	if (!link_send(fd, &msg))
		link_receive(fd, &msg);
	close(fd);
}

static int sharp_finalize(void)
{
	while (teams)
		PMPI_Comm_delete_attr(teams->comm, keyval);
	if (context)
		sharp_coll_finalize(context);
	tell_calls();
	return PMPI_Finalize();
}

__attribute__((visibility("default"))) const struct sharp_mpi weft_sharp_mpi = {
	.finalize = sharp_finalize,
	.allreduce = (void *)sharp_allreduce,
	.reduce = (void *)sharp_reduce,
	.bcast = (void *)sharp_bcast,
	.barrier = (void *)sharp_barrier,
	.reduce_scatter_block = (void *)sharp_reduce_scatter_block,
	.allgather = (void *)sharp_allgather,
};
