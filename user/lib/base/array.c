// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Growing arrays.
 */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * weft_array_grow() - extend an array by one element
 * @array: the array, NULL if empty
 * @n: elements in it
 * @size: size of an element, bytes
 *
 * The capacity doubles, so the array is full when @n is 0 or a power of two. The
 * new element is zeroed.
 *
 * Return: the array, which may have moved; NULL without memory, then the old array
 * stays valid.
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
