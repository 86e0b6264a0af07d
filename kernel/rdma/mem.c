// SPDX-License-Identifier: GPL-2.0
/*
 * Copies from and to the memory of requests.
 *
 * Pages are accessed by their kernel addresses, which they have: ib_core excludes
 * high memory for devices without DMA (INFINIBAND_VIRT_DMA).
 */
#include "rdma/mem.h"

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "rdma/dev.h"

/* Is [addr, addr + len) in the region, with the access rights of @m? */
static int mem_allowed(const struct weft_mem *m, const struct weft_mr *mr,
		       u64 addr, u32 len)
{
	u64 pos;

	if (!mr)
		return -EINVAL;
	pos = addr - mr->start;		/* too large if it is before the start */
	if (pos > mr->len || len > mr->len - pos)
		return -ERANGE;
	return m->access & ~mr->access ? -EACCES : 0;
}

/**
 * weft_mem_check() - check keys, bounds and access rights
 * @m: list of SGEs
 * @len: bytes from its start
 *
 * The key of an SGE of which no byte is used is not checked. The specification
 * wants this for messages without payload.
 *
 * Context: the fabric's lock is held.
 * Return: 0; -EINVAL for a key that is invalid or of another protection domain;
 * -ERANGE beyond the bounds of a region or of the list; -EACCES for an access right
 * that the region does not have.
 */
int weft_mem_check(const struct weft_mem *m, u32 len)
{
	struct weft_mr *mr;
	u32 i, n;
	int err;

	if (m->kbuf)
		return 0;
	for (i = 0; len && i < m->num_sge; i++) {
		n = min(len, m->sge[i].length);
		if (!n)
			continue;
		mr = weft_mr_find(m->dev, m->pd, m->sge[i].lkey);
		err = mem_allowed(m, mr, m->sge[i].addr, n);
		if (err)
			return err;
		if (!m->access)
			mr->gathered = true;
		len -= n;
	}
	return len ? -ERANGE : 0;
}

/* Block with the byte @pos: the first that ends behind it. */
static u32 map_find(const struct weft_mr_map *map, u64 pos)
{
	u32 low = 0, high = map->num - 1, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (map->ends[mid] > pos)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static noinline void *map_at_gaps(const struct weft_mr_map *map, u64 pos, u32 *len)
{
	u32 i = map_find(map, pos);

	*len = min_t(u64, *len, map->ends[i] - pos);
	return map->blocks[i] + (pos - (i ? map->ends[i - 1] : 0));
}

/* Address of @pos bytes behind the start of a region; cut @len at the block's end. */
static __always_inline void *mr_at(const struct weft_mr *mr, u64 pos, u32 *len)
{
	const struct weft_mr_map *map = &mr->map;
	u64 in_block;

	if (!map->blocks)
		return (void *)(uintptr_t)(mr->start + pos);
	if (map->ends)
		return map_at_gaps(map, pos, len);
	pos += map->offset;
	in_block = pos & (BIT_ULL(map->shift) - 1);
	*len = min_t(u64, *len, BIT_ULL(map->shift) - in_block);
	return map->blocks[pos >> map->shift] + in_block;
}

/* Address of byte @off of the memory; cut @len to what is contiguous there. */
static __always_inline void *mem_at(const struct weft_mem *m, u32 off, u32 *len)
{
	const struct ib_sge *sge = m->sge, *end = sge + m->num_sge;
	const struct weft_mr *mr;
	int err;

	if (m->kbuf)
		return m->kbuf + off;
	for (; sge != end && off >= sge->length; sge++)
		off -= sge->length;
	if (sge == end)
		return ERR_PTR(-ERANGE);
	*len = min(*len, sge->length - off);
	mr = weft_mr_find(m->dev, m->pd, sge->lkey);
	err = mem_allowed(m, mr, sge->addr, off + *len);
	if (err)
		return ERR_PTR(err);
	return mr_at(mr, sge->addr - mr->start + off, len);
}

static int mem_move(const struct weft_mem *to, u32 to_off,
		    const struct weft_mem *from, u32 from_off, u32 len)
{
	void *d, *s;
	u32 n;

	for (; len; len -= n, to_off += n, from_off += n) {
		n = len;
		s = mem_at(from, from_off, &n);
		if (IS_ERR(s))
			return PTR_ERR(s);
		d = mem_at(to, to_off, &n);
		if (IS_ERR(d))
			return PTR_ERR(d);
		memmove(d, s, n);
	}
	return 0;
}

/* Both may overlap: read everything before anything is written. */
static noinline int mem_move_by_buffer(const struct weft_mem *to, u32 to_off,
				       const struct weft_mem *from, u32 from_off, u32 len)
{
	struct weft_mem all = { .kbuf = kmalloc(len, GFP_ATOMIC | __GFP_NOWARN) };
	int err;

	if (ZERO_OR_NULL_PTR(all.kbuf))
		return mem_move(to, to_off, from, from_off, len);
	err = mem_move(&all, 0, from, from_off, len);
	if (!err)
		err = mem_move(to, to_off, &all, 0, len);
	kfree(all.kbuf);
	return err;
}

/**
 * weft_mem_copy() - copy memory
 * @to: destination
 * @to_off: offset in it
 * @from: source
 * @from_off: offset in it
 * @len: bytes
 *
 * Source and destination may overlap within one device: then the copy goes through
 * a buffer. Without memory for that it is direct, which the specification allows.
 *
 * Context: the fabric's lock is held.
 * Return: 0 or an error of weft_mem_check() for a part of the memory; what is
 * before that part may have been written.
 */
int weft_mem_copy(const struct weft_mem *to, u32 to_off,
		  const struct weft_mem *from, u32 from_off, u32 len)
{
	if (unlikely(to->dev == from->dev) && to->sge && from->sge)
		return mem_move_by_buffer(to, to_off, from, from_off, len);
	return mem_move(to, to_off, from, from_off, len);
}

/**
 * weft_mem_atomic() - execute an atomic operation on 64 bits
 * @m: where, one SGE of 8 bytes
 * @old: set to the original data
 * @compare: compare data, without @add
 * @swap: swap data, or add data
 * @add: fetch-add, otherwise compare-swap
 *
 * It is atomic also for the process, and in the byte order of the machine, as on
 * adapters with IB_ATOMIC_GLOB.
 *
 * Context: the fabric's lock is held.
 * Return: 0; -EFAULT if the address is not a multiple of 8, as requests name it or
 * as it is; as weft_mem_check().
 */
int weft_mem_atomic(const struct weft_mem *m, u64 *old,
		    u64 compare, u64 swap, bool add)
{
	u32 len = sizeof(*old);
	atomic64_t *p;
	int err;

	if (m->sge->addr % sizeof(*old))
		return -EFAULT;
	err = weft_mem_check(m, len);
	if (err)
		return err;
	p = mem_at(m, 0, &len);
	if (IS_ERR(p))
		return PTR_ERR(p);
	if (len < sizeof(*old) || !IS_ALIGNED((uintptr_t)p, sizeof(*old)))
		return -EFAULT;		/* in a region with gaps */
	*old = add ? atomic64_fetch_add(swap, p) :
		     atomic64_cmpxchg(p, compare, swap);
	return 0;
}
