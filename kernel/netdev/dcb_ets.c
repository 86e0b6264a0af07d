// SPDX-License-Identifier: GPL-2.0
/*
 * Traffic classes of a NIC by dcbnl: shares (802.1Q, ETS) and limits of the rate.
 *
 * A traffic class of dcbnl is a set of priorities. The model schedules its own
 * classes, to which the NIC maps the priorities (weft_endpoint.vl). Priorities of
 * the same class must be in the same traffic class.
 *
 * Strict traffic classes go before the others, the higher number first. The model
 * serves strict classes in the order of their numbers, so strict traffic classes
 * must be in the order of their priorities. Within one, the higher priority goes
 * first.
 *
 * The others share the rest by deficit round robin over the classes of the model. A
 * traffic class with n of them divides its bandwidth by n: weights are bandwidth /
 * n, as the smallest integers in that proportion.
 *
 * A limit holds for all classes of a traffic class together.
 */
#include <linux/gcd.h>
#include <linux/lcm.h>
#include <linux/rtnetlink.h>

#include "core/egress/shaper.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "netdev/dcb.h"
#include "netdev/nic.h"

#define ETS_TCS		IEEE_8021QAZ_MAX_TCS
#define ETS_KBPS	1000ULL

/**
 * struct ets_plan - traffic classes in terms of the model's classes
 */
struct ets_plan {
	/** @classes: bit per class, by traffic class */
	u16 classes[ETS_TCS];
	/** @sched: parameters of the scheduler */
	struct fab_sched_params sched;
};

static struct weft_endpoint *ets_endpoint(struct net_device *dev)
{
	return rtnl_dereference(((struct weft_nic *)netdev_priv(dev))->ep);
}

/* Shares of weights in percent that add up to 100. */
static void ets_percent(const struct fab_sched_params *s, u32 classes,
			struct ieee_ets *ets)
{
	u32 cls, sum = 0, before = 0, so_far = 0;

	for (cls = 0; cls < classes; cls++)
		sum += s->weight[cls];
	for (cls = 0; cls < classes; cls++) {
		if (!s->weight[cls])
			continue;
		so_far += s->weight[cls];
		ets->tc_tsa[cls] = IEEE_8021QAZ_TSA_ETS;
		ets->tc_tx_bw[cls] = so_far * 100 / sum - before * 100 / sum;
		before = so_far;
	}
}

/* The ETS settings that follow from the weights, until others are set. */
static void ets_default(const struct weft_endpoint *wep, struct ieee_ets *ets)
{
	const struct fab_port_params *p = wep->ep.port.p;
	u32 classes = min_t(u32, p->classes, ETS_TCS), prio;

	memset(ets, 0, sizeof(*ets));
	ets->ets_cap = ETS_TCS;
	for (prio = 0; prio < WEFT_NIC_PRIOS; prio++)
		ets->prio_tc[prio] = min_t(u32, wep->vl[prio], classes - 1);
	ets_percent(&p->sched, classes, ets);
}

static void ets_now(const struct weft_endpoint *wep, struct ieee_ets *ets)
{
	if (wep->dcb.ets_set)
		*ets = wep->dcb.ets;
	else
		ets_default(wep, ets);
}

static int ets_check(const struct ieee_ets *ets)
{
	bool shares = false;
	u32 i, sum = 0;

	for (i = 0; i < ETS_TCS; i++) {
		if (ets->prio_tc[i] >= ETS_TCS)
			return -EINVAL;
		switch (ets->tc_tsa[i]) {
		case IEEE_8021QAZ_TSA_STRICT:
			break;
		case IEEE_8021QAZ_TSA_ETS:
			shares = true;
			sum += ets->tc_tx_bw[i];
			break;
		case IEEE_8021QAZ_TSA_CB_SHAPER:
		case IEEE_8021QAZ_TSA_VENDOR:
			return -EOPNOTSUPP;
		default:
			return -EINVAL;
		}
	}
	return shares && sum != 100 ? -EINVAL : 0;
}

/* Which classes of the model are in which traffic class? */
static int ets_plan_classes(const struct weft_endpoint *wep,
			    const struct ieee_ets *ets, struct ets_plan *plan)
{
	u16 seen = 0;
	u32 prio, cls;

	memset(plan->classes, 0, sizeof(plan->classes));
	for (prio = 0; prio < WEFT_NIC_PRIOS; prio++) {
		cls = wep->vl[prio];
		if (cls >= wep->ep.port.p->classes)
			continue;
		if (seen & ~plan->classes[ets->prio_tc[prio]] & BIT(cls))
			return -EINVAL;
		seen |= BIT(cls);
		plan->classes[ets->prio_tc[prio]] |= BIT(cls);
	}
	return 0;
}

/* The classes of a lower strict traffic class must all be lower. */
static int ets_check_order(const struct ieee_ets *ets,
			   const struct ets_plan *plan)
{
	u16 below = 0;
	u32 tc;

	for (tc = 0; tc < ETS_TCS; tc++) {
		if (ets->tc_tsa[tc] != IEEE_8021QAZ_TSA_STRICT ||
		    !plan->classes[tc])
			continue;
		if (fls(below) > __ffs(plan->classes[tc]))
			return -EOPNOTSUPP;
		below |= plan->classes[tc];
	}
	return 0;
}

/* Does a traffic class get a share: is it ETS, and has it priorities? */
static bool ets_has_share(const struct ieee_ets *ets,
			  const struct ets_plan *plan, u32 tc)
{
	return ets->tc_tsa[tc] == IEEE_8021QAZ_TSA_ETS && plan->classes[tc];
}

static void ets_weigh(u16 *weight, u16 classes, u32 each)
{
	for (; classes; classes &= classes - 1)
		weight[__ffs(classes)] = each;
}

/*
 * The weight of a class is bandwidth * m / n, where m is the least common multiple
 * of all n. There are at most 8 classes, so m is at most 15 (3 and 5), and the
 * product fits 16 bits.
 */
static int ets_plan_weights(const struct ieee_ets *ets, struct ets_plan *plan)
{
	unsigned long m = 1, divisor = 0;
	u32 each[ETS_TCS] = {}, tc, n;

	for (tc = 0; tc < ETS_TCS; tc++)
		if (ets_has_share(ets, plan, tc))
			m = lcm(m, hweight16(plan->classes[tc]));
	for (tc = 0; tc < ETS_TCS; tc++) {
		if (!ets_has_share(ets, plan, tc))
			continue;
		n = hweight16(plan->classes[tc]);
		each[tc] = ets->tc_tx_bw[tc] * m / n;
		if (!each[tc])
			return -EINVAL;
		divisor = gcd(divisor, each[tc]);
	}
	for (tc = 0; tc < ETS_TCS; tc++)
		ets_weigh(plan->sched.weight, plan->classes[tc],
			  divisor ? each[tc] / divisor : 0);
	return 0;
}

static int ets_plan(const struct weft_endpoint *wep, const struct ieee_ets *ets,
		    struct ets_plan *plan)
{
	plan->sched = wep->ep.port.p->sched;
	if (plan->sched.kind != FAB_SCHED_DRR)
		return -EOPNOTSUPP;
	return ets_check(ets) ?:
	       ets_plan_classes(wep, ets, plan) ?:
	       ets_check_order(ets, plan) ?:
	       ets_plan_weights(ets, plan);
}

/* The fabric's lock is held. */
static void ets_limit(struct weft_endpoint *wep, const struct ets_plan *plan)
{
	const struct ieee_maxrate *maxrate = &wep->dcb.maxrate;
	u32 tc;

	for (tc = 0; tc < ETS_TCS; tc++)
		if (plan->classes[tc])
			fab_shaper_set(&wep->fabric->fab, &wep->ep.port,
				       plan->classes[tc],
				       maxrate->tc_maxrate[tc] * ETS_KBPS);
}

/**
 * weft_dcb_getets() - get the traffic classes of a NIC
 * @dev: its netdev
 * @ets: set to them
 *
 * Context: process, RTNL held.
 * Return: 0; -EOPNOTSUPP when it is attached to no fabric, or classes are
 * arbitrated by tables.
 */
int weft_dcb_getets(struct net_device *dev, struct ieee_ets *ets)
{
	const struct weft_endpoint *wep = ets_endpoint(dev);

	if (!wep || wep->ep.port.p->sched.kind != FAB_SCHED_DRR)
		return -EOPNOTSUPP;
	ets_now(wep, ets);
	return 0;
}

/**
 * weft_dcb_setets() - set the traffic classes of a NIC
 * @dev: its netdev
 * @ets: the settings; recommendations for the peer are ignored
 *
 * Context: process, RTNL held.
 * Return: 0; -EINVAL for inconsistent settings; -EOPNOTSUPP for settings that the
 * model does not have.
 */
int weft_dcb_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct weft_endpoint *wep = ets_endpoint(dev);
	struct ets_plan plan;
	int err;

	if (!wep)
		return -EOPNOTSUPP;
	err = ets_plan(wep, ets, &plan);
	if (err)
		return err;
	weft_engine_lock(wep->fabric);
	fab_endpoint_sched_set(&wep->fabric->fab, &wep->ep, &plan.sched);
	ets_limit(wep, &plan);
	weft_engine_unlock(wep->fabric);
	wep->fabric->generation++;
	wep->dcb.ets = *ets;
	wep->dcb.ets.willing = 0;
	wep->dcb.ets.cbs = 0;
	wep->dcb.ets.ets_cap = ETS_TCS;
	wep->dcb.ets_set = true;
	return 0;
}

/**
 * weft_dcb_getmaxrate() - get the rate limits of a NIC's traffic classes
 * @dev: its netdev
 * @maxrate: set to them, kbit/s; 0 for none
 *
 * Context: process, RTNL held.
 * Return: 0; -EOPNOTSUPP when it is attached to no fabric.
 */
int weft_dcb_getmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	const struct weft_endpoint *wep = ets_endpoint(dev);

	if (!wep)
		return -EOPNOTSUPP;
	*maxrate = wep->dcb.maxrate;
	return 0;
}

/**
 * weft_dcb_setmaxrate() - set the rate limits of a NIC's traffic classes
 * @dev: its netdev
 * @maxrate: the limits, kbit/s on the wire; 0 for none
 *
 * Context: process, RTNL held.
 * Return: 0; -ERANGE above the rate of any wire; -EOPNOTSUPP if it is attached to no
 * fabric.
 */
int weft_dcb_setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct weft_endpoint *wep = ets_endpoint(dev);
	struct ets_plan plan;
	struct ieee_ets ets;
	int err, tc;

	if (!wep)
		return -EOPNOTSUPP;
	for (tc = 0; tc < ETS_TCS; tc++)
		if (maxrate->tc_maxrate[tc] > div_u64(FAB_RATE_MAX, ETS_KBPS))
			return -ERANGE;
	ets_now(wep, &ets);
	err = ets_plan_classes(wep, &ets, &plan);
	if (err)
		return err;
	wep->dcb.maxrate = *maxrate;
	weft_engine_lock(wep->fabric);
	ets_limit(wep, &plan);
	weft_engine_unlock(wep->fabric);
	wep->fabric->generation++;
	return 0;
}
