// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: faults of links and switches.
 */
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/fault.h"
#include "fabric/link.h"
#include "fabric/switch.h"
#include "fabric/trigger.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"

/**
 * struct fault_kind - attributes of a kind of fault
 */
struct fault_kind {
	/** @name: name in the specification */
	const char *name;
	/** @takes: bit per attribute that it may have */
	u32 takes;
	/** @needs: it must have one of these attributes */
	u32 needs;
	/** @what: names of @needs */
	const char *what;
};

#define FAULT_BIT(attr)	BIT(WEFT_A_FAULT_##attr)
#define FAULT_PARAMS							\
	(FAULT_BIT(RATE) | FAULT_BIT(LANES) | FAULT_BIT(DELAY) |	\
	 FAULT_BIT(JITTER) | FAULT_BIT(PROBABILITY) | FAULT_BIT(BURST) | \
	 FAULT_BIT(BITS_PER_ERROR) | FAULT_BIT(CLASSES) | FAULT_BIT(KMIN) | \
	 FAULT_BIT(KMAX) | FAULT_BIT(PMAX) | FAULT_BIT(DST) |		\
	 FAULT_BIT(FLOWS) | FAULT_BIT(PORT) | FAULT_BIT(SIZE))

static const struct fault_kind fault_kinds[] = {
	[FAB_FAULT_DOWN] = { "down" },
	[FAB_FAULT_RATE] = { "rate", FAULT_BIT(RATE) | FAULT_BIT(LANES),
			     FAULT_BIT(RATE) | FAULT_BIT(LANES),
			     "rate or lanes" },
	[FAB_FAULT_DELAY] = { "delay", FAULT_BIT(DELAY) | FAULT_BIT(JITTER),
			      FAULT_BIT(DELAY) | FAULT_BIT(JITTER),
			      "delay or jitter" },
	[FAB_FAULT_LOSS] = { "loss", FAULT_BIT(PROBABILITY) | FAULT_BIT(BURST),
			     FAULT_BIT(PROBABILITY), "probability" },
	[FAB_FAULT_CORRUPT] = { "corrupt", FAULT_BIT(BITS_PER_ERROR),
				FAULT_BIT(BITS_PER_ERROR), "bits-per-error" },
	[FAB_FAULT_DUPLICATE] = { "duplicate", FAULT_BIT(PROBABILITY),
				  FAULT_BIT(PROBABILITY), "probability" },
	[FAB_FAULT_REORDER] = { "reorder",
				FAULT_BIT(PROBABILITY) | FAULT_BIT(DELAY),
				FAULT_BIT(PROBABILITY), "probability" },
	[FAB_FAULT_CREDIT_LOSS] = { "credit-loss", FAULT_BIT(PROBABILITY),
				    FAULT_BIT(PROBABILITY), "probability" },
	[FAB_FAULT_PAUSE_STORM] = { "pause-storm", FAULT_BIT(CLASSES) },
	[FAB_FAULT_HANG] = { "hang" },
	[FAB_FAULT_SLOW] = { "slow", FAULT_BIT(RATE) },
	[FAB_FAULT_ECN] = { "ecn", FAULT_BIT(CLASSES) | FAULT_BIT(KMIN) |
				   FAULT_BIT(KMAX) | FAULT_BIT(PMAX),
			    FAULT_BIT(KMAX), "kmax" },
	[FAB_FAULT_BLACKHOLE] = { "blackhole",
				  FAULT_BIT(DST) | FAULT_BIT(FLOWS) },
	[FAB_FAULT_FORGET] = { "forget" },
	[FAB_FAULT_MISROUTE] = { "misroute",
				 FAULT_BIT(DST) | FAULT_BIT(FLOWS) |
				 FAULT_BIT(PORT), FAULT_BIT(PORT), "port" },
	[FAB_FAULT_REBOOT] = { "reboot" },
	[FAB_FAULT_BUFFER] = { "buffer", FAULT_BIT(SIZE), FAULT_BIT(SIZE),
			       "size" },
	[FAB_FAULT_SHARP_DOWN] = { "sharp-down" },
	[FAB_FAULT_SHARP_SLOW] = { "sharp-slow", FAULT_BIT(DELAY),
				   FAULT_BIT(DELAY), "delay" },
};

static int fault_fill_id(struct sk_buff *skb, const void *obj)
{
	const struct weft_fault *fault = obj;

	return nla_put_u32(skb, WEFT_A_FAULT_FABRIC, fault->fabric->id) ?:
	       nla_put_u32(skb, WEFT_A_FAULT_ID, fault->id);
}

static int fault_put_place(struct sk_buff *skb, const struct weft_fault *fault)
{
	if (fault->p.sw)
		return nla_put_u32(skb, WEFT_A_FAULT_SWITCH, fault->p.sw->id);
	if (nla_put_u32(skb, WEFT_A_FAULT_LINK, fault->p.link->id))
		return -EMSGSIZE;
	if (fault->p.wires == 3)
		return 0;
	return nla_put_u32(skb, WEFT_A_FAULT_DIRECTION, fault->p.wires - 1);
}

/* By a trigger, it is known only with its moment when it begins. */
static int fault_put_start(struct sk_buff *skb, const struct weft_fault *fault)
{
	const struct fab_fault *wire = &fault->wire[!(fault->p.wires & 1)];
	fab_time start;
	bool known;

	if (!fault->p.trigger)
		return weft_nl_put_u64(skb, WEFT_A_FAULT_START,
				       fault->p.p.start);
	weft_engine_lock(fault->fabric);
	known = !fab_moment_awaited(&wire->waiter);
	start = wire->p.start;
	weft_engine_unlock(fault->fabric);
	return nla_put_u32(skb, WEFT_A_FAULT_TRIGGER, fault->p.trigger->id) ?:
	       weft_nl_put_u64(skb, WEFT_A_FAULT_AFTER, fault->p.p.start) ?:
	       (known ? weft_nl_put_u64(skb, WEFT_A_FAULT_START, start) : 0);
}

static int fault_put_time(struct sk_buff *skb, const struct fab_fault_params *p)
{
	return weft_nl_put_u64(skb, WEFT_A_FAULT_DURATION, p->duration) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_FAULT_PERIOD, p->period) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_FAULT_COUNT, p->count) ?:
	       weft_nl_put_u64(skb, WEFT_A_FAULT_SEED, p->seed);
}

static int fault_put_marks(struct sk_buff *skb,
			   const struct fab_fault_params *p)
{
	if (p->kind != FAB_FAULT_ECN)
		return 0;
	return nla_put_u32(skb, WEFT_A_FAULT_KMIN, p->red.kmin) ?:
	       nla_put_u32(skb, WEFT_A_FAULT_KMAX, p->red.kmax) ?:
	       nla_put_u32(skb, WEFT_A_FAULT_PMAX, p->red.pmax);
}

static int fault_put_share(struct sk_buff *skb,
			   const struct fab_fault_params *p)
{
	bool out = p->kind == FAB_FAULT_MISROUTE;
	u32 i;

	if (!out && p->kind != FAB_FAULT_BLACKHOLE)
		return weft_nl_put_u32_set(skb, WEFT_A_FAULT_PROBABILITY, p->ppb);
	for (i = 0; i < p->dsts; i++)
		if (nla_put_u32(skb, WEFT_A_FAULT_DST, p->dst[i]))
			return -EMSGSIZE;
	return nla_put_u32(skb, WEFT_A_FAULT_FLOWS, p->ppb) ?:
	       (out ? nla_put_u32(skb, WEFT_A_FAULT_PORT, p->out) : 0);
}

static int fault_put_params(struct sk_buff *skb,
			    const struct fab_fault_params *p)
{
	return nla_put_u32(skb, WEFT_A_FAULT_KIND, p->kind) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_FAULT_RATE, p->rate_bps) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_FAULT_LANES, p->lanes) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_FAULT_DELAY, p->delay) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_FAULT_JITTER, p->jitter) ?:
	       fault_put_share(skb, p) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_FAULT_BURST, p->burst) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_FAULT_BITS_PER_ERROR,
				   p->bits_per_error) ?:
	       weft_nl_put_u32_set(skb, WEFT_A_FAULT_CLASSES, p->classes) ?:
	       fault_put_marks(skb, p) ?:
	       weft_nl_put_u64_set(skb, WEFT_A_FAULT_SIZE, p->size) ?:
	       fault_put_time(skb, p);
}

static int fault_fill_params(struct sk_buff *skb, const void *obj)
{
	const struct weft_fault *fault = obj;

	return fault_fill_id(skb, fault) ?:
	       fault_put_place(skb, fault) ?:
	       fault_put_start(skb, fault) ?:
	       fault_put_params(skb, &fault->p.p);
}

/* The times of both wires are the same; packets are the sum of both. */
static int fault_put_counters(struct sk_buff *skb, struct weft_fault *fault)
{
	static const char *const name[] = {
		"packets", "control", "windows", "active_ps", "late_ps",
	};
	struct {
		struct fab_fault_counters c;
		u64 late_ps;
	} sum = {};
	struct fab_fault *wire;
	u32 i;

	for (i = 0; i < 2; i++) {
		wire = &fault->wire[i];
		if (!fab_fault_there(wire))
			continue;
		fab_fault_settle(&fault->fabric->fab, wire);
		sum.c.packets += wire->c.packets;
		sum.c.control += wire->c.control;
		sum.c.windows = wire->c.windows;
		sum.c.active_ps = wire->c.active_ps;
		sum.late_ps = wire->waiter.late;
	}
	BUILD_BUG_ON(sizeof(sum) != ARRAY_SIZE(name) * sizeof(u64));
	return weft_nl_put_counters(skb, WEFT_A_FAULT_COUNTER, name,
				    (const u64 *)&sum, ARRAY_SIZE(name));
}

static int fault_put_state(struct sk_buff *skb, struct weft_fault *fault)
{
	const struct fab_fault *wire = &fault->wire[!(fault->p.wires & 1)];
	fab_time next = fab_fault_next(wire);

	return nla_put_u32(skb, WEFT_A_FAULT_STATE, wire->state) ?:
	       (next == FAB_NEVER ? 0 :
		weft_nl_put_u64(skb, WEFT_A_FAULT_NEXT, next)) ?:
	       fault_put_counters(skb, fault);
}

static int fault_fill(struct sk_buff *skb, const void *obj)
{
	struct weft_fault *fault = (struct weft_fault *)obj;
	int err = fault_fill_params(skb, fault);

	if (err)
		return err;
	weft_engine_lock(fault->fabric);
	err = fault_put_state(skb, fault);
	weft_engine_unlock(fault->fabric);
	return err;
}

/* Set the link or the switch of @p, by the kind of the fault. */
static int fault_get_place(struct weft_fabric *f, struct genl_info *info,
			   struct weft_fault_params *p)
{
	struct nlattr **tb = info->attrs;
	bool of_switch = fab_fault_of_switch(p->p.kind);
	int other = of_switch ? WEFT_A_FAULT_LINK : WEFT_A_FAULT_SWITCH;

	if (of_switch && tb[WEFT_A_FAULT_DIRECTION])
		other = WEFT_A_FAULT_DIRECTION;
	if (tb[other]) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, tb[other],
					"kind %s is one of %s",
					fault_kinds[p->p.kind].name,
					of_switch ? "switches" : "links");
		return -EINVAL;
	}
	if (of_switch) {
		p->sw = weft_nl_find(&f->switches, tb, WEFT_A_FAULT_SWITCH,
				     "switch", info->extack);
		return PTR_ERR_OR_ZERO(p->sw);
	}
	p->link = weft_nl_find(&f->links, tb, WEFT_A_FAULT_LINK, "link",
			       info->extack);
	return PTR_ERR_OR_ZERO(p->link);
}

/* Check the attributes that a fault of this kind must and may have. */
static int fault_check_kind(struct genl_info *info, u32 kind)
{
	const struct fault_kind *k = &fault_kinds[kind];
	u32 params = FAULT_PARAMS, has = 0, i;

	for (; params; params &= params - 1) {
		i = __ffs(params);
		if (!info->attrs[i])
			continue;
		has |= BIT(i);
		if (k->takes & BIT(i))
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[i],
					"not a parameter of kind %s", k->name);
		return -EINVAL;
	}
	if (!k->needs || has & k->needs)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[WEFT_A_FAULT_KIND],
				"kind %s needs %s", k->name, k->what);
	return -EINVAL;
}

/* Can the link have the fault? */
static int fault_check_link(struct genl_info *info, struct weft_fault_params *p)
{
	const struct fab_port *port = weft_link_port(&p->link->end[0]);
	u32 lanes = min(port->wire.p.lanes, port->peer->wire.p.lanes);
	int err = weft_nl_fault_wires(info, p);

	if (err)
		return err;
	if (p->p.lanes <= lanes)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[WEFT_A_FAULT_LANES],
				"at most %u, the lanes of the link", lanes);
	return -ERANGE;
}

/* Can the switch have the fault? */
static int fault_check_switch(struct genl_info *info,
			      const struct weft_fault_params *p)
{
	int err = fab_fault_fits(&p->sw->sw, &p->p);

	if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack,
					info->attrs[WEFT_A_FAULT_KIND],
					"links of discipline %s account for room themselves",
					p->sw->sw.p.port.disc->name);
	else if (err)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack,
					info->attrs[WEFT_A_FAULT_PORT],
					"switch has %u ports, counted from 0",
					p->sw->sw.p.ports);
	return err;
}

static int fault_check_place(struct genl_info *info,
			     struct weft_fault_params *p)
{
	return p->sw ? fault_check_switch(info, p) : fault_check_link(info, p);
}

/* Refuse inconsistent times. */
static int fault_check_time(struct genl_info *info,
			    const struct fab_fault_params *p)
{
	struct nlattr **tb = info->attrs;
	int attr = WEFT_A_FAULT_PERIOD;

	if (tb[WEFT_A_FAULT_START] && tb[WEFT_A_FAULT_AFTER]) {
		attr = WEFT_A_FAULT_AFTER;
		NL_SET_ERR_MSG(info->extack, "either start or after, not both");
	} else if (p->period && (!p->duration || p->duration >= p->period)) {
		NL_SET_ERR_MSG(info->extack, "period needs a duration below it");
	} else if (p->count && !p->period) {
		attr = WEFT_A_FAULT_COUNT;
		NL_SET_ERR_MSG(info->extack, "count needs a period");
	} else {
		return 0;
	}
	NL_SET_BAD_ATTR(info->extack, tb[attr]);
	return -EINVAL;
}

/* Refuse inconsistent numbers. */
static int fault_check_params(struct genl_info *info,
			      const struct fab_fault_params *p)
{
	struct nlattr **tb = info->attrs;
	int attr = WEFT_A_FAULT_PROBABILITY;

	if (!fab_fault_params_check(p))
		return 0;
	if (p->kind == FAB_FAULT_LOSS) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "probability must be at most %u with burst",
				   FAB_FAULT_BURST_PPB);
	} else if (p->kind == FAB_FAULT_ECN) {
		attr = WEFT_A_FAULT_KMIN;
		NL_SET_ERR_MSG(info->extack, "kmin must be at most kmax");
	} else {
		if (tb[WEFT_A_FAULT_DELAY])
			attr = WEFT_A_FAULT_DELAY;
		NL_SET_ERR_MSG(info->extack, "delay must be above 0");
	}
	NL_SET_BAD_ATTR(info->extack, tb[attr] ?: tb[WEFT_A_FAULT_KIND]);
	return -EINVAL;
}

static void fault_get_numbers(struct nlattr **tb, struct fab_fault_params *p)
{
	bool flows = fault_kinds[p->kind].takes & FAULT_BIT(FLOWS);

	p->rate_bps = weft_nl_u64_or(tb[WEFT_A_FAULT_RATE], 0);
	p->lanes = weft_nl_u32_or(tb[WEFT_A_FAULT_LANES], 0);
	p->delay = weft_nl_u64_or(tb[WEFT_A_FAULT_DELAY], 0);
	p->jitter = weft_nl_u64_or(tb[WEFT_A_FAULT_JITTER], 0);
	p->ppb = flows ? weft_nl_u32_or(tb[WEFT_A_FAULT_FLOWS], FAB_FAULT_PPB) :
			 weft_nl_u32_or(tb[WEFT_A_FAULT_PROBABILITY], 0);
	p->burst = weft_nl_u32_or(tb[WEFT_A_FAULT_BURST], 0);
	p->bits_per_error = weft_nl_u64_or(tb[WEFT_A_FAULT_BITS_PER_ERROR], 0);
	p->classes = weft_nl_u32_or(tb[WEFT_A_FAULT_CLASSES], 0);
	p->red.kmax = weft_nl_u32_or(tb[WEFT_A_FAULT_KMAX], 0);
	p->red.kmin = weft_nl_u32_or(tb[WEFT_A_FAULT_KMIN], p->red.kmax);
	p->red.pmax = weft_nl_u32_or(tb[WEFT_A_FAULT_PMAX], FAB_MARK_ONE);
	p->out = weft_nl_u32_or(tb[WEFT_A_FAULT_PORT], 0);
	p->size = weft_nl_u64_or(tb[WEFT_A_FAULT_SIZE], 0);
	p->start = weft_nl_u64_or(tb[WEFT_A_FAULT_START],
				  weft_nl_u64_or(tb[WEFT_A_FAULT_AFTER], 0));
	p->duration = weft_nl_u64_or(tb[WEFT_A_FAULT_DURATION], 0);
	p->period = weft_nl_u64_or(tb[WEFT_A_FAULT_PERIOD], 0);
	p->count = weft_nl_u32_or(tb[WEFT_A_FAULT_COUNT], 0);
	p->seed = weft_nl_u64_or(tb[WEFT_A_FAULT_SEED], 0);
}

/* The destinations that the request names, each below @max. */
static int fault_get_dsts(struct genl_info *info, struct fab_fault_params *p,
			  u32 max)
{
	const struct nlattr *nla;
	int rem;

	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != WEFT_A_FAULT_DST)
			continue;
		if (nla_get_u32(nla) >= max) {
			NL_SET_ERR_MSG_ATTR_FMT(info->extack, nla,
						"destination must be below %u, the max-nics of the fabric",
						max);
			return -ERANGE;
		}
		if (p->dsts == FAB_FAULT_DSTS_MAX) {
			NL_SET_ERR_MSG_ATTR_FMT(info->extack, nla,
						"at most %u destinations",
						FAB_FAULT_DSTS_MAX);
			return -E2BIG;
		}
		p->dst[p->dsts++] = nla_get_u32(nla);
	}
	return 0;
}

static int fault_get(struct weft_fabric *f, struct genl_info *info,
		     struct weft_fault_params *p)
{
	struct nlattr **tb = info->attrs;
	int err;

	err = weft_nl_need(tb, WEFT_A_FAULT_KIND, "kind", info->extack);
	if (err)
		return err;
	p->p.kind = nla_get_u32(tb[WEFT_A_FAULT_KIND]);
	err = fault_get_place(f, info, p);
	if (err)
		return err;
	p->trigger = weft_nl_trigger_of(f, tb, WEFT_A_FAULT_TRIGGER,
					WEFT_A_FAULT_START, info->extack);
	if (IS_ERR(p->trigger))
		return PTR_ERR(p->trigger);
	p->relative = !tb[WEFT_A_FAULT_START] && !p->trigger;
	p->seeded = tb[WEFT_A_FAULT_SEED];
	p->wires = tb[WEFT_A_FAULT_DIRECTION] ?
		   BIT(nla_get_u32(tb[WEFT_A_FAULT_DIRECTION])) : 3;
	if (p->sw)
		p->wires = 1;
	fault_get_numbers(tb, &p->p);
	return fault_check_kind(info, p->p.kind) ?:
	       fault_get_dsts(info, &p->p, f->p.max_nics) ?:
	       fault_check_time(info, &p->p) ?:
	       fault_check_params(info, &p->p) ?:
	       fault_check_place(info, p) ?:
	       weft_nl_check_start(f, info->attrs[WEFT_A_FAULT_START],
				   info->extack);
}

static void *fault_create(struct weft_fabric *f, struct sk_buff *skb,
			  struct genl_info *info)
{
	struct weft_fault_params p = {};
	int err;

	err = fault_get(f, info, &p);
	if (err)
		return ERR_PTR(err);
	return weft_fault_create(f, &p, info->extack);
}

static void fault_destroy(void *obj)
{
	weft_fault_destroy(obj);
}

static void fault_withdraw(void *obj)
{
	struct weft_trigger *tg = ((struct weft_fault *)obj)->p.trigger;

	weft_trigger_get(tg);
	weft_fault_destroy(obj);
	weft_trigger_unget(tg);
}

static const struct weft_nl_objects fault_objects = {
	.name = "fault",
	.offset = offsetof(struct weft_fabric, faults),
	.fabric = WEFT_A_FAULT_FABRIC,
	.id = WEFT_A_FAULT_ID,
	.cmd = WEFT_CMD_FAULT_GET,
	.ntf = WEFT_CMD_FAULT_NTF,
	.fill = fault_fill,
	.fill_id = fault_fill_id,
	.fill_params = fault_fill_params,
	.create = fault_create,
	.destroy = fault_destroy,
	.withdraw = fault_withdraw,
};

int weft_nl_fault_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_new(&fault_objects, skb, info);
}

int weft_nl_fault_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_del(&fault_objects, info);
}

int weft_nl_fault_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_object_get(&fault_objects, info);
}

int weft_nl_fault_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_nl_object_dump(&fault_objects, skb, cb);
}

/**
 * weft_nl_fault_gone() - send the event that a fault goes
 * @fault: the fault
 *
 * Context: process, RTNL held, may sleep.
 */
void weft_nl_fault_gone(struct weft_fault *fault)
{
	BUILD_BUG_ON(ARRAY_SIZE(fault_kinds) != __FAB_FAULT_MAX);
	BUILD_BUG_ON((int)WEFT_FAULT_KIND_SHARP_SLOW != FAB_FAULT_SHARP_SLOW);
	BUILD_BUG_ON((int)WEFT_FAULT_STATE_OVER != FAB_FAULT_OVER);
	weft_nl_notify(fault->fabric, NULL, WEFT_CMD_FAULT_DEL_NTF,
		       fault_fill_params, fault);
}
