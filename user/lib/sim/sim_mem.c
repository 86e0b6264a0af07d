// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of a simulation: all of its state, in a region of what all parts share and one
 * region of each part.
 *
 * DOC: theory of operation
 *
 * Nothing is freed before the end. A region has one user at a time: that of what is
 * shared while the model is made, and that of a part while the part runs.
 *
 * If there are checkpoints, each region has a range of addresses that is the same in all
 * processes. Then the state, with all pointers in it, is at the same place in another
 * process that makes the same model. Else the memory is anywhere.
 */
#include "sim/sim_run.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MEM_ALIGN	64UL			/* a line of the CPU's cache */
#define MEM_STEP	(16UL << 20)		/* bytes that are mapped at once */
#define MEM_BASE	0x200000000000UL	/* where Linux and sanitisers map nothing */
#define MEM_SPAN	(1UL << 36)		/* addresses of a region */

/**
 * struct block - of a region without fixed addresses: one allocation, which follows
 * @next: the one before
 */
struct block {
	struct block *next;
} __attribute__((aligned(16)));

static void *alloc_anywhere(struct weft_sim_region *r, size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + size);

	if (!b)
		return NULL;
	b->next = r->blocks;
	r->blocks = b;
	return b + 1;
}

/**
 * weft_sim_region_grow() - map a region of fixed addresses
 * @r: the region
 * @used: bytes that are to be in use
 *
 * Return: 0 or -ENOMEM.
 */
int weft_sim_region_grow(struct weft_sim_region *r, size_t used)
{
	size_t step;
	void *at;

	if (used > MEM_SPAN)
		return -ENOMEM;
	for (; r->mapped < used; r->mapped += step) {
		step = max(MEM_STEP, used - r->mapped);
		step = (step + MEM_STEP - 1) & ~(MEM_STEP - 1);
		at = mmap(r->base + r->mapped, step, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (at == MAP_FAILED)
			return -ENOMEM;
		if (at != r->base + r->mapped) {
			/* A kernel before 4.17 takes the address as a wish. */
			munmap(at, step);
			return -ENOMEM;
		}
		madvise(at, step, MADV_NOHUGEPAGE);
	}
	r->used = max(r->used, used);
	return 0;
}

static void *alloc_fixed(struct weft_sim_region *r, size_t size)
{
	size_t begin = (r->used + MEM_ALIGN - 1) & ~(MEM_ALIGN - 1);

	return weft_sim_region_grow(r, begin + size) ? NULL : r->base + begin;
}

static void *alloc(struct weft_sim_region *r, size_t size)
{
	return r->base ? alloc_fixed(r, size) : alloc_anywhere(r, size);
}

/**
 * weft_sim_mem_fix() - give all regions fixed addresses
 * @mem: the memory, of which nothing is allocated
 */
void weft_sim_mem_fix(struct weft_sim_mem *mem)
{
	for (size_t i = 0; i < ARRAY_SIZE(mem->region); i++)
		mem->region[i].base = (void *)(MEM_BASE + i * MEM_SPAN);
}

/**
 * weft_sim_alloc() - allocate an array that all parts share
 * @sim: the simulation, which is being made
 * @n: members, may be 0
 * @size: bytes of one
 *
 * Return: the array, zeroed; NULL without memory.
 */
void *weft_sim_alloc(struct weft_sim *sim, size_t n, size_t size)
{
	return alloc(&sim->parts->mem.region[0], n * size);
}

/**
 * weft_sim_alloc_part() - allocate for a part that runs
 * @sim: a cell of it
 * @size: bytes
 *
 * Return: the memory, zeroed; NULL without.
 */
void *weft_sim_alloc_part(struct weft_sim *sim, size_t size)
{
	const struct weft_sim_part *part = sim->part;

	return alloc(&sim->parts->mem.region[1 + (part - sim->parts->part)], size);
}

static void region_free(struct weft_sim_region *r)
{
	struct block *b = r->blocks, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	if (r->mapped)
		munmap(r->base, r->mapped);
	*r = (struct weft_sim_region) { 0 };
}

/**
 * weft_sim_mem_free() - free all memory of a simulation
 * @mem: the memory
 */
void weft_sim_mem_free(struct weft_sim_mem *mem)
{
	for (size_t i = 0; i < ARRAY_SIZE(mem->region); i++)
		region_free(&mem->region[i]);
}
