/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family "weft": what its own files share.
 *
 * All functions run in process context with RTNL held: requests take it in nl.c, and
 * dumps and events hold it.
 */
#ifndef WEFT_NL_PRIV_H
#define WEFT_NL_PRIV_H

#include <net/genetlink.h>

#include "netlink/nl_gen.h"

struct fab_buffer_params;
struct fab_hist;
struct fab_moderation_params;
struct fab_pkt;
struct fab_port;
struct fab_port_counters;
struct fab_port_params;
struct weft_endpoint;
struct weft_fabric;
struct weft_fault_params;
struct weft_trigger;
struct weft_verbs_params;

#define WEFT_NL_MSG_SIZE	SZ_32K	/* a NIC with its whole histogram */

/* Puts an object into a message; returns 0 or -EMSGSIZE. */
typedef int (*weft_nl_fill)(struct sk_buff *skb, const void *obj);

/**
 * struct weft_nl_objects - a kind of object, in requests
 *
 * Fabrics, and objects that fabrics have by id.
 */
struct weft_nl_objects {
	/** @name: what users call one */
	const char *name;
	/** @offset: of the xarray in struct weft_fabric */
	size_t offset;
	/** @fabric: attribute of the fabric's id; 0: fabrics themselves */
	int fabric;
	/** @id: attribute of the object's id */
	int id;
	/** @cmd: command that asks for them */
	u8 cmd;
	/** @ntf: command of the notification that one was created */
	u8 ntf;
	/** @fill: puts one into the answer */
	weft_nl_fill fill;
	/** @fill_id: puts its ids into the answer to a request that creates one */
	weft_nl_fill fill_id;
	/** @fill_params: puts its parameters into the notification */
	weft_nl_fill fill_params;
	/**
	 * @create: creates what a request asks for, in fabric @f; returns the
	 * object or an ERR_PTR
	 */
	void *(*create)(struct weft_fabric *f, struct sk_buff *skb,
			struct genl_info *info);
	/** @destroy: destroys one */
	void (*destroy)(void *obj);
	/**
	 * @withdraw: destroys one that nobody was told of, and nothing else that
	 * goes with it; NULL: as @destroy
	 */
	void (*withdraw)(void *obj);
};

/**
 * weft_nl_u32_or() - number of an attribute, or a default
 * @nla: the attribute, or NULL
 * @value: the default
 *
 * Return: the number.
 */
static inline u32 weft_nl_u32_or(const struct nlattr *nla, u32 value)
{
	return nla ? nla_get_u32(nla) : value;
}

/**
 * weft_nl_u64_or() - the same with 64 bits
 * @nla: the attribute, or NULL
 * @value: the default
 *
 * Return: the number.
 */
static inline u64 weft_nl_u64_or(const struct nlattr *nla, u64 value)
{
	return nla ? nla_get_u64(nla) : value;
}

/* nl.c */
int weft_nl_need(struct nlattr *const *attrs, int attr, const char *what,
		 struct netlink_ext_ack *extack);
struct weft_fabric *weft_nl_fabric(struct net *net, struct nlattr *const *attrs,
				   int attr, struct netlink_ext_ack *extack);
int weft_nl_check_start(struct weft_fabric *f, const struct nlattr *start,
			struct netlink_ext_ack *extack);
struct sk_buff *weft_nl_reply_new(struct genl_info *info, void **hdr);
int weft_nl_reply_send(struct genl_info *info, struct sk_buff *skb, void *hdr);
struct sk_buff *weft_nl_reply_fill(struct genl_info *info, weft_nl_fill fill,
				   const void *obj, void **hdr);
int weft_nl_reply(struct genl_info *info, weft_nl_fill fill, const void *obj);
int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		 weft_nl_fill fill, const void *obj);
void weft_nl_notify(const struct weft_fabric *f, struct genl_info *info,
		    u8 cmd, weft_nl_fill fill, const void *obj);
void *weft_nl_event_put(struct sk_buff *skb, u8 cmd);
int weft_nl_dump_objects(struct sk_buff *skb, struct netlink_callback *cb,
			 struct xarray *objects, u8 cmd, weft_nl_fill fill);

/* nl_object.c */
void *weft_nl_find(struct xarray *objects, struct nlattr *const *attrs,
		   int attr, const char *name, struct netlink_ext_ack *extack);
void *weft_nl_object(const struct weft_nl_objects *o, struct net *net,
		     struct nlattr *const *attrs,
		     struct netlink_ext_ack *extack);
void *weft_nl_object_of(const struct weft_nl_objects *o,
			struct genl_info *info);
int weft_nl_object_get(const struct weft_nl_objects *o, struct genl_info *info);
int weft_nl_object_new(const struct weft_nl_objects *o, struct sk_buff *skb,
		       struct genl_info *info);
int weft_nl_object_del(const struct weft_nl_objects *o, struct genl_info *info);
int weft_nl_object_dump(const struct weft_nl_objects *o, struct sk_buff *skb,
			struct netlink_callback *cb);

/* nl_put.c */
int weft_nl_put_u64(struct sk_buff *skb, int attr, u64 value);
int weft_nl_put_u32_set(struct sk_buff *skb, int attr, u32 value);
int weft_nl_put_u64_set(struct sk_buff *skb, int attr, u64 value);
int weft_nl_put_name(struct sk_buff *skb, int attr, const char *name);
int weft_nl_put_counters(struct sk_buff *skb, int attr,
			 const char *const *name, const u64 *value, u32 n);
int weft_nl_put_port_counters(struct sk_buff *skb, int counter, int drop,
			      const struct fab_port_counters *c);
int weft_nl_put_hist(struct sk_buff *skb, int attr, const struct fab_hist *h);

int weft_nl_put_classes(struct sk_buff *skb, int attr,
			const struct fab_port *port);

/* nl_port.c */
int weft_nl_get_class(struct nlattr *const *tb, int attr, u32 classes,
		      u16 *seen, u32 *cls, struct netlink_ext_ack *extack);
int weft_nl_get_vl(const struct nlattr *attr, u32 classes, u8 *vl,
		   struct netlink_ext_ack *extack);
int weft_nl_get_port(const struct nlattr *attr, struct fab_port_params *p,
		     u8 *vl, struct netlink_ext_ack *extack);
int weft_nl_put_port(struct sk_buff *skb, int attr,
		     const struct fab_port_params *p, const u8 *vl);

/* nl_flow.c */
int weft_nl_get_flow(struct nlattr **tb, struct fab_port_params *p,
		     struct netlink_ext_ack *extack);
int weft_nl_check_frame(const struct nlattr *attr,
			const struct fab_port_params *p, u32 len,
			struct netlink_ext_ack *extack);
int weft_nl_put_flow(struct sk_buff *skb, const struct fab_port_params *p);

/* nl_egress.c */
int weft_nl_get_egress(const struct nlattr *attr, struct nlattr **tb,
		       struct fab_port_params *p,
		       struct netlink_ext_ack *extack);
int weft_nl_put_egress(struct sk_buff *skb, const struct fab_port_params *p);

/* nl_buffer.c */
/**
 * struct weft_nl_buffer_attrs - attributes of a packet buffer
 */
struct weft_nl_buffer_attrs {
	/** @name: what users call its size */
	const char *name;
	/** @total: attribute of its size */
	int total;
	/** @cls: attribute of the limits of a class */
	int cls;
};

int weft_nl_get_buffer(struct genl_info *info,
		       const struct weft_nl_buffer_attrs *attrs, u32 ports,
		       const struct fab_port_params *port,
		       struct fab_buffer_params *b);
int weft_nl_put_accounts(struct sk_buff *skb, int attr, u32 classes,
			 const struct fab_buffer_params *b);

/* nl_capture.c */
u32 weft_nl_frame_len(const struct fab_pkt *pkt, u32 snaplen);
int weft_nl_put_frame(struct sk_buff *skb, int attr, const struct fab_pkt *pkt,
		      u32 len);

/* nl_moderation.c */
int weft_nl_get_moderation(const struct nlattr *attr,
			   struct fab_moderation_params *p,
			   struct netlink_ext_ack *extack);
int weft_nl_put_moderation(struct sk_buff *skb, int attr,
			   struct weft_endpoint *wep);

/* nl_verbs.c */
int weft_nl_get_verbs(const struct nlattr *attr, struct weft_verbs_params *p,
		      struct netlink_ext_ack *extack);
int weft_nl_put_verbs(struct sk_buff *skb, int attr, struct weft_endpoint *wep);
int weft_nl_put_rdma(struct sk_buff *skb, int attr, struct weft_endpoint *wep);

/* nl_trigger.c */
struct weft_trigger *weft_nl_trigger_of(struct weft_fabric *f,
					struct nlattr *const *attrs, int attr,
					int start,
					struct netlink_ext_ack *extack);

/* nl_fault_port.c */
int weft_nl_fault_wires(struct genl_info *info, struct weft_fault_params *p);

#endif
