// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: what requests do alike to all objects that fabrics have by id.
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
 * @o: what objects it is of
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
 * weft_nl_object_of() - find the object that a request to do something names
 * @o: what objects it is of
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
 * @o: what objects it is of
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
 * weft_nl_object_del() - end the object that a request names
 * @o: what objects it is of
 * @info: the request
 * @destroy: ends the object
 *
 * The answer is what the object was at its end. Where there is no room for it
 * the object stays.
 *
 * Context: process, RTNL held, may sleep.
 * Return: as a doit.
 */
int weft_nl_object_del(const struct weft_nl_objects *o, struct genl_info *info,
		       void (*destroy)(void *obj))
{
	void *obj = weft_nl_object_of(o, info), *hdr;
	struct sk_buff *reply;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	reply = weft_nl_reply_fill(info, o->fill, obj, &hdr);
	if (IS_ERR(reply))
		return PTR_ERR(reply);
	destroy(obj);
	return weft_nl_reply_send(info, reply, hdr);
}

/**
 * weft_nl_object_dump() - dump the objects of the fabric that a request names
 * @o: what objects they are
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
