// SPDX-License-Identifier: GPL-2.0
/*
 * The shared buffer of a switch in devlink.
 *
 * There is one ingress pool. Its memory is the buffer that the switch was created
 * with, and its size is the part in use. The threshold of the pool at a port is a
 * number of bytes. That of a traffic class, which is a class of the model, depends
 * on the type of the pool, which is that of the class at this port: bytes of the
 * shared part, or alpha, as an index from 0 to 20 for 2^-10 to 2^10. A number that
 * does not fit 32 bits is shown as the largest that does.
 *
 * A discipline with private room per class (credits) has no pool.
 */
#include <linux/rtnetlink.h>
#include <net/devlink.h>

#include "fabric/devlink.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/switch.h"

#define SB_ALPHA_ZERO	(DEVLINK_SB_THRESHOLD_TO_ALPHA_MAX / 2)

static u32 sb_u32(u64 bytes)
{
	return min_t(u64, bytes, U32_MAX);
}

/* Take RTNL. If the switch is gone, NULL is returned without RTNL. */
static struct weft_switch *sb_get(struct devlink *devlink)
{
	struct weft_switch *sw;

	rtnl_lock();
	sw = weft_devlink_switch(devlink);
	if (!sw)
		rtnl_unlock();
	return sw;
}

static struct fab_account_params *sb_account(struct weft_switch *sw, u32 port,
					     u32 cls)
{
	return &sw->sw.port[port].cls[cls].account.p;
}

/* The pool has the type of the first class of the first port. */
static bool sb_dynamic(struct weft_switch *sw)
{
	return sw->sw.buffer.p.accounts && sb_account(sw, 0, 0)->dynamic;
}

static int sb_pool_get(struct devlink *devlink, unsigned int sb_index,
		       u16 pool_index, struct devlink_sb_pool_info *info)
{
	struct weft_switch *sw = sb_get(devlink);

	if (!sw)
		return -ENODEV;
	info->pool_type = DEVLINK_SB_POOL_TYPE_INGRESS;
	info->size = sb_u32(sw->sw.buffer.p.total);
	info->threshold_type = sb_dynamic(sw) ?
			       DEVLINK_SB_THRESHOLD_TYPE_DYNAMIC :
			       DEVLINK_SB_THRESHOLD_TYPE_STATIC;
	info->cell_size = 1;
	rtnl_unlock();
	return 0;
}

/* A threshold of the other type starts as the whole buffer, or as alpha 1. */
static void sb_set_type(struct weft_switch *sw, u32 port, u32 cls, bool dynamic)
{
	struct fab_account_params a = *sb_account(sw, port, cls);

	if (a.dynamic == dynamic)
		return;
	a.dynamic = dynamic;
	a.alpha = 0;
	a.threshold = sw->sw.buffer.p.total;
	fab_buffer_limit(&sw->sw.buffer, &sw->sw.port[port], cls, &a);
}

static void sb_set_types(struct weft_switch *sw, bool dynamic)
{
	struct fab_buffer_params *p = &sw->sw.buffer.p;
	u32 i, cls;

	for (cls = 0; cls < sw->sw.p.port.classes; cls++) {
		for (i = 0; i < sw->sw.p.ports; i++)
			sb_set_type(sw, i, cls, dynamic);
		p->cls[cls] = *sb_account(sw, 0, cls);
	}
}

/* The pool cannot exceed the memory; without accounts a class has no threshold. */
static int sb_pool_check(struct weft_switch *sw, u32 size, bool dynamic,
			 struct netlink_ext_ack *extack)
{
	const struct fab_buffer *b = &sw->sw.buffer;

	if (size > sw->sw.p.buffer.total) {
		NL_SET_ERR_MSG_FMT(extack, "the buffer has %llu bytes",
				   sw->sw.p.buffer.total);
		return -EINVAL;
	}
	if (size < b->fixed) {
		NL_SET_ERR_MSG_FMT(extack,
				   "reserves and headrooms take %llu bytes",
				   b->fixed);
		return -ENOSPC;
	}
	if (dynamic && !b->p.accounts) {
		NL_SET_ERR_MSG(extack,
			       "the switch keeps no account of its classes");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int sb_pool_set(struct devlink *devlink, unsigned int sb_index,
		       u16 pool_index, u32 size,
		       enum devlink_sb_threshold_type type,
		       struct netlink_ext_ack *extack)
{
	bool dynamic = type == DEVLINK_SB_THRESHOLD_TYPE_DYNAMIC;
	struct weft_switch *sw = sb_get(devlink);
	struct fab_buffer *b;
	u64 per_port;
	int err;

	if (!sw)
		return -ENODEV;
	weft_engine_lock(sw->fabric);
	err = sb_pool_check(sw, size, dynamic, extack);
	if (!err) {
		b = &sw->sw.buffer;
		/* no limit stays no limit */
		per_port = b->p.per_port < b->p.total ? b->p.per_port : size;
		fab_buffer_resize(b, size, per_port);
		if (b->p.accounts)
			sb_set_types(sw, dynamic);
		sw->fabric->generation++;
	}
	weft_engine_unlock(sw->fabric);
	rtnl_unlock();
	return err;
}

static int sb_port_pool_get(struct devlink_port *port, unsigned int sb_index,
			    u16 pool_index, u32 *threshold)
{
	struct weft_switch *sw = sb_get(port->devlink);

	if (!sw)
		return -ENODEV;
	*threshold = sb_u32(fab_port_share(&sw->sw.buffer,
					   &sw->sw.port[port->index]));
	rtnl_unlock();
	return 0;
}

static int sb_port_pool_set(struct devlink_port *port, unsigned int sb_index,
			    u16 pool_index, u32 threshold,
			    struct netlink_ext_ack *extack)
{
	struct weft_switch *sw = sb_get(port->devlink);

	if (!sw)
		return -ENODEV;
	weft_engine_lock(sw->fabric);
	fab_buffer_share(&sw->sw.buffer, &sw->sw.port[port->index], threshold);
	weft_engine_unlock(sw->fabric);
	sw->fabric->generation++;
	rtnl_unlock();
	return 0;
}

static u32 sb_threshold(const struct fab_account_params *a)
{
	if (!a->dynamic)
		return sb_u32(a->threshold);
	return clamp(a->alpha + SB_ALPHA_ZERO, 0,
		     DEVLINK_SB_THRESHOLD_TO_ALPHA_MAX);
}

static int sb_tc_get(struct devlink_port *port, unsigned int sb_index, u16 tc,
		     enum devlink_sb_pool_type type, u16 *pool_index,
		     u32 *threshold)
{
	struct weft_switch *sw = sb_get(port->devlink);
	int err = 0;

	if (!sw)
		return -ENODEV;
	*pool_index = 0;
	if (sw->sw.buffer.p.accounts)
		*threshold = sb_threshold(sb_account(sw, port->index, tc));
	else
		err = -EOPNOTSUPP;
	rtnl_unlock();
	return err;
}

static int sb_tc_limit(struct weft_switch *sw, u32 port, u32 cls, u32 threshold,
		       struct netlink_ext_ack *extack)
{
	struct fab_account_params a = *sb_account(sw, port, cls);

	if (!sw->sw.buffer.p.accounts) {
		NL_SET_ERR_MSG(extack,
			       "the switch keeps no account of its classes");
		return -EOPNOTSUPP;
	}
	if (a.dynamic && threshold > DEVLINK_SB_THRESHOLD_TO_ALPHA_MAX) {
		NL_SET_ERR_MSG_FMT(extack,
				   "the threshold of a dynamic pool is an index from 0 to %u, for 2^-%u to 2^%u",
				   DEVLINK_SB_THRESHOLD_TO_ALPHA_MAX,
				   SB_ALPHA_ZERO, SB_ALPHA_ZERO);
		return -EINVAL;
	}
	if (a.dynamic)
		a.alpha = (int)threshold - SB_ALPHA_ZERO;
	else
		a.threshold = threshold;
	return fab_buffer_limit(&sw->sw.buffer, &sw->sw.port[port], cls, &a);
}

static int sb_tc_set(struct devlink_port *port, unsigned int sb_index, u16 tc,
		     enum devlink_sb_pool_type type, u16 pool_index,
		     u32 threshold, struct netlink_ext_ack *extack)
{
	struct weft_switch *sw = sb_get(port->devlink);
	int err;

	if (!sw)
		return -ENODEV;
	weft_engine_lock(sw->fabric);
	err = sb_tc_limit(sw, port->index, tc, threshold, extack);
	weft_engine_unlock(sw->fabric);
	sw->fabric->generation++;
	rtnl_unlock();
	return err;
}

static void sb_snapshot_port(struct fab *fab, struct fab_port *port,
			     struct weft_devlink_occ *occ)
{
	const struct fab_class *c;
	u32 cls;

	fab_port_settle(fab, port);
	occ->now = sb_u32(port->held);
	occ->peak = sb_u32(port->held_peak);
	for (cls = 0; cls < port->p->classes; cls++) {
		c = &port->cls[cls];
		occ[1 + cls].now = sb_u32(fab_account_held(&c->account));
		occ[1 + cls].peak = sb_u32(c->c.buffer_peak);
	}
}

static int sb_occ_snapshot(struct devlink *devlink, unsigned int sb_index)
{
	struct weft_switch *sw = sb_get(devlink);
	u32 i;

	if (!sw)
		return -ENODEV;
	weft_engine_lock(sw->fabric);
	for (i = 0; i < sw->sw.p.ports; i++)
		sb_snapshot_port(&sw->fabric->fab, &sw->sw.port[i], weft_devlink_occ(devlink, i));
	weft_engine_unlock(sw->fabric);
	rtnl_unlock();
	return 0;
}

static int sb_occ_max_clear(struct devlink *devlink, unsigned int sb_index)
{
	struct weft_switch *sw = sb_get(devlink);

	if (!sw)
		return -ENODEV;
	weft_engine_lock(sw->fabric);
	fab_buffer_forget(&sw->sw.buffer);
	weft_engine_unlock(sw->fabric);
	rtnl_unlock();
	return 0;
}

static int sb_occ_get(struct devlink_port *port, u32 which, bool accounts,
		      u32 *now, u32 *peak)
{
	struct weft_devlink_occ *occ;
	struct weft_switch *sw;
	int err = 0;

	rtnl_lock();
	sw = weft_devlink_switch(port->devlink);
	occ = weft_devlink_occ(port->devlink, port->index);
	*now = occ[which].now;
	*peak = occ[which].peak;
	if (!sw)
		err = -ENODEV;
	else if (accounts && !sw->sw.buffer.p.accounts)
		err = -EOPNOTSUPP;
	rtnl_unlock();
	return err;
}

static int sb_occ_port_get(struct devlink_port *port, unsigned int sb_index,
			   u16 pool_index, u32 *now, u32 *peak)
{
	return sb_occ_get(port, 0, false, now, peak);
}

static int sb_occ_tc_get(struct devlink_port *port, unsigned int sb_index,
			 u16 tc, enum devlink_sb_pool_type type, u32 *now,
			 u32 *peak)
{
	return sb_occ_get(port, 1 + tc, true, now, peak);
}

const struct devlink_ops weft_devlink_ops = {
	.sb_pool_get = sb_pool_get,
	.sb_pool_set = sb_pool_set,
	.sb_port_pool_get = sb_port_pool_get,
	.sb_port_pool_set = sb_port_pool_set,
	.sb_tc_pool_bind_get = sb_tc_get,
	.sb_tc_pool_bind_set = sb_tc_set,
	.sb_occ_snapshot = sb_occ_snapshot,
	.sb_occ_max_clear = sb_occ_max_clear,
	.sb_occ_port_pool_get = sb_occ_port_get,
	.sb_occ_tc_port_bind_get = sb_occ_tc_get,
};
