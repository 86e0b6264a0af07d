/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a packet as text.
 */
#ifndef WEFT_PRINT_JOURNEY_H
#define WEFT_PRINT_JOURNEY_H

#include "facts/facts.h"
#include "packet/journey.h"

void print_journey(const struct weft_facts *facts,
		   const struct weft_journey *j);

#endif
