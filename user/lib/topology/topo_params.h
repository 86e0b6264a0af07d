/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of links, switches and NICs: from text to numbers.
 */
#ifndef WEFT_TOPO_PARAMS_H
#define WEFT_TOPO_PARAMS_H

#include <stdint.h>

#include "base/err.h"
#include "base/yaml_file.h"
#include "netlink/link.h"
#include "netlink/switch.h"
#include "topology/topo.h"
#include "topology/topo_raw.h"

#define WEFT_PATH_MAX	96

/**
 * struct weft_place - place of an entry in a file
 */
struct weft_place {
	/** @yaml: the file */
	struct weft_yaml *yaml;
	/** @path: its path: "links[2]", "" for the top */
	char path[WEFT_PATH_MAX];
};

/**
 * struct weft_defaults - values that objects inherit
 */
struct weft_defaults {
	/** @wire: for links */
	struct weft_wire wire;
	/** @sw: for switches */
	struct weft_switch sw;
	/** @nic: for NICs */
	struct weft_topo_nic nic;
	/** @port: for the ports of switches and NICs */
	struct weft_topo_port port;
	/** @room: for the buffers of switches */
	struct weft_room room;
	/** @lossy: 1 for "lossless: false" */
	uint32_t lossy;
};

int weft_place_fail(const struct weft_place *at, const char *key,
		    struct weft_err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int weft_take_number(const struct weft_place *at, const char *key,
		     const char *text, uint64_t lo, uint64_t hi, uint64_t *v,
		     struct weft_err *err);
int weft_take_time(const struct weft_place *at, const char *key,
		   const char *text, uint64_t *v, struct weft_err *err);
int weft_take_size(const struct weft_place *at, const char *key,
		   const char *text, uint64_t lo, uint64_t hi, uint64_t *v,
		   struct weft_err *err);
int weft_take_choice(const struct weft_place *at, const char *key,
		     const char *text, const char *const *choices, uint32_t *v,
		     struct weft_err *err);

int weft_link_params(const struct weft_place *at,
		     const struct weft_raw_link_params *raw,
		     struct weft_wire *w, struct weft_err *err);
int weft_switch_params(const struct weft_place *at,
		       const struct weft_raw_switch_params *raw,
		       struct weft_switch *sw, struct weft_room *room,
		       struct weft_err *err);
int weft_nic_params(const struct weft_place *at,
		    const struct weft_raw_nic_params *raw,
		    struct weft_topo_nic *nic, struct weft_err *err);

#endif
