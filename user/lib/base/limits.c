// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits of this process. Without the privilege to raise them, they stay.
 */
#include "base/limits.h"

#include <sys/resource.h>

/**
 * weft_lift_files() - allow as many open files as may be
 * @need: more than that if there have to be so many
 */
void weft_lift_files(uint64_t need)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_max >= need)
		return;
	files = (struct rlimit) { need, need };
	setrlimit(RLIMIT_NOFILE, &files);
}

/**
 * weft_lift_memlock() - allow all memory to be pinned, as memory regions are
 */
void weft_lift_memlock(void)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &all);
}
