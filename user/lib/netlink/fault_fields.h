/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the attributes of a fault have their members, for the files of faults.
 */
#ifndef WEFT_FAULT_FIELDS_H
#define WEFT_FAULT_FIELDS_H

#include "netlink/nl_fields.h"

/* All, and from the kind on: those that JSON shows. */
extern const struct weft_field weft_fault_fields[];
extern const struct weft_field *const weft_fault_fields_shown;
extern const char *const weft_fault_kind_words[];

#endif
