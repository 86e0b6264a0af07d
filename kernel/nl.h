/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family "weft", for the rest of the module.
 */
#ifndef WEFT_NL_H
#define WEFT_NL_H

struct weft_endpoint;
struct weft_link;

int weft_nl_init(void);
void weft_nl_exit(void);
void weft_nl_link_gone(struct weft_link *link);
void weft_nl_nic_gone(struct weft_endpoint *wep);

#endif
