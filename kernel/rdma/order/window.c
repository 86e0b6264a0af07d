// SPDX-License-Identifier: GPL-2.0
/*
 * Windows of a connection whose packets may come in any order: memory.
 */
#include "rdma/order/window.h"

#include <linux/slab.h>

#include "rdma/qp.h"

static bool window_wanted(struct weft_qp *qp)
{
	bool any;

	weft_rdma_lock(qp->dev);
	any = qp->dev->client.wep &&
	      weft_rdma_params(qp->dev)->ordering == WEFT_ORDER_ANY;
	weft_rdma_unlock(qp->dev);
	return any;
}

static void window_set(struct weft_qp *qp, struct weft_window *w)
{
	struct weft_window *old;

	weft_rdma_lock(qp->dev);
	old = qp->window;
	qp->window = w;
	weft_rdma_unlock(qp->dev);
	kvfree(old);
}

/**
 * weft_window_prepare() - have windows, or none, as the NIC's ordering says
 * @qp: the queue pair, in state INIT, so that nothing uses its windows
 *
 * Context: process, may sleep; its modify_mutex is held.
 * Return: 0 or -ENOMEM.
 */
int weft_window_prepare(struct weft_qp *qp)
{
	struct weft_window *w;

	if (qp->ib.qp_type != IB_QPT_RC || !window_wanted(qp)) {
		window_set(qp, NULL);
		return 0;
	}
	if (qp->window)
		return 0;
	w = kvzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return -ENOMEM;
	w->qp = qp;
	weft_repeat_init(w);
	window_set(qp, w);
	return 0;
}

/**
 * weft_window_free() - free the windows, if there are any
 * @qp: the queue pair, which was reset, and which nobody finds any more
 *
 * Context: process, may sleep.
 */
void weft_window_free(struct weft_qp *qp)
{
	kvfree(qp->window);
}
