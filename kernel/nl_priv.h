/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family "weft", among its own files.
 *
 * All of it runs in process context with RTNL held: requests take it before
 * (nl.c), dumps and events have it.
 */
#ifndef WEFT_NL_PRIV_H
#define WEFT_NL_PRIV_H

#include <net/genetlink.h>

#include "nl_gen.h"

struct fab_hist;
struct fab_port_counters;
struct fab_port_params;
struct weft_fabric;
struct weft_switch;

#define WEFT_NL_MSG_SIZE	SZ_32K	/* a NIC with its whole histogram */

/* Puts an object into a message; returns 0 or -EMSGSIZE. */
typedef int (*weft_nl_fill)(struct sk_buff *skb, const void *obj);

/* nl.c */
int weft_nl_need(struct nlattr *const *attrs, int attr, const char *what,
		 struct netlink_ext_ack *extack);
struct weft_fabric *weft_nl_fabric(struct net *net, struct nlattr *const *attrs,
				   int attr, struct netlink_ext_ack *extack);
struct sk_buff *weft_nl_reply_new(struct genl_info *info, void **hdr);
int weft_nl_reply_send(struct genl_info *info, struct sk_buff *skb, void *hdr);
int weft_nl_reply(struct genl_info *info, weft_nl_fill fill, const void *obj);
int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		 weft_nl_fill fill, const void *obj);
void weft_nl_notify(const struct weft_fabric *f, struct genl_info *info,
		    u8 cmd, weft_nl_fill fill, const void *obj);
int weft_nl_dump_objects(struct sk_buff *skb, struct netlink_callback *cb,
			 struct xarray *objects, u8 cmd, weft_nl_fill fill);

/* nl_put.c */
int weft_nl_put_u64(struct sk_buff *skb, int attr, u64 value);
int weft_nl_put_name(struct sk_buff *skb, int attr, const char *name);
int weft_nl_put_counters(struct sk_buff *skb, int attr,
			 const char *const *name, const u64 *value, u32 n);
int weft_nl_put_port_counters(struct sk_buff *skb, int counter, int drop,
			      const struct fab_port_counters *c);
int weft_nl_put_hist(struct sk_buff *skb, int attr, const struct fab_hist *h);

/* nl_port.c */
int weft_nl_get_port(const struct nlattr *attr, struct fab_port_params *p,
		     struct netlink_ext_ack *extack);
int weft_nl_put_port(struct sk_buff *skb, int attr,
		     const struct fab_port_params *p);

/* nl_switch.c */
struct weft_switch *weft_nl_switch(struct weft_fabric *f,
				   const struct nlattr *attr,
				   struct netlink_ext_ack *extack);

#endif
