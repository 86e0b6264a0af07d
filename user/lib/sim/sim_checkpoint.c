// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checkpoints: the state of a simulation in files, from which a run can go on.
 *
 * DOC: theory of operation
 *
 * All state is in regions of memory at fixed addresses (sim_mem.c), which the same
 * program makes alike from the same inputs. So a checkpoint is the blocks that differ from
 * a simulation that has just begun, found by their hashes. What points out of the regions
 * is taken out before, and put back afterwards: weft_sim_attach().
 *
 * Between two windows nothing is on its way between parts. Then each process writes a
 * file. With ranks of MPI, each byte of the model changes in one rank only, the one that
 * runs its cell, so the state of all is what any of them has changed. That needs a state
 * from which all have begun: a resumed run on ranks writes it to a file first.
 *
 * A checkpoint counts from the moment at which the index is renamed. The files of the one
 * before are removed after that. If one cannot be written, the run goes on, and the one
 * before stays.
 */
#include "sim/sim_image.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/**
 * struct blocks - blocks that differ
 * @address: their addresses
 * @n: entries of @address
 */
struct blocks {
	u64 *address;
	size_t n;
};

/**
 * struct out - a file that is written
 * @f: the file
 * @sum: hash of what was written
 * @why: first error, an errno; 0: none
 */
struct out {
	FILE *f;
	u64 sum;
	int why;
};

/**
 * weft_sim_attach() - set all pointers that lead out of the regions, or clear them
 * @p: the parts, none of which runs
 * @attach: set them
 */
void weft_sim_attach(struct weft_sim_parts *p, bool attach)
{
	const struct weft_sim *sim = *p->cell;

	for (u32 i = 0; i < p->n; i++)
		for (u32 k = 0; k < p->part[i].cells; k++) {
			struct weft_sim *cell = p->part[i].cell[k];

			cell->parts = attach ? p : NULL;
			cell->part = attach ? &p->part[i] : NULL;
			cell->number = attach ? k : 0;
			cell->plan = attach ? p->plan : NULL;
			cell->o = attach ? p->o : NULL;
			cell->work = attach ? p->work : NULL;
		}
	for (u32 i = 0; i < p->plan->nics; i++)
		sim->nic[i].plan = attach ? &p->plan->nic[i] : NULL;
}

static size_t blocks_of(const struct weft_sim_region *r)
{
	return (r->used + WEFT_SIM_BLOCK - 1) / WEFT_SIM_BLOCK;
}

static u64 block_hash(const struct weft_sim_region *r, size_t block)
{
	return weft_sim_hash(0, r->base + block * WEFT_SIM_BLOCK, WEFT_SIM_BLOCK);
}

static int remember_region(struct weft_sim_keep *k, u32 i, const struct weft_sim_region *r,
			   struct weft_err *err)
{
	size_t n = blocks_of(r);
	u64 *hash = realloc(k->hash[i], (n + 1) * sizeof(*hash));

	if (!hash)
		return weft_err_nomem(err);
	for (size_t block = 0; block < n; block++)
		hash[block] = block_hash(r, block);
	k->hash[i] = hash;
	k->blocks[i] = n;
	return 0;
}

/* Remember the state from which checkpoints differ. */
static int remember(struct weft_sim_parts *p, struct weft_err *err)
{
	int ret = 0;

	weft_sim_attach(p, false);
	for (u32 i = 0; !ret && i < WEFT_SIM_REGIONS; i++)
		ret = remember_region(p->keep, i, &p->mem.region[i], err);
	weft_sim_attach(p, true);
	return ret;
}

/* The blocks that differ from what was remembered, without outward pointers. */
static int find_blocks(const struct weft_sim_parts *p, struct blocks *blocks, struct weft_err *err)
{
	const struct weft_sim_keep *k = p->keep;
	size_t most = 0;

	for (u32 i = 0; i < WEFT_SIM_REGIONS; i++)
		most += blocks_of(&p->mem.region[i]);
	blocks->n = 0;
	blocks->address = malloc((most + 1) * sizeof(*blocks->address));
	if (!blocks->address)
		return weft_err_nomem(err);
	for (u32 i = 0; i < WEFT_SIM_REGIONS; i++) {
		const struct weft_sim_region *r = &p->mem.region[i];

		for (size_t block = 0; block < blocks_of(r); block++)
			if (block >= k->blocks[i] || block_hash(r, block) != k->hash[i][block])
				blocks->address[blocks->n++] = (u64)(uintptr_t)r->base +
							     block * WEFT_SIM_BLOCK;
	}
	return 0;
}

static void put(struct out *out, const void *data, size_t bytes)
{
	out->sum = weft_sim_hash(out->sum, data, bytes);
	if (!out->why && fwrite(data, 1, bytes, out->f) != bytes)
		out->why = errno ? errno : EIO;
}

static void put_times(struct out *out, const struct weft_work *w)
{
	for (u32 i = 0; i < w->messages; i++) {
		const u64 times[] = { w->message[i].start + 1, w->message[i].end + 1 };

		put(out, times, sizeof(times));
	}
}

static void put_all(struct out *out, const struct weft_sim_parts *p,
		    const struct weft_sim_head *head, const struct blocks *blocks)
{
	u64 sum;

	put(out, head, sizeof(*head));
	put(out, blocks->address, blocks->n * sizeof(*blocks->address));
	put_times(out, p->work);
	for (size_t i = 0; i < blocks->n; i++)
		put(out, (const void *)(uintptr_t)blocks->address[i], WEFT_SIM_BLOCK);
	sum = out->sum;
	put(out, &sum, sizeof(sum));
}

/* Close a file whose content is on the disk. Return: 0 or an errno. */
static int close_safely(FILE *f)
{
	int why = 0;

	if (fflush(f) || fsync(fileno(f)))
		why = errno;
	if (fclose(f) && !why)
		why = errno;
	return why;
}

static void path_of(const struct weft_sim_parts *p, const char *name, bool part,
		    char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.3900s/%.150s%s", p->o->checkpoint, name, part ? ".part" : "");
}

/* Give a file that is written its name. */
static int name_file(const struct weft_sim_parts *p, const char *name, struct weft_err *err)
{
	char path[PATH_MAX], part[PATH_MAX];

	path_of(p, name, true, part);
	path_of(p, name, false, path);
	return rename(part, path) ? weft_err_sys(err, errno, "write %s", path) : 0;
}

/* After an error; the file may not be there. */
static void forget_file(const struct weft_sim_parts *p, const char *name)
{
	char path[PATH_MAX];

	path_of(p, name, true, path);
	unlink(path);
	path_of(p, name, false, path);
	unlink(path);
}

static int write_blocks(const struct weft_sim_parts *p, const char *name,
			const struct weft_sim_head *head, const struct blocks *blocks,
			struct weft_err *err)
{
	struct out out = { 0 };
	char path[PATH_MAX];
	int why;

	path_of(p, name, true, path);
	out.f = fopen(path, "we");
	if (!out.f)
		return weft_err_sys(err, errno, "write %s", path);
	errno = 0;
	put_all(&out, p, head, blocks);
	why = close_safely(out.f);
	if (out.why || why)
		return weft_err_sys(err, out.why ? out.why : why, "write %s", path);
	return name_file(p, name, err);
}

static struct weft_sim_head head_of(const struct weft_sim_parts *p, fab_time at)
{
	struct weft_sim_head head = {
		.magic = WEFT_SIM_IMAGE_MAGIC, .version = WEFT_SIM_IMAGE_VERSION,
		.program = p->keep->program, .inputs = p->keep->inputs, .at = at,
		.messages = p->work->messages,
	};

	for (u32 i = 0; i < WEFT_SIM_REGIONS; i++)
		head.used[i] = p->mem.region[i].used;
	head.state = (struct weft_sim_state) { .next = FAB_NEVER, .failed = FAB_NEVER };
	for (u32 i = 0; i < p->n; i++) {
		if (weft_sim_team(p) && &p->part[i] != p->mine)
			continue;
		weft_sim_state_add(&head.state, &p->part[i].state);
		head.spare[i] = (u64)(uintptr_t)p->part[i].spare;
	}
	return head;
}

/* Write what differs from what was remembered. */
static int write_file(struct weft_sim_parts *p, const char *name, fab_time at,
		      struct weft_err *err)
{
	struct weft_sim_head head = head_of(p, at);
	struct blocks blocks;
	int ret;

	weft_sim_attach(p, false);
	ret = find_blocks(p, &blocks, err);
	head.blocks = blocks.n;
	if (!ret)
		ret = write_blocks(p, name, &head, &blocks, err);
	weft_sim_attach(p, true);
	free(blocks.address);
	return ret;
}

static void name_of(char name[WEFT_SIM_FILE_NAME], fab_time at, u32 rank)
{
	snprintf(name, WEFT_SIM_FILE_NAME, "%" PRIu64 "-%u", (uint64_t)at, rank);
}

static void name_of_base(char name[WEFT_SIM_FILE_NAME], fab_time at)
{
	snprintf(name, WEFT_SIM_FILE_NAME, "%" PRIu64 "-base", (uint64_t)at);
}

static struct weft_sim_index index_of(const struct weft_sim_parts *p, fab_time at)
{
	const struct weft_team *team = weft_sim_team(p);
	struct weft_sim_index index = {
		.at = at, .parts = p->divided, .cells = p->cells / p->divided,
		.base = p->keep->base,
	};

	if (index.base)
		name_of_base(index.file[index.files++], p->keep->begun);
	for (u32 i = 0; i < (team ? team->size : 1); i++)
		name_of(index.file[index.files++], at, i);
	return index;
}

/* A rank on another file system would not be missed before the checkpoint is needed. */
static int check_files(const struct weft_sim_parts *p, const struct weft_sim_index *index,
		       struct weft_err *err)
{
	char path[PATH_MAX];

	for (u32 i = 0; i < index->files; i++) {
		path_of(p, index->file[i], false, path);
		if (access(path, R_OK))
			return weft_err_sys(err, errno, "%s, which another rank wrote; expected a directory that all ranks share",
					    path);
	}
	return 0;
}

static int write_index(const struct weft_sim_parts *p, const struct weft_sim_index *index,
		       struct weft_err *err)
{
	json_t *files = json_array(), *o;
	char path[PATH_MAX];
	FILE *f;
	int why;

	for (u32 i = 0; i < index->files; i++)
		json_array_append_new(files, json_string(index->file[i]));
	o = json_pack("{s:I, s:I, s:i, s:i, s:b, s:o}", "version",
		      (json_int_t)WEFT_SIM_IMAGE_VERSION, "time_ps", (json_int_t)index->at,
		      "parts", (int)index->parts, "cells", (int)index->cells,
		      "base", index->base, "files", files);
	path_of(p, WEFT_SIM_INDEX, true, path);
	why = weft_file_write_json(path, 0, o, JSON_INDENT(2), err);
	json_decref(o);
	if (why)
		return why;
	f = fopen(path, "r+e");
	why = f ? close_safely(f) : errno;
	return why ? weft_err_sys(err, why, "write %s", path) :
		     name_file(p, WEFT_SIM_INDEX, err);
}

/* Is it a file of a checkpoint, whole or not? */
static bool is_file(const char *name)
{
	const char *at = name;

	while (isdigit((unsigned char)*at))
		at++;
	if (at == name || *at++ != '-')
		return false;
	if (!strncmp(at, "base", 4)) {
		at += 4;
	} else {
		if (!isdigit((unsigned char)*at))
			return false;
		while (isdigit((unsigned char)*at))
			at++;
	}
	return !*at || !strcmp(at, ".part");
}

static bool is_named(const struct weft_sim_index *index, const char *name)
{
	for (u32 i = 0; i < index->files; i++)
		if (!strcmp(index->file[i], name))
			return true;
	return false;
}

static void remove_others(const struct weft_sim_parts *p, const struct weft_sim_index *index)
{
	DIR *dir = opendir(p->o->checkpoint);
	const struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		if (!is_file(entry->d_name) || is_named(index, entry->d_name))
			continue;
		path_of(p, entry->d_name, false, path);
		unlink(path);
	}
	if (dir)
		closedir(dir);
}

static bool is_first(const struct weft_sim_parts *p)
{
	const struct weft_team *team = weft_sim_team(p);

	return !team || !team->rank;
}

/* The names of files are on the disk, too. */
static int sync_directory(const struct weft_sim_parts *p, struct weft_err *err)
{
	int fd = open(p->o->checkpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC), why = 0;

	if (fd < 0 || fsync(fd))
		why = errno;
	if (fd >= 0)
		close(fd);
	return why ? weft_err_sys(err, why, "write %s", p->o->checkpoint) : 0;
}

static int take(struct weft_sim_parts *p, fab_time at, struct weft_err *err)
{
	const struct weft_team *team = weft_sim_team(p);
	struct weft_sim_index index = index_of(p, at);
	char name[WEFT_SIM_FILE_NAME];
	int ret;

	name_of(name, at, team ? team->rank : 0);
	ret = weft_team_agree(team, write_file(p, name, at, err), err);
	if (!ret && is_first(p)) {
		ret = check_files(p, &index, err);
		if (!ret)
			ret = write_index(p, &index, err);
		if (!ret)
			ret = sync_directory(p, err);
	}
	ret = weft_team_agree(team, ret, err);
	if (ret)
		forget_file(p, name);
	else if (is_first(p))
		remove_others(p, &index);
	return ret;
}

/* When the next one is due, after the one of a time. */
static fab_time due_after(const struct weft_sim_parts *p, fab_time at)
{
	fab_time every = p->o->every, last = at - at % every;

	return every < FAB_TIME_END - last ? last + every : FAB_NEVER;
}

/**
 * weft_sim_keep_take() - write a checkpoint
 * @p: the parts, none of which runs; all ranks of MPI call it
 * @next: nothing is due before, ps; at least p->keep->due
 *
 * If it fails, who wants to know is told, and the one before stays.
 */
void weft_sim_keep_take(struct weft_sim_parts *p, fab_time next)
{
	struct weft_sim_keep *k = p->keep;
	struct weft_err err;

	if (take(p, next - next % p->o->every, &err) && is_first(p) && p->o->warn)
		p->o->warn(p->o->ctx, &err);
	k->due = due_after(p, next);
}

static int try_directory(const struct weft_sim_parts *p, struct weft_err *err)
{
	char path[PATH_MAX];
	FILE *f;

	if (mkdir(p->o->checkpoint, 0777) && errno != EEXIST) {
		weft_err_sys(err, errno, "make the directory %s", p->o->checkpoint);
		err->kind = WEFT_ERR_USAGE;
		return err->code;
	}
	path_of(p, WEFT_SIM_INDEX, true, path);
	f = fopen(path, "we");
	if (!f) {
		weft_err_sys(err, errno, "write %s", path);
		err->kind = WEFT_ERR_USAGE;
		return err->code;
	}
	fclose(f);
	unlink(path);
	return 0;
}

/**
 * weft_sim_keep_begin() - prepare for checkpoints, if they are wanted
 * @p: the parts of a simulation that begins
 * @err: error
 *
 * Return: 0 or negative errno; in any case weft_sim_keep_end() ends it.
 */
int weft_sim_keep_begin(struct weft_sim_parts *p, struct weft_err *err)
{
	struct weft_sim_keep *k;

	if (!p->o->checkpoint && !p->o->resume)
		return 0;
	k = calloc(1, sizeof(*k));
	p->keep = k;
	if (!k)
		return weft_err_nomem(err);
	k->due = FAB_NEVER;
	if (weft_sim_program(&k->program, err) || weft_sim_inputs(*p->cell, &k->inputs, err))
		return err->code;
	if (!p->o->checkpoint)
		return 0;
	if (is_first(p) && try_directory(p, err))
		return err->code;
	k->due = due_after(p, 0);
	return remember(p, err);
}

/**
 * weft_sim_keep_resumed() - prepare for checkpoints of a run that was resumed
 * @p: the parts
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_keep_resumed(struct weft_sim_parts *p, struct weft_err *err)
{
	struct weft_sim_keep *k = p->keep;
	char name[WEFT_SIM_FILE_NAME];

	if (!p->o->checkpoint)
		return 0;
	k->begun = p->index->at;
	k->due = due_after(p, k->begun);
	if (!weft_sim_team(p))
		return 0;
	k->base = true;
	name_of_base(name, k->begun);
	if (is_first(p) && write_file(p, name, k->begun, err))
		return err->code;
	return remember(p, err);
}

/**
 * weft_sim_keep_end() - forget what checkpoints needed
 * @p: the parts
 */
void weft_sim_keep_end(struct weft_sim_parts *p)
{
	for (u32 i = 0; p->keep && i < WEFT_SIM_REGIONS; i++)
		free(p->keep->hash[i]);
	free(p->keep);
	p->keep = NULL;
}
