// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs of an EFA device: creation, states, destruction.
 *
 * Numbers are less than max_qp, as rdma-core's provider has a table of that many entries. One
 * that was given back is given out again as late as possible.
 */
#include <linux/log2.h>
#include <rdma/efa-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "rdma/efa/efa.h"
#include "rdma/qp.h"
#include "rdma/srd/peer.h"

#define QP_ATTRS	(IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |	\
			 IB_QP_QKEY | IB_QP_SQ_PSN | IB_QP_RNR_RETRY)

/**
 * weft_efa_qp_find() - look a queue pair up
 * @dev: the device
 * @qpn: its number
 *
 * Context: any; the fabric's lock is held.
 * Return: the queue pair or NULL.
 */
struct weft_efa_qp *weft_efa_qp_find(struct weft_rdma_dev *dev, u32 qpn)
{
	return xa_load(&dev->efa->qps, qpn);
}

/**
 * weft_efa_receiver() - the queue pair that a packet is for
 * @dev: the device
 * @qpn: its number
 * @srd: it is a packet of SRD, or of UD
 *
 * Context: any; the fabric's lock is held.
 * Return: the queue pair; NULL if there is none that receives such packets.
 */
struct weft_efa_qp *weft_efa_receiver(struct weft_rdma_dev *dev, u32 qpn, bool srd)
{
	struct weft_efa_qp *qp = weft_efa_qp_find(dev, qpn);

	if (!qp || qp->srd != srd || qp->state < IB_QPS_RTR || qp->state == IB_QPS_ERR)
		return NULL;
	return qp;
}

/* Nothing of it is sent any more; @complete: its requests complete as flushed. */
static void qp_halt(struct weft_efa_qp *qp, enum ib_qp_state state, bool complete)
{
	WRITE_ONCE(qp->state, state);
	weft_tx_stop(&qp->tx);
	weft_efa_sq_flush(qp, complete);
	if (complete)
		weft_efa_rq_flush(qp);
}

/**
 * weft_efa_qp_error() - go into the error state
 * @qp: the queue pair; nothing happens in states RESET and ERR
 * @event: event to be raised (IB_EVENT_QP_*), 0 for none
 *
 * Context: any; the fabric's lock is held.
 */
void weft_efa_qp_error(struct weft_efa_qp *qp, int event)
{
	if (qp->state == IB_QPS_RESET || qp->state == IB_QPS_ERR)
		return;
	qp_halt(qp, IB_QPS_ERR, true);
	if (event)
		weft_qp_event(&qp->ib, event);
}

static int qp_check(const struct weft_efa_qp *qp, const struct ib_qp_init_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->cap;

	if (attr->qp_type != IB_QPT_UD && attr->qp_type != IB_QPT_DRIVER)
		return -EOPNOTSUPP;
	if (attr->create_flags || attr->rwq_ind_tbl || attr->srq)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq ||
	    cap->max_send_wr > WEFT_EFA_SQ_WR || cap->max_recv_wr > WEFT_EFA_RQ_WR ||
	    cap->max_send_sge > EFA_SEND_SGES || cap->max_recv_sge > EFA_RECV_SGES ||
	    cap->max_inline_data > EFA_INLINE_MAX)
		return -EINVAL;
	return 0;
}

/* The rings have the sizes that the program says, which is how it indexes them. */
static int qp_command(struct weft_efa_qp *qp, struct ib_udata *udata)
{
	struct efa_ibv_create_qp cmd = {};
	int err;

	err = weft_efa_command(udata, &cmd, sizeof(cmd),
			       offsetofend(struct efa_ibv_create_qp, driver_qp_type));
	if (err)
		return err;
	if (cmd.comp_mask || (qp->srd && cmd.driver_qp_type != EFA_QP_DRIVER_TYPE_SRD))
		return -EOPNOTSUPP;
	qp->sq_size = cmd.sq_ring_size / sizeof(struct efa_tx);
	qp->rq_size = cmd.rq_ring_size / sizeof(struct efa_rx);
	if (cmd.sq_ring_size % sizeof(struct efa_tx) || qp->sq_size > WEFT_EFA_SQ_WR ||
	    !is_power_of_2(qp->sq_size) || cmd.rq_ring_size % sizeof(struct efa_rx) ||
	    qp->rq_size > WEFT_EFA_RQ_WR * EFA_RECV_SGES || !is_power_of_2(qp->rq_size))
		return -EINVAL;
	return 0;
}

static int qp_respond(const struct weft_efa_qp *qp, struct ib_udata *udata)
{
	struct efa_ibv_create_qp_resp resp = {
		.rq_db_offset = EFA_RQ_DOORBELL,
		.rq_mmap_key = weft_ring_key(&qp->rq),
		.rq_mmap_size = qp->rq.len,
		.rq_db_mmap_key = weft_ring_key(&qp->doorbells),
		.sq_db_mmap_key = weft_ring_key(&qp->doorbells),
		.llq_desc_mmap_key = weft_ring_key(&qp->sq),
	};

	return ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
}

static void qp_free(struct weft_efa_qp *qp)
{
	weft_ring_free(&qp->rq);
	weft_ring_free(&qp->sq);
	weft_ring_free(&qp->doorbells);
	kvfree(qp->ops);
}

static int qp_alloc(struct weft_efa_qp *qp)
{
	int err;

	err = weft_ring_alloc(&qp->doorbells, &qp->user->ib, PAGE_SIZE, true) ?:
	      weft_ring_alloc(&qp->sq, &qp->user->ib, qp->sq_size * sizeof(struct efa_tx), true) ?:
	      weft_ring_alloc(&qp->rq, &qp->user->ib, qp->rq_size * sizeof(struct efa_rx), true);
	if (err)
		return err;
	qp->ops = kvcalloc(qp->sq_size, sizeof(*qp->ops), GFP_KERNEL_ACCOUNT);
	return qp->ops ? 0 : -ENOMEM;
}

static int qp_publish(struct weft_efa_qp *qp)
{
	struct weft_efa *efa = qp->dev->efa;
	int err;

	if (!qp->dev->client.wep)
		return -ENODEV;
	err = xa_alloc_cyclic(&efa->qps, &qp->ib.qp_num, qp, XA_LIMIT(0, WEFT_EFA_QPS - 1),
			      &efa->next_qpn, GFP_ATOMIC);
	if (err < 0)
		return err;
	spin_lock(&efa->look_lock);
	list_add_tail(&qp->node, &efa->qps_seen);
	spin_unlock(&efa->look_lock);
	weft_look_wake();
	return 0;
}

static void qp_hide(struct weft_efa_qp *qp)
{
	weft_rdma_lock(qp->dev);
	qp_halt(qp, IB_QPS_RESET, false);
	xa_erase(&qp->dev->efa->qps, qp->ib.qp_num);
	spin_lock(&qp->dev->efa->look_lock);
	list_del(&qp->node);
	spin_unlock(&qp->dev->efa->look_lock);
	weft_rdma_unlock(qp->dev);
}

static void qp_init(struct weft_efa_qp *qp, const struct ib_qp_init_attr *attr,
		    struct ib_udata *udata)
{
	qp->dev = weft_rdma_dev_of(qp->ib.device);
	qp->user = rdma_udata_to_drv_context(udata, struct weft_ucontext, ib);
	qp->state = IB_QPS_RESET;
	qp->srd = attr->qp_type == IB_QPT_DRIVER;
	qp->rnr_retry = 7;
	qp->scq = weft_efa_cq_of(attr->send_cq);
	qp->rcq = weft_efa_cq_of(attr->recv_cq);
	qp->cap = attr->cap;
	weft_tx_init(&qp->tx, qp->dev, &weft_efa_datagram_ops);
}

/**
 * weft_efa_create_qp() - create a queue pair
 * @ib: the queue pair, zeroed
 * @attr: its attributes
 * @udata: sizes of its rings; set to where they can be mapped
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP for other types than UD and SRD; -EINVAL beyond the limits; -ENODEV
 * if the NIC is gone; -ENOMEM; -ENOMEM or -EBUSY beyond max_qp.
 */
int weft_efa_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct weft_efa_qp *qp = weft_efa_qp_of(ib);
	int err;

	err = qp_check(qp, attr);
	if (err)
		return err;
	qp_init(qp, attr, udata);
	err = qp_command(qp, udata) ?: weft_rdma_get_object(qp->dev, WEFT_RDMA_QPS);
	if (err)
		return err;
	err = qp_alloc(qp);
	if (err)
		goto err_free;
	weft_efa_sq_init(qp);
	weft_rdma_lock(qp->dev);
	err = qp_publish(qp);
	weft_rdma_unlock(qp->dev);
	if (err)
		goto err_free;
	err = qp_respond(qp, udata);
	if (!err)
		return 0;
	qp_hide(qp);

err_free:
	qp_free(qp);
	weft_rdma_put_object(qp->dev, WEFT_RDMA_QPS);
	return err;
}

/* From each state to the next one, to RESET and to ERR; RTS and SQD to each other. */
static bool qp_may_go(enum ib_qp_state from, enum ib_qp_state to)
{
	switch (to) {
	case IB_QPS_RESET:
	case IB_QPS_ERR:
		return true;
	case IB_QPS_INIT:
		return from == IB_QPS_RESET || from == IB_QPS_INIT;
	case IB_QPS_RTR:
		return from == IB_QPS_INIT;
	case IB_QPS_RTS:
		return from == IB_QPS_RTR || from == IB_QPS_RTS || from == IB_QPS_SQD;
	case IB_QPS_SQD:
		return from == IB_QPS_RTS || from == IB_QPS_SQD;
	default:
		return false;
	}
}

/* The program's counts start anew. */
static void qp_reset(struct weft_efa_qp *qp)
{
	qp_halt(qp, IB_QPS_RESET, false);
	qp->sq_next = 0;
	qp->rq_next = 0;
	memset(qp->doorbells.at, 0, PAGE_SIZE);
}

static int qp_modify(struct weft_efa_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : qp->state;

	if ((mask & IB_QP_CUR_STATE && attr->cur_qp_state != qp->state) ||
	    !qp_may_go(qp->state, next))
		return -EINVAL;
	if (!qp->dev->client.wep && next != IB_QPS_RESET && next != IB_QPS_ERR)
		return -ENODEV;
	if (mask & IB_QP_QKEY)
		qp->qkey = attr->qkey;
	if (mask & IB_QP_RNR_RETRY)
		qp->rnr_retry = attr->rnr_retry;
	if (next == IB_QPS_RESET)
		qp_reset(qp);
	else if (next == IB_QPS_ERR && qp->state != IB_QPS_RESET)
		weft_efa_qp_error(qp, 0);
	else
		WRITE_ONCE(qp->state, next);
	if (next == IB_QPS_RTS)
		weft_efa_sq_look(qp);
	return 0;
}

/**
 * weft_efa_modify_qp() - change state and attributes
 * @ib: the queue pair
 * @attr: attributes
 * @mask: IB_QP_*: which of them are set
 * @udata: unused
 *
 * Context: process; takes the fabric's lock.
 * Return: 0; -EOPNOTSUPP for attributes that it does not have; -EINVAL for values out of
 * range, or a state that does not follow; -ENODEV if the NIC is gone.
 */
int weft_efa_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	struct weft_efa_qp *qp = weft_efa_qp_of(ib);
	int err;

	if (mask & ~QP_ATTRS)
		return -EOPNOTSUPP;
	if ((mask & IB_QP_PORT && attr->port_num != 1) ||
	    (mask & IB_QP_PKEY_INDEX && attr->pkey_index) ||
	    (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7))
		return -EINVAL;
	weft_rdma_lock(qp->dev);
	err = qp_modify(qp, attr, mask);
	weft_rdma_unlock(qp->dev);
	return err;
}

/**
 * weft_efa_query_qp() - get state and attributes
 * @ib: the queue pair
 * @attr: set to them
 * @mask: which are wanted: all are set
 * @init: set to those of its creation
 *
 * Context: process; takes the fabric's lock.
 * Return: 0.
 */
int weft_efa_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init)
{
	struct weft_efa_qp *qp = weft_efa_qp_of(ib);

	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	weft_rdma_lock(qp->dev);
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->qkey = qp->qkey;
	attr->rnr_retry = qp->rnr_retry;
	weft_rdma_unlock(qp->dev);
	attr->port_num = 1;
	attr->cap = qp->cap;
	init->qp_type = ib->qp_type;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->cap = qp->cap;
	return 0;
}

/**
 * weft_efa_destroy_qp() - destroy a queue pair
 * @ib: the queue pair
 * @udata: unused
 *
 * What it has not sent is not sent. A datagram that is on its way goes on.
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_efa_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct weft_efa_qp *qp = weft_efa_qp_of(ib);

	qp_hide(qp);
	qp_free(qp);
	weft_rdma_put_object(qp->dev, WEFT_RDMA_QPS);
	return 0;
}
