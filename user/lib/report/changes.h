/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a subnet manager did, in the form of a report.
 */
#ifndef WEFT_CHANGES_H
#define WEFT_CHANGES_H

#include <jansson.h>

#include "facts/facts.h"

json_t *weft_changes_json(const struct weft_facts *facts);

#endif
