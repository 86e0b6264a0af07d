// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What callers of libsharp_coll that are compiled with another header of it rely on: values of
 * enumerations, sizes and offsets of structs on machines with pointers of 64 bits. They are
 * those of the public interface of version 3.0, as tl/sharp of UCC and the CollNet plugin use
 * it; and the functions that these two link against.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "../../user/sharp/sharp/api/sharp_coll.h"
#include "../../user/sharp/sharp/api/version.h"

#include "ktap.h"

#define AT(type, member, offset) EXPECT_EQ(offsetof(struct type, member), offset)

TEST(values)
{
	EXPECT_EQ(SHARP_DTYPE_FLOAT, 4);
	EXPECT_EQ(SHARP_DTYPE_FLOAT_SHORT, 8);
	EXPECT_EQ(SHARP_DTYPE_BFLOAT16, 9);
	EXPECT_EQ(SHARP_DTYPE_NULL, 12);
	EXPECT_EQ(SHARP_OP_MAX, 0);
	EXPECT_EQ(SHARP_OP_SUM, 2);
	EXPECT_EQ(SHARP_OP_BXOR, 9);
	EXPECT_EQ(SHARP_OP_NULL, 12);
	EXPECT_EQ(-SHARP_COLL_ENOT_SUPP, 2);
	EXPECT_EQ(-SHARP_COLL_ENO_RESOURCE, 20);
	EXPECT_EQ(SHARP_AGGREGATION_STREAMING, 2);
	EXPECT_EQ(SHARP_FEATURE_SAT_EXCLUSIVE_LOCK, 8);
	EXPECT_EQ(SHARP_MEM_TYPE_CUDA, 1);
	EXPECT(SHARP_VERSION(1, 4) < SHARP_API);
}

TEST(structs)
{
	EXPECT_EQ(sizeof(struct sharp_coll_config), 32);
	AT(sharp_coll_config, user_progress_num_polls, 8);
	AT(sharp_coll_config, coll_timeout, 12);
	AT(sharp_coll_config, flags, 16);
	EXPECT_EQ(sizeof(struct sharp_coll_out_of_band_colls), 24);
	AT(sharp_coll_out_of_band_colls, gather, 16);
	EXPECT_EQ(sizeof(struct sharp_coll_comm_init_spec), 32);
	AT(sharp_coll_comm_init_spec, oob_ctx, 8);
	AT(sharp_coll_comm_init_spec, group_world_ranks, 16);
	EXPECT_EQ(sizeof(struct sharp_coll_init_spec), 120);
	AT(sharp_coll_init_spec, progress_func, 16);
	AT(sharp_coll_init_spec, group_channel_idx, 24);
	AT(sharp_coll_init_spec, config, 32);
	AT(sharp_coll_init_spec, oob_colls, 64);
	AT(sharp_coll_init_spec, world_local_rank, 88);
	AT(sharp_coll_init_spec, enable_thread_support, 92);
	AT(sharp_coll_init_spec, oob_ctx, 96);
	EXPECT_EQ(sizeof(struct sharp_coll_caps), 112);
	AT(sharp_coll_caps, support_mask, 24);
	AT(sharp_coll_caps, support_mask.reduce_ops, 40);
	AT(sharp_coll_caps, resources, 88);
	AT(sharp_coll_caps, resources.osts_per_group, 104);
}

TEST(specs)
{
	EXPECT_EQ(sizeof(struct sharp_data_iov), 24);
	EXPECT_EQ(sizeof(struct sharp_coll_data_desc), 40);
	AT(sharp_coll_data_desc, buffer.ptr, 16);
	AT(sharp_coll_data_desc, buffer.mem_handle, 32);
	EXPECT_EQ(sizeof(struct sharp_coll_reduce_spec), 136);
	AT(sharp_coll_reduce_spec, sbuf_desc, 8);
	AT(sharp_coll_reduce_spec, rbuf_desc, 48);
	AT(sharp_coll_reduce_spec, dtype, 88);
	AT(sharp_coll_reduce_spec, length, 96);
	AT(sharp_coll_reduce_spec, op, 104);
	AT(sharp_coll_reduce_spec, aggr_mode, 112);
	AT(sharp_coll_reduce_spec, offset, 120);
	EXPECT_EQ(sizeof(struct sharp_coll_bcast_spec), 72);
	AT(sharp_coll_bcast_spec, buf_desc, 8);
	AT(sharp_coll_bcast_spec, size, 48);
	EXPECT_EQ(sizeof(struct sharp_coll_gather_spec), 120);
	AT(sharp_coll_gather_spec, rbuf_desc, 40);
	AT(sharp_coll_gather_spec, size, 88);
	AT(sharp_coll_gather_spec, offset, 96);
	EXPECT_EQ(sizeof(struct sharp_coll_reg_params), 24);
	AT(sharp_coll_reg_params, dmabuf_offset, 16);
}

/* UCC: the first 19; the plugin: most of these, and those with _v2 and dump_stats. */
TEST(symbols)
{
	static const char *const name[] = {
		"sharp_coll_init", "sharp_coll_finalize", "sharp_coll_caps_query",
		"sharp_coll_progress", "sharp_coll_comm_init", "sharp_coll_comm_destroy",
		"sharp_coll_reg_mr", "sharp_coll_dereg_mr", "sharp_coll_strerror",
		"sharp_coll_do_barrier_nb", "sharp_coll_do_allreduce_nb",
		"sharp_coll_do_bcast_nb", "sharp_coll_do_reduce_scatter_nb",
		"sharp_coll_do_allgather_nb", "sharp_coll_req_test", "sharp_coll_req_free",
		"sharp_coll_req_wait", "sharp_coll_default_config",
		"sharp_coll_print_config", "sharp_coll_do_barrier", "sharp_coll_do_allreduce",
		"sharp_coll_do_bcast", "sharp_coll_do_reduce", "sharp_coll_do_reduce_nb",
		"sharp_coll_do_reduce_scatter", "sharp_coll_do_allgather",
		"sharp_coll_reg_mr_v2", "sharp_coll_dump_stats",
	};
	void *library = dlopen(WEFT_TEST_SHARP, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		ktap_fail(__FILE__, __LINE__, "%s", dlerror());
		return;
	}
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (!dlsym(library, name[i]))
			ktap_fail(__FILE__, __LINE__, "%s is missing", name[i]);
	EXPECT(!dlsym(library, "comm_join"));
	dlclose(library);
}
