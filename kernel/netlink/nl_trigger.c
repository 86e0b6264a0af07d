// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: triggers.
 */
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/trigger.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

#define TRIGGER_LEAST	262144	/* bytes in excess of a rate */

/**
 * struct trigger_kind - attributes of a kind of trigger
 */
struct trigger_kind {
	/** @name: name in the specification */
	const char *name;
	/** @takes: bit per attribute that it may have */
	u32 takes;
	/** @needs: attribute that it must have, in addition to the NIC */
	int needs;
	/** @what: name of @needs */
	const char *what;
};

#define TRIGGER_BIT(attr)	BIT(WEFT_A_TRIGGER_##attr)
#define TRIGGER_PARAMS							\
	(TRIGGER_BIT(NAME) | TRIGGER_BIT(NUMBER) | TRIGGER_BIT(NIC) |	\
	 TRIGGER_BIT(RATE) | TRIGGER_BIT(SIZE))

static const struct trigger_kind trigger_kinds[] = {
	[FAB_TRIGGER_MARK] = { "mark", TRIGGER_BIT(NAME),
			       WEFT_A_TRIGGER_NAME, "name" },
	[FAB_TRIGGER_PHASE] = { "phase", TRIGGER_BIT(NUMBER),
				WEFT_A_TRIGGER_NUMBER, "number" },
	[FAB_TRIGGER_RATE] = { "rate", TRIGGER_BIT(NIC) | TRIGGER_BIT(RATE) |
				       TRIGGER_BIT(SIZE),
			       WEFT_A_TRIGGER_RATE, "rate" },
	[FAB_TRIGGER_BYTES] = { "bytes", TRIGGER_BIT(NIC) | TRIGGER_BIT(SIZE),
				WEFT_A_TRIGGER_SIZE, "size" },
};

static int trigger_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_trigger *tg = obj;

	return nla_put_u32(skb, WEFT_A_TRIGGER_FABRIC, tg->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_TRIGGER_ID, tg->id);
}

static int trigger_put_params(struct sk_buff *skb, const struct weft_trigger *tg)
{
	const struct fab_trigger_params *p = &tg->p.p;

	if (nla_put_u32(skb, WEFT_A_TRIGGER_KIND, p->kind))
		return -EMSGSIZE;
	if (fab_trigger_of_nic(p->kind))
		return nla_put_u32(skb, WEFT_A_TRIGGER_NIC, tg->p.nic) ?:
		       weft_nl_put_u64_set(skb, WEFT_A_TRIGGER_RATE,
					   p->rate_bps) ?:
		       weft_nl_put_u64(skb, WEFT_A_TRIGGER_SIZE, p->bytes);
	if (p->kind == FAB_TRIGGER_PHASE)
		return nla_put_u32(skb, WEFT_A_TRIGGER_NUMBER, p->phase);
	return weft_nl_put_name(skb, WEFT_A_TRIGGER_NAME, p->mark);
}

static int trigger_put_state(struct sk_buff *skb, const struct fab_trigger *t)
{
	int err = 0;

	if (t->p.kind == FAB_TRIGGER_BYTES)
		err = weft_nl_put_u64(skb, WEFT_A_TRIGGER_SENT, t->bytes);
	if (err || !t->moment.known)
		return err;
	return weft_nl_put_u64(skb, WEFT_A_TRIGGER_AT, t->moment.at) ?:
	       weft_nl_put_u64(skb, WEFT_A_TRIGGER_FOUND, t->moment.found);
}

static int trigger_fill(struct sk_buff *skb, const void *obj)
{
	const struct weft_trigger *tg = obj;
	int err = trigger_fill_id(skb, tg) ?: trigger_put_params(skb, tg);

	if (err)
		return err;
	weft_engine_lock(tg->fabric);
	err = trigger_put_state(skb, &tg->t);
	weft_engine_unlock(tg->fabric);
	return err;
}

/* Check that the request has the attributes of this kind, and no others. */
static int trigger_check_kind(struct genl_info *info, u32 kind)
{
	const struct trigger_kind *k = &trigger_kinds[kind];
	u32 others = TRIGGER_PARAMS & ~k->takes, i;

	for (; others; others &= others - 1) {
		i = __ffs(others);
		if (!info->attrs[i])
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[i],
					"not a parameter of kind %s", k->name);
		return -EINVAL;
	}
	if (info->attrs[k->needs])
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[WEFT_A_TRIGGER_KIND],
				"kind %s needs %s", k->name, k->what);
	return -EINVAL;
}

static int trigger_get_nic(struct weft_fabric *f, struct genl_info *info,
			   struct weft_trigger_params *p)
{
	if (!fab_trigger_of_nic(p->p.kind))
		return 0;
	p->wep = weft_nl_find(&f->nics, info->attrs, WEFT_A_TRIGGER_NIC, "NIC",
			      info->extack);
	if (IS_ERR(p->wep))
		return PTR_ERR(p->wep);
	p->nic = p->wep->ep.id;
	return 0;
}

/* Check the limits that the policy of the attributes does not cover. */
static int trigger_check_model(struct genl_info *info,
			       const struct fab_trigger_params *p)
{
	struct nlattr **tb = info->attrs;
	int err = fab_trigger_params_check(p);

	if (!err)
		return 0;
	if (p->kind == FAB_TRIGGER_MARK)
		NL_SET_ERR_MSG_ATTR(info->extack, tb[WEFT_A_TRIGGER_NAME],
				    "a mark's name has letters, digits and . _ : + -, and begins with a letter or a digit");
	else
		NL_SET_ERR_MSG_ATTR(info->extack,
				    tb[WEFT_A_TRIGGER_SIZE] ?:
				    tb[WEFT_A_TRIGGER_RATE],
				    "above a rate, size is at most 1 GiB and what the rate carries in 1000 s");
	return err;
}

static int trigger_get(struct weft_fabric *f, struct genl_info *info,
		       struct weft_trigger_params *p)
{
	struct nlattr **tb = info->attrs;
	int err = weft_nl_need(tb, WEFT_A_TRIGGER_KIND, "kind", info->extack);

	if (err)
		return err;
	p->p.kind = nla_get_u32(tb[WEFT_A_TRIGGER_KIND]);
	if (tb[WEFT_A_TRIGGER_NAME])
		nla_strscpy(p->p.mark, tb[WEFT_A_TRIGGER_NAME],
			    sizeof(p->p.mark));
	p->p.phase = weft_nl_u32_or(tb[WEFT_A_TRIGGER_NUMBER], 0);
	p->p.rate_bps = weft_nl_u64_or(tb[WEFT_A_TRIGGER_RATE], 0);
	p->p.bytes = weft_nl_u64_or(tb[WEFT_A_TRIGGER_SIZE], TRIGGER_LEAST);
	return trigger_check_kind(info, p->p.kind) ?:
	       trigger_get_nic(f, info, p) ?:
	       trigger_check_model(info, &p->p);
}

static void *trigger_create(struct weft_fabric *f, struct sk_buff *skb,
			    struct genl_info *info)
{
	struct weft_trigger_params p = {};
	int err;

	err = trigger_get(f, info, &p);
	if (err)
		return ERR_PTR(err);
	return weft_trigger_create(f, &p, info->extack);
}

static void trigger_destroy(void *obj)
{
	weft_trigger_destroy(obj);
}

static const struct weft_nl_objects trigger_objects = {
	.name = "trigger",
	.offset = offsetof(struct weft_fabric, triggers),
	.fabric = WEFT_A_TRIGGER_FABRIC,
	.id = WEFT_A_TRIGGER_ID,
	.cmd = WEFT_CMD_TRIGGER_GET,
	.ntf = WEFT_CMD_TRIGGER_NTF,
	.fill = trigger_fill,
	.fill_id = trigger_fill_id,
	.fill_params = trigger_fill,
	.create = trigger_create,
	.destroy = trigger_destroy,
};

int weft_nl_trigger_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&trigger_objects, skb, info);
}

int weft_nl_trigger_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct weft_trigger *tg = weft_nl_object_of(&trigger_objects, info);

	if (!IS_ERR(tg) && tg->users) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack,
					info->attrs[WEFT_A_TRIGGER_ID],
					"%u faults or generators begin by it, and it goes with the last of them",
					tg->users);
		return -EBUSY;
	}
	return weft_nl_object_del(&trigger_objects, info);
}

int weft_nl_trigger_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&trigger_objects, info);
}

int weft_nl_trigger_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&trigger_objects, skb, cb);
}

/**
 * weft_nl_trigger_of() - find the trigger of a fault or generator
 * @f: its fabric
 * @attrs: attributes of the request
 * @attr: attribute with the trigger's id
 * @start: attribute with a start time, which excludes a trigger
 * @extack: for the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: the trigger, NULL if the request names none, or an ERR_PTR.
 */
struct weft_trigger *weft_nl_trigger_of(struct weft_fabric *f,
					struct nlattr *const *attrs, int attr,
					int start, struct netlink_ext_ack *extack)
{
	if (!attrs[attr])
		return NULL;
	if (attrs[start]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[start],
				    "either start or trigger, not both");
		return ERR_PTR(-EINVAL);
	}
	return weft_nl_find(&f->triggers, attrs, attr, "trigger", extack);
}

/**
 * weft_nl_trigger_met() - notify that the moment of a trigger came
 * @tg: the trigger
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_trigger_met(struct weft_trigger *tg)
{
	weft_nl_notify(tg->fabric, NULL, WEFT_CMD_TRIGGER_NTF, trigger_fill, tg);
}

/**
 * weft_nl_trigger_gone() - notify that a trigger is about to be removed
 * @tg: the trigger
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_trigger_gone(struct weft_trigger *tg)
{
	BUILD_BUG_ON((int)WEFT_TRIGGER_KIND_BYTES != FAB_TRIGGER_BYTES);
	weft_nl_notify(tg->fabric, NULL, WEFT_CMD_TRIGGER_DEL_NTF, trigger_fill,
		       tg);
}
