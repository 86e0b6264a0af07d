// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family "weft": functions that its commands share.
 *
 * Commands, attributes and policies are generated from
 * Documentation/netlink/specs/weft.yaml. Every request runs under the mutex of
 * generic netlink and, inside it, RTNL.
 */
#include "netlink/nl.h"

#include <linux/rtnetlink.h>
#include <linux/sizes.h>

#include "fabric/devlink.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "netlink/nl_priv.h"

static struct genl_family nl_family;

/**
 * weft_nl_need() - refuse a request that lacks an attribute
 * @attrs: attributes of the request
 * @attr: attribute that it must have
 * @what: what the user calls it
 * @extack: for the reason
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int weft_nl_need(struct nlattr *const *attrs, int attr, const char *what,
		 struct netlink_ext_ack *extack)
{
	if (attrs[attr])
		return 0;
	NL_SET_ERR_ATTR_MISS(extack, NULL, attr);
	NL_SET_ERR_MSG_FMT(extack, "%s is missing", what);
	return -EINVAL;
}

/**
 * weft_nl_fabric() - find the fabric that a request names
 * @net: network namespace of the requester
 * @attrs: attributes of the request
 * @attr: attribute with the fabric's id
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: the fabric or an ERR_PTR.
 */
struct weft_fabric *weft_nl_fabric(struct net *net, struct nlattr *const *attrs,
				   int attr, struct netlink_ext_ack *extack)
{
	struct weft_fabric *f;
	int err;

	err = weft_nl_need(attrs, attr, "fabric id", extack);
	if (err)
		return ERR_PTR(err);
	f = weft_fabric_find(net, nla_get_u32(attrs[attr]));
	if (f)
		return f;
	NL_SET_ERR_MSG_ATTR(extack, attrs[attr], "no fabric has this id");
	return ERR_PTR(-ENOENT);
}

/**
 * weft_nl_check_start() - refuse a start in the past
 * @f: the fabric
 * @start: attribute with the fabric time of the start in ps, or NULL
 * @extack: for the reason of a refusal
 *
 * Otherwise the actual start would differ from the requested one.
 *
 * Context: process, takes the fabric's lock.
 * Return: 0 or -ERANGE.
 */
int weft_nl_check_start(struct weft_fabric *f, const struct nlattr *start,
			struct netlink_ext_ack *extack)
{
	fab_time now;

	if (!start)
		return 0;
	weft_engine_lock(f);
	now = f->fab.now;
	weft_engine_unlock(f);
	if (nla_get_u64(start) >= now)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, start,
				"start is over: fabric time is %llu ps", now);
	return -ERANGE;
}

/**
 * weft_nl_reply_new() - allocate a reply
 * @info: the request
 * @hdr: set to the header of the reply
 *
 * This is done before a request changes anything, so that the allocation cannot fail
 * afterwards.
 *
 * Context: process, may sleep.
 * Return: the message, NULL without memory.
 */
struct sk_buff *weft_nl_reply_new(struct genl_info *info, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(WEFT_NL_MSG_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put_reply(skb, info, &nl_family, 0, info->genlhdr->cmd);
	return skb;
}

/**
 * weft_nl_reply_send() - send a reply
 * @info: the request
 * @skb: the message; taken
 * @hdr: its header
 *
 * It fails if the socket has no room. A caller that created an object must destroy
 * it then, because nobody knows its id.
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_reply_send(struct genl_info *info, struct sk_buff *skb, void *hdr)
{
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/**
 * weft_nl_reply_fill() - make a reply with an object
 * @info: the request
 * @fill: puts the object into the reply
 * @obj: the object
 * @hdr: set to the header of the reply
 *
 * Context: process, may sleep.
 * Return: the message, to be sent, or an ERR_PTR.
 */
struct sk_buff *weft_nl_reply_fill(struct genl_info *info, weft_nl_fill fill,
				   const void *obj, void **hdr)
{
	struct sk_buff *skb = weft_nl_reply_new(info, hdr);
	int err;

	if (!skb)
		return ERR_PTR(-ENOMEM);
	err = fill(skb, obj);
	if (!err)
		return skb;
	nlmsg_free(skb);
	return ERR_PTR(err);
}

/**
 * weft_nl_reply() - answer a request with an object
 * @info: the request
 * @fill: puts the object into the reply
 * @obj: the object
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int weft_nl_reply(struct genl_info *info, weft_nl_fill fill, const void *obj)
{
	struct sk_buff *skb;
	void *hdr;

	skb = weft_nl_reply_fill(info, fill, obj, &hdr);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	return weft_nl_reply_send(info, skb, hdr);
}

/**
 * weft_nl_dump() - put one object into a dump
 * @skb: the message
 * @cb: state of the dump
 * @cmd: command of the dump
 * @fill: puts the object into the message
 * @obj: the object
 *
 * Context: process.
 * Return: 0, or -EMSGSIZE if it has to go into the next message.
 */
int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		 weft_nl_fill fill, const void *obj)
{
	void *hdr;
	int err;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &nl_family, NLM_F_MULTI, cmd);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	err = fill(skb, obj);
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

/**
 * weft_nl_dump_objects() - dump all objects of one kind
 * @skb: the message
 * @cb: state of the dump; args[0] is the id to go on with
 * @objects: the objects by id
 * @cmd: command of the dump
 * @fill: puts an object into the message
 *
 * Context: process, RTNL held.
 * Return: as a dumpit.
 */
int weft_nl_dump_objects(struct sk_buff *skb, struct netlink_callback *cb,
			 struct xarray *objects, u8 cmd, weft_nl_fill fill)
{
	unsigned long id;
	void *obj;
	int err;

	xa_for_each_start(objects, id, obj, cb->args[0]) {
		err = weft_nl_dump(skb, cb, cmd, fill, obj);
		if (err)
			return skb->len ?: err;
		cb->args[0] = id + 1;
	}
	return skb->len;
}

/**
 * weft_nl_event_put() - put the header of an event
 * @skb: the message
 * @cmd: the event
 *
 * Context: any.
 * Return: its header, NULL without room.
 */
void *weft_nl_event_put(struct sk_buff *skb, u8 cmd)
{
	return genlmsg_put(skb, 0, 0, &nl_family, 0, cmd);
}

/**
 * weft_nl_listened() - does anybody listen to events?
 * @f: the fabric of the events
 *
 * Context: any.
 * Return: whether somebody does.
 */
bool weft_nl_listened(const struct weft_fabric *f)
{
	return genl_has_listeners(&nl_family, f->net, WEFT_NLGRP_EVENTS);
}

/* Does anybody get the event: a listener, or a requester with NLM_F_ECHO? */
static bool nl_heard(const struct weft_fabric *f, const struct genl_info *info)
{
	if (info && info->nlhdr->nlmsg_flags & NLM_F_ECHO)
		return true;
	return weft_nl_listened(f);
}

/**
 * weft_nl_notify() - send an event to the listeners
 * @f: the fabric
 * @info: the request that caused it, NULL for none
 * @cmd: the event
 * @fill: puts the object into the message
 * @obj: the object
 *
 * Without memory the event is lost; the sockets report that to the listeners.
 *
 * Context: process, may sleep.
 */
void weft_nl_notify(const struct weft_fabric *f, struct genl_info *info,
		    u8 cmd, weft_nl_fill fill, const void *obj)
{
	struct sk_buff *skb;
	void *hdr;

	if (f->quiet || !nl_heard(f, info))
		return;
	skb = genlmsg_new(WEFT_NL_MSG_SIZE, GFP_KERNEL);
	if (!skb)
		goto err_tell_loss;
	hdr = genlmsg_put(skb, info ? info->snd_portid : 0,
			  info ? info->snd_seq : 0, &nl_family, 0, cmd);
	if (!hdr || fill(skb, obj))
		goto err_free_skb;
	genlmsg_end(skb, hdr);
	if (info)
		genl_notify(&nl_family, skb, info, WEFT_NLGRP_EVENTS,
			    GFP_KERNEL);
	else
		genlmsg_multicast_netns(&nl_family, f->net, skb, 0,
					WEFT_NLGRP_EVENTS, GFP_KERNEL);
	return;

err_free_skb:
	nlmsg_free(skb);
err_tell_loss:
	genl_set_err(&nl_family, f->net, 0, WEFT_NLGRP_EVENTS, -ENOBUFS);
}

static int nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		       struct genl_info *info)
{
	rtnl_lock();
	return 0;
}

static void nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			 struct genl_info *info)
{
	rtnl_unlock();
	weft_devlink_run();
}

static int nl_dump_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = WEFT_NL_MSG_SIZE;
	return 0;
}

/* The generated operations, with room for the largest object in dumps. */
static struct genl_ops nl_ops[ARRAY_SIZE(weft_nl_ops)] __ro_after_init;

static const struct genl_multicast_group nl_mcgrps[] = {
	[WEFT_NLGRP_EVENTS] = { .name = WEFT_MCGRP_EVENTS, },
};

static struct genl_family nl_family __ro_after_init = {
	.name = WEFT_FAMILY_NAME,
	.version = WEFT_FAMILY_VERSION,
	.netnsok = true,
	.module = THIS_MODULE,
	.pre_doit = nl_pre_doit,
	.post_doit = nl_post_doit,
	.ops = nl_ops,
	.n_ops = ARRAY_SIZE(nl_ops),
	.resv_start_op = WEFT_CMD_FABRIC_NEW,
	.mcgrps = nl_mcgrps,
	.n_mcgrps = ARRAY_SIZE(nl_mcgrps),
};

/**
 * weft_nl_init() - register the family
 *
 * Context: process, may sleep.
 * Return: 0 or a negative error.
 */
int __init weft_nl_init(void)
{
	int i;

	memcpy(nl_ops, weft_nl_ops, sizeof(nl_ops));
	for (i = 0; i < ARRAY_SIZE(nl_ops); i++)
		if (nl_ops[i].dumpit)
			nl_ops[i].start = nl_dump_start;
	return genl_register_family(&nl_family);
}

/**
 * weft_nl_exit() - unregister the family
 *
 * Context: process, may sleep.
 */
void weft_nl_exit(void)
{
	genl_unregister_family(&nl_family);
}
