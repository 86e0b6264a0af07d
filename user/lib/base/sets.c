// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects by number, in sets that can be joined.
 *
 * Each object has another one of its set that it follows, and in the end all follow the
 * one with the lowest number, which is the root of the set.
 */
#include "base/sets.h"

/**
 * weft_sets_init() - put each object in a set of its own
 * @root: result: of each object, one of its set
 * @n: objects
 */
void weft_sets_init(uint32_t *root, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		root[i] = i;
}

/**
 * weft_sets_find() - find the set of an object
 * @root: the sets; the way to the root becomes shorter
 * @x: the object
 *
 * Return: the lowest number in its set.
 */
uint32_t weft_sets_find(uint32_t *root, uint32_t x)
{
	while (root[x] != x) {
		root[x] = root[root[x]];
		x = root[x];
	}
	return x;
}

/**
 * weft_sets_join() - make one set of two
 * @root: the sets
 * @a: an object of one
 * @b: an object of the other; perhaps of the same
 */
void weft_sets_join(uint32_t *root, uint32_t a, uint32_t b)
{
	a = weft_sets_find(root, a);
	b = weft_sets_find(root, b);
	root[a > b ? a : b] = a > b ? b : a;
}
