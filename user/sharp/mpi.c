// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collectives of MPI in switches. Compiled once for each MPI.
 *
 * The first processes of the nodes, the leaders, are a group in switches (team.c). Where a
 * node has several processes, MPI itself brings what they have to the leader, and the result
 * from it. What the switches do not know is left to MPI: types of the user, products, more
 * groups than there are resources. Whether it is depends on what all processes know, so all
 * take the same way.
 */
#include "calls.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link.h"
#include "sharp/api/sharp_coll.h"
#include "team.h"

static uint64_t in_switches, by_hosts, bytes_in_switches;

static void count(uint64_t *counter, uint64_t n)
{
	__atomic_add_fetch(counter, n, __ATOMIC_RELAXED);
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
static int is_rank(const struct team *t, int root)
{
	return root >= 0 && root < t->size;
}

static void *get(size_t bytes, MPI_Comm comm)
{
	void *p = calloc(1, bytes + 1);

	if (!p)
		no_memory(comm);
	return p;
}

/* What the processes of a node have, reduced, in the leader's @to, which may be its @send. */
static int to_leader(const struct team *t, const void *send, void *to, int n, MPI_Datatype type,
		     MPI_Op op)
{
	if (t->leaders == MPI_COMM_NULL)
		to = NULL;
	if (send == to)
		send = MPI_IN_PLACE;
	return PMPI_Reduce(send, to, n, type, op, 0, t->local);
}

/* Move data between the leader of @rank's node and @rank, if that is another process. */
static int pass(const struct team *t, void *data, int n, MPI_Datatype type, int rank, int up)
{
	const struct place *p = &t->place[rank], *own = &t->place[t->rank];
	int from = up ? p->local : 0, to = up ? 0 : p->local;

	if (!p->local || own->node != p->node || (own->local && t->rank != rank))
		return MPI_SUCCESS;
	if (own->local == from)
		return PMPI_Send(data, n, type, to, 0, t->local);
	return PMPI_Recv(data, n, type, from, 0, t->local, MPI_STATUS_IGNORE);
}

/*
 * Blocks of @n in the order of ranks: by number within this node the length of each, and behind
 * all of these where it begins. The caller frees it.
 */
static int *blocks(const struct team *t, int n)
{
	int *each = get(2 * (size_t)t->size * sizeof(*each), t->comm), *at = each + t->size;

	for (int i = 0; i < t->size; i++) {
		each[i] = n;
		if (t->place[i].node == t->place[t->rank].node)
			at[t->place[i].local] = i * n;
	}
	return each;
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
		ret = to_leader(t, send == MPI_IN_PLACE ? recv : send, recv, n, type, op);
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

/* Several processes of a node: by its leader, and from the leader of the root's node to it. */
static int reduce_by_leaders(struct team *t, const void *send, void *recv, int root,
			     MPI_Datatype type, MPI_Op op, struct sharp_coll_reduce_spec *spec)
{
	size_t bytes = bytes_of((int)spec->length, type);
	void *data = t->sharp ? get(bytes, t->comm) : recv;
	int ret = to_leader(t, send, data, (int)spec->length, type, op);

	spec->root = t->place[root].node;
	spec->sbuf_desc = buffer(data, bytes);
	spec->rbuf_desc = buffer(data, bytes);
	if (!ret && t->sharp)
		ret = sharp_coll_do_reduce(t->sharp, spec);
	ret = agree(t, ret);
	if (!ret)
		ret = pass(t, data, (int)spec->length, type, root, 0);
	if (!ret && t->rank == root && data != recv)
		memcpy(recv, data, bytes);
	if (t->sharp)
		free(data);
	return end(t->comm, ret, t->sharp ? bytes : 0);
}

static int sharp_reduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op,
			int root, MPI_Comm comm)
{
	struct sharp_coll_reduce_spec spec = { .length = (size_t)n };
	struct team *t = team_of(comm);
	size_t bytes;

	if (!t || n <= 0 || !is_rank(t, root) || !knows(type, op, &spec)) {
		count(&by_hosts, 1);
		return PMPI_Reduce(send, recv, n, type, op, root, comm);
	}
	if (send == MPI_IN_PLACE)
		send = recv;
	if (!t->spread)
		return reduce_by_leaders(t, send, recv, root, type, op, &spec);
	bytes = bytes_of(n, type);
	spec.root = t->place[root].node;
	spec.sbuf_desc = buffer(send, bytes);
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
	void *packed = get(bytes, comm);
	int at = 0;

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

	if (!t || !spec.size || spec.size > INT_MAX || !is_rank(t, root)) {
		count(&by_hosts, 1);
		return PMPI_Bcast(buf, n, type, root, comm);
	}
	if (type_of(type) == SHARP_DTYPE_NULL) {
		packed = pack(buf, n, type, comm);
		data = packed;
	}
	spec.root = t->place[root].node;
	spec.buf_desc = buffer(data, spec.size);
	if (!t->spread)
		ret = pass(t, data, (int)spec.size, MPI_BYTE, root, 1);
	if (!ret && t->sharp)
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

/* Several processes of a node: its leader gets all blocks and gives each process its own. */
static int scatter_by_leaders(struct team *t, const void *send, void *recv, MPI_Datatype type,
			      MPI_Op op, struct sharp_coll_reduce_spec *spec)
{
	int n = (int)spec->length, ret;
	int *each = blocks(t, n), *at = each + t->size;
	size_t bytes = bytes_of(n, type) * (size_t)t->size;
	void *all = t->sharp ? get(bytes, t->comm) : NULL;

	ret = to_leader(t, send, all, n * t->size, type, op);
	spec->length *= (size_t)t->size;
	spec->sbuf_desc = buffer(all, bytes);
	spec->rbuf_desc = buffer(all, bytes);
	if (!ret && t->sharp)
		ret = sharp_coll_do_allreduce(t->sharp, spec);
	ret = agree(t, ret);
	if (!ret)
		ret = PMPI_Scatterv(all, each, at, type, recv, n, type, 0, t->local);
	free(all);
	free(each);
	return end(t->comm, ret, t->sharp ? bytes : 0);
}

static int sharp_reduce_scatter_block(const void *send, void *recv, int n,
				      MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	struct sharp_coll_reduce_spec spec = { .length = (size_t)n };
	struct team *t = team_of(comm);
	size_t bytes;

	if (!t || n <= 0 || n > INT_MAX / t->size || !knows(type, op, &spec)) {
		count(&by_hosts, 1);
		return PMPI_Reduce_scatter_block(send, recv, n, type, op, comm);
	}
	if (send == MPI_IN_PLACE)
		send = recv;
	if (!t->spread)
		return scatter_by_leaders(t, send, recv, type, op, &spec);
	bytes = bytes_of(n, type) * (size_t)t->size;
	spec.sbuf_desc = buffer(send, bytes);
	spec.rbuf_desc = buffer(recv, bytes / (size_t)t->size);
	return end(comm, sharp_coll_do_reduce_scatter(t->sharp, &spec), bytes);
}

/* Several processes of a node: leaders have the blocks of their node between zeroes, and or. */
static int gather_by_leaders(struct team *t, const void *send, void *all, size_t block)
{
	int *each = blocks(t, (int)block), *at = each + t->size, ret;
	size_t bytes = block * (size_t)t->size;
	void *data = t->sharp ? get(bytes, t->comm) : NULL;
	struct sharp_coll_reduce_spec spec = {
		.length = bytes, .dtype = SHARP_DTYPE_UINT8, .op = SHARP_OP_BOR,
		.sbuf_desc = buffer(data, bytes), .rbuf_desc = buffer(data, bytes),
	};

	ret = PMPI_Gatherv(send, (int)block, MPI_BYTE, data, each, at, MPI_BYTE, 0, t->local);
	if (!ret && t->sharp)
		ret = sharp_coll_do_allreduce(t->sharp, &spec);
	ret = agree(t, ret);
	if (!ret && t->sharp)
		memcpy(all, data, bytes);
	if (!ret)
		ret = PMPI_Bcast(all, (int)bytes, MPI_BYTE, 0, t->local);
	free(data);
	free(each);
	return ret;
}

/* Into the bytes of all: where nothing has to be packed, into the receive buffer. */
static int gather_bytes(struct team *t, const void *send, void *all, size_t block)
{
	struct sharp_coll_gather_spec spec = {
		.dtype = SHARP_DTYPE_UINT8, .size = block, .sbuf_desc = buffer(send, block),
		.rbuf_desc = buffer(all, block * (size_t)t->size),
	};

	if (!t->spread)
		return gather_by_leaders(t, send, all, block);
	return sharp_coll_do_allgather(t->sharp, &spec);
}

/* Who sends in place has its block in the receive buffer. */
static int sharp_allgather(const void *send, int sendcount, MPI_Datatype sendtype, void *recv,
			   int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	size_t block = bytes_of(recvcount, recvtype);
	void *mine = NULL, *all = NULL;
	struct team *t = team_of(comm);
	MPI_Aint lb, extent;
	int ret;

	if (!t || !block || block * (size_t)t->size > INT_MAX) {
		count(&by_hosts, 1);
		return PMPI_Allgather(send, sendcount, sendtype, recv, recvcount, recvtype,
				      comm);
	}
	if (send == MPI_IN_PLACE) {
		PMPI_Type_get_extent(recvtype, &lb, &extent);
		send = (const char *)recv + extent * recvcount * t->rank;
		sendcount = recvcount;
		sendtype = recvtype;
	}
	if (type_of(sendtype) == SHARP_DTYPE_NULL)
		mine = pack(send, sendcount, sendtype, comm);
	if (type_of(recvtype) == SHARP_DTYPE_NULL)
		all = pack(recv, recvcount * t->size, recvtype, comm);
	ret = gather_bytes(t, mine ? mine : send, all ? all : recv, block);
	if (!ret && all)
		unpack(all, recv, recvcount * t->size, recvtype, comm);
	free(mine);
	free(all);
	return end(comm, ret, t->sharp ? block * (size_t)t->size : 0);
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
	teams_end();
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
