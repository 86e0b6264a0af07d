/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exact integer arithmetic between rates, lengths and times.
 */
#ifndef FAB_FIXED_H
#define FAB_FIXED_H

#include "core/types.h"

/* Above this length 8e12 * bytes no longer fits 64 bits. */
#define FAB_LEN_MAX		(2U * 1024 * 1024)

/**
 * fab_serialise() - time that bytes take on a wire
 * @bytes: length on the wire, overhead included, at most FAB_LEN_MAX
 * @bps: rate in bits per second, not 0
 *
 * Rounded up to a whole picosecond: a wire is never faster than its rate.
 * This is the one place where serialisation time is defined.
 *
 * Return: picoseconds.
 */
static inline fab_time fab_serialise(u32 bytes, u64 bps)
{
	u64 bits_ps = (u64)bytes * 8 * FAB_PS_PER_S;

	return div64_u64(bits_ps + bps - 1, bps);
}

#endif
