// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: requests that are the same for all kinds of objects.
 */
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "netlink/nl_priv.h"

/**
 * weft_nl_find() - find the object of a fabric that an attribute names
 * @objects: the objects by id
 * @attrs: attributes of the request
 * @attr: attribute with the object's id
 * @name: what users call such an object
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: the object or an ERR_PTR.
 */
void *weft_nl_find(struct xarray *objects, struct nlattr *const *attrs,
		   int attr, const char *name, struct netlink_ext_ack *extack)
{
	void *obj;

	ASSERT_RTNL();
	if (!attrs[attr]) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, attr);
		NL_SET_ERR_MSG_FMT(extack, "%s id is missing", name);
		return ERR_PTR(-EINVAL);
	}
	obj = xa_load(objects, nla_get_u32(attrs[attr]));
	if (obj)
		return obj;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attrs[attr],
				"fabric has no %s of this id", name);
	return ERR_PTR(-ENOENT);
}

static struct xarray *objects_in(const struct weft_nl_objects *o,
				 struct weft_fabric *f)
{
	return (void *)f + o->offset;
}

/**
 * weft_nl_object() - find the object that a request names
 * @o: kind of the object
 * @net: network namespace of the requester
 * @attrs: attributes of the request
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: the object or an ERR_PTR.
 */
void *weft_nl_object(const struct weft_nl_objects *o, struct net *net,
		     struct nlattr *const *attrs,
		     struct netlink_ext_ack *extack)
{
	struct weft_fabric *f = weft_nl_fabric(net, attrs, o->fabric, extack);

	if (IS_ERR(f))
		return f;
	return weft_nl_find(objects_in(o, f), attrs, o->id, o->name, extack);
}

/**
 * weft_nl_object_of() - find the object that a doit's request names
 * @o: kind of the object
 * @info: the request
 *
 * Context: process, RTNL held.
 * Return: the object or an ERR_PTR.
 */
void *weft_nl_object_of(const struct weft_nl_objects *o, struct genl_info *info)
{
	return weft_nl_object(o, genl_info_net(info), info->attrs,
			      info->extack);
}

/**
 * weft_nl_object_get() - answer a request with the object that it names
 * @o: kind of the object
 * @info: the request
 *
 * Context: process, RTNL held, may sleep.
 * Return: as a doit.
 */
int weft_nl_object_get(const struct weft_nl_objects *o, struct genl_info *info)
{
	void *obj = weft_nl_object_of(o, info);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	return weft_nl_reply(info, o->fill, obj);
}

/**
 * weft_nl_object_new() - create the object that a request asks for
 * @o: kind of the object
 * @skb: the request
 * @info: the same
 *
 * The reply has the object's ids. It is allocated first, and the object is
 * destroyed again if the reply cannot be sent, because then nobody knows its id.
 * What the object holds is then as it was before.
 *
 * Context: process, RTNL held, may sleep.
 * Return: as a doit.
 */
int weft_nl_object_new(const struct weft_nl_objects *o, struct sk_buff *skb,
		       struct genl_info *info)
{
	struct weft_fabric *f = NULL;
	struct sk_buff *reply;
	void *hdr, *obj;
	int err;

	if (o->fabric)
		f = weft_nl_fabric(genl_info_net(info), info->attrs, o->fabric,
				   info->extack);
	if (IS_ERR(f))
		return PTR_ERR(f);
	reply = weft_nl_reply_new(info, &hdr);
	if (!reply)
		return -ENOMEM;
	obj = o->create(f, skb, info);
	if (IS_ERR(obj)) {
		nlmsg_free(reply);
		return PTR_ERR(obj);
	}
	o->fill_id(reply, obj);
	err = weft_nl_reply_send(info, reply, hdr);
	if (err)
		(o->withdraw ?: o->destroy)(obj);
	else
		weft_nl_notify(f ?: obj, info, o->ntf, o->fill_params, obj);
	return err;
}

/**
 * weft_nl_object_del() - destroy the object that a request names
 * @o: kind of the object
 * @info: the request
 *
 * The reply is the object as it was at its end. If the reply cannot be made the
 * object stays.
 *
 * Context: process, RTNL held, may sleep.
 * Return: as a doit.
 */
int weft_nl_object_del(const struct weft_nl_objects *o, struct genl_info *info)
{
	void *obj = weft_nl_object_of(o, info), *hdr;
	struct sk_buff *reply;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	reply = weft_nl_reply_fill(info, o->fill, obj, &hdr);
	if (IS_ERR(reply))
		return PTR_ERR(reply);
	o->destroy(obj);
	return weft_nl_reply_send(info, reply, hdr);
}

/**
 * weft_nl_object_dump() - dump the objects of the fabric that a request names
 * @o: kind of the objects
 * @skb: the message
 * @cb: state of the dump
 *
 * Context: process, takes RTNL.
 * Return: as a dumpit.
 */
int weft_nl_object_dump(const struct weft_nl_objects *o, struct sk_buff *skb,
			struct netlink_callback *cb)
{
	struct weft_fabric *f;
	int ret;

	rtnl_lock();
	f = weft_nl_fabric(sock_net(skb->sk), genl_info_dump(cb)->attrs,
			   o->fabric, cb->extack);
	ret = PTR_ERR_OR_ZERO(f);
	if (!ret) {
		cb->seq = f->generation;
		ret = weft_nl_dump_objects(skb, cb, objects_in(o, f), o->cmd,
					   o->fill);
	}
	rtnl_unlock();
	return ret;
}
