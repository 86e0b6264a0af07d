// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In place of share.c: a fuzzer reads no files that come with Weft.
 */
#include <errno.h>

#include "topology/share.h"

int weft_share_file(const char *kind, const char *name, char path[PATH_MAX],
		    struct weft_err *err)
{
	(void)kind;
	(void)name;
	(void)path;
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT, "not here");
}
