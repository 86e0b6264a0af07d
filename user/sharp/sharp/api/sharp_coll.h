/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collectives in the switches of Weft, behind the interface of libsharp_coll.
 *
 * Names, values and layouts are those that the callers of libsharp_coll use: tl/sharp of UCC,
 * and the CollNet plugin of NCCL. So they work with this library without a change, compiled
 * with either header. Documentation/model/reduce.rst says what is different.
 *
 * All functions that return an int return an enum sharp_error_no, unless they say otherwise.
 */
#ifndef SHARP_COLL_H
#define SHARP_COLL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum sharp_datatype - type of an element
 */
enum sharp_datatype {
	SHARP_DTYPE_UNSIGNED,
	SHARP_DTYPE_INT,
	SHARP_DTYPE_UNSIGNED_LONG,	/* 64 bits */
	SHARP_DTYPE_LONG,
	SHARP_DTYPE_FLOAT,
	SHARP_DTYPE_DOUBLE,
	SHARP_DTYPE_UNSIGNED_SHORT,
	SHARP_DTYPE_SHORT,
	SHARP_DTYPE_FLOAT_SHORT,	/* binary16 of IEEE 754 */
	SHARP_DTYPE_BFLOAT16,
	SHARP_DTYPE_UINT8,
	SHARP_DTYPE_INT8,
	SHARP_DTYPE_NULL,
};

/**
 * enum sharp_reduce_op - an operation; the product, MAXLOC and MINLOC are not supported
 */
enum sharp_reduce_op {
	SHARP_OP_MAX,
	SHARP_OP_MIN,
	SHARP_OP_SUM,
	SHARP_OP_PROD,
	SHARP_OP_LAND,
	SHARP_OP_BAND,
	SHARP_OP_LOR,
	SHARP_OP_BOR,
	SHARP_OP_LXOR,
	SHARP_OP_BXOR,
	SHARP_OP_MAXLOC,
	SHARP_OP_MINLOC,
	SHARP_OP_NULL,
};

/**
 * enum sharp_error_no - what functions return
 */
enum sharp_error_no {
	SHARP_COLL_SUCCESS	= 0,
	SHARP_COLL_ERROR	= -1,	/* a group failed; the reason is on stderr */
	SHARP_COLL_ENOT_SUPP	= -2,
	SHARP_COLL_ENOMEM	= -3,
	SHARP_COLL_EGROUP_ALLOC	= -4,
	SHARP_COLL_ECONN_TREE	= -5,
	SHARP_COLL_EGROUP_JOIN	= -6,
	SHARP_COLL_EQUOTA	= -7,
	SHARP_COLL_ESESS_INIT	= -8,	/* no aggregation manager */
	SHARP_COLL_EDEV		= -9,
	SHARP_COLL_EINVAL	= -10,
	SHARP_COLL_EJOB_CREATE	= -11,
	SHARP_COLL_ETREE_INFO	= -12,
	SHARP_COLL_ENOTREE	= -13,
	SHARP_COLL_EGROUP_ID	= -14,
	SHARP_COLL_EOOB		= -15,
	SHARP_COLL_EGROUP_MCAST	= -16,
	SHARP_COLL_EGROUP_TRIM	= -17,
	SHARP_COLL_ELOCK_FAILED	= -18,
	SHARP_COLL_ELOCK_DENIED	= -19,
	SHARP_COLL_ENO_RESOURCE	= -20,
};

/**
 * enum sharp_job_features - bits of sharp_coll_caps.support_mask.feature_mask
 */
enum sharp_job_features {
	SHARP_FEATURE_LLT		 = 1 << 0,
	SHARP_FEATURE_REPRODUCIBLE	 = 1 << 1,
	SHARP_FEATURE_SAT		 = 1 << 2,
	SHARP_FEATURE_SAT_EXCLUSIVE_LOCK = 1 << 3,
};

/**
 * enum sharp_aggregation_mode - which trees are used; here there is one kind
 */
enum sharp_aggregation_mode {
	SHARP_AGGREGATION_NONE,
	SHARP_AGGREGATION_DATAGRAM,
	SHARP_AGGREGATION_STREAMING,
};

/**
 * enum sharp_data_buffer_type - form of a buffer; only one range is supported
 */
enum sharp_data_buffer_type {
	SHARP_DATA_BUFFER,
	SHARP_DATA_IOV,
};

/**
 * enum sharp_data_memory_type - where a buffer is; only the host's memory is supported
 */
enum sharp_data_memory_type {
	SHARP_MEM_TYPE_HOST,
	SHARP_MEM_TYPE_CUDA,
	SHARP_MEM_TYPE_LAST,
};

#define SHARP_COLL_DATA_MAX_IOV	15

/* Bits of sharp_coll_config.flags. */
enum {
	SHARP_COLL_HIDE_ERRORS				= 1 << 0,
	SHARP_COLL_DISABLE_LAZY_GROUP_RESOURCE_ALLOC	= 1 << 1,
};

/* Bits of sharp_coll_reg_params.field_mask. */
enum {
	SHARP_COLL_REG_FIELD_DMABUF_FD		= 1 << 0,
	SHARP_COLL_REG_FIELD_DMABUF_OFFSET	= 1 << 1,
};

/**
 * enum config_print_flags - what sharp_coll_print_config() prints
 */
enum config_print_flags {
	SHARP_COLL_CONFIG_PRINT_CONFIG	= 1,
	SHARP_COLL_CONFIG_PRINT_HEADER	= 2,
	SHARP_COLL_CONFIG_PRINT_DOC	= 4,
	SHARP_COLL_CONFIG_PRINT_HIDDEN	= 8,
};

struct sharp_coll_context;
struct sharp_coll_comm;

/**
 * struct sharp_coll_config - settings of a context
 * @ib_dev_list: not used: the aggregation manager chooses the device
 * @user_progress_num_polls: polls of a blocking call between calls of progress_func()
 * @coll_timeout: the longest wait for a result, ms; -1: without an end
 * @flags: SHARP_COLL_HIDE_ERRORS: nothing is printed
 * @reserved: not used
 */
struct sharp_coll_config {
	const char *ib_dev_list;
	int user_progress_num_polls;
	int coll_timeout;
	uint32_t flags;
	int reserved[3];
};

/**
 * struct sharp_coll_out_of_band_colls - what the caller does for the library
 * @bcast: from @root to all; bytes
 * @barrier: all
 * @gather: from all to @root; bytes of each
 *
 * Each returns 0, or another number for a failure.
 */
struct sharp_coll_out_of_band_colls {
	int (*bcast)(void *context, void *buffer, int len, int root);
	int (*barrier)(void *context);
	int (*gather)(void *context, int root, void *sbuf, void *rbuf, int len);
};

/**
 * struct sharp_coll_init_spec - what sharp_coll_init() gets
 * @job_id: the same in all processes
 * @world_rank: number of the process
 * @world_size: how many there are
 * @progress_func: called by blocking calls while they wait; or NULL
 * @group_channel_idx: not used
 * @config: settings
 * @oob_colls: used by sharp_coll_comm_init() with its own context
 * @world_local_rank: not used
 * @enable_thread_support: not used: all functions may be called from several threads
 * @oob_ctx: not used: sharp_coll_init() talks to nobody
 * @reserved: not used
 */
struct sharp_coll_init_spec {
	uint64_t job_id;
	int world_rank;
	int world_size;
	int (*progress_func)(void);
	int group_channel_idx;
	struct sharp_coll_config config;
	struct sharp_coll_out_of_band_colls oob_colls;
	int world_local_rank;
	int enable_thread_support;
	void *oob_ctx;
	int reserved[4];
};

/**
 * struct sharp_coll_comm_init_spec - what sharp_coll_comm_init() gets
 * @rank: number of the process in the group
 * @size: processes of the group
 * @oob_ctx: context of the functions of sharp_coll_out_of_band_colls
 * @group_world_ranks: not used
 * @reserved: not used
 */
struct sharp_coll_comm_init_spec {
	int rank;
	int size;
	void *oob_ctx;
	const uint32_t *group_world_ranks;
	int reserved[2];
};

/**
 * struct sharp_coll_caps - what a context can do
 * @sharp_pkt_version: 1
 * @reserved: 0
 * @support_mask: bits of types, of types of tags, of operations, and of features
 * @resources: chunks at a time, bytes of one, and groups
 */
struct sharp_coll_caps {
	int sharp_pkt_version;
	uint64_t reserved[2];
	struct {
		uint64_t dtypes;
		uint64_t tag_dtypes;
		uint64_t reduce_ops;
		uint64_t feature_mask;
		uint64_t reserved[4];
	} support_mask;
	struct {
		int max_osts;
		int user_data_per_ost;
		int max_groups;
		int max_group_channels;
		int osts_per_group;
	} resources;
};

/**
 * struct sharp_data_iov - a part of a buffer
 * @ptr: its begin
 * @length: its bytes
 * @mem_handle: of sharp_coll_reg_mr()
 */
struct sharp_data_iov {
	void *ptr;
	size_t length;
	void *mem_handle;
};

/**
 * struct sharp_coll_data_desc - a buffer
 * @type: SHARP_DATA_BUFFER
 * @mem_type: SHARP_MEM_TYPE_HOST
 * @reserved: not used
 * @buffer: its begin, bytes, and registration, which may be NULL
 * @iov: with SHARP_DATA_IOV
 */
struct sharp_coll_data_desc {
	enum sharp_data_buffer_type type;
	enum sharp_data_memory_type mem_type;
	int reserved[2];
	union {
		struct {
			void *ptr;
			size_t length;
			void *mem_handle;
		} buffer;
		struct {
			unsigned int count;
			struct sharp_data_iov *vector;
		} iov;
	};
};

/**
 * struct sharp_coll_reduce_spec - a reduction
 * @root: of a reduce: who gets the result
 * @sbuf_desc: what this process brings
 * @rbuf_desc: where the result goes; may be the same
 * @dtype: type of the elements
 * @length: elements; of a reduce-scatter: of each process
 * @op: operation
 * @tag_dtype: not used
 * @aggr_mode: not used
 * @stream_lock_batch_size: not used
 * @offset: of a reduce-scatter of a part: bytes before @sbuf_desc in the whole vector
 * @reserved: not used
 */
struct sharp_coll_reduce_spec {
	int root;
	struct sharp_coll_data_desc sbuf_desc;
	struct sharp_coll_data_desc rbuf_desc;
	enum sharp_datatype dtype;
	size_t length;
	enum sharp_reduce_op op;
	enum sharp_datatype tag_dtype;
	enum sharp_aggregation_mode aggr_mode;
	int stream_lock_batch_size;
	size_t offset;
	int reserved[2];
};

/**
 * struct sharp_coll_bcast_spec - a broadcast
 * @root: who has the data
 * @buf_desc: the data, or where they go
 * @size: bytes
 * @reserved: not used
 */
struct sharp_coll_bcast_spec {
	int root;
	struct sharp_coll_data_desc buf_desc;
	size_t size;
	int reserved[4];
};

/**
 * struct sharp_coll_gather_spec - an all-gather
 * @sbuf_desc: what this process brings; all bring as much
 * @rbuf_desc: where all of it goes, in the order of the processes
 * @dtype: type of the elements
 * @size: elements of each process
 * @offset: of an all-gather of a part: bytes before @rbuf_desc in the whole vector
 * @reserved: not used
 */
struct sharp_coll_gather_spec {
	struct sharp_coll_data_desc sbuf_desc;
	struct sharp_coll_data_desc rbuf_desc;
	enum sharp_datatype dtype;
	size_t size;
	size_t offset;
	int reserved[4];
};

/**
 * struct sharp_coll_reg_params - of a registration by DMA-BUF, which is not supported
 * @field_mask: which of the others are set
 * @dmabuf_fd: the DMA-BUF
 * @dmabuf_offset: offset in it
 */
struct sharp_coll_reg_params {
	uint64_t field_mask;
	int dmabuf_fd;
	size_t dmabuf_offset;
};

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

extern const struct sharp_coll_config sharp_coll_default_config;

/* Contexts. */
int sharp_coll_init(struct sharp_coll_init_spec *spec, struct sharp_coll_context **context);
int sharp_coll_finalize(struct sharp_coll_context *context);
int sharp_coll_caps_query(struct sharp_coll_context *context, struct sharp_coll_caps *caps);
int sharp_coll_progress(struct sharp_coll_context *context);
int sharp_coll_dump_stats(struct sharp_coll_context *context);
int sharp_coll_print_config(FILE *stream, enum config_print_flags print_flags,
			    const char *exec_name);
const char *sharp_coll_strerror(int error);

/* Memory. */
int sharp_coll_reg_mr(struct sharp_coll_context *context, void *buf, size_t size, void **mr);
int sharp_coll_reg_mr_v2(struct sharp_coll_context *context, void *buf, size_t size,
			 const struct sharp_coll_reg_params *params, void **mr);
int sharp_coll_dereg_mr(struct sharp_coll_context *context, void *mr);

/* Groups: all processes of the group call these, in the same order. */
int sharp_coll_comm_init(struct sharp_coll_context *context,
			 struct sharp_coll_comm_init_spec *spec, struct sharp_coll_comm **comm);
int sharp_coll_comm_destroy(struct sharp_coll_comm *comm);

/* Collectives: also in the same order; those with _nb return before they have ended. */
int sharp_coll_do_barrier(struct sharp_coll_comm *comm);
int sharp_coll_do_barrier_nb(struct sharp_coll_comm *comm, void **handle);
int sharp_coll_do_allreduce(struct sharp_coll_comm *comm, struct sharp_coll_reduce_spec *spec);
int sharp_coll_do_allreduce_nb(struct sharp_coll_comm *comm,
			       struct sharp_coll_reduce_spec *spec, void **handle);
int sharp_coll_do_reduce(struct sharp_coll_comm *comm, struct sharp_coll_reduce_spec *spec);
int sharp_coll_do_reduce_nb(struct sharp_coll_comm *comm, struct sharp_coll_reduce_spec *spec,
			    void **handle);
int sharp_coll_do_reduce_scatter(struct sharp_coll_comm *comm,
				 struct sharp_coll_reduce_spec *spec);
int sharp_coll_do_reduce_scatter_nb(struct sharp_coll_comm *comm,
				    struct sharp_coll_reduce_spec *spec, void **handle);
int sharp_coll_do_allgather(struct sharp_coll_comm *comm, struct sharp_coll_gather_spec *spec);
int sharp_coll_do_allgather_nb(struct sharp_coll_comm *comm,
			       struct sharp_coll_gather_spec *spec, void **handle);
int sharp_coll_do_bcast(struct sharp_coll_comm *comm, struct sharp_coll_bcast_spec *spec);
int sharp_coll_do_bcast_nb(struct sharp_coll_comm *comm, struct sharp_coll_bcast_spec *spec,
			   void **handle);

/* Returns another number than 0 if the collective has ended, well or not. */
int sharp_coll_req_test(void *handle);
/* Waits, and frees the handle. */
int sharp_coll_req_wait(void *handle);
int sharp_coll_req_free(void *handle);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
