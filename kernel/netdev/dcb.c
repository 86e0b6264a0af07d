// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a NIC by dcbnl.
 *
 * Requests are made under RTNL. Settings are applied to the model under the
 * fabric's lock, and last until the NIC is detached. A NIC that is attached to no
 * fabric has only its application table.
 *
 * The NIC maps a priority to a class on the wire (weft_endpoint.vl). Priorities of
 * the same class must have the same settings. PFC pauses a class; what pauses the
 * whole link is ethtool's. Buffer i is the part of the receive buffer that only
 * class i may use: reserve and headroom.
 */
#include "netdev/dcb.h"

#include <linux/rtnetlink.h>
#include <net/dcbnl.h>

#include "core/flow/pfc.h"
#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "netdev/nic.h"

#define DCB_MODE	(DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE)

static struct weft_endpoint *dcb_endpoint(struct net_device *dev)
{
	return rtnl_dereference(((struct weft_nic *)netdev_priv(dev))->ep);
}

static u8 dcb_getdcbx(struct net_device *dev)
{
	return DCB_MODE;
}

static u8 dcb_setdcbx(struct net_device *dev, u8 mode)
{
	return mode != DCB_MODE;
}

/* Class of a priority, or an invalid number. */
static u32 dcb_class(const struct weft_endpoint *wep, u32 prio)
{
	return wep->vl[prio] < wep->ep.port.p->classes ? wep->vl[prio] :
							FAB_CLASSES_MAX;
}

static struct weft_endpoint *pfc_endpoint(struct net_device *dev)
{
	struct weft_endpoint *wep = dcb_endpoint(dev);

	return wep && wep->ep.port.flow->pauses == FAB_PAUSES_CLASS ? wep :
								      NULL;
}

/*
 * Bits that may be on the link after a pause was sent: both directions and the
 * reaction of the peer; at most what the field holds.
 */
static u16 pfc_delay(const struct fab_port *port)
{
	fab_time time;

	if (!port->peer)
		return 0;
	time = port->wire.p.propagation + port->peer->wire.p.propagation +
	       port->peer->p->react;
	if (time >= div_u64(FAB_PS_PER_S, 1000))
		return U16_MAX;
	time = mul_u64_u64_div_u64(time, port->peer->wire.bps, FAB_PS_PER_S);
	return min_t(u64, time, U16_MAX);
}

static int dcb_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct weft_endpoint *wep = pfc_endpoint(dev);
	const struct fab_class_counters *c;
	u32 prio, cls;

	if (!wep)
		return -EOPNOTSUPP;
	pfc->pfc_cap = WEFT_NIC_PRIOS;
	weft_engine_lock(wep->fabric);
	pfc->delay = pfc_delay(&wep->ep.port);
	for (prio = 0; prio < WEFT_NIC_PRIOS; prio++) {
		cls = dcb_class(wep, prio);
		if (cls == FAB_CLASSES_MAX)
			continue;
		if (wep->ep.port.lossless & BIT(cls))
			pfc->pfc_en |= BIT(prio);
		c = &wep->ep.port.cls[cls].c;
		pfc->requests[prio] = c->tx_pause;
		pfc->indications[prio] = c->rx_pause;
	}
	weft_engine_unlock(wep->fabric);
	return 0;
}

/* Classes of the priorities in @prios; classes without a priority do not change. */
static int pfc_classes(const struct weft_endpoint *wep, u8 prios, u16 *classes)
{
	u32 yes = 0, no = 0, prio, cls;

	for (prio = 0; prio < WEFT_NIC_PRIOS; prio++) {
		cls = dcb_class(wep, prio);
		if (prios & BIT(prio))
			yes |= BIT(cls);
		else
			no |= BIT(cls);
	}
	if (yes & no || yes & BIT(FAB_CLASSES_MAX))
		return -EINVAL;
	*classes = yes | (wep->ep.port.lossless & ~no);
	return 0;
}

static int dcb_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct weft_endpoint *wep = pfc_endpoint(dev);
	struct fab_pfc_params p;
	int err;

	if (!wep || pfc->mbc)
		return -EOPNOTSUPP;
	p = wep->ep.port.p->flow.pfc;
	err = pfc_classes(wep, pfc->pfc_en, &p.enable);
	if (err)
		return err;
	weft_engine_lock(wep->fabric);
	/* The link determines it: only the present value is accepted. */
	if (pfc->delay && pfc->delay != pfc_delay(&wep->ep.port))
		err = -EOPNOTSUPP;
	else
		err = fab_pfc_set(&wep->fabric->fab, &wep->ep.port, &p);
	weft_engine_unlock(wep->fabric);
	wep->fabric->generation++;
	return err;
}

/* Has the NIC a receive buffer with accounts of its classes? */
static struct weft_endpoint *buffer_endpoint(struct net_device *dev)
{
	struct weft_endpoint *wep = dcb_endpoint(dev);

	return wep && wep->ep.rx.buffer.p.accounts ? wep : NULL;
}

static u32 buffer_size(const struct fab_account_params *a)
{
	return min_t(u64, (u64)a->reserve + a->headroom, U32_MAX);
}

static int dcb_getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	const struct weft_endpoint *wep = buffer_endpoint(dev);
	u32 prio, cls;

	if (!wep)
		return -EOPNOTSUPP;
	buffer->total_size = min_t(u64, wep->ep.rx.buffer.p.total, U32_MAX);
	for (prio = 0; prio < WEFT_NIC_PRIOS; prio++) {
		cls = dcb_class(wep, prio);
		buffer->prio2buffer[prio] = cls < DCBX_MAX_BUFFERS ? cls : 0;
	}
	for (cls = 0; cls < min_t(u32, wep->ep.port.p->classes,
				  DCBX_MAX_BUFFERS); cls++)
		buffer->buffer_size[cls] =
			buffer_size(&wep->ep.port.cls[cls].account.p);
	return 0;
}

/* A lossless class fills its reserve, then its headroom; others have no headroom. */
static void buffer_divide(const struct fab_port *port, u32 cls, u32 size,
			  struct fab_account_params *a)
{
	*a = port->cls[cls].account.p;
	if (!(port->lossless & BIT(cls)))
		a->reserve = size;
	else
		a->reserve = min(a->reserve, size);
	a->headroom = size - a->reserve;
}

/*
 * The fabric's lock is held. All sizes together fit. Shrink first, so that each
 * intermediate state fits too.
 */
static void buffer_apply(struct weft_endpoint *wep, const u32 *size, u32 n,
			 bool grow)
{
	struct fab_buffer *b = &wep->ep.rx.buffer;
	struct fab_account_params a;
	u32 cls, now;

	for (cls = 0; cls < n; cls++) {
		now = buffer_size(&wep->ep.port.cls[cls].account.p);
		buffer_divide(&wep->ep.port, cls, size[cls], &a);
		if (grow ? size[cls] > now : size[cls] <= now)
			fab_buffer_limit(b, NULL, cls, &a);
	}
}

static int buffer_check(const struct weft_endpoint *wep,
			const struct dcbnl_buffer *now,
			const struct dcbnl_buffer *buffer)
{
	const struct fab_port *port = &wep->ep.port;
	u64 fixed = 0;
	u32 cls;

	if (memcmp(buffer->prio2buffer, now->prio2buffer,
		   sizeof(now->prio2buffer)))
		return -EOPNOTSUPP;
	for (cls = 0; cls < DCBX_MAX_BUFFERS; cls++) {
		fixed += buffer->buffer_size[cls];
		if (cls >= port->p->classes && buffer->buffer_size[cls])
			return -EINVAL;
	}
	for (cls = DCBX_MAX_BUFFERS; cls < port->p->classes; cls++)
		fixed += buffer_size(&port->cls[cls].account.p);
	return fixed > wep->ep.rx.buffer.p.total ? -ENOSPC : 0;
}

static int dcb_setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct weft_endpoint *wep = buffer_endpoint(dev);
	struct dcbnl_buffer now = {};
	u32 n;
	int err;

	err = dcb_getbuffer(dev, &now);
	if (err)
		return err;
	err = buffer_check(wep, &now, buffer);
	if (err)
		return err;
	n = min_t(u32, wep->ep.port.p->classes, DCBX_MAX_BUFFERS);
	weft_engine_lock(wep->fabric);
	buffer_apply(wep, buffer->buffer_size, n, false);
	buffer_apply(wep, buffer->buffer_size, n, true);
	memcpy(wep->ep.p->buffer.cls, wep->ep.rx.buffer.p.cls,
	       sizeof(wep->ep.p->buffer.cls));
	weft_engine_unlock(wep->fabric);
	wep->fabric->generation++;
	return 0;
}

static const struct dcbnl_rtnl_ops dcb_ops = {
	.ieee_getets = weft_dcb_getets,
	.ieee_setets = weft_dcb_setets,
	.ieee_getmaxrate = weft_dcb_getmaxrate,
	.ieee_setmaxrate = weft_dcb_setmaxrate,
	.ieee_getpfc = dcb_getpfc,
	.ieee_setpfc = dcb_setpfc,
	.ieee_setapp = weft_dcb_setapp,
	.ieee_delapp = weft_dcb_delapp,
	.getdcbx = dcb_getdcbx,
	.setdcbx = dcb_setdcbx,
	.dcbnl_getbuffer = dcb_getbuffer,
	.dcbnl_setbuffer = dcb_setbuffer,
#ifdef DCB_APP_SEL_PCP	/* both came with 6.2 */
	.dcbnl_setapptrust = weft_dcb_setapptrust,
	.dcbnl_getapptrust = weft_dcb_getapptrust,
#endif
};

/**
 * weft_nic_set_dcb() - give a netdev its dcbnl operations
 * @dev: the netdev
 *
 * Context: process, RTNL held.
 */
void weft_nic_set_dcb(struct net_device *dev)
{
	dev->dcbnl_ops = &dcb_ops;
}
