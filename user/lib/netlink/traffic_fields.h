/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the attributes of a generator have their members.
 */
#ifndef WEFT_TRAFFIC_FIELDS_H
#define WEFT_TRAFFIC_FIELDS_H

#include "netlink/nl_fields.h"

/* All, and those that JSON shows. */
extern const struct weft_field weft_traffic_fields[];
extern const struct weft_field *const weft_traffic_fields_shown;

#endif
