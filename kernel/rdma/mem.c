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

/* Check the first @len bytes of an SGE. Return: its region, or an error. */
static __always_inline struct weft_mr *mem_check_sge(const struct weft_mem *m,
						     const struct ib_sge *sge, u32 len)
{
	struct weft_mr *mr = weft_mr_find(m->dev, m->pd, sge->lkey);
	int err = mem_allowed(m, mr, sge->addr, len);

	if (err)
		return ERR_PTR(err);
	if (!m->access)
		mr->gathered = true;
	return mr;
}

/* weft_mem_check() of another list than one SGE, in which all is. */
static noinline int mem_check_list(const struct weft_mem *m, u32 len)
{
	struct weft_mr *mr;
	u32 i, n;

	for (i = 0; len && i < m->num_sge; i++) {
		n = min(len, m->sge[i].length);
		if (!n)
			continue;
		mr = mem_check_sge(m, &m->sge[i], n);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		len -= n;
	}
	return len ? -ERANGE : 0;
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
	if (m->kbuf || !len)
		return 0;
	if (m->num_sge != 1 || len > m->sge->length)
		return mem_check_list(m, len);
	return PTR_ERR_OR_ZERO(mem_check_sge(m, m->sge, len));
}

/**
 * weft_mem_grant() - weft_mem_check() of memory that is accessed next
 * @m: one SGE; what was found is kept in it
 * @len: bytes from its start
 *
 * Context: the fabric's lock is held, until the access.
 * Return: as weft_mem_check().
 */
int weft_mem_grant(struct weft_mem *m, u32 len)
{
	struct weft_mr *mr;

	if (len > m->sge->length)
		return -ERANGE;
	mr = mem_check_sge(m, m->sge, len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	m->mr = mr;
	m->granted = len;
	return 0;
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

/* What is contiguous from some byte on. */
struct mem_span {
	void *at;	/* or an error */
	u32 len;
};

static noinline struct mem_span map_at_gaps(const struct weft_mr_map *map, u64 pos, u32 len)
{
	u32 i = map_find(map, pos);

	return (struct mem_span) {
		.at = map->blocks[i] + (pos - (i ? map->ends[i - 1] : 0)),
		.len = min_t(u64, len, map->ends[i] - pos),
	};
}

/* Up to @len bytes, from @pos bytes behind the start of a region on, in which they are. */
static __always_inline struct mem_span mr_at(const struct weft_mr *mr, u64 pos, u32 len)
{
	const struct weft_mr_map *map = &mr->map;
	u64 in_block;

	if (!map->blocks)
		return (struct mem_span) { (void *)(uintptr_t)(mr->start + pos), len };
	if (map->ends)
		return map_at_gaps(map, pos, len);
	pos += map->offset;
	if (map->num == 1)
		return (struct mem_span) { map->blocks[0] + pos, len };
	in_block = pos & (BIT_ULL(map->shift) - 1);
	return (struct mem_span) {
		.at = map->blocks[pos >> map->shift] + in_block,
		.len = min_t(u64, len, BIT_ULL(map->shift) - in_block),
	};
}

/* Up to @len bytes from byte @off of the memory on. */
static __always_inline struct mem_span mem_at(const struct weft_mem *m, u32 off, u32 len)
{
	const struct ib_sge *sge = m->sge, *end = sge + m->num_sge;
	const struct weft_mr *mr;
	int err;

	if (m->kbuf)
		return (struct mem_span) { m->kbuf + off, len };
	for (; sge != end && off >= sge->length; sge++)
		off -= sge->length;
	if (sge == end)
		return (struct mem_span) { ERR_PTR(-ERANGE) };
	len = min(len, sge->length - off);
	if (off + len <= m->granted)
		return mr_at(m->mr, sge->addr - m->mr->start + off, len);
	mr = weft_mr_find(m->dev, m->pd, sge->lkey);
	err = mem_allowed(m, mr, sge->addr, off + len);
	if (err)
		return (struct mem_span) { ERR_PTR(err) };
	return mr_at(mr, sge->addr - mr->start + off, len);
}

static int mem_move(const struct weft_mem *to, u32 to_off,
		    const struct weft_mem *from, u32 from_off, u32 len)
{
	struct mem_span d, s;

	for (; len; len -= d.len, to_off += d.len, from_off += d.len) {
		s = mem_at(from, from_off, len);
		if (IS_ERR(s.at))
			return PTR_ERR(s.at);
		d = mem_at(to, to_off, s.len);
		if (IS_ERR(d.at))
			return PTR_ERR(d.at);
		memmove(d.at, s.at, d.len);
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
	struct mem_span p;
	int err;

	if (m->sge->addr % sizeof(*old))
		return -EFAULT;
	err = weft_mem_check(m, sizeof(*old));
	if (err)
		return err;
	p = mem_at(m, 0, sizeof(*old));
	if (IS_ERR(p.at))
		return PTR_ERR(p.at);
	if (p.len < sizeof(*old) || !IS_ALIGNED((uintptr_t)p.at, sizeof(*old)))
		return -EFAULT;		/* in a region with gaps */
	*old = add ? atomic64_fetch_add(swap, p.at) :
		     atomic64_cmpxchg((atomic64_t *)p.at, compare, swap);
	return 0;
}
