// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In place of workload_poisson.c: open-loop flows are drawn with the model, which is not
 * here. No text of a fuzzer is read as one.
 */
#include <errno.h>

#include "workload/workload.h"

bool weft_work_is_poisson(const char *spec)
{
	(void)spec;
	return false;
}

int weft_work_poisson(struct weft_work *w, const char *spec, const struct weft_plan *plan,
		      struct weft_err *err)
{
	(void)w;
	(void)spec;
	(void)plan;
	return weft_err_set(err, WEFT_ERR_OTHER, -EOPNOTSUPP, "not here");
}
