// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Go on from a checkpoint (sim_checkpoint.c has how it is made).
 *
 * The simulation is made as at its begin, with the cells that it had. Then the blocks of
 * the files come over it. Where several ranks have changed a block, each has changed other
 * bytes of it. The cells may be given to another number of parts than before: what a part
 * has besides its cells are unused packets and counts, which any part can have.
 */
#include "sim/sim_image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"

#define AT_END	U64_MAX

/**
 * struct file - a file of a checkpoint
 * @path: its path
 * @data: its bytes
 * @bytes: how many
 * @head: its head
 * @address: the addresses of its blocks
 * @times: times of messages
 * @block: the blocks
 * @next: the next block to be taken
 */
struct file {
	char path[PATH_MAX];
	const char *data;
	size_t bytes;
	const struct weft_sim_head *head;
	const u64 *address;
	const u64 *times;
	const char *block;
	u64 next;
};

static int refuse(struct weft_err *err, const char *path, const char *why)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: %s", path, why);
}

/* A name without a directory. */
static bool copy_name(char name[WEFT_SIM_FILE_NAME], const char *from)
{
	if (!from || !*from || strchr(from, '/') || strlen(from) >= WEFT_SIM_FILE_NAME)
		return false;
	strcpy(name, from);
	return true;
}

static bool parse_index(json_t *o, struct weft_sim_index *index)
{
	json_int_t version, at, parts, cells;
	json_t *files;
	int base;

	if (json_unpack(o, "{s:I, s:I, s:I, s:I, s:b, s:o}", "version", &version, "time_ps", &at,
			"parts", &parts, "cells", &cells, "base", &base, "files", &files) ||
	    version != WEFT_SIM_IMAGE_VERSION || at < 0 || parts < 1 ||
	    parts > WEFT_SIM_PARTS_MAX || cells < 1 || cells > WEFT_SIM_CELLS_MAX ||
	    !json_array_size(files) || json_array_size(files) > WEFT_SIM_FILES_MAX)
		return false;
	*index = (struct weft_sim_index) {
		.at = (fab_time)at, .parts = (u32)parts, .cells = (u32)cells, .base = base,
	};
	for (; index->files < json_array_size(files); index->files++)
		if (!copy_name(index->file[index->files],
			       json_string_value(json_array_get(files, index->files))))
			return false;
	return index->files > (base ? 1 : 0);
}

static int read_index(const char *dir, struct weft_sim_index *index, struct weft_err *err)
{
	char path[PATH_MAX];
	json_error_t e;
	json_t *o;
	bool good;

	snprintf(path, sizeof(path), "%.3900s/%s", dir, WEFT_SIM_INDEX);
	if (access(path, R_OK)) {
		weft_err_sys(err, errno, "no checkpoint: %s", path);
		err->kind = WEFT_ERR_USAGE;
		return err->code;
	}
	o = json_load_file(path, 0, &e);
	if (!o)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s:%d: %s", path, e.line,
				    e.text);
	good = parse_index(o, index);
	json_decref(o);
	return good ? 0 : refuse(err, path, "expected the index of a checkpoint of this version");
}

static int check_index(const struct weft_sim_parts *p, const struct weft_sim_index *index,
		       struct weft_err *err)
{
	const struct weft_sim_options *o = p->o;
	char at[32];

	if (o->cells)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "cells: expected none, as the checkpoint has %u in each of %u parts",
				    index->cells, index->parts);
	if (p->n > index->parts * index->cells)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%u parts: expected at most the %u cells of the checkpoint; a run with more --cells has more",
				    p->n, index->parts * index->cells);
	if (o->until && o->until < index->at)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "the end is before the checkpoint, which is at %s",
				    weft_format_time(at, sizeof(at), index->at));
	return 0;
}

/**
 * weft_sim_resume_begin() - find the checkpoint to go on from, if that is wanted
 * @p: the parts, before the model is made
 * @err: error
 *
 * The fabric will be divided as it was.
 *
 * Return: 0 or negative errno; in any case p->index is to be freed.
 */
int weft_sim_resume_begin(struct weft_sim_parts *p, struct weft_err *err)
{
	if (!p->o->resume)
		return 0;
	p->index = calloc(1, sizeof(*p->index));
	if (!p->index)
		return weft_err_nomem(err);
	if (read_index(p->o->resume, p->index, err) || check_index(p, p->index, err))
		return err->code;
	p->divided = p->index->parts;
	return 0;
}

static int map_file(struct file *f, struct weft_err *err)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;

	if (fd < 0)
		return weft_err_sys(err, errno, "%s", f->path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)(sizeof(*f->head) + sizeof(u64))) {
		close(fd);
		return refuse(err, f->path, "expected a file of a checkpoint");
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return weft_err_sys(err, errno, "%s", f->path);
	f->data = data;
	f->bytes = (size_t)st.st_size;
	f->head = data;
	return 0;
}

static int check_head(const struct weft_sim_parts *p, const struct file *f,
		      struct weft_err *err)
{
	const struct weft_sim_head *h = f->head;

	if (h->magic != WEFT_SIM_IMAGE_MAGIC || h->version != WEFT_SIM_IMAGE_VERSION)
		return refuse(err, f->path, "expected a file of a checkpoint");
	if (h->program != p->keep->program)
		return refuse(err, f->path, "another weft wrote it; expected the same program");
	if (h->inputs != p->keep->inputs || h->messages != p->work->messages ||
	    h->used[0] != p->mem.region[0].used)
		return refuse(err, f->path, "it is of another topology, workload, scenario or seed, or of other options");
	return 0;
}

static bool blocks_fit(const struct weft_sim_parts *p, const struct file *f)
{
	u64 before = 0;

	for (u64 i = 0; i < f->head->blocks; i++) {
		u64 at = f->address[i];
		u32 k = 0;

		if (at % WEFT_SIM_BLOCK || (i && at <= before))
			return false;
		while (k < WEFT_SIM_REGIONS &&
		       (at < (u64)(uintptr_t)p->mem.region[k].base ||
			at >= (u64)(uintptr_t)p->mem.region[k].base + f->head->used[k]))
			k++;
		if (k == WEFT_SIM_REGIONS)
			return false;
		before = at;
	}
	return true;
}

/* Is the file whole, and is in it what its head says? */
static int check_file(const struct weft_sim_parts *p, struct file *f, struct weft_err *err)
{
	const struct weft_sim_head *h = f->head;
	size_t words = 2 * (size_t)p->work->messages, rest;
	u64 sum;

	rest = f->bytes - sizeof(*h) - sizeof(sum);
	if (rest < words * sizeof(u64) ||
	    (rest - words * sizeof(u64)) % (WEFT_SIM_BLOCK + sizeof(u64)) ||
	    (rest - words * sizeof(u64)) / (WEFT_SIM_BLOCK + sizeof(u64)) != h->blocks)
		return refuse(err, f->path, "it is not whole");
	memcpy(&sum, f->data + f->bytes - sizeof(sum), sizeof(sum));
	if (weft_sim_hash(0, f->data, f->bytes - sizeof(sum)) != sum)
		return refuse(err, f->path, "it is damaged");
	f->address = (const void *)(f->data + sizeof(*h));
	f->times = f->address + h->blocks;
	f->block = (const void *)(f->times + words);
	return blocks_fit(p, f) ? 0 : refuse(err, f->path, "it is damaged");
}

static int open_file(const struct weft_sim_parts *p, const char *name, struct file *f,
		     struct weft_err *err)
{
	snprintf(f->path, sizeof(f->path), "%.3900s/%s", p->o->resume, name);
	if (map_file(f, err) || check_head(p, f, err) || check_file(p, f, err))
		return err->code;
	return 0;
}

/* Make room for all that the files have. */
static int grow(struct weft_sim_parts *p, const struct file *f, u32 files, struct weft_err *err)
{
	for (u32 i = 0; i < files; i++)
		for (u32 k = 0; k < WEFT_SIM_REGIONS; k++)
			if (weft_sim_region_grow(&p->mem.region[k], f[i].head->used[k]))
				return weft_err_nomem(err);
	return 0;
}

static u64 next_address(const struct file *f)
{
	return f->next < f->head->blocks ? f->address[f->next] : AT_END;
}

static u64 least_address(const struct file *f, u32 files)
{
	u64 least = AT_END;

	for (u32 i = 0; i < files; i++)
		least = min(least, next_address(&f[i]));
	return least;
}

/* A block of one file over that of the memory, as far as it differs from what was there. */
static void take_block(char *to, const char *was, const char *block)
{
	for (size_t i = 0; i < WEFT_SIM_BLOCK; i++)
		if (block[i] != was[i])
			to[i] = block[i];
}

/* Files of one state, each of which has changed other bytes. */
static void take_blocks(struct file *f, u32 files)
{
	char was[WEFT_SIM_BLOCK];
	u64 at;

	while ((at = least_address(f, files)) != AT_END) {
		char *to = (void *)(uintptr_t)at;

		memcpy(was, to, sizeof(was));
		for (u32 i = 0; i < files; i++)
			if (next_address(&f[i]) == at)
				take_block(to, was, f[i].block + f[i].next++ * WEFT_SIM_BLOCK);
	}
}

static void take_times(struct weft_work *w, const struct file *f)
{
	for (size_t i = 0; i < w->messages; i++) {
		struct weft_message *m = &w->message[i];

		m->start = max(m->start + 1, f->times[2 * i]) - 1;
		m->end = max(m->end + 1, f->times[2 * i + 1]) - 1;
	}
}

/* Give the unused packets of a part of then to one of now. */
static void take_spare(struct weft_sim_part *part, u64 first)
{
	struct fab_pkt *pkt = (void *)(uintptr_t)first, *last = pkt;

	if (!pkt)
		return;
	while (last->next)
		last = last->next;
	last->next = part->spare;
	part->spare = pkt;
}

static void take_rest(struct weft_sim_parts *p, const struct file *f)
{
	struct weft_sim_state *s = &p->part[0].state;

	take_times(p->work, f);
	weft_sim_state_add(s, &f->head->state);
	for (u32 i = 0; i < WEFT_SIM_PARTS_MAX; i++)
		take_spare(&p->part[i % p->n], f->head->spare[i]);
}

static void take_files(struct weft_sim_parts *p, struct file *f, u32 files, bool base)
{
	weft_sim_attach(p, false);
	if (base)
		take_blocks(f, 1);
	take_blocks(f + base, files - base);
	weft_sim_attach(p, true);
	for (u32 i = base; i < files; i++)
		take_rest(p, &f[i]);
}

static int resume(struct weft_sim_parts *p, struct file *f, struct weft_err *err)
{
	const struct weft_sim_index *index = p->index;

	for (u32 i = 0; i < index->files; i++)
		if (open_file(p, index->file[i], &f[i], err))
			return err->code;
	if (grow(p, f, index->files, err))
		return err->code;
	take_files(p, f, index->files, index->base);
	return 0;
}

/**
 * weft_sim_resume() - go on from a checkpoint
 * @p: the parts of a simulation that has just begun, with p->index
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_resume(struct weft_sim_parts *p, struct weft_err *err)
{
	struct file *f = calloc(p->index->files, sizeof(*f));
	int ret = f ? resume(p, f, err) : weft_err_nomem(err);

	for (u32 i = 0; f && i < p->index->files; i++)
		if (f[i].data)
			munmap((void *)(uintptr_t)f[i].data, f[i].bytes);
	free(f);
	return ret;
}
