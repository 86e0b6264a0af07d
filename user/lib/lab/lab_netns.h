/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of a lab's nodes in /run/netns.
 */
#ifndef WEFT_LAB_NETNS_H
#define WEFT_LAB_NETNS_H

#include "lab/lab.h"

int weft_lab_netns_choose(struct weft_lab *lab, struct weft_err *err);
int weft_lab_netns_pin(const struct weft_lab *lab, const char *node,
		       struct weft_err *err);
int weft_lab_netns_remove(const struct weft_lab *lab, json_t *node,
			  struct weft_err *err);
bool weft_lab_netns_qualified(const struct weft_lab *lab);

#endif
