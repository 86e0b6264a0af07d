/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects as JSON. Keys never change.
 */
#ifndef WEFT_JSON_H
#define WEFT_JSON_H

#include <jansson.h>

#include "netlink/fabric.h"
#include "netlink/link.h"
#include "netlink/nic.h"
#include "netlink/route.h"
#include "netlink/stats.h"
#include "netlink/switch.h"

/*
 * Version of all JSON of weft, weftd and its files. It increases if a key is removed, or
 * if the type or meaning of a key changes. Documentation/json.rst has the rules.
 */
#define WEFT_JSON_VERSION	2

json_t *weft_json_u64(uint64_t v);
json_t *weft_json_seed(uint64_t seed);
json_t *weft_json_counters(const struct weft_counters *cs);
json_t *weft_json_hist(const struct weft_hist *h);
json_t *weft_json_fabric(const struct weft_fabric *f);
json_t *weft_json_vl(const uint8_t vl[WEFT_CLASSES_MAX]);
json_t *weft_json_switch(const struct weft_switch *sw);
json_t *weft_json_link(const struct weft_link *link);
json_t *weft_json_nic(const struct weft_nic *nic);
json_t *weft_json_verbs(const struct weft_nic *nic);
json_t *weft_json_route(const struct weft_route *r);

#endif
