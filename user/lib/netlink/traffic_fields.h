/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table of the attributes of a generator.
 */
#ifndef WEFT_TRAFFIC_FIELDS_H
#define WEFT_TRAFFIC_FIELDS_H

#include "netlink/nl_fields.h"

/* All fields, and those in JSON. */
extern const struct weft_field weft_traffic_fields[];
extern const struct weft_field *const weft_traffic_fields_shown;

#endif
