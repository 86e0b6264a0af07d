// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions of libsharp_coll: contexts, groups, collectives.
 *
 * Each collective is a reduction (comm.h): a broadcast and an all-gather are the bitwise or of
 * what the processes bring, most of it zeros.
 */
#include <stdlib.h>

#include <linux/weft.h>

#include "comm.h"

#define TYPES		(SHARP_DTYPE_INT8 + 1)
#define SLOTS		256
#define PAYLOAD		4096
#define GROUPS		64

/**
 * struct type - a type of elements
 * @type: enum weft_reduce_type
 * @bytes: its bytes
 */
struct type {
	uint32_t type;
	uint32_t bytes;
};

static const struct type types[TYPES] = {
	[SHARP_DTYPE_UNSIGNED] = { WEFT_REDUCE_TYPE_U32, 4 },
	[SHARP_DTYPE_INT] = { WEFT_REDUCE_TYPE_S32, 4 },
	[SHARP_DTYPE_UNSIGNED_LONG] = { WEFT_REDUCE_TYPE_U64, 8 },
	[SHARP_DTYPE_LONG] = { WEFT_REDUCE_TYPE_S64, 8 },
	[SHARP_DTYPE_FLOAT] = { WEFT_REDUCE_TYPE_FP32, 4 },
	[SHARP_DTYPE_DOUBLE] = { WEFT_REDUCE_TYPE_FP64, 8 },
	[SHARP_DTYPE_UNSIGNED_SHORT] = { WEFT_REDUCE_TYPE_U16, 2 },
	[SHARP_DTYPE_SHORT] = { WEFT_REDUCE_TYPE_S16, 2 },
	[SHARP_DTYPE_FLOAT_SHORT] = { WEFT_REDUCE_TYPE_FP16, 2 },
	[SHARP_DTYPE_BFLOAT16] = { WEFT_REDUCE_TYPE_BF16, 2 },
	[SHARP_DTYPE_UINT8] = { WEFT_REDUCE_TYPE_U8, 1 },
	[SHARP_DTYPE_INT8] = { WEFT_REDUCE_TYPE_S8, 1 },
};

#define NO_OP	UINT32_MAX

static const uint32_t ops[] = {
	[SHARP_OP_MAX] = WEFT_REDUCE_OP_MAX, [SHARP_OP_MIN] = WEFT_REDUCE_OP_MIN,
	[SHARP_OP_SUM] = WEFT_REDUCE_OP_SUM, [SHARP_OP_PROD] = NO_OP,
	[SHARP_OP_LAND] = WEFT_REDUCE_OP_LAND, [SHARP_OP_BAND] = WEFT_REDUCE_OP_BAND,
	[SHARP_OP_LOR] = WEFT_REDUCE_OP_LOR, [SHARP_OP_BOR] = WEFT_REDUCE_OP_BOR,
	[SHARP_OP_LXOR] = WEFT_REDUCE_OP_LXOR, [SHARP_OP_BXOR] = WEFT_REDUCE_OP_BXOR,
	[SHARP_OP_MAXLOC] = NO_OP, [SHARP_OP_MINLOC] = NO_OP,
};

const struct sharp_coll_config sharp_coll_default_config = {
	.user_progress_num_polls = 128,
	.coll_timeout = -1,
};

int sharp_coll_init(struct sharp_coll_init_spec *spec, struct sharp_coll_context **context)
{
	struct sharp_coll_context *c;

	if (!spec || !context || !spec->oob_colls.bcast || !spec->oob_colls.gather)
		return SHARP_COLL_EINVAL;
	if (!getenv("WEFT_SHARP"))
		return SHARP_COLL_ESESS_INIT;
	c = calloc(1, sizeof(*c));
	if (!c)
		return SHARP_COLL_ENOMEM;
	c->spec = *spec;
	if (!c->spec.config.coll_timeout)
		c->spec.config.coll_timeout = -1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->woken, NULL);
	*context = c;
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_finalize(struct sharp_coll_context *context)
{
	struct sharp_coll_comm *c, *next;

	for (c = context->comms; c; c = next) {
		next = c->next;
		comm_leave(c);
		free(c);
	}
	pthread_cond_destroy(&context->woken);
	pthread_mutex_destroy(&context->lock);
	free(context);
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_caps_query(struct sharp_coll_context *context, struct sharp_coll_caps *caps)
{
	(void)context;
	*caps = (struct sharp_coll_caps) {
		.sharp_pkt_version = 1,
		.support_mask = {
			.dtypes = (1ULL << TYPES) - 1,
			.feature_mask = SHARP_FEATURE_LLT | SHARP_FEATURE_REPRODUCIBLE |
					SHARP_FEATURE_SAT,
		},
		.resources = {
			.max_osts = SLOTS, .user_data_per_ost = PAYLOAD,
			.max_groups = GROUPS, .max_group_channels = 1,
			.osts_per_group = SLOTS,
		},
	};
	for (unsigned int i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (ops[i] != NO_OP)
			caps->support_mask.reduce_ops |= 1ULL << i;
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_progress(struct sharp_coll_context *context)
{
	pthread_mutex_lock(&context->lock);
	for (struct sharp_coll_comm *c = context->comms; c; c = c->next)
		if (c->oldest)
			comm_progress(c);
	pthread_mutex_unlock(&context->lock);
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_dump_stats(struct sharp_coll_context *context)
{
	fprintf(stderr, "sharp: %llu collectives, %llu bytes\n",
		(unsigned long long)context->done, (unsigned long long)context->bytes);
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_print_config(FILE *stream, enum config_print_flags print_flags,
			    const char *exec_name)
{
	(void)exec_name;
	if (print_flags & SHARP_COLL_CONFIG_PRINT_CONFIG)
		fprintf(stream, "WEFT_SHARP=%s\n",
			getenv("WEFT_SHARP") ? getenv("WEFT_SHARP") : "");
	return SHARP_COLL_SUCCESS;
}

const char *sharp_coll_strerror(int error)
{
	static const char *const text[] = {
		[-SHARP_COLL_SUCCESS] = "success",
		[-SHARP_COLL_ERROR] = "the group does not work any more",
		[-SHARP_COLL_ENOT_SUPP] = "not supported",
		[-SHARP_COLL_ENOMEM] = "out of memory",
		[-SHARP_COLL_EGROUP_ALLOC] = "no group could be made",
		[-SHARP_COLL_ECONN_TREE] = "no connection to the tree",
		[-SHARP_COLL_EGROUP_JOIN] = "the group could not be joined",
		[-SHARP_COLL_EQUOTA] = "beyond the quota",
		[-SHARP_COLL_ESESS_INIT] = "no aggregation manager: use weft run --net sharp",
		[-SHARP_COLL_EDEV] = "the RDMA device does not work",
		[-SHARP_COLL_EINVAL] = "invalid value",
		[-SHARP_COLL_EJOB_CREATE] = "no job could be made",
		[-SHARP_COLL_ETREE_INFO] = "unknown tree",
		[-SHARP_COLL_ENOTREE] = "no tree is free",
		[-SHARP_COLL_EGROUP_ID] = "wrong group",
		[-SHARP_COLL_EOOB] = "an out-of-band collective failed",
		[-SHARP_COLL_EGROUP_MCAST] = "multicast failed",
		[-SHARP_COLL_EGROUP_TRIM] = "the group could not be trimmed",
		[-SHARP_COLL_ELOCK_FAILED] = "the tree is locked",
		[-SHARP_COLL_ELOCK_DENIED] = "the tree may not be locked",
		[-SHARP_COLL_ENO_RESOURCE] = "the switches have no resources",
	};

	if (error > 0 || error < SHARP_COLL_ENO_RESOURCE)
		return "unknown error";
	return text[-error];
}

/* Data are copied into registered memory of the group, so there is nothing to register. */
int sharp_coll_reg_mr(struct sharp_coll_context *context, void *buf, size_t size, void **mr)
{
	(void)context;
	if (!buf || !size || !mr)
		return SHARP_COLL_EINVAL;
	*mr = buf;
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_reg_mr_v2(struct sharp_coll_context *context, void *buf, size_t size,
			 const struct sharp_coll_reg_params *params, void **mr)
{
	if (params && params->field_mask)
		return SHARP_COLL_ENOT_SUPP;
	return sharp_coll_reg_mr(context, buf, size, mr);
}

int sharp_coll_dereg_mr(struct sharp_coll_context *context, void *mr)
{
	(void)context;
	return mr ? SHARP_COLL_SUCCESS : SHARP_COLL_EINVAL;
}

int sharp_coll_comm_init(struct sharp_coll_context *context,
			 struct sharp_coll_comm_init_spec *spec, struct sharp_coll_comm **comm)
{
	struct sharp_coll_comm *c;
	int ret;

	if (!context || !spec || !comm || spec->size < 1 || spec->rank < 0 ||
	    spec->rank >= spec->size)
		return SHARP_COLL_EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return SHARP_COLL_ENOMEM;
	c->context = context;
	c->rank = spec->rank;
	c->size = spec->size;
	ret = comm_join(c, spec);
	if (ret) {
		comm_leave(c);
		free(c);
		return ret;
	}
	pthread_mutex_lock(&context->lock);
	c->next = context->comms;
	context->comms = c;
	pthread_mutex_unlock(&context->lock);
	*comm = c;
	return SHARP_COLL_SUCCESS;
}

int sharp_coll_comm_destroy(struct sharp_coll_comm *comm)
{
	struct sharp_coll_comm **at = &comm->context->comms;

	pthread_mutex_lock(&comm->context->lock);
	while (*at != comm)
		at = &(*at)->next;
	*at = comm->next;
	pthread_mutex_unlock(&comm->context->lock);
	comm_leave(comm);
	free(comm);
	return SHARP_COLL_SUCCESS;
}

/* Memory of a buffer that is in use; NULL if it is of another kind. */
static uint8_t *buffer_of(const struct sharp_coll_data_desc *d)
{
	if (d->type != SHARP_DATA_BUFFER || d->mem_type != SHARP_MEM_TYPE_HOST)
		return NULL;
	return d->buffer.ptr;
}

/* Begin a collective, and give its handle. */
static int begin(struct sharp_coll_comm *comm, const struct request *like, void **handle)
{
	struct request *r;
	int ret;

	if ((like->from_bytes && !like->from) || (like->to_bytes && !like->to))
		return SHARP_COLL_ENOT_SUPP;
	r = malloc(sizeof(*r));
	if (!r)
		return SHARP_COLL_ENOMEM;
	*r = *like;
	r->comm = comm;
	pthread_mutex_lock(&comm->context->lock);
	ret = comm->status;
	if (!ret)
		comm_begin(comm, r);
	pthread_mutex_unlock(&comm->context->lock);
	if (ret)
		free(r);
	else
		*handle = r;
	return ret;
}

/* With the result of a begin: the same, blocking. */
static int finish(int ret, void **handle)
{
	return ret ? ret : sharp_coll_req_wait(*handle);
}

static uint32_t imm_of(uint32_t op, uint32_t type)
{
	return op << WEFT_REDUCE_OP_SHIFT | type << WEFT_REDUCE_TYPE_SHIFT;
}

#define OR_OF_BYTES	imm_of(WEFT_REDUCE_OP_BOR, WEFT_REDUCE_TYPE_U8)

/* Types of floating point have the sum, the minimum and the maximum. */
static int check_reduce(const struct sharp_coll_reduce_spec *spec)
{
	const int bits = spec->op >= SHARP_OP_LAND;
	uint32_t type;

	if ((unsigned int)spec->dtype >= TYPES ||
	    (unsigned int)spec->op >= sizeof(ops) / sizeof(*ops) || ops[spec->op] == NO_OP)
		return SHARP_COLL_ENOT_SUPP;
	type = types[spec->dtype].type;
	return bits && type >= WEFT_REDUCE_TYPE_FP16 ? SHARP_COLL_ENOT_SUPP :
						       SHARP_COLL_SUCCESS;
}

/* What a reduction of @n elements brings; where the result goes is the caller's. */
static struct request reduce_of(const struct sharp_coll_reduce_spec *spec, size_t n)
{
	const struct type *t = &types[spec->dtype];

	return (struct request) {
		.imm = imm_of(ops[spec->op], t->type), .bytes = n * t->bytes,
		.from = buffer_of(&spec->sbuf_desc), .from_bytes = n * t->bytes,
	};
}

int sharp_coll_do_allreduce_nb(struct sharp_coll_comm *comm,
			       struct sharp_coll_reduce_spec *spec, void **handle)
{
	int ret = check_reduce(spec);
	struct request r;

	if (ret)
		return ret;
	r = reduce_of(spec, spec->length);
	r.to = buffer_of(&spec->rbuf_desc);
	r.to_bytes = r.bytes;
	return begin(comm, &r, handle);
}

int sharp_coll_do_allreduce(struct sharp_coll_comm *comm, struct sharp_coll_reduce_spec *spec)
{
	void *handle = NULL;

	return finish(sharp_coll_do_allreduce_nb(comm, spec, &handle), &handle);
}

int sharp_coll_do_reduce_nb(struct sharp_coll_comm *comm, struct sharp_coll_reduce_spec *spec,
			    void **handle)
{
	int ret = check_reduce(spec);
	struct request r;

	if (ret)
		return ret;
	if (spec->root < 0 || spec->root >= comm->size)
		return SHARP_COLL_EINVAL;
	r = reduce_of(spec, spec->length);
	if (spec->root == comm->rank) {
		r.to = buffer_of(&spec->rbuf_desc);
		r.to_bytes = r.bytes;
	}
	return begin(comm, &r, handle);
}

int sharp_coll_do_reduce(struct sharp_coll_comm *comm, struct sharp_coll_reduce_spec *spec)
{
	void *handle = NULL;

	return finish(sharp_coll_do_reduce_nb(comm, spec, &handle), &handle);
}

/*
 * A vector with a block of each process, or a part of it.
 *
 * @whole: bytes of the whole vector
 * @bytes: of the part
 * @at: where the block of this process begins in the part
 * @own: bytes of the block in the part
 */
struct part {
	size_t whole;
	size_t bytes;
	size_t at;
	size_t own;
};

/* The part of @room bytes from @offset on; all of the vector if there is room for it. */
static struct part part_of(const struct sharp_coll_comm *comm, size_t block, size_t offset,
			   size_t room)
{
	struct part p = { .whole = block * (size_t)comm->size };
	size_t begin = block * (size_t)comm->rank, end = begin + block;

	p.bytes = offset || room < p.whole ? room : p.whole;
	if (begin < offset)
		begin = offset;
	if (end > offset + p.bytes)
		end = offset + p.bytes;
	if (end > begin) {
		p.at = begin - offset;
		p.own = end - begin;
	}
	return p;
}

int sharp_coll_do_reduce_scatter_nb(struct sharp_coll_comm *comm,
				    struct sharp_coll_reduce_spec *spec, void **handle)
{
	int ret = check_reduce(spec);
	struct request r;
	struct part p;

	if (ret)
		return ret;
	p = part_of(comm, spec->length * types[spec->dtype].bytes, spec->offset,
		    spec->sbuf_desc.buffer.length);
	if (spec->offset + p.bytes > p.whole || p.bytes % types[spec->dtype].bytes)
		return SHARP_COLL_EINVAL;
	r = reduce_of(spec, p.bytes / types[spec->dtype].bytes);
	r.to = buffer_of(&spec->rbuf_desc);
	r.to_at = p.at;
	r.to_bytes = p.own;
	return begin(comm, &r, handle);
}

int sharp_coll_do_reduce_scatter(struct sharp_coll_comm *comm,
				 struct sharp_coll_reduce_spec *spec)
{
	void *handle = NULL;

	return finish(sharp_coll_do_reduce_scatter_nb(comm, spec, &handle), &handle);
}

int sharp_coll_do_allgather_nb(struct sharp_coll_comm *comm,
			       struct sharp_coll_gather_spec *spec, void **handle)
{
	struct request r = { .imm = OR_OF_BYTES };
	struct part p;

	if ((unsigned int)spec->dtype >= TYPES)
		return SHARP_COLL_ENOT_SUPP;
	p = part_of(comm, spec->size * types[spec->dtype].bytes, spec->offset,
		    spec->rbuf_desc.buffer.length);
	if (spec->offset + p.bytes > p.whole)
		return SHARP_COLL_EINVAL;
	r.bytes = p.bytes;
	r.from = buffer_of(&spec->sbuf_desc);
	r.from_at = p.at;
	r.from_bytes = p.own;
	r.to = buffer_of(&spec->rbuf_desc);
	r.to_bytes = p.bytes;
	return begin(comm, &r, handle);
}

int sharp_coll_do_allgather(struct sharp_coll_comm *comm, struct sharp_coll_gather_spec *spec)
{
	void *handle = NULL;

	return finish(sharp_coll_do_allgather_nb(comm, spec, &handle), &handle);
}

int sharp_coll_do_bcast_nb(struct sharp_coll_comm *comm, struct sharp_coll_bcast_spec *spec,
			   void **handle)
{
	struct request r = { .imm = OR_OF_BYTES, .bytes = spec->size };

	if (spec->root < 0 || spec->root >= comm->size)
		return SHARP_COLL_EINVAL;
	if (spec->root == comm->rank) {
		r.from = buffer_of(&spec->buf_desc);
		r.from_bytes = spec->size;
	} else {
		r.to = buffer_of(&spec->buf_desc);
		r.to_bytes = spec->size;
	}
	return begin(comm, &r, handle);
}

int sharp_coll_do_bcast(struct sharp_coll_comm *comm, struct sharp_coll_bcast_spec *spec)
{
	void *handle = NULL;

	return finish(sharp_coll_do_bcast_nb(comm, spec, &handle), &handle);
}

int sharp_coll_do_barrier_nb(struct sharp_coll_comm *comm, void **handle)
{
	const struct request r = { .imm = OR_OF_BYTES };

	return begin(comm, &r, handle);
}

int sharp_coll_do_barrier(struct sharp_coll_comm *comm)
{
	void *handle = NULL;

	return finish(sharp_coll_do_barrier_nb(comm, &handle), &handle);
}

int sharp_coll_req_test(void *handle)
{
	struct request *r = handle;
	int ended;

	pthread_mutex_lock(&r->comm->context->lock);
	if (!r->ended)
		comm_progress(r->comm);
	ended = r->ended;
	pthread_mutex_unlock(&r->comm->context->lock);
	return ended;
}

int sharp_coll_req_wait(void *handle)
{
	struct request *r = handle;
	int ret;

	pthread_mutex_lock(&r->comm->context->lock);
	ret = comm_wait(r->comm, r);
	pthread_mutex_unlock(&r->comm->context->lock);
	free(r);
	return ret;
}

int sharp_coll_req_free(void *handle)
{
	struct request *r = handle;
	int ret = r->ended ? r->status : SHARP_COLL_EINVAL;

	if (r->ended)
		free(r);
	return ret;
}
