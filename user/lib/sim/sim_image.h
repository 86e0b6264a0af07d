/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a checkpoint, and what a run remembers to write them.
 *
 * A checkpoint is a directory. The file "checkpoint" in it, which is JSON, names the
 * others, each of which has blocks of the simulation's memory:
 *
 *   struct weft_sim_head
 *   u64 address[head.blocks]		of each block, ascending
 *   u64 times[2 * head.messages]	start and end of each message, plus 1
 *   char block[head.blocks][WEFT_SIM_BLOCK]
 *   u64 sum				weft_sim_hash() of all of that
 */
#ifndef WEFT_SIM_IMAGE_H
#define WEFT_SIM_IMAGE_H

#include <limits.h>

#include "sim/sim_run.h"

#define WEFT_SIM_BLOCK		128U	/* a page would have more that has not changed */
#define WEFT_SIM_IMAGE_MAGIC	0x74706b6374666577ULL	/* "weftckpt" */
#define WEFT_SIM_IMAGE_VERSION	1
#define WEFT_SIM_REGIONS	(1 + WEFT_SIM_PARTS_MAX)
#define WEFT_SIM_INDEX		"checkpoint"
#define WEFT_SIM_FILES_MAX	(1 + WEFT_SIM_PARTS_MAX)
#define WEFT_SIM_FILE_NAME	48

/**
 * struct weft_sim_head - begin of a file
 * @magic: WEFT_SIM_IMAGE_MAGIC
 * @version: WEFT_SIM_IMAGE_VERSION
 * @program: which program wrote it, weft_sim_program()
 * @inputs: of what it is a simulation, weft_sim_inputs()
 * @at: fabric time, ps: all before has happened
 * @messages: messages of the workload
 * @blocks: blocks in this file
 * @used: bytes that are used of each region, as far as this process knows
 * @spare: unused packets of each part that ran in this process: address of the first
 * @state: where these parts stood
 */
struct weft_sim_head {
	u64 magic;
	u64 version;
	u64 program;
	u64 inputs;
	fab_time at;
	u64 messages;
	u64 blocks;
	u64 used[WEFT_SIM_REGIONS];
	u64 spare[WEFT_SIM_PARTS_MAX];
	struct weft_sim_state state;
};

/**
 * struct weft_sim_index - the file "checkpoint"
 * @at: fabric time, ps
 * @parts: parts for which the fabric was divided
 * @cells: cells of each of these
 * @files: entries of @file
 * @base: the first file is the state from which the others differ
 * @file: names of the files
 */
struct weft_sim_index {
	fab_time at;
	u32 parts;
	u32 cells;
	u32 files;
	bool base;
	char file[WEFT_SIM_FILES_MAX][WEFT_SIM_FILE_NAME];
};

/**
 * struct weft_sim_keep - what a run that writes checkpoints remembers
 * @due: time of the next one, ps; FAB_NEVER: none is wanted
 * @program: weft_sim_program()
 * @inputs: weft_sim_inputs()
 * @begun: fabric time at which the run began, ps; 0: it is no resumed one
 * @base: there is a file with the state in which it began, for all ranks
 * @hash: for each region, the hash of each block with which it began
 * @blocks: entries of @hash
 */
struct weft_sim_keep {
	fab_time due;
	u64 program;
	u64 inputs;
	fab_time begun;
	bool base;
	u64 *hash[WEFT_SIM_REGIONS];
	size_t blocks[WEFT_SIM_REGIONS];
};

/* sim_digest.c */
u64 weft_sim_hash(u64 so_far, const void *data, size_t bytes);
int weft_sim_program(u64 *program, struct weft_err *err);
int weft_sim_inputs(const struct weft_sim *sim, u64 *inputs, struct weft_err *err);

/* sim_checkpoint.c */
int weft_sim_keep_begin(struct weft_sim_parts *p, struct weft_err *err);
int weft_sim_keep_resumed(struct weft_sim_parts *p, struct weft_err *err);
void weft_sim_keep_take(struct weft_sim_parts *p, fab_time next);
void weft_sim_keep_end(struct weft_sim_parts *p);
void weft_sim_attach(struct weft_sim_parts *p, bool attach);

/* sim_resume.c */
int weft_sim_resume_begin(struct weft_sim_parts *p, struct weft_err *err);
int weft_sim_resume(struct weft_sim_parts *p, struct weft_err *err);

#endif
