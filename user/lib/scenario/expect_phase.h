/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expectations of a phase, in place of the whole run.
 */
#ifndef WEFT_EXPECT_PHASE_H
#define WEFT_EXPECT_PHASE_H

#include <stdbool.h>

#include "scenario/expect.h"

bool weft_expect_of_phase(const struct weft_expect *e,
			  enum weft_expect_kind kind);
void weft_expect_phase(const struct weft_expect *e, enum weft_expect_kind kind,
		       const struct weft_facts *facts, struct weft_result *r);

#endif
