/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table of the attributes of a fault, for the files of faults only.
 */
#ifndef WEFT_FAULT_FIELDS_H
#define WEFT_FAULT_FIELDS_H

#include "netlink/nl_fields.h"

/* All fields; those in JSON, from the kind on; and the names of the kinds. */
extern const struct weft_field weft_fault_fields[];
extern const struct weft_field *const weft_fault_fields_shown;
extern const char *const weft_fault_kind_words[];

#endif
