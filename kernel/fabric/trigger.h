/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers of a fabric.
 */
#ifndef WEFT_TRIGGER_H
#define WEFT_TRIGGER_H

#include "core/node/trigger.h"

#define WEFT_TRIGGERS_MAX	1024U	/* of a fabric */
#define WEFT_TRIGGERS_NIC_MAX	16U	/* that wait at a NIC: each packet passes them */

struct netlink_ext_ack;
struct weft_endpoint;
struct weft_fabric;

/**
 * struct weft_trigger_params - parameters of a trigger
 */
struct weft_trigger_params {
	/** @p: the model's parameters */
	struct fab_trigger_params p;
	/** @wep: the NIC, for a kind that belongs to a NIC; only for weft_trigger_create() */
	struct weft_endpoint *wep;
	/** @nic: its endpoint id, which stays when the NIC is removed */
	u32 nic;
};

/**
 * struct weft_trigger - one trigger; members without a lock are constant
 */
struct weft_trigger {
	/** @fabric: its fabric */
	struct weft_fabric *fabric;
	/** @id: number in the fabric */
	u32 id;
	/** @users: number of faults and generators that refer to it (RTNL) */
	u32 users;
	/**
	 * @untold: its moment came, and listeners have to hear of it (written under the
	 * fabric's lock)
	 */
	bool untold;
	/** @p: parameters */
	struct weft_trigger_params p;
	/** @t: the model's (fabric's lock) */
	struct fab_trigger t;
};

void weft_trigger_prepare(struct weft_fabric *f);
struct weft_trigger *weft_trigger_create(struct weft_fabric *f,
					 const struct weft_trigger_params *p,
					 struct netlink_ext_ack *extack);
void weft_trigger_destroy(struct weft_trigger *tg);
void weft_trigger_get(struct weft_trigger *tg);
void weft_trigger_unget(struct weft_trigger *tg);
void weft_trigger_put(struct weft_trigger *tg);
void weft_trigger_met(struct fab *fab, struct fab_trigger *t);
void weft_trigger_tell(struct weft_fabric *f);
void weft_trigger_end(struct weft_fabric *f);

#endif
