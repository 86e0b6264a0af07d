// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays that grow.
 */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * weft_array_grow() - make room for one more element
 * @array: the array, NULL if empty
 * @n: elements in it
 * @size: bytes of an element
 *
 * The room doubles, so it is full when @n is 0 or a power of two. The new
 * element is all zero.
 *
 * Return: the array, perhaps moved; NULL without memory, and the old one stays.
 */
void *weft_array_grow(void *array, size_t n, size_t size)
{
	if (!(n & (n - 1))) {
		size_t room = n ? 2 * n : 1;

		if (room > SIZE_MAX / size)
			return NULL;
		array = realloc(array, room * size);
		if (!array)
			return NULL;
	}
	memset((char *)array + n * size, 0, size);
	return array;
}
