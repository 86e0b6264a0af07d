/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be changed of a NIC or a link while programs run, as people write it.
 */
#ifndef WEFT_SETTING_H
#define WEFT_SETTING_H

#include "base/err.h"
#include "netlink/link.h"
#include "netlink/nic.h"

const struct weft_nic *weft_setting_nic(const struct weft_nic *list,
					unsigned int n, const char *name,
					struct weft_err *err);
int weft_setting_nic_word(struct weft_nic *nic, const char *key,
			  const char *text, struct weft_err *err);
int weft_setting_wire_word(struct weft_wire *wire, const char *key,
			   const char *text, struct weft_err *err);

#endif
