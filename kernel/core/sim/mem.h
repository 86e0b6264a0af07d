/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays in one block of memory of the host.
 */
#ifndef FAB_MEM_H
#define FAB_MEM_H

#include "core/types.h"

/**
 * fab_mem_size() - size of an array
 * @n: members
 * @size: bytes of one
 *
 * Return: bytes, rounded up so that the next array is aligned.
 */
static inline size_t fab_mem_size(size_t n, size_t size)
{
	return (n * size + 7) & ~(size_t)7;
}

/**
 * fab_mem_cut() - take an array from the front of the block
 * @mem: the memory left; moved behind the array
 * @n: members
 * @size: bytes of one
 *
 * Return: the array.
 */
static inline void *fab_mem_cut(void **mem, size_t n, size_t size)
{
	void *array = *mem;

	*mem = (char *)array + fab_mem_size(n, size);
	return array;
}

/* Of a cache, bytes. */
#define FAB_LINE	64

/**
 * fab_mem_line() - begin the next array at a line of the cache
 * @mem: the memory left, with FAB_LINE bytes to spare
 */
static inline void fab_mem_line(void **mem)
{
	*mem = (void *)(((uintptr_t)*mem + FAB_LINE - 1) & ~(uintptr_t)(FAB_LINE - 1));
}

#endif
