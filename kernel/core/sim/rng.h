/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Randomness of the model: splitmix64, a generator inside the struct that uses it.
 */
#ifndef FAB_RNG_H
#define FAB_RNG_H

#include "core/types.h"

/**
 * fab_mix() - scramble 64 bits
 * @z: any value
 *
 * The finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014). A bijection.
 *
 * Return: the scrambled value.
 */
static inline u64 fab_mix(u64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * fab_rng_next() - next number of a stream
 * @state: the generator; any start value will do
 *
 * Return: 64 uniform bits.
 */
static inline u64 fab_rng_next(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return fab_mix(*state);
}

#endif
